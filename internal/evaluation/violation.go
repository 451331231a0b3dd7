// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
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

type violations map[violation]struct{}

// add adds the violations among findings.
func (v violations) add(findings []finding.Finding, adjacent bool) {
	for _, f := range findings {
		if isViolation(f) {
			for _, l := range f.Subject.Locations {
				v[violationOf(f, l, adjacent)] = struct{}{}
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

// subsetOf reports whether all violations are among the others.
func (v violations) subsetOf(others violations) bool {
	for one := range v {
		if _, ok := others[one]; !ok {
			return false
		}
	}
	return true
}

// exclude reports whether no violation belongs to a problem.
func (v violations) exclude(p finding.Problem, adjacent bool) bool {
	for _, f := range p.Findings {
		for _, l := range f.Subject.Locations {
			if _, remains := v[violationOf(f, l, adjacent)]; remains {
				return false
			}
		}
	}
	return true
}
