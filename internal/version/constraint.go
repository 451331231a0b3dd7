// SPDX-License-Identifier: MPL-2.0

package version

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	goversion "github.com/hashicorp/go-version"
)

// Constraint is a version constraint in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version, such as ">= 1.28, < 1.32".
// The zero value allows every version.
type Constraint struct {
	parsed goversion.Constraints
	minors []Minor
	// patches are the versions it names, if it distinguishes patches of a minor.
	patches []Version
	// edges is the whole constraint, if it only distinguishes minors.
	edges []edge
}

// edge is "< minor" or ">= minor".
type edge struct {
	minor Minor
	below bool
}

// minorsOnly matches a constraint that only distinguishes minors. Most do. They are
// checked for every version, and go-version would format both sides each time.
var minorsOnly = regexp.MustCompile(`^(?:(?:<|>=) ?[0-9]+\.[0-9]+(?:, ?|$))+$`)

// ParseConstraint parses a constraint. The error is go-version's own and names the
// constraint.
func ParseConstraint(s string) (Constraint, error) {
	parsed, err := goversion.NewConstraint(s)
	if err != nil {
		return Constraint{}, err
	}
	c := Constraint{parsed: parsed}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",<>=!~", r) }) {
		if v, err := goversion.NewVersion(part); err == nil {
			m := Minor{v.Segments()[0], v.Segments()[1]}
			c.minors = append(c.minors, m)
			c.patches = append(c.patches, m.WithPatch(v.Segments()[2]))
		}
	}
	if minorsOnly.MatchString(s) {
		for i, term := range strings.Split(s, ",") {
			c.edges = append(c.edges, edge{c.minors[i], strings.Contains(term, "<")})
		}
		c.patches = nil
	}
	if strings.Contains(s, "~>") { // it also excludes the next major
		for _, m := range c.minors {
			c.minors = append(c.minors, Minor{m.Major + 1, 0})
		}
	}
	return c, nil
}

// Contains reports whether the constraint allows v. Only major, minor and patch
// count: a vendor build is not a pre-release, and a pre-release belongs to its
// minor.
func (c Constraint) Contains(v Version) bool {
	if c.edges == nil {
		return len(c.parsed) == 0 || c.parsed.Check(v.kubernetes())
	}
	return !slices.ContainsFunc(c.edges, func(e edge) bool { return v.Minor().Compare(e.minor) < 0 != e.below })
}

// ContainsAll reports whether the constraint allows v or, if v has no patch, both
// the first and the last patch of its minor.
func (c Constraint) ContainsAll(v Version) bool {
	return c.Contains(v) && c.Contains(v.lastPatch())
}

// lastPatch returns v with the largest possible patch, if v has none.
func (v Version) lastPatch() Version {
	if v.IsZero() || v.read.hasPatch {
		return v
	}
	last := *v.read
	last.patch = math.MaxInt32
	return Version{read: &last}
}

// String returns the constraint in go-version's syntax, or "" if it allows every
// version.
func (c Constraint) String() string { return c.parsed.String() }

// Minors lists the minors at which the result of Contains may change.
func (c Constraint) Minors() []Minor { return c.minors }

// Patches lists the versions that the constraint names if it distinguishes patches
// of a minor. It is empty for constraints on whole minors.
func (c Constraint) Patches() []Version { return c.patches }

// MarshalText returns the result of String.
func (c Constraint) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the text with ParseConstraint.
func (c *Constraint) UnmarshalText(text []byte) (err error) {
	*c, err = ParseConstraint(string(text))
	return err
}
