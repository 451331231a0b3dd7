package finding

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Window is the minors a component may have.
type Window struct {
	// Minimum and Maximum are nil where nothing bounds that side, and both
	// are where no version fits at all: see Empty.
	Minimum, Maximum *version.Minor
	// Minors lists the window, oldest first, where both sides are bounded and
	// not so far apart that nobody would read the list.
	Minors []version.Minor
	// Except lists minors within the bounds that are not allowed, oldest
	// first. Limits leave none out; requirements may.
	Except []version.Minor
	// Empty says that the limits contradict each other.
	Empty bool
	// Major is the only major in which anything is allowed, nil if there is no
	// such.
	Major *int
	// Certain is versions all of which are allowed, where the bounds hold some that
	// are not: minors left out, or single patches. It is nil where they hold none.
	Certain *Range
	// Numbers is what the versions of the window are written in.
	Numbers version.Numbering
}

// Range is the versions from one on and below another. The zero version leaves a
// side open.
type Range struct {
	From, Below version.Version
	// Empty says that the range holds no version at all.
	Empty bool
}

// Constraint writes versions that are certainly allowed, in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version: the bounds of the window,
// or the part of it that one constraint can say. A window without bounds is
// ">= 0", an empty one "< 0".
func (w Window) Constraint() string {
	bounds := w.Certain
	switch {
	case bounds != nil && bounds.Empty, bounds == nil && w.Empty:
		return "< 0"
	case bounds != nil:
	default:
		bounds = &Range{}
		if w.Minimum != nil {
			bounds.From = w.Minimum.Version()
		}
		if w.Maximum != nil {
			bounds.Below = w.Maximum.Add(1).Version()
		}
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

// Written returns the window with its versions in other numbers.
func (w Window) Written(in version.Numbering) Window {
	w.Numbers = in
	return w
}

// Show writes a bound of the window for a reader, in its numbers; "" for none.
func (w Window) Show(m *version.Minor) string {
	if m == nil {
		return ""
	}
	return w.Numbers.Show(*m)
}

// Contains reports whether a minor is in the window. One of which only some
// patches are allowed counts as its first one.
func (w Window) Contains(m version.Minor) bool {
	if w.Empty || w.Major != nil && m.Major != *w.Major || slices.Contains(w.Except, m) || w.Minimum != nil && m.Compare(*w.Minimum) < 0 || w.Maximum != nil && m.Compare(*w.Maximum) > 0 {
		return false
	}
	return true
}
