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
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Judge says how two versions stand to each other under a rule.
func Judge(r *policy.PairRule, subject, reference version.Version) finding.Relation {
	if q := r.Requirement; q != nil {
		if q.When.Contains(subject) && !q.Require.Contains(reference) {
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

// newerPatch compares patches of one release, provided that both are declared: one
// of the subject that is not counts as 0, which is newer than none.
func newerPatch(subject, reference version.Version) bool {
	s, _ := subject.Patch()
	r, declared := reference.Patch()
	return declared && s > r && subject.SameRelease(reference)
}
