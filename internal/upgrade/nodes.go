package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// moveNodes takes the nodes to the target.
func (s state) moveNodes() (after state, ok bool) {
	if s, ok = s.run(nodesOrLaggards); ok {
		s, ok = s.run(remainingNodes)
	}
	return s, ok && len(s.errorsIn(skew.Evaluate(s.Policy, s.cluster))) == 0
}

// nodesOrLaggards moves nodes nearer to the target. What lags makes way if it
// holds its node back.
func nodesOrLaggards(s state) (state, []unitMove) {
	s, moves := nearer(node)(s)
	if len(moves) > 0 {
		return s, moves
	}
	now := s.combination(s.cluster)
	for _, u := range s.units {
		if u.role != lagging || s.atTarget(s.nodeOf(u)) {
			continue
		}
		if m, ok := s.closest(u, window(u, now)); ok {
			moves = append(moves, s.move(u, m))
		}
	}
	return s, moves
}

// remainingNodes moves nodes that no rule lets go to the target. That is
// refused, unless somebody accepts it.
func remainingNodes(s state) (state, []unitMove) {
	var moves []unitMove
	for _, u := range s.units {
		if u.role == node && !s.atTarget(u) && s.version(u).Minor().Major == s.Target.Minor().Major {
			moves = append(moves, s.move(u, s.Target.Minor()))
		}
	}
	return s, moves
}

// nodeOf is the node that something lags behind.
func (s state) nodeOf(u unit) unit {
	i := slices.IndexFunc(s.units, func(n unit) bool { return n.role == node && n.place == u.place })
	return s.units[i]
}
