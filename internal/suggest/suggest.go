// Package suggest finds the known name that a misspelled one resembles.
package suggest

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// maxTypos is the maximum number of wrong, missing or extra letters.
const maxTypos = 2

// Name returns the known name that is closest to a misspelled one, or "" if none is
// close: at most two letters may differ, and fewer than the name has. Case is
// ignored.
func Name(misspelled string, known []string) string {
	nearest, distance := "", min(maxTypos+1, len(misspelled))
	for _, name := range known {
		if d := levenshtein.Distance(strings.ToLower(misspelled), strings.ToLower(name), nil); d < distance {
			nearest, distance = name, d
		}
	}
	return nearest
}

// Question returns a suggestion such as ` Did you mean "eks"?`, with a leading
// space, or "" if no known name is close.
func Question(misspelled string, known []string) string {
	if name := Name(misspelled, known); name != "" {
		return fmt.Sprintf(" Did you mean %q?", name)
	}
	return ""
}
