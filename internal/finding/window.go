// SPDX-License-Identifier: MPL-2.0

package finding

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Window is the set of minors that a component may have.
type Window struct {
	// Minimum and Maximum are nil if that side is unlimited. Both are nil
	// if no version is allowed at all: see Empty.
	Minimum, Maximum *version.Minor
	// Minors lists the minors of the window, oldest first, if it has both limits
	// and they are not too far apart for a list.
	Minors []version.Minor
	// Except lists minors between the limits that are not allowed, oldest first.
	// Only requirements exclude such minors.
	Except []version.Minor
	// Empty says that no version is allowed.
	Empty bool
	// Major is the only major in which versions are allowed, nil if it is not
	// limited to one.
	Major *int
	// FullyAllowed is a range in which every version is allowed. It is set if the limits
	// of the window include versions that are not allowed: excluded minors or
	// single patches. Otherwise it is nil.
	FullyAllowed *Range
	// Numbers is the numbering of the window.
	Numbers version.Numbering
}

// Range is the versions from From up to, but not including, Below. A zero version
// leaves that side open.
type Range struct {
	From, Below version.Version
	// Empty says that the range holds no version at all.
	Empty bool
}

// Constraint returns allowed versions as a constraint in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version: the limits of the window, or
// FullyAllowed if that is set. A window without limits is ">= 0", an empty one "< 0".
func (w Window) Constraint() string {
	bounds := Range{Empty: w.Empty}
	if w.Minimum != nil {
		bounds.From = w.Minimum.Version()
	}
	if w.Maximum != nil {
		bounds.Below = w.Maximum.Add(1).Version()
	}
	if w.FullyAllowed != nil {
		bounds = *w.FullyAllowed
	}
	if bounds.Empty {
		return "< 0"
	}
	from, below := bounds.From, bounds.Below
	if w.Major != nil && from.IsZero() && *w.Major > 0 {
		from = version.Minor{Major: *w.Major}.Version()
	}
	if w.Major != nil && below.IsZero() {
		below = version.Minor{Major: *w.Major + 1}.Version()
	}
	if from.IsZero() && below.IsZero() {
		return ">= 0"
	}
	return w.Numbers.Range(from, below)
}

// Written returns the window with another numbering.
func (w Window) Written(in version.Numbering) Window {
	w.Numbers = in
	return w
}

// Show formats a limit of the window for messages, in its numbering. It returns ""
// for nil.
func (w Window) Show(m *version.Minor) string {
	if m == nil {
		return ""
	}
	return w.Numbers.Show(*m)
}

// Contains reports whether a minor is in the window. A minor of which only some
// patches are allowed is in the window if its first patch is.
func (w Window) Contains(m version.Minor) bool {
	return !w.Empty && (w.Major == nil || m.Major == *w.Major) && !slices.Contains(w.Except, m) &&
		(w.Minimum == nil || m.Compare(*w.Minimum) >= 0) && (w.Maximum == nil || m.Compare(*w.Maximum) <= 0)
}
