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
// does: at most two letters may differ, and at most half of them. Two neighbours that
// are swapped count once, and case does not count.
func Name(misspelled string, known []string) string {
	nearest, distance := "", min(maxTypos, len(misspelled)/2)+1
	for _, name := range known {
		if d := typos(strings.ToLower(misspelled), strings.ToLower(name)); d < distance {
			nearest, distance = name, d
		}
	}
	return nearest
}

// typos counts the letters that differ.
func typos(a, b string) int {
	n := levenshtein.Distance(a, b, nil)
	if n == 2 && len(a) == len(b) {
		for i := range len(a) - 1 {
			if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
				return 1
			}
		}
	}
	return n
}

// Question asks whether the name was meant that resembles a misspelled one, as in
// ` Did you mean "eks"?`, with a space before it. It returns "" if none does.
func Question(misspelled string, known []string) string {
	if name := Name(misspelled, known); name != "" {
		return fmt.Sprintf(" Did you mean %q?", name)
	}
	return ""
}
