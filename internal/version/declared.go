// SPDX-License-Identifier: MPL-2.0

package version

import (
	"fmt"
	"strings"
)

// oldestWithoutPatch is the oldest minor of major 1 that can be declared without a
// patch. Older ones are most likely mistakes: the unquoted number 1.30 becomes 1.3,
// and 1.1 to 1.5 are no longer in use.
const oldestWithoutPatch = 6

// lostZero reports whether a minor looks like a number that lost its last zero
// (1.30 becomes 1.3, and 4.20 of OpenShift becomes 4.2), and is too old to be in
// use.
func lostZero(written Minor, scheme *Scheme) bool {
	lost := 0
	if scheme != nil {
		release, _ := scheme.of(written.Major)
		lost = release.lostZeros
	}
	if written.Major == 1 {
		lost = oldestWithoutPatch - 1
	}
	return written.Minor >= 1 && written.Minor <= lost
}

// LostZeroError is returned for a version that looks like a number that lost its
// last zero.
type LostZeroError struct{ Input string }

// Error names both versions that may be meant and how to write them.
func (e *LostZeroError) Error() string {
	return fmt.Sprintf("%q looks like the number %[2]s0 written without quotes, which loses its last zero. Write \"%[2]s0\" as a string, or \"%[2]s.0\" if you mean that old version.", e.Input, strings.TrimPrefix(e.Input, "v"))
}

// ParseDeclared parses the declared version of a Kubernetes component. It works
// like Parse, except that 1.1 to 1.5 without a patch are errors. The error is a
// *ParseError or a *LostZeroError.
func ParseDeclared(s string) (Version, error) { return (*Scheme)(nil).ParseDeclared(s) }

// ParseDeclared works like the function of the same name, for versions of the
// scheme: for OpenShift, 4.1 and 4.2 without a patch are errors too.
func (s *Scheme) ParseDeclared(text string) (Version, error) {
	v, err := s.Parse(text)
	if err != nil {
		return Version{}, err
	}
	if _, hasPatch := v.Patch(); !hasPatch && v.Build() == "" && lostZero(v.parts().writtenMinor(), s) {
		return Version{}, &LostZeroError{Input: text}
	}
	return v, nil
}
