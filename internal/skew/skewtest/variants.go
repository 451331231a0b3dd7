// SPDX-License-Identifier: MPL-2.0

package skewtest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

// Variants returns the built-in policies and some variants of the policy kubernetes, by
// name.
func Variants(t testing.TB) map[string]*policy.Policy {
	number := func(n int) *int { return &n }
	change := func(edit func(*policy.Policy)) *policy.Policy {
		p := *Kubernetes(t)
		p.PairRules, p.StepRules = slices.Clone(p.PairRules), slices.Clone(p.StepRules)
		edit(&p)
		return &p
	}
	twoBehind := func(p *policy.Policy) {
		for i, r := range p.PairRules {
			if r.ID == "kubelet-apiserver" || r.ID == "kube-proxy-apiserver" {
				stricter := *r
				stricter.MaxOlder, stricter.Conditions = number(2), nil
				p.PairRules[i] = &stricter
			}
		}
	}
	workersByOne := func(p *policy.Policy) {
		p.StepRules = append(p.StepRules, &policy.StepRule{ID: "kubelet-step", Component: "kubelet", Notes: policy.Notes{Severity: policy.SeverityError}, StepLimits: policy.StepLimits{MaxUpgrade: number(1), MaxDowngrade: number(1)}})
	}
	apiMaySkip := func(p *policy.Policy) {
		rule := *p.StepRules[0]
		rule.MaxUpgrade = number(3)
		p.StepRules[0] = &rule
	}
	mayRollBack := func(p *policy.Policy) {
		rule := *p.StepRules[0]
		rule.MaxDowngrade = number(1)
		p.StepRules[0] = &rule
	}
	duringUpgrade := func(p *policy.Policy) {
		for i, r := range p.PairRules {
			if r.ID == "kubelet-apiserver" {
				stricter := *r
				stricter.MaxOlderDuringUpgrade = number(2)
				p.PairRules[i] = &stricter
			}
		}
	}
	all := map[string]*policy.Policy{
		"strict during an upgrade":    change(duringUpgrade),
		"kubelets two behind":         change(twoBehind),
		"workers one minor at a time": change(workersByOne),
		"API server may skip":         change(apiMaySkip),
		"may go back":                 change(mayRollBack),
		"all of these":                change(func(p *policy.Policy) { twoBehind(p); workersByOne(p); apiMaySkip(p); mayRollBack(p) }),
	}
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = p
	}
	for name, p := range all {
		named := *p
		named.Name = name
		all[name] = &named
	}
	return all
}

// AllVariants lists the policies of Variants in order.
func AllVariants(t testing.TB) []*policy.Policy {
	t.Helper()
	return slices.SortedFunc(maps.Values(Variants(t)), func(a, b *policy.Policy) int { return strings.Compare(a.Name, b.Name) })
}
