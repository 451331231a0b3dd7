// SPDX-License-Identifier: MPL-2.0

package version

import (
	"fmt"
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
	// terms holds the edges of each term. All terms have to allow a version.
	terms  [][]edge
	minors []Minor
	// patches are the versions it names, if it distinguishes patches of a minor.
	patches []Version
}

// edge is a version from which on a term allows all versions, or none, up to the next edge.
type edge struct {
	from    numbers
	allowed bool
}

// numbers are the major, the minor and the patch of a version.
type numbers [3]int

func (n numbers) next() numbers { return numbers{n[0], n[1], n[2] + 1} }

// minorsOnly matches a term that only distinguishes minors. Most do.
var minorsOnly = regexp.MustCompile(`^(?:<|>=) ?[0-9]+\.[0-9]+$`)

// ParseConstraint parses a constraint. The error is go-version's own and names the
// constraint.
func ParseConstraint(s string) (Constraint, error) {
	parsed, err := goversion.NewConstraint(s)
	if err != nil {
		return Constraint{}, err
	}
	c := Constraint{parsed: parsed}
	patches := false
	for _, term := range parsed {
		text := strings.TrimSpace(term.String())
		var named []numbers
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",<>=!~", r) }) {
			if v, err := goversion.NewVersion(part); err == nil {
				var n numbers
				for i := range n { // larger numbers than any version has would overflow
					n[i] = min(v.Segments()[i], math.MaxInt32-1)
				}
				m := Minor{n[0], n[1]}
				named = append(named, n)
				c.minors = append(c.minors, m)
				c.patches = append(c.patches, m.WithPatch(n[2]))
			}
		}
		if minorsOnly.MatchString(text) {
			below := strings.HasPrefix(text, "<")
			c.terms = append(c.terms, []edge{{numbers{}, below}, {named[0], !below}})
			continue
		}
		patches = true
		c.terms = append(c.terms, edgesOf(term, named))
	}
	if !patches {
		c.patches = nil
	}
	if strings.Contains(s, "~>") { // it also excludes the next major
		for _, m := range c.minors {
			c.minors = append(c.minors, Minor{m.Major + 1, 0})
		}
	}
	return c, nil
}

// edgesOf returns the edges of a term. The result of go-version can only change at and
// after the versions that the term names, and for ~> at the next minor and major.
func edgesOf(term *goversion.Constraint, named []numbers) []edge {
	points := []numbers{{}}
	for _, n := range named {
		for _, at := range []numbers{n, {n[0], n[1] + 1, 0}, {n[0] + 1, 0, 0}} {
			points = append(points, at, at.next())
		}
	}
	slices.SortFunc(points, func(a, b numbers) int { return slices.Compare(a[:], b[:]) })
	var edges []edge
	for _, at := range points {
		allowed := term.Check(goversion.Must(goversion.NewVersion(fmt.Sprintf("%d.%d.%d", at[0], at[1], at[2]))))
		if len(edges) == 0 || edges[len(edges)-1].allowed != allowed {
			edges = append(edges, edge{at, allowed})
		}
	}
	return edges
}

// Contains reports whether the constraint allows v. Only major, minor and patch
// count: a vendor build is not a pre-release, and a pre-release belongs to its
// minor.
func (c Constraint) Contains(v Version) bool {
	p := v.parts()
	at := numbers{p.minor.Major, p.minor.Minor, p.patch}
	if p.writtenMinor() != p.minor {
		at[2] = 0 // the patch belongs to another numbering or to an emulating binary
	}
	for _, edges := range c.terms {
		last := len(edges) - 1
		for last > 0 && slices.Compare(at[:], edges[last].from[:]) < 0 {
			last--
		}
		if !edges[last].allowed {
			return false
		}
	}
	return true
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
