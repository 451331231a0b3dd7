// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"cmp"
	"iter"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// state is how far a plan has come. It is never changed: moves lead to another
// state. What comes next depends on the state alone, so that planning anew from
// there gives the rest of the plan.
type state struct {
	*problem
	versions []version.Version // by instance
}

// unitMove is a unit that moves, and its instances that do: those that are not
// there yet.
type unitMove struct {
	unit
	to        version.Version
	instances []int
}

// apply is the state after some moves.
func (s state) apply(moves []unitMove) state {
	s.versions = slices.Clone(s.versions)
	for _, m := range moves {
		for _, i := range m.instances {
			s.versions[i] = m.to
		}
	}
	return s
}

// cluster is what runs in the state.
func (s state) cluster() skew.Cluster {
	c := skew.Cluster{LocalEndpoint: s.Cluster.LocalEndpoint, Places: slices.Clone(s.places)}
	n := 0
	for i := range c.Places {
		instances := slices.Clone(c.Places[i].Instances)
		for j := range instances {
			instances[j].Version = s.versions[n]
			n++
		}
		c.Places[i].Instances = instances
	}
	return c
}

// at is the version of an instance.
func (s state) at(instance int) version.Version { return s.versions[instance] }

// version is that of the first component of a unit.
func (s state) version(u unit) version.Version { return s.versions[u.instances[0]] }

// all reports whether something holds for every version of a unit.
func (s state) all(u unit, holds func(version.Version) bool) bool {
	return !slices.ContainsFunc(u.instances, func(i int) bool { return !holds(s.versions[i]) })
}

// atTarget reports whether a unit is at the target.
func (s state) atTarget(u unit) bool { return s.all(u, s.reached) }

// with returns the units that have a role.
func (s state) with(r role) []unit { return s.byRole[r] }

// apiServers returns the units of API servers and the oldest and newest minor
// among them.
func (s state) apiServers() (units []unit, oldest, newest version.Minor) {
	units = s.with(apiServer)
	for i, u := range units {
		m := s.version(u).Minor()
		if i == 0 || m.Compare(oldest) < 0 {
			oldest = m
		}
		if i == 0 || m.Compare(newest) > 0 {
			newest = m
		}
	}
	return units, oldest, newest
}

// direction is in which way versions change.
type direction int

const (
	up direction = 1 << iota
	down
)

// move is the move of a unit to a version: of what is older, newer, or both. ok
// is false if nothing moves or a step rule does not let it.
func (s state) move(u unit, to version.Version, d direction) (m unitMove, ok bool) {
	m = unitMove{unit: u, to: to}
	for _, i := range u.instances {
		switch order := compare(s.versions[i], to); {
		case order == 0, order < 0 && d&up == 0, order > 0 && d&down == 0:
			continue
		}
		if !s.instances[i].mayStep(s.versions[i], to) {
			return m, false
		}
		m.instances = append(m.instances, i)
	}
	return m, len(m.instances) > 0
}

// mayStep asks the step rules about a move.
func (i instance) mayStep(from, to version.Version) bool {
	return !slices.ContainsFunc(i.steps, func(r *policy.StepRule) bool { return relate(r, from, to) != withinStep })
}

// compare orders versions; of builds of one patch, those that have an order.
func compare(a, b version.Version) int {
	if order := a.Compare(b); order != 0 {
		return order
	}
	if order, ok := version.CompareBuilds(a, b); ok {
		return order
	}
	if a.Normalized() == b.Normalized() || a.Build() != "" && b.Build() == "" {
		return 0 // any build of a patch will do where none is asked for
	}
	return -1
}

// maxDistance bounds how far from the target a plan looks for a place for
// something, in minors: the longest upgrade and, beyond its ends, the widest limit.
const maxDistance = MaxPath + policy.MaxLimit

// minors yields the minors of the major of the target from the oldest to the newest
// that is given, as far as they are near enough to the target.
func (p *problem) minors(oldest, newest version.Minor) iter.Seq[version.Minor] {
	first, last := p.nearest(oldest), p.nearest(newest)
	return func(yield func(version.Minor) bool) {
		for m := first; m.Compare(last) <= 0 && oldest.Compare(newest) <= 0; m = m.Add(1) {
			if !yield(m) {
				return
			}
		}
	}
}

// minorsDown yields the same minors from the newest to the oldest.
func (p *problem) minorsDown(newest, oldest version.Minor) iter.Seq[version.Minor] {
	first, last := p.nearest(oldest), p.nearest(newest)
	return func(yield func(version.Minor) bool) {
		for m := last; m.Compare(first) >= 0 && oldest.Compare(newest) <= 0; m = m.Add(-1) {
			if !yield(m) {
				return
			}
		}
	}
}

// nearest is the minor near enough to the target that is closest to m.
func (p *problem) nearest(m version.Minor) version.Minor {
	target := p.Target.Minor()
	m = newer(m, target.Add(-min(maxDistance, target.Minor)))
	return older(m, target.Add(maxDistance))
}

// distance is how many minors there are from m to the target.
func (p *problem) distance(m version.Minor) int {
	skew, _ := m.Skew(p.Target.Minor())
	return max(skew, -skew)
}

// extent returns the oldest and the newest minor of a unit.
func (s state) extent(u unit) (oldest, newest version.Minor) {
	oldest = s.version(u).Minor()
	newest = oldest
	for _, i := range u.instances {
		m := s.versions[i].Minor()
		oldest, newest = older(oldest, m), newer(newest, m)
	}
	return oldest, newest
}

// older returns the older of two minors.
func older(a, b version.Minor) version.Minor {
	if cmp.Compare(a.Compare(b), 0) <= 0 {
		return a
	}
	return b
}

// newer returns the newer of two minors.
func newer(a, b version.Minor) version.Minor {
	if a.Compare(b) >= 0 {
		return a
	}
	return b
}
