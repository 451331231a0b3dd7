// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Default is the name of the policy that is used if none is set.
const Default = "kubernetes"

// builtinFiles contains the policies, and the add-on packs in the directory addons.
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
			files, _ := fs.Glob(builtinFiles, pattern) // fails only for a malformed pattern
			for _, file := range files {
				name := strings.TrimSuffix(strings.TrimPrefix(file, "builtin/"), ".yaml")
				embedded[name] = sync.OnceValue(func() *Policy { return readBuiltin(name) })
			}
		}
	})
	return embedded
}

// readBuiltin parses an embedded policy or pack. It panics if the file is invalid.
func readBuiltin(name string) *Policy {
	text, _ := builtinFiles.ReadFile("builtin/" + name + ".yaml") // listed, so it exists
	d, err := readYAML(name, text)
	var p *Policy
	if err == nil {
		p, err = d.resolve()
	}
	if err != nil {
		panic(fmt.Errorf("policy %s: %w", name, err))
	}
	p.Name, p.resolved.Name, p.builtin = name, name, name
	return p
}

// otherNames maps other names of platforms to their policies.
var otherNames = map[string]string{
	"aws": "eks", "amazon": "eks", "azure": "aks", "google": "gke", "gcp": "gke",
	"upstream": Default, "default": Default, "k8s": Default, "vanilla": Default, "strict": "kubernetes-strict",
	"ocp": "openshift", "rosa": "rosa-hcp", "rancher": "rke2", "oracle": "oke", "ibm": "iks", "capi": "cluster-api",
	"doks": "digitalocean-doks", "lke": "linode-lke", "kapsule": "scaleway-kapsule", "ack": "alibaba-ack",
	"huawei": "huawei-cce", "cce": "huawei-cce", "tencent": "tencent-tke", "tke": "tencent-tke", "naver": "naver-nks", "nks": "naver-nks",
	"olcne": "ocne", "canonical": "canonical-kubernetes", "microk8s": "canonical-kubernetes",
}

// Builtin returns the embedded policy with the given name. It is shared, so callers
// must not change it. The error is always a *ParseError.
func Builtin(name string) (*Policy, error) {
	read, ok := readers()[name]
	switch {
	case !ok:
		mistake := unknownName(nil, fmt.Sprintf("unknown policy %q", name), name, BuiltinNames(), "the built-in policies")
		mistake.Meant = cmp.Or(otherNames[strings.ToLower(name)], mistake.Meant)
		return nil, &ParseError{[]Mistake{mistake}}
	case isAddon(name):
		return nil, &ParseError{[]Mistake{{Text: fmt.Sprintf("%q is an add-on pack, not a policy", name), Repair: "Add it to include in a versionskew_policy data source"}}}
	}
	return read(), nil
}

// Addon returns the embedded add-on pack with the given name, such as
// "addons/karpenter". It is shared, so callers must not change it. The error is
// always a *ParseError.
func Addon(name string) (*Policy, error) {
	read, ok := readers()[name]
	switch {
	case !ok:
		mistake := unknownName(nil, fmt.Sprintf("unknown add-on pack %q", name), name, AddonNames(), "the built-in packs")
		if full := AddonPrefix + name; slices.Contains(AddonNames(), full) {
			mistake.Meant = full
		}
		return nil, &ParseError{[]Mistake{mistake}}
	case !isAddon(name):
		return nil, &ParseError{[]Mistake{{Text: fmt.Sprintf("%q is a policy, not an add-on pack", name), Repair: "Use extends instead"}}}
	}
	return read(), nil
}

func isAddon(name string) bool { return strings.HasPrefix(name, AddonPrefix) }

// BuiltinNames lists the embedded policies in alphabetical order.
func BuiltinNames() []string { return slices.DeleteFunc(slices.Sorted(maps.Keys(readers())), isAddon) }

// BuiltinNamesWithScheme lists the embedded policies with a version scheme in alphabetical
// order.
func BuiltinNamesWithScheme(s *version.Scheme) []string {
	return slices.DeleteFunc(BuiltinNames(), func(name string) bool { return readers()[name]().Scheme != s })
}

// AddonsFor lists the embedded add-on packs with rules for a component in alphabetical
// order. Packs only have rules for components of their own and those of Kubernetes.
func AddonsFor(component string) []string {
	return slices.DeleteFunc(AddonNames(), func(name string) bool { return !slices.Contains(readers()[name]().Components(), component) })
}

// AddonNames lists the embedded add-on packs in alphabetical order.
func AddonNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(readers())), func(name string) bool { return !isAddon(name) })
}
