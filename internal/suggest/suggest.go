// SPDX-License-Identifier: MPL-2.0

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
// close: at most two letters may differ, and at most half of them. Two swapped
// neighbors count once, and case is ignored.
func Name(misspelled string, known []string) string {
	nearest, distance := "", min(maxTypos, len(misspelled)/2)+1
	for _, name := range known {
		if d := typos(strings.ToLower(misspelled), strings.ToLower(name)); d < distance {
			nearest, distance = name, d
		}
	}
	return nearest
}

// typos counts the letters that differ; two swapped neighbors count once.
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

// Question returns a suggestion such as ` Did you mean "eks"?`, with a leading
// space, or "" if no known name is close.
func Question(misspelled string, known []string) string {
	if name := Name(misspelled, known); name != "" {
		return fmt.Sprintf(" Did you mean %q?", name)
	}
	return ""
}
