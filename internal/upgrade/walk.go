package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// walker takes a cluster towards a target, stage by stage. The cluster is
// reduced: of places that are alike it holds two, which is enough to see how any
// number treat each other, and which always move together.
type walker struct {
	Request
	stride int // minors that API servers move at once
	now    skew.Cluster
	// alike is all the locations that a place of the cluster stands for.
	alike [][]finding.Location
	units []unit
	plan  Plan
}

// walk plans with steps of at most stride minors for the API servers.
func walk(r Request, stride int) Plan {
	w := &walker{Request: r, stride: stride}
	w.reduce()
	w.plan.Findings, _ = finding.Waive(errorsOf(skew.Evaluate(r.Policy, r.Cluster)), r.Waivers, r.Day)
	w.plan.Feasible = w.climb() && w.finish()
	if !w.plan.Feasible {
		w.plan.Stages, w.plan.ControlPlaneSteps, w.plan.NodePoolRollouts = nil, 0, 0
	}
	finding.Sort(w.plan.Findings)
	w.plan.Next = r.after(w.plan.Stages)
	return w.plan
}

// settle makes stages of the moves that next asks for until there are none any
// more.
func (w *walker) settle(next func() []relocation) bool {
	for range MaxPath {
		moves := next()
		if len(moves) == 0 {
			return true
		}
		if !w.take(moves) {
			return false
		}
	}
	return false
}

// repair moves what breaks the policy to where it may be, unless the control
// plane cures it on its way, or there is no such place yet.
func (w *walker) repair() bool {
	return w.settle(func() []relocation {
		for {
			now := w.scene(w.now)
			troubled := w.troubled(w.now)
			var moves []relocation
			for _, u := range w.units {
				allowed := window(u, now)
				if u.role == apiServer || !troubled[w.now.Places[u.place].Location] || w.fits(u, allowed) || w.cured(u) {
					continue
				}
				if m, ok := w.goal(u, allowed); ok {
					moves = append(moves, w.relocate(u, m))
				}
			}
			if len(moves) > 0 || !w.join(now) {
				return moves
			}
		}
	})
}

// troubled is where something breaks the policy in a cluster, and nobody accepts
// it.
func (w *walker) troubled(c skew.Cluster) map[finding.Location]bool {
	where := map[finding.Location]bool{}
	for _, f := range w.errorsIn(skew.Evaluate(w.Policy, c)) {
		for _, l := range slices.Concat(f.Subject.Locations, f.Reference.Locations) {
			where[l] = true
		}
	}
	return where
}

// join lets what lags go with its node where neither can be mended without the
// other. It reports whether it found such a node.
func (w *walker) join(now scene) bool {
	for i, u := range w.units {
		if u.role != lagging || w.fits(u, window(u, now)) || w.cured(u) {
			continue
		}
		n := w.nodeOf(u)
		n.components = slices.Concat(n.components, u.components)
		w.units = slices.Delete(w.units, i, i+1)
		return true
	}
	return false
}

// nodeOf is the node that something lags behind.
func (w *walker) nodeOf(u unit) *unit {
	i := slices.IndexFunc(w.units, func(n unit) bool { return n.role == node && n.place == u.place })
	return &w.units[i]
}

// cured reports whether a unit fits in somewhere on the way of the control
// plane without moving itself.
func (w *walker) cured(u unit) bool {
	m := w.now.Newest(skew.APIServer).Minor()
	step := w.Target.Minor().Compare(m)
	for range min(w.distance(m), MaxPath) {
		m = m.Add(step)
		var all []relocation
		for _, other := range w.units {
			if other.role == apiServer {
				all = append(all, relocation{other, m, m.Version()})
			}
		}
		if w.fits(u, window(u, w.scene(w.with(all)))) {
			return true
		}
	}
	return false
}

// climb takes the API servers to the target, and everything else along as far
// as it must go.
func (w *walker) climb() bool {
	for range 2 * MaxPath {
		if !w.repair() {
			return false
		}
		moves := w.wave()
		if len(moves) == 0 {
			return w.followers()
		}
		if !w.makeWay(moves) || !w.take(moves) || !w.followers() {
			return false
		}
	}
	// The target is further away than a plan goes: the step rules say how far.
	leap := w.wave()
	for i := range leap {
		leap[i].to = w.Target
	}
	w.plan.Findings = append(w.plan.Findings, w.refusals(w.with(leap))...)
	return false
}

// wave is the next move of API servers: those that are furthest from the
// target, by a stride.
func (w *walker) wave() []relocation {
	target := w.Target.Minor()
	var furthest *version.Minor
	for _, u := range w.units {
		if m := w.version(u).Minor(); u.role == apiServer && (furthest == nil || w.distance(m) > w.distance(*furthest)) {
			furthest = &m
		}
	}
	if furthest == nil {
		return nil
	}
	var moves []relocation
	m := furthest.Add(target.Compare(*furthest) * min(w.stride, w.distance(*furthest)))
	for _, u := range w.units {
		if u.role == apiServer && w.version(u).Minor() == *furthest && !w.reached(w.version(u)) {
			move := w.relocate(u, m)
			if furthest.Major != target.Major {
				move.to = w.Target // the step rule says what is wrong with that
			}
			moves = append(moves, move)
		}
	}
	return moves
}

// makeWay moves what would fall out of its window when the API servers move,
// to where it may be before and after.
func (w *walker) makeWay(wave []relocation) bool {
	return w.settle(func() []relocation {
		before, after := w.scene(w.now), w.scene(w.with(wave))
		if wave[0].to.Minor().Compare(w.version(wave[0].unit).Minor()) > 0 {
			after.policy = w.Policy.DuringUpgrade()
		}
		troubled := w.troubled(w.with(wave))
		var moves []relocation
		for _, u := range w.units {
			fitted := w.fits(u, window(u, before))
			accepted := !troubled[w.now.Places[u.place].Location]
			if u.role == apiServer || w.fits(u, window(u, after)) || !fitted && (accepted || w.cured(u)) {
				continue
			}
			// What can't move is in the way of the API servers, or has its
			// chance later, if it is broken already.
			if m, ok := w.goal(u, window(u, before, after)); ok {
				moves = append(moves, w.relocate(u, m))
			}
		}
		return moves
	})
}

// followers takes the controllers as near to the target as the API servers
// allow and, if asked for, the nodes.
func (w *walker) followers() bool {
	if !w.follow(controller) {
		return false
	}
	return w.Strategy != Follow || w.follow(node)
}

// follow moves all units of a role as near to the target as they may go.
func (w *walker) follow(r role) bool {
	return w.settle(func() []relocation { return w.nearer(r) })
}

// nearer is the moves of a role that lead nearer to the target now.
func (w *walker) nearer(r role) []relocation {
	now := w.scene(w.now)
	var moves []relocation
	for _, u := range w.units {
		if u.role != r || w.arrived(u) {
			continue
		}
		if m, ok := w.goal(u, window(u, now)); ok || m == w.Target.Minor() {
			moves = append(moves, w.relocate(u, m))
		}
	}
	return moves
}

// finish takes the nodes to the target. What lags makes way if it holds its
// node back.
func (w *walker) finish() bool {
	ok := w.settle(func() []relocation {
		moves := w.nearer(node)
		if len(moves) > 0 {
			return moves
		}
		now := w.scene(w.now)
		for _, u := range w.units {
			if u.role != lagging || w.arrived(*w.nodeOf(u)) {
				continue
			}
			if m, ok := w.goal(u, window(u, now)); ok {
				moves = append(moves, w.relocate(u, m))
			}
		}
		return moves
	})
	// What is left is refused, unless somebody accepts it.
	ok = ok && w.settle(func() []relocation {
		var left []relocation
		for _, u := range w.units {
			if u.role == node && !w.arrived(u) && w.version(u).Minor().Major == w.Target.Minor().Major {
				left = append(left, w.relocate(u, w.Target.Minor()))
			}
		}
		return left
	})
	return ok && len(w.errorsIn(skew.Evaluate(w.Policy, w.now))) == 0
}
