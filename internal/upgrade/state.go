package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// state is how far a plan has come. It is never changed: a stage leads to
// another state.
type state struct {
	Request
	minorsPerStep int // minors that API servers move at once
	// cluster is what runs now, reduced: of places that are alike it holds two,
	// which is enough to see how any number treat each other, and which always
	// move together.
	cluster skew.Cluster
	// alike is all the locations that a place of the cluster stands for.
	alike  [][]finding.Location
	units  []unit
	stages []Stage // that led here
	// blockers is why the plan can go no further; empty while it can.
	blockers []finding.Finding
}

// unitMove is a unit and where it goes: to the zero version if the minor is not
// available.
type unitMove struct {
	unit
	minor version.Minor
	to    version.Version
}

// move is a unit's move to the version to use of a minor.
func (s state) move(u unit, m version.Minor) unitMove {
	return unitMove{u, m, s.pick(m, s.cluster)}
}

// phase tells what can be moved next in a state, which may come back with units
// that are joined. No moves end a phase.
type phase func(state) (state, []unitMove)

// run makes stages of the moves of a phase until there are none left. ok is false
// if the plan can go no further.
func (s state) run(next phase) (after state, ok bool) {
	for range MaxPath {
		var moves []unitMove
		s, moves = next(s)
		if len(moves) == 0 {
			return s, true
		}
		if s, ok = s.apply(moves); !ok {
			return s, false
		}
	}
	return s, false
}

// apply is the state after the first stage that the moves make up. ok is false
// if that stage is refused, and the state then says why.
func (s state) apply(moves []unitMove) (after state, ok bool) {
	batch := s.batch(moves)
	if batch[0].to.IsZero() {
		return s.block(s.notAvailable(batch)), false
	}
	next := s.with(batch)
	if refusals := s.refusals(next); len(refusals) > 0 {
		return s.block(refusals...), false
	}
	after = s
	after.stages = append(slices.Clip(s.stages), s.stage(batch, next))
	after.cluster = next
	return after, true
}

// block is the state with reasons to go no further.
func (s state) block(reasons ...finding.Finding) state {
	s.blockers = slices.Concat(s.blockers, reasons)
	return s
}

// with is the cluster after some moves.
func (s state) with(moves []unitMove) skew.Cluster {
	c := skew.Cluster{LocalEndpoint: s.cluster.LocalEndpoint, Places: slices.Clone(s.cluster.Places)}
	for _, m := range moves {
		place := &c.Places[m.place]
		place.Instances = moved(place.Instances, m.components, m.to)
	}
	return c
}

func moved(instances []skew.Instance, components []string, to version.Version) []skew.Instance {
	instances = slices.Clone(instances)
	for i := range instances {
		if slices.Contains(components, instances[i].Component) {
			instances[i].Version = to
		}
	}
	return instances
}

// version is that of the unit's leading component; the others are at the same
// minor, unless they were joined to be repaired together.
func (s state) version(u unit) version.Version {
	v, _ := s.cluster.Places[u.place].Version(u.components[0])
	return v
}

// all reports whether something holds for every version of a unit.
func (s state) all(u unit, holds func(version.Version) bool) bool {
	for _, component := range u.components {
		if v, _ := s.cluster.Places[u.place].Version(component); !holds(v) {
			return false
		}
	}
	return true
}

// atTarget reports whether a unit is at the target.
func (s state) atTarget(u unit) bool { return s.all(u, s.reached) }

// within reports whether a unit is within a window.
func (s state) within(u unit, w finding.Window) bool {
	return s.all(u, func(v version.Version) bool { return w.Contains(v.Minor()) })
}

// combination is a cluster with its sites, of which places are asked.
type combination struct {
	policy *policy.Policy
	sites  *skew.Sites[version.Version]
}

func (s state) combination(c skew.Cluster) combination {
	return combination{s.Policy, c.SitesByPlace()}
}

// window is the minors a unit may have in all of some combinations.
func window(u unit, combinations ...combination) finding.Window {
	var bounds []skew.Bound
	for _, c := range combinations {
		for _, component := range u.components {
			bounds = append(bounds, skew.BoundsAt(c.policy, c.sites, c.sites.All[u.place], component, u.components)...)
		}
	}
	return skew.WindowOf(bounds)
}

// closest is the minor nearest to the target that a unit reaches in one move:
// within a window, and no further than its step rules allow. ok is false if it
// gets no nearer.
func (s state) closest(u unit, in finding.Window) (m version.Minor, ok bool) {
	from := s.version(u).Minor()
	m = s.Target.Minor()
	if in.Empty || from.Major != m.Major {
		return version.Minor{}, false
	}
	if in.Minimum != nil {
		m = newer(m, *in.Minimum)
	}
	if in.Maximum != nil {
		m = older(m, *in.Maximum)
	}
	for _, component := range u.components {
		for _, rule := range s.Policy.StepRulesFor(component) {
			if rule.MaxUpgrade != nil {
				m = older(m, from.Add(*rule.MaxUpgrade))
			}
			if rule.MaxDowngrade != nil {
				m = newer(m, from.Add(-*rule.MaxDowngrade))
			}
		}
	}
	return m, !s.all(u, func(v version.Version) bool { return v.Minor() == m })
}

// distance is how many minors there are from m to the target.
func (s state) distance(m version.Minor) int {
	skew, _ := m.Skew(s.Target.Minor())
	return max(skew, -skew)
}

// older returns the older of two minors.
func older(a, b version.Minor) version.Minor {
	return slices.MinFunc([]version.Minor{a, b}, version.Minor.Compare)
}

// newer returns the newer of two minors.
func newer(a, b version.Minor) version.Minor {
	return slices.MaxFunc([]version.Minor{a, b}, version.Minor.Compare)
}
