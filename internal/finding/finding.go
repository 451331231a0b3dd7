// SPDX-License-Identifier: MPL-2.0

// Package finding defines findings: the affected instances, the allowed versions,
// the severity, the cause, and the waiver that accepts the finding. It contains no
// checks and no prose. Packages skew, upgrade and evaluation create findings,
// package report describes them.
package finding

import (
	"cmp"
	"iter"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Finding is one result of a rule. It holds facts only. Package report puts them
// into words.
type Finding struct {
	RuleID   string
	Severity policy.Severity
	Source   string // URL of the rule
	Subject  Side
	// Reference is what the subject was compared with. For a step rule, it is the
	// same component before the step.
	Reference Side
	// Allowed holds the minors that the rule allows the subject to have: next to
	// all references it can reach, or after a step. For a StepOrder, it holds those at
	// which the subject can stay while everything it is compared with moves. It is empty
	// if a single intermediate version is not enough.
	Allowed Window
	// WaivedBy is the waiver that accepts the finding, nil if there is none.
	WaivedBy *Waiver
	Cause    Cause
	// RepairedBy is the number of the stage of a plan that repairs the finding, 0 if
	// no stage does.
	RepairedBy int
	// Planned says that the finding is about a planned version, not a declared one.
	Planned bool

	remedies func() (found []Remedy, complete bool)
}

// IsUnwaivedError reports whether the finding is an error that no waiver accepts.
func (f Finding) IsUnwaivedError() bool {
	return f.Severity == policy.SeverityError && f.WaivedBy == nil
}

// Occurrence is a rule that an instance violates. Findings with a common occurrence are the
// same finding at different times, even if the versions differ.
type Occurrence struct {
	RuleID, Component string
	Location          Location
}

// Occurrences yields the occurrences of the finding, one for each location.
func (f Finding) Occurrences() iter.Seq[Occurrence] {
	return func(yield func(Occurrence) bool) {
		for _, l := range f.Subject.Locations {
			if !yield(Occurrence{f.RuleID, f.Subject.Component, l}) {
				return
			}
		}
	}
}

// PossibleRelease returns a version of the finding that is probably a release of a
// distribution, and its scheme. The policy then does not use the numbers of the
// distribution, so the versions cannot be compared. scheme is nil otherwise.
func (f Finding) PossibleRelease() (release version.Version, scheme *version.Scheme) {
	m, mismatch := f.Cause.(*Mismatch)
	step, limit := f.Cause.(*StepLimit)
	if (!mismatch || m.Relation != Incomparable) && (!limit || step.Comparable) {
		return release, nil
	}
	if f.Subject.Locations[0].Attribute == Components || len(f.Reference.Locations) > 0 && f.Reference.Locations[0].Attribute == Components {
		return release, nil // no scheme applies to other components
	}
	for _, v := range []version.Version{f.Subject.Version, f.Reference.Version} {
		if release, scheme = v.PossibleRelease(); scheme != nil {
			break
		}
	}
	return release, scheme
}

// Side is one side of a finding: instances of a component at the same version.
type Side struct {
	Component string
	Version   version.Version
	Locations []Location // in order, never empty for the subject of a finding
}

// Sort sorts findings: most severe first, then by rule, subject and reference.
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
