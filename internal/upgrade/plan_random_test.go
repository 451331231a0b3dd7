package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestFewestRollouts: for every pool as few rollouts as a search over all legal
// walks finds, from sound starts over both sides of 1.25, by several policies.
func TestFewestRollouts(t *testing.T) {
	for name, p := range variants(t) {
		t.Run(name, func(t *testing.T) {
			planned, search := 0, newSearch(p)
			rapid.Check(t, func(t *rapid.T) {
				api := rapid.IntRange(22, 28).Draw(t, "api")
				target := rapid.IntRange(api-2, api+7).Draw(t, "target")
				cluster := skew.Cluster{LocalEndpoint: rapid.Bool().Draw(t, "local")}
				managed := rapid.Bool().Draw(t, "managed")
				at := func(n int) version.Version { return version.Minor{Major: 1, Minor: n}.Version() }
				place := func(l finding.Location, n int, components ...string) {
					place := skew.Place{Location: l}
					for _, component := range components {
						place.Instances = append(place.Instances, skew.Instance{Component: component, Version: at(n)})
					}
					cluster.Places = append(cluster.Places, place)
				}
				if managed {
					place(finding.AtAttribute(finding.ControlPlaneVersion), api, skew.ControlPlaneComponents...)
				} else {
					for i := range rapid.IntRange(1, 3).Draw(t, "instances") {
						place(finding.AtKey(finding.ControlPlane, fmt.Sprint(i)), api, skew.ControlPlaneComponents...)
					}
				}
				var pools []int
				for i := range rapid.IntRange(0, 4).Draw(t, "pools") {
					pools = append(pools, rapid.IntRange(api-3, api).Draw(t, "kubelet"))
					place(finding.AtKey(finding.NodePools, fmt.Sprint(i)), pools[i], "kubelet", "kube-proxy")
				}
				if !allowed(skew.Evaluate(p, cluster)) {
					t.Skip("the start is not sound")
				}

				r := upgrade.Request{Policy: p, Cluster: cluster, Target: at(target)}
				plan := upgrade.Compute(r)
				want, possible := 0, true
				for _, pool := range pools {
					n, ok := search.fewest(api, pool, target)
					want, possible = want+n, possible && ok
				}
				if len(pools) == 0 {
					_, possible = search.fewest(api, api, target)
				}
				if plan.Feasible != possible {
					t.Fatalf("feasible %t, a search says %t: %v", plan.Feasible, possible, plan.Findings)
				}
				if !plan.Feasible && len(plan.Findings) == 0 {
					t.Fatal("not feasible, and no word why")
				}
				if plan.Feasible && plan.NodePoolRollouts != want {
					t.Fatalf("%d rollouts, a search needs %d:\n%s", plan.NodePoolRollouts, want, strings.Join(stages(plan), "\n"))
				}
				checkWalk(t, r, plan)
				if len(plan.Stages) > 0 {
					// Planning anew after a stage goes on in the same way, or
					// in a shorter one where the API server may skip.
					r.Cluster = plan.Next
					rest := upgrade.Compute(r)
					if len(rest.Stages) > len(plan.Stages)-1 || rest.NodePoolRollouts > plan.NodePoolRollouts {
						t.Fatalf("after the first stage, the plan is\n%s\nlonger than the rest of\n%s", strings.Join(stages(rest), "\n"), strings.Join(stages(plan), "\n"))
					}
				}
				planned++
			})
			t.Logf("%d plans", planned)
		})
	}
}

// TestAnyStartCanBeUpgraded: whatever runs now, sound or not, there is a way up,
// and on it nothing breaks that was not broken in the beginning.
func TestAnyStartCanBeUpgraded(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		api := rapid.IntRange(22, 30).Draw(t, "api")
		r := upgrade.Request{Policy: p, Target: version.Minor{Major: 1, Minor: api + rapid.IntRange(0, 5).Draw(t, "by")}.Version()}
		r.Cluster.LocalEndpoint = rapid.Bool().Draw(t, "local")
		r.Strategy = rapid.SampledFrom([]upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow}).Draw(t, "strategy")
		place := func(l finding.Location, lowest, highest int, components ...string) {
			place := skew.Place{Location: l}
			for _, component := range components {
				m := version.Minor{Major: 1, Minor: rapid.IntRange(lowest, highest).Draw(t, component)}
				place.Instances = append(place.Instances, skew.Instance{Component: component, Version: m.Version()})
			}
			r.Cluster.Places = append(r.Cluster.Places, place)
		}
		spread := rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "spread")
		for i := range rapid.IntRange(1, 3).Draw(t, "instances") {
			place(finding.AtKey(finding.ControlPlane, fmt.Sprint(i)), api-spread, api, append(slices.Clone(skew.ControlPlaneComponents), "kubelet")...)
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
			place(finding.AtKey(finding.NodePools, fmt.Sprint(i)), api-6, api+2, "kubelet", "kube-proxy")
		}
		place(finding.AtIndex(finding.Kubectl, "", 0), api-3, api+3, "kubectl")

		plan := upgrade.Compute(r)
		if !plan.Feasible {
			t.Fatalf("not feasible, from %v to %s", r.Cluster.Places, r.Target)
		}
		checkWalk(t, r, plan)
	})
}

// TestNoIdleStage: whatever patches run and can be had, every stage moves something
// wherever it goes, and only the target's minor is worth a move within a minor.
func TestNoIdleStage(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		api := rapid.IntRange(26, 30).Draw(t, "api")
		by := rapid.IntRange(0, 3).Draw(t, "by")
		patched := func(minor int) version.Version {
			v, err := version.Parse(fmt.Sprintf("1.%d.%d", minor, rapid.IntRange(0, 2).Draw(t, "patch")))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		r := upgrade.Request{Policy: p, Target: patched(api + by)}
		r.Strategy = rapid.SampledFrom([]upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow}).Draw(t, "strategy")
		if rapid.Bool().Draw(t, "any patch of the target") {
			r.Target = r.Target.Minor().Version()
		}
		if rapid.Bool().Draw(t, "available") {
			for minor := api - 4; minor <= api+by; minor++ {
				r.Available = append(r.Available, patched(minor))
			}
		}
		place := func(l finding.Location, lowest int, components ...string) {
			place := skew.Place{Location: l}
			for _, component := range components {
				place.Instances = append(place.Instances, skew.Instance{Component: component, Version: patched(rapid.IntRange(lowest, api).Draw(t, component))})
			}
			r.Cluster.Places = append(r.Cluster.Places, place)
		}
		for i := range rapid.IntRange(1, 2).Draw(t, "instances") {
			place(finding.AtKey(finding.ControlPlane, fmt.Sprint(i)), api-1, skew.ControlPlaneComponents...)
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
			place(finding.AtKey(finding.NodePools, fmt.Sprint(i)), api-4, "kubelet", "kube-proxy")
		}

		plan := upgrade.Compute(r)
		checkWalk(t, r, plan)
		now := map[finding.Location][]skew.Instance{}
		for _, place := range r.Cluster.Places {
			now[place.Location] = slices.Clone(place.Instances)
		}
		for i, stage := range plan.Stages {
			for _, l := range stage.Locations {
				moves := false
				for j, instance := range now[l] {
					if slices.Contains(stage.Components, instance.Component) {
						from := instance.Version
						moves = moves || from.Minor() != stage.To.Minor() || stage.To.Minor() == r.Target.Minor() && from.Normalized() != stage.To.Normalized()
						now[l][j].Version = stage.To
					}
				}
				if !moves {
					t.Fatalf("nothing at %s moves in stage %d:\n%s", l, i+1, strings.Join(stages(plan), "\n"))
				}
			}
		}
		if !plan.Feasible && len(plan.Findings) == 0 {
			t.Fatal("not feasible, and no word why")
		}
	})
}

// search looks through all legal walks of a control plane and one pool. It
// knows the policy by what it accepts only.
type search struct {
	policy *policy.Policy
	known  map[[2]walkState]bool
}

type walkState struct{ api, pool int }

func newSearch(p *policy.Policy) *search { return &search{p, map[[2]walkState]bool{}} }

func (s walkState) cluster() skew.Cluster {
	at := func(n int) version.Version { return version.Minor{Major: 1, Minor: n}.Version() }
	managed := skew.Place{Location: finding.AtAttribute(finding.ControlPlaneVersion)}
	for _, component := range skew.ControlPlaneComponents {
		managed.Instances = append(managed.Instances, skew.Instance{Component: component, Version: at(s.api)})
	}
	return skew.Cluster{Places: []skew.Place{managed, {
		Location:  finding.AtKey(finding.NodePools, "x"),
		Instances: []skew.Instance{{Component: "kubelet", Version: at(s.pool)}, {Component: "kube-proxy", Version: at(s.pool)}},
	}}}
}

// allowed reports whether no finding is an error.
func allowed(findings []finding.Finding) bool {
	return !slices.ContainsFunc(findings, func(f finding.Finding) bool { return f.Severity == policy.SeverityError })
}

func (s *search) legal(a, b walkState) bool {
	legal, seen := s.known[[2]walkState{a, b}]
	if !seen {
		legal = allowed(skew.Evaluate(s.policy, b.cluster())) && allowed(upgrade.Evaluate(s.policy, a.cluster(), b.cluster(), upgrade.Any).Findings)
		s.known[[2]walkState{a, b}] = legal
	}
	return legal
}

// fewest returns the fewest rollouts of the pool on a walk to the target.
func (s *search) fewest(api, pool, target int) (rollouts int, ok bool) {
	best := map[walkState]int{{api, pool}: 0}
	for layer := []walkState{{api, pool}}; len(layer) > 0; {
		// All that the control plane can reach without another rollout.
		for i := 0; i < len(layer); i++ {
			for n := layer[i].api - 3; n <= layer[i].api+3; n++ {
				next := walkState{n, layer[i].pool}
				if _, seen := best[next]; !seen && n >= 15 && n <= 40 && s.legal(layer[i], next) {
					best[next] = best[layer[i]]
					layer = append(layer, next)
				}
			}
		}
		if n, ok := best[walkState{target, target}]; ok {
			return n, true
		}
		var next []walkState
		for _, from := range layer {
			for n := 15; n <= 40; n++ {
				moved := walkState{from.api, n}
				if _, seen := best[moved]; !seen && s.legal(from, moved) {
					best[moved] = best[from] + 1
					next = append(next, moved)
				}
			}
		}
		layer = next
	}
	return 0, false
}
