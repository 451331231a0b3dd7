// SPDX-License-Identifier: MPL-2.0

package skew

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// PairChange is a change of two instances that a rule relates. Each of them can move before
// the other.
type PairChange struct {
	Rule *policy.PairRule
	// DuringUpgrade is the rule with the limits that apply while the reference is upgraded.
	DuringUpgrade      *policy.PairRule
	Subject, Reference finding.Change
}

// RuleBeside returns the rule with the limits that apply once the reference has a version:
// those during an upgrade if it is newer than before.
func (c PairChange) RuleBeside(reference version.Version) *policy.PairRule {
	if (finding.Change{From: c.Reference.From, To: reference}).Upgrades() {
		return c.DuringUpgrade
	}
	return c.Rule
}

// before returns by how much the pair exceeds the limits before the change. The reference
// is not being upgraded then.
func (c PairChange) before() Excess { return ExcessOf(c.Rule, c.Subject.From, c.Reference.From) }

// Worse reports whether the change makes the pair worse: afterwards, it exceeds a limit by
// more than before, or exceeds another one.
func (c PairChange) Worse() bool {
	after := ExcessOf(c.RuleBeside(c.Reference.To), c.Subject.To, c.Reference.To)
	return after.Relation != finding.Within && after.Worse(c.before())
}

// Breaks reports whether two versions exceed a limit by more than the pair does before the
// change and by more than it does afterwards. A pair that already violates a rule must not
// prevent the change that repairs it, and what it violates afterwards is not up to the order
// of the moves. The same limits apply to it, so that only the versions count.
func (c PairChange) Breaks(subject, reference version.Version) bool {
	r := c.RuleBeside(reference)
	now := ExcessOf(r, subject, reference)
	if now.Relation == finding.Within || !now.Worse(c.before()) {
		return false
	}
	after := ExcessOf(c.Rule, c.Subject.To, c.Reference.To)
	if after.Relation != finding.Within && r != c.Rule {
		after = ExcessOf(r, c.Subject.To, c.Reference.To)
	}
	return now.Worse(after)
}

// SubjectFirst reports whether the pair breaks the rule if the subject moves first.
func (c PairChange) SubjectFirst() bool { return c.Breaks(c.Subject.To, c.Reference.From) }

// ReferenceFirst reports whether the pair breaks the rule if the reference moves first.
func (c PairChange) ReferenceFirst() bool { return c.Breaks(c.Subject.From, c.Reference.To) }

// Caused reports whether the pair satisfies the rule before the change and violates it
// afterwards, whatever the order of the moves.
func (c PairChange) Caused() bool {
	return ExcessOf(c.Rule, c.Subject.To, c.Reference.To).Relation != finding.Within && c.before().Relation == finding.Within
}
