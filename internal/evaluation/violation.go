// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"fmt"
	"iter"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// violation identifies a rule that is violated at a location, and the way in which it
// is violated. Only a version that is not offered is part of it.
type violation struct {
	rule, component string
	location        finding.Location
	cause           string
	relation        finding.Relation
	ofStep          bool // a mismatch that only exists during the step
	adjacent        bool // in the step to the adjacent control-plane minor
	// version is a version that is not offered. No other one is better.
	version string
}

// violations yields the violations of the combination and of the step, those that are
// found with the least work first.
func (in Input) violations() iter.Seq[violation] {
	return func(yield func(violation) bool) {
		for v := range violationsIn(in.Policy, in.Cluster) {
			if !yield(v) {
				return
			}
		}
		for _, f := range checkOffered(in) {
			for _, l := range f.Subject.Locations {
				if isRepairable(f) && !yield(violationOf(f, l)) {
					return
				}
			}
		}
		if in.Observed == nil {
			return
		}
		for _, f := range step.Check(in.Policy, *in.Observed, in.Cluster, in.ApplyOrder).Findings {
			if !isViolation(f) {
				continue
			}
			for _, l := range f.Subject.Locations {
				if !yield(violationOf(f, l)) {
					return
				}
			}
		}
	}
}

var mismatch = fmt.Sprintf("%T", &finding.Mismatch{})

// violationsIn yields the violations of a combination.
func violationsIn(p *policy.Policy, c skew.Cluster) iter.Seq[violation] {
	return func(yield func(violation) bool) {
		for v := range skew.Violations(p, c) {
			if v.Rule.Severity != policy.SeverityInfo &&
				!yield(violation{rule: v.Rule.ID, component: v.Rule.Subject, location: v.Location, cause: mismatch, relation: v.Relation}) {
				return
			}
		}
	}
}

// isViolation reports whether a finding is about a violated rule. Advisories are not.
func isViolation(f finding.Finding) bool {
	_, applyOrder := f.Cause.(*finding.ApplyOrder)
	return applyOrder || isRepairable(f)
}

func violationOf(f finding.Finding, l finding.Location) violation {
	v := violation{rule: f.RuleID, component: f.Subject.Component, location: l, cause: fmt.Sprintf("%T", f.Cause)}
	if m, ok := f.Cause.(*finding.Mismatch); ok {
		v.relation, v.ofStep = m.Relation, m.DuringUpgrade
	}
	if _, ok := f.Cause.(*finding.NotOffered); ok {
		v.version = f.Subject.Version.Normalized()
	}
	return v
}
