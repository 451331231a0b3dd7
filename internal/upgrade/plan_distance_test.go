// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// TestPlanWithDistantVersions checks that the work of a plan does not grow with the
// distance between versions. A plan that visited all minors between them would not end.
func TestPlanWithDistantVersions(t *testing.T) {
	for _, tt := range []struct{ name, cluster, target string }{
		{"client too new", "managed: 1.31; kubectl.0: 1.999999999", "1.32"},
		{"node too new", "managed: 1.31; node_pools.a: kubelet=1.999999999", "1.32"},
		{"kube-proxy too new", "managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.999999999", "1.32"},
		{"nodes too old", "managed: 1.999999990; node_pools.a: kubelet=1.0 kube-proxy=1.0", "1.999999991"},
		{"client too old", "managed: 1.999999990; kubectl.0: 1.0", "1.999999991"},
		{"API server too old", "control_plane.a: kube-apiserver=1.999999990; control_plane.b: kube-apiserver=1.0; node_pools.a: kubelet=1.0", "1.999999991"},
		{"rollback", "managed: 1.31; node_pools.a: kubelet=1.999999999; kubectl.0: 1.999999999", "1.30"},
	} {
		for _, strategy := range []upgrade.Strategy{upgrade.FewestRollouts, upgrade.RequiredOnly, upgrade.Follow} {
			t.Run(tt.name+", "+string(strategy), func(t *testing.T) {
				r := request(t, tt.cluster, tt.target)
				r.Strategy = strategy
				if plan := upgrade.Compute(r); len(plan.Findings) == 0 {
					t.Error("got no finding for an invalid cluster")
				}
			})
		}
	}
}
