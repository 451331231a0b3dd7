// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"iter"
	"slices"
	"sync"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// withRemedies gives every finding of a rule its remedies. A remedy is not derived
// but tried: candidates are applied to the declared versions and judged again, and
// the first one counts that removes the problem and brings no new one. Nothing is
// computed before somebody asks.
func withRemedies(findings []finding.Finding, start func() *trials) []finding.Finding {
	compute := sync.OnceValue(func() map[finding.ProblemKey][]finding.Remedy { return start().remedies() })
	all := slices.Clone(findings)
	for i, f := range all {
		if isRepairable(f) {
			key := f.Key()
			all[i] = f.WithRemedies(func() []finding.Remedy { return compute()[key] })
		}
	}
	return all
}

// isRepairable reports whether a finding is about a limit on declared versions, so
// that other versions remove it.
func isRepairable(f finding.Finding) bool {
	switch f.Cause.(type) {
	case *finding.Mismatch, *finding.StepLimit, *finding.StepOrder:
		return f.Severity != policy.SeverityInfo
	case *finding.ApplyOrder: // says itself what comes first
	case *finding.NotAvailable, *finding.Held, *finding.EndOfLife, *finding.LatestPatch, *finding.Prerelease, *finding.Webhook, *finding.NextMinor, *finding.MinorMove:
	}
	return false
}

// isViolation reports whether a finding is about a rule that is broken, not advice.
func isViolation(f finding.Finding) bool {
	_, ordered := f.Cause.(*finding.ApplyOrder)
	return ordered || isRepairable(f)
}

// remedies finds the remedies of all problems. Where one remedy removes several
// problems, all of them name it.
func (t *trials) remedies() map[finding.ProblemKey][]finding.Remedy {
	found := map[finding.ProblemKey][]finding.Remedy{}
	var outcomes []outcome
	for _, p := range t.problems {
		if t.before.noneOf(p, !t.next.IsZero()) {
			continue // not about the declared versions, but about a stage of a plan
		}
		s := t.searchFor(p)
		first, ok := s.firstThatWorks(s.candidates(), s.try)
		if !ok {
			first, ok = s.firstThatWorks(s.earlier(), s.tryEarlier)
			first.OwnApply = true
		}
		if !ok {
			continue
		}
		key := p.Findings[0].Key()
		found[key] = []finding.Remedy{first.Remedy}
		outcomes = append(outcomes, first)
		if len(t.problems) > maxWithAlternatives {
			continue
		}
		if other, ok := s.firstThatWorks(s.alternatives(), s.try); ok && !includes(first.Remedy, other.Remedy) {
			found[key] = append(found[key], other.Remedy)
		}
	}
	removed := make([]int, len(outcomes))
	for i, o := range outcomes {
		for _, p := range t.problems {
			if o.violations.noneOf(p, !t.next.IsZero()) {
				removed[i]++
			}
		}
	}
	for _, p := range t.problems {
		most := 1
		for i, o := range outcomes {
			if removed[i] > most && o.violations.noneOf(p, !t.next.IsZero()) {
				most = removed[i]
				found[p.Findings[0].Key()] = []finding.Remedy{o.Remedy}
			}
		}
	}
	return found
}

// maxWithAlternatives bounds how many problems get a second remedy: of more, nobody
// weighs the choices.
const maxWithAlternatives = 20

// includes reports whether a remedy is the same change as another one, to at least
// the same minors.
func includes(r, other finding.Remedy) bool {
	sameTargets := slices.EqualFunc(r.Targets, other.Targets, func(s, t finding.Target) bool {
		return slices.Equal(s.Components, t.Components) && slices.Equal(s.Locations, t.Locations)
	})
	return sameTargets && r.Upgrade == other.Upgrade && r.OwnApply == other.OwnApply &&
		!slices.ContainsFunc(other.Minors, func(m version.Minor) bool { return !slices.Contains(r.Minors, m) })
}

// outcome is a remedy, and what still breaks the policy after it at any of its
// minors.
type outcome struct {
	finding.Remedy
	violations violations
}

// violation is a rule that is broken at a location in one way, whatever the
// versions.
type violation struct {
	rule, component string
	location        finding.Location
	cause           string
	relation        finding.Relation
	next            bool // it is on the way to the next control-plane minor
}

type violations map[violation]struct{}

func (v violations) add(findings []finding.Finding, next bool) {
	for _, f := range findings {
		if isViolation(f) {
			for _, l := range f.Subject.Locations {
				v[violationOf(f, l, next)] = struct{}{}
			}
		}
	}
}

func violationOf(f finding.Finding, l finding.Location, next bool) violation {
	v := violation{rule: f.RuleID, component: f.Subject.Component, location: l, cause: "combination", next: next}
	switch c := f.Cause.(type) {
	case *finding.Mismatch:
		v.relation = c.Relation
		if c.DuringUpgrade {
			v.cause = "during the upgrade"
		}
	case *finding.StepLimit:
		v.cause = "step limit"
	case *finding.StepOrder:
		v.cause = "step order"
	case *finding.ApplyOrder:
		v.cause = "apply order"
	case *finding.NotAvailable, *finding.Held, *finding.EndOfLife, *finding.LatestPatch, *finding.Prerelease, *finding.Webhook, *finding.NextMinor, *finding.MinorMove:
	}
	return v
}

// within reports whether there are no violations but known ones.
func (v violations) within(known violations) bool {
	for one := range v {
		if _, ok := known[one]; !ok {
			return false
		}
	}
	return true
}

// noneOf reports whether nothing of a problem is among the violations.
func (v violations) noneOf(p finding.Problem, next bool) bool {
	for _, f := range p.Findings {
		for _, l := range f.Subject.Locations {
			if _, left := v[violationOf(f, l, next)]; left {
				return false
			}
		}
	}
	return true
}

// target is a component at a location.
type target struct {
	location  finding.Location
	component string
}

// targets yields what a remedy changes.
func targets(r finding.Remedy) iter.Seq[target] {
	return func(yield func(target) bool) {
		for _, t := range r.Targets {
			for _, l := range t.Locations {
				for _, component := range t.Components {
					if !yield(target{l, component}) {
						return
					}
				}
			}
		}
	}
}

// versions returns what every instance of a cluster runs, as far as it is known.
func versions(c skew.Cluster) map[target]version.Version {
	all := map[target]version.Version{}
	for _, p := range c.Places {
		for _, i := range p.Instances {
			if !i.Version.IsZero() {
				all[target{p.At(i), i.Component}] = i.Version
			}
		}
	}
	return all
}

// apply returns a cluster after a remedy, with its targets at a minor.
func apply(c skew.Cluster, r finding.Remedy, m version.Minor) skew.Cluster {
	to := m.Version()
	if !r.Version.IsZero() {
		to = r.Version
	}
	moves := map[target]bool{}
	for i := range targets(r) {
		moves[i] = true
	}
	c.Places = slices.Clone(c.Places)
	for i, p := range c.Places {
		c.Places[i].Instances = slices.Clone(p.Instances)
		for j, instanceThere := range p.Instances {
			if moves[target{p.At(instanceThere), instanceThere.Component}] {
				c.Places[i].Instances[j].Version = to
			}
		}
	}
	return c
}
