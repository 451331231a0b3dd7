// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"errors"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestParseDeclared checks that versions such as "1.3" are errors: they are no longer in
// use, and HCL converts the number 1.30 to "1.3".
func TestParseDeclared(t *testing.T) {
	for s, lost := range map[string]bool{
		"1.1": true, "1.3": true, "v1.3": true, "1.5": true,
		"1.0": false, "1.6": false, "1.30": false, "1.3.0": false, "1.3.10-eks-1": false, "2.3": false, "1.3-2026.10.15": false, "0.3": false,
	} {
		_, err := version.ParseDeclared(s)
		var zero *version.LostZeroError
		if errors.As(err, &zero) != lost || !lost && err != nil {
			t.Errorf("%s: %v, want LostZeroError: %t", s, err, lost)
		}
	}
	var invalid *version.ParseError
	if _, err := version.ParseDeclared("latest"); !errors.As(err, &invalid) {
		t.Errorf("latest: %v", err)
	}
	want := `"1.3" looks like the number 1.30 written without quotes, which loses its last zero. Write "1.30" as a string, or "1.3.0" if you mean that old version.`
	if _, err := version.ParseDeclared("1.3"); err.Error() != want {
		t.Errorf("got %s", err)
	}
}
