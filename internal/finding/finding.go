// Package finding holds what rules have found: which instances are concerned, what
// is allowed, how severe it is, why it happened, and which waiver accepts it. It
// judges nothing and contains no prose: packages skew, upgrade and evaluation create
// findings, package report describes them.
package finding

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Finding is one result of a rule. It holds what is known, package report finds
// the words.
type Finding struct {
	RuleID   string
	Severity policy.Severity
	Source   string // URL of the rule
	Subject  Side
	// Reference is what the subject was compared with: for a step rule, the
	// same component before the step.
	Reference Side
	// Allowed is the minors the subject may have by this rule: beside every
	// reference it can reach, or next in a step.
	Allowed Window
	// WaivedBy is the waiver that accepts the finding, nil if there is none.
	WaivedBy *Waiver
	Cause    Cause
	// Planned says that the finding is about what a plan would lead to, not about
	// what is declared.
	Planned bool

	remedies func() []Remedy
}

// IsUnwaivedError reports whether the finding is an error that no waiver accepts.
func (f Finding) IsUnwaivedError() bool {
	return f.Severity == policy.SeverityError && f.WaivedBy == nil
}

// Side is one end of a finding: instances of one component at one version.
type Side struct {
	Component string
	Version   version.Version
	Locations []Location // in order; of a finding's subject never none
}

// Sort brings findings into their one order: worst first, then by rule, and by
// what they are about.
func Sort(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			cmp.Compare(a.RuleID, b.RuleID),
			compareSides(a.Subject, b.Subject),
			compareSides(a.Reference, b.Reference),
		)
	})
}

func compareSides(a, b Side) int {
	return cmp.Or(
		cmp.Compare(a.Component, b.Component),
		a.Version.Compare(b.Version),
		cmp.Compare(a.Version.String(), b.Version.String()),
		slices.CompareFunc(a.Locations, b.Locations, Location.Compare),
	)
}
