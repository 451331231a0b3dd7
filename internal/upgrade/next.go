// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// decision is the result of planning the next stage. The plan is complete if it has
// neither moves nor blockers.
type decision struct {
	moves []unitMove
	// blockers are the errors that stop the plan, nil if nothing does.
	blockers []finding.Finding
}

func (d decision) made() bool { return len(d.moves) > 0 || d.blocked() }

func (d decision) blocked() bool { return d.blockers != nil }

// next decides on the next moves. The first phase that has moves or is blocked
// decides.
func (s state) next() decision {
	phases := []func(state) decision{
		state.repairClients, state.finishAPIServers, state.moveControllers, state.followControlPlane,
		state.stepControlPlane, state.moveNodes, state.repair, state.checkComplete,
	}
	if s.rollback {
		phases = []func(state) decision{state.stepControlPlane}
	}
	for _, phase := range phases {
		if d := phase(s); d.made() {
			return d
		}
	}
	return decision{}
}

// condition reports whether a move is acceptable in a state.
type condition func(state, unitMove) bool

// anyMove accepts all moves.
func anyMove(state, unitMove) bool { return true }

// noPairWorse accepts moves that make no pair worse and no instance too new.
func noPairWorse(s state, m unitMove) bool { return s.makesNoPairWorse(m, false) }

// noPairWorseAlone works like noPairWorse, but ignores pairs with other units that can
// move too. Pairs with API servers count.
func noPairWorseAlone(s state, m unitMove) bool { return s.makesNoPairWorse(m, true) }

// and accepts the moves that both conditions accept.
func (c condition) and(d condition) condition {
	return func(s state, m unitMove) bool { return c(s, m) && d(s, m) }
}

// moveToMinor moves a unit to the newest acceptable version of a minor, in the first
// of the directions in which a version is acceptable.
func (s state) moveToMinor(u unit, m version.Minor, acceptable condition, directions ...direction) (unitMove, bool) {
	for _, d := range directions {
		for _, v := range s.candidates(u, m) {
			if move, possible := s.moveToVersion(u, v, d); possible && acceptable(s, move) {
				return move, true
			}
		}
	}
	return unitMove{}, false
}

// closest moves a unit as close to the target as it can get. If only a newer patch of
// the API servers makes a minor acceptable, it moves the API servers to that patch
// instead. It also returns the minor. ok is false if there is no acceptable move.
func (s state) closest(u unit, acceptable condition) (moves []unitMove, m version.Minor, ok bool) {
	oldest, newest := s.minorRange(u)
	target := s.Target.Minor()
	if oldest.Major != target.Major {
		return nil, m, false
	}
	if s.rollback {
		for m = range s.minors(target, newest) { // at last to an older patch
			if move, ok := s.moveToMinor(u, m, acceptable, down); ok {
				return []unitMove{move}, m, true
			}
		}
		return nil, m, false
	}
	directions := []direction{up}
	if newest.Compare(target) > 0 { // rolling this part back in the same move saves a rollout
		directions = []direction{up | down, up}
	}
	least := oldest
	if oldest != target || s.atTarget(u) {
		least = oldest.Add(1) // moving to a newer patch is only worth it at the target
	}
	if moves, m, ok = s.bestWay(u, acceptable); ok {
		return moves, m, true
	}
	for m = range s.minorsDown(target, least) {
		if move, ok := s.moveToMinor(u, m, acceptable, directions...); ok {
			return []unitMove{move}, m, true
		}
		if moves = s.apiServerPatchFor(u, m, acceptable, directions...); moves != nil {
			return moves, m, true
		}
	}
	if u.role == client && oldest.Compare(target) <= 0 {
		for m = range s.minors(target.Add(1), target.Add(policy.MaxLimit)) {
			if move, ok := s.moveToMinor(u, m, acceptable, up); ok {
				return []unitMove{move}, m, true
			}
		}
	}
	return nil, m, false
}

// apiServerPatchFor moves the API servers of a minor to a newer patch, if this is what
// makes a move of the unit to the minor acceptable. Otherwise, it returns nil.
func (s state) apiServerPatchFor(u unit, m version.Minor, acceptable condition, directions ...direction) []unitMove {
	if !slices.ContainsFunc(s.unitsOf(apiServer), func(api unit) bool { return s.version(api).Minor() == m }) {
		return nil
	}
	patch := s.apiServerPatch(m)
	if len(patch) == 0 {
		return nil
	}
	if _, ok := s.apply(patch).moveToMinor(u, m, acceptable, directions...); ok {
		return patch
	}
	return nil
}

// closestOrUnblock moves a unit as close to the target as it can get. If other units
// prevent it from getting closer, these move first, if they can. Rollouts of
// node pools are expensive, so they only move first if the unit cannot move at all.
func (s state) closestOrUnblock(u unit, acceptable condition) (moves []unitMove, ok bool) {
	moves, m, ok := s.closest(u, condition(noPairWorse).and(acceptable))
	if len(u.related) == 0 || ok && m == s.Target.Minor() {
		return moves, ok
	}
	alone, further, possible := s.closest(u, condition(noPairWorseAlone).and(acceptable))
	if !possible || ok && further == m {
		return moves, ok
	}
	if alone[0].role != u.role {
		return alone, true // the other units can only help after a newer patch of the API servers
	}
	var first []unitMove
	asked := map[int]bool{}
	for _, p := range s.worsePairs(alone) {
		for _, end := range []int{p.subject, p.reference} {
			if !s.isOtherUnit(end, u) || asked[s.instances[end].unit] {
				continue
			}
			other := s.units[s.instances[end].unit]
			asked[other.index] = true
			if other.role == nodePool {
				if own, _, movable := s.closest(u, noPairWorse); movable {
					return own, true
				}
			}
			if its, _, movable := s.closest(other, noPairWorse); movable && !other.held {
				first = append(first, its...)
			}
		}
	}
	if len(first) > 0 {
		return first, true
	}
	return moves, ok
}

// notAvailable returns the finding that units have to move to a minor without an
// available version.
func (s state) notAvailable(units []unit, m version.Minor) finding.Finding {
	first := units[0].instances[0]
	for _, i := range units[0].instances {
		if s.versions[i].Minor() != m {
			first = i // another component of the unit may be there already
			break
		}
	}
	component := s.instances[first].component
	var locations []finding.Location
	for _, u := range units {
		locations = append(locations, s.locations(u)...)
	}
	return finding.Finding{
		RuleID:    s.notOffered.ID,
		Severity:  policy.SeverityError,
		Source:    s.notOffered.Source,
		Subject:   finding.Side{Component: component, Version: s.Target, Locations: finding.Distinct(locations)},
		Reference: finding.Side{Component: component, Version: s.versions[first]},
		Allowed:   finding.Window{Minimum: &m, Maximum: &m, Minors: []version.Minor{m}},
		Cause:     &finding.NotAvailable{Minor: m, NodePools: s.usesNodeVersions(units[0])},
	}
}

// locations returns all locations that a unit represents.
func (s state) locations(u unit) []finding.Location {
	if u.role == clusterKubeProxy {
		return []finding.Location{s.instances[u.instances[0]].location}
	}
	locations := make([]finding.Location, len(s.represented[u.place]))
	for n, i := range s.represented[u.place] {
		locations[n] = s.Cluster.Places[i].Location
	}
	return locations
}
