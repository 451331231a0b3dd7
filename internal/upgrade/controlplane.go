// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// evenOutAPIServers finishes an upgrade of the control plane that is half done:
// the oldest API servers go on, at most to where the newest are.
func (s state) evenOutAPIServers() decision {
	units, oldest, newest := s.apiServers()
	if oldest == newest || oldest.Major != newest.Major {
		return decision{}
	}
	to := newest
	if len(s.stepsBetween(units, oldest, newest)) == 0 {
		to = s.Target.Minor() // nothing in between is available
	}
	return s.step(units, oldest, oldest.Add(s.minorsToStep(units, oldest, to)))
}

// patchAPIServers takes the API servers to the patch of the target once they are at
// its minor: controllers and nodes follow them, also where no rule counts patches.
func (s state) patchAPIServers() decision {
	units, oldest, newest := s.apiServers()
	if target := s.Target.Minor(); len(units) > 0 && oldest == target && newest == target {
		return s.step(units, target, target)
	}
	return decision{}
}

// upgradeControlPlane takes the API servers a step nearer to the target, and
// moves what would be in the way first.
func (s state) upgradeControlPlane() decision {
	units, minor, _ := s.apiServers()
	target := s.Target.Minor()
	switch {
	case len(units) == 0, minor == target:
		return decision{}
	case minor.Major != target.Major || s.distance(minor) > MaxPath:
		return s.leap()
	}
	return s.step(units, minor, minor.Add(s.minorsToStep(units, minor, target)))
}

// rollBackControlPlane takes the newest API servers a step back, and moves first
// what would be too new for them. It ends when none is newer than the target.
func (s state) rollBackControlPlane() decision {
	units, _, newest := s.apiServers()
	target := s.Target.Minor()
	switch {
	case newest.Compare(target) <= 0:
		return decision{}
	case newest.Major != target.Major || s.distance(newest) > MaxPath:
		return s.leap()
	}
	for by := max(1, min(s.maxMinors, s.distance(newest))); ; by-- {
		d := s.step(units, newest, newest.Add(-by))
		if by <= 1 || !d.blocked() {
			return d
		}
	}
}

// leap is refused: the step rules say why API servers cannot go so far.
func (s state) leap() decision {
	var moves []unitMove
	for _, u := range s.with(apiServer) {
		if !s.atTarget(u) {
			moves = append(moves, unitMove{u, s.Target, u.instances})
		}
	}
	return decision{blockers: s.refusals(moves)}
}

// step moves the API servers that are at one minor to another one, or within it,
// and before that what would break a rule beside them.
func (s state) step(units []unit, from, to version.Minor) decision {
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
	if s.back {
		d = down
	}
	for _, u := range leaving {
		m, ok := s.move(u, candidates[0], d)
		if !ok && from != to {
			m = unitMove{u, candidates[0], u.instances}
			return decision{blockers: s.refusals([]unitMove{m})}
		}
		if ok {
			moves = append(moves, m)
		}
	}
	return s.makeWay(moves)
}

// makeWay is the step of the API servers or, while it would make a pair worse,
// moves of what is in its way.
func (s state) makeWay(step []unitMove) decision {
	inTheWay, stuck, held := s.inTheWayOf(step)
	if len(inTheWay) == 0 && !stuck {
		return decision{moves: step}
	}
	fits := leavesRoomFor(step)
	anyway := func(state, unitMove) bool { return true }
	var moves []unitMove
	for _, u := range inTheWay {
		if u.held || stuck || held {
			continue
		}
		for _, wanted := range []condition{fits, anyway} {
			if m, ok := s.closestOrUnblock(u, wanted); ok {
				moves = append(moves, m...)
				break
			}
		}
	}
	if len(moves) > 0 {
		return decision{moves: moves}
	}
	if missing := s.missing(inTheWay); len(missing) > 0 && !held {
		return decision{blockers: missing}
	}
	blockers := s.refusals(step)
	if len(blockers) == 0 { // it is the end of the plan that is out of reach
		for _, u := range inTheWay {
			step = append(slices.Clip(step), unitMove{u, s.Target, u.instances})
		}
		blockers = s.refusals(step)
	}
	return decision{blockers: blockers, held: held && !stuck}
}

// inTheWayOf is the units that have to move before a step of the API servers, as
// it would make a pair worse. stuck says that nothing they do would help, and held
// that one of them must not move.
func (s state) inTheWayOf(step []unitMove) (units []unit, stuck, held bool) {
	known := map[int]bool{}
	for _, p := range s.worsePairs(step) {
		movable := false
		for _, i := range []int{p.subject, p.reference} {
			n := s.instances[i].unit
			if n == noUnit || s.units[n].role == apiServer {
				continue
			}
			movable = true
			held = held || s.units[n].held
			if !known[n] {
				known[n] = true
				units = append(units, s.units[n])
			}
		}
		stuck = stuck || !movable
	}
	if s.back && step[0].to.Minor().Compare(s.Target.Minor()) <= 0 {
		// The plan ends here: nothing that it could take back may stay.
		for _, u := range s.units {
			_, newest := s.extent(u)
			if u.role != apiServer && u.role != client && !u.held && !known[u.index] && newest.Compare(s.Target.Minor()) > 0 {
				units = append(units, u)
			}
		}
	}
	return units, stuck, held
}

// missing complains of minors that are not available, and to which units could
// move otherwise.
func (s state) missing(units []unit) []finding.Finding {
	p := *s.problem
	p.Available, p.available = nil, nil
	free := state{&p, s.versions}
	var minors group.Map[version.Minor, []unit]
	var order []version.Minor
	for _, u := range units {
		if _, m, ok := free.closest(u, keepsAll); ok && len(s.candidates(u, m)) == 0 {
			of := minors.GetOrCreate(m, func() []unit { order = append(order, m); return nil })
			*of = append(*of, u)
		}
	}
	var findings []finding.Finding
	for i, m := range order {
		findings = append(findings, s.notAvailable(minors.All[i], m))
	}
	return findings
}

// moveControllers takes controllers as near to the target as the API servers
// allow.
func (s state) moveControllers() decision { return s.moveRole(controller) }

// moveRole takes all units of a role as near to the target as they may go.
func (s state) moveRole(r role) decision {
	var d decision
	for _, u := range s.with(r) {
		if u.held || s.atTarget(u) {
			continue
		}
		if moves, ok := s.closestOrUnblock(u, func(state, unitMove) bool { return true }); ok {
			d.moves = append(d.moves, moves...)
		}
	}
	return d
}

// maxMinorsPerStep is how many minors the policy lets an API server move at once
// on the way to the target.
func (r Request) maxMinorsPerStep(back bool) int {
	most := MaxPath
	for _, rule := range r.Policy.StepRulesFor(skew.APIServer) {
		limit := rule.MaxUpgrade
		if back {
			limit = rule.MaxDowngrade
		}
		if limit != nil && rule.Severity == policy.SeverityError {
			most = min(most, *limit)
		}
	}
	return most
}

// minorsToStep is how many minors API servers go at once on their way to another
// one: as many as the policy allows, unless that costs node pools a rollout.
func (s state) minorsToStep(units []unit, from, to version.Minor) int {
	steps := s.stepsBetween(units, from, to)
	if len(steps) == 0 {
		return 1
	}
	best, fewest := steps[0], -1
	if len(steps) == 1 || s.regular {
		return best
	}
	if len(steps) > maxTried {
		steps = append(steps[:1], steps[len(steps)-maxTried+1:]...)
	}
	for _, by := range steps {
		if rollouts, ok := s.rolloutsAfter(from, by); ok && (fewest < 0 || rollouts < fewest) {
			best, fewest = by, rollouts
		}
	}
	return best
}

// maxTried bounds how many sizes of a step are tried.
const maxTried = 4

// stepsBetween is the sizes of steps that API servers may take from one minor
// towards another one, to what is available, the largest first.
func (s state) stepsBetween(units []unit, from, to version.Minor) []int {
	var steps []int
	for by := min(max(1, s.maxMinors), to.Minor-from.Minor); by > 0; by-- {
		if len(s.candidates(units[0], from.Add(by))) > 0 {
			steps = append(steps, by)
		}
	}
	return steps
}

// rolloutsAfter is how often node pools have to move if API servers go on by some
// minors now, and from there on either by one minor or by as many as they may. ok
// is false if that leads nowhere.
func (s state) rolloutsAfter(from version.Minor, by int) (fewest int, ok bool) {
	for _, most := range []int{1, s.maxMinors} {
		p := *s.problem
		p.regular, p.maxMinors = true, by
		now, rollouts := state{&p, s.versions}, 0
		d := decision{}
		for range maxStages {
			if _, oldest, _ := now.apiServers(); oldest != from {
				p.maxMinors = most
			}
			if d = now.next(); len(d.moves) == 0 {
				break
			}
			batch := now.batch(d.moves)
			rollouts += now.rollouts(batch)
			now = now.apply(batch)
		}
		if !d.made() && (!ok || rollouts < fewest) {
			fewest, ok = rollouts, true
		}
	}
	return fewest, ok
}

// beyondTotal is what goes back further in all than a step rule allows, once a
// plan has led to another state.
func (s state) beyondTotal(end state) []finding.Finding {
	type key struct{ rule, from, to string }
	var groups group.Map[key, finding.Finding]
	for i, in := range s.instances {
		from, to := s.versions[i], end.versions[i]
		for _, r := range in.steps {
			back, _ := from.Minor().Skew(to.Minor())
			if r.MaxDowngradeTotal == nil || back <= *r.MaxDowngradeTotal {
				continue
			}
			f := groups.GetOrCreate(key{r.ID, from.String(), to.String()}, func() finding.Finding {
				least := from.Minor().Add(-*r.MaxDowngradeTotal)
				return finding.Finding{
					RuleID: r.ID, Severity: r.Severity, Source: r.Source,
					Subject:   finding.Side{Component: in.component, Version: to},
					Reference: finding.Side{Component: in.component, Version: from},
					Allowed:   finding.Window{Minimum: &least},
					Cause:     &finding.StepLimit{Rule: r, Comparable: true, Back: true, InAll: true},
				}
			})
			f.Subject.Locations = tidy(append(f.Subject.Locations, s.locations(s.units[in.unit])...))
		}
	}
	return groups.All
}
