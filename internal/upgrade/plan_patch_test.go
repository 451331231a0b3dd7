// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestNewestBefore checks the patch that API servers should have before they leave a
// minor: the newest available one or, without a list of versions, the newest known one.
func TestNewestBefore(t *testing.T) {
	calendar := new(releases.Calendar).With(releases.Release{Minor: version.Minor{Major: 1, Minor: 30}, LatestPatch: skewtest.Version(t, "1.30.14")})
	for _, tt := range []struct {
		cluster, available string
		calendar           *releases.Calendar
		want               string
	}{
		{"managed: 1.30.1", "", calendar, "1.30.14"},
		{"managed: 1.30.1", "1.30.5", calendar, ""}, // 1.31 is not available
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
			t.Errorf("%s, available %q: got %q, want %q", tt.cluster, tt.available, got, tt.want)
		}
	}
	r := request(t, "managed: 1.30.1", "1.30.5")
	r.Calendar = calendar
	if before := upgrade.Compute(r).Stages[0].NewestBefore; !before.IsZero() {
		t.Errorf("got %s for a move within a minor, want none", before)
	}
}

// TestPlanEndsEmulation checks that API servers stop emulating one minor at a time, in
// separate stages, before the binary moves. Nodes are compared with the emulated
// version.
func TestPlanEndsEmulation(t *testing.T) {
	r := request(t, "control_plane.a: kube-apiserver=1.36.2; node_pools.x: kubelet=1.32.0", "1.37")
	emulating, err := skewtest.Version(t, "1.36.2").Emulating(skewtest.Version(t, "1.34"))
	if err != nil {
		t.Fatal(err)
	}
	r.Cluster.Places[0].Instances[0].Version = emulating
	want := []string{
		`control_plane kube-apiserver [control_plane["a"]] [1.36.2 (emulating 1.34)] to 1.36.2 (emulating 1.35)`,
		`node_pools kubelet [node_pools["x"]] [1.32.0] to 1.35, drain`,
		`control_plane kube-apiserver [control_plane["a"]] [1.36.2 (emulating 1.35)] to 1.36.2`,
		`control_plane kube-apiserver [control_plane["a"]] [1.36.2] to 1.37`,
		`node_pools kubelet [node_pools["x"]] [1.35] to 1.37, drain`,
	}
	plan := upgrade.Compute(r)
	if !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t %v, got\n%s\nwant\n%s", plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
	for i := range want {
		r.Cluster = plan.Next
		if plan = upgrade.Compute(r); !slices.Equal(stages(plan), want[i+1:]) {
			t.Errorf("after stage %d, the plan is\n%s", i+1, strings.Join(stages(plan), "\n"))
		}
	}
}
