// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestLimitedPool checks that a node pool stops at the newest version that it may get, and
// that the plan goes as far as that allows: a kubelet may be at most three minors older
// than the API server.
func TestLimitedPool(t *testing.T) {
	const (
		toGPU  = `node_pools kubelet [node_pools["gpu"]] `
		toWeb  = `node_pools kubelet [node_pools["web"]] `
		toBoth = `node_pools kubelet [node_pools["gpu"] node_pools["web"]] `
	)
	controlPlane := func(from, to string) string {
		return fmt.Sprintf("control_plane %s [control_plane_version] [%s] to %s", fourComponents, from, to)
	}
	for _, tt := range []struct {
		name, cluster, target, limit string
		available, nodes             []string
		strategy                     upgrade.Strategy
		feasible                     bool
		want                         []string
		stops                        string
	}{
		{
			name: "the limit is within the range of the target", cluster: "managed: 1.33; node_pools.gpu: kubelet=1.33; node_pools.web: kubelet=1.33", target: "1.35", limit: "1.34", feasible: true,
			want: []string{controlPlane("1.33", "1.34"), controlPlane("1.34", "1.35"), toGPU + "[1.33] to 1.34, drain", toWeb + "[1.33] to 1.35, drain"},
		},
		{
			name: "follow", cluster: "managed: 1.33; node_pools.gpu: kubelet=1.33; node_pools.web: kubelet=1.33", target: "1.35", limit: "1.34", strategy: upgrade.Follow, feasible: true,
			want: []string{controlPlane("1.33", "1.34"), toBoth + "[1.33] to 1.34, drain", controlPlane("1.34", "1.35"), toWeb + "[1.34] to 1.35, drain"},
		},
		{
			name: "the pool stops the control plane", cluster: "managed: 1.32; node_pools.gpu: kubelet=1.32", target: "1.37", limit: "1.33",
			want:  []string{controlPlane("1.32", "1.33"), controlPlane("1.33", "1.34"), controlPlane("1.34", "1.35"), toGPU + "[1.32] to 1.33, drain", controlPlane("1.35", "1.36")},
			stops: `[node_pools["gpu"]] at 1.36, limited to 1.33, 1 more`,
		},
		{
			name: "a newer pool does not roll back", cluster: "managed: 1.35; node_pools.gpu: kubelet=1.35", target: "1.36", limit: "1.34", feasible: true,
			want: []string{controlPlane("1.35", "1.36")},
		},
		{
			name: "the cluster-wide kube-proxy is no part of the pool", cluster: "managed: 1.34; node_pools.gpu: kubelet=1.34; kube_proxy: 1.34", target: "1.35", limit: "1.34", feasible: true,
			want: []string{controlPlane("1.34", "1.35"), `node_pools kube-proxy [kube_proxy] [1.34] to 1.35`},
		},
		{
			name: "a patch", cluster: "managed: 1.33.1; node_pools.gpu: kubelet=1.33.1", target: "1.34", limit: "1.34.2", available: []string{"1.34.1", "1.34.3"}, feasible: true,
			want: []string{controlPlane("1.33.1", "1.34.3"), toGPU + "[1.33.1] to 1.34.1, drain"},
		},
		{
			name: "all patches of a minor", cluster: "managed: 1.33.1; node_pools.gpu: kubelet=1.33.1", target: "1.35", limit: "1.34", available: []string{"1.34.1", "1.34.3", "1.35.0"}, feasible: true,
			want: []string{controlPlane("1.33.1", "1.34.3"), controlPlane("1.34.3", "1.35.0"), toGPU + "[1.33.1] to 1.34.3, drain"},
		},
		{
			name: "a limit beyond the target", cluster: "managed: 1.33; node_pools.gpu: kubelet=1.33", target: "1.34", limit: "1.36", feasible: true,
			want: []string{controlPlane("1.33", "1.34"), toGPU + "[1.33] to 1.34, drain"},
		},
		{
			name: "node pools have their own list", cluster: "managed: 1.33.1; node_pools.gpu: kubelet=1.33.1", target: "1.34", available: []string{"1.34.3"}, nodes: []string{"1.34.2"}, feasible: true,
			want: []string{controlPlane("1.33.1", "1.34.3"), toGPU + "[1.33.1] to 1.34.2, drain"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.cluster, tt.target)
			r.Strategy = tt.strategy
			if tt.strategy == "" {
				r.Strategy = upgrade.FewestRollouts
			}
			if tt.limit != "" {
				r.Limits = map[string]version.Version{"gpu": skewtest.Version(t, tt.limit)}
			}
			for _, v := range tt.available {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			for _, v := range tt.nodes {
				r.AvailableNodes = append(r.AvailableNodes, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			if plan.Feasible != tt.feasible || !slices.Equal(stages(plan), tt.want) {
				t.Errorf("feasible %t, got\n%s\nwant\n%s", plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
			}
			stops := ""
			for _, f := range plan.Findings {
				if held, ok := f.Cause.(*finding.Held); ok {
					stops = fmt.Sprintf("%v at %s, limited to %s, %d more", held.Stops.Locations, held.Reached, held.Limit, held.Rollouts)
				}
			}
			if stops != tt.stops {
				t.Errorf("stopped by %q, want %q", stops, tt.stops)
			}
			// Planning again after each stage gives the rest of the same plan.
			for i := range plan.Stages {
				r.Cluster = plan.Next
				if plan = upgrade.Compute(r); !slices.Equal(stages(plan), tt.want[i+1:]) {
					t.Fatalf("after stage %d, got %q, want %q", i+1, stages(plan), tt.want[i+1:])
				}
			}
		})
	}
}
