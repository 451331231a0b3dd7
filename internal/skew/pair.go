// SPDX-License-Identifier: MPL-2.0

// Package skew checks combinations: whether the versions that run side by side
// satisfy a policy, and which versions each component may have.
//
// Everything follows from one predicate over two instances, Check. A combination
// satisfies a policy if all its pairs do. A version of a component is allowed if all
// pairs that contain it satisfy the policy. Package upgrade applies the same predicate
// to the intermediate combinations of a step. A highly available control plane with
// mixed versions needs no special case, because every API server is a reference.
package skew

import (
	"cmp"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Check returns the relation of two versions under a rule. It is Within if the rule
// allows them.
func Check(r *policy.PairRule, subject, reference version.Version) finding.Relation {
	if q := r.Requirement; q != nil {
		// A subject without a patch can be any patch of its minor, so a rule for
		// some patches does not apply to it.
		if q.When.ContainsAll(subject) && !q.Require.Contains(reference) {
			return finding.Unmet
		}
		return finding.Within
	}
	skew, countable := subject.Minor().Skew(reference.Minor())
	if !countable {
		return finding.Incomparable
	}
	limits, _ := r.LimitsFor(subject, reference)
	switch {
	case limits.MaxNewer != nil && skew > *limits.MaxNewer:
		return finding.TooNew
	case limits.MaxOlder != nil && -skew > *limits.MaxOlder:
		return finding.TooOld
	case r.ComparesPatch() && limits.MaxNewer != nil && skew == *limits.MaxNewer && newerPatch(subject, reference):
		return finding.TooNew
	}
	return finding.Within
}

// newerPatch reports whether the subject has a newer patch. It is false unless both
// patches are declared and can be compared.
func newerPatch(subject, reference version.Version) bool {
	s, _ := subject.Patch()
	r, declared := reference.Patch()
	return declared && s > r && subject.PatchesComparable(reference)
}

// Excess is the amount by which two versions exceed a limit of a rule.
type Excess struct {
	Relation finding.Relation
	// Minors is counted from the limit. Patches is counted from the reference if
	// the limit allows the minor and the rule compares patches. Both are 0 if
	// nothing can be counted: across majors, and for a requirement.
	Minors, Patches int
}

// ExcessOf returns the amount by which two versions exceed the limits of a rule. An
// instance without a version exceeds none.
func ExcessOf(r *policy.PairRule, subject, reference version.Version) Excess {
	if subject.IsZero() || reference.IsZero() {
		return Excess{}
	}
	e := Excess{Relation: Check(r, subject, reference)}
	if e.Relation == finding.Within {
		return e
	}
	limits, _ := r.LimitsFor(subject, reference)
	skew, _ := subject.Minor().Skew(reference.Minor())
	switch e.Relation {
	case finding.TooOld:
		e.Minors = -skew - *limits.MaxOlder
	case finding.TooNew:
		e.Minors = skew - *limits.MaxNewer
		if e.Minors == 0 {
			s, _ := subject.Patch()
			r, _ := reference.Patch()
			e.Patches = s - r
		}
	case finding.Within, finding.Incomparable, finding.Unmet:
	}
	return e
}

// Worse reports whether a limit is exceeded by more than before, or a different limit
// is exceeded.
func (e Excess) Worse(before Excess) bool {
	if e.Relation == finding.Within {
		return false
	}
	return e.Relation != before.Relation || cmp.Or(cmp.Compare(e.Minors, before.Minors), cmp.Compare(e.Patches, before.Patches)) > 0
}
