package version

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	goversion "github.com/hashicorp/go-version"
)

// Constraint is a set of versions in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version, such as
// ">= 1.28, < 1.32". The zero value holds every version.
type Constraint struct {
	parsed goversion.Constraints
	minors []Minor
	// edges is the whole constraint where it speaks of whole minors alone.
	edges []edge
}

// edge is "< minor", or ">= minor".
type edge struct {
	minor Minor
	below bool
}

// ofMinors is such a constraint. Most are, and are asked of every version, for
// which go-version would write out both sides first.
var ofMinors = regexp.MustCompile(`^(?:(?:<|>=) ?[0-9]+\.[0-9]+(?:, ?|$))+$`)

// ParseConstraint reads a constraint. The error is go-version's own and names
// the constraint.
func ParseConstraint(s string) (Constraint, error) {
	parsed, err := goversion.NewConstraint(s)
	if err != nil {
		return Constraint{}, err
	}
	c := Constraint{parsed: parsed}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",<>=!~", r) }) {
		if v, err := goversion.NewVersion(part); err == nil {
			c.minors = append(c.minors, Minor{v.Segments()[0], v.Segments()[1]})
		}
	}
	if ofMinors.MatchString(s) {
		for i, term := range strings.Split(s, ",") {
			c.edges = append(c.edges, edge{c.minors[i], strings.Contains(term, "<")})
		}
	}
	return c, nil
}

// Contains reports whether v is in the set. Only major, minor and patch count:
// a build is no pre-release, and a pre-release belongs to its minor.
func (c Constraint) Contains(v Version) bool {
	if c.edges == nil {
		return len(c.parsed) == 0 || c.parsed.Check(v.numbered(""))
	}
	return !slices.ContainsFunc(c.edges, func(e edge) bool { return v.Minor().Compare(e.minor) < 0 != e.below })
}

// ContainsAll reports whether v is in the set, and where v has no patch, whether
// the first and the last patch of its minor are.
func (c Constraint) ContainsAll(v Version) bool {
	return c.Contains(v) && c.Contains(v.lastPatch())
}

// lastPatch stands for the newest patch that v can be.
func (v Version) lastPatch() Version {
	if v.IsZero() || v.read.hasPatch {
		return v
	}
	last := *v.read
	last.patch = math.MaxInt32
	return Version{read: &last}
}

// String returns the constraint in go-version's syntax, or "" for every
// version.
func (c Constraint) String() string { return c.parsed.String() }

// Minors lists the minors that the constraint names.
func (c Constraint) Minors() []Minor { return c.minors }

// MarshalText writes the constraint as String does.
func (c Constraint) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what ParseConstraint reads.
func (c *Constraint) UnmarshalText(text []byte) (err error) {
	*c, err = ParseConstraint(string(text))
	return err
}
