// Package suggest guesses what a misspelled name was meant to be.
package suggest

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// maxTypos is how many letters of a name may be wrong, missing or too many.
const maxTypos = 2

// Name returns the known name that resembles a misspelled one most, or "" if none
// does: at most two letters may differ, and fewer than the name has. Case does not
// count.
func Name(misspelled string, known []string) string {
	nearest, distance := "", min(maxTypos+1, len(misspelled))
	for _, name := range known {
		if d := levenshtein.Distance(strings.ToLower(misspelled), strings.ToLower(name), nil); d < distance {
			nearest, distance = name, d
		}
	}
	return nearest
}

// Question asks whether the name was meant that resembles a misspelled one, as in
// ` Did you mean "eks"?`, with a space before it. It returns "" if none does.
func Question(misspelled string, known []string) string {
	if name := Name(misspelled, known); name != "" {
		return fmt.Sprintf(" Did you mean %q?", name)
	}
	return ""
}
