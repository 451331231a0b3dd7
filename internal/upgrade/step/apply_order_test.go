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

// bruteForce searches the orders of a step. It shares only the pair predicate with
// package upgrade. Everything else is implemented again, one instance at a time.
type bruteForce struct {
	policy   *policy.Policy
	from, to skew.Cluster
	atoms    []atom
	units    []int // the sets of atoms of each control-plane instance and pool
	removed  []bool
	parts    map[string]int // the sets of atoms of each part of the cluster
	pairs    []related
	valid    map[int]bool // by mask
}

// atom is a set of instances that move at the same time. In a mask, the bit of an atom
// says that it has moved.
type atom struct{ members []placed }

// placed is a component at a place.
type placed struct {
	place     int
	component string
}

// related is a pair of instances that a rule relates.
type related struct {
	rule               *policy.PairRule
	subject, reference placed
}

func newBruteForce(p *policy.Policy, from, to skew.Cluster) *bruteForce {
	h := &bruteForce{policy: p, from: from, to: to, parts: map[string]int{}, valid: map[int]bool{}}
	wide := -1
	all := map[string][]placed{}
	for i, place := range to.Places {
		unit, going := 0, true
		for _, component := range slices.Compact(slices.Sorted(slices.Values(append(h.componentsAt(from, i), h.componentsAt(to, i)...)))) {
			me := placed{i, component}
			all[component] = append(all[component], me)
			before, after := h.at(me, 0), h.at(me, -1)
			going = going && after.IsZero()
			if before.String() == after.String() {
				continue
			}
			switch {
			case h.clusterWide(me):
				if wide < 0 {
					wide = len(h.atoms)
					h.atoms = append(h.atoms, atom{})
					h.units, h.removed = append(h.units, 1<<wide), append(h.removed, false)
					h.parts["node_pools"] |= 1 << wide
				}
				h.atoms[wide].members = append(h.atoms[wide].members, me)
				continue
			case place.Location.Attribute == finding.ControlPlaneVersion && unit != 0:
				last := &h.atoms[len(h.atoms)-1]
				last.members = append(last.members, me)
			default:
				h.atoms = append(h.atoms, atom{[]placed{me}})
			}
			unit |= 1 << (len(h.atoms) - 1)
		}
		part := map[finding.Attribute]string{
			finding.ControlPlaneVersion: "control_plane", finding.ControlPlane: "control_plane",
			finding.NodePools: "node_pools", finding.Components: "node_pools", // add-ons depend on the cluster
		}[place.Location.Attribute]
		h.parts[part] |= unit
		if unit != 0 && part != "" {
			h.units, h.removed = append(h.units, unit), append(h.removed, going)
		}
	}
	for _, r := range p.PairRules {
		if r.Severity != policy.SeverityError {
			continue
		}
		for _, s := range all[r.Subject] {
			beside := r.Subject != r.Reference && slices.Contains(all[r.Reference], placed{s.place, r.Reference})
			local := to.LocalEndpoint && to.Places[s.place].Location.InControlPlane()
			for _, reference := range all[r.Reference] {
				if (reference == s) != (r.Scope == policy.ScopeSelf) {
					continue
				}
				if reference.place != s.place && (r.Scope == policy.ScopeNode || r.Scope == policy.ScopeEndpoint && local && beside) {
					continue
				}
				h.pairs = append(h.pairs, related{r, s, reference})
			}
		}
	}
	return h
}

func (h *bruteForce) componentsAt(c skew.Cluster, place int) []string {
	var names []string
	for _, i := range c.Places[place].Instances {
		names = append(names, i.Component)
	}
	return names
}

func (h *bruteForce) clusterWide(r placed) bool {
	for _, c := range []skew.Cluster{h.from, h.to} {
		for _, i := range c.Places[r.place].Instances {
			if i.Component == r.component {
				return i.ClusterWide
			}
		}
	}
	return false
}

// at returns the version of an instance after some atoms have moved.
func (h *bruteForce) at(r placed, moved int) version.Version {
	c := h.from
	for i, a := range h.atoms {
		if moved&(1<<i) != 0 && slices.Contains(a.members, r) {
			c = h.to
		}
	}
	if moved < 0 {
		c = h.to
	}
	if h.clusterWide(r) { // it also runs on pools that are added or removed
		v, _ := c.ClusterWide(r.component)
		return v
	}
	v, _ := c.Places[r.place].Version(r.component)
	return v
}

// breaks reports whether two versions violate a rule by more than the pair does before
// the step and by more than it does after the step. The rule can have the limits during
// an upgrade. Before the step, nothing is being upgraded. What remains of a violation
// after the step is not one of the step, so it is measured with the same limits.
func (h *bruteForce) breaks(p related, r *policy.PairRule, subject, reference version.Version) bool {
	beyond := func(r *policy.PairRule, s, ref version.Version) (side finding.Relation, minors, patches int) {
		if s.IsZero() || ref.IsZero() {
			return finding.Within, 0, 0
		}
		side = skew.Check(r, s, ref)
		limits, _ := r.LimitsFor(s, ref)
		switch side {
		case finding.TooOld:
			return side, ref.Minor().Minor - s.Minor().Minor - *limits.MaxOlder, 0
		case finding.TooNew:
			a, _ := s.Patch()
			b, _ := ref.Patch()
			if minors = s.Minor().Minor - ref.Minor().Minor - *limits.MaxNewer; minors == 0 {
				return side, 0, a - b
			}
			return side, minors, 0
		}
		return side, 0, 0
	}
	side, minors, patches := beyond(r, subject, reference)
	if side == finding.Within {
		return false
	}
	for moved, limits := range map[int]*policy.PairRule{0: p.rule, -1: r} {
		if !h.broken(p, moved) {
			continue
		}
		otherSide, otherMinors, otherPatches := beyond(limits, h.at(p.subject, moved), h.at(p.reference, moved))
		if side == otherSide && (minors < otherMinors || minors == otherMinors && patches <= otherPatches) {
			return false
		}
	}
	return true
}

// broken reports whether a pair violates its rule after some atoms have moved.
func (h *bruteForce) broken(p related, moved int) bool {
	subject, reference := h.at(p.subject, moved), h.at(p.reference, moved)
	return !subject.IsZero() && !reference.IsZero() && skew.Check(p.rule, subject, reference) != finding.Within
}

// together reports whether the pair can move at the same time: by a rule of scope node, or
// because it is the kubelet and the kube-proxy of one node.
func (p related) together() bool {
	onNode := func(r placed) bool { return r.component == "kubelet" || r.component == "kube-proxy" }
	return p.rule.Scope == policy.ScopeNode || p.subject.place == p.reference.place && onNode(p.subject) && onNode(p.reference)
}

// isValid checks the combination after some atoms have moved, with or without the pairs
// that can move at the same time.
func (h *bruteForce) isValid(moved int, nodes bool) bool {
	key := moved << 1
	if nodes {
		key |= 1
	}
	valid, known := h.valid[key]
	if !known {
		valid = !slices.ContainsFunc(h.pairs, func(p related) bool {
			return (nodes || !p.together()) && h.breaks(p, p.rule, h.at(p.subject, moved), h.at(p.reference, moved))
		})
		h.valid[key] = valid
	}
	return valid
}

// allowsUpgrades reports whether the stricter limits during an upgrade are met while
// references move to a newer minor. If the subject moves together with the reference,
// either its old or its new version has to be allowed. Otherwise, both have to be.
func (h *bruteForce) allowsUpgrades(moved, together int) bool {
	for _, p := range h.pairs {
		if p.rule.MaxOlderDuringUpgrade == nil {
			continue
		}
		before, after := h.at(p.reference, moved), h.at(p.reference, moved|together)
		if before.IsZero() || after.IsZero() || before.Minor().Compare(after.Minor()) >= 0 {
			continue
		}
		was, is := h.at(p.subject, moved), h.at(p.subject, moved|together)
		strict := p.rule.DuringUpgrade()
		first, last := h.breaks(p, strict, was, after), h.breaks(p, strict, is, after)
		asOne := p.together() || slices.ContainsFunc(h.atoms, func(a atom) bool {
			return slices.Contains(a.members, p.subject) && slices.Contains(a.members, p.reference)
		})
		if first && last || !asOne && (first || last) {
			return false
		}
	}
	return true
}

// hasValidOrder searches all orders of the atoms. The function next reports whether
// atoms may move next.
func (h *bruteForce) hasValidOrder(next func(moved, together int) bool) bool {
	end := 1<<len(h.atoms) - 1
	seen := map[int]bool{0: true}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		now := queue[0]
		if now == end {
			return true
		}
		for together := 1; together <= end; together++ {
			after := now | together
			if now&together != 0 || seen[after] || !h.togetherAtOnePlace(together) || !next(now, together) || !h.isValid(after, true) || !h.allowsUpgrades(now, together) {
				continue
			}
			if anyOrder(now, together, func(moved int) bool { return h.isValid(moved, false) }) {
				seen[after] = true
				queue = append(queue, after)
			}
		}
	}
	return false
}

func (h *bruteForce) togetherAtOnePlace(together int) bool {
	place := -1
	for i, a := range h.atoms {
		if together&(1<<i) == 0 {
			continue
		}
		if here := a.members[0].place; place >= 0 && (place != here || h.clusterWide(a.members[0])) || h.clusterWide(a.members[0]) && together != 1<<i {
			return false
		} else {
			place = here
		}
	}
	return true
}

// accepts returns the expected result for an order. Unordered requires all orders of
// the units to be valid.
func (h *bruteForce) accepts(order step.ApplyOrder) bool {
	orderedParts := func(late, early int) bool {
		return h.hasValidOrder(func(moved, together int) bool { return together&late == 0 || moved&early == early })
	}
	switch order {
	case step.ControlPlaneFirst:
		return orderedParts(h.parts["node_pools"], h.parts["control_plane"])
	case step.NodePoolsFirst:
		return orderedParts(h.parts["control_plane"], h.parts["node_pools"])
	case step.Any:
		return orderedParts(0, 0)
	}
	orders := [][]int{nil}
	for n := range h.units {
		var extended [][]int
		for _, m := range orders {
			for at := range len(m) + 1 {
				extended = append(extended, slices.Insert(slices.Clone(m), at, n))
			}
		}
		orders = extended
	}
	for _, m := range orders {
		if h.removesEarly(m) {
			continue
		}
		if !h.hasValidOrder(func(moved, together int) bool {
			earlier := 0
			for _, n := range m {
				if together&h.units[n] != 0 && moved&earlier != earlier {
					return false
				}
				earlier |= h.units[n]
			}
			return true
		}) {
			return false
		}
	}
	return true
}

// removesEarly reports whether an order removes a pool before the control plane has
// moved.
func (h *bruteForce) removesEarly(order []int) bool {
	moved := 0
	for _, n := range order {
		pool := h.units[n]&h.parts["node_pools"] != 0
		if pool && h.removed[n] && moved&h.parts["control_plane"] != h.parts["control_plane"] {
			return true
		}
		moved |= h.units[n]
	}
	return false
}

// drawStep draws a step of a few instances, some of which move, are added or are
// removed. The policy is a built-in or a random one.
func drawStep(t *rapid.T, policies []*policy.Policy) *bruteForce {
	var p *policy.Policy
	if rapid.IntRange(0, 2).Draw(t, "built-in") > 0 {
		p = rapid.SampledFrom(policies).Draw(t, "policy")
	} else {
		p = skewtest.RandomPolicy(t, "kube-apiserver", "kubelet", "kube-proxy", "mesh")
		for _, r := range p.PairRules {
			r.Severity = policy.SeverityError
			if zero, one := 0, 1; rapid.IntRange(0, 3).Draw(t, "narrow") > 0 {
				r.Limits = policy.Limits{MaxNewer: &zero, MaxOlder: &one}
				if r.Requirement == nil && rapid.IntRange(0, 3).Draw(t, "strict") == 0 {
					r.MaxOlderDuringUpgrade = &zero
				}
			}
		}
	}
	shape := skewtest.Random{
		Newest: rapid.SampledFrom([]int{24, 25, 26, 27, 28, 35, 36, 37}).Draw(t, "newest"), By: rapid.SampledFrom([]int{0, 1, 1, -1}).Draw(t, "by"),
		Spread: rapid.IntRange(0, 1).Draw(t, "spread"), Lag: 1, Behind: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "behind"), Ahead: 1,
		Components: []string{"mesh"}, Stays: 3, Emulation: true, MaxInstances: 6,
	}
	if rapid.IntRange(0, 3).Draw(t, "patches") == 0 {
		shape.Patches = []int{0, 1, 2}
	}
	from, to := shape.Step(t)
	return newBruteForce(p, from, to)
}

// TestApplyOrderAgainstBruteForce checks that a step is accepted if and only if the
// declared order allows a valid order of moves. For Unordered, all orders of instances
// and pools must be valid. An order is valid if no intermediate combination exceeds a
// limit by more than the combinations before and after the step. A step lists an order
// if and only if there is a valid one, no matter which order is declared.
func TestApplyOrderAgainstBruteForce(t *testing.T) {
	policies := withoutStepRules(t)
	accepted, refused := map[step.ApplyOrder]int{}, map[step.ApplyOrder]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 { // many random steps are skipped
			h := drawStep(t, policies)
			if slices.ContainsFunc(h.pairs, func(p related) bool { return h.broken(p, -1) && !h.broken(p, 0) }) {
				continue
			}
			hasOrder := h.accepts(step.Any)
			for _, order := range step.ApplyOrders {
				want := h.accepts(order)
				result := step.Check(h.policy, h.from, h.to, order)
				if got := len(result.Findings) == 0; got != want {
					t.Fatalf("%s under %s: accepted %t, want %t: %s\nfrom %v\nto %v\nunder %+v", order, h.policy.Name, got, want, describeFindings(result), h.from, h.to, h.policy.PairRules)
				}
				if got := len(result.Order()) > 0; len(h.atoms) > 0 && got != hasOrder {
					t.Fatalf("%s under %s: lists an order %t, has a valid order %t: from %v to %v", order, h.policy.Name, got, hasOrder, h.from, h.to)
				}
				if want {
					accepted[order]++
				} else {
					refused[order]++
				}
			}
		}
	})
	t.Logf("accepted %v, refused %v", accepted, refused)
	for _, order := range step.ApplyOrders {
		if accepted[step.Any]+refused[step.Any] >= 50 && (accepted[order] == 0 || refused[order] == 0) {
			t.Errorf("random steps are one-sided for %s: %d accepted, %d refused", order, accepted[order], refused[order])
		}
	}
}

// withoutStepRules returns the built-in policies without step rules.
func withoutStepRules(t testing.TB) []*policy.Policy {
	t.Helper()
	var all []*policy.Policy
	for _, name := range policy.BuiltinNames() {
		builtin, err := policy.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		p := *builtin
		p.StepRules = nil
		all = append(all, &p)
	}
	return all
}

func describeFindings(result step.Result) string {
	var all []string
	for _, f := range result.Findings {
		all = append(all, fmt.Sprintf("%s %s %s %v beside %s %v (%T)", f.RuleID, f.Subject.Component, f.Subject.Version, f.Subject.Locations, f.Reference.Version, f.Reference.Locations, f.Cause))
	}
	return strings.Join(all, "; ")
}

// TestApplyOrder checks the findings, the move that has to come first, and the order
// that would work instead.
func TestApplyOrder(t *testing.T) {
	withAddOns, err := policy.Extend(kubernetesWithoutStepRules(t), `{"skew_rules": {
		"mesh-apiserver": {"subject": "mesh", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3},
		"agent-apiserver": {"subject": "agent", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 1, "max_older": 1},
		"nodeagent-kubelet": {"subject": "nodeagent", "reference": "kubelet", "scope": "cluster", "max_newer": 0}
	}}`)
	if err != nil {
		t.Fatal(err)
	}
	withAddOns.StepRules = nil
	for _, tt := range []struct {
		name, from, to string
		want           map[step.ApplyOrder]string // for the orders that refuse the step
	}{
		{"the control plane has to move first", "managed: 1.30; node_pools.x: kubelet=1.30", "managed: 1.31; node_pools.x: kubelet=1.31", map[step.ApplyOrder]string{
			step.NodePoolsFirst: `kubelet 1.31 [node_pools["x"]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
			step.Unordered:      `kubelet 1.31 [node_pools["x"]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
		}},
		{"a node pool has to move first", "managed: 1.35; node_pools.gpu: kubelet=1.32; node_pools.web: kubelet=1.34", "managed: 1.36; node_pools.gpu: kubelet=1.33; node_pools.web: kubelet=1.34", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `kubelet 1.32 [node_pools["gpu"]] beside 1.36, allowed >= 1.33, < 1.36: kubelet 1.33 [node_pools["gpu"]] first, or node_pools_first`,
			step.Unordered:         `kubelet 1.32 [node_pools["gpu"]] beside 1.36, allowed >= 1.33, < 1.36: kubelet 1.33 [node_pools["gpu"]] first, or node_pools_first`,
		}},
		{"rollback", "managed: 1.31; node_pools.x: kubelet=1.31", "managed: 1.30; node_pools.x: kubelet=1.30", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `kubelet 1.31 [node_pools["x"]] beside 1.30, allowed >= 1.28, < 1.31: kubelet 1.30 [node_pools["x"]] first, or node_pools_first`,
			step.Unordered:         `kubelet 1.31 [node_pools["x"]] beside 1.30, allowed >= 1.28, < 1.31: kubelet 1.30 [node_pools["x"]] first, or node_pools_first`,
		}},
		{"a removed pool runs until the control plane has moved", "managed: 1.30; node_pools.old: kubelet=1.27", "managed: 1.31", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `kubelet 1.27 [node_pools["old"]] beside 1.31, allowed >= 1.28, < 1.31: kubelet  [node_pools["old"]] first, or node_pools_first`,
			step.Unordered:         `kubelet 1.27 [node_pools["old"]] beside 1.31, allowed >= 1.28, < 1.31: kubelet  [node_pools["old"]] first, or node_pools_first`,
		}},
		{"a new pool is created after the control plane has moved", "managed: 1.30", "managed: 1.31; node_pools.new: kubelet=1.31", map[step.ApplyOrder]string{
			step.NodePoolsFirst: `kubelet 1.31 [node_pools["new"]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
			step.Unordered:      `kubelet 1.31 [node_pools["new"]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
		}},
		{"a pool is renamed", "managed: 1.30; node_pools.a: kubelet=1.27", "managed: 1.31; node_pools.b: kubelet=1.31", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `kubelet 1.27 [node_pools["a"]] beside 1.31, allowed >= 1.28, < 1.31: kubelet  [node_pools["a"]] first`,
			step.NodePoolsFirst:    `kubelet 1.31 [node_pools["b"]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first`,
			step.Unordered: `kubelet 1.27 [node_pools["a"]] beside 1.31, allowed >= 1.28, < 1.31: kubelet  [node_pools["a"]] first; ` +
				`kubelet 1.31 [node_pools["b"]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first`,
		}},
		{"a cluster-wide kube-proxy moves with the node pools", "managed: 1.30; kube_proxy: 1.30", "managed: 1.31; kube_proxy: 1.31", map[step.ApplyOrder]string{
			step.NodePoolsFirst: `kube-proxy 1.31 [kube_proxy] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
			step.Unordered:      `kube-proxy 1.31 [kube_proxy] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
		}},
		{"a kubelet of a control-plane instance moves with the control plane", "control_plane.a: kube-apiserver=1.30 kubelet=1.30; control_plane.b: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.31 kubelet=1.31; control_plane.b: kube-apiserver=1.31", map[step.ApplyOrder]string{
			step.Unordered: `kubelet 1.31 [control_plane["a"]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane["b"]] first, or control_plane_first`,
		}},
		{"a scheduler connects to all instances", "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.29; control_plane.b: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30; control_plane.b: kube-apiserver=1.31", map[step.ApplyOrder]string{
			step.Unordered: `kube-scheduler 1.29 [control_plane["a"]] beside 1.31, allowed >= 1.30, < 1.31: kube-scheduler 1.30 [control_plane["a"]] first, or control_plane_first`,
		}},
		{"an add-on moves with the node pools", "managed: 1.30; components.mesh.0: mesh=1.30", "managed: 1.31; components.mesh.0: mesh=1.31", map[step.ApplyOrder]string{
			step.NodePoolsFirst: `mesh 1.31 [components["mesh"][0]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
			step.Unordered:      `mesh 1.31 [components["mesh"][0]] beside 1.30, allowed >= 1.28, < 1.31: kube-apiserver 1.31 [control_plane_version] first, or control_plane_first`,
		}},
		{"an add-on that the new API server does not support", "managed: 1.30; components.agent.0: agent=1.29", "managed: 1.31; components.agent.0: agent=1.31", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `agent 1.29 [components["agent"][0]] beside 1.31, allowed >= 1.30, < 1.32: agent 1.31 [components["agent"][0]] first, or node_pools_first`,
			step.Unordered:         `agent 1.29 [components["agent"][0]] beside 1.31, allowed >= 1.30, < 1.32: agent 1.31 [components["agent"][0]] first, or node_pools_first`,
		}},
		{"two instances of an add-on move one after the other", "managed: 1.30; components.agent.0: agent=1.30; components.agent.1: agent=1.30", "managed: 1.30; components.agent.0: agent=1.31; components.agent.1: agent=1.31", nil},
		{"add-ons and node pools have some sound order", "node_pools.x: kubelet=1.30; components.nodeagent.0: nodeagent=1.30", "node_pools.x: kubelet=1.31; components.nodeagent.0: nodeagent=1.31", map[step.ApplyOrder]string{
			step.Unordered: `nodeagent 1.31 [components["nodeagent"][0]] beside 1.30, allowed >= 1.0, < 1.31: kubelet 1.31 [node_pools["x"]] first, or control_plane_first`,
		}},
		{"the end of an emulation", "managed: 1.37.1(1.36); node_pools.x: kubelet=1.33", "managed: 1.37.1; node_pools.x: kubelet=1.34", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `kubelet 1.33 [node_pools["x"]] beside 1.37.1, allowed >= 1.34, < 1.37: kubelet 1.34 [node_pools["x"]] first, or node_pools_first`,
			step.Unordered:         `kubelet 1.33 [node_pools["x"]] beside 1.37.1, allowed >= 1.34, < 1.37: kubelet 1.34 [node_pools["x"]] first, or node_pools_first`,
		}},
		{"the start of an emulation", "managed: 1.37.1; node_pools.x: kubelet=1.37", "managed: 1.37.1(1.36); node_pools.x: kubelet=1.36", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `kubelet 1.37 [node_pools["x"]] beside 1.37.1 (emulating 1.36), allowed >= 1.34, < 1.37: kubelet 1.36 [node_pools["x"]] first, or node_pools_first`,
			step.Unordered:         `kubelet 1.37 [node_pools["x"]] beside 1.37.1 (emulating 1.36), allowed >= 1.34, < 1.37: kubelet 1.36 [node_pools["x"]] first, or node_pools_first`,
		}},
		{"clients move at any time", "managed: 1.30; kubectl.0: kubectl=1.29", "managed: 1.31; kubectl.0: kubectl=1.31", nil},
		{"a violation before the step does not get worse", "managed: 1.31; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.28", nil},
		{"a violation before the step gets worse", "managed: 1.30; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.28", map[step.ApplyOrder]string{
			step.ControlPlaneFirst: `kubelet 1.26 [node_pools["x"]] beside 1.31, allowed >= 1.28, < 1.31: kubelet 1.28 [node_pools["x"]] first, or node_pools_first`,
			step.Unordered:         `kubelet 1.26 [node_pools["x"]] beside 1.31, allowed >= 1.28, < 1.31: kubelet 1.28 [node_pools["x"]] first, or node_pools_first`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, order := range step.ApplyOrders {
				result := step.Check(withAddOns, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), order)
				var got []string
				for _, f := range result.Findings {
					cause, ok := f.Cause.(*finding.ApplyOrder)
					if !ok {
						t.Fatalf("%s: got a finding with cause %T", order, f.Cause)
					}
					s := fmt.Sprintf("%s %s %v beside %s, allowed %s: %s %s %v first", f.Subject.Component, f.Subject.Version, f.Subject.Locations, f.Reference.Version, f.Allowed.Constraint(), cause.First.Component, cause.First.To, cause.First.Locations)
					if cause.Instead != "" {
						s += ", or " + cause.Instead
					}
					got = append(got, s)
				}
				if s := strings.Join(got, "; "); s != tt.want[order] {
					t.Errorf("%s:\ngot  %s\nwant %s", order, s, tt.want[order])
				}
				if len(result.Order()) == 0 {
					t.Errorf("%s: got no order of moves", order)
				}
			}
		})
	}
}

func kubernetesWithoutStepRules(t testing.TB) *policy.Policy {
	p := *skewtest.Kubernetes(t)
	p.StepRules = nil
	return &p
}

// TestApplyOrderRemedy checks that the applies that findings ask for can be made one after
// another, and the rest of the step after them.
func TestApplyOrderRemedy(t *testing.T) {
	policies := append(withoutStepRules(t), skewtest.AllVariants(t)...)
	applied := map[int]int{} // by the number of separate applies
	rapid.Check(t, func(t *rapid.T) {
		for range 30 {
			h := drawStep(t, policies)
			if len(onlyErrors(skew.Findings(h.policy, h.from))) > 0 || len(onlyErrors(skew.Findings(h.policy, h.to))) > 0 {
				continue
			}
			order := rapid.SampledFrom(step.ApplyOrders).Draw(t, "order")
			between, ok := h.separateApplies(onlyErrors(step.Check(h.policy, h.from, h.to, order).Findings))
			if !ok {
				continue
			}
			applied[len(between)]++
			from := h.from
			for i, to := range append(between, h.to) {
				if broken := onlyErrors(skew.Findings(h.policy, to)); len(broken) > 0 {
					t.Fatalf("%s: the combination %v after apply %d has errors %v", order, to, i+1, broken)
				}
				if result := step.Check(h.policy, from, to, order); len(onlyErrors(result.Findings)) > 0 {
					t.Fatalf("%s: apply %d of %d, from %v to %v, is refused: %s\nfrom %v to %v", order, i+1, len(between)+1, from, to, describeFindings(result), h.from, h.to)
				}
				from = to
			}
		}
	})
	t.Logf("%v remedies by number of separate applies", applied)
	if len(applied) == 0 {
		t.Error("no remedy was tried")
	}
}

// TestSeparateApplies checks the applies that a finding asks for. Each is accepted, and so
// is the rest of the step.
func TestSeparateApplies(t *testing.T) {
	all := skewtest.Variants(t)
	for _, tt := range []struct {
		name, policy, from, to string
		order                  step.ApplyOrder
		want                   []string
	}{
		{
			"an instance that could not join a newer one", "API server may skip", "control_plane.a: kube-apiserver=1.29; control_plane.b: ; node_pools.x: kubelet=1.28",
			"control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.30; node_pools.x: kubelet=1.30", step.Unordered,
			[]string{`control_plane["a"] to 1.31, control_plane["b"] to 1.30`},
		},
		{
			"two applies before the rest", "API server may skip", "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.30; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.28",
			"control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.32; node_pools.x: kubelet=1.29; node_pools.y: kubelet=1.30", step.ControlPlaneFirst,
			[]string{`node_pools["x"] to 1.29`, `control_plane["a"] to 1.31, node_pools["y"] to 1.30`},
		},
		{
			"only a kube-proxy is removed", "kubernetes", "managed: 1.30; node_pools.a: kubelet=1.28 kube-proxy=1.27", "managed: 1.31; node_pools.a: kubelet=1.28", step.ControlPlaneFirst,
			[]string{`kube-proxy of node_pools["a"] to `},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newBruteForce(all[tt.policy], skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to))
			result := step.Check(h.policy, h.from, h.to, tt.order)
			applies := map[int][]string{}
			for _, f := range result.Findings {
				cause, ok := f.Cause.(*finding.ApplyOrder)
				if !ok {
					t.Fatalf("got %s", describeFindings(result))
				}
				for n, moves := range cause.Applies {
					for _, m := range moves {
						for _, l := range m.Locations {
							s := fmt.Sprintf("%s to %s", l, m.To)
							if !m.Whole {
								s = m.Component + " of " + s
							}
							if !slices.Contains(applies[n], s) {
								applies[n] = append(applies[n], s)
							}
						}
					}
				}
			}
			var got []string
			for n := range len(applies) {
				slices.Sort(applies[n])
				got = append(got, strings.Join(applies[n], ", "))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			between, _ := h.separateApplies(result.Findings)
			from := h.from
			for _, to := range append(between, h.to) {
				if result := step.Check(h.policy, from, to, tt.order); len(onlyErrors(result.Findings)) > 0 {
					t.Errorf("the apply from %v to %v is refused: %s", from, to, describeFindings(result))
				}
				from = to
			}
		})
	}
}

func onlyErrors(findings []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.Severity != policy.SeverityError })
}

// separateApplies returns the combinations after each separate apply that findings ask
// for. ok is false if one of them is not about the order of an apply.
func (h *bruteForce) separateApplies(findings []finding.Finding) (between []skew.Cluster, ok bool) {
	var moving []map[placed]bool
	for _, f := range findings {
		cause, ok := f.Cause.(*finding.ApplyOrder)
		if !ok {
			return nil, false
		}
		for n, moves := range cause.Applies {
			if n == len(moving) {
				moving = append(moving, map[placed]bool{})
			}
			for _, m := range moves {
				for i, p := range h.to.Places {
					for _, component := range slices.Concat(h.componentsAt(h.from, i), h.componentsAt(h.to, i)) {
						me := placed{i, component}
						at := p.Location
						if h.clusterWide(me) {
							at = finding.AtAttribute(finding.KubeProxy)
						}
						if slices.Contains(m.Locations, at) && (m.Whole || component == m.Component) {
							moving[n][me] = true
						}
					}
				}
			}
		}
	}
	moved := 0
	for _, now := range moving {
		for i, a := range h.atoms {
			for _, me := range a.members {
				if now[me] {
					moved |= 1 << i
				}
			}
		}
		between = append(between, h.cluster(moved))
	}
	return between, len(findings) > 0
}

// cluster returns the combination after some atoms have moved.
func (h *bruteForce) cluster(moved int) skew.Cluster {
	c := skew.Cluster{LocalEndpoint: h.to.LocalEndpoint}
	var wide version.Version
	for i, p := range h.to.Places {
		place := skew.Place{Location: p.Location}
		for _, component := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(h.componentsAt(h.from, i), h.componentsAt(h.to, i))))) {
			me := placed{i, component}
			switch v := h.at(me, moved); {
			case h.clusterWide(me):
				wide = v
			case !v.IsZero():
				place.Instances = append(place.Instances, skew.Instance{Component: component, Version: v})
			}
		}
		if p.Location.Attribute != finding.KubeProxy {
			c.Places = append(c.Places, place)
		}
	}
	if !wide.IsZero() {
		c = c.WithKubeProxy(wide)
	}
	return c
}
