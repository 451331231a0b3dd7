// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// candidate is a change to try: it moves some instances to one of several versions.
type candidate struct {
	// upgrade says that older instances move up to the version. Otherwise, newer ones stay
	// at it or move back to it.
	upgrade bool
	// to lists the versions, the closest first. One without a patch stands for its minor.
	to []version.Version
	// limited says that nothing is known about versions beyond the last one.
	limited  bool
	includes selection
}

// selection selects instances of a cluster.
type selection func(skew.Place, skew.Instance) bool

// changed lists the instances of a cluster that the candidate moves to get to a version.
func (c candidate) changed(cluster skew.Cluster, to version.Version) []placement {
	var all []placement
	for p, i := range cluster.Instances() {
		if i.Version.IsZero() || !c.includes(p, i) {
			continue
		}
		d := distance(to, i.Version)
		if d == 0 && isExact(to) && !to.Same(i.Version) {
			d = -1 // builds without an order count as older
		}
		if d != 0 && (d > 0) == c.upgrade {
			all = append(all, placement{p.At(i), i.Component})
		}
	}
	return all
}

// distance is positive if a version to move to is newer than another version, and negative
// if it is older. If it has no patch, only minors count.
func distance(to, v version.Version) int {
	if isExact(to) {
		return order(to, v)
	}
	return to.Minor().Compare(v.Minor())
}

func isExact(v version.Version) bool {
	_, patch := v.Patch()
	return patch
}

// candidates lists changes that may remove the problem. Changes of the subject come
// before those of the reference, and changes of few instances before those of many.
func (s *search) candidates() []candidate {
	f := s.first
	if _, scheme := f.PossibleRelease(); scheme != nil {
		return nil // another policy is needed, not another version
	}
	if c, ok := f.Cause.(*finding.NotOffered); ok {
		return s.offered(c)
	}
	violation, _ := f.Cause.(finding.Violation)
	switch c := violation.(type) {
	case *finding.Mismatch:
		switch {
		case c.Relation == finding.Unmet:
			return s.requirement(c.Rule)
		case s.isAdjacent():
			return s.unblocking(f.Subject.Version)
		}
		subject, reference := s.mismatch(c)
		olderMinor := s.subject(candidate{to: s.allowed(false)}) // if no patch works
		return slices.Concat(subject, reference, olderMinor)
	case *finding.StepLimit:
		if c.Patch && !s.isAdjacent() {
			return nil // the finding names the patch to keep
		}
		return s.stops(f.Reference.Version)
	case *finding.StepOrder:
		return s.stops(c.FromSubject)
	case *finding.ApplyOrder: // not repairable
	}
	return nil
}

// offered lists changes to versions that the platform offers: to the newest one of the same
// minor, or without one to the nearest newer or older minor. Without a step, any minor in use
// follows: the policy may refuse these.
func (s *search) offered(c *finding.NotOffered) []candidate {
	if s.isAdjacent() {
		return nil
	}
	var nearest, others []candidate
	for _, upgrade := range []bool{true, false} {
		v := cmp.Or(c.Newest, c.Older)
		if upgrade {
			v = cmp.Or(c.Newest, c.Newer)
		}
		if !v.IsZero() {
			nearest = append(nearest, s.subject(candidate{upgrade: upgrade, to: []version.Version{v}})...)
		}
		if s.in.Observed == nil {
			others = append(others, s.subject(candidate{upgrade: upgrade, to: s.inUse(s.first.Subject.Version, upgrade, anyMinor)})...)
		}
	}
	return append(nearest, others...)
}

func anyMinor(version.Minor) bool { return true }

// mismatch lists changes of both sides of a skew rule towards each other.
func (s *search) mismatch(m *finding.Mismatch) (subject, reference []candidate) {
	f := s.first
	upgrade := m.Relation == finding.TooOld
	if m.Relation == finding.Incomparable {
		return s.toMajor(f.Reference.Version), nil
	}
	if patch := s.patchOfReference(m); !patch.IsZero() {
		return s.subject(candidate{to: []version.Version{patch}}), s.reference(candidate{upgrade: true, to: []version.Version{f.Subject.Version}})
	}
	to := s.inUse(f.Reference.Version, !upgrade, skew.AllowedReferences(m.Rule, f.Subject.Version).Contains)
	return s.subject(candidate{upgrade: upgrade, to: s.allowed(upgrade)}), s.reference(candidate{upgrade: !upgrade, to: to})
}

// requirement lists changes of the subject of a requirement to versions for which a rule
// allows the reference, and of the reference to versions that the requirement allows.
// Newer versions come first.
func (s *search) requirement(unmet *policy.PairRule) []candidate {
	f, required := s.first, unmet.Requirement.Require
	var known []version.Version
	for _, r := range s.in.Policy.PairRules {
		if q := r.Requirement; q != nil && r.Subject == unmet.Subject && r.Reference == unmet.Reference && q.Require.Contains(f.Reference.Version) {
			known = append(known, satisfying(q.When, 0)...)
		}
	}
	var all []candidate
	for _, upgrade := range []bool{true, false} {
		if s.isAdjacent() && upgrade != s.onward() {
			continue
		}
		to := candidate{upgrade: upgrade, to: oneSide(satisfying(required, 1), f.Reference.Version, upgrade)}
		if last := len(to.to) - 1; last >= 0 {
			to.limited = !required.Contains(next(to.to[last].Minor(), upgrade).Version())
		}
		all = slices.Concat(all, s.subject(candidate{upgrade: upgrade, to: oneSide(known, f.Subject.Version, upgrade), limited: true}), s.reference(to))
	}
	return all
}

// unblocking lists changes that may let the control plane move to the adjacent minor.
// What blocks it moves in the same direction, before the control plane does.
func (s *search) unblocking(from version.Version) []candidate {
	return s.subject(candidate{upgrade: s.onward(), to: s.inUse(from, s.onward(), anyMinor)})
}

// stops lists the minors between the versions after and before the step at which the subject
// can stop, so that the rest becomes a separate step. They include the version before.
func (s *search) stops(from version.Version) []candidate {
	v := s.first.Subject.Version
	if s.isAdjacent() {
		return s.unblocking(from)
	}
	if v.Minor().Major != from.Minor().Major {
		return s.toMajor(from)
	}
	back := distance(v, from) < 0
	return s.subject(candidate{upgrade: back, to: s.inUse(v, back, func(m version.Minor) bool {
		d := m.Compare(from.Minor())
		return d == 0 || (d < 0) == back
	})})
}

// toMajor lists a change of the subject to the minor of a version of another major.
func (s *search) toMajor(v version.Version) []candidate {
	to := v.Minor().Version()
	return s.subject(candidate{upgrade: distance(to, s.first.Subject.Version) > 0, to: []version.Version{to}})
}

// alternatives lists changes of the reference instead of the subject. The reference
// stays one minor behind, or moves one minor further. Larger changes would not fit into
// the same apply.
func (s *search) alternatives() []candidate {
	m, ok := s.first.Cause.(*finding.Mismatch)
	if !ok || m.Relation == finding.Unmet || s.isAdjacent() || s.first.Subject.Component == s.first.Reference.Component {
		return nil
	}
	now := s.first.Reference.Version.Minor()
	_, all := s.mismatch(m)
	if len(all) > 0 {
		all = all[:len(all)-1] // the last one moves all connected components
	}
	for i, c := range all {
		all[i].to = slices.DeleteFunc(slices.Clone(c.to), func(v version.Version) bool { return v.Minor() != now && v.Minor() != next(now, c.upgrade) })
	}
	return all
}

// catchUp lists the upgrade of instances that are too far behind others of the same
// component. They go to the newest version, together with the other components of their
// control-plane instances. Users prefer this to rolling back the newest instances.
func (s *search) catchUp() []candidate {
	m, ok := s.first.Cause.(*finding.Mismatch)
	if !ok || s.isAdjacent() || m.Relation != finding.TooOld || s.first.Subject.Component != s.first.Reference.Component {
		return nil
	}
	newest := s.first.Reference.Version.Minor().Version() // the first finding has the largest distance
	return s.subject(candidate{upgrade: true, to: []version.Version{newest}})[1:2]
}

// subject lists a change of the subject, alone and then with more and more instances that
// may have to move as well.
func (s *search) subject(c candidate) []candidate {
	return s.widening(c, s.problem.Components(), s.problem.Locations())
}

// reference works like subject for the reference.
func (s *search) reference(c candidate) []candidate {
	return s.widening(c, []string{s.first.Reference.Component}, s.problem.References())
}

// widening lists a change of components at some locations, each time with more instances
// than before.
func (s *search) widening(c candidate, components []string, locations []finding.Location) []candidate {
	here := make(map[finding.Location]bool, len(locations))
	for _, l := range locations {
		here[l] = true
	}
	inControlPlane := slices.Contains(skew.ControlPlaneComponents, components[0])
	isChanged := func(p skew.Place, i skew.Instance) bool {
		// All components of a managed control plane have the same version.
		return slices.Contains(components, i.Component) || p.Location.Attribute == finding.ControlPlaneVersion && inControlPlane
	}
	everywhere := isChanged
	if !isRequirement(s.problem) {
		everywhere = s.connected()
	}
	selections := []selection{
		func(p skew.Place, i skew.Instance) bool { return here[p.At(i)] && isChanged(p, i) },
		// With the other components of the same control-plane instance, or of the node.
		func(p skew.Place, i skew.Instance) bool {
			return (here[p.At(i)] || here[p.Location]) && (isChanged(p, i) || slices.Contains(skew.ControlPlaneComponents, i.Component) == inControlPlane)
		},
		everywhere,
	}
	all := make([]candidate, len(selections))
	for i, includes := range selections {
		all[i] = c
		all[i].includes = includes
	}
	return all
}

// connected selects all components that skew rules relate to the subject, directly or
// through others.
func (s *search) connected() selection {
	components := map[string]bool{s.first.Subject.Component: true}
	for n := 0; n < len(components); {
		n = len(components)
		for _, r := range s.in.Policy.PairRules {
			if r.Requirement == nil && (components[r.Subject] || components[r.Reference]) {
				components[r.Subject], components[r.Reference] = true, true
			}
		}
	}
	return func(_ skew.Place, i skew.Instance) bool { return components[i.Component] }
}

// allowed lists the minors in use, newer or older than the subject, that all findings of
// the problem allow.
func (s *search) allowed(newer bool) []version.Version {
	return s.inUse(s.first.Subject.Version, newer, func(m version.Minor) bool {
		return !slices.ContainsFunc(s.problem.Findings, func(f finding.Finding) bool { return !f.Allowed.Empty && !f.Allowed.Contains(m) })
	})
}

// inUse lists the minors of the same major that are newer or older than v, from the oldest
// to the newest one in use, the closest first.
func (s *search) inUse(v version.Version, newer bool, allowed func(version.Minor) bool) []version.Version {
	var all []version.Version
	for _, m := range s.minors {
		if m.Major == v.Minor().Major && allowed(m) {
			all = append(all, m.Version())
		}
	}
	return oneSide(all, v, newer)
}

// satisfying lists the versions that a constraint names and allows: whole minors where
// possible, otherwise patches, and the minors between them. more is the number of minors
// to add on both sides.
func satisfying(c version.Constraint, more int) []version.Version {
	var minors []version.Minor
	for _, m := range c.Minors() {
		for n := -more; n <= more; n++ {
			minors = append(minors, m.Add(n))
		}
	}
	var all []version.Version
	for _, m := range filled(minors) {
		all = append(all, m.Version())
	}
	for _, v := range c.Patches() {
		if !c.Contains(v.Minor().Version()) {
			all = append(all, v)
		}
	}
	return slices.DeleteFunc(all, func(v version.Version) bool { return !c.Contains(v) })
}

// oneSide returns the versions that are newer or older than v, the closest first, and one of
// each minor.
func oneSide(versions []version.Version, v version.Version, newer bool) []version.Version {
	versions = slices.DeleteFunc(slices.Clone(versions), func(to version.Version) bool {
		d := distance(to, v)
		return d == 0 || (d > 0) != newer
	})
	slices.SortFunc(versions, version.Version.Compare)
	versions = slices.CompactFunc(versions, func(a, b version.Version) bool { return a.Minor() == b.Minor() })
	if !newer {
		slices.Reverse(versions)
	}
	return versions
}

// next returns the minor after m, or before it.
func next(m version.Minor, newer bool) version.Minor {
	if newer {
		return m.Add(1)
	}
	return m.Add(-1)
}

// patchOfReference returns the minor of the subject with the patch of the oldest
// reference. It is zero unless the subject is only too new because of its patch.
func (s *search) patchOfReference(m *finding.Mismatch) version.Version {
	v := s.first.Subject.Version
	n, _ := v.Minor().Skew(s.first.Reference.Version.Minor())
	if !m.Rule.ComparesPatch() || m.Limits.MaxNewer == nil || n != *m.Limits.MaxNewer {
		return version.Version{}
	}
	oldest := slices.MinFunc(s.problem.Findings, func(a, b finding.Finding) int { return a.Reference.Version.Compare(b.Reference.Version) })
	patch, _ := oldest.Reference.Version.Patch()
	return v.Numbering().WithPatch(v.Minor(), patch)
}
