package upgrade

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// moveControlPlane takes the API servers to the target, and everything else
// along as far as it must go.
func (s state) moveControlPlane() (after state, ok bool) {
	for range 2 * MaxPath {
		if s, ok = s.run(repair); !ok {
			return s, false
		}
		step := s.nextStep()
		if len(step) == 0 {
			return s.moveFollowers()
		}
		if s, ok = s.run(makeWay(step)); !ok {
			return s, false
		}
		if s, ok = s.apply(step); !ok {
			return s, false
		}
		if s, ok = s.moveFollowers(); !ok {
			return s, false
		}
	}
	// The target is further away than a plan goes: the step rules say how far.
	leap := s.nextStep()
	for i := range leap {
		leap[i].to = s.Target
	}
	return s.block(s.refusals(s.with(leap))...), false
}

// nextStep is the next move of API servers: those that are furthest from the
// target.
func (s state) nextStep() []unitMove {
	target := s.Target.Minor()
	var furthest *version.Minor
	for _, u := range s.units {
		if m := s.version(u).Minor(); u.role == apiServer && (furthest == nil || s.distance(m) > s.distance(*furthest)) {
			furthest = &m
		}
	}
	if furthest == nil {
		return nil
	}
	var moves []unitMove
	m := furthest.Add(target.Compare(*furthest) * min(s.minorsPerStep, s.distance(*furthest)))
	for _, u := range s.units {
		if u.role == apiServer && s.version(u).Minor() == *furthest && !s.reached(s.version(u)) {
			move := s.move(u, m)
			if furthest.Major != target.Major {
				move.to = s.Target // the step rule says what is wrong with that
			}
			moves = append(moves, move)
		}
	}
	return moves
}

// makeWay moves what would fall out of its window when the API servers take a
// step, to where it may be before and after.
func makeWay(step []unitMove) phase {
	return func(s state) (state, []unitMove) {
		before, after := s.combination(s.cluster), s.combination(s.with(step))
		if step[0].to.Minor().Compare(s.version(step[0].unit).Minor()) > 0 {
			after.policy = s.Policy.DuringUpgrade()
		}
		broken := s.broken(s.with(step))
		var moves []unitMove
		for _, u := range s.units {
			allowedNow := s.within(u, window(u, before))
			accepted := !broken[s.cluster.Places[u.place].Location]
			if u.role == apiServer || s.within(u, window(u, after)) || !allowedNow && (accepted || s.repairedOnTheWay(u)) {
				continue
			}
			// What can't move is in the way of the API servers, or has its
			// chance later, if it is broken already.
			if m, ok := s.closest(u, window(u, before, after)); ok {
				moves = append(moves, s.move(u, m))
			}
		}
		return s, moves
	}
}

// moveFollowers takes the controllers as near to the target as the API servers
// allow and, if asked for, the nodes.
func (s state) moveFollowers() (after state, ok bool) {
	if s, ok = s.run(nearer(controller)); !ok || s.Strategy != Follow {
		return s, ok
	}
	return s.run(nearer(node))
}

// nearer moves the units of a role as near to the target as they may go.
func nearer(r role) phase {
	return func(s state) (state, []unitMove) {
		now := s.combination(s.cluster)
		var moves []unitMove
		for _, u := range s.units {
			if u.role != r || s.atTarget(u) {
				continue
			}
			if m, ok := s.closest(u, window(u, now)); ok || m == s.Target.Minor() {
				moves = append(moves, s.move(u, m))
			}
		}
		return s, moves
	}
}
