// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestMatches checks that versions match at the coarser of their precisions: minor,
// patch or build.
func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		a, b                string
		matches, aIncludesB bool
	}{
		{"1.33", "1.33", true, true},
		{"1.33", "1.33.4", true, true},
		{"1.33.4", "1.33", true, false},
		{"1.33", "1.34.0", false, false},
		{"1.33.4", "1.33.4-gke.1350000", true, true},
		{"1.33.4-gke.1350000", "1.33.4", true, false},
		{"1.33.4-gke.1350000", "v1.33.4-gke.1350000", true, true},
		{"1.33.4-gke.1350000", "1.33.4-gke.1400000", false, false},
		{"v1.31.1+k3s1", "1.31.1~k3s1", true, true},
		{"1.33.4", "1.33.5", false, false},
		{"1.34", "1.34.0-rc.1", true, true},
		{"1.34.0", "1.34.0-rc.1", false, false},
		{"2.33", "1.33", false, false},
	} {
		a, b := must(t, tt.a), must(t, tt.b)
		if got := a.Matches(b); got != tt.matches || b.Matches(a) != got {
			t.Errorf("%s matches %s: got %t, want %t, in both directions", tt.a, tt.b, got, tt.matches)
		}
		if got := a.Includes(b); got != tt.aIncludesB {
			t.Errorf("%s includes %s: got %t, want %t", tt.a, tt.b, got, tt.aIncludesB)
		}
	}
	var zero version.Version
	if zero.Matches(must(t, "1.33")) || zero.Matches(zero) {
		t.Error("the zero version matches another one")
	}
}

// TestMatchesScheme checks that versions in the numbers of a distribution match what
// they stand for: a node of OpenShift 4.20 reports Kubernetes 1.33.
func TestMatchesScheme(t *testing.T) {
	parse := func(s string) version.Version {
		v, err := openshift(t).Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"4.20", "v1.33.5", true},
		{"4.20.3", "v1.33.5", true}, // the patches are not comparable
		{"4.20.3", "4.20.3", true},
		{"4.20.3", "4.20.4", false},
		{"4.20", "4.21", false},
		{"4.23", "5.0", false}, // two releases of Kubernetes 1.36
	} {
		if got := parse(tt.a).Matches(parse(tt.b)); got != tt.want {
			t.Errorf("%s matches %s: got %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestMatchesEmulation checks that an emulated version does not matter: the platform
// offers the binary.
func TestMatchesEmulation(t *testing.T) {
	binary := must(t, "1.36.1")
	emulating, err := binary.Emulating(must(t, "1.35"))
	if err != nil {
		t.Fatal(err)
	}
	if !emulating.Matches(binary) || !binary.Includes(emulating) || emulating.Matches(must(t, "1.35")) {
		t.Error("an emulated version counts")
	}
}
