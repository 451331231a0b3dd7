// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// decision is what to do in a state. The plan is complete if it has neither
// moves nor blockers.
type decision struct {
	moves []unitMove
	// blockers is why the plan can go no further.
	blockers []finding.Finding
	// held says that this is because a node pool must not move.
	held bool
}

func (d decision) made() bool { return len(d.moves) > 0 || d.blocked() }

func (d decision) blocked() bool { return d.blockers != nil }

// next tells what can be moved in a state: the first of its phases that has
// something to move, or that is blocked, decides.
func (s state) next() decision {
	phases := []func(state) decision{
		state.repairClients, state.evenOutAPIServers, state.patchAPIServers, state.moveControllers, state.followControlPlane,
		state.upgradeControlPlane, state.moveNodes, state.repair, state.complete,
	}
	if s.back {
		phases = []func(state) decision{state.rollBackControlPlane}
	}
	for _, phase := range phases {
		if d := phase(s); d.made() {
			return d
		}
	}
	return decision{}
}

// condition tells which moves are wanted in a state.
type condition func(state, unitMove) bool

// keepsAll wants moves that make no pair worse.
func keepsAll(s state, m unitMove) bool { return s.keeps(m, false) }

// keepsAlone leaves out what other units could make way for.
func keepsAlone(s state, m unitMove) bool { return s.keeps(m, true) }

// and wants what both conditions want.
func (c condition) and(d condition) condition {
	return func(s state, m unitMove) bool { return c(s, m) && d(s, m) }
}

// try is the move of a unit to the newest version of a minor that a condition
// allows, in the first direction in which there is one.
func (s state) try(u unit, m version.Minor, wanted condition, directions ...direction) (unitMove, bool) {
	for _, v := range s.candidates(u, m) {
		for _, d := range directions {
			if move, possible := s.move(u, v, d); possible && wanted(s, move) && !s.overshoots(move) {
				return move, true
			}
		}
	}
	return unitMove{}, false
}

// closest is the move that takes a unit as near to the target as a condition
// allows or, where only the patch of API servers is in the way of that, their move
// to a newer one. ok is false if there is no such move.
func (s state) closest(u unit, wanted condition) (moves []unitMove, m version.Minor, ok bool) {
	oldest, newest := s.extent(u)
	target := s.Target.Minor()
	if oldest.Major != target.Major {
		return nil, m, false
	}
	if s.back {
		for m = range s.minors(target, newest.Add(-1)) {
			if move, ok := s.try(u, m, wanted, down); ok {
				return []unitMove{move}, m, true
			}
		}
		return nil, m, false
	}
	directions := []direction{up}
	if newest.Compare(target) > 0 {
		directions = []direction{up | down, up} // the control plane never catches up with that
	}
	least := oldest
	if oldest != target || s.atTarget(u) {
		least = oldest.Add(1) // only at the target is a newer patch worth a move
	}
	for m = range s.minorsDown(s.newestToTry(u), least) {
		if move, ok := s.try(u, m, wanted, directions...); ok {
			return []unitMove{move}, m, true
		}
		if moves = s.withNewerPatch(u, m, wanted, directions...); moves != nil {
			return moves, m, true
		}
	}
	if u.role == client && oldest.Compare(target) <= 0 {
		for m = range s.minors(target.Add(1), target.Add(policy.MaxLimit)) {
			if move, ok := s.try(u, m, wanted, up); ok {
				return []unitMove{move}, m, true
			}
		}
	}
	return nil, m, false
}

// withNewerPatch is the move of the API servers of a minor to a newer patch, if
// that is what a unit needs to move to that minor.
func (s state) withNewerPatch(u unit, m version.Minor, wanted condition, directions ...direction) []unitMove {
	possible, fits := false, false
	for _, d := range directions {
		if move, ok := s.move(u, m.Version(), d); ok {
			possible, fits = true, fits || wanted(s, move)
		}
	}
	if possible && !fits {
		return nil // it is not the patch
	}
	patch := s.newerPatch(m)
	if len(patch) == 0 {
		return nil
	}
	if _, ok := s.apply(patch).try(u, m, wanted, directions...); ok {
		return patch
	}
	return nil
}

// closestOrUnblock is the move that takes a unit as near to the target as a
// condition allows. If another unit keeps it from going further, that one moves
// first, if it can; a node pool, whose moves are expensive, only if the unit can't
// move at all.
func (s state) closestOrUnblock(u unit, wanted condition) (moves []unitMove, ok bool) {
	moves, m, ok := s.closest(u, condition(keepsAll).and(wanted))
	if ok && m == s.Target.Minor() {
		return moves, true
	}
	alone, further, possible := s.closest(u, condition(keepsAlone).and(wanted))
	if !possible || ok && further == m || len(alone) == 0 || alone[0].role != u.role {
		return moves, ok
	}
	for _, p := range s.worsePairs(alone) {
		for _, end := range []int{p.subject, p.reference} {
			if !s.isOther(end, u) {
				continue
			}
			other := s.units[s.instances[end].unit]
			if other.role == nodePool {
				if own, _, movable := s.closest(u, keepsAll); movable {
					return own, true
				}
			}
			if first, _, movable := s.closest(other, keepsAll); movable && !other.held {
				return first, true
			}
		}
	}
	return moves, ok
}

// refusals is what speaks against some moves: the errors that they bring.
func (s state) refusals(moves []unitMove) []finding.Finding {
	type key struct {
		rule  string
		where finding.Location
	}
	now, next := s.cluster(), s.apply(moves).cluster()
	broken := map[key]bool{}
	for _, f := range s.errorsIn(skew.Evaluate(s.Policy, now)) {
		for _, l := range f.Subject.Locations {
			broken[key{f.RuleID, l}] = true
		}
	}
	refusals := []finding.Finding{}
	for _, f := range s.errorsIn(skew.Evaluate(s.Policy, next)) {
		if !broken[key{f.RuleID, f.Subject.Locations[0]}] {
			refusals = append(refusals, f)
		}
	}
	return append(refusals, s.errorsIn(Evaluate(s.Policy, now, next, Any).Findings)...)
}

// notAvailable complains that no version of a minor is available that some units
// have to move to.
func (s state) notAvailable(units []unit, m version.Minor) finding.Finding {
	u := units[0]
	component := s.instances[u.instances[0]].component
	var everywhere []finding.Location
	for _, u := range units {
		everywhere = append(everywhere, s.locations(u)...)
	}
	f := finding.Finding{
		RuleID:    component,
		Severity:  policy.SeverityError,
		Source:    s.Policy.Source,
		Subject:   finding.Side{Component: component, Version: s.Target, Locations: tidy(everywhere)},
		Reference: finding.Side{Component: component, Version: s.version(u)},
		Allowed:   finding.Window{Minimum: &m, Maximum: &m, Minors: []version.Minor{m}},
		Cause:     &finding.NotAvailable{Minor: m},
	}
	for _, r := range s.Policy.StepRulesFor(component) {
		f.RuleID, f.Source = r.ID, r.Source
	}
	return f
}

// locations is all the places that a unit stands for.
func (s state) locations(u unit) []finding.Location {
	if u.role == clusterKubeProxy {
		return []finding.Location{s.instances[u.instances[0]].at}
	}
	return s.alike[u.place]
}

// errorsIn returns the errors among some findings that nobody has accepted.
func (r Request) errorsIn(findings []finding.Finding) []finding.Finding {
	findings, _ = finding.Waive(findings, r.Waivers, r.Day)
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return !f.IsUnwaivedError() })
}
