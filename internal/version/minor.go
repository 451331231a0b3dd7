package version

import (
	"cmp"
	"strconv"
)

// Minor is a major and a minor number: what version skew is counted in.
type Minor struct {
	Major, Minor int
}

// String returns the minor as in "1.31".
func (m Minor) String() string { return strconv.Itoa(m.Major) + "." + strconv.Itoa(m.Minor) }

// Compare returns -1, 0 or 1.
func (m Minor) Compare(n Minor) int {
	return cmp.Or(cmp.Compare(m.Major, n.Major), cmp.Compare(m.Minor, n.Minor))
}

// Add returns the minor n further on in the same major (back, when n is
// negative); never below minor 0.
func (m Minor) Add(n int) Minor {
	return Minor{m.Major, max(0, m.Minor+n)}
}

// Skew counts the minors from reference to m: negative when m is older. ok is
// false when the majors differ, for then there is nothing to count.
func (m Minor) Skew(reference Minor) (minors int, ok bool) {
	return m.Minor - reference.Minor, m.Major == reference.Major
}

// Version returns the minor as a version without a patch.
func (m Minor) Version() Version {
	return Version{&parts{declared: m.String(), minor: m}}
}

// WithPatch returns a patch of the minor.
func (m Minor) WithPatch(patch int) Version {
	return Version{&parts{declared: m.String() + "." + strconv.Itoa(patch), minor: m, patch: patch, hasPatch: true}}
}
