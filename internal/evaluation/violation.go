// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"iter"
	"reflect"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// violation is an occurrence of a finding, and the way in which the rule is violated. A
// remedy must not replace one way by another.
type violation struct {
	finding.Occurrence
	cause    reflect.Type
	relation finding.Relation
	ofStep   bool // a mismatch that only exists during the step
	adjacent bool // in the step to the adjacent control-plane minor
	// version is a version that is not offered. No other one is better.
	version string
}

// violations yields the violations of the combination and of the step, and by how much they
// exceed a limit, those that are found with the least work first.
func (in Input) violations() iter.Seq2[violation, skew.Excess] {
	return func(yield func(violation, skew.Excess) bool) {
		for v, e := range violationsIn(in.Policy, in.Cluster) {
			if !yield(v, e) {
				return
			}
		}
		findings := checkOffered(in)
		if in.Observed != nil {
			findings = append(findings, step.Check(in.Policy, *in.Observed, in.Cluster, in.ApplyOrder).Findings...)
		}
		for _, f := range findings {
			for o := range f.Occurrences() {
				if isViolation(f) && !yield(violationOf(f, o), excess(f)) {
					return
				}
			}
		}
	}
}

var mismatch = reflect.TypeFor[*finding.Mismatch]()

// violationsIn yields the violations of a combination.
func violationsIn(p *policy.Policy, c skew.Cluster) iter.Seq2[violation, skew.Excess] {
	return func(yield func(violation, skew.Excess) bool) {
		for v := range skew.Violations(p, c) {
			if v.Rule.Severity != policy.SeverityInfo &&
				!yield(violation{Occurrence: finding.Occurrence{RuleID: v.Rule.ID, Component: v.Rule.Subject, Location: v.Location}, cause: mismatch, relation: v.Relation}, v.Excess) {
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

func violationOf(f finding.Finding, o finding.Occurrence) violation {
	v := violation{Occurrence: o, cause: reflect.TypeOf(f.Cause)}
	if m, ok := f.Cause.(*finding.Mismatch); ok {
		v.relation, v.ofStep = m.Relation, m.DuringUpgrade
	}
	if _, ok := f.Cause.(*finding.NotOffered); ok {
		v.version = f.Subject.Version.Normalized()
	}
	return v
}
