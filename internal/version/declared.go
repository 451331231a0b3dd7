package version

import (
	"fmt"
	"strings"
)

// oldestWritten is the minor of major 1 before which a version of a Kubernetes
// component without a patch is taken for a mistake: nobody runs 1.1 to 1.5 any
// more, and the number 1.30 is written 1.3.
const oldestWritten = 6

// LostZeroError says that a version looks like a number that has lost its last
// zero.
type LostZeroError struct{ Input string }

// Error names both versions that may be meant, and how to write them.
func (e *LostZeroError) Error() string {
	return fmt.Sprintf("%q looks like the number %[2]s0 written without quotes, which loses its last zero. Write \"%[2]s0\" as a string, or \"%[2]s.0\" if you mean that old version.", e.Input, strings.TrimPrefix(e.Input, "v"))
}

// ParseDeclared reads the version of a Kubernetes component that somebody declares.
// It is Parse, but 1.1 to 1.5 without a patch are errors. The error is a *ParseError
// or a *LostZeroError.
func ParseDeclared(s string) (Version, error) {
	v, err := Parse(s)
	if err != nil {
		return Version{}, err
	}
	m := v.Minor()
	if _, hasPatch := v.Patch(); !hasPatch && m.Major == 1 && m.Minor >= 1 && m.Minor < oldestWritten {
		return Version{}, &LostZeroError{Input: s}
	}
	return v, nil
}
