// SPDX-License-Identifier: MPL-2.0

// Package report describes findings, plans and policies to users: in the texts of
// diagnostics, in Markdown, and in diagrams. All entry points use its texts, so that
// they describe the same thing in the same way.
package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// How many words a text lists at most. It counts the others.
const (
	maxNamed  = 5   // locations or versions in a sentence
	maxListed = 100 // where a reader needs all of them
)

// list joins words as in "a, b and c". It counts those after the first maxNamed.
func list(words []string) string {
	if len(words) > maxNamed {
		return upTo(maxNamed, words)
	}
	return listAll(words)
}

// upTo lists the first n words and counts the others.
func upTo(n int, words []string) string {
	if more := len(words) - n; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:n], ", "), more)
	}
	return strings.Join(words, ", ")
}

// listAll joins words as in "a, b and c".
func listAll(words []string) string { return join(words, "and") }

// listOr joins words as in "a, b or c".
func listOr(words []string) string { return join(words, "or") }

func join(words []string, conjunction string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}

// Strings returns the texts of items. The result is never nil, because an empty list must
// not become null.
func Strings[T fmt.Stringer](items []T) []string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = item.String()
	}
	return words
}

// shown formats minors in a numbering.
func shown(minors []version.Minor, in version.Numbering) []string {
	words := make([]string, len(minors))
	for i, m := range minors {
		words[i] = in.Show(m)
	}
	return words
}

// ranges formats ascending minors in a numbering. Three or more consecutive ones become
// a range such as "1.2 to 1.9".
func ranges(minors []version.Minor, in version.Numbering) []string {
	var words []string
	for len(minors) > 0 {
		n := 1
		for n < len(minors) && minors[n] == minors[n-1].Add(1) {
			n++
		}
		if n > 2 {
			words = append(words, in.Show(minors[0])+" to "+in.Show(minors[n-1]))
		} else {
			words = append(words, shown(minors[:n], in)...)
		}
		minors = minors[n:]
	}
	return words
}

// Locations lists locations. It counts those after the first maxNamed.
func Locations(locations []finding.Location) string {
	if more := len(locations) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(Strings(locations[:maxNamed]), ", "), more)
	}
	return listAll(Strings(locations))
}

// count returns a number with a noun, as in "2 errors".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// minors returns a number of minor versions.
func minors(n int) string { return count(n, "minor version") }

// Window describes the minors of a window.
func Window(w finding.Window) string {
	s := bounds(w)
	if len(w.Except) > 0 {
		s += " except " + listAll(ranges(w.Except, w.Numbers))
	}
	return s
}

func bounds(w finding.Window) string {
	switch {
	case w.Empty:
		return "none"
	case w.Minimum == nil && w.Maximum == nil:
		return "any"
	case w.Maximum == nil:
		return w.Show(w.Minimum) + " or later"
	case w.Minimum == nil:
		return w.Show(w.Maximum) + " or earlier"
	case *w.Minimum == *w.Maximum:
		return w.Show(w.Minimum)
	}
	return w.Show(w.Minimum) + " to " + w.Show(w.Maximum)
}

// a puts the indefinite article before a component.
func a(component string) string {
	if strings.ContainsAny(component[:min(1, len(component))], "aeiouAEIOU") {
		return "an " + component
	}
	return "a " + component
}

// tense is the tense of a verb: false is the present, for declared versions, and
// true is the conditional, for planned ones.
type tense bool

func tenseOf(p finding.Problem) tense { return tense(p.Findings[0].Planned) }

func (planned tense) of(present, infinitive string) string {
	if planned {
		return "would " + infinitive
	}
	return present
}

// verb returns the form of a verb for a number of locations.
func verb(locations []finding.Location, singular, plural string) string {
	if len(locations) == 1 {
		return singular
	}
	return plural
}

func upperFirst(s string) string { return mapFirst(s, unicode.ToUpper) }
func lowerFirst(s string) string { return mapFirst(s, unicode.ToLower) }

func mapFirst(s string, f func(rune) rune) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(f(r)) + s[size:]
}

// lostZero points out that a version may be a number without its last zero: 1.30
// without quotes is 1.3.
func lostZero(v version.Version) string {
	_, hasPatch := v.Patch()
	if m := v.Minor(); m.Minor == 0 || m.Minor > 9 || hasPatch {
		return ""
	}
	return fmt.Sprintf("If %s is meant to be %s0, put it in quotes: a number loses its last zero.", v, v)
}

// sentences joins all sentences that are not empty.
func sentences(all ...string) string {
	var some []string
	for _, s := range all {
		if s != "" {
			some = append(some, s)
		}
	}
	return strings.Join(some, " ")
}
