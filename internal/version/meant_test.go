// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestMeant checks that the error for an invalid version suggests the version in the
// input, if it contains exactly one.
func TestMeant(t *testing.T) {
	for input, want := range map[string]string{
		"1,33":                 "1.33", // comma as decimal separator
		"v1,33":                "1.33",
		"133":                  "1.33", // without the dot
		"v133":                 "1.33",
		">= 1.33":              "1.33", // a constraint
		"~> 1.33.2":            "1.33.2",
		"stable-1.33":          "1.33",
		" 1.33 ":               "1.33",
		"1.3":                  "1.30", // an unquoted 1.30
		">= 1.32, < 1.34":      "",     // either could be meant
		"1.3 to begin with":    "",     // too old to suggest
		"latest":               "",
		"":                     "",
		"33":                   "",
		"2147":                 "",
		"kubernetes-1.33-eks1": "1.33",
	} {
		_, err := version.ParseDeclared(input)
		if err == nil {
			t.Errorf("%q is accepted", input)
			continue
		}
		if got := version.Meant(err); got != want {
			t.Errorf("%q: suggests %q, want %q", input, got, want)
		}
	}
	if got := version.Meant(errors.New("1.33")); got != "" {
		t.Errorf("suggests %q for an error that is not about a version", got)
	}
}

// TestConstraintIsNotVersion checks that the error says that the input is a constraint.
func TestConstraintIsNotVersion(t *testing.T) {
	for _, input := range []string{">= 1.33", "<1.33", "=1.33", "^1.33", "~> 1.33", "~1.33", "!= 1.33", " >= 1.33"} {
		_, err := version.Parse(input)
		if err == nil || !strings.Contains(err.Error(), "The value is a version constraint.") {
			t.Errorf("Parse(%q): %v, want an error about a constraint", input, err)
		}
	}
}
