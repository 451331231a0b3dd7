// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// nodeRoles are the roles that only have to be at the target when the plan ends.
var nodeRoles = []role{controlPlaneNode, nodePool, clusterKubeProxy}

// followControlPlane moves nodes after each step of the control plane if the strategy is
// Follow.
func (s state) followControlPlane() decision {
	if s.Strategy != Follow {
		return decision{}
	}
	for _, r := range nodeRoles {
		if d := s.moveRole(r); d.made() {
			return d
		}
	}
	return decision{}
}

// moveNodes moves the nodes to the target. It runs when the control plane is there.
func (s state) moveNodes() decision {
	for _, r := range append([]role{controller}, nodeRoles...) {
		if r == nodePool && s.Strategy == RequiredOnly {
			continue
		}
		moves := s.movesOf(s.unitsOf(r), func(u unit) []unitMove {
			if s.atTarget(u) {
				return nil
			}
			return s.movesToTarget(u)
		})
		if len(moves) > 0 {
			return decision{moves: moves}
		}
	}
	return decision{}
}

// movesToTarget moves a unit closer to the target. Instances that are newer than the
// target roll back, because the control plane does not move any further.
func (s state) movesToTarget(u unit) []unitMove {
	_, newest := s.minorRange(u)
	target := s.Target.Minor()
	if newest.Major == target.Major && (newest.Compare(target) > 0 || newest == target && s.tooNew(u)) {
		moves := s.rollBackTo(u, target, up|down)
		if patch := s.apiServerPatch(target); len(patch) > 0 {
			patched := s.apply(patch)
			if !patched.tooNew(u) || moves == nil && patched.rollBackTo(u, target, up|down) != nil {
				return patch
			}
		}
		if moves != nil {
			return moves
		}
		// If one rollback is not enough, the last one can also move older instances. So
		// first look for an intermediate minor.
		if s.rollBackTo(u, target, down) == nil {
			for m := range s.minors(target.Add(1), newest.Add(-1)) {
				if moves := s.rollBackTo(u, m, down); moves != nil {
					return moves
				}
			}
		}
	}
	moves, _ := s.closestOrUnblock(u, anyMove)
	return moves
}

// rollBackTo moves the instances of a unit that are newer than a minor back to it. With
// both directions, it also moves the older ones. It returns nil if that makes a pair worse.
func (s state) rollBackTo(u unit, m version.Minor, d direction) []unitMove {
	if move, ok := s.moveToMinor(u, m, noPairWorse, d); ok {
		return []unitMove{move}
	}
	return nil
}

// tooNew reports whether an instance of a unit is too new under a rule.
func (s state) tooNew(u unit) bool {
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			if p.subject == i && s.check(p) == finding.TooNew {
				return true
			}
		}
	}
	return false
}

// mustArrive reports whether a plan has to take a unit to the target.
func (s state) mustArrive(u unit) bool {
	return u.role != client && !u.held && u.limit.IsZero() && (u.role != nodePool || s.Strategy != RequiredOnly)
}

// checkComplete is blocked if a unit has not reached the version that the plan has to
// take it to, or if errors remain.
func (s state) checkComplete() decision {
	var left []unitMove
	for _, u := range s.units {
		if !s.mustArrive(u) || s.atTarget(u) {
			continue
		}
		to := s.Target
		if candidates := s.candidates(u, s.Target.Minor()); len(candidates) > 0 {
			to = candidates[0]
		} else if slices.ContainsFunc(u.instances, func(i int) bool { return s.versions[i].Minor() != s.Target.Minor() }) {
			return decision{blockers: []finding.Finding{s.notAvailable([]unit{u}, s.Target.Minor())}}
		}
		left = append(left, unitMove{u, to, u.instances})
	}
	if len(left) > 0 {
		return decision{blockers: s.errorsCausedBy(left)}
	}
	if errors := s.errors(); len(errors) > 0 {
		return decision{blockers: errors}
	}
	return decision{}
}

// repairClients moves clients that violate a rule, unless the other moves of the plan
// resolve the violation. Moving clients costs nothing, and the following combinations
// satisfy the rules, if the clients can follow the API servers.
func (s state) repairClients() decision {
	var d decision
	var end state
	var t *table
	for _, u := range s.unitsOf(client) {
		if !s.violatesRule(u) {
			continue
		}
		if t == nil {
			t, end = s.apply(s.moveControllers().moves).table(), s.end() // the API servers wait for controllers
		}
		if !end.violatesRule(u) || t.resolves(u) {
			continue
		}
		d.moves = append(d.moves, s.repairMoves(u, t.canFollow(u))...)
	}
	return d
}

// end returns the state in which everything that has to be at the target is there.
func (s state) end() state {
	var moves []unitMove
	for _, u := range s.units {
		if s.mustArrive(u) && !s.atTarget(u) {
			moves = append(moves, unitMove{u, s.Target, u.instances})
		}
	}
	return s.apply(moves)
}

// repair moves units that still violate a rule when everything else is at the target.
func (s state) repair() decision {
	var d decision
	for _, u := range s.units {
		switch {
		case u.role == apiServer && s.rejectedAlone(u, s.version(u)):
			if patch := s.apiServerPatch(s.Target.Minor()); len(patch) > 0 && !s.apply(patch).violatesRule(u) {
				return decision{moves: patch}
			}
		case u.role != apiServer && s.violatesRule(u):
			d.moves = append(d.moves, s.repairMoves(u, true)...)
		}
	}
	return d
}

// repairMoves moves a unit to the version closest to the target at which it violates no
// rule. If one move is not enough, or must not repair it, it moves the unit towards the target.
func (s state) repairMoves(u unit, inOneMove bool) []unitMove {
	repaired := func(s state, m unitMove) bool { return !s.apply([]unitMove{m}).violatesRule(u) }
	oldest, newest := s.minorRange(u)
	target := s.Target.Minor()
	if oldest.Major != target.Major || newest.Major != target.Major {
		return nil
	}
	// A newer patch of the API servers may be enough.
	if patch := s.apiServerPatch(target); len(patch) > 0 && !s.apply(patch).violatesRule(u) {
		return patch
	}
	if u.held {
		return nil
	}
	// The unit does not have to be at the target. It can be older, or newer if it is a
	// client.
	oldest, newest = older(oldest, target).Add(-policy.MaxLimit), newer(newest, target)
	if u.role == client {
		newest = newest.Add(policy.MaxLimit)
	}
	minors := slices.Collect(s.minors(oldest, newest))
	slices.SortStableFunc(minors, func(a, b version.Minor) int { return s.distance(a) - s.distance(b) })
	acceptable, directions := condition(noPairWorse).and(repaired), []direction{up, up | down, down}
	if inOneMove {
		for _, m := range minors {
			if move, ok := s.moveToMinor(u, m, acceptable, directions...); ok {
				return []unitMove{move}
			}
			if patch := s.apiServerPatchFor(u, m, acceptable, directions...); patch != nil {
				return patch
			}
		}
	}
	if u.role == nodePool && s.Strategy == RequiredOnly {
		if moves := s.startWayBack(u, minors, repaired); moves != nil {
			return moves
		}
	}
	moves := s.movesToTarget(u)
	if u.role == client { // a client that cannot be repaired stays where it is
		moves = slices.DeleteFunc(moves, func(m unitMove) bool { return m.index == u.index && !s.improves(m) })
	}
	return moves
}

// startWayBack returns the first of several moves that take a unit back to the first of some
// minors at which it violates no rule. It returns nil if no such way begins here.
func (s state) startWayBack(u unit, minors []version.Minor, repaired condition) []unitMove {
	_, newest := s.minorRange(u)
	for _, m := range minors {
		back := unitMove{unit: u}
		for _, i := range u.instances {
			if s.versions[i].Minor().Compare(m) > 0 {
				back.instances = append(back.instances, i)
			}
		}
		repairs := func(to version.Version) bool {
			back.to = to
			return noPairWorse(s, back) && repaired(s, back)
		}
		cannotGoBack := func(i int) bool {
			v := s.versions[i]
			return !s.instances[i].allowsStep(v, v.Minor().Add(-1).Version())
		}
		if slices.ContainsFunc(back.instances, cannotGoBack) || !slices.ContainsFunc(s.candidates(u, m), repairs) {
			continue
		}
		for via := range s.minors(m, newest.Add(-1)) {
			if move, ok := s.moveToMinor(u, via, noPairWorse, down); ok {
				return []unitMove{move}
			}
		}
	}
	return nil
}

// improves reports whether a move brings a pair closer to its limit.
func (s state) improves(m unitMove) bool {
	for _, i := range m.instances {
		for _, p := range s.instances[i].pairs {
			if p.worse(s.afterMove(m), s.instanceVersion) {
				return true
			}
		}
	}
	return false
}
