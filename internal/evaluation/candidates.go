// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// search looks for a remedy of one problem.
type search struct {
	*trials
	problem finding.Problem
	first   finding.Finding // of the problem
}

func (t *trials) searchFor(p finding.Problem) *search { return &search{t, p, p.Findings[0]} }

// candidates lists what might repair the problem: changes of its subject first,
// and those of the fewest instances.
func (s *search) candidates() []candidate {
	if !s.next.IsZero() {
		return s.clearings()
	}
	f := s.first
	now := f.Subject.Version.Minor()
	switch c := f.Cause.(type) {
	case *finding.Mismatch:
		switch c.Relation {
		case finding.TooOld:
			return slices.Concat(s.subject(true, s.allowed(true)), s.reference(false, s.from(f.Reference.Version.Minor(), false)), s.together())
		case finding.TooNew:
			if exact, ok := s.samePatch(c); ok {
				return s.exactly(s.subject(false, []version.Minor{now}), exact)
			}
			return slices.Concat(s.subject(false, s.allowed(false)), s.reference(true, s.from(f.Reference.Version.Minor(), true)), s.together())
		case finding.Incomparable:
			to := f.Reference.Version.Minor()
			return s.subject(to.Compare(now) > 0, []version.Minor{to})
		case finding.Unmet:
			q := c.Rule.Requirement
			return slices.Concat(
				s.reference(true, s.satisfying(q.Require, f.Reference.Version.Minor(), true)),
				s.reference(false, s.satisfying(q.Require, f.Reference.Version.Minor(), false)),
			)
		case finding.Within:
		}
	case *finding.StepLimit:
		from := f.Reference.Version.Minor()
		switch {
		case !c.Comparable:
			return s.subject(from.Compare(now) > 0, []version.Minor{from})
		case c.Patch:
			return nil // a remedy is a minor
		case c.Back:
			return s.subject(true, s.allowed(true))
		}
		return s.subject(false, s.allowed(false))
	case *finding.StepOrder:
		return s.stops(c)
	case *finding.ApplyOrder, *finding.Held, *finding.NotAvailable, *finding.EndOfLife, *finding.LatestPatch, *finding.Prerelease, *finding.Webhook, *finding.NextMinor, *finding.MinorMove:
	}
	return nil
}

// alternatives lists what the user may do instead: leave the reference a minor
// behind, or take it a minor further, for more would be no change of the same apply.
func (s *search) alternatives() []candidate {
	m, ok := s.first.Cause.(*finding.Mismatch)
	if !ok || !s.next.IsZero() || s.first.Subject.Component == s.first.Reference.Component {
		return nil
	}
	now := s.first.Reference.Version.Minor()
	var all []candidate
	switch m.Relation {
	case finding.TooOld:
		all = s.reference(false, []version.Minor{now.Add(-1)})
	case finding.TooNew:
		if _, patches := s.samePatch(m); patches {
			return s.exactly(s.reference(true, []version.Minor{now}), s.first.Subject.Version)
		}
		all = s.reference(true, []version.Minor{now.Add(1)})
	case finding.Unmet:
		return nil
	case finding.Incomparable, finding.Within:
		return nil
	}
	return all[:len(all)-1] // all components at once are no alternative
}

// earlier lists upgrades that might repair the problem in an apply before the step.
func (s *search) earlier() []candidate {
	m, ok := s.first.Cause.(*finding.Mismatch)
	if !ok || s.in.Observed == nil || !s.next.IsZero() {
		return nil
	}
	switch m.Relation {
	case finding.TooOld:
		return s.subject(true, s.allowed(true))
	case finding.TooNew:
		return s.reference(true, s.from(s.first.Reference.Version.Minor(), true))
	case finding.Incomparable, finding.Unmet, finding.Within:
	}
	return nil
}

// stops lists where one side of two moves that wait for each other can stop in this
// step, so that the rest is a step of its own.
func (s *search) stops(c *finding.StepOrder) []candidate {
	f := s.first
	now, from := f.Subject.Version.Minor(), c.FromSubject.Minor()
	back := now.Compare(from) < 0
	between := slices.DeleteFunc(s.from(now, back), func(m version.Minor) bool { return (m.Compare(from) < 0) != back && m != from })
	stay := c.FromReference.Minor()
	return slices.Concat(
		s.subject(back, between),
		s.reference(f.Reference.Version.Minor().Compare(stay) < 0, []version.Minor{stay}),
	)
}

// clearings lists what might let the control plane go on to its next minor, or back
// to the previous one: the same way for what blocks it, before it moves.
func (s *search) clearings() []candidate {
	onward := s.next.Compare(s.in.Cluster.Newest(skew.APIServer)) > 0
	declared := s.first.Subject.Version
	switch c := s.first.Cause.(type) {
	case *finding.Mismatch:
		if c.Relation == finding.Unmet {
			return s.reference(onward, s.satisfying(c.Rule.Requirement.Require, s.first.Reference.Version.Minor(), onward))
		}
	case *finding.StepLimit:
		declared = s.first.Reference.Version
	case *finding.StepOrder:
		declared = c.FromSubject
	case *finding.ApplyOrder, *finding.Held, *finding.NotAvailable, *finding.EndOfLife, *finding.LatestPatch, *finding.Prerelease, *finding.Webhook, *finding.NextMinor, *finding.MinorMove:
	}
	return s.subject(onward, s.from(declared.Minor(), onward))
}

// together lists the last resort: everything that the rules connect at one minor.
func (s *search) together() []candidate {
	upwards := slices.Clone(s.minors)
	slices.Reverse(upwards) // fewer rules stand in the way of the newest minor
	return []candidate{{includes: s.connected(), upgrade: true, minors: upwards}, {includes: s.connected(), minors: s.minors}}
}

// allowed lists the minors in use, and those between them, that all findings of the
// problem allow: those newer than the subject, or older, the nearest first.
func (s *search) allowed(newer bool) []version.Minor {
	return slices.DeleteFunc(s.from(s.first.Subject.Version.Minor(), newer), func(m version.Minor) bool {
		return slices.ContainsFunc(s.problem.Findings, func(f finding.Finding) bool { return !f.Allowed.Empty && !f.Allowed.Contains(m) })
	})
}

// from lists the minors in use, and those between them, on one side of a minor, the
// nearest first.
func (s *search) from(m version.Minor, newer bool) []version.Minor {
	return oneSide(s.minors, m, newer)
}

// satisfying lists the minors around those that a constraint names and that satisfy
// it, on one side of a minor, the nearest first.
func (s *search) satisfying(c version.Constraint, m version.Minor, newer bool) []version.Minor {
	var all []version.Minor
	for _, named := range c.Minors() {
		for _, n := range []version.Minor{named.Add(-1), named, named.Add(1)} {
			if c.Contains(n.Version()) {
				all = append(all, n)
			}
		}
	}
	slices.SortFunc(all, version.Minor.Compare)
	return oneSide(slices.Compact(all), m, newer)
}

func oneSide(minors []version.Minor, m version.Minor, newer bool) []version.Minor {
	minors = slices.DeleteFunc(slices.Clone(minors), func(n version.Minor) bool {
		return n.Major != m.Major || n == m || (n.Compare(m) > 0) != newer
	})
	if !newer {
		slices.Reverse(minors)
	}
	return minors
}

// samePatch returns the version of the subject's minor with the patch of the oldest
// reference, where it is the patch that is too new.
func (s *search) samePatch(m *finding.Mismatch) (version.Version, bool) {
	n, _ := s.first.Subject.Version.Minor().Skew(s.first.Reference.Version.Minor())
	if !m.Rule.ComparePatch || m.Limits.MaxNewer == nil || n != *m.Limits.MaxNewer {
		return version.Version{}, false
	}
	oldest := slices.MinFunc(s.problem.Findings, func(a, b finding.Finding) int { return a.Reference.Version.Compare(b.Reference.Version) })
	patch, _ := oldest.Reference.Version.Patch()
	v := s.first.Subject.Version
	return v.Numbering().WithPatch(v.Minor(), patch), true
}

func (s *search) exactly(candidates []candidate, v version.Version) []candidate {
	for i := range candidates {
		candidates[i].exact = v
	}
	return candidates
}

// subject lists changes of the subject, alone and then with more and more of what
// may have to move along.
func (s *search) subject(upgrade bool, minors []version.Minor) []candidate {
	return s.growing(s.problem.Components(), s.problem.Locations(), upgrade, minors)
}

// reference does the same for the reference.
func (s *search) reference(upgrade bool, minors []version.Minor) []candidate {
	return s.growing([]string{s.first.Reference.Component}, s.problem.References(), upgrade, minors)
}

func (s *search) growing(components []string, locations []finding.Location, upgrade bool, minors []version.Minor) []candidate {
	here := make(map[finding.Location]bool, len(locations))
	for _, l := range locations {
		here[l] = true
	}
	inControlPlane := slices.Contains(skew.ControlPlaneComponents, components[0])
	moves := func(p skew.Place, i skew.Instance) bool {
		// A managed control plane is one version.
		return slices.Contains(components, i.Component) || p.Location.Attribute == finding.ControlPlaneVersion && inControlPlane
	}
	selections := []selection{
		func(p skew.Place, i skew.Instance) bool { return here[p.At(i)] && moves(p, i) },
		// With the other components of the control plane, or of the node.
		func(p skew.Place, i skew.Instance) bool {
			return (here[p.At(i)] || here[p.Location]) && (moves(p, i) || slices.Contains(skew.ControlPlaneComponents, i.Component) == inControlPlane)
		},
		moves,
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

// connected selects all components that skew rules connect with the subject.
func (s *search) connected() selection {
	components := map[string]bool{s.first.Subject.Component: true}
	for range s.in.Policy.PairRules { // as long as the longest chain can be
		for _, r := range s.in.Policy.PairRules {
			if r.Requirement == nil && (components[r.Subject] || components[r.Reference]) {
				components[r.Subject], components[r.Reference] = true, true
			}
		}
	}
	return func(_ skew.Place, i skew.Instance) bool { return components[i.Component] }
}
