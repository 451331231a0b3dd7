package policy

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Default is the name of the policy that is used if none is set.
const Default = "kubernetes"

// builtinFiles are the policies, and in the folder addons the packs.
//
//go:embed builtin
var builtinFiles embed.FS

// embedded parses each embedded policy and pack once, on first use. An invalid one
// is a bug that the tests of this package find.
var (
	embedded       map[string]func() *Policy
	listedEmbedded sync.Once
)

// readers returns the functions that parse each embedded policy and pack, by name.
func readers() map[string]func() *Policy {
	listedEmbedded.Do(func() {
		embedded = map[string]func() *Policy{}
		for _, pattern := range []string{"builtin/*.yaml", "builtin/" + AddonPrefix + "*.yaml"} {
			files, err := fs.Glob(builtinFiles, pattern)
			if err != nil {
				panic(err)
			}
			for _, file := range files {
				name := strings.TrimSuffix(strings.TrimPrefix(file, "builtin/"), ".yaml")
				embedded[name] = sync.OnceValue(func() *Policy {
					p, err := readBuiltin(name)
					if err != nil {
						panic(fmt.Errorf("policy %s: %w", name, err))
					}
					return p
				})
			}
		}
	})
	return embedded
}

func readBuiltin(name string) (*Policy, error) {
	text, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	d, err := readYAML(name, text)
	if err != nil {
		return nil, err
	}
	p, err := d.resolve(Builtin)
	if err == nil {
		p.Name, p.resolved.Name = name, name
	}
	return p, err
}

// Builtin returns the embedded policy with the given name. It is shared, so callers
// must not change it.
func Builtin(name string) (*Policy, error) {
	read, ok := readers()[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown policy %q%s. Built-in policies: %s", name, suggestion(name, BuiltinNames()), strings.Join(BuiltinNames(), ", "))
	case isAddon(name):
		return nil, fmt.Errorf("%q is an add-on pack, not a policy. List it in include of a versionskew_policy", name)
	}
	return read(), nil
}

// Addon returns the embedded add-on pack with the given name, such as
// "addons/karpenter". It is shared, so callers must not change it.
func Addon(name string) (*Policy, error) {
	read, ok := readers()[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown add-on pack %q%s. Built-in packs: %s", name, suggestion(name, AddonNames()), strings.Join(AddonNames(), ", "))
	case !isAddon(name):
		return nil, fmt.Errorf("%q is a policy, not an add-on pack. Name it in extends instead", name)
	}
	return read(), nil
}

func isAddon(name string) bool { return strings.HasPrefix(name, AddonPrefix) }

// BuiltinNames lists the embedded policies in alphabetical order.
func BuiltinNames() []string { return slices.DeleteFunc(sortedKeys(readers()), isAddon) }

// AddonNames lists the embedded add-on packs in alphabetical order.
func AddonNames() []string {
	return slices.DeleteFunc(sortedKeys(readers()), func(name string) bool { return !isAddon(name) })
}
