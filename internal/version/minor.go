// SPDX-License-Identifier: MPL-2.0

package version

import (
	"cmp"
	"strconv"
)

// Minor is a major and a minor number, the unit of version skew.
type Minor struct {
	Major, Minor int
}

// String returns the minor in the form "1.31".
func (m Minor) String() string { return strconv.Itoa(m.Major) + "." + strconv.Itoa(m.Minor) }

// Compare returns -1 if m is older than n, 0 if they are equal, and 1 if m is
// newer.
func (m Minor) Compare(n Minor) int {
	if m.Major != n.Major {
		return cmp.Compare(m.Major, n.Major)
	}
	return cmp.Compare(m.Minor, n.Minor)
}

// Add returns the minor that is n newer in the same major, or older if n is
// negative. The result is never below minor 0.
func (m Minor) Add(n int) Minor {
	return Minor{m.Major, max(0, m.Minor+n)}
}

// Skew returns by how many minors m is newer than reference, negative if it is
// older. ok is false if the majors differ, because they cannot be compared.
func (m Minor) Skew(reference Minor) (minors int, ok bool) {
	return m.Minor - reference.Minor, m.Major == reference.Major
}

// Version returns the minor as a version without a patch.
func (m Minor) Version() Version {
	return Version{&parts{declared: m.String(), minor: m}}
}

// WithPatch returns a version with the given patch of the minor.
func (m Minor) WithPatch(patch int) Version {
	return Version{&parts{declared: m.String() + "." + strconv.Itoa(patch), minor: m, patch: patch, hasPatch: true}}
}
