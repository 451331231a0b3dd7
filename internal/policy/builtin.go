package policy

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

// Default is the policy that holds where none is named.
const Default = "kubernetes"

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// builtins reads each embedded policy once, when it is first asked for. They are
// part of the program: one that can't be read is a defect, which the tests of
// this package would find.
var builtins = func() map[string]func() *Policy {
	entries, err := builtinFiles.ReadDir("builtin")
	if err != nil {
		panic(err)
	}
	policies := map[string]func() *Policy{}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".yaml")
		policies[name] = sync.OnceValue(func() *Policy {
			p, err := readBuiltin(name, policies)
			if err != nil {
				panic(fmt.Errorf("policy %s: %w", name, err))
			}
			return p
		})
	}
	return policies
}()

func readBuiltin(name string, others map[string]func() *Policy) (*Policy, error) {
	text, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	d, err := readYAML(name, text)
	if err != nil {
		return nil, err
	}
	if d.Extends == "" {
		return d.finish(nil)
	}
	return d.extend(others[d.Extends]())
}

// Builtin returns the embedded policy of that name. It is shared: nobody may
// change it.
func Builtin(name string) (*Policy, error) {
	read, ok := builtins[name]
	if !ok {
		return nil, fmt.Errorf("%q is no built-in policy; known: %s", name, strings.Join(BuiltinNames(), ", "))
	}
	return read(), nil
}

// BuiltinNames lists the embedded policies in alphabetical order.
func BuiltinNames() []string { return sortedKeys(builtins) }
