// SPDX-License-Identifier: MPL-2.0

package version

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Examples lists valid versions for error messages.
const Examples = `"1.31" or "1.31.4"`

// maxDigits bounds each number of a version, so that arithmetic on minors
// cannot overflow on any platform.
const maxDigits = 9

// MaxNumber is the largest number in a version.
const MaxNumber = 999_999_999

// ParseError is the error for a string that is not a version.
type ParseError struct {
	Input  string
	Reason string // a sentence
}

// Error suggests a version if there is an obvious one, shows how to write versions, and
// says what is wrong with the input.
func (e *ParseError) Error() string {
	question := ""
	if meant := meantVersion(e.Input); meant != "" {
		question = fmt.Sprintf(" Did you mean %q?", meant)
	}
	return fmt.Sprintf("%q is not a version.%s Write major.minor or major.minor.patch, such as %s. %s", e.Input, question, Examples, e.Reason)
}

var (
	// suffixPattern matches what can follow a patch: identifiers after "-", "+" or
	// "~". A build can contain several of these characters.
	suffixPattern = regexp.MustCompile(`^[-+~][0-9A-Za-z-]+([.+~][0-9A-Za-z-]+)*$`)
	// prereleasePattern matches the part of a suffix that is a Kubernetes
	// pre-release. Debian packages write it after "~".
	prereleasePattern = regexp.MustCompile(`^[-~]((?:alpha|beta|rc)(?:\.?[0-9]+)*)(?:[-+~]|$)`)

	// datePattern matches the date of a Windows image, which is a build of a minor
	// without a patch.
	datePattern = regexp.MustCompile(`^[-+~][0-9]{4}(?:\.[0-9]{2}\.[0-9]{2}|-[0-9]{2}-[0-9]{2})$`)

	// wordPattern matches "latest", "stable" and the like.
	wordPattern = regexp.MustCompile(`^[A-Za-z]{2,}(?:[-_][A-Za-z]+)*$`)
	// constraintPattern matches the characters that only a constraint contains.
	constraintPattern = regexp.MustCompile(`^\s*(?:[<>=^]|!=|~)`)
	// numbersPattern matches the numbers of a version, without "v" and suffix.
	numbersPattern = regexp.MustCompile(`[0-9]+\.[0-9]+(?:\.[0-9]+)?`)
	// commaPattern and undottedPattern match 1,33 and 133, typos for 1.33.
	commaPattern    = regexp.MustCompile(`^v?[0-9]+,[0-9]+$`)
	undottedPattern = regexp.MustCompile(`^v?1[0-9]{2}$`)

	buildSeparators = strings.NewReplacer("+", ".", "~", ".")
)

// Parse parses a version: major.minor or major.minor.patch, with an optional
// leading "v" and, after a patch, a pre-release and a vendor build. Without a patch,
// only a date can follow, as in 1.36-2026.10.15. Each number is at most 999,999,999
// and has no leading zero. The error is always a *ParseError.
func Parse(s string) (Version, error) {
	fail := func(format string, args ...any) (Version, error) {
		return Version{}, &ParseError{Input: s, Reason: fmt.Sprintf(format, args...)}
	}

	numeric := startsWithNumber(s) // the patterns would take a tenth of the time
	switch {
	case s == "":
		return fail("The value is empty.")
	case !numeric && wordPattern.MatchString(s):
		return fail("The value is a word, such as an alias or the name of a channel.")
	case !numeric && constraintPattern.MatchString(s):
		return fail("The value is a version constraint.")
	case strings.ContainsAny(s, " \t\r\n"):
		return fail("The value contains white space.")
	}

	core, suffix := strings.TrimPrefix(s, "v"), ""
	if i := strings.IndexAny(core, "-+~"); i >= 0 {
		core, suffix = core[:i], core[i:]
	}
	numbers, reason := readCore(core)
	if reason != "" {
		return fail("%s", reason)
	}
	v := parts{declared: s, minor: Minor{numbers[0], numbers[1]}}
	if v.hasPatch = len(numbers) == 3; v.hasPatch {
		v.patch = numbers[2]
	}
	if suffix == "" {
		return Version{&v}, nil
	}
	if !v.hasPatch && !datePattern.MatchString(suffix) {
		return fail("The patch number before %q is missing.", suffix)
	}
	if !suffixPattern.MatchString(suffix) {
		return fail("%q is neither a pre-release nor a build.", suffix)
	}
	if m := prereleasePattern.FindStringSubmatch(suffix); m != nil {
		v.prerelease = m[1]
		suffix = suffix[1+len(m[1]):]
	}
	if suffix != "" {
		if !suffixPattern.MatchString(suffix) {
			return fail("%q after the pre-release is not a build.", suffix)
		}
		v.build = buildSeparators.Replace(suffix[1:])
	}
	return Version{&v}, nil
}

// startsWithNumber reports whether a digit follows the optional "v".
func startsWithNumber(s string) bool {
	s = strings.TrimPrefix(s, "v")
	return s != "" && '0' <= s[0] && s[0] <= '9'
}

// Meant returns the version that was probably meant when Parse or ParseDeclared
// failed, or "" if there is no guess.
func Meant(err error) string {
	var invalid *ParseError
	var lost *LostZeroError
	switch {
	case errors.As(err, &invalid):
		return meantVersion(invalid.Input)
	case errors.As(err, &lost):
		return lost.Input + "0"
	}
	return ""
}

// meantVersion returns the only version that an invalid string contains, as a
// suggestion. It returns "" if there is none or more than one.
func meantVersion(s string) string {
	switch {
	case commaPattern.MatchString(s):
		s = strings.Replace(s, ",", ".", 1)
	case undottedPattern.MatchString(s):
		s = "1." + strings.TrimPrefix(s, "v")[1:]
	}
	found := numbersPattern.FindAllString(s, 2)
	if len(found) != 1 {
		return ""
	}
	if _, err := ParseDeclared(found[0]); err != nil {
		return ""
	}
	return found[0]
}

// readCore parses major.minor or major.minor.patch, or says what is wrong with s.
// go-version accepts much more (any number of segments, leading zeros), so it
// cannot decide this.
func readCore(s string) (numbers []int, problem string) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return nil, "The value does not start with a number."
	}
	for part := range strings.SplitSeq(s, ".") {
		switch {
		case part == "":
			return nil, "A number is missing before or after a dot."
		case strings.Trim(part, "0123456789") != "":
			return nil, fmt.Sprintf("%q is not a number.", part)
		case len(part) > 1 && part[0] == '0':
			return nil, fmt.Sprintf("The number %q has a leading zero.", part)
		case len(part) > maxDigits:
			return nil, fmt.Sprintf("The number %s is too large.", part)
		}
		number, _ := strconv.Atoi(part) // cannot fail: at most maxDigits digits
		numbers = append(numbers, number)
	}
	switch {
	case len(numbers) < 2:
		return nil, "The minor is missing."
	case len(numbers) > 3:
		return nil, fmt.Sprintf("The value has %d numbers instead of two or three.", len(numbers))
	}
	return numbers, ""
}
