// SPDX-License-Identifier: MPL-2.0

package finding

import "github.com/versionskew/terraform-provider-versionskew/internal/version"

// Remedy is a change of declared versions that removes a finding without causing a
// new one. All targets change to the same minor.
type Remedy struct {
	Targets []Target
	// Upgrade says that the targets move to newer minors. Otherwise they stay at or
	// go back to older ones.
	Upgrade bool
	// Minors lists the minors that work, oldest first and without gaps.
	Minors []version.Minor
	// Limited says that the minor after the last one does not work.
	Limited bool
	// Version is the version of Minors[0] that works if patches matter, otherwise
	// zero.
	Version version.Version
	// Numbers is the numbering of the targets.
	Numbers version.Numbering
	// Kept says that all targets run the nearest version now, before the step.
	Kept bool
	// Drawback is why other remedies are preferred to this one.
	Drawback Drawback
}

// Drawback is a reason to prefer other remedies.
type Drawback int

// The drawbacks, in the order of preference.
const (
	NoDrawback Drawback = iota
	// OwnApply is about a change that has to be made in a separate apply, before the step,
	// because the order within the step does not allow it.
	OwnApply
	// Stepwise is about a change that is larger than a step may be, so that it needs several.
	Stepwise
	// LastResort is about a change that takes control planes to an older minor than the
	// declared one, which may be running.
	LastResort
)

// Nearest returns the minor of the remedy that is closest to the declared one.
func (r Remedy) Nearest() version.Minor {
	if r.Upgrade {
		return r.Minors[0]
	}
	return r.Minors[len(r.Minors)-1]
}

// Show formats a minor of the remedy for messages.
func (r Remedy) Show(m version.Minor) string { return r.Numbers.Show(m) }

// Target is a set of components and locations that a remedy changes together.
type Target struct {
	Components []string
	Locations  []Location
}

// WithRemedies attaches remedies to the finding, best first. They are computed on
// use. complete is false if the search has ended early, because it has a budget.
func (f Finding) WithRemedies(compute func() (remedies []Remedy, complete bool)) Finding {
	f.remedies = compute
	return f
}

// Remedies returns the remedies of the finding, best first. It is empty for
// advisories and if no remedy is known.
func (f Finding) Remedies() []Remedy {
	if f.remedies == nil {
		return nil
	}
	remedies, _ := f.remedies()
	return remedies
}

// RemediesTried reports whether all possible remedies have been tried. If so, an empty
// result of Remedies means that no single change works.
func (f Finding) RemediesTried() bool {
	if f.remedies == nil {
		return false
	}
	_, complete := f.remedies()
	return complete
}
