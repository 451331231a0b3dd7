// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// finishAPIServers completes an upgrade of API servers that has been interrupted: it moves the
// oldest ones. It also moves those at the minor of the target to its patch. Controllers and
// nodes follow to that patch, even if no rule compares patches.
func (s state) finishAPIServers() decision {
	if _, oldest, newest := s.apiServers(); oldest == newest && oldest != s.Target.Minor() {
		return decision{}
	}
	return s.stepControlPlane()
}

// stepControlPlane moves the oldest API servers one step towards the target, after the
// units that block the step. A rollback moves the newest ones, until none is newer than the
// target.
func (s state) stepControlPlane() decision {
	units, minor, newest := s.apiServers()
	target := s.Target.Minor()
	if s.rollback {
		minor = newer(newest, target)
	}
	switch {
	case len(units) == 0, s.rollback && minor == target:
		return decision{}
	case minor == target:
		return s.stepAPIServers(units, target, target)
	case minor.Major != target.Major, s.distance(minor) > step.MaxPath:
		return s.blockedJump()
	case !s.leadsTo(units, minor, minor, target):
		if patch := s.apiServerPatch(minor); !s.rollback && s.apply(patch).leadsTo(units, minor, minor, target) {
			return decision{moves: patch}
		}
		return s.blockedJump()
	}
	var d decision
	for _, next := range s.nextMinors(units, minor, target) {
		if d = s.stepAPIServers(units, minor, next); !d.blocked() {
			break
		}
	}
	return d
}

// blockedJump is the decision if the API servers are too far from the target. Its
// blockers are the errors of a direct move.
func (s state) blockedJump() decision {
	var moves []unitMove
	for _, u := range s.unitsOf(apiServer) {
		if !s.atTarget(u) {
			moves = append(moves, unitMove{u, s.Target, u.instances})
		}
	}
	return decision{blockers: s.errorsCausedBy(moves)}
}

// stepAPIServers moves the API servers at one minor to another one, or to another
// patch, after the units that block the step.
func (s state) stepAPIServers(units []unit, from, to version.Minor) decision {
	var moves []unitMove
	var leaving []unit
	for _, u := range units {
		if s.version(u).Minor() == from && (from != to || !s.atTarget(u)) {
			leaving = append(leaving, u)
		}
	}
	if len(leaving) == 0 {
		return decision{}
	}
	candidates := s.candidates(leaving[0], to)
	if len(candidates) == 0 {
		return decision{blockers: []finding.Finding{s.notAvailable(leaving, to)}}
	}
	d := up
	if s.rollback {
		d = down
	}
	best := candidates[0]
	allowed := func(v version.Version) bool {
		return !slices.ContainsFunc(leaving, func(u unit) bool { _, ok := s.moveToVersion(u, v, d); return !ok })
	}
	if i := slices.IndexFunc(candidates, allowed); i >= 0 && from != to {
		best = candidates[i]
	}
	for _, u := range leaving {
		m, ok := s.moveToVersion(u, best, d)
		if !ok && from != to {
			m = unitMove{u, best, u.instances}
			return decision{blockers: s.errorsCausedBy([]unitMove{m})}
		}
		if ok {
			moves = append(moves, m)
		}
	}
	return s.stepOrUnblock(moves)
}

// stepOrUnblock moves the API servers unless this makes a pair worse. In that case, it
// moves the units that block the step.
func (s state) stepOrUnblock(step []unitMove) decision {
	blocking, stops := s.unitsBlocking(step)
	if len(blocking) == 0 && !stops {
		return decision{moves: step}
	}
	if stops {
		return decision{blockers: slices.DeleteFunc(s.errorsCausedBy(step), func(f finding.Finding) bool { return movable(f) && !s.involvesFixed(f) })}
	}
	compatible := staysCompatibleWith(step)
	moves := s.movesOf(blocking, func(u unit) []unitMove {
		moves, _, ok := s.bestWay(u, anyMove) // it can begin with a move that is not compatible
		if !ok || !noPairWorse(s, moves[0]) {
			moves, ok = s.closestOrUnblock(u, compatible)
		}
		if !ok {
			moves, _ = s.closestOrUnblock(u, s.getsCloser)
		}
		return moves
	})
	if len(moves) == 0 && step[0].to.Minor() == s.Target.Minor() {
		moves = s.makeWayForPatch(step, blocking)
	}
	if len(moves) > 0 {
		return decision{moves: moves}
	}
	if missing := s.missingVersions(blocking); len(missing) > 0 {
		return decision{blockers: missing}
	}
	blockers := s.errorsCausedBy(step)
	if len(blockers) == 0 { // the units must be at the target for the plan to end, but cannot get there
		for _, u := range blocking {
			step = append(slices.Clip(step), unitMove{u, s.Target, u.instances})
		}
		blockers = s.errorsCausedBy(step)
	}
	return decision{blockers: blockers}
}

// getsCloser accepts moves that can be one of several to make way for a step of the API
// servers. In a rollback, another patch of the same minor cannot.
func (s state) getsCloser(now state, m unitMove) bool {
	_, newest := now.minorRange(m.unit)
	return !s.rollback || newest != m.to.Minor()
}

// makeWayForPatch rolls back units with a newer patch than the one that the API servers
// move to. Until it can, it moves only those API servers that nothing blocks.
func (s state) makeWayForPatch(step []unitMove, blocking []unit) (moves []unitMove) {
	after := s.apply(step)
	for _, u := range blocking {
		if after.tooNew(u) {
			moves = append(moves, s.rollBackTo(u, s.Target.Minor(), down)...)
		}
	}
	for _, m := range step {
		if from := s.version(m.unit).Minor(); len(moves) == 0 && from == m.to.Minor() && len(s.worsePairs([]unitMove{m})) == 0 {
			return []unitMove{m}
		}
	}
	return moves
}

// unitsBlocking returns the units that have to move before a step of the API servers
// because the step would make a pair with them worse. stops says that no move of other units
// helps, because the step makes a pair worse that only it can move.
func (s state) unitsBlocking(step []unitMove) (units []unit, stops bool) {
	known := map[int]bool{}
	for _, p := range s.worsePairs(step) {
		canMove := false
		for _, i := range []int{p.subject, p.reference} {
			n := s.instances[i].unit
			if n == noUnit || s.units[n].role == apiServer || s.units[n].held {
				continue
			}
			canMove = true
			if !known[n] {
				known[n] = true
				units = append(units, s.units[n])
			}
		}
		stops = stops || !canMove
	}
	if s.rollback && step[0].to.Minor().Compare(s.Target.Minor()) <= 0 {
		// The plan ends with this step, so it has to move everything that is newer than
		// the target first.
		for _, u := range s.units {
			_, newest := s.minorRange(u)
			if u.role != apiServer && u.role != client && !u.held && !known[u.index] && newest.Compare(s.Target.Minor()) > 0 {
				units = append(units, u)
			}
		}
	}
	return units, stops
}

// missingVersions returns findings on the minors without an available version to which
// the units could move otherwise.
func (s state) missingVersions(units []unit) []finding.Finding {
	p := *s.planner
	p.Available, p.available, p.availableNodes = nil, nil, nil
	unrestricted := state{&p, s.versions}
	type list struct {
		minor version.Minor
		nodes bool
	}
	var missing group.Map[list, []unit]
	var order []version.Minor
	for _, u := range units {
		if _, m, ok := unrestricted.closest(u, noPairWorse); ok && len(s.candidates(u, m)) == 0 {
			of := missing.GetOrCreate(list{m, s.usesNodeVersions(u)}, func() []unit { order = append(order, m); return nil })
			*of = append(*of, u)
		}
	}
	var findings []finding.Finding
	for i, m := range order {
		findings = append(findings, s.notAvailable(missing.All[i], m))
	}
	return findings
}

// moveControllers moves controllers as close to the target as the API servers allow.
func (s state) moveControllers() decision { return s.moveRole(controller) }

// moveRole moves all units of a role as close to the target as they can get.
func (s state) moveRole(r role) decision {
	return decision{moves: s.movesOf(s.unitsOf(r), func(u unit) []unitMove {
		moves, _ := s.closestOrUnblock(u, anyMove)
		return moves
	})}
}

// movesOf collects the moves of units that are not held. Node pools with the same versions
// make the same moves, unless a rule relates them to each other.
func (s state) movesOf(units []unit, decide func(unit) []unitMove) []unitMove {
	type decided struct {
		first unit
		moves []unitMove
	}
	var all []unitMove
	var kinds group.Map[string, decided]
	for _, u := range units {
		if u.held {
			continue
		}
		if u.role != nodePool || slices.Contains(u.related, nodePool) {
			all = append(all, decide(u)...)
			continue
		}
		same := kinds.GetOrCreate(s.kind(u, s.versionsOf(u)), func() decided { return decided{u, decide(u)} })
		for _, m := range same.moves {
			all = append(all, m.by(same.first, u))
		}
	}
	return all
}

// by returns the move if another unit makes it in place of the first of its kind. Moves of
// other units stay the same.
func (m unitMove) by(first, u unit) unitMove {
	if m.index != first.index || u.index == first.index {
		return m
	}
	own := unitMove{unit: u, to: m.to}
	for _, i := range m.instances {
		own.instances = append(own.instances, u.instances[slices.Index(first.instances, i)])
	}
	return own
}

// maxMinorsPerStep returns the number of minors that the policy lets an API server
// move in one step.
func (r Request) maxMinorsPerStep(rollback bool) int {
	most := step.MaxPath
	for _, rule := range r.Policy.StepRulesFor(skew.APIServer) {
		if limit := rule.LargestMove(rollback); limit != nil {
			most = min(most, *limit)
		}
	}
	return most
}

// nextMinors lists the minors to which one step of the API servers can lead on the way to
// another one, or only the adjacent minor if no step is possible. Those that cost the fewest
// rollouts of node pools come first, and among these the furthest.
func (s state) nextMinors(units []unit, from, to version.Minor) []version.Minor {
	direction := 1
	if s.rollback {
		direction = -1
	}
	var minors []version.Minor
	for by := min(max(1, s.maxMinors), s.distance(from)); by > 0; by-- {
		if next := from.Add(direction * by); len(s.candidates(units[0], next)) > 0 && s.leadsTo(units, from, next, to) {
			minors = append(minors, next)
		}
	}
	if len(minors) == 0 {
		return []version.Minor{from.Add(direction)}
	}
	if len(minors) == 1 || s.rollback {
		return minors
	}
	rollouts := map[version.Minor]int{}
	for _, u := range s.unitsOf(nodePool) {
		if !u.held {
			for _, m := range minors {
				rollouts[m] += s.table().afterStep(u, m) * len(s.represented[u.place])
			}
		}
	}
	slices.SortStableFunc(minors, func(a, b version.Minor) int { return rollouts[a] - rollouts[b] })
	return minors
}

// leadsTo reports whether the step rules allow a step of the API servers at one minor,
// and further steps from there to another minor. It is true if no step rule has
// conditions, because larger steps can then always be split.
func (s state) leadsTo(units []unit, from, next, to version.Minor) bool {
	for _, u := range units {
		v, rules := s.version(u), s.instances[u.instances[0]].stepRules
		if v.Minor() != from || !slices.ContainsFunc(rules, func(r *policy.StepRule) bool { return len(r.Conditions) > 0 }) {
			continue
		}
		distance, _ := to.Skew(next)
		at := func(m version.Minor) version.Version {
			if m == from {
				return v
			}
			if available := s.candidates(u, m); len(available) > 0 {
				return available[0]
			}
			return m.Version()
		}
		steps := step.Steps(rules, to, distance, at)
		if steps[len(steps)-1] == step.Unreachable || next != from && !step.Allows(rules, v, at(next)) {
			return false
		}
	}
	return true
}

// totalDowngradeErrors returns the errors for instances that a plan to another state
// downgrades by more minors in total than a step rule allows.
func (s state) totalDowngradeErrors(end state) []finding.Finding {
	type key struct{ rule, from, to string }
	var groups group.Map[key, finding.Finding]
	for i, in := range s.instances {
		from, to := s.versions[i], end.versions[i]
		for _, r := range in.stepRules {
			limit, exceeded := step.ExceededInTotal(r, from, to)
			if !exceeded {
				continue
			}
			f := groups.GetOrCreate(key{r.ID, from.String(), to.String()}, func() finding.Finding { return step.NewFinding(limit, from, to) })
			f.Subject.Locations = finding.Distinct(append(f.Subject.Locations, s.locations(s.units[in.unit])...))
		}
	}
	return groups.All
}
