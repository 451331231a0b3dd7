// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// drawPolicy draws the policy of Kubernetes, or one with rules that no built-in
// policy has.
func drawPolicy(t *rapid.T, kubernetes *policy.Policy) *policy.Policy {
	if rapid.Bool().Draw(t, "kubernetes") {
		return kubernetes
	}
	return skewtest.RandomPolicy(t, "kube-apiserver", "kube-scheduler", "kubelet", "kube-proxy")
}

// drawPolicyWithin draws the same policies, some with a requirement between instances of
// one component, which two instances of the same version can violate.
func drawPolicyWithin(t *rapid.T, kubernetes *policy.Policy) *policy.Policy {
	p := *drawPolicy(t, kubernetes)
	if !rapid.Bool().Draw(t, "within a component") {
		return &p
	}
	constraint := func(operator string) version.Constraint {
		c, err := version.ParseConstraint(fmt.Sprintf("%s 1.%d", operator, rapid.IntRange(21, 29).Draw(t, operator)))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	component := rapid.SampledFrom([]string{"kubelet", "kube-apiserver"}).Draw(t, "component")
	p.PairRules = append(slices.Clone(p.PairRules), &policy.PairRule{
		ID: "within", Subject: component, Reference: component, Scope: policy.ScopeCluster,
		Requirement: &policy.Requirement{When: constraint("<"), Require: constraint(">=")},
		Notes:       policy.Notes{Severity: policy.SeverityError},
	})
	return &p
}

// TestFindingsOfAllPairs checks that Findings reports a rule if and only if a pair of
// instances in its scope violates it.
func TestFindingsOfAllPairs(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPolicyWithin(t, kubernetes), skewtest.RandomCluster(t)
		for i := range c.Places {
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "alike") == 0 {
				c.Places[i].Instances = slices.Clone(c.Places[i-1].Instances)
			}
		}
		var want []string
		for _, r := range p.PairRules {
			broken := false
			for i, a := range c.Places {
				subject, ok := a.Version(r.Subject)
				if !ok {
					continue
				}
				_, here := a.Version(r.Reference)
				own := r.Scope == policy.ScopeNode ||
					r.Scope == policy.ScopeEndpoint && c.LocalEndpoint && a.Location.Attribute == finding.ControlPlane && here && r.Subject != r.Reference
				for j, b := range c.Places {
					reference, ok := b.Version(r.Reference)
					related := (i == j || !own) && (i != j || r.Subject != r.Reference)
					if r.Scope == policy.ScopeSelf {
						related = i == j
					}
					if ok && related {
						broken = broken || skew.Check(r, subject, reference) != finding.Within
					}
				}
			}
			if broken {
				want = append(want, r.ID)
			}
		}
		findings := skew.Findings(p, c)
		for _, f := range findings {
			allowed, err := version.ParseConstraint(f.Allowed.Constraint())
			if err != nil {
				t.Fatal(err)
			}
			if allowed.Contains(f.Subject.Version) {
				t.Fatalf("%s of %s is violated at %s, which is in %s", f.RuleID, f.Subject.Component, f.Subject.Version, f.Allowed.Constraint())
			}
		}
		got := slices.Sorted(slices.Values(rules(findings)))
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Fatalf("violated rules: %v, by pairs: %v", got, want)
		}
	})
}

// TestAllowedVersionsAgreeWithFindings checks that a minor is in the window of a component
// if and only if no rule is violated with all its instances at that minor.
func TestAllowedVersionsAgreeWithFindings(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPolicy(t, kubernetes), skewtest.RandomCluster(t)
		if len(c.Components()) == 0 {
			t.Skip("nothing is declared")
		}
		component := rapid.SampledFrom(c.Components()).Draw(t, "component")
		window := skew.AllowedVersions(p, c)[component]
		for n := 15; n <= 35; n++ {
			m := version.Minor{Major: 1, Minor: n}
			moved := skew.Cluster{LocalEndpoint: c.LocalEndpoint}
			for _, place := range c.Places {
				instances := slices.Clone(place.Instances)
				for i := range instances {
					if instances[i].Component == component {
						instances[i].Version = m.Version()
					}
				}
				moved.Places = append(moved.Places, skew.Place{Location: place.Location, Instances: instances})
			}
			sound := !slices.ContainsFunc(skew.Findings(p, moved), func(f finding.Finding) bool {
				return f.Severity == policy.SeverityError && (f.Subject.Component == component || f.Reference.Component == component)
			})
			if sound != window.Contains(m) {
				t.Fatalf("%s %s: sound %t, but the window is %s except %v", component, m, sound, window.Constraint(), window.Except)
			}
			if window.Minimum != nil && window.Maximum != nil && slices.Contains(window.Minors, m) != sound {
				t.Fatalf("%s %s: sound %t, but the minors are %v", component, m, sound, window.Minors)
			}
		}
	})
}

// TestAllowedWithAgreesWithFindings checks that a minor is in the window if and only if an
// additional instance at that minor violates no rule.
func TestAllowedWithAgreesWithFindings(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPolicy(t, kubernetes), skewtest.RandomCluster(t)
		component := rapid.SampledFrom([]string{"kube-apiserver", "kube-scheduler", "kubelet", "kube-proxy", "kubectl"}).Draw(t, "component")
		window := skew.AllowedWith(p, c, component)
		for n := 15; n <= 35; n++ {
			m := version.Minor{Major: 1, Minor: n}
			joined := c
			where := finding.AtIndex(finding.Components, component, 0)
			joined.Places = append(slices.Clone(c.Places), skew.Place{Location: where, Instances: []skew.Instance{{Component: component, Version: m.Version()}}})
			sound := !slices.ContainsFunc(skew.Findings(p, joined), func(f finding.Finding) bool {
				return f.Severity == policy.SeverityError && slices.Contains(slices.Concat(f.Subject.Locations, f.Reference.Locations), where)
			})
			if sound != window.Contains(m) {
				t.Fatalf("%s %s: sound %t, but the window is %s except %v", component, m, sound, window.Constraint(), window.Except)
			}
		}
	})
}

// verdict lists the violations of a combination, without their locations.
func verdict(p *policy.Policy, c skew.Cluster) []string {
	var all []string
	for _, f := range skew.Findings(p, c) {
		all = append(all, fmt.Sprint(f.RuleID, f.Subject.Version, f.Reference.Version, f.Allowed.Constraint()))
	}
	slices.Sort(all)
	return all
}

// TestEvaluateIgnoresOrderNamesAndRepetition checks that the result does not depend on the
// order of places and instances, on their names, or on how often they are declared.
func TestEvaluateIgnoresOrderNamesAndRepetition(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPolicyWithin(t, kubernetes), skewtest.RandomCluster(t)
		want := verdict(p, c)

		shuffled := c
		shuffled.Places = rapid.Permutation(c.Places).Draw(t, "order")
		for i := range shuffled.Places {
			shuffled.Places[i].Instances = rapid.Permutation(shuffled.Places[i].Instances).Draw(t, "order of a place")
		}
		if got := verdict(p, shuffled); !slices.Equal(got, want) {
			t.Fatalf("in another order: %v, want %v", got, want)
		}

		renamed := shuffled
		renamed.Places = slices.Clone(shuffled.Places)
		names := rapid.Permutation(strings.Split("abcdefghijkl", "")).Draw(t, "names")
		for i := range renamed.Places {
			if l := &renamed.Places[i].Location; l.Key != "" {
				l.Key = names[i]
			}
		}
		if got := verdict(p, renamed); !slices.Equal(got, want) {
			t.Fatalf("under other names: %v, want %v", got, want)
		}

		// A requirement between instances of one component can refuse a version that
		// a single instance may have. Then only the second repetition has no effect.
		within := slices.ContainsFunc(p.PairRules, func(r *policy.PairRule) bool { return r.ID == "within" })
		repeated := renamed
		for i, times := range []string{"twice", "three times"} {
			for _, place := range renamed.Places {
				if place.Location.Attribute == finding.NodePools {
					place.Location.Key += fmt.Sprint("-", i)
					place.Instances = rapid.Permutation(place.Instances).Draw(t, "order of a place")
					repeated.Places = append(repeated.Places, place)
				}
			}
			got := verdict(p, repeated)
			if i == 0 && within {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("with every node pool %s: %v, want %v", times, got, want)
			}
		}
	})
}

// TestRaisedLimitAddsNoFinding checks that a looser rule only rejects what the stricter
// one rejects too.
func TestRaisedLimitAddsNoFinding(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	pairs := func(p *policy.Policy, c skew.Cluster) []string {
		var all []string
		for _, f := range skew.Findings(p, c) {
			// Two instances of one component are reported from either side.
			sides := []string{f.Subject.Component + f.Subject.Version.String(), f.Reference.Component + f.Reference.Version.String()}
			slices.Sort(sides)
			all = append(all, f.RuleID+strings.Join(sides, ""))
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		strict, c := drawPolicy(t, kubernetes), skewtest.RandomCluster(t)
		by := rapid.IntRange(1, 3).Draw(t, "by")
		raise := func(limit *int) *int {
			if limit == nil || by == 3 {
				return nil
			}
			n := *limit + by
			return &n
		}
		which := rapid.IntRange(0, len(strict.PairRules)-1).Draw(t, "which")
		rule := *strict.PairRules[which]
		newer := rapid.Bool().Draw(t, "newer")
		change := func(l *policy.Limits) {
			if newer {
				l.MaxNewer = raise(l.MaxNewer)
			} else {
				l.MaxOlder = raise(l.MaxOlder)
			}
		}
		change(&rule.Limits)
		rule.Conditions = slices.Clone(rule.Conditions)
		for i := range rule.Conditions {
			if l := &rule.Conditions[i].Limits; by < 3 {
				change(l)
			} else if newer {
				l.MaxNewer = nil // as in the rule
			} else {
				l.MaxOlder = nil
			}
		}
		loose := *strict
		loose.PairRules = slices.Clone(strict.PairRules)
		loose.PairRules[which] = &rule

		before := pairs(strict, c)
		for _, broken := range pairs(&loose, c) {
			if !slices.Contains(before, broken) {
				t.Fatalf("%s appears when limits of %s are raised; before: %v", broken, rule.ID, before)
			}
		}
	})
}

// TestSharedInstances checks that places can share a slice of instances, or parts of it.
func TestSharedInstances(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p, drawn := drawPolicy(t, kubernetes), skewtest.RandomCluster(t)
		if len(drawn.Places) == 0 {
			return
		}
		shared, copied := drawn, drawn
		shared.Places, copied.Places = nil, nil
		for _, place := range drawn.Places {
			list := rapid.SampledFrom(drawn.Places).Draw(t, "shared").Instances
			list = list[:rapid.IntRange(0, len(list)).Draw(t, "length")]
			shared.Places = append(shared.Places, skew.Place{Location: place.Location, Instances: list})
			copied.Places = append(copied.Places, skew.Place{Location: place.Location, Instances: slices.Clone(list)})
		}
		if got, want := skew.Findings(p, shared), skew.Findings(p, copied); !reflect.DeepEqual(got, want) {
			t.Fatalf("shared: %+v, copied: %+v", got, want)
		}
	})
}
