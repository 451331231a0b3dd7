package upgrade_test

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestNewestBefore: API servers are on the newest patch of a minor before they
// leave it: one that is available or, without a list, known.
func TestNewestBefore(t *testing.T) {
	calendar := new(releases.Calendar).With(releases.Release{Minor: version.Minor{Major: 1, Minor: 30}, LatestPatch: skewtest.Version(t, "1.30.14")})
	for _, tt := range []struct {
		cluster, available string
		calendar           *releases.Calendar
		want               string
	}{
		{"managed: 1.30.1", "", calendar, "1.30.14"},
		{"managed: 1.30.1", "1.30.5", calendar, ""}, // and 1.31 is not available
		{"managed: 1.30.1", "1.30.5 1.31.0", calendar, "1.30.5"},
		{"managed: 1.30.5", "1.30.5 1.31.0", calendar, ""},
		{"managed: 1.30.1", "1.31.0", calendar, ""},
		{"managed: 1.30", "", calendar, ""},
		{"managed: 1.30.1", "", nil, ""},
	} {
		r := request(t, tt.cluster, "1.31")
		r.Calendar = tt.calendar
		for _, v := range strings.Fields(tt.available) {
			r.Available = append(r.Available, skewtest.Version(t, v))
		}
		got := ""
		if plan := upgrade.Compute(r); len(plan.Stages) > 0 {
			got = plan.Stages[0].NewestBefore.String()
		}
		if got != tt.want {
			t.Errorf("%s, available %q: be on %q first, want %q", tt.cluster, tt.available, got, tt.want)
		}
	}
	r := request(t, "managed: 1.30.1", "1.30.5")
	r.Calendar = calendar
	if before := upgrade.Compute(r).Stages[0].NewestBefore; !before.IsZero() {
		t.Errorf("be on %s before another patch of the minor", before)
	}
}
