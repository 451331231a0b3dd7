// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"iter"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// state holds the versions at a stage of a plan. It is immutable: moves return another
// state. The next decision depends on the state only, so a new plan that starts from an
// intermediate state is the rest of the same plan.
type state struct {
	*planner
	versions []version.Version // by instance
}

// unitMove is a move of a unit. Only the listed instances move. The others already have
// the version.
type unitMove struct {
	unit
	to        version.Version
	instances []int
}

// apply returns the state after moves.
func (s state) apply(moves []unitMove) state {
	s.versions = slices.Clone(s.versions)
	for _, m := range moves {
		for _, i := range m.instances {
			s.versions[i] = m.to
		}
	}
	return s
}

// wholeCluster returns the cluster with the versions of the state.
func (s state) wholeCluster() skew.Cluster {
	all := s.Cluster
	all.Places = slices.Clone(all.Places)
	for i, place := range s.cluster().Places {
		for _, represented := range s.represented[i] {
			all.Places[represented].Instances = place.Instances
		}
	}
	return all
}

// cluster returns the places that represent the cluster, with the versions of the state.
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

// instanceVersion returns the version of an instance.
func (s state) instanceVersion(instance int) version.Version { return s.versions[instance] }

// check checks the rule of a pair.
func (s state) check(p relatedPair) finding.Relation {
	return skew.Check(p.rule, s.versions[p.subject], s.versions[p.reference])
}

// version returns the version of the first instance of a unit.
func (s state) version(u unit) version.Version { return s.versions[u.instances[0]] }

// atTarget reports whether all versions of a unit satisfy the target.
func (s state) atTarget(u unit) bool {
	return !slices.ContainsFunc(u.instances, func(i int) bool { return !s.satisfiesTarget(u, s.versions[i]) })
}

// unitsOf returns the units with a role.
func (s state) unitsOf(r role) []unit { return s.byRole[r] }

// apiServers returns the units of API servers, and their oldest and newest minor.
func (s state) apiServers() (units []unit, oldest, newest version.Minor) {
	units = s.unitsOf(apiServer)
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

// direction is a set of directions in which versions change.
type direction int

const (
	up direction = 1 << iota
	down
)

// moveToVersion moves instances of a unit to a version: those that are older, those that
// are newer, or both. ok is false if no instance moves or a step rule does not allow it.
func (s state) moveToVersion(u unit, to version.Version, d direction) (m unitMove, ok bool) {
	m = unitMove{unit: u, to: to}
	for n, i := range u.instances {
		switch order := compare(s.versions[i], to); {
		case order == 0, order < 0 && d&up == 0, order > 0 && d&down == 0:
			continue
		}
		if !s.instances[i].allowsStep(s.versions[i], to) {
			return m, false
		}
		if n == len(m.instances) { // all so far
			m.instances = u.instances[: n+1 : n+1]
		} else {
			m.instances = append(m.instances, i)
		}
	}
	return m, len(m.instances) > 0
}

// allowsStep reports whether the step rules allow a move.
func (m member) allowsStep(from, to version.Version) bool {
	return step.Allows(m.stepRules, from, to)
}

// compare compares versions like Version.Compare, and then their builds. If b has no
// build, any build of the same version is equal to it. If the builds have no order, it
// returns -1. Versions that stand for the same release are equal.
func compare(a, b version.Version) int {
	if a.Same(b) {
		return 0
	}
	if order := a.Compare(b); order != 0 {
		return order
	}
	if order, ok := version.CompareBuilds(a, b); ok {
		return order
	}
	if a.Build() != "" && b.Build() == "" {
		return 0
	}
	return -1
}

// maxDistance is the maximum distance from the target, in minors, at which a plan looks
// for versions: the longest upgrade plus the widest limit.
const maxDistance = step.MaxPath + policy.MaxLimit

// minors yields the minors from oldest to newest, in the major of the target and within
// maxDistance of it.
func (p *planner) minors(oldest, newest version.Minor) iter.Seq[version.Minor] {
	first, last := p.nearest(oldest), p.nearest(newest)
	return func(yield func(version.Minor) bool) {
		for m := first; m.Compare(last) <= 0 && oldest.Compare(newest) <= 0; m = m.Add(1) {
			if !yield(m) {
				return
			}
		}
	}
}

// minorsDown yields the same minors from newest to oldest.
func (p *planner) minorsDown(newest, oldest version.Minor) iter.Seq[version.Minor] {
	first, last := p.nearest(oldest), p.nearest(newest)
	return func(yield func(version.Minor) bool) {
		for m := last; m.Compare(first) >= 0 && oldest.Compare(newest) <= 0; m = m.Add(-1) {
			if !yield(m) || m == first { // which can be 1.0
				return
			}
		}
	}
}

// nearest returns the minor within maxDistance of the target that is closest to m.
func (p *planner) nearest(m version.Minor) version.Minor {
	target := p.Target.Minor()
	m = newer(m, target.Add(-min(maxDistance, target.Minor)))
	return older(m, target.Add(maxDistance))
}

// distance returns the number of minors between m and the target.
func (p *planner) distance(m version.Minor) int {
	skew, _ := m.Skew(p.Target.Minor())
	return max(skew, -skew)
}

// minorRange returns the oldest and the newest minor of a unit.
func (s state) minorRange(u unit) (oldest, newest version.Minor) {
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
	if a.Compare(b) <= 0 {
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
