// Package skew judges combinations: whether the versions that run side by side
// keep to a policy, and which versions each component may have.
//
// Everything follows from one predicate over two instances, Judge. A
// combination is sound when all its pairs are, the allowed versions of a
// component are those that keep its pairs sound, and package upgrade asks the
// same predicate about what runs while a step is under way. That an API server
// in between narrows what others may run needs no case of its own: every API
// server is a reference.
package skew

import (
	"cmp"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Judge says how two versions stand to each other under a rule.
func Judge(r *policy.PairRule, subject, reference version.Version) finding.Relation {
	if q := r.Requirement; q != nil {
		// A subject without a patch may be any patch of its minor, so a rule for
		// some of them does not apply.
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
	case r.ComparePatch && limits.MaxNewer != nil && skew == *limits.MaxNewer && newerPatch(subject, reference):
		return finding.TooNew
	}
	return finding.Within
}

// newerPatch compares patches, where they can be compared, provided that both are declared: one
// of the subject that is not counts as 0, which is newer than none.
func newerPatch(subject, reference version.Version) bool {
	s, _ := subject.Patch()
	r, declared := reference.Patch()
	return declared && s > r && subject.PatchesCompare(reference)
}

// Excess is how far two versions are beyond a limit of their rule.
type Excess struct {
	Relation finding.Relation
	// Minors is counted from the limit, and Patches from the reference where the
	// limit allows the minor and the rule compares patches. Both are 0 where
	// nothing can be counted: across majors, and by a requirement.
	Minors, Patches int
}

// Exceeds says how far two versions are beyond the limits of a rule.
func Exceeds(r *policy.PairRule, subject, reference version.Version) Excess {
	e := Excess{Relation: Judge(r, subject, reference)}
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

// Worse reports whether something is further beyond a limit than it was, or beyond
// another one.
func (e Excess) Worse(before Excess) bool {
	if e.Relation == finding.Within {
		return false
	}
	return e.Relation != before.Relation || cmp.Or(cmp.Compare(e.Minors, before.Minors), cmp.Compare(e.Patches, before.Patches)) > 0
}
