// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// candidate is a change to try: it moves some instances to one of several minors.
type candidate struct {
	// includes selects the instances.
	includes selection
	// upgrade says that older instances move up to the minor. Otherwise, newer ones
	// stay at it or move back to it.
	upgrade bool
	minors  []version.Minor // the closest to the declared one first
	// exact is used instead of a minor if patches matter. Otherwise it is zero.
	exact version.Version
	// named says that the minors are those that a constraint names, and those next to
	// them. Others may work, too.
	named bool
	// known says that nothing is known about minors after the last one.
	known bool
}

// selection selects instances of a cluster.
type selection func(skew.Place, skew.Instance) bool

// remedy returns what a candidate changes in a cluster to get to a minor.
func (c candidate) remedy(cluster skew.Cluster, m version.Minor) finding.Remedy {
	var locations group.Map[finding.Location, finding.Target]
	var numbers version.Numbering
	for _, p := range cluster.Places {
		for _, i := range p.Instances {
			if i.Version.IsZero() || !c.includes(p, i) {
				continue
			}
			direction := m.Compare(i.Version.Minor())
			if !c.exact.IsZero() && !c.exact.Same(i.Version) {
				direction = cmp.Or(order(c.exact, i.Version), -1) // builds without an order count as older
			}
			if direction == 0 || (direction > 0) != c.upgrade {
				continue
			}
			if numbers.IsKubernetes() {
				numbers = i.Version.Numbering()
			}
			l := p.At(i)
			t := locations.GetOrCreate(l, func() finding.Target { return finding.Target{Locations: []finding.Location{l}} })
			if !slices.Contains(t.Components, i.Component) {
				t.Components = append(t.Components, i.Component)
			}
		}
	}
	slices.SortFunc(locations.All, func(a, b finding.Target) int { return a.Locations[0].Compare(b.Locations[0]) })
	var targets group.Map[string, finding.Target]
	for _, t := range locations.All {
		key := string(t.Locations[0].Attribute) + " " + strings.Join(t.Components, " ")
		all := targets.GetOrCreate(key, func() finding.Target { return finding.Target{Components: t.Components} })
		all.Locations = append(all.Locations, t.Locations...)
	}
	return finding.Remedy{Targets: targets.All, Upgrade: c.upgrade, Version: c.exact, Numbers: numbers}
}

// search lists the candidates for one problem.
type search struct {
	*trials
	index     int // of the problem
	problem   finding.Problem
	first     finding.Finding   // of the problem
	violation finding.Violation // its cause, nil if no rule is violated
}

func (t *trials) searchFor(i int, p finding.Problem) *search {
	violation, _ := p.Findings[0].Cause.(finding.Violation) // nil if a version is not offered
	return &search{t, i, p, p.Findings[0], violation}
}

// candidates lists changes that may remove the problem. Changes of the subject come
// before those of the reference, and changes of few instances before those of many.
func (s *search) candidates() []candidate {
	if s.isAdjacent() {
		return s.unblocking()
	}
	f := s.first
	if _, scheme := f.PossibleRelease(); scheme != nil {
		return nil // another policy is needed, not another version
	}
	now, reference := f.Subject.Version.Minor(), f.Reference.Version.Minor()
	if c, ok := f.Cause.(*finding.NotOffered); ok {
		return s.offered(c)
	}
	switch c := s.violation.(type) {
	case *finding.Mismatch:
		switch c.Relation {
		case finding.TooOld:
			return slices.Concat(s.moveSubject(true, s.allowedMinors(true)), s.moveReference(false, s.minorsFrom(reference, false)), s.moveAllTogether())
		case finding.TooNew:
			if v, ok := s.patchOfReference(c); ok {
				return withVersion(s.moveSubject(false, []version.Minor{now}), v)
			}
			return slices.Concat(s.moveSubject(false, s.allowedMinors(false)), s.moveReference(true, s.minorsFrom(reference, true)), s.moveAllTogether())
		case finding.Incomparable:
			return s.moveSubject(reference.Compare(now) > 0, []version.Minor{reference})
		case finding.Unmet:
			required := c.Rule.Requirement.Require
			return slices.Concat(
				s.moveSubjectToRow(c.Rule, true),
				s.moveReferenceWithin(required, true),
				s.moveSubjectToRow(c.Rule, false),
				s.moveReferenceWithin(required, false),
			)
		case finding.Within:
		}
	case *finding.StepLimit:
		from := reference // the version before the step
		switch {
		case !c.Comparable:
			return s.moveSubject(from.Compare(now) > 0, []version.Minor{from})
		case c.Patch:
			return nil // remedies change minors
		case c.Back:
			return s.moveSubject(true, s.allowedMinors(true))
		}
		return s.moveSubject(false, s.allowedMinors(false))
	case *finding.StepOrder:
		return s.intermediateStops(c)
	case *finding.ApplyOrder:
	}
	return nil
}

// offered lists changes to versions that the platform offers: to the newest one of the
// same minor or, if there is none, to the nearest newer or older minor.
func (s *search) offered(c *finding.NotOffered) []candidate {
	if !c.Newest.IsZero() {
		minors := []version.Minor{c.Newest.Minor()}
		return withVersion(slices.Concat(s.moveSubject(true, minors), s.moveSubject(false, minors)), c.Newest)
	}
	var all []candidate
	for _, v := range []version.Version{c.Newer, c.Older} {
		if !v.IsZero() {
			all = append(all, s.moveSubject(v == c.Newer, []version.Minor{v.Minor()})...)
		}
	}
	return all
}

// moveSubjectToRow lists changes of the subject of a requirement to other minors for
// which a rule of the policy allows the reference. Nothing is known about minors that
// no rule names.
func (s *search) moveSubjectToRow(unmet *policy.PairRule, upgrade bool) []candidate {
	if unmet.Scope == policy.ScopeSelf {
		return nil
	}
	var minors []version.Minor
	for _, r := range s.in.Policy.PairRules {
		if r.Requirement == nil || r.Subject != unmet.Subject || r.Reference != unmet.Reference {
			continue
		}
		for _, m := range r.Requirement.When.Minors() {
			if r.Requirement.When.Contains(m.Version()) && r.Requirement.Require.Contains(s.first.Reference.Version) {
				minors = append(minors, m)
			}
		}
	}
	slices.SortFunc(minors, version.Minor.Compare)
	all := s.moveSubject(upgrade, oneSide(slices.Compact(minors), s.first.Subject.Version.Minor(), upgrade))
	for i := range all {
		all[i].known = true
	}
	return all
}

// moveReferenceWithin lists changes of the reference to minors that satisfy a constraint.
func (s *search) moveReferenceWithin(required version.Constraint, upgrade bool) []candidate {
	all := s.moveReference(upgrade, minorsSatisfying(required, s.first.Reference.Version.Minor(), upgrade))
	for i := range all {
		all[i].named = true
	}
	return all
}

// unblocking lists changes that may let the control plane move to the adjacent minor.
// What blocks it moves in the same direction, before the control plane does.
func (s *search) unblocking() []candidate {
	if s.violation == nil {
		return nil // the minor is not offered
	}
	onward := s.adjacent.Compare(s.in.Cluster.Newest(skew.APIServer)) > 0
	declared := s.first.Subject.Version
	switch c := s.violation.(type) {
	case *finding.Mismatch:
		if c.Relation == finding.Unmet {
			return slices.Concat(s.moveSubjectToRow(c.Rule, onward), s.moveReferenceWithin(c.Rule.Requirement.Require, onward))
		}
	case *finding.StepLimit:
		declared = s.first.Reference.Version
	case *finding.StepOrder:
		declared = c.FromSubject
	case *finding.ApplyOrder:
	}
	return s.moveSubject(onward, s.minorsFrom(declared.Minor(), onward))
}

// intermediateStops lists minors at which the subject or the reference of a step order
// can stop, so that the rest becomes a separate step.
func (s *search) intermediateStops(c *finding.StepOrder) []candidate {
	f := s.first
	now, from := f.Subject.Version.Minor(), c.FromSubject.Minor()
	back := now.Compare(from) < 0
	between := slices.DeleteFunc(s.minorsFrom(now, back), func(m version.Minor) bool { return (m.Compare(from) < 0) != back && m != from })
	stay := c.FromReference.Minor()
	return slices.Concat(
		s.moveSubject(back, between),
		s.moveReference(f.Reference.Version.Minor().Compare(stay) < 0, []version.Minor{stay}),
	)
}

// alternatives lists changes of the reference instead of the subject. The reference
// stays one minor behind, or moves one minor further. Larger changes would not fit into
// the same apply.
func (s *search) alternatives() []candidate {
	m, ok := s.first.Cause.(*finding.Mismatch)
	if !ok || s.isAdjacent() || s.first.Subject.Component == s.first.Reference.Component {
		return nil
	}
	now := s.first.Reference.Version.Minor()
	var all []candidate
	switch m.Relation {
	case finding.TooOld:
		all = s.moveReference(false, []version.Minor{now.Add(-1)})
	case finding.TooNew:
		if _, ok := s.patchOfReference(m); ok {
			return withVersion(s.moveReference(true, []version.Minor{now}), s.first.Subject.Version)
		}
		all = s.moveReference(true, []version.Minor{now.Add(1)})
	case finding.Unmet, finding.Incomparable, finding.Within:
		return nil
	}
	return all[:len(all)-1] // the last one moves all connected components
}

// catchUp lists the upgrade of instances that are too far behind others of the same
// component. They go to the newest version, together with the other components of their
// control-plane instances. Users prefer this to rolling back the newest instances.
func (s *search) catchUp() []candidate {
	m, ok := s.first.Cause.(*finding.Mismatch)
	if !ok || s.isAdjacent() || m.Relation != finding.TooOld || s.first.Subject.Component != s.first.Reference.Component {
		return nil
	}
	newest := s.first.Reference.Version.Minor()
	for _, f := range s.problem.Findings {
		if n := f.Reference.Version.Minor(); n.Compare(newest) > 0 {
			newest = n
		}
	}
	return s.moveSubject(true, []version.Minor{newest})[1:2]
}

// separateUpgrades lists upgrades that may remove the problem in an apply before the
// step.
func (s *search) separateUpgrades() []candidate {
	m, ok := s.first.Cause.(*finding.Mismatch)
	if !ok || s.in.Observed == nil || s.isAdjacent() {
		return nil
	}
	switch m.Relation {
	case finding.TooOld:
		return s.moveSubject(true, s.allowedMinors(true))
	case finding.TooNew:
		return s.moveReference(true, s.minorsFrom(s.first.Reference.Version.Minor(), true))
	case finding.Incomparable, finding.Unmet, finding.Within:
	}
	return nil
}

// moveSubject lists changes of the subject, alone and then with more and more
// instances that may have to move as well.
func (s *search) moveSubject(upgrade bool, minors []version.Minor) []candidate {
	return s.widening(s.problem.Components(), s.problem.Locations(), upgrade, minors)
}

// moveReference works like moveSubject for the reference.
func (s *search) moveReference(upgrade bool, minors []version.Minor) []candidate {
	return s.widening([]string{s.first.Reference.Component}, s.problem.References(), upgrade, minors)
}

// widening lists changes of components at some locations, each with more instances
// than the one before. The last one moves all connected components.
func (s *search) widening(components []string, locations []finding.Location, upgrade bool, minors []version.Minor) []candidate {
	here := make(map[finding.Location]bool, len(locations))
	for _, l := range locations {
		here[l] = true
	}
	inControlPlane := slices.Contains(skew.ControlPlaneComponents, components[0])
	isChanged := func(p skew.Place, i skew.Instance) bool {
		// All components of a managed control plane have the same version.
		return slices.Contains(components, i.Component) || p.Location.Attribute == finding.ControlPlaneVersion && inControlPlane
	}
	selections := []selection{
		func(p skew.Place, i skew.Instance) bool { return here[p.At(i)] && isChanged(p, i) },
		// With the other components of the same control-plane instance, or of the node.
		func(p skew.Place, i skew.Instance) bool {
			return (here[p.At(i)] || here[p.Location]) && (isChanged(p, i) || slices.Contains(skew.ControlPlaneComponents, i.Component) == inControlPlane)
		},
		isChanged,
	}
	if inControlPlane {
		selections = append(selections, func(_ skew.Place, i skew.Instance) bool {
			return slices.Contains(skew.ControlPlaneComponents, i.Component)
		})
	}
	selections = append(selections, s.connected())
	all := make([]candidate, len(selections))
	for i, includes := range selections {
		all[i] = candidate{includes: includes, upgrade: upgrade, minors: minors}
	}
	return all
}

// moveAllTogether lists the last resort: changes of all connected components to one
// minor.
func (s *search) moveAllTogether() []candidate {
	newestFirst := slices.Clone(s.minors)
	slices.Reverse(newestFirst) // at the newest minor, all of them end up together
	return []candidate{{includes: s.connected(), upgrade: true, minors: newestFirst}, {includes: s.connected(), minors: s.minors}}
}

// connected selects all components that skew rules relate to the subject, directly or
// through others.
func (s *search) connected() selection {
	components := s.related[s.first.Subject.Component]
	if components == nil {
		components = map[string]bool{s.first.Subject.Component: true}
		for n := 0; n < len(components); {
			n = len(components)
			for _, r := range s.in.Policy.PairRules {
				if r.Requirement == nil && (components[r.Subject] || components[r.Reference]) {
					components[r.Subject], components[r.Reference] = true, true
				}
			}
		}
		s.related[s.first.Subject.Component] = components
	}
	return func(_ skew.Place, i skew.Instance) bool { return components[i.Component] }
}

// allowedMinors lists the minors newer or older than the subject that all findings of
// the problem allow, the closest first.
func (s *search) allowedMinors(newer bool) []version.Minor {
	return slices.DeleteFunc(s.minorsFrom(s.first.Subject.Version.Minor(), newer), func(m version.Minor) bool {
		return slices.ContainsFunc(s.problem.Findings, func(f finding.Finding) bool { return !f.Allowed.Empty && !f.Allowed.Contains(m) })
	})
}

// minorsFrom lists the minors newer or older than m from the oldest to the newest in
// use, the closest first.
func (s *search) minorsFrom(m version.Minor, newer bool) []version.Minor {
	return oneSide(s.minors, m, newer)
}

// minorsSatisfying lists minors newer or older than m that satisfy a constraint, the
// closest first. It only considers the minors that the constraint names, those between
// them and those next to them.
func minorsSatisfying(c version.Constraint, m version.Minor, newer bool) []version.Minor {
	var all []version.Minor
	for _, named := range c.Minors() {
		all = append(all, named.Add(-1), named, named.Add(1))
	}
	slices.SortFunc(all, version.Minor.Compare)
	all = slices.DeleteFunc(filled(slices.Compact(all)), func(n version.Minor) bool { return !c.Contains(n.Version()) })
	return oneSide(all, m, newer)
}

// oneSide returns the minors newer or older than m, the closest first. The minors have
// to be sorted.
func oneSide(minors []version.Minor, m version.Minor, newer bool) []version.Minor {
	minors = slices.DeleteFunc(slices.Clone(minors), func(n version.Minor) bool {
		return n.Major != m.Major || n == m || (n.Compare(m) > 0) != newer
	})
	if !newer {
		slices.Reverse(minors)
	}
	return minors
}

// patchOfReference returns the minor of the subject with the patch of the oldest
// reference. ok is false unless the subject is only too new because of its patch.
func (s *search) patchOfReference(m *finding.Mismatch) (v version.Version, ok bool) {
	n, _ := s.first.Subject.Version.Minor().Skew(s.first.Reference.Version.Minor())
	if !m.Rule.ComparePatch || m.Limits.MaxNewer == nil || n != *m.Limits.MaxNewer {
		return version.Version{}, false
	}
	oldest := slices.MinFunc(s.problem.Findings, func(a, b finding.Finding) int { return a.Reference.Version.Compare(b.Reference.Version) })
	patch, _ := oldest.Reference.Version.Patch()
	v = s.first.Subject.Version
	return v.Numbering().WithPatch(v.Minor(), patch), true
}

// withVersion sets the exact version of candidates.
func withVersion(candidates []candidate, v version.Version) []candidate {
	for i := range candidates {
		candidates[i].exact = v
	}
	return candidates
}
