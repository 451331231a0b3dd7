// SPDX-License-Identifier: MPL-2.0

package step_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// smallStep is a step of up to five instances on up to three nodes, under random rules.
// Instances can move, be added or be removed.
type smallStep struct {
	policy   *policy.Policy
	from, to skew.Cluster
}

func drawSmallStep(t *rapid.T) smallStep {
	m := smallStep{policy: skewtest.RandomPolicy(t, "kube-apiserver", "kubelet", "kube-proxy")}
	for _, r := range m.policy.PairRules {
		r.Severity = policy.SeverityError
		if rapid.IntRange(0, 3).Draw(t, "narrow") > 0 {
			zero, one := 0, 1
			r.Limits = policy.Limits{MaxNewer: &zero, MaxOlder: &one}
		}
	}
	// Most instances make the same move. Otherwise the combinations before and after
	// the step would rarely be valid.
	lowest := map[string]int{"from": rapid.IntRange(23, 26).Draw(t, "from"), "to": rapid.IntRange(23, 26).Draw(t, "to")}
	m.from.LocalEndpoint = rapid.Bool().Draw(t, "local")
	m.to.LocalEndpoint = m.from.LocalEndpoint
	attributes := []finding.Attribute{finding.ControlPlane, finding.NodePools}
	instances := 0
	for i := range rapid.IntRange(1, 3).Draw(t, "places") {
		l := finding.AtKey(rapid.SampledFrom(attributes).Draw(t, "attribute"), fmt.Sprint(i))
		before, after := skew.Place{Location: l}, skew.Place{Location: l}
		for _, component := range []string{"kube-apiserver", "kubelet", "kube-proxy"} {
			if instances == 5 || rapid.IntRange(0, 3).Draw(t, "not "+component) == 0 {
				continue
			}
			instances++
			at := func(p *skew.Place, when string) {
				// With a local endpoint, a component connects to other instances once
				// its own reference is removed. Steps do not consider that, so nothing
				// is absent then.
				if m.from.LocalEndpoint || rapid.IntRange(0, 9).Draw(t, "absent") > 0 {
					v := version.Minor{Major: 1, Minor: lowest[when] + rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, component)}.Version()
					p.Instances = append(p.Instances, skew.Instance{Component: component, Version: v})
				}
			}
			at(&before, "from")
			at(&after, "to")
		}
		m.from.Places, m.to.Places = append(m.from.Places, before), append(m.to.Places, after)
	}
	return m
}

// TestRandomRulesAgainstBruteForce checks that under any rules, a step between two
// valid combinations is accepted if and only if at least one order of single moves
// leads through valid combinations only.
func TestRandomRulesAgainstBruteForce(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawSmallStep(t)
		if len(skew.Findings(m.policy, m.from)) > 0 || len(skew.Findings(m.policy, m.to)) > 0 {
			t.Skip("the combination before or after is invalid")
		}
		want := newBruteForce(m.policy, m.from, m.to).accepts(step.Any)
		result := step.Check(m.policy, m.from, m.to, step.Any)
		if got := len(result.Findings) == 0; got != want {
			t.Fatalf("accepted %t, has a valid order %t: %v", got, want, result)
		}
		if want {
			accepted++
			m.replay(t, result)
		} else {
			refused++
		}
	})
	checkDraw(t, accepted, refused)
}

// TestStops checks the minors at which a refused step can stop: with the instance at
// one of them, the combinations before and after the step are both valid.
func TestStops(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 50 { // few steps are refused
			m := drawSmallStep(t)
			if len(skew.Findings(m.policy, m.from)) > 0 || len(skew.Findings(m.policy, m.to)) > 0 {
				continue
			}
			for _, f := range step.Check(m.policy, m.from, m.to, step.Any).Findings {
				// A finding on several instances only applies to one of them.
				if !slices.ContainsFunc(f.Subject.Locations, func(l finding.Location) bool { return m.stops(l, f.Subject.Component, f.Allowed) }) {
					t.Fatalf("%s of %v cannot stop at %+v, from %v to %v", f.Subject.Component, f.Subject.Locations, f.Allowed, m.from, m.to)
				}
				checked++
			}
		}
	})
	if checked == 0 {
		t.Error("no step was refused")
	}
}

// stops reports whether a window holds exactly the minors of an instance at which the
// combinations before and after the step are both valid.
func (m smallStep) stops(l finding.Location, component string, in finding.Window) bool {
	for n := 15; n <= 35; n++ {
		at := version.Minor{Major: 1, Minor: n}
		valid := true
		for _, c := range []skew.Cluster{m.from, m.to} {
			c.Places = slices.Clone(c.Places)
			i := slices.IndexFunc(c.Places, func(p skew.Place) bool { return p.Location == l })
			others := slices.DeleteFunc(slices.Clone(c.Places[i].Instances), func(other skew.Instance) bool { return other.Component == component })
			c.Places[i].Instances = append(others, skew.Instance{Component: component, Version: at.Version()})
			valid = valid && len(skew.Findings(m.policy, c)) == 0
		}
		if in.Contains(at) != valid {
			return false
		}
	}
	return true
}

// replay runs the moves of an order stage by stage.
func (m smallStep) replay(t *rapid.T, result step.Result) {
	now := map[finding.Location]map[string]version.Version{}
	for _, p := range m.from.Places {
		now[p.Location] = map[string]version.Version{}
		for _, i := range p.Instances {
			now[p.Location][i.Component] = i.Version
		}
	}
	combination := func() skew.Cluster {
		c := skew.Cluster{LocalEndpoint: m.from.LocalEndpoint}
		for _, p := range m.from.Places {
			place := skew.Place{Location: p.Location}
			for component, v := range now[p.Location] {
				if !v.IsZero() {
					place.Instances = append(place.Instances, skew.Instance{Component: component, Version: v})
				}
			}
			c.Places = append(c.Places, place)
		}
		return c
	}
	for i, move := range result.Order() {
		for _, l := range move.Locations {
			now[l][move.Component] = move.To
		}
		if i+1 < len(result.Order()) && result.Order()[i+1].Stage == move.Stage {
			continue
		}
		if broken := skew.Findings(m.policy, combination()); len(broken) > 0 {
			t.Fatalf("after stage %d, %s is violated: %v", move.Stage, broken[0].RuleID, result.Order())
		}
	}
	for _, p := range m.to.Places {
		for _, i := range p.Instances {
			if now[p.Location][i.Component].String() != i.Version.String() {
				t.Fatalf("after the last stage, %s of %s is at %s", i.Component, p.Location, now[p.Location][i.Component])
			}
		}
	}
}

// anyOrder reports whether moves that happen at the same time could happen in any
// order, ignoring the rules of scope node.
func anyOrder(now, together int, valid func(int) bool) bool {
	for some := together; some > 0; some = (some - 1) & together {
		if !valid(now | some) {
			return false
		}
	}
	return true
}

// TestRaisingALimitKeepsStepsAccepted checks that a step that is accepted under strict
// rules is accepted under looser ones.
func TestRaisingALimitKeepsStepsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSmallStep(t)
		one := rapid.IntRange(0, 3).Draw(t, "api step")
		m.policy.StepRules = []*policy.StepRule{{ID: "step", Component: "kube-apiserver", StepLimits: policy.StepLimits{MaxUpgrade: &one, MaxDowngrade: &one}, Notes: policy.Notes{Severity: policy.SeverityError}}}
		if len(skew.Findings(m.policy, m.from)) > 0 || len(skew.Findings(m.policy, m.to)) > 0 || len(step.Check(m.policy, m.from, m.to, step.Any).Findings) > 0 {
			t.Skip("the step is refused anyway")
		}
		looser := *m.policy
		looser.PairRules = slices.Clone(m.policy.PairRules)
		which := rapid.IntRange(0, len(looser.PairRules)-1).Draw(t, "which")
		rule := *looser.PairRules[which]
		rule.Conditions = slices.Clone(rule.Conditions)
		raise := func(l *policy.Limits) {
			for _, limit := range []**int{&l.MaxNewer, &l.MaxOlder} {
				if *limit != nil {
					n := **limit + rapid.IntRange(0, 2).Draw(t, "by")
					*limit = &n
				}
			}
		}
		raise(&rule.Limits)
		for i := range rule.Conditions {
			raise(&rule.Conditions[i].Limits)
		}
		looser.PairRules[which] = &rule
		two := one + 1
		looser.StepRules = []*policy.StepRule{{ID: "step", Component: "kube-apiserver", StepLimits: policy.StepLimits{MaxUpgrade: &two, MaxDowngrade: &two}, Notes: policy.Notes{Severity: policy.SeverityError}}}
		if findings := step.Check(&looser, m.from, m.to, step.Any).Findings; len(findings) > 0 {
			t.Fatalf("raising limits of %s adds %v", rule.ID, findings)
		}
	})
}

// TestPatchesAreAlike checks that under rules that do not distinguish patches, findings
// name the same instances whether the instances have the same patch or different ones.
func TestPatchesAreAlike(t *testing.T) {
	unlimited := *skewtest.Kubernetes(t)
	unlimited.StepRules = nil // otherwise no moves have to come before each other
	named := func(from, to skew.Cluster, order step.ApplyOrder) []string {
		var all []string
		result := step.Check(&unlimited, from, to, order)
		for _, f := range result.Findings {
			for _, side := range []finding.Side{f.Subject, f.Reference} {
				for _, l := range side.Locations {
					all = append(all, fmt.Sprintf("%s %T: %s %s", f.RuleID, f.Cause, side.Component, l))
				}
			}
		}
		for _, move := range result.Order() {
			for _, l := range move.Locations {
				all = append(all, fmt.Sprintf("stage %d: %s %s", move.Stage, move.Component, l))
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	causes := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		type versions struct{ from, to skew.Cluster }
		var plain, patched versions
		lowest, moved := rapid.IntRange(26, 28).Draw(t, "lowest"), rapid.IntRange(-1, 2).Draw(t, "moved")
		add := func(i int, attribute finding.Attribute, components ...string) {
			l := finding.AtKey(attribute, fmt.Sprint(i))
			place := func(clusters []*skew.Cluster, minor version.Minor) {
				for n, v := range []version.Version{minor.Version(), minor.WithPatch(i)} {
					p := skew.Place{Location: l}
					for _, c := range components {
						p.Instances = append(p.Instances, skew.Instance{Component: c, Version: v})
					}
					clusters[n].Places = append(clusters[n].Places, p)
				}
			}
			minor := version.Minor{Major: 1, Minor: lowest + rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "from")}
			place([]*skew.Cluster{&plain.from, &patched.from}, minor)
			place([]*skew.Cluster{&plain.to, &patched.to}, minor.Add(rapid.SampledFrom([]int{moved, moved, 0}).Draw(t, "by")))
		}
		for i := range rapid.IntRange(1, 6).Draw(t, "instances") {
			add(i, finding.ControlPlane, "kube-apiserver", "kube-scheduler")
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "pools") {
			add(10+i, finding.NodePools, "kubelet", "kube-proxy")
		}
		for _, order := range step.ApplyOrders {
			want, got := named(plain.from, plain.to, order), named(patched.from, patched.to, order)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: with patches, the findings are\n%q\nwithout\n%q", order, got, want)
			}
			for _, line := range want {
				causes[strings.Fields(line)[1]] = true
			}
		}
	})
	for _, cause := range []string{"*finding.StepOrder:", "*finding.ApplyOrder:", "1:"} {
		if !causes[cause] {
			t.Errorf("no step has a finding or move with %s", cause)
		}
	}
}

// TestStepIgnoresOrderAndNames checks that the result of a step depends neither on the
// order of the declarations nor on names.
func TestStepIgnoresOrderAndNames(t *testing.T) {
	summary := func(p *policy.Policy, from, to skew.Cluster) []string {
		var all []string
		result := step.Check(p, from, to, step.Any)
		for _, f := range result.Findings {
			all = append(all, fmt.Sprint(f.RuleID, f.Subject.Version, f.Reference.Version, f.Allowed.Constraint(), len(f.Subject.Locations)))
		}
		if p.Name == "" && len(all) > 0 {
			return []string{"refused"} // any edge of a cycle can be reported
		}
		for _, move := range result.Order() {
			all = append(all, fmt.Sprint(move.Stage, move.Component, move.From, move.To, len(move.Locations)))
		}
		slices.Sort(all)
		return all
	}
	kubernetes := allowingRollback(t)
	rapid.Check(t, func(t *rapid.T) {
		var m smallStep
		if rapid.Bool().Draw(t, "kubernetes") {
			m.policy = kubernetes
			m.from, m.to = randomStep(t)
		} else {
			m = drawSmallStep(t)
		}
		want := summary(m.policy, m.from, m.to)
		names := rapid.Permutation(strings.Split("abcdefghijkl", "")).Draw(t, "names")
		renamed := map[finding.Location]string{}
		for i, p := range m.from.Places {
			renamed[p.Location] = names[i]
		}
		for _, c := range []*skew.Cluster{&m.from, &m.to} {
			c.Places = rapid.Permutation(c.Places).Draw(t, "order")
			for i := range c.Places {
				if l := &c.Places[i].Location; l.Key != "" {
					l.Key = renamed[*l]
				}
				c.Places[i].Instances = rapid.Permutation(c.Places[i].Instances).Draw(t, "order of a place")
			}
		}
		if got := summary(m.policy, m.from, m.to); !slices.Equal(got, want) {
			t.Fatalf("with another order and other names: %v, want %v", got, want)
		}
	})
}
