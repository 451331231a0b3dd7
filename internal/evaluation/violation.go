// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"iter"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// violation identifies a rule that is violated at a location, and the way in which it
// is violated. It does not depend on versions.
type violation struct {
	rule, component string
	location        finding.Location
	cause           string
	relation        finding.Relation
	adjacent        bool // in the step to the adjacent control-plane minor
}

// violations yields the violations of the combination and of the step, those that are
// found with the least work first.
func (in Input) violations() iter.Seq[violation] {
	return func(yield func(violation) bool) {
		for v := range violationsOf(skew.Violations(in.Policy, in.Cluster), false) {
			if !yield(v) {
				return
			}
		}
		if in.Observed != nil {
			violationsOf(upgrade.Evaluate(in.Policy, *in.Observed, in.Cluster, in.ApplyOrder).Findings, false)(yield)
		}
	}
}

// violationsOf yields the violations that findings are about.
func violationsOf(findings []finding.Finding, adjacent bool) iter.Seq[violation] {
	return func(yield func(violation) bool) {
		for _, f := range findings {
			if !isViolation(f) {
				continue
			}
			for _, l := range f.Subject.Locations {
				if !yield(violationOf(f, l, adjacent)) {
					return
				}
			}
		}
	}
}

// isViolation reports whether a finding is about a violated rule. Advisories are not.
func isViolation(f finding.Finding) bool {
	_, applyOrder := f.Cause.(*finding.ApplyOrder)
	return applyOrder || isRepairable(f)
}

func violationOf(f finding.Finding, l finding.Location, adjacent bool) violation {
	v := violation{rule: f.RuleID, component: f.Subject.Component, location: l, cause: "combination", adjacent: adjacent}
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
	case *finding.NotAvailable, *finding.Held, *finding.EndOfLife, *finding.LatestPatch, *finding.Prerelease, *finding.Webhook, *finding.NextMinor, *finding.MinorMove, *finding.NotOffered:
	}
	return v
}
