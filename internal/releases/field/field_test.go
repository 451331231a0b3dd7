// SPDX-License-Identifier: MPL-2.0

package field_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases/field"
)

// parse parses a JSON value, and returns the result or the problems as text.
func parse[T any](t *testing.T, value string, read func(string) (T, error)) string {
	t.Helper()
	var s field.String
	for _, next := range []string{`"2.0"`, value} { // the previous value must not remain
		if err := json.Unmarshal([]byte(next), &s); err != nil {
			t.Fatal(err)
		}
	}
	var problems field.Problems
	v := field.Parse(&problems, "here", s, read)
	if len(problems) > 0 {
		if got := fmt.Sprint(v); got != fmt.Sprint(*new(T)) {
			t.Errorf("%s is a problem, but returns %s", value, got)
		}
		return errors.Join(problems...).Error()
	}
	return fmt.Sprint(v)
}

// TestParse parses values as text, as minors and as patches.
func TestParse(t *testing.T) {
	const noVersion = `here: "x" is not a version. Write major.minor or major.minor.patch, such as "1.31" or "1.31.4". The value does not start with a number.`
	const unquoted = "here: %s is not a string; put it in quotes: without them, YAML reads 1.30 as the number 1.3"
	for _, tt := range []struct{ value, text, minor, patch string }{
		{`"1.30"`, "1.30", "1.30", `here: "1.30" is not a patch release such as "1.30.14"`},
		{`"1.30.14"`, "1.30.14", `here: "1.30.14" is not a minor such as "1.30"`, "1.30.14"},
		{`"1.30.0-rc.1"`, "1.30.0-rc.1", `here: "1.30.0-rc.1" is not a minor such as "1.30"`, `here: "1.30.0-rc.1" is not a patch release such as "1.30.14"`},
		{`"x"`, "x", noVersion, noVersion},
		{`""`, "", "0.0", ""},
		{`null`, "", "0.0", ""},
		{`1.3`, fmt.Sprintf(unquoted, "1.3"), fmt.Sprintf(unquoted, "1.3"), fmt.Sprintf(unquoted, "1.3")},
		{`[1]`, fmt.Sprintf(unquoted, "[1]"), fmt.Sprintf(unquoted, "[1]"), fmt.Sprintf(unquoted, "[1]")},
	} {
		if got := parse(t, tt.value, field.Text); got != tt.text {
			t.Errorf("%s as text: %q, want %q", tt.value, got, tt.text)
		}
		if got := parse(t, tt.value, field.Minor); got != tt.minor {
			t.Errorf("%s as a minor: %q, want %q", tt.value, got, tt.minor)
		}
		if got := parse(t, tt.value, field.Patch); got != tt.patch {
			t.Errorf("%s as a patch: %q, want %q", tt.value, got, tt.patch)
		}
	}
}
