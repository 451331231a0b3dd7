package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	// Certain is a constraint on versions all of which are allowed, where the
	// bounds hold some that are not: minors left out, or single patches. It is
	// "" where they hold none.
	Certain string
}

// Constraint writes versions that are certainly allowed, in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version: the bounds of the window,
// or the part of it that one constraint can say. A window without bounds is
// ">= 0", an empty one "< 0".
func (w Window) Constraint() string {
	switch {
	case w.Certain != "":
		return w.Certain
	case w.Empty:
		return "< 0"
	}
	var terms []string
	switch {
	case w.Minimum != nil:
		terms = append(terms, ">= "+w.Minimum.String())
	case w.Major != nil && *w.Major > 0:
		terms = append(terms, fmt.Sprintf(">= %d.0", *w.Major))
	}
	switch {
	case w.Maximum != nil:
		terms = append(terms, "< "+w.Maximum.Add(1).String())
	case w.Major != nil:
		terms = append(terms, fmt.Sprintf("< %d.0", *w.Major+1))
	}
	return cmp.Or(strings.Join(terms, ", "), ">= 0")
}

// Contains reports whether a minor is in the window. One of which only some
// patches are allowed counts as its first one.
func (w Window) Contains(m version.Minor) bool {
	if w.Empty || w.Major != nil && m.Major != *w.Major || slices.Contains(w.Except, m) || w.Minimum != nil && m.Compare(*w.Minimum) < 0 || w.Maximum != nil && m.Compare(*w.Maximum) > 0 {
		return false
	}
	return true
}
