// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

func openshift(t testing.TB) *version.Scheme {
	t.Helper()
	s, ok := version.SchemeNamed("openshift")
	if !ok {
		t.Fatal("no scheme openshift")
	}
	return s
}

func minor(n int) version.Minor { return version.Minor{Major: 1, Minor: n} }

// TestOpenShift checks that releases count as their Kubernetes minor, and are shown as
// they were written. OpenShift 4.y runs Kubernetes 1.(y+13), and 5.0 the same as 4.23.
func TestOpenShift(t *testing.T) {
	s := openshift(t)
	for text, want := range map[string]struct{ minor, shown, normalized, next string }{
		"4.20":          {"1.33", "4.20 (1.33)", "4.20", "4.21 (1.34)"},
		"4.20.3":        {"1.33", "4.20 (1.33)", "4.20.3", "4.21 (1.34)"},
		"v4.14.0-rc.1":  {"1.27", "4.14 (1.27)", "4.14.0-rc.1", "4.15 (1.28)"},
		"4.22":          {"1.35", "4.22 (1.35)", "4.22", "4.23 (1.36)"},
		"4.23.1":        {"1.36", "4.23 (1.36)", "4.23.1", "5.1 (1.37)"},
		"5.0.2":         {"1.36", "5.0 (1.36)", "5.0.2", "5.1 (1.37)"},
		"5.2":           {"1.38", "5.2 (1.38)", "5.2", "5.3 (1.39)"},
		"1.33.4":        {"1.33", "1.33", "1.33.4", "1.34"},
		"1.33.4+abc123": {"1.33", "1.33", "1.33.4+abc123", "1.34"},
	} {
		v, err := s.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if v.String() != text || v.Minor().String() != want.minor || v.Shown() != want.shown || v.Normalized() != want.normalized {
			t.Errorf("%s is %s, %s, %s; want %+v", text, v.Minor(), v.Shown(), v.Normalized(), want)
		}
		if got := v.Numbering().Show(v.Minor().Add(1)); got != want.next {
			t.Errorf("the minor after %s is %s, want %s", text, got, want.next)
		}
	}
	five, _ := s.Parse("5.0")
	if got := five.Numbering().Show(minor(35)); got != "4.22 (1.35)" {
		t.Errorf("the minor before 5.0 is %s", got)
	}
	if v, err := s.Parse("latest"); err == nil {
		t.Errorf("latest is %s", v)
	}
	for _, text := range []string{"4.1", "4.2", "1.3"} {
		var lost *version.LostZeroError
		if _, err := s.ParseDeclared(text); !errors.As(err, &lost) {
			t.Errorf("%s: %v, want LostZeroError", text, err)
		}
	}
	for _, text := range []string{"4.2.0", "4.3", "4.20"} {
		if _, err := s.ParseDeclared(text); err != nil {
			t.Error(err)
		}
	}
	if _, err := version.ParseDeclared("4.2"); err != nil {
		t.Errorf("without a scheme: %v", err)
	}
}

// TestPatchesComparable checks that patches of releases of a scheme are only compared
// within one release.
func TestPatchesComparable(t *testing.T) {
	s := openshift(t)
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"4.20.3", "4.20.9", true}, {"4.23.3", "5.0.1", false}, {"4.20.3", "1.33.1", false}, {"4.20.3", "4.21.1", false}, {"1.33.1", "1.32.4", true},
	} {
		a, errA := s.Parse(tt.a)
		b, errB := s.Parse(tt.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if a.PatchesComparable(b) != tt.want || b.PatchesComparable(a) != tt.want {
			t.Errorf("%s and %s: want %t", tt.a, tt.b, tt.want)
		}
	}
}

// TestNumberingRoundTrip checks that a converted minor parses to the same minor, and that
// a range contains only versions between its ends.
func TestNumberingRoundTrip(t *testing.T) {
	s := openshift(t)
	rapid.Check(t, func(t *rapid.T) {
		written, err := s.Parse(rapid.SampledFrom([]string{"4.20", "5.0", "5.1.3", "1.30"}).Draw(t, "written"))
		if err != nil {
			t.Fatal(err)
		}
		n, m := written.Numbering(), minor(rapid.IntRange(13, 60).Draw(t, "minor"))
		v, err := s.Parse(n.Version(m).String())
		if err != nil || v.Minor() != m || n.Version(m).Minor() != m || n.WithPatch(m, 3).Minor() != m {
			t.Fatalf("%s is written as %s and read as %s", m, n.Version(m), v.Minor())
		}

		from, below := rapid.IntRange(14, 40).Draw(t, "from"), rapid.IntRange(14, 45).Draw(t, "below")
		if from >= below {
			t.Skip()
		}
		constraint, err := version.ParseConstraint(n.Range(minor(from).Version(), minor(below).Version()))
		if err != nil {
			t.Fatal(err)
		}
		held := 0
		for _, text := range []string{"1.20", "1.33", "4.1", "4.10", "4.19", "4.20", "4.21", "4.22", "4.23", "4.24", "4.30", "5.0", "5.1", "5.2", "5.9"} {
			v, err := s.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			asWritten, _ := version.Parse(text)
			if !constraint.Contains(asWritten) {
				continue
			}
			held++
			if !n.IsKubernetes() && v.Numbering().IsKubernetes() || v.Minor().Minor < from || v.Minor().Minor >= below {
				t.Fatalf("%s (%s) is in %s, from %d below %d", text, v.Minor(), constraint, from, below)
			}
		}
	})
}

// TestEmulating checks the limits of KEP-4330.
func TestEmulating(t *testing.T) {
	for _, tt := range []struct{ binary, emulated, want, shown, problem string }{
		// https://github.com/kubernetes/enhancements/tree/master/keps/sig-architecture/4330-compatibility-versions
		{"1.36.2", "1.35", "1.35", "1.35 (emulated by 1.36)", ""},
		{"1.36.2", "1.33", "1.33", "1.33 (emulated by 1.36)", ""},
		{"1.36.2", "1.36", "1.36", "1.36", ""},
		{"1.36.2", "1.32", "", "", "at most 3 minor versions back"},
		{"1.36.2", "1.37", "", "", "which is newer"},
		{"1.36.2", "2.1", "", "", "which is newer"},
		{"1.36.2", "2.36", "", "", "which is newer"},
		{"2.5", "2.4", "2.4", "2.4 (emulated by 2.5)", ""},
		{"1.32.1", "1.31.0", "1.31", "1.31 (emulated by 1.32)", ""},
		{"1.32.1", "1.30.0", "", "", "The oldest version that can be emulated is 1.31"},
	} {
		binary, errBinary := version.Parse(tt.binary)
		emulated, errEmulated := version.Parse(tt.emulated)
		if errBinary != nil || errEmulated != nil {
			t.Fatal(errBinary, errEmulated)
		}
		v, err := binary.Emulating(emulated)
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%s emulating %s: error %v, want %s", tt.binary, tt.emulated, err, tt.problem)
			}
			continue
		}
		if err != nil || v.Minor().String() != tt.want || v.Shown() != tt.shown || v.Binary().String() != tt.binary {
			t.Errorf("%s emulating %s: %s, %s, binary %s, error %v", tt.binary, tt.emulated, v.Minor(), v.Shown(), v.Binary(), err)
		}
	}
}
