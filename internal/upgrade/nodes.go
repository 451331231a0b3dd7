// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// nodeRoles is the roles that are at the target in the end, but need not be on
// the way.
var nodeRoles = []role{controlPlaneNode, nodePool, clusterKubeProxy}

// followControlPlane moves nodes after every step of the control plane, if asked
// for.
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

// moveNodes takes the nodes to the target, once the control plane is there.
func (s state) moveNodes() decision {
	for _, r := range append([]role{controller}, nodeRoles...) {
		if r == nodePool && s.Strategy == RequiredOnly {
			continue
		}
		var d decision
		for _, u := range s.with(r) {
			if !u.held && !s.atTarget(u) {
				d.moves = append(d.moves, s.toTarget(u)...)
			}
		}
		if d.made() {
			return d
		}
	}
	return decision{}
}

// toTarget takes a unit nearer to the target. What is newer goes back: the control
// plane is at the target, and does not catch up with it any more.
func (s state) toTarget(u unit) []unitMove {
	_, newest := s.extent(u)
	target := s.Target.Minor()
	goesBack := newest.Major == target.Major && (newest.Compare(target) > 0 || newest == target && s.tooNew(u))
	if goesBack {
		moves := s.downTo(u, target, up|down)
		if patch := s.newerPatch(target); len(patch) > 0 {
			patched := s.apply(patch)
			if !patched.tooNew(u) || moves == nil && patched.downTo(u, target, up|down) != nil {
				return patch
			}
		}
		if moves != nil {
			return moves
		}
		// Where one move is not enough, the last one takes what is older along.
		if s.downTo(u, target, down) == nil {
			for m := range s.minors(target.Add(1), newest.Add(-1)) {
				if moves := s.downTo(u, m, down); moves != nil {
					return moves
				}
			}
		}
	}
	if moves, ok := s.closestOrUnblock(u, func(state, unitMove) bool { return true }); ok || !goesBack {
		return moves
	}
	for m := range s.minors(target, newest) {
		if moves := s.downTo(u, m, down); moves != nil {
			return moves
		}
	}
	return nil
}

// downTo takes a unit back to a minor. If the unit is too new for something, the move
// has to improve that.
func (s state) downTo(u unit, m version.Minor, d direction) []unitMove {
	wanted := condition(keepsAll)
	if s.tooNew(u) {
		wanted = wanted.and(state.improves)
	}
	if move, ok := s.try(u, m, wanted, d); ok {
		return []unitMove{move}
	}
	return nil
}

// tooNew reports whether a unit is too new for something.
func (s state) tooNew(u unit) bool {
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			if p.subject == i && skew.Judge(p.rule, s.versions[i], s.versions[p.reference]) == finding.TooNew {
				return true
			}
		}
	}
	return false
}

// complete is blocked if something is not where the plan has to take it.
func (s state) complete() decision {
	var left []unitMove
	held := true
	for _, u := range s.units {
		if u.role == client || u.held || u.role == nodePool && s.Strategy == RequiredOnly || s.atTarget(u) {
			continue
		}
		to := s.Target
		if candidates := s.candidates(u, s.Target.Minor()); len(candidates) > 0 {
			to = candidates[0]
		} else if s.version(u).Minor() != s.Target.Minor() {
			return decision{blockers: []finding.Finding{s.notAvailable([]unit{u}, s.Target.Minor())}}
		}
		held = false
		left = append(left, unitMove{u, to, u.instances})
	}
	if len(left) > 0 {
		return decision{blockers: s.refusals(left)}
	}
	errors := s.errorsIn(skew.Evaluate(s.Policy, s.cluster()))
	if len(errors) == 0 {
		return decision{}
	}
	for _, u := range s.units {
		held = held && (u.held || !s.broken(u) || s.brokenByHeld(u))
	}
	return decision{blockers: []finding.Finding{}, held: held}
}

// brokenByHeld reports whether all that a unit breaks is beside node pools that
// must not move.
func (s state) brokenByHeld(u unit) bool {
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			n := s.instances[p.other(i)].unit
			if skew.Judge(p.rule, s.versions[p.subject], s.versions[p.reference]) != finding.Within && (n == noUnit || !s.units[n].held) {
				return false
			}
		}
	}
	return true
}

// repairClients moves clients that break the policy and always would. It costs
// nothing, and what follows is sound.
func (s state) repairClients() decision {
	var d decision
	for _, u := range s.with(client) {
		if s.broken(u) && !s.repairedOnTheWay(u) {
			d.moves = append(d.moves, s.repairOf(u)...)
		}
	}
	return d
}

// repairedOnTheWay reports whether a unit fits in somewhere on the way of the API
// servers to the target, without moving itself.
func (s state) repairedOnTheWay(u unit) bool {
	units, oldest, _ := s.apiServers()
	if oldest.Major != s.Target.Minor().Major {
		return false
	}
	for m := range s.minors(oldest.Add(1), s.Target.Minor()) {
		var moves []unitMove
		for _, api := range units {
			if move, ok := s.move(api, m.Version(), up); ok || s.version(api).Minor().Compare(m) < 0 {
				move.instances = api.instances
				moves = append(moves, move)
			}
		}
		if !s.apply(moves).broken(u) {
			return true
		}
	}
	return false
}

// repair moves what still breaks the policy when all that is to be at the target
// is there: to the version nearest to the target that breaks nothing.
func (s state) repair() decision {
	var d decision
	for _, u := range s.units {
		if u.role != apiServer && s.broken(u) {
			d.moves = append(d.moves, s.repairOf(u)...)
		}
	}
	return d
}

// repairOf is the move that repairs a unit, or takes it nearer to that.
func (s state) repairOf(u unit) []unitMove {
	repaired := func(s state, m unitMove) bool { return !s.apply([]unitMove{m}).broken(u) }
	oldest, newest := s.extent(u)
	target := s.Target.Minor()
	if oldest.Major != target.Major || newest.Major != target.Major {
		return nil
	}
	// A newer patch of the API servers may be all that is missing.
	if patch := s.newerPatch(target); len(patch) > 0 && !s.apply(patch).broken(u) {
		return patch
	}
	if u.held {
		return nil
	}
	// Any minor will do for what need not be at the target; nothing else is newer
	// than the target but a client.
	oldest, newest = older(oldest, target).Add(-policy.MaxLimit), newer(newest, target)
	if u.role == client {
		newest = newest.Add(policy.MaxLimit)
	}
	minors := slices.Collect(s.minors(oldest, newest))
	slices.SortStableFunc(minors, func(a, b version.Minor) int { return s.distance(a) - s.distance(b) })
	for _, m := range minors {
		if move, ok := s.try(u, m, condition(keepsAll).and(repaired), up, up|down, down); ok {
			return []unitMove{move}
		}
	}
	return s.toTarget(u) // one move is not enough
}

// improves reports whether a move takes a pair nearer to its limit.
func (s state) improves(m unitMove) bool {
	for _, i := range m.instances {
		for _, p := range s.instances[i].pairs {
			if p.worse(s.afterMove(m), s.at) {
				return true
			}
		}
	}
	return false
}
