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
	policies := map[string]*Policy{}
	for _, entry := range entries {
		text, err := builtinFiles.ReadFile("builtin/" + entry.Name())
		if err != nil {
			panic(err)
		}
		name := strings.TrimSuffix(entry.Name(), ".yaml")
		if policies[name], err = parse(name, text); err != nil {
			panic(err)
		}
	}
	return policies
})

// Builtin returns the embedded policy of that name. It is shared: nobody may
// change it.
func Builtin(name string) (*Policy, error) {
	p, ok := builtins()[name]
	if !ok {
		return nil, fmt.Errorf("there is no built-in policy %q; known: %s", name, strings.Join(BuiltinNames(), ", "))
	}
	return p, nil
}

// BuiltinNames lists the embedded policies in alphabetical order.
func BuiltinNames() []string { return sortedKeys(builtins()) }
