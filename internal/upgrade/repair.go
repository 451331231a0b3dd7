package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// repair moves what breaks the policy to where it may be, unless the control
// plane repairs it on its way, or there is no such place yet.
func repair(s state) (state, []unitMove) {
	now := s.combination(s.cluster)
	broken := s.broken(s.cluster)
	for {
		var moves []unitMove
		for _, u := range s.units {
			allowed := window(u, now)
			if u.role == apiServer || !broken[s.cluster.Places[u.place].Location] || s.within(u, allowed) || s.repairedOnTheWay(u) {
				continue
			}
			if m, ok := s.closest(u, allowed); ok {
				moves = append(moves, s.move(u, m))
			}
		}
		joined, ok := s.join(now)
		if len(moves) > 0 || !ok {
			return s, moves
		}
		s = joined
	}
}

// broken is where something breaks the policy in a cluster, and nobody accepts
// it.
func (s state) broken(c skew.Cluster) map[finding.Location]bool {
	where := map[finding.Location]bool{}
	for _, f := range s.errorsIn(skew.Evaluate(s.Policy, c)) {
		for _, l := range slices.Concat(f.Subject.Locations, f.Reference.Locations) {
			where[l] = true
		}
	}
	return where
}

// join lets what lags go with its node where neither can be repaired without the
// other. ok is false if there is no such node.
func (s state) join(now combination) (joined state, ok bool) {
	for i, u := range s.units {
		if u.role != lagging || s.within(u, window(u, now)) || s.repairedOnTheWay(u) {
			continue
		}
		units := slices.Clone(s.units)
		leader := slices.IndexFunc(units, func(n unit) bool { return n.role == node && n.place == u.place })
		units[leader].components = slices.Concat(units[leader].components, u.components)
		s.units = slices.Delete(units, i, i+1)
		return s, true
	}
	return s, false
}

// repairedOnTheWay reports whether a unit fits in somewhere on the way of the
// control plane without moving itself.
func (s state) repairedOnTheWay(u unit) bool {
	m := s.cluster.Newest(skew.APIServer).Minor()
	step := s.Target.Minor().Compare(m)
	for range min(s.distance(m), MaxPath) {
		m = m.Add(step)
		var moves []unitMove
		for _, other := range s.units {
			if other.role == apiServer {
				moves = append(moves, unitMove{other, m, m.Version()})
			}
		}
		if s.within(u, window(u, s.combination(s.with(moves)))) {
			return true
		}
	}
	return false
}
