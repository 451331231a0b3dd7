// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// The search visits all sequences of moves from a cluster to a target. It is written
// from the documentation of plans, and shares only the rules with the planner.

// member is a component at a location. A cluster-wide kube-proxy is one member.
type member struct {
	component string
	location  finding.Location
	places    []int
}

// group is a set of instances that move together: a managed control plane, a component
// of a control-plane instance, a node, a node pool or a client.
type group struct {
	members  []int // indexes of instances
	location finding.Location
	fixed    bool // no plan moves it
	api      bool
	pool     bool
	client   bool
	ctrl     bool
	limit    version.Version // of a node pool, zero if it can get to the target
}

// walk searches the sequences of moves from a cluster to a target.
type walk struct {
	request   upgrade.Request
	back      bool
	instances []member
	groups    []group
	versions  []version.Version // oldest first
	index     map[string]int
	start     combo
	// toLimits says that pools with a limit have to get to it.
	toLimits bool
	found    []string // the moves that the search has found
	pairs    [][]pair // by either end
	known    map[[4]int]excess
}

// combo holds the version of each instance, as an index in walk.versions.
type combo [48]uint8

// pair is two instances that a rule relates.
type pair struct{ rule, subject, reference int }

// excess is by how much a pair exceeds a limit.
type excess struct {
	relation finding.Relation
	by       int // in thousandths of a minor; patches are one each
}

func (a excess) worseThan(b excess) bool {
	return a.by > 0 && (b.by == 0 || a.relation != b.relation || a.by > b.by)
}

func newWalk(r upgrade.Request) *walk {
	w := &walk{request: r, index: map[string]int{}, known: map[[4]int]excess{}}
	w.back = r.Cluster.Newest(skew.APIServer).Minor().Compare(r.Target.Minor()) > 0
	var versions []version.Version
	var current []version.Version
	clusterWide := -1
	for i, p := range r.Cluster.Places {
		var node []int
		for _, in := range p.Instances {
			if in.ClusterWide {
				if clusterWide < 0 {
					clusterWide = len(w.instances)
					w.instances = append(w.instances, member{component: in.Component, location: finding.AtAttribute(finding.KubeProxy)})
					current = append(current, in.Version)
					w.groups = append(w.groups, group{members: []int{clusterWide}, location: finding.AtAttribute(finding.KubeProxy)})
				}
				w.instances[clusterWide].places = append(w.instances[clusterWide].places, i)
				continue
			}
			n := len(w.instances)
			w.instances = append(w.instances, member{in.Component, p.Location, []int{i}})
			current = append(current, in.Version)
			one := group{members: []int{n}, location: p.Location}
			controlPlane := slices.Contains(skew.ControlPlaneComponents, in.Component)
			switch a := p.Location.Attribute; {
			case a == finding.Components:
				one.fixed = true
				w.groups = append(w.groups, one)
			case a == finding.Kubectl:
				one.client = true
				w.groups = append(w.groups, one)
			case a == finding.ControlPlane && controlPlane:
				one.api = in.Component == skew.APIServer
				one.ctrl = !one.api
				w.groups = append(w.groups, one)
			default:
				node = append(node, n)
			}
		}
		if len(node) > 0 {
			g := group{members: node, location: p.Location, api: p.Location.Attribute == finding.ControlPlaneVersion, pool: p.Location.Attribute == finding.NodePools}
			g.fixed = g.pool && slices.Contains(r.Held, p.Location.Key)
			if limit, limited := r.Limits[p.Location.Key]; limited && g.pool && !w.back && beyond(r.Target, limit) {
				g.limit = limit
				for _, m := range node {
					_, patch := limit.Patch()
					have := current[m]
					g.fixed = g.fixed || have.Minor().Compare(limit.Minor()) > 0 || patch && have.Compare(limit) > 0
				}
			}
			w.groups = append(w.groups, g)
		}
	}
	versions = append(versions, current...)
	for _, v := range current { // the end of an emulation, one minor at a time
		if binary := v.Binary(); binary != v {
			for m := v.Minor().Add(1); m.Compare(binary.Minor()) <= 0; m = m.Add(1) {
				next, err := binary.Emulating(m.Version())
				if err != nil {
					panic(err)
				}
				versions = append(versions, next)
			}
		}
	}
	versions = slices.Concat(versions, r.Available, r.AvailableNodes, slices.Collect(maps.Values(r.Limits)))
	versions = append(versions, r.Target)
	lowest, highest := r.Target.Minor(), r.Target.Minor()
	for i, v := range current {
		if distance, _ := r.Target.Minor().Skew(v.Minor()); w.instances[i].location.Attribute == finding.Components && (distance > 9 || v.Minor().Major != r.Target.Minor().Major) {
			continue // an add-on with other numbers
		}
		if v.Minor().Compare(lowest) < 0 {
			lowest = v.Minor()
		}
		if v.Minor().Compare(highest) > 0 {
			highest = v.Minor()
		}
	}
	widen := func(component string, c version.Constraint) { // to what a rule may require instead
		if !slices.Contains([]string{"kubelet", "kube-proxy", "kubectl"}, component) {
			return
		}
		for _, m := range c.Minors() {
			if before := m.Add(-1); before.Compare(lowest) < 0 {
				lowest = before
			}
			if after := m.Add(1); after.Compare(highest) > 0 && component == "kubectl" { // others do not go beyond the target
				highest = after
			}
		}
	}
	for _, rule := range r.Policy.PairRules {
		if rule.Requirement != nil {
			versions = append(versions, patchesIn(rule)...)
			widen(rule.Subject, rule.Requirement.When)
			widen(rule.Reference, rule.Requirement.Require)
		}
	}
	if len(r.Available) == 0 {
		for m := lowest; m.Compare(highest) <= 0; m = m.Add(1) {
			versions = append(versions, m.Version())
		}
	}
	slices.SortStableFunc(versions, func(a, b version.Version) int { return a.Compare(b) })
	for _, v := range versions {
		if _, known := w.index[v.String()]; !known {
			w.index[v.String()] = len(w.versions)
			w.versions = append(w.versions, v)
		}
	}
	for i, v := range current {
		w.start[i] = uint8(w.index[v.String()])
	}
	w.pairs = make([][]pair, len(w.instances))
	for n, rule := range r.Policy.PairRules {
		if rule.Severity != policy.SeverityError {
			continue
		}
		for s := range w.instances {
			for ref := range w.instances {
				if (s != ref || rule.Scope == policy.ScopeSelf) && w.related(rule, s, ref) {
					w.pairs[s] = append(w.pairs[s], pair{n, s, ref})
					w.pairs[ref] = append(w.pairs[ref], pair{n, s, ref})
				}
			}
		}
	}
	return w
}

// related reports whether the scope of a rule relates two instances.
func (w *walk) related(rule *policy.PairRule, s, r int) bool {
	if w.instances[s].component != rule.Subject || w.instances[r].component != rule.Reference {
		return false
	}
	same := slices.ContainsFunc(w.instances[s].places, func(p int) bool { return slices.Contains(w.instances[r].places, p) })
	switch rule.Scope {
	case policy.ScopeSelf:
		return s == r
	case policy.ScopeNode:
		return same
	case policy.ScopeEndpoint:
		if !w.request.Cluster.LocalEndpoint || !w.instances[s].location.InControlPlane() {
			return true
		}
		own := slices.ContainsFunc(w.instances, func(x member) bool { return x.component == rule.Reference && x.location == w.instances[s].location })
		return !own || same
	}
	return true
}

// excess checks a pair, with the limits during an upgrade if during is true.
func (w *walk) excess(rule int, during bool, subject, reference uint8) excess {
	key := [4]int{rule, 0, int(subject), int(reference)}
	if during {
		key[1] = 1
	}
	e, known := w.known[key]
	if known {
		return e
	}
	r := w.request.Policy.PairRules[rule]
	if during {
		r = r.DuringUpgrade()
	}
	s, ref := w.versions[subject], w.versions[reference]
	e.relation = skew.Check(r, s, ref)
	limits, _ := r.LimitsFor(s, ref)
	minors, _ := s.Minor().Skew(ref.Minor())
	switch e.relation {
	case finding.Within:
	case finding.TooNew:
		e.by = 1000 * (minors - *limits.MaxNewer)
		if e.by == 0 {
			a, _ := s.Patch()
			b, _ := ref.Patch()
			e.by = a - b
		}
	case finding.TooOld:
		e.by = 1000 * (-minors - *limits.MaxOlder)
	default:
		e.by = 1
	}
	w.known[key] = e
	return e
}

// legal reports whether moves make no pair worse. If in is not nil, only pairs of the
// instances in it count.
func (w *walk) legal(a, b *combo, moved []int, in []bool) bool {
	for _, m := range moved {
		if a[m] == b[m] {
			continue
		}
		for _, p := range w.pairs[m] {
			if in != nil && (!in[p.subject] || !in[p.reference]) {
				continue
			}
			during := w.versions[b[p.reference]].Minor().Compare(w.versions[a[p.reference]].Minor()) > 0
			if w.excess(p.rule, during, b[p.subject], b[p.reference]).worseThan(w.excess(p.rule, false, a[p.subject], a[p.reference])) {
				return false
			}
		}
	}
	return true
}

// makesWorse reports whether a pair exceeds a limit in b by more than in a. It does not
// consider the limits during an upgrade.
func (w *walk) makesWorse(a, b *combo) bool {
	return slices.ContainsFunc(slices.Concat(w.pairs...), func(p pair) bool {
		return w.excess(p.rule, false, b[p.subject], b[p.reference]).worseThan(w.excess(p.rule, false, a[p.subject], a[p.reference]))
	})
}

// cluster returns the cluster with the versions of a combination.
func (w *walk) cluster(c *combo) skew.Cluster {
	to := w.request.Cluster
	to.Places = nil
	for i, p := range w.request.Cluster.Places {
		p.Instances = slices.Clone(p.Instances)
		for j := range p.Instances {
			in := &p.Instances[j]
			n := slices.IndexFunc(w.instances, func(x member) bool { return x.component == in.Component && slices.Contains(x.places, i) })
			in.Version = w.versions[c[n]]
		}
		to.Places = append(to.Places, p)
	}
	return to
}

// valid reports whether no pair violates its rule.
func (w *walk) valid(c *combo, in []bool) bool {
	for i := range w.instances {
		for _, p := range w.pairs[i] {
			if in != nil && (!in[p.subject] || !in[p.reference]) {
				continue
			}
			if w.excess(p.rule, false, c[p.subject], c[p.reference]).by > 0 {
				return false
			}
		}
	}
	return true
}

// withinSteps reports whether the step rules allow a move.
func (w *walk) withinSteps(i int, from, to uint8) bool {
	for _, r := range w.request.Policy.StepRulesFor(w.instances[i].component) {
		minors, _ := w.versions[to].Minor().Skew(w.versions[from].Minor())
		inAll, _ := w.versions[w.start[i]].Minor().Skew(w.versions[to].Minor())
		up, down := r.MaxUpgrade, r.MaxDowngrade
		for _, c := range r.Conditions {
			if c.From.Contains(w.versions[from]) && c.To.Contains(w.versions[to]) {
				if c.MaxUpgrade != nil {
					up = c.MaxUpgrade
				}
				if c.MaxDowngrade != nil {
					down = c.MaxDowngrade
				}
				break
			}
		}
		if up != nil && minors > *up || down != nil && -minors > *down ||
			minors < 0 && r.MaxDowngradeTotal != nil && inAll > *r.MaxDowngradeTotal {
			return false
		}
		before, declaredBefore := w.versions[from].Patch()
		after, declaredAfter := w.versions[to].Patch()
		if r.ComparePatch != nil && *r.ComparePatch && *down == 0 && minors == 0 && declaredBefore && declaredAfter && after < before {
			return false
		}
	}
	return true
}

// beyond reports whether a target is newer than a limit. Without a patch, the limit is the
// newest patch of its minor, and the target any.
func beyond(target, limit version.Version) bool {
	if target.Minor() != limit.Minor() {
		return target.Minor().Compare(limit.Minor()) > 0
	}
	_, limited := limit.Patch()
	_, exact := target.Patch()
	return limited && (!exact || target.Compare(limit) > 0)
}

// available returns the list that holds for a group.
func (w *walk) available(g group) []version.Version {
	if g.pool && len(w.request.AvailableNodes) > 0 {
		return w.request.AvailableNodes
	}
	return w.request.Available
}

// endsEmulation reports whether a version of a group needs no other binary.
func (w *walk) endsEmulation(g group, v version.Version) bool {
	return slices.ContainsFunc(g.members, func(m int) bool {
		have := w.versions[w.start[m]]
		return have.Binary() != have && v.Binary().Same(have.Binary())
	})
}

// candidates lists the versions that moves of a group can lead to.
func (w *walk) candidates(g group) []uint8 {
	r, list := w.request, w.available(g)
	_, exact := r.Target.Patch()
	var all []uint8
	for i, v := range w.versions {
		atTarget := v.Minor() == r.Target.Minor()
		var ok bool
		switch {
		case atTarget && exact:
			ok = v.String() == r.Target.String()
		case len(list) > 0 && !w.endsEmulation(g, v):
			ok = slices.ContainsFunc(list, func(a version.Version) bool { return a.String() == v.String() })
		default:
			ok = true
		}
		if !g.limit.IsZero() {
			_, limited := g.limit.Patch()
			_, patched := v.Patch()
			minors := v.Minor().Compare(g.limit.Minor())
			ok = ok && (minors < 0 || minors == 0 && (!limited || patched && v.Compare(g.limit) <= 0))
		}
		if ok {
			all = append(all, uint8(i))
		}
	}
	return all
}

// atTarget reports whether a version satisfies the target.
func (w *walk) atTarget(v uint8) bool {
	_, exact := w.request.Target.Patch()
	have := w.versions[v]
	return have.Minor() == w.request.Target.Minor() && (!exact || have.Compare(w.request.Target) >= 0)
}

// mustArrive reports whether a plan has to move a group to the target.
func (w *walk) mustArrive(g group) bool {
	return !g.fixed && !g.client && g.limit.IsZero() && (!g.pool || w.request.Strategy != upgrade.RequiredOnly)
}

// atLimit reports whether a version of a group is as new as its limit allows.
func (w *walk) atLimit(g group, v uint8) bool {
	if g.limit.IsZero() || g.fixed || w.request.Strategy == upgrade.RequiredOnly {
		return true
	}
	all := w.candidates(g)
	return len(all) == 0 || w.versions[v].Minor().Compare(w.versions[all[len(all)-1]].Minor()) >= 0
}

// arrived reports whether groups are where a plan has to take them.
func (w *walk) arrived(c *combo, groups []int, in []bool) bool {
	for _, n := range groups {
		g := w.groups[n]
		for _, m := range g.members {
			if w.back {
				if !g.fixed && !g.client && w.versions[c[m]].Minor().Compare(w.request.Target.Minor()) > 0 {
					return false
				}
			} else if w.mustArrive(g) && !w.atTarget(c[m]) || w.toLimits && !w.atLimit(g, c[m]) {
				return false
			}
		}
	}
	return w.back || w.valid(c, in)
}

// moves yields the possible results of one move of a group.
func (w *walk) moves(g group, c combo, yield func(combo)) {
	target := w.request.Target.Minor()
	// A pool that does not have to arrive can go back to where a component allows it.
	mayStay := !w.back && g.pool && !w.mustArrive(g)
	for _, v := range w.candidates(g) {
		if !w.offered(g, v, c) {
			continue
		}
		for _, how := range []struct{ raise, lower bool }{{true, false}, {false, true}, {true, true}} {
			next, changes, ok := c, false, true
			for _, m := range g.members {
				older, newer := c[m] < v, c[m] > v
				minor := w.versions[c[m]].Minor()
				if !w.emulationAllows(c[m], v) {
					ok = false
					continue
				}
				switch {
				case older && how.raise && !w.back && w.versions[v].Minor().Compare(target) <= 0:
				case newer && how.lower && (!g.api || w.back && minor != w.versions[v].Minor()) && (g.client || mayStay || minor.Compare(target) >= 0 && (!w.back || w.versions[v].Minor().Compare(target) >= 0)):
				case older && how.raise && g.client:
				default:
					continue
				}
				next[m], changes = v, true
				ok = ok && w.withinSteps(m, c[m], v)
			}
			if ok && changes && (!g.api || w.controllersAllow(g, &c, &next)) && w.controlPlaneHas(g, &c, &next) {
				yield(next)
			}
		}
	}
}

// offered reports whether a group can move to a version. Without a list, plans only name
// patches that run and those in a rule about the component alone. API servers move to
// running patches of their own minor, others to those of API servers.
func (w *walk) offered(g group, v uint8, c combo) bool {
	if _, patched := w.versions[v].Patch(); !patched || len(w.available(g)) > 0 || w.versions[v].String() == w.request.Target.String() || !g.limit.IsZero() {
		return true
	}
	if slices.ContainsFunc(g.members, func(m int) bool {
		return slices.ContainsFunc(w.pairs[m], func(p pair) bool {
			return p.subject == p.reference && slices.ContainsFunc(patchesIn(w.request.Policy.PairRules[p.rule]), w.versions[v].Same)
		})
	}) {
		return true
	}
	ownMinor := g.api && w.versions[v].Minor() == w.versions[c[g.members[0]]].Minor()
	return slices.ContainsFunc(w.groups, func(other group) bool {
		return !other.client && (ownMinor || other.api && !g.api) && slices.ContainsFunc(other.members, func(m int) bool { return w.start[m] == v || c[m] == v })
	})
}

// patchesIn lists the patches at which the result of a requirement can change.
func patchesIn(r *policy.PairRule) (all []version.Version) {
	if r.Requirement == nil {
		return nil
	}
	for _, v := range r.Requirement.Require.Patches() {
		patch, _ := v.Patch()
		all = append(all, v, v.Minor().WithPatch(patch+1))
	}
	return all
}

// controlPlaneHas reports whether API servers have the patch that a group moves to, where
// patches count. This includes moves back to it.
func (w *walk) controlPlaneHas(g group, c, next *combo) bool {
	return !slices.ContainsFunc(g.members, func(m int) bool {
		return next[m] != c[m] && slices.ContainsFunc(w.pairs[m], func(p pair) bool {
			e := w.excess(p.rule, false, next[p.subject], next[p.reference])
			return p.subject == m && w.instances[p.reference].component == skew.APIServer && e.relation == finding.TooNew && e.by < 1000
		})
	})
}

// controllersAllow reports whether controllers allow a move of API servers, if they are as new
// as they can be before it. The parts of a search do not contain them.
func (w *walk) controllersAllow(g group, c, next *combo) bool {
	for _, m := range g.members {
		for _, p := range w.pairs[m] {
			if p.reference != m || next[m] <= c[m] || !w.isController(p.subject) || w.excess(p.rule, false, w.start[p.subject], w.start[m]).by > 0 {
				continue
			}
			newest := c[m]
			for _, q := range w.pairs[p.subject] {
				if q.subject == p.subject && w.instances[q.reference].component == skew.APIServer {
					newest = min(newest, c[q.reference])
				}
			}
			if w.excess(p.rule, true, newest, next[m]).by > 0 {
				return false
			}
		}
	}
	return true
}

// isController reports whether an instance moves on its own after API servers.
func (w *walk) isController(i int) bool {
	return slices.ContainsFunc(w.groups, func(g group) bool { return g.ctrl && g.members[0] == i })
}

// emulationAllows reports whether an instance can move from one version to another: while
// it emulates, first to minors that its binary has. Nothing starts to emulate.
func (w *walk) emulationAllows(from, to uint8) bool {
	a, b := w.versions[from], w.versions[to]
	_, emulates := a.Emulated()
	_, emulating := b.Emulated()
	switch {
	case emulates && b.Minor().Compare(a.Binary().Minor()) <= 0:
		return b.Binary().Same(a.Binary())
	case emulating:
		return false
	}
	return true
}

// maxStates is the maximum number of states that one search visits.
const maxStates = 400_000

// fewest returns the smallest number of rollouts with which the groups can reach the
// target. done is false if there are too many states.
func (w *walk) fewest(groups []int) (rollouts int, found, done bool) {
	in := make([]bool, len(w.instances))
	for _, n := range groups {
		for _, m := range w.groups[n].members {
			in[m] = true
		}
	}
	best, via := map[combo]int{w.start: 0}, map[combo]combo{}
	layer := []combo{w.start}
	for cost := 0; len(layer) > 0; cost++ {
		var next []combo
		for i := 0; i < len(layer); i++ {
			c := layer[i]
			if best[c] != cost {
				continue
			}
			if w.arrived(&c, groups, in) {
				w.found = append(w.found, w.path(via, c)...)
				return cost, true, true
			}
			for _, n := range groups {
				g := w.groups[n]
				if g.fixed {
					continue
				}
				nextCost := cost
				if g.pool {
					nextCost++
				}
				w.moves(g, c, func(to combo) {
					if old, seen := best[to]; seen && old <= nextCost || !w.legal(&c, &to, g.members, in) {
						return
					}
					best[to], via[to] = nextCost, c
					if nextCost == cost {
						layer = append(layer, to)
					} else {
						next = append(next, to)
					}
				})
			}
			if len(best) > maxStates {
				return 0, false, false
			}
		}
		layer = next
	}
	return 0, false, true
}

// path describes the moves that lead to a combination.
func (w *walk) path(via map[combo]combo, c combo) (moves []string) {
	for before, moved := via[c]; moved; before, moved = via[c] {
		for i, in := range w.instances {
			if before[i] != c[i] {
				moves = append(moves, fmt.Sprintf("search: %s/%s %s to %s", in.location, in.component, w.versions[before[i]], w.versions[c[i]]))
			}
		}
		c = before
	}
	slices.Reverse(moves)
	return moves
}

// parts returns sets of groups that can be searched independently. Each contains the
// API servers, which other groups have in common, the groups that cannot move, and the
// cluster-wide kube-proxy if it runs on the pool.
func (w *walk) parts() [][]int {
	var common, others []int
	clusterWide := -1
	for n, g := range w.groups {
		switch {
		case g.location.Attribute == finding.KubeProxy:
			clusterWide = n
		case g.api, g.fixed && !g.pool:
			common = append(common, n)
		default:
			others = append(others, n)
		}
	}
	all := [][]int{common}
	if clusterWide >= 0 {
		all = append(all, append(slices.Clone(common), clusterWide))
	}
	for _, n := range others {
		part := append(slices.Clone(common), n)
		if g := w.groups[n]; clusterWide >= 0 && g.pool && slices.ContainsFunc(w.instances[w.groups[clusterWide].members[0]].places, func(p int) bool { return w.instances[g.members[0]].places[0] == p }) {
			part = append(part, clusterWide)
		}
		all = append(all, part)
	}
	return all
}

// answer returns the result of the search. Pools with a limit get to it if they can. The
// number of rollouts is a lower bound, and what a plan needs unless exact is false.
func (w *walk) answer() (rollouts int, exact, found, done bool) {
	found, exact = true, true
	for _, part := range w.parts() {
		w.toLimits = true
		n, ok, done := w.fewest(part)
		if done && !ok && slices.ContainsFunc(part, func(n int) bool { return !w.groups[n].limit.IsZero() }) {
			w.toLimits, exact = false, false
			n, ok, done = w.fewest(part)
		}
		if !done {
			return 0, false, false, false
		}
		rollouts, found = rollouts+n, found && ok
	}
	return rollouts, exact, found, true
}

// blocksKubeProxy reports whether a pool has to move before the cluster-wide kube-proxy can get
// to the target. Other pools that the kube-proxy blocks could wait until then.
func (w *walk) blocksKubeProxy() bool {
	target := uint8(w.index[w.request.Target.String()])
	return slices.ContainsFunc(w.groups, func(g group) bool {
		return g.location.Attribute == finding.KubeProxy && slices.ContainsFunc(w.pairs[g.members[0]], func(p pair) bool {
			c := w.start
			c[g.members[0]] = target
			return w.instances[p.reference].location.Attribute == finding.NodePools && w.excess(p.rule, false, c[p.subject], c[p.reference]).by > 0
		})
	})
}

func (w *walk) String() string {
	s := fmt.Sprintf("policy %s, target %s, strategy %q, available %v, for nodes %v, held %v, limits %v, local %t:", w.request.Policy.Name, w.request.Target, w.request.Strategy, w.request.Available, w.request.AvailableNodes, w.request.Held, w.request.Limits, w.request.Cluster.LocalEndpoint)
	for _, r := range w.request.Policy.StepRules {
		if len(r.Conditions) > 0 {
			conditions, _ := json.Marshal(r)
			s += fmt.Sprintf(" %s", conditions)
		}
	}
	for i, r := range w.instances {
		s += fmt.Sprintf(" %s/%s=%s", r.location, r.component, w.versions[w.start[i]])
	}
	return s
}
