// SPDX-License-Identifier: MPL-2.0

package finding_test

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

func minor(major, n int) *version.Minor { return &version.Minor{Major: major, Minor: n} }

func major(n int) *int { return &n }

// TestWindowConstraint checks the constraint of a window, in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version.
func TestWindowConstraint(t *testing.T) {
	openshift, ok := version.SchemeNamed("openshift")
	if !ok {
		t.Fatal("no scheme openshift")
	}
	patch := func(s string) version.Version { return skewtest.Version(t, s) }
	for _, tt := range []struct {
		name   string
		window finding.Window
		want   string
	}{
		{"without limits", finding.Window{}, ">= 0"},
		{"empty", finding.Window{Empty: true}, "< 0"},
		{"with both limits", finding.Window{Minimum: minor(1, 28), Maximum: minor(1, 31)}, ">= 1.28, < 1.32"},
		{"with a minimum", finding.Window{Minimum: minor(1, 28)}, ">= 1.28"},
		{"with a maximum", finding.Window{Maximum: minor(1, 31)}, "< 1.32"},
		{"in one major", finding.Window{Major: major(1)}, ">= 1.0, < 2.0"},
		{"in the first major", finding.Window{Major: major(0)}, "< 1.0"},
		{"with a minimum in one major", finding.Window{Minimum: minor(1, 28), Major: major(1)}, ">= 1.28, < 2.0"},
		{"with a maximum in one major", finding.Window{Maximum: minor(1, 31), Major: major(1)}, ">= 1.0, < 1.32"},
		// Minors between the limits are excluded: what is certain counts.
		{"with a gap", finding.Window{Minimum: minor(1, 26), Maximum: minor(1, 31), Except: []version.Minor{*minor(1, 29)}, FullyAllowed: &finding.Range{From: patch("1.26"), Below: patch("1.29")}}, ">= 1.26, < 1.29"},
		{"with some patches", finding.Window{Minimum: minor(1, 31), Maximum: minor(1, 31), FullyAllowed: &finding.Range{From: patch("1.31.2"), Below: patch("1.31.5")}}, ">= 1.31.2, < 1.31.5"},
		{"with no patch", finding.Window{Minimum: minor(1, 31), Maximum: minor(1, 31), FullyAllowed: &finding.Range{Empty: true}}, "< 0"},
		{"certain from a version on", finding.Window{Major: major(1), FullyAllowed: &finding.Range{From: patch("1.30")}}, ">= 1.30, < 2.0"},
		// OpenShift 4.20 runs Kubernetes 1.33.
		{"of OpenShift", finding.Window{Minimum: minor(1, 30), Maximum: minor(1, 33)}.Written(openshift.Numbering()), ">= 4.17, < 4.21"},
	} {
		if got := tt.window.Constraint(); got != tt.want {
			t.Errorf("a window %s is %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWindowContains(t *testing.T) {
	for _, tt := range []struct {
		name    string
		window  finding.Window
		in, out []*version.Minor
	}{
		{"without limits", finding.Window{}, []*version.Minor{minor(0, 0), minor(1, 31), minor(2, 0)}, nil},
		{"empty", finding.Window{Empty: true}, nil, []*version.Minor{minor(0, 0), minor(1, 31)}},
		{"from 1.28 to 1.31", finding.Window{Minimum: minor(1, 28), Maximum: minor(1, 31)}, []*version.Minor{minor(1, 28), minor(1, 31)}, []*version.Minor{minor(1, 27), minor(1, 32), minor(2, 29)}},
		{"in major 1", finding.Window{Major: major(1)}, []*version.Minor{minor(1, 0), minor(1, 99)}, []*version.Minor{minor(0, 9), minor(2, 0)}},
		{"except 1.29", finding.Window{Minimum: minor(1, 28), Except: []version.Minor{*minor(1, 29)}}, []*version.Minor{minor(1, 28), minor(1, 30)}, []*version.Minor{minor(1, 29)}},
	} {
		for _, m := range tt.in {
			if !tt.window.Contains(*m) {
				t.Errorf("a window %s does not contain %s", tt.name, m)
			}
		}
		for _, m := range tt.out {
			if tt.window.Contains(*m) {
				t.Errorf("a window %s contains %s", tt.name, m)
			}
		}
	}
}

// TestConstraintMatchesWindow checks that a minor is in a window without gaps if and only
// if it satisfies the constraint of the window.
func TestConstraintMatchesWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minors := rapid.Custom(func(t *rapid.T) version.Minor {
			return version.Minor{Major: rapid.IntRange(0, 3).Draw(t, "major"), Minor: rapid.IntRange(0, 5).Draw(t, "minor")}
		})
		w := finding.Window{Empty: rapid.IntRange(0, 9).Draw(t, "empty") == 0}
		only := rapid.IntRange(0, 3).Draw(t, "only major")
		if rapid.Bool().Draw(t, "one major") {
			w.Major = &only
		}
		limit := func(name string) *version.Minor {
			if !rapid.Bool().Draw(t, name) {
				return nil
			}
			m := minors.Draw(t, name)
			if w.Major != nil {
				m.Major = only
			}
			return &m
		}
		w.Minimum, w.Maximum = limit("minimum"), limit("maximum")
		constraint, err := version.ParseConstraint(w.Constraint())
		if err != nil {
			t.Fatalf("%q: %v", w.Constraint(), err)
		}
		m := minors.Draw(t, "asked")
		if got, want := constraint.Contains(m.Version()), w.Contains(m); got != want {
			t.Fatalf("%q contains %s: %t, the window: %t", constraint, m, got, want)
		}
	})
}

func TestWindowShow(t *testing.T) {
	openshift, ok := version.SchemeNamed("openshift")
	if !ok {
		t.Fatal("no scheme openshift")
	}
	w := finding.Window{Minimum: minor(1, 30)}
	for _, tt := range []struct {
		window finding.Window
		limit  *version.Minor
		want   string
	}{
		{w, w.Minimum, "1.30"},
		{w, w.Maximum, ""},
		{w.Written(openshift.Numbering()), w.Minimum, "4.17 (1.30)"},
	} {
		if got := tt.window.Show(tt.limit); got != tt.want {
			t.Errorf("limit %v is shown as %q, want %q", tt.limit, got, tt.want)
		}
	}
}
