// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"
	"sync"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// withRemedies attaches remedies to the findings that have any. Remedies are found by
// trying candidates. The first candidate that removes the problem and causes no new
// violation becomes a remedy. Nothing is tried until a caller asks for remedies.
func withRemedies(findings []finding.Finding, start func() *trials) []finding.Finding {
	compute := sync.OnceValue(func() map[finding.ProblemKey]remedies { return start().remedies() })
	all := slices.Clone(findings)
	for i, f := range all {
		if isRepairable(f) {
			key := f.Key()
			all[i] = f.WithRemedies(func() ([]finding.Remedy, bool) { r := compute()[key]; return r.found, r.complete })
		}
	}
	return all
}

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

// outcome is a remedy, and for each problem whether a part of it remains at one or more of
// its minors.
type outcome struct {
	finding.Remedy
	remaining []bool
}

// remedies are what a search for the remedies of a problem has found. It is complete unless
// the budget was used up.
type remedies struct {
	found    []finding.Remedy
	complete bool
}

// remedies returns the remedies of all problems, by the keys of their findings. A remedy
// that removes several problems becomes the remedy of all of them.
func (t *trials) remedies() map[finding.ProblemKey]remedies {
	declared := make([]bool, len(t.problems))
	for _, problems := range t.before {
		for _, i := range problems {
			declared[i] = true
		}
	}
	all := make([]remedies, len(t.problems))
	var upgrades, catchUps, others []outcome // in the order in which users prefer them
	for i, p := range t.problems {
		if !declared[i] {
			all[i].complete = true
			continue // the problem is about a stage of a plan, not about declared versions
		}
		if t.budget < 0 {
			break
		}
		s := t.searchFor(i, p)
		candidates := s.candidates()
		first, ok := s.firstThatWorks(candidates, s.only(noDrawback))
		if !ok {
			first, ok = s.firstThatWorks(s.separateUpgrades(), s.trySeparateApply)
			first.OwnApply = true
		}
		for _, d := range []drawback{skipsMinor, lowersControlPlane} {
			if !ok {
				first, ok = s.firstThatWorks(candidates, s.only(d))
			}
		}
		all[i].complete = ok || t.budget >= 0
		if !ok {
			continue
		}
		all[i].found = []finding.Remedy{first.Remedy}
		if first.Upgrade {
			upgrades = append(upgrades, first)
		} else {
			others = append(others, first)
		}
		if len(t.problems) <= maxWithAlternatives {
			if other, ok := s.firstThatWorks(s.alternatives(), s.only(noDrawback)); ok && !includes(first.Remedy, other.Remedy) {
				all[i].found = append(all[i].found, other.Remedy)
			}
		}
		if o, ok := s.firstThatWorks(s.catchUp(), s.try); ok {
			catchUps = append(catchUps, o)
		}
	}
	t.shareRemedies(all, slices.Concat(upgrades, catchUps, others))
	byKey := map[finding.ProblemKey]remedies{}
	for i, p := range t.problems {
		for _, f := range p.Findings {
			byKey[f.Key()] = all[i]
		}
	}
	return byKey
}

// shareRemedies replaces the remedies of a problem by the one that removes the most
// problems, if this one is among them. Of several, it takes the first.
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
			better := !o.LastResort || len(all[i].found) == 0 || all[i].found[0].LastResort
			if !remains && better && removed > max(1, most[i]) {
				most[i] = removed
				all[i].found = []finding.Remedy{o.Remedy}
			}
		}
	}
}

// includes reports whether a remedy is the same change as another one, to at least
// the same minors.
func includes(r, other finding.Remedy) bool {
	sameTargets := slices.EqualFunc(r.Targets, other.Targets, func(s, t finding.Target) bool {
		return slices.Equal(s.Components, t.Components) && slices.Equal(s.Locations, t.Locations)
	})
	return sameTargets && r.Upgrade == other.Upgrade && r.OwnApply == other.OwnApply &&
		!slices.ContainsFunc(other.Minors, func(m version.Minor) bool { return !slices.Contains(r.Minors, m) })
}

// maxMinorsTried is the maximum number of minors tried for a candidate.
const maxMinorsTried = 16

// firstThatWorks returns the remedy of the first candidate that works at one of its
// minors. The remedy includes all further minors that work, up to the first that does
// not.
func (s *search) firstThatWorks(candidates []candidate, try func(finding.Remedy, version.Minor) ([]bool, bool)) (outcome, bool) {
	for _, c := range candidates {
		for i, m := range c.minors[:min(len(c.minors), maxMinorsTried)] {
			if s.budget < 0 {
				return outcome{}, false
			}
			change := c.remedy(s.reduced.Cluster, m)
			remaining, ok := try(change, m)
			if !ok {
				continue
			}
			r := c.remedy(s.in.Cluster, m)
			r.Minors = []version.Minor{m}
			toward := -1
			if c.upgrade {
				toward = 1
			}
			more := c.minors[i+1:]
			if c.named {
				more = append(slices.Clone(more), c.minors[len(c.minors)-1].Add(toward))
			}
			r.Limited = c.known
			for n, next := range more {
				further, ok := try(change, next)
				if !ok || !c.exact.IsZero() || next != r.Minors[n].Add(toward) {
					r.Limited = true
					break
				}
				if c.named && n == len(more)-1 {
					break // it only tells whether the minors that are named are a limit
				}
				r.Minors = append(r.Minors, next)
				remaining = slices.Clone(remaining)
				for i, remains := range further {
					remaining[i] = remaining[i] || remains
				}
			}
			slices.SortFunc(r.Minors, version.Minor.Compare)
			if !r.Upgrade && s.rollsBack(r, r.Minors[0].Add(-1)) {
				r.Limited = true
			}
			r.Kept = s.keepsRunning(r)
			d := s.drawback(r, r.Nearest())
			r.LastResort, r.Stepwise = d == lowersControlPlane, d == skipsMinor
			return outcome{r, remaining}, true
		}
	}
	return outcome{}, false
}
