// SPDX-License-Identifier: MPL-2.0

package finding_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestNearest checks that an upgrade goes to the oldest minor that works, and any other
// remedy to the newest one, which is the smallest change.
func TestNearest(t *testing.T) {
	openshift, ok := version.SchemeNamed("openshift")
	if !ok {
		t.Fatal("no scheme openshift")
	}
	minors := []version.Minor{*minor(1, 29), *minor(1, 30), *minor(1, 31)}
	for _, tt := range []struct {
		remedy finding.Remedy
		want   string
	}{
		{finding.Remedy{Upgrade: true, Minors: minors}, "1.29"},
		{finding.Remedy{Minors: minors}, "1.31"},
		{finding.Remedy{Minors: minors, Numbers: openshift.Numbering()}, "4.18 (1.31)"},
	} {
		if got := tt.remedy.Show(tt.remedy.Nearest()); got != tt.want {
			t.Errorf("nearest of %v, upgrade %t: %s, want %s", minors, tt.remedy.Upgrade, got, tt.want)
		}
	}
}

// TestRemediesAreComputedOnUse checks that the search for remedies only runs when they are
// used, because it takes time, and that a finding records whether the search is complete.
func TestRemediesAreComputedOnUse(t *testing.T) {
	var f finding.Finding
	if f.RemediesTried() || f.Remedies() != nil {
		t.Errorf("a finding without a search has remedies %v, tried %t", f.Remedies(), f.RemediesTried())
	}
	want := []finding.Remedy{{Upgrade: true, Minors: []version.Minor{*minor(1, 31)}}}
	searches := 0
	with := f.WithRemedies(func() ([]finding.Remedy, bool) { searches++; return want, true })
	if searches > 0 || f.RemediesTried() {
		t.Errorf("%d searches before the first use, tried %t", searches, f.RemediesTried())
	}
	if diff := cmp.Diff(want, with.Remedies(), cmp.AllowUnexported(version.Numbering{}), cmp.Comparer(func(a, b version.Version) bool { return a == b })); diff != "" || searches != 1 {
		t.Errorf("%d searches, remedies (-want +got):\n%s", searches, diff)
	}
	for _, complete := range []bool{true, false} {
		none := f.WithRemedies(func() ([]finding.Remedy, bool) { return nil, complete })
		if none.RemediesTried() != complete || len(none.Remedies()) > 0 {
			t.Errorf("a search without a result is tried: %t, want %t, with remedies %v", none.RemediesTried(), complete, none.Remedies())
		}
	}
}
