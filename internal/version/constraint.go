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
	// patches is the versions it names, where it speaks of more than whole
	// minors.
	patches []Version
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
			m := Minor{v.Segments()[0], v.Segments()[1]}
			c.minors = append(c.minors, m)
			c.patches = append(c.patches, m.WithPatch(v.Segments()[2]))
		}
	}
	if ofMinors.MatchString(s) {
		for i, term := range strings.Split(s, ",") {
			c.edges = append(c.edges, edge{c.minors[i], strings.Contains(term, "<")})
		}
		c.patches = nil
	}
	if strings.Contains(s, "~>") { // which ends with the major
		for _, m := range c.minors {
			c.minors = append(c.minors, Minor{m.Major + 1, 0})
		}
	}
	return c, nil
}

// Contains reports whether v is in the set. Only major, minor and patch count:
// a build is no pre-release, and a pre-release belongs to its minor.
func (c Constraint) Contains(v Version) bool {
	if c.edges == nil {
		return len(c.parsed) == 0 || c.parsed.Check(v.kubernetes())
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

// Minors lists the minors at which what the constraint allows may change.
func (c Constraint) Minors() []Minor { return c.minors }

// Patches lists the versions that the constraint names where it may part one
// patch of a minor from another; none where it speaks of whole minors.
func (c Constraint) Patches() []Version { return c.patches }

// MarshalText writes the constraint as String does.
func (c Constraint) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what ParseConstraint reads.
func (c *Constraint) UnmarshalText(text []byte) (err error) {
	*c, err = ParseConstraint(string(text))
	return err
}
