// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// isRepairable reports whether other declared versions can remove a finding.
func isRepairable(f finding.Finding) bool {
	_, violation := f.Cause.(finding.Violation)
	_, applyOrder := f.Cause.(*finding.ApplyOrder) // the finding itself says which move comes first
	_, notOffered := f.Cause.(*finding.NotOffered)
	return (violation && !applyOrder || notOffered) && f.Severity != policy.SeverityInfo
}

// maxWithAlternatives is the maximum number of problems for which a second remedy is
// searched. Users do not weigh alternatives for more problems than that.
const maxWithAlternatives = 20

// outcome is a remedy, and for each problem whether a part of it remains at the nearest of
// its minors.
type outcome struct {
	finding.Remedy
	remaining verdict
	changed   []placement
	to        version.Version // the nearest
}

// remedies are what a search for the remedies of a problem has found. It is complete unless
// the budget was used up.
type remedies struct {
	found    []finding.Remedy
	complete bool
}

// search looks for the remedies of one problem.
type search struct {
	*trials
	index   int // of the problem
	problem finding.Problem
	first   finding.Finding // of the problem
}

// drawbacks lists all drawbacks, those of the best remedies first.
var drawbacks = []finding.Drawback{finding.NoDrawback, finding.OwnApply, finding.Stepwise, finding.LastResort}

// remedies returns the remedies of all problems. A remedy that removes several problems
// becomes the remedy of all of them.
func (t *trials) remedies() []remedies {
	all, requirements := make([]remedies, len(t.problems)), slices.ContainsFunc(t.problems, isRequirement)
	var upgrades, catchUps, others []outcome // in the order in which users prefer them
	for i, p := range t.problems {
		if t.budget < 0 {
			break
		}
		s := search{t, i, p, p.Findings[0]}
		first, ok := s.firstThatWorks(s.candidates(), drawbacks...)
		all[i].complete = t.budget >= 0
		if !ok {
			continue
		}
		all[i].found = []finding.Remedy{first.Remedy}
		if requirements {
			t.agreed = changedTo(t.agreed, first.changed, first.to)
		}
		if first.Upgrade {
			upgrades = append(upgrades, first)
		} else {
			others = append(others, first)
		}
		if len(t.problems) <= maxWithAlternatives {
			if other, ok := s.firstThatWorks(s.alternatives(), finding.NoDrawback); ok && !includes(first.Remedy, other.Remedy) {
				all[i].found = append(all[i].found, other.Remedy)
			}
		}
		if o, ok := s.firstThatWorks(s.catchUp(), drawbacks...); ok {
			catchUps = append(catchUps, o)
		}
	}
	t.shareRemedies(all, slices.Concat(upgrades, catchUps, others))
	return all
}

// shareRemedies replaces the remedies of a problem by the one that removes the most
// problems, if this one is among them. Of several, it takes the first. A requirement keeps
// its own: a version to which no rule applies does not satisfy it.
func (t *trials) shareRemedies(all []remedies, outcomes []outcome) {
	most := make([]int, len(all))
	for _, o := range outcomes {
		removed := 0
		for _, remains := range o.remaining {
			if !remains {
				removed++
			}
		}
		for i, remains := range o.remaining {
			own := isRequirement(t.problems[i]) && len(all[i].found) > 0
			better := o.Drawback != finding.LastResort || len(all[i].found) == 0 || all[i].found[0].Drawback == finding.LastResort
			if !remains && better && !own && removed > max(1, most[i]) {
				most[i] = removed
				all[i].found = []finding.Remedy{o.Remedy}
			}
		}
	}
}

// isRequirement reports whether a problem is about a requirement rule.
func isRequirement(p finding.Problem) bool {
	m, ok := p.Findings[0].Cause.(*finding.Mismatch)
	return ok && m.Relation == finding.Unmet
}

// includes reports whether a remedy is the same change as another one, to at least
// the same minors.
func includes(r, other finding.Remedy) bool {
	sameTargets := slices.EqualFunc(r.Targets, other.Targets, func(s, t finding.Target) bool {
		return slices.Equal(s.Components, t.Components) && slices.Equal(s.Locations, t.Locations)
	})
	return sameTargets && r.Upgrade == other.Upgrade && r.Drawback == other.Drawback &&
		!slices.ContainsFunc(other.Minors, func(m version.Minor) bool { return !slices.Contains(r.Minors, m) })
}

// maxMinorsTried is the maximum number of minors tried for a candidate.
const maxMinorsTried = 16

// firstThatWorks returns the remedy of the first candidate that works at one of its
// versions, with the first of the drawbacks for which there is one. For a requirement, which
// keeps its own remedy, it prefers versions that agree with the remedies of the problems before.
func (s *search) firstThatWorks(candidates []candidate, drawbacks ...finding.Drawback) (outcome, bool) {
	passes := []bool{false}
	if isRequirement(s.problem) {
		passes = []bool{true, false}
	}
	for _, d := range drawbacks {
		for _, c := range candidates {
			for _, agreeing := range passes {
				for i, to := range c.to[:min(len(c.to), maxMinorsTried)] {
					if s.budget < 0 {
						return outcome{}, false
					}
					changed := c.changed(s.reduced.Cluster, to)
					if v := s.try(changed, to, d); v != nil && (!agreeing || s.agrees(changed, to)) {
						return s.outcome(c, changed, c.to[i:], d, v), true
					}
				}
			}
		}
	}
	return outcome{}, false
}

// outcome returns the remedy for a candidate that works at the first of several versions. The
// remedy includes all minors that follow, up to the first that does not work, or removes fewer
// problems.
func (s *search) outcome(c candidate, changed []placement, to []version.Version, d finding.Drawback, remaining verdict) outcome {
	nearest := to[0]
	r := finding.Remedy{Targets: targetsOf(c.changed(s.in.Cluster, nearest)), Upgrade: c.upgrade, Minors: []version.Minor{nearest.Minor()}, Limited: c.limited, Drawback: d, Kept: s.keepsRunning(changed, nearest)}
	for _, i := range changed {
		if r.Numbers.IsKubernetes() {
			r.Numbers = s.declared[i].Numbering()
		}
	}
	if isExact(nearest) {
		r.Version = nearest
		return outcome{r, remaining, changed, nearest}
	}
	beyond := next(nearest.Minor(), c.upgrade)
	for _, v := range to[1:] {
		further := s.try(changed, v, d)
		if r.Limited = isExact(v) || v.Minor() != beyond || !further.removes(remaining); r.Limited {
			break
		}
		r.Limited = c.limited
		r.Minors = append(r.Minors, beyond)
		beyond = next(beyond, c.upgrade)
	}
	slices.SortFunc(r.Minors, version.Minor.Compare)
	r.Limited = r.Limited || s.rollsBack(changed, beyond.Version())
	return outcome{r, remaining, changed, nearest}
}

// targetsOf groups the instances that a remedy changes: locations of one kind with the same
// components are one target.
func targetsOf(changed []placement) []finding.Target {
	var locations group.Map[finding.Location, finding.Target]
	for _, i := range changed {
		t := locations.GetOrCreate(i.location, func() finding.Target { return finding.Target{Locations: []finding.Location{i.location}} })
		if !slices.Contains(t.Components, i.component) {
			t.Components = append(t.Components, i.component)
		}
	}
	slices.SortFunc(locations.All, func(a, b finding.Target) int { return a.Locations[0].Compare(b.Locations[0]) })
	var targets group.Map[string, finding.Target]
	for _, t := range locations.All {
		key := string(t.Locations[0].Attribute) + " " + strings.Join(t.Components, " ")
		all := targets.GetOrCreate(key, func() finding.Target { return finding.Target{Components: t.Components} })
		all.Locations = append(all.Locations, t.Locations...)
	}
	return targets.All
}
