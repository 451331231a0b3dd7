// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	goversion "github.com/hashicorp/go-version"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"sigs.k8s.io/yaml"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		input, minor, prerelease, build, normalized string
		patch                                       int // -1: none
	}{
		{"1.31", "1.31", "", "", "1.31", -1},
		{"v1.31", "1.31", "", "", "1.31", -1},
		{"1.30", "1.30", "", "", "1.30", -1},
		{"1.31.4", "1.31", "", "", "1.31.4", 4},
		{"v1.31.4", "1.31", "", "", "1.31.4", 4},
		{"1.0.0", "1.0", "", "", "1.0.0", 0},
		{"v1.31.2-eks-7f9249a", "1.31", "", "eks-7f9249a", "1.31.2+eks-7f9249a", 2},
		{"1.30.4-20241011", "1.30", "", "20241011", "1.30.4+20241011", 4},
		{"v1.30.0-eksbuild.3", "1.30", "", "eksbuild.3", "1.30.0+eksbuild.3", 0},
		{"1.33.4-gke.1350000", "1.33", "", "gke.1350000", "1.33.4+gke.1350000", 4},
		{"v1.31.1+k3s1", "1.31", "", "k3s1", "1.31.1+k3s1", 1},
		{"v1.31.1+rke2r1", "1.31", "", "rke2r1", "1.31.1+rke2r1", 1},
		{"1.2.3~ds1", "1.2", "", "ds1", "1.2.3+ds1", 3},
		{"v1.4.0-beta.8", "1.4", "beta.8", "", "1.4.0-beta.8", 0},
		{"v1.38.0-alpha.2", "1.38", "alpha.2", "", "1.38.0-alpha.2", 0},
		{"1.2.3-rc1", "1.2", "rc1", "", "1.2.3-rc1", 3},
		{"v1.21.0-rc.0+6143dea", "1.21", "rc.0", "6143dea", "1.21.0-rc.0+6143dea", 0},
		{"v1.4.0-alpha.2.677+ea69570f61af8e", "1.4", "alpha.2.677", "ea69570f61af8e", "1.4.0-alpha.2.677+ea69570f61af8e", 0},
		{"1.31.0-rc.1-gke.100", "1.31", "rc.1", "gke.100", "1.31.0-rc.1+gke.100", 0},
		{"1.31.0-alphabet", "1.31", "", "alphabet", "1.31.0+alphabet", 0},
		{"1.27.5+vmware.1-fips.1-tkg.1", "1.27", "", "vmware.1-fips.1-tkg.1", "1.27.5+vmware.1-fips.1-tkg.1", 5},
		{"1.30.4-1.1~bpo12+1", "1.30", "", "1.1.bpo12.1", "1.30.4+1.1.bpo12.1", 4},
		{"1.36-2026.10.15", "1.36", "", "2026.10.15", "1.36+2026.10.15", -1}, // Windows images of EKS
		{"1.36-2026-10-15", "1.36", "", "2026-10-15", "1.36+2026-10-15", -1},
		{"v1.36+2026.10.15", "1.36", "", "2026.10.15", "1.36+2026.10.15", -1},
		{"1.999999999.999999999", "1.999999999", "", "", "1.999999999.999999999", 999999999},
	} {
		v, err := version.Parse(tt.input)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.input, err)
			continue
		}
		patch, ok := v.Patch()
		if !ok {
			patch = -1
		}
		if v.String() != tt.input || v.Minor().String() != tt.minor || patch != tt.patch ||
			v.Prerelease() != tt.prerelease || v.Build() != tt.build || v.Normalized() != tt.normalized {
			t.Errorf("Parse(%q) = minor %s, patch %d, pre-release %q, build %q, normalized %q; want %+v",
				tt.input, v.Minor(), patch, v.Prerelease(), v.Build(), v.Normalized(), tt)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for input, reason := range map[string]string{
		"":                       "The value is empty.",
		"1":                      "The minor is missing.",
		"v1":                     "The minor is missing.",
		"125":                    "The minor is missing.",
		"v":                      "does not start with a number",
		"latest":                 "The value is a word,",
		"stable-1.31":            "does not start with a number",
		"vv1.16.6":               "does not start with a number",
		"V1.31":                  "does not start with a number",
		"-1.31":                  "does not start with a number",
		"1.x":                    `"x" is not a number`,
		"1.31.x":                 `"x" is not a number`,
		"1.25rc1":                `"25rc1" is not a number`,
		"1.30.4_1535":            `"4_1535" is not a number`,
		"v1.25.6.0":              "The value has 4 numbers",
		"01.2.3":                 `"01" has a leading zero`,
		"1.02":                   `"02" has a leading zero`,
		" 1.31":                  "white space",
		"1.31 ":                  "white space",
		"1. 31":                  "white space",
		"1.31\n":                 "white space",
		"1.":                     "A number is missing",
		"1..3":                   "A number is missing",
		".1.3":                   "does not start with a number",
		"1.99999999999999999999": "is too large",
		"99999999999.1":          "is too large",
		"1.1000000000":           "is too large",
		"1.30+":                  "The patch number before",
		"1.36-2026.10":           "The patch number before",
		"1.36-2026.10-15":        "The patch number before",
		"1.36-2026.10.15.1":      "The patch number before",
		"1.36-20261015":          "The patch number before",
		"1.31-rc.1":              "The patch number before",
		"1.31.0-":                "neither a pre-release nor a build",
		"1.31.0+":                "neither a pre-release nor a build",
		"1.31.0-a..b":            "neither a pre-release nor a build",
		"1.31.0-a~.b":            "neither a pre-release nor a build",
		"1.31.0-eks_1":           "neither a pre-release nor a build",
		"test/test-image":        "does not start with a number",
		"gcr.io/kubernetes:1.14": "does not start with a number",
		"1.31.0-é":               "neither a pre-release nor a build",
		"1.3١":                   "is not a number",
	} {
		_, err := version.Parse(input)
		var parseError *version.ParseError
		if !errors.As(err, &parseError) {
			t.Errorf("Parse(%q) = %v; want a *ParseError", input, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), fmt.Sprintf("%q is not a version. ", input)) || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), version.Examples) {
			t.Errorf("Parse(%q): %q; want it to contain %q and an example", input, err, reason)
		}
	}
}

// TestEngineCases parses the test cases of other projects.
func TestEngineCases(t *testing.T) {
	text, err := os.ReadFile("testdata/engines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Source, Input, Prerelease string
		Minor, Patch              *int
	}
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		v, err := version.Parse(row.Input)
		if (err == nil) != (row.Minor != nil) {
			t.Errorf("%s: Parse(%q): %v", row.Source, row.Input, err)
			continue
		}
		if row.Minor != nil && v.Minor().Minor != *row.Minor {
			t.Errorf("%s: %q has minor %d, want %d", row.Source, row.Input, v.Minor().Minor, *row.Minor)
		}
		if patch, _ := v.Patch(); row.Patch != nil && patch != *row.Patch {
			t.Errorf("%s: %q has patch %d, want %d", row.Source, row.Input, patch, *row.Patch)
		}
		if row.Prerelease != "" && v.Prerelease() != row.Prerelease {
			t.Errorf("%s: %q has pre-release %q, want %q", row.Source, row.Input, v.Prerelease(), row.Prerelease)
		}
	}
}

func TestCompare(t *testing.T) {
	ordered := []string{
		"1.9", "1.30.0-alpha.1", "1.30.0-alpha.2", "1.30.0-beta.0", "1.30.0-rc.1", "1.30.0-rc.10",
		"1.30", "1.30.1", "1.30.10", "1.31.0-alpha.0", "1.31", "2.0",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			switch {
			case i < j:
				want = -1
			case i > j:
				want = 1
			}
			if got := must(t, a).Compare(must(t, b)); got != want {
				t.Errorf("%s compared with %s = %d, want %d", a, b, got, want)
			}
		}
	}
	for _, same := range [][2]string{{"1.30", "v1.30.0"}, {"1.30.1-eks-1", "1.30.1+k3s1"}} {
		if got := must(t, same[0]).Compare(must(t, same[1])); got != 0 {
			t.Errorf("%s compared with %s = %d, want 0: builds have no order", same[0], same[1], got)
		}
	}
}

// TestSame checks that versions are the same however they are written, unless they differ
// in a number, in their build or in the minor that they emulate.
func TestSame(t *testing.T) {
	emulating := func(v, minor string) version.Version {
		e, err := must(t, v).Emulating(must(t, minor))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	var zero version.Version
	for _, tt := range []struct {
		a, b version.Version
		want bool
	}{
		{must(t, "1.31.2"), must(t, "v1.31.2"), true},
		{must(t, "1.31.2-eks-1"), must(t, "v1.31.2+eks-1"), true},
		{must(t, "1.31"), must(t, "1.31.0"), false},
		{must(t, "1.31.2"), must(t, "1.31.3"), false},
		{must(t, "1.31.2-eks-1"), must(t, "1.31.2-eks-2"), false},
		{must(t, "1.31.0-rc.1"), must(t, "1.31.0"), false},
		{must(t, "1.37.1"), emulating("1.37.1", "1.36"), false},
		{emulating("1.37.1", "1.35"), emulating("1.37.1", "1.36"), false},
		{emulating("1.37.1", "1.36"), emulating("v1.37.1", "1.36"), true},
		{emulating("1.37.1", "1.36"), must(t, "1.36.1"), false},
		{release(t, "4.20.3"), release(t, "v1.33.5"), true},
		{release(t, "4.20"), release(t, "1.34"), false},
		{release(t, "4.20.3"), release(t, "4.20.4"), false},
		{release(t, "4.23"), release(t, "5.0"), false},
		{zero, zero, true},
		{zero, must(t, "0.0"), false},
	} {
		if got := tt.a.Same(tt.b); got != tt.want || tt.b.Same(tt.a) != tt.want {
			t.Errorf("%s and %s are the same: %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestAddBeyondLargestMinor checks that windows around the largest declared version can
// contain newer minors.
func TestAddBeyondLargestMinor(t *testing.T) {
	v := must(t, "1.999999999").Minor().Add(100).Version()
	if v.String() != "1.1000000099" || v.Compare(must(t, "1.999999999")) != 1 {
		t.Errorf("100 minors on is %s", v)
	}
}

// TestZeroVersion checks that the zero value is before every version.
func TestZeroVersion(t *testing.T) {
	var none version.Version
	some := must(t, "0.0.0")
	if none.Compare(none) != 0 || none.Compare(some) != -1 || some.Compare(none) != 1 {
		t.Error("the zero version is not before every version")
	}
	if !none.IsZero() || none.String() != "" || none.Normalized() != "" {
		t.Errorf("the zero version is %q, %q", none, none.Normalized())
	}
}

func TestSkew(t *testing.T) {
	for _, tt := range []struct {
		v, reference string
		skew         int
		ok           bool
	}{
		{"1.28.9", "1.31", -3, true},
		{"1.31.0-rc.1", "1.30.9", 1, true},
		{"1.31.9", "1.31.0", 0, true},
		{"2.1", "1.1", 0, false},
	} {
		skew, ok := must(t, tt.v).Minor().Skew(must(t, tt.reference).Minor())
		if skew != tt.skew || ok != tt.ok {
			t.Errorf("skew of %s to %s = %d, %t; want %d, %t", tt.v, tt.reference, skew, ok, tt.skew, tt.ok)
		}
	}
	if got := (version.Minor{Major: 1, Minor: 2}).Add(-3); got.Minor != 0 {
		t.Errorf("1.2 less 3 minors = %s, want 1.0", got)
	}
}

func TestConstraint(t *testing.T) {
	below, err := version.ParseConstraint("< 1.25")
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[string]bool{
		"1.24.17": true, "1.24.17-eks-1": true, "1.25": false, "1.25.0-alpha.1": false, "1.25.3+k3s1": false,
	} {
		if got := below.Contains(must(t, v)); got != want {
			t.Errorf("%q contains %s: %t, want %t", below, v, got, want)
		}
	}
	if !(version.Constraint{}).Contains(must(t, "1.0")) {
		t.Error("the empty constraint refuses a version")
	}
	if _, err := version.ParseConstraint("~> banana"); err == nil {
		t.Error("a constraint without a version is accepted")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"1.31", "v1.31.2-eks-7f9249a", "1.2.3~ds1", "v1.21.0-rc.0+6143dea", "1.30.4-1.1~bpo12+1", "", "1.x", "01.2.3", "99999999999.1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := version.Parse(s)
		if err != nil {
			return
		}
		again, err := version.Parse(v.Normalized())
		if err != nil {
			t.Fatalf("%q is valid, but its normalized form is not: %v", s, err)
		}
		if again.Normalized() != v.Normalized() || again.Compare(v) != 0 || again.Build() != v.Build() || again.Prerelease() != v.Prerelease() {
			t.Fatalf("%q is normalized to %q, and again to %q", s, v.Normalized(), again.Normalized())
		}
	})
}

func must(t *testing.T, s string) version.Version {
	t.Helper()
	v, err := version.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestConstraintAgreesWithGoVersion compares the results for constraints with those of
// go-version.
func TestConstraintAgreesWithGoVersion(t *testing.T) {
	operators := []string{"<", "<=", ">", ">=", "=", "!=", "~>"}
	versions := []string{"1.24", "1.24.9", "1.25", "1.25.0", "1.25.2", "1.25.3", "1.25.4", "1.25.999999999", "1.26", "2.0", "2.25", "3.0", "0.0", "0.25.1"}
	for _, first := range operators {
		for _, second := range operators {
			for _, text := range []string{first + " 1.25", first + "1.25.3", first + " 1.24, " + second + " 1.26", first + "1.25," + second + "2.25", first + "1", first + " v1.25.3.1", first + " 1.25.9223372036854775807", first + " 1.25.3-rc.1", " " + first + "\t1.25.0+build ,  " + second + "1.25.3"} {
				constraint, err := version.ParseConstraint(text)
				if err != nil {
					t.Fatal(err)
				}
				want, err := goversion.NewConstraint(text)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range versions {
					parsed := must(t, s)
					for _, v := range []version.Version{parsed, parsed.Minor().Version()} {
						if got := constraint.Contains(v); got != want.Check(goversion.Must(goversion.NewVersion(v.String()))) {
							t.Errorf("%q contains %s: %t", text, v, got)
						}
					}
				}
			}
		}
	}
}

// TestConstraintContainsAll checks that a version without a patch is only contained if
// all patches of its minor are.
func TestConstraintContainsAll(t *testing.T) {
	for _, tt := range []struct {
		constraint, version string
		want                bool
	}{
		{">= 1.12, < 1.12.11", "1.12", false},
		{">= 1.12, < 1.12.11", "1.12.10", true},
		{">= 1.12, < 1.12.11", "1.12.11", false},
		{">= 1.12.8, < 1.12.11", "1.12", false},
		{">= 1.12.11, < 1.13", "1.12", false},
		{">= 1.12, < 1.13", "1.12", true},
		{">= 1.12, < 1.13", "1.13", false},
		{"< 1.13.6", "1.12", true},
		{"", "1.12", true},
	} {
		c, err := version.ParseConstraint(tt.constraint)
		if tt.constraint == "" {
			c, err = version.Constraint{}, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := version.Parse(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.ContainsAll(v); got != tt.want {
			t.Errorf("%q contains all of %s: %v, want %v", tt.constraint, tt.version, got, tt.want)
		}
	}
}

func release(t *testing.T, s string) version.Version {
	t.Helper()
	v, err := openshift(t).Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
