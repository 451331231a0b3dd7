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

// builtins reads the embedded policies once. They are part of the program: one
// that can't be read is a defect, which the tests of this package would find.
var builtins = sync.OnceValue(func() map[string]*Policy {
	entries, err := builtinFiles.ReadDir("builtin")
	if err != nil {
		panic(err)
	}
	documents := map[string]document{}
	for _, entry := range entries {
		text, err := builtinFiles.ReadFile("builtin/" + entry.Name())
		if err != nil {
			panic(err)
		}
		name := strings.TrimSuffix(entry.Name(), ".yaml")
		if documents[name], err = readYAML(name, text); err != nil {
			panic(err)
		}
	}

	policies := map[string]*Policy{}
	var build func(name string) *Policy
	build = func(name string) *Policy {
		if p := policies[name]; p != nil {
			return p
		}
		d := documents[name]
		var p *Policy
		var err error
		if d.Extends == "" {
			p, err = d.finish(nil)
		} else {
			p, err = d.extend(build(d.Extends))
		}
		if err != nil {
			panic(fmt.Errorf("policy %s: %w", name, err))
		}
		policies[name] = p
		return p
	}
	for name := range documents {
		build(name)
	}
	return policies
})

// Builtin returns the embedded policy of that name. It is shared: nobody may
// change it.
func Builtin(name string) (*Policy, error) {
	p, ok := builtins()[name]
	if !ok {
		return nil, fmt.Errorf("%q is no built-in policy; known: %s", name, strings.Join(BuiltinNames(), ", "))
	}
	return p, nil
}

// BuiltinNames lists the embedded policies in alphabetical order.
func BuiltinNames() []string { return sortedKeys(builtins()) }
