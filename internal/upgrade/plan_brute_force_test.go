// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// randomRequest draws a cluster and a target. The cluster can be invalid. Its control
// plane is managed or consists of instances. The policy is any of the given ones.
// Available versions may or may not be listed.
func randomRequest(t *rapid.T, policies []*policy.Policy) upgrade.Request {
	r := upgrade.Request{
		Policy:   rapid.SampledFrom(policies).Draw(t, "policy"),
		Strategy: rapid.SampledFrom([]upgrade.Strategy{upgrade.FewestRollouts, upgrade.RequiredOnly, upgrade.Follow}).Draw(t, "strategy"),
	}
	api := rapid.SampledFrom([]int{23, 24, 25, 28, 31, 32, 33, 36}).Draw(t, "api")
	by := rapid.SampledFrom([]int{0, 0, 1, 1, 2, 2, 3, 4, -1, -2}).Draw(t, "by")
	if by < 0 && rapid.Bool().Draw(t, "may roll back") { // few policies allow rolling back API servers
		r.Policy = rapid.SampledFrom(slices.DeleteFunc(slices.Clone(policies), func(p *policy.Policy) bool {
			return slices.ContainsFunc(p.StepRulesFor(skew.APIServer), func(r *policy.StepRule) bool { return r.MaxDowngrade != nil && *r.MaxDowngrade == 0 })
		})).Draw(t, "policy that allows rollbacks")
	}
	withPatch := rapid.IntRange(0, 3).Draw(t, "withPatch") == 0
	parse := func(s string) version.Version {
		v, err := version.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	at := func(minor int) version.Version {
		if withPatch {
			return parse(fmt.Sprintf("1.%d.%d", minor, rapid.IntRange(1, 4).Draw(t, "patch")))
		}
		return version.Minor{Major: 1, Minor: minor}.Version()
	}
	list := func(patches int) (all []version.Version) {
		for minor := api - 5; minor <= api+4; minor++ {
			if !withPatch {
				if rapid.IntRange(0, 4).Draw(t, "available") > 0 {
					all = append(all, version.Minor{Major: 1, Minor: minor}.Version())
				}
				continue
			}
			for patch := 1; patch <= patches; patch++ {
				if rapid.IntRange(0, 2).Draw(t, "available") == 0 {
					all = append(all, parse(fmt.Sprintf("1.%d.%d", minor, patch)))
				}
			}
		}
		return all
	}
	if rapid.IntRange(0, 5).Draw(t, "listed") < 1 || withPatch && rapid.Bool().Draw(t, "patches listed") {
		r.Available = list(5)
	}
	if rapid.IntRange(0, 4).Draw(t, "listed for nodes") == 0 && (len(r.Available) > 0 || !withPatch) {
		r.AvailableNodes = list(3)
	}
	r.Target = version.Minor{Major: 1, Minor: api + by}.Version()
	if withPatch && rapid.IntRange(0, 2).Draw(t, "exact") == 0 {
		r.Target = at(api + by)
	}
	if rapid.IntRange(0, 4).Draw(t, "step conditions") == 0 {
		r.Policy = withStepConditions(t, r.Policy, api)
	}
	if rapid.IntRange(0, 4).Draw(t, "minimum") == 0 {
		r.Policy = withMinimum(t, r.Policy, api)
	}
	r.Cluster.LocalEndpoint = rapid.Bool().Draw(t, "local")
	place := func(l finding.Location, instances ...skew.Instance) {
		r.Cluster.Places = append(r.Cluster.Places, skew.Place{Location: l, Instances: instances})
	}
	near := func(name string, lowest, highest int) version.Version {
		return at(rapid.IntRange(lowest, highest).Draw(t, name))
	}
	if rapid.IntRange(0, 2).Draw(t, "components") == 0 {
		r.Policy = withComponents(t, &r, api)
	}
	if rapid.Bool().Draw(t, "managed") {
		v := at(api)
		if emulated := rapid.IntRange(0, 3).Draw(t, "emulated"); emulated == 1 && api >= 33 && by >= 0 && !withPatch {
			var err error
			if v, err = v.Emulating(version.Minor{Major: 1, Minor: api - rapid.IntRange(1, 2).Draw(t, "behind the binary")}.Version()); err != nil {
				t.Fatal(err)
			}
		}
		var all []skew.Instance
		for _, component := range skew.ControlPlaneComponents {
			all = append(all, skew.Instance{Component: component, Version: v})
		}
		place(finding.AtAttribute(finding.ControlPlaneVersion), all...)
	} else {
		spread := rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3}).Draw(t, "spread")
		lag := rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "lag")
		components := rapid.IntRange(1, 4).Draw(t, "components")
		for i := range rapid.IntRange(1, 3).Draw(t, "instances") {
			v := near("kube-apiserver", api-spread, api)
			all := []skew.Instance{{Component: skew.APIServer, Version: v}}
			for _, component := range skew.ControlPlaneComponents[1:components] {
				all = append(all, skew.Instance{Component: component, Version: near(component, v.Minor().Minor-lag, v.Minor().Minor)})
			}
			if rapid.IntRange(0, 2).Draw(t, "node") == 0 {
				kubelet := near("kubelet", api-spread-3, api)
				all = append(all, skew.Instance{Component: "kubelet", Version: kubelet}, skew.Instance{Component: "kube-proxy", Version: near("kube-proxy", kubelet.Minor().Minor-1, kubelet.Minor().Minor)})
			}
			place(finding.AtKey(finding.ControlPlane, fmt.Sprint(i)), all...)
		}
	}
	behind, ahead := 3, 0
	if rapid.IntRange(0, 3).Draw(t, "broken") == 0 {
		behind, ahead = 5, 2
	}
	for i := range rapid.SampledFrom([]int{0, 1, 1, 2, 3}).Draw(t, "pools") {
		name := fmt.Sprint(i)
		kubelet := near("kubelet", api-behind, api+ahead)
		all := []skew.Instance{{Component: "kubelet", Version: kubelet}}
		switch rapid.IntRange(0, 3).Draw(t, "kube-proxy") {
		case 0, 1:
			all = append(all, skew.Instance{Component: "kube-proxy", Version: kubelet})
		case 2:
			all = append(all, skew.Instance{Component: "kube-proxy", Version: near("kube-proxy", api-behind, api+ahead)})
		}
		place(finding.AtKey(finding.NodePools, name), all...)
		if rapid.IntRange(0, 9).Draw(t, "held") == 0 {
			r.Held = append(r.Held, name)
		} else if rapid.IntRange(0, 7).Draw(t, "limited") == 0 {
			if r.Limits == nil {
				r.Limits = map[string]version.Version{}
			}
			r.Limits[name] = near("limit", api-2, api+max(by, 0)+1)
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "kubectl") == 0 {
		place(finding.AtIndex(finding.Kubectl, "", 0), skew.Instance{Component: "kubectl", Version: near("kubectl", api-2, api+2)})
	}
	if rapid.IntRange(0, 2).Draw(t, "cluster-wide") == 0 {
		r.Cluster = r.Cluster.WithKubeProxy(near("cluster-wide kube-proxy", api-behind, api+ahead))
	}
	return r
}

// withStepConditions returns a policy with random conditions on the step rules of API
// servers, and on one for kubelets.
func withStepConditions(t *rapid.T, p *policy.Policy, api int) *policy.Policy {
	changed := *p
	changed.Name += " with step conditions"
	changed.StepRules = slices.DeleteFunc(slices.Clone(p.StepRules), func(r *policy.StepRule) bool { return r.Component == skew.APIServer })
	constraint := func() version.Constraint {
		minor := rapid.IntRange(api-3, api+4).Draw(t, "minor")
		c, err := version.ParseConstraint(rapid.SampledFrom([]string{
			">= 1.0", fmt.Sprintf(">= 1.%d, < 1.%d", minor, minor+1), fmt.Sprintf("< 1.%d", minor), fmt.Sprintf(">= 1.%d", minor), fmt.Sprintf("!= 1.%d", minor),
		}).Draw(t, "constraint"))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	limit := func(least int) *int {
		n := rapid.IntRange(least, 3).Draw(t, "limit")
		return &n
	}
	rule := func(component string, least int) {
		r := &policy.StepRule{ID: component + "-conditional-step", Component: component, StepLimits: policy.StepLimits{MaxUpgrade: limit(1), MaxDowngrade: limit(least)}, Notes: policy.Notes{Severity: policy.SeverityError}}
		for range rapid.IntRange(1, 3).Draw(t, "conditions") {
			c := policy.StepCondition{From: constraint(), To: constraint()}
			if rapid.Bool().Draw(t, "up") {
				c.MaxUpgrade = limit(least)
			}
			if rapid.Bool().Draw(t, "down") {
				c.MaxDowngrade = limit(least)
			}
			r.Conditions = append(r.Conditions, c)
		}
		changed.StepRules = append(changed.StepRules, r)
	}
	rule(skew.APIServer, 0)
	if rapid.Bool().Draw(t, "kubelet") {
		rule("kubelet", 1)
	}
	return &changed
}

// withMinimum returns a policy that also requires a version of a component, whatever else
// is declared.
func withMinimum(t *rapid.T, p *policy.Policy, api int) *policy.Policy {
	changed := *p
	changed.Name += " with a minimum"
	minor := rapid.IntRange(api-3, api+4).Draw(t, "minor")
	required, err := version.ParseConstraint(rapid.SampledFrom([]string{
		fmt.Sprintf(">= 1.%d", minor), fmt.Sprintf(">= 1.%d.2", minor), fmt.Sprintf("< 1.%d", minor), fmt.Sprintf("!= 1.%d", minor),
	}).Draw(t, "required"))
	if err != nil {
		t.Fatal(err)
	}
	component := rapid.SampledFrom([]string{skew.APIServer, skew.APIServer, "kube-controller-manager", "kubelet", "kube-proxy", "kubectl"}).Draw(t, "component")
	changed.PairRules = append(slices.Clone(p.PairRules), &policy.PairRule{
		ID: "minimum", Subject: component, Reference: component, Scope: policy.ScopeSelf,
		Requirement: &policy.Requirement{Require: required}, Notes: policy.Notes{Severity: policy.SeverityError},
	})
	return &changed
}

// withComponents adds components to a request, and rules that relate them to each other, to
// API servers and to kubelets. Some of these come from an add-on pack.
func withComponents(t *rapid.T, r *upgrade.Request, api int) *policy.Policy {
	p := *r.Policy
	p.PairRules = slices.Clone(p.PairRules)
	for i := range rapid.IntRange(1, 3).Draw(t, "rules over components") {
		ends := []string{"mesh", rapid.SampledFrom([]string{"mesh", "agent", "agent", skew.APIServer, skew.APIServer, "kubelet"}).Draw(t, "other end")}
		if rapid.Bool().Draw(t, "turned around") {
			slices.Reverse(ends)
		}
		rule := &policy.PairRule{
			ID: fmt.Sprint("components-", i), Subject: ends[0], Reference: ends[1], Scope: policy.ScopeCluster,
			Notes: policy.Notes{Severity: rapid.SampledFrom([]policy.Severity{policy.SeverityError, policy.SeverityError, policy.SeverityWarning}).Draw(t, "severity")},
		}
		if ends[0] != ends[1] && rapid.IntRange(0, 2).Draw(t, "requirement") == 0 {
			constraint := func(name string) version.Constraint {
				return skewtest.Constraint(quiet{}, fmt.Sprintf("%s 1.%d", rapid.SampledFrom([]string{">=", "<"}).Draw(t, name), api+rapid.IntRange(-1, 2).Draw(t, "bound")))
			}
			rule.Requirement = &policy.Requirement{When: constraint("when"), Require: constraint("require")}
		} else {
			newer, older := rapid.IntRange(0, 3).Draw(t, "newer"), rapid.IntRange(0, 3).Draw(t, "older")
			rule.Limits = policy.Limits{MaxNewer: &newer, MaxOlder: &older}
		}
		p.PairRules = append(p.PairRules, rule)
	}
	add := func(component string, v version.Version) {
		n := 0
		for _, p := range r.Cluster.Places {
			if p.Location.Key == component {
				n++
			}
		}
		r.Cluster.Places = append(r.Cluster.Places, skew.Place{Location: finding.AtIndex(finding.Components, component, n), Instances: []skew.Instance{{Component: component, Version: v}}})
	}
	for range rapid.IntRange(1, 2).Draw(t, "meshes") {
		add("mesh", version.Minor{Major: 1, Minor: api + rapid.IntRange(-2, 2).Draw(t, "mesh")}.Version())
	}
	if rapid.Bool().Draw(t, "agent") {
		add("agent", version.Minor{Major: 1, Minor: api + rapid.IntRange(-1, 1).Draw(t, "agent version")}.Version())
	}
	if rapid.IntRange(0, 2).Draw(t, "pack") == 0 {
		addPack(t, &p, add)
	}
	return &p
}

// packs holds the rules of the add-on packs, apart from those of Kubernetes.
var packs = sync.OnceValue(func() (all [][]*policy.PairRule) {
	base := skewtest.Kubernetes(quiet{}).RuleIDs()
	for _, name := range []string{"argo-cd", "cert-manager", "cilium", "istio", "karpenter", "keda", "kyverno"} {
		var rules []*policy.PairRule
		for _, r := range skewtest.Extended(quiet{}, "kubernetes", `{"include": ["addons/`+name+`"]}`).PairRules {
			if !slices.Contains(base, r.ID) {
				rules = append(rules, r)
			}
		}
		all = append(all, rules)
	}
	return all
})

// stopped lists what the findings of a plan are about.
func stopped(plan upgrade.Plan) (all []string) {
	for _, f := range plan.Findings {
		all = append(all, fmt.Sprintf("%s: %s %s %v beside %s %v", f.RuleID, f.Subject.Component, f.Subject.Version, f.Subject.Locations, f.Reference.Version, f.Reference.Locations))
	}
	return all
}

// addPack adds the rules of an add-on pack to a policy, as errors, and its components.
func addPack(t *rapid.T, p *policy.Policy, add func(component string, v version.Version)) {
	added := map[string]bool{}
	for _, rule := range rapid.SampledFrom(packs()).Draw(t, "rules of the pack") {
		strict := *rule
		strict.Severity = policy.SeverityError
		p.PairRules = append(p.PairRules, &strict)
		for _, component := range []string{rule.Subject, rule.Reference} {
			if added[component] || slices.Contains(append(skew.ControlPlaneComponents, "kubelet", "kube-proxy"), component) {
				continue
			}
			added[component] = true
			minors := []version.Minor{{Major: 1, Minor: 1}}
			if rule.Requirement != nil && component == rule.Subject {
				minors = append(minors, rule.Requirement.When.Minors()...)
			} else if rule.Requirement != nil {
				minors = append(minors, rule.Requirement.Require.Minors()...)
			}
			m := rapid.SampledFrom(minors).Draw(t, component)
			add(component, m.Add(rapid.IntRange(0, 8).Draw(t, "newer")).Version())
		}
	}
}

// TestPlanAgainstBruteForce compares plans with a search over all sequences of moves.
// There is a plan if and only if the search finds one. The plan has as few rollouts, unless
// a pool blocks the cluster-wide kube-proxy. No
// intermediate combination makes a violation worse, and a new plan after a stage is the
// rest of the plan. For a longer run, pass -rapid.checks=20000.
func TestPlanAgainstBruteForce(t *testing.T) {
	policies := skewtest.AllVariants(t)
	counts, slowest := map[string]int{}, time.Duration(0)
	rapid.Check(t, func(t *rapid.T) {
		r := randomRequest(t, policies)
		w := newWalk(r)
		begin := time.Now()
		plan := upgrade.Compute(r)
		slowest = max(slowest, time.Since(begin))
		w.replay(t, plan)
		w.replan(t, plan)
		rollouts, exact, found, done := w.answer()
		if !done {
			counts["too large to search"]++
			return
		}
		describe := func() string { return w.String() + "\n" + strings.Join(append(stages(plan), w.found...), "\n") }
		if plan.Feasible != found {
			t.Fatalf("feasible %t, the search says %t\n%s\n%s", plan.Feasible, found, describe(), fmt.Sprint(stopped(plan)))
		}
		switch {
		case !found && len(plan.Stages) > 0:
			counts["stopped by held pools or components"]++
		case !found:
			counts["not feasible"]++
		case w.back:
			counts["rollback"]++
		case len(plan.Stages) == 0:
			counts["nothing to do"]++
		default:
			counts["upgrade"]++
		}
		more := found && r.Strategy != upgrade.Follow && exact && plan.NodePoolRollouts > rollouts
		if more && w.blocksKubeProxy() {
			counts["more rollouts, with a blocked kube-proxy"]++
			return
		}
		if more || found && r.Strategy != upgrade.Follow && plan.NodePoolRollouts < rollouts {
			t.Fatalf("%d rollouts, the search needs %d\n%s", plan.NodePoolRollouts, rollouts, describe())
		}
	})
	t.Log(counts, "slowest plan:", slowest)
}

// TestPlanOfCoupledPools checks plans under a policy that relates node pools to each other:
// their kubelets and those of control-plane nodes have to be within one minor. Such a plan may
// need more rollouts than the fewest, but no stage makes a violation worse, and a new plan
// after a stage is the rest of the plan.
func TestPlanOfCoupledPools(t *testing.T) {
	one := 1
	coupled := &policy.PairRule{
		ID: "kubelets", Subject: "kubelet", Reference: "kubelet", Scope: policy.ScopeCluster,
		Limits: policy.Limits{MaxNewer: &one, MaxOlder: &one}, Notes: policy.Notes{Severity: policy.SeverityError},
	}
	var policies []*policy.Policy
	for _, p := range skewtest.AllVariants(t) {
		p.PairRules = append(slices.Clone(p.PairRules), coupled)
		policies = append(policies, p)
	}
	for _, p := range policies { // both pools violate the limits to the API server
		r := upgrade.Request{Policy: p, Target: skewtest.Version(t, "1.25"), Strategy: upgrade.RequiredOnly, Cluster: skewtest.Cluster(t, "managed: 1.23; node_pools.0: kubelet=1.18; node_pools.1: kubelet=1.18")}
		newWalk(r).replay(t, upgrade.Compute(r))
	}
	feasible, total := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := randomRequest(t, policies)
		w, plan := newWalk(r), upgrade.Compute(r)
		w.replay(t, plan)
		w.replan(t, plan)
		if total++; plan.Feasible {
			feasible++
		}
	})
	t.Logf("%d of %d plans are feasible", feasible, total)
}

// TestAcceptedStepCanBeStage checks steps with one move that make no combination worse.
// They are accepted if and only if they can be a stage of a plan: stages must not exceed
// the limits during an upgrade by more than the combination before them exceeds the
// normal limits. Some clusters violate the policy already.
func TestAcceptedStepCanBeStage(t *testing.T) {
	all := skewtest.Variants(t)
	policies := []*policy.Policy{all["strict during an upgrade"], all["kubernetes-strict"]}
	for _, during := range []int{0, 1} {
		p := *all["all of these"]
		p.PairRules = slices.Clone(p.PairRules)
		for i, r := range p.PairRules {
			stricter := *r
			stricter.MaxOlderDuringUpgrade = &during
			p.PairRules[i] = &stricter
		}
		policies = append(policies, &p)
	}
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWalk(randomRequest(t, policies))
		for _, g := range w.groups {
			w.moves(g, w.start, func(next combo) {
				if w.makesWorse(&w.start, &next) {
					return
				}
				want := w.legal(&w.start, &next, g.members, nil)
				result := step.Check(w.request.Policy, w.request.Cluster, w.cluster(&next), step.Any)
				if got := !slices.ContainsFunc(result.Findings, finding.Finding.IsUnwaivedError); got != want {
					t.Fatalf("accepted %t, can be a stage %t: %v\nfrom %v\nto %v", got, want, result.Findings, w.request.Cluster, w.cluster(&next))
				}
				if want {
					accepted++
				} else {
					refused++
				}
			})
		}
	})
	if t.Logf("%d steps accepted, %d refused", accepted, refused); accepted+refused >= 50 && (accepted == 0 || refused == 0) {
		t.Error("random steps are one-sided")
	}
}

// instancesOf returns the indexes of the instances that a stage moves.
func (w *walk) instancesOf(stage upgrade.Stage) []int {
	var all []int
	for i, r := range w.instances {
		if slices.Contains(stage.Components, r.component) && slices.Contains(stage.Locations, r.location) {
			all = append(all, i)
		}
	}
	return all
}

// replay runs the stages of a plan one by one.
func (w *walk) replay(t rapid.TB, plan upgrade.Plan) {
	now := w.start
	rollouts, steps := 0, 0
	fail := func(number int, format string, args ...any) {
		t.Helper()
		t.Fatalf("stage %d: %s\n%s\n%s", number+1, fmt.Sprintf(format, args...), w, strings.Join(stages(plan), "\n"))
	}
	targets := w.finalAPIServers(plan)
	for number, stage := range plan.Stages {
		to, known := w.index[stage.To.String()]
		if !known {
			fail(number, "version %s is not available", stage.To)
		}
		moved := w.instancesOf(stage)
		var movers []int
		for n, g := range w.groups {
			var mine []int
			for _, m := range g.members {
				if slices.Contains(moved, m) && now[m] != uint8(to) {
					mine = append(mine, m)
				}
			}
			if len(mine) == 0 {
				continue
			}
			movers = append(movers, n)
			if g.fixed {
				fail(number, "%s must not move", g.location)
			}
			if g.pool {
				rollouts++
			}
			w.checkMove(number, g, mine, now, uint8(to), targets, fail)
		}
		if len(movers) == 0 {
			fail(number, "nothing moves")
		}
		if slices.ContainsFunc(movers, func(n int) bool { return w.groups[n].api }) {
			steps++
		}
		// The moves can run in any order. Try forwards and backwards.
		end := now
		for range 2 {
			c := now
			for _, n := range movers {
				before := c
				var mine []int
				for _, m := range w.groups[n].members {
					if slices.Contains(moved, m) {
						c[m] = uint8(to)
						mine = append(mine, m)
					}
				}
				if !w.legal(&before, &c, mine, nil) {
					fail(number, "%s makes a pair worse", w.groups[n].location)
				}
			}
			slices.Reverse(movers)
			end = c
		}
		now = end
	}
	if rollouts != plan.NodePoolRollouts || steps != plan.ControlPlaneSteps {
		fail(0, "the plan has %d rollouts and %d steps, counted %d and %d", plan.NodePoolRollouts, plan.ControlPlaneSteps, rollouts, steps)
	}
	if !plan.Feasible {
		return
	}
	all := make([]int, len(w.groups))
	for i := range all {
		all[i] = i
	}
	if !w.arrived(&now, all, nil) {
		fail(len(plan.Stages), "after the last stage, the versions are not at the target or invalid")
	}
}

// finalAPIServers returns the initial versions, with the final versions of the API
// servers.
func (w *walk) finalAPIServers(plan upgrade.Plan) combo {
	c := w.start
	for _, stage := range plan.Stages {
		for _, i := range w.instancesOf(stage) {
			if to, ok := w.index[stage.To.String()]; ok && w.instances[i].component == skew.APIServer {
				c[i] = uint8(to)
			}
		}
	}
	return c
}

// checkMove checks the move of a group against the documentation of plans.
func (w *walk) checkMove(number int, g group, mine []int, now combo, to uint8, end combo, fail func(int, string, ...any)) {
	back, forward := false, false
	for _, m := range mine {
		if !w.withinSteps(m, now[m], to) {
			fail(number, "%s at %s exceeds a step rule", w.instances[m].component, g.location)
		}
		if w.versions[to].Compare(w.versions[now[m]]) < 0 {
			back = true
			// An instance only rolls back if it, or an instance that moves with it, is
			// not allowed beside the final API servers.
			c, allowed := end, true
			for _, m := range mine {
				c[m] = now[m]
			}
			for _, m := range mine {
				for _, p := range w.pairs[m] {
					allowed = allowed && w.excess(p.rule, false, c[p.subject], c[p.reference]).by == 0
				}
			}
			if !w.back && allowed && w.versions[now[m]].Minor().Compare(w.request.Target.Minor()) <= 0 {
				fail(number, "%s at %s rolls back without a reason", w.instances[m].component, g.location)
			}
		} else {
			forward = true
		}
	}
	if w.back && forward {
		fail(number, "%s upgrades during a rollback", g.location)
	}
	// A kube-proxy moves together with the kubelet of its pool.
	if !back {
		for _, m := range g.members {
			if now[m] < to && !slices.Contains(mine, m) {
				fail(number, "%s at %s does not move with its node", w.instances[m].component, g.location)
			}
		}
	}
	// The move must use the newest patch that is allowed.
	if len(w.available(g)) == 0 || back || g.client {
		return
	}
	for _, v := range w.candidates(g) {
		if v <= to || w.versions[v].Minor() != w.versions[to].Minor() {
			continue
		}
		c := now
		for _, m := range g.members {
			if c[m] < v {
				c[m] = v
			}
		}
		// What is too new for something gets no newer patch either.
		tooNew := slices.ContainsFunc(g.members, func(m int) bool {
			return c[m] != now[m] && slices.ContainsFunc(w.pairs[m], func(p pair) bool {
				return p.subject == m && w.excess(p.rule, false, c[p.subject], c[p.reference]).relation == finding.TooNew
			})
		})
		if !tooNew && w.legal(&now, &c, g.members, nil) {
			fail(number, "%s could move to the newer patch %s", g.location, w.versions[v])
		}
	}
}

// replan makes a new plan after each stage. A guard must accept each stage: the step in
// the default order and, if the initial versions are valid, the combination after it.
func (w *walk) replan(t *rapid.T, plan upgrade.Plan) {
	r, rest := w.request, plan
	for done := 1; len(rest.Stages) > 0; done++ {
		findings := step.Check(r.Policy, r.Cluster, rest.Next, step.ControlPlaneFirst).Findings
		if w.valid(&w.start, nil) {
			findings = append(findings, skew.Findings(r.Policy, rest.Next)...)
		}
		for _, f := range findings {
			if f.IsUnwaivedError() {
				t.Fatalf("stage %d is refused by %s\n%s\n%s", done, f.RuleID, strings.Join(stages(plan), "\n"), w)
			}
		}
		if w.back && done == len(plan.Stages) {
			return // a new plan would upgrade what is older than the target
		}
		r.Cluster = rest.Next
		rest = upgrade.Compute(r)
		if !slices.Equal(stages(rest), stages(plan)[done:]) || rest.Feasible != plan.Feasible {
			t.Fatalf("after %d stages, the plan is\n%s\ninstead of the rest of\n%s\n%s", done, strings.Join(stages(rest), "\n"), strings.Join(stages(plan), "\n"), w)
		}
	}
}

// quiet is a testing.TB for calls that cannot fail.
type quiet struct{ testing.TB }

func (quiet) Helper() {}
