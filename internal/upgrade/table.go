// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// table holds the fewest rollouts that node pools have left, by the versions of the API
// servers and of the pool. It is computed backwards from the target, and considers each
// pool by itself: beside the API servers and what the plan does not move.
type table struct {
	start  state
	levels []level          // from the current versions to the target
	fewest []map[string]int // by level, and the kind and versions of the pool
}

// level is a stop of the API servers on their way to the target: those that are older than a
// minor have moved to it. The first level can be followed by one with a newer patch.
type level struct {
	state // its own copy, in which the versions of a pool are replaced
	minor version.Minor
	next  []int // the levels to which one step can lead
}

// noWay is the number of rollouts if a pool cannot get to the target.
const noWay = 1 << 20

// maxLevels is the maximum number of levels of a table, which bounds its work. Beyond them, it
// counts no rollouts.
const maxLevels = 16

// table returns the table from the current versions of the API servers. It keeps that of one
// state.
func (s state) table() *table {
	if s.known == nil || &s.known.start.versions[0] != &s.versions[0] {
		s.known = s.newTable()
	}
	return s.known
}

func (s state) newTable() *table {
	units, oldest, _ := s.apiServers()
	if len(units) == 0 {
		oldest = s.Target.Minor()
	}
	t := &table{start: s, levels: []level{{state: s.apply(nil), minor: oldest}}}
	if patch := s.apiServerPatch(oldest); len(patch) > 0 {
		t.levels = append(t.levels, level{state: s.apply(patch), minor: oldest})
	}
	controllers := s.unitsOf(controller)
	for m := range s.minors(oldest.Add(1), s.Target.Minor()) {
		l := level{state: s.apply(nil), minor: m}
		exists := false
		for _, u := range units {
			if candidates := s.candidates(u, m); len(candidates) > 0 && s.version(u).Minor().Compare(m) < 0 {
				exists = true
				l.set(u, candidates[:1])
			}
		}
		if !exists {
			continue
		}
		if len(t.levels) == maxLevels {
			break
		}
		for _, u := range controllers { // these follow
			if candidates := l.candidates(u, m); len(candidates) > 0 && l.version(u).Minor().Compare(m) < 0 {
				l.set(u, candidates[:1])
			}
		}
		t.levels = append(t.levels, l)
	}
	t.fewest = make([]map[string]int, len(t.levels))
	for i := range t.fewest {
		t.fewest[i] = map[string]int{}
	}
	for i := range t.levels {
		for j := i + 1; j < len(t.levels); j++ {
			if t.levels[i].leadsToLevel(units, t.levels[j]) {
				t.levels[i].next = append(t.levels[i].next, j)
			}
		}
	}
	return t
}

// set replaces the versions of the instances of a unit. One version stands for all.
func (l level) set(u unit, versions []version.Version) {
	for i, n := range u.instances {
		l.versions[n] = versions[min(i, len(versions)-1)]
	}
}

// versionsOf returns the versions of the instances of a unit.
func (s state) versionsOf(u unit) []version.Version {
	versions := make([]version.Version, len(u.instances))
	for i, n := range u.instances {
		versions[i] = s.versions[n]
	}
	return versions
}

// after returns the versions of the instances of a unit after a move.
func (m unitMove) after(versions []version.Version) []version.Version {
	after := slices.Clone(versions)
	for i, n := range m.unit.instances {
		if slices.Contains(m.instances, n) {
			after[i] = m.to
		}
	}
	return after
}

// leadsToLevel reports whether API servers can move to another level in one step, as far as
// only they and the controllers are concerned.
func (l level) leadsToLevel(units []unit, to level) bool {
	var moves []unitMove
	for _, u := range units {
		if l.version(u).Minor() != l.minor || l.version(u) == to.version(u) {
			continue
		}
		m, ok := l.moveToVersion(u, to.version(u), up)
		if !ok {
			return false
		}
		moves = append(moves, m)
	}
	after := l.apply(moves)
	for p, mover := range l.changedPairs(moves, after) {
		if l.inControlPlane(p.subject) && l.inControlPlane(p.reference) && l.worseInAnyOrder(p, after, mover) {
			return false
		}
	}
	return true
}

// inControlPlane reports whether an instance moves with the API servers or after them.
func (p *planner) inControlPlane(i int) bool {
	n := p.instances[i].unit
	return n != noUnit && p.units[n].role <= controller
}

// afterStep returns the fewest rollouts of a node pool if the API servers move to a minor next.
func (t *table) afterStep(u unit, to version.Minor) int {
	now := t.levels[0].minor
	only := *t
	only.levels, only.fewest = slices.Clone(t.levels), slices.Clone(t.fewest)
	for i := range only.levels {
		if l := &only.levels[i]; l.minor == now {
			l.next = slices.DeleteFunc(slices.Clone(l.next), func(n int) bool { return t.levels[n].minor != now && t.levels[n].minor != to })
			only.fewest[i] = map[string]int{}
		}
	}
	return only.left(u, 0, t.start.versionsOf(u))
}

// resolves reports whether moves of the API servers resolve the violations of a client.
func (t *table) resolves(u unit) bool {
	return slices.ContainsFunc(t.levels, func(l level) bool {
		l.set(u, t.start.versionsOf(u))
		return !l.violatesRule(u)
	})
}

// canFollow reports whether a client that violates no rule can get to the target with the API
// servers. Before each of their steps, it has to be at a version that is also allowed after it.
func (t *table) canFollow(u unit) bool {
	reached := map[int]bool{0: true}
	for i, l := range t.levels {
		if !reached[i] {
			continue
		}
		if i == maxLevels-1 || l.minor == l.Target.Minor() {
			return true
		}
		for _, n := range l.next {
			reached[n] = reached[n] || l.allowsBeside(u, t.levels[n])
		}
	}
	return false
}

// allowsBeside reports whether a version of a client violates no rule at this level and at
// another one.
func (l level) allowsBeside(u unit, to level) bool {
	for m := range l.minors(l.minor.Add(-policy.MaxLimit), to.minor.Add(policy.MaxLimit)) {
		for _, v := range l.candidates(u, m) {
			l.set(u, []version.Version{v})
			to.set(u, []version.Version{v})
			if !l.violatesRule(u) && !to.violatesRule(u) {
				return true
			}
		}
	}
	return false
}

// left returns the fewest rollouts of a node pool with some versions if the API servers are
// at a level.
func (t *table) left(u unit, at int, versions []version.Version) int {
	l := t.levels[at]
	key := l.kind(u, versions)
	if fewest, known := t.fewest[at][key]; known {
		return fewest
	}
	t.fewest[at][key] = noWay // no way leads through the same versions again
	l.set(u, versions)
	fewest := noWay
	if at == maxLevels-1 {
		fewest = 0
	}
	for _, n := range l.next {
		to := t.levels[n]
		to.set(u, versions)
		if fewest > 0 && !l.blocksStep(u, to) {
			fewest = min(fewest, t.left(u, n, versions))
		}
	}
	var ways []unitMove
	if fewest > 1 { // otherwise, a rollout here saves none
		ways = l.ways(u)
	}
	if l.minor == l.Target.Minor() && l.canEnd(u, len(ways) > 0 || len(l.next) > 0) {
		fewest = 0
	}
	for _, m := range ways {
		if fewest > 1 {
			fewest = min(fewest, 1+t.left(u, at, m.after(versions)))
		}
	}
	t.fewest[at][key] = fewest
	return fewest
}

// canEnd reports whether a plan can end with the versions of a node pool. A pool with a limit
// goes on as long as it can.
func (l level) canEnd(u unit, goesOn bool) bool {
	switch {
	case l.mustArrive(u):
		return l.atTarget(u)
	case l.Strategy != RequiredOnly && goesOn:
		return false
	}
	for _, i := range u.instances {
		for _, p := range l.instances[i].pairs {
			if !l.isOtherUnit(p.other(i), u) && l.check(p) != finding.Within {
				return false
			}
		}
	}
	return true
}

// kind is a key for units that are treated the same way.
func (s state) kind(u unit, versions []version.Version) string {
	var key strings.Builder
	key.WriteString(u.limit.String() + s.waived.Key(s.places[u.place].Location))
	if u.role != nodePool {
		key.WriteString("\x00" + s.places[u.place].Location.String())
	}
	for i, n := range u.instances {
		key.WriteString("\x00" + s.instances[n].component + "\x00" + versions[i].String())
	}
	return key.String()
}

// blocksStep reports whether a step of the API servers makes a pair with a unit worse.
func (l level) blocksStep(u unit, to level) bool {
	for _, i := range u.instances {
		for _, p := range l.instances[i].pairs {
			if l.inControlPlane(p.other(i)) && p.worse(l.instanceVersion, to.instanceVersion) {
				return true
			}
		}
	}
	return false
}

// bestWay returns the acceptable move of a node pool that leaves the fewest rollouts, and its
// minor. Of several, it returns the one that gets closest to the target. If a newer patch of
// the API servers saves a rollout, it moves them to that instead. ok is false if the largest
// move is the best, or if no way leads to the target.
func (s state) bestWay(u unit, acceptable condition) (moves []unitMove, to version.Minor, ok bool) {
	if s.rollback || u.role != nodePool || (s.Strategy != RequiredOnly || !s.violatesRule(u)) && !s.hasStepConditions(u) {
		return nil, to, false
	}
	t, fewest := s.table(), noWay
	for at, l := range t.levels {
		if l.minor != t.levels[0].minor {
			break
		}
		now := s // a level has other versions of the other pools
		if at > 0 {
			now = s.apply(s.apiServerPatch(l.minor))
		}
		l.set(u, s.versionsOf(u))
		for _, m := range l.ways(u) {
			if !acceptable(now, m) {
				continue
			}
			if left := t.left(u, at, m.after(s.versionsOf(u))); left < fewest {
				moves, to, fewest, ok = []unitMove{m}, m.to.Minor(), left, true
				if at > 0 {
					moves = s.apiServerPatch(l.minor)
				}
			}
			l.set(u, s.versionsOf(u))
		}
	}
	return moves, to, ok
}

// ways lists the moves of a unit that can lead to the target with the fewest rollouts. That
// is the largest one, unless step rules have conditions or the unit can end anywhere.
func (s state) ways(u unit) []unitMove {
	required := s.Strategy == RequiredOnly && u.role == nodePool
	if !required && !s.hasStepConditions(u) {
		moves, _, _ := s.closest(u, noPairWorseAlone)
		return slices.DeleteFunc(moves, func(m unitMove) bool { return m.index != u.index })
	}
	least, newest := s.minorRange(u)
	target := s.Target.Minor()
	if least != target || s.atTarget(u) {
		least = least.Add(1)
	}
	var moves []unitMove
	add := func(m version.Minor, d direction) {
		if move, ok := s.moveToMinor(u, m, noPairWorseAlone, d); ok {
			moves = append(moves, move)
		}
	}
	for m := range s.minorsDown(target, least) {
		if add(m, up); required || newest.Compare(target) > 0 {
			add(m, up|down)
		}
	}
	if required {
		within := func(i int) bool { return !s.violatesRule(unit{instances: []int{i}}) }
		for m := range s.minors(least, newest.Add(-1)) {
			move, ok := s.moveToMinor(u, m, noPairWorseAlone, down)
			if ok && (m.Compare(target) >= 0 || !slices.ContainsFunc(move.instances, within)) { // below the target only if it must
				moves = append(moves, move)
			}
		}
	}
	return moves
}

// hasStepConditions reports whether a step rule for a unit has conditions. Then a larger
// move is not always at least as good as a smaller one.
func (s state) hasStepConditions(u unit) bool {
	return slices.ContainsFunc(u.instances, func(i int) bool {
		return slices.ContainsFunc(s.instances[i].stepRules, func(r *policy.StepRule) bool { return len(r.Conditions) > 0 })
	})
}
