// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// BenchmarkPlan plans an upgrade of up to 10,000 node pools over 20 minors. Only
// compare rows of the same run. The work grows with the number of distinct versions.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("pools=%d", n), func(b *testing.B) {
			r := request(b, "control_plane.a: kube-apiserver=1.28 kube-scheduler=1.28; control_plane.b: kube-apiserver=1.28 kube-scheduler=1.28", "1.48")
			for i := range n {
				v := skewtest.Version(b, fmt.Sprintf("1.%d.%d", 25+i%4, i%5))
				r.Cluster.Places = append(r.Cluster.Places, skew.Place{
					Location:  finding.AtKey(finding.NodePools, fmt.Sprint(i)),
					Instances: []skew.Instance{{Component: "kubelet", Version: v}, {Component: "kube-proxy", Version: v}},
				})
			}
			for b.Loop() {
				if plan := upgrade.Compute(r); !plan.Feasible {
					b.Fatal("not feasible")
				}
			}
		})
	}
}
