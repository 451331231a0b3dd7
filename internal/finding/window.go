package finding

import (
	"fmt"
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
}

// Constraint writes the bounds of the window in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version, which can't say Except. A
// window without bounds is ">= 0", an empty one "< 0".
func (w Window) Constraint() string {
	switch {
	case w.Empty:
		return "< 0"
	case w.Minimum != nil && w.Maximum != nil:
		return fmt.Sprintf(">= %s, < %s", w.Minimum, w.Maximum.Add(1))
	case w.Minimum != nil:
		return fmt.Sprintf(">= %s", w.Minimum)
	case w.Maximum != nil:
		return fmt.Sprintf("< %s", w.Maximum.Add(1))
	}
	return ">= 0"
}

// Contains reports whether a minor is in the window.
func (w Window) Contains(m version.Minor) bool {
	if w.Empty || slices.Contains(w.Except, m) || w.Minimum != nil && m.Compare(*w.Minimum) < 0 || w.Maximum != nil && m.Compare(*w.Maximum) > 0 {
		return false
	}
	return true
}
