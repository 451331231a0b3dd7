// SPDX-License-Identifier: MPL-2.0

// Package suggest finds the known name that a misspelled one resembles.
package suggest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// maxTypos is the maximum number of wrong, missing or extra letters.
const maxTypos = 2

// maxLength is the length in bytes of the longest misspelled name. Comparing takes the
// square of it.
const maxLength = 200

// Name returns the known name that is closest to a misspelled one, or "" if none is
// close: at most two letters may differ, and at most half of them. Two swapped
// neighbors count once, and case is ignored. It compares no name of more than maxLength
// bytes.
func Name[S ~string](misspelled string, known []S) string {
	if len(misspelled) > maxLength {
		return ""
	}
	misspelled = strings.ToLower(misspelled)
	length := utf8.RuneCountInString(misspelled)
	nearest, distance := "", min(maxTypos, len(misspelled)/2)+1
	for _, n := range known {
		name := string(n)
		if letters := utf8.RuneCountInString(name); letters < length-maxTypos || letters > length+maxTypos {
			continue
		}
		if d := typos(misspelled, strings.ToLower(name)); d < distance {
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
func Question[S ~string](misspelled string, known []S) string {
	return DidYouMean(Name(misspelled, known))
}

// DidYouMean returns the question whether a name was meant, as Question does, or "" for
// no name.
func DidYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", name)
}

// Quoted lists names in quotes.
func Quoted[S ~string](names []S) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(string(name))
	}
	return strings.Join(quoted, ", ")
}
