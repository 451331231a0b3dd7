// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

func TestSchemeNames(t *testing.T) {
	if diff := cmp.Diff([]string{"openshift"}, version.SchemeNames()); diff != "" {
		t.Errorf("schemes (-want +got):\n%s", diff)
	}
	for _, name := range version.SchemeNames() {
		if s, ok := version.SchemeNamed(name); !ok || s == nil {
			t.Errorf("scheme %q is listed but does not exist", name)
		}
	}
	if s, ok := version.SchemeNamed("kubernetes"); ok || s != nil {
		t.Error("kubernetes is a scheme, although it needs none")
	}
}

// TestSchemeNumbering checks that tables without a declared version start in the oldest major
// of the scheme. OpenShift 4.20 runs Kubernetes 1.33
// (https://github.com/openshift/hypershift/blob/main/support/supportedversion/version.go).
func TestSchemeNumbering(t *testing.T) {
	for _, tt := range []struct {
		numbering version.Numbering
		minor     int
		want      string
	}{
		{(*version.Scheme)(nil).Numbering(), 33, "1.33"},
		{openshift(t).Numbering(), 33, "4.20 (1.33)"},
		{openshift(t).Numbering(), 36, "4.23 (1.36)"}, // and not 5.0
		{openshift(t).Numbering(), 37, "5.1 (1.37)"},
		// No OpenShift 4 runs a Kubernetes older than 1.13.
		{openshift(t).Numbering(), 12, "1.12"},
	} {
		if got := tt.numbering.Show(minor(tt.minor)); got != tt.want {
			t.Errorf("1.%d is shown as %s, want %s", tt.minor, got, tt.want)
		}
	}
}

// TestNumberingKeepsMinor checks that a minor converted to any numbering still counts as
// that minor, even if no release runs it or its number is too large to parse.
func TestNumberingKeepsMinor(t *testing.T) {
	s := openshift(t)
	rapid.Check(t, func(t *rapid.T) {
		written, err := s.Parse(rapid.SampledFrom([]string{"4.20", "5.0", "1.33"}).Draw(t, "written"))
		if err != nil {
			t.Fatal(err)
		}
		m := version.Minor{
			Major: rapid.IntRange(0, 5).Draw(t, "major"),
			Minor: rapid.OneOf(rapid.IntRange(0, 60), rapid.IntRange(version.MaxNumber-60, version.MaxNumber+60)).Draw(t, "minor"),
		}
		n := written.Numbering()
		if v := n.Version(m); v.Minor() != m {
			t.Fatalf("%s becomes %s, which counts as %s", m, v, v.Minor())
		}
		if v := n.WithPatch(m, 3); v.Minor() != m {
			t.Fatalf("patch 3 of %s becomes %s, which counts as %s", m, v, v.Minor())
		}
	})
}

// TestRange checks that a constraint in the numbering of OpenShift stays within the written
// major, and keeps patches.
func TestRange(t *testing.T) {
	for _, tt := range []struct{ written, from, below, want string }{
		{"1.33", "1.31", "1.34", ">= 1.31, < 1.34"},
		{"1.33", "1.31.5", "", ">= 1.31.5"},
		{"1.33", "", "1.34.2", "< 1.34.2"},
		{"4.20", "4.18.5", "4.21", ">= 4.18.5, < 4.21"},
		{"4.20", "4.18", "4.20.3", ">= 4.18, < 4.20.3"},
		{"4.20", "", "4.21", ">= 4.0, < 4.21"},
		{"4.20", "4.18", "", ">= 4.18, < 4.24"},
		{"4.20", "4.18", "5.2", ">= 4.18, < 4.24"},
		// The last minor of OpenShift 5 is unknown.
		{"5.1", "5.0", "", ">= 5.0, < 6.0"},
		{"5.1", "", "5.2", ">= 5.0, < 5.2"},
	} {
		s := openshift(t)
		parse := func(text string) version.Version {
			if text == "" {
				return version.Version{}
			}
			v, err := s.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if got := parse(tt.written).Numbering().Range(parse(tt.from), parse(tt.below)); got != tt.want {
			t.Errorf("from %q below %q with %s: %q, want %q", tt.from, tt.below, tt.written, got, tt.want)
		}
	}
}

// TestEmulatedVersion checks that a binary that emulates an older minor counts as that minor,
// keeps its own number, and has no patch of the emulated minor
// (https://github.com/kubernetes/enhancements/tree/master/keps/sig-architecture/4330-compatibility-versions).
func TestEmulatedVersion(t *testing.T) {
	emulating := func(binary, emulated string) version.Version {
		v, err := must(t, binary).Emulating(must(t, emulated))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := emulating("1.36.7", "1.35")
	if emulated, ok := v.Emulated(); !ok || emulated.String() != "1.35" {
		t.Errorf("%s emulates %q, want 1.35", v, emulated)
	}
	if v.Normalized() != "1.36.7" {
		t.Errorf("normalized %s, want the version of the binary", v.Normalized())
	}
	for _, own := range []version.Version{must(t, "1.36.7"), emulating("1.36.7", "1.36"), {}} {
		if emulated, ok := own.Emulated(); ok {
			t.Errorf("%s emulates %s, want nothing", own, emulated)
		}
	}

	// The patch is one of 1.36, so it says nothing about patches of 1.35.
	for text, want := range map[string]bool{">= 1.35, < 1.36": true, "= 1.35.0": true, ">= 1.35.1": false, ">= 1.36": false} {
		c, err := version.ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		if c.Contains(v) != want {
			t.Errorf("%q contains %s: %t, want %t", text, v, !want, want)
		}
	}
	if older := emulating("1.37.0", "1.35"); v.Compare(older) >= 0 || older.Compare(v) <= 0 {
		t.Errorf("%s is not older than %s", v, older)
	}

	// An unknown side changes nothing.
	if same, err := must(t, "1.36.7").Emulating(version.Version{}); err != nil || same.String() != "1.36.7" {
		t.Errorf("1.36.7 without an emulated version is %s (error %v)", same, err)
	}
	if none, err := (version.Version{}).Emulating(must(t, "1.35")); err != nil || !none.IsZero() {
		t.Errorf("a missing version emulating 1.35 is %s (error %v)", none, err)
	}
	if strings.Contains(v.Binary().String(), "emulating") {
		t.Errorf("the binary is %s", v.Binary())
	}
}
