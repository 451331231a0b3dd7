// SPDX-License-Identifier: MPL-2.0

// Package report describes findings, plans and policies to users: in the texts of
// diagnostics, in Markdown, and in diagrams. All entry points use its texts, so that
// they describe the same thing in the same way.
package report

import (
	"fmt"
	"slices"
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
func Strings[T fmt.Stringer](items []T) []string { return each(items, T.String) }

// each returns what a function returns for each item.
func each[T, U any](items []T, f func(T) U) []U {
	all := make([]U, len(items))
	for i, item := range items {
		all[i] = f(item)
	}
	return all
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
			words = append(words, each(minors[:n], in.Show)...)
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

// form returns the form of a word for a number.
func form(n int, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}

// count returns a number with a noun, as in "2 errors".
func count(n int, noun string) string { return fmt.Sprintf("%d %s", n, form(n, noun, noun+"s")) }

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

// a names one of the components of a problem, as in "a kubelet or kube-proxy".
func a(p finding.Problem) string {
	components := listOr(p.Components())
	if strings.IndexAny(components, "aeiouAEIOU") == 0 {
		return "an " + components
	}
	return "a " + components
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
func sentences(all ...string) string { return joinTexts(all, " ") }

// paragraphs joins all paragraphs that are not empty.
func paragraphs(all ...string) string { return joinTexts(all, "\n\n") }

// joinTexts joins all texts that are not empty.
func joinTexts(all []string, separator string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" }), separator)
}
