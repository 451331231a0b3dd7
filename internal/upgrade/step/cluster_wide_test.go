// SPDX-License-Identifier: MPL-2.0

package step_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"pgregory.net/rapid"
)

// TestClusterWideKubeProxy checks that a cluster-wide kube-proxy is one move, ordered
// with the control plane and with all pools that it runs on.
func TestClusterWideKubeProxy(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		order          []string
		findings       []string
	}{
		{
			"kube-proxy moves after the control plane", "managed: 1.30; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.29; kube_proxy: 1.30", "managed: 1.31; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.29; kube_proxy: 1.31",
			[]string{
				"1 kube-apiserver [control_plane_version]",
				"2 cloud-controller-manager [control_plane_version]", "2 kube-controller-manager [control_plane_version]", "2 kube-scheduler [control_plane_version]",
				"2 kube-proxy [kube_proxy]",
			}, nil,
		},
		{
			"kube-proxy moves after the old pool is removed, before the new one is created", "managed: 1.32; node_pools.a: kubelet=1.27; kube_proxy: 1.28", "managed: 1.32; node_pools.b: kubelet=1.32; kube_proxy: 1.32",
			[]string{`1 kubelet [node_pools["a"]]`, "2 kube-proxy [kube_proxy]", `3 kubelet [node_pools["b"]]`}, nil,
		},
		{
			"a pool and the cluster-wide kube-proxy cannot move together", "managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.28; kube_proxy: 1.27", "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.28; kube_proxy: 1.31",
			nil, []string{`kube-proxy-kubelet [kube_proxy] beside [node_pools["a"]]`},
		},
	} {
		result := step.Check(skewtest.Kubernetes(t), skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.Any)
		var order, findings []string
		for _, m := range result.Order() {
			order = append(order, fmt.Sprint(m.Stage, " ", m.Component, " ", m.Locations))
		}
		for _, f := range result.Findings {
			findings = append(findings, fmt.Sprint(f.RuleID, " ", f.Subject.Locations, " beside ", f.Reference.Locations))
		}
		if !slices.Equal(findings, tt.findings) || tt.order != nil && !slices.Equal(order, tt.order) {
			t.Errorf("%s: got %q, %q; want %q, %q", tt.name, order, findings, tt.order, tt.findings)
		}
	}
}

// TestClusterWideAgainstBruteForce checks steps with a cluster-wide kube-proxy. A step
// between two valid combinations is accepted if and only if at least one order of
// single moves leads through valid combinations only. Pools can be added and removed.
func TestClusterWideAgainstBruteForce(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		// The limits are three minors, so only versions close to them can block a move.
		minor := func(name string) string {
			return fmt.Sprintf("1.%d", rapid.SampledFrom([]int{27, 27, 28, 31}).Draw(t, name))
		}
		// parts holds the declarations that move, before and after the step.
		var parts [][2]string
		api := rapid.IntRange(30, 31).Draw(t, "control plane")
		parts = append(parts, [2]string{fmt.Sprintf("control_plane.a: kube-apiserver=1.%d;", api), fmt.Sprintf("control_plane.a: kube-apiserver=1.%d;", api+rapid.IntRange(0, 1).Draw(t, "step"))})
		parts = append(parts, [2]string{"kube_proxy: " + minor("kube-proxy") + ";", "kube_proxy: " + minor("kube-proxy") + ";"})
		for i := range rapid.IntRange(1, 3).Draw(t, "pools") {
			var part [2]string
			for end := range part {
				if rapid.IntRange(0, 3).Draw(t, "absent") > 0 {
					part[end] = fmt.Sprintf("node_pools.%d: kubelet=%s;", i, minor("kubelet"))
				}
			}
			parts = append(parts, part)
		}
		combination := func(moved int) skew.Cluster {
			text := ""
			for i, part := range parts {
				text += part[moved>>i&1]
			}
			return skewtest.Cluster(outer, text)
		}
		valid := func(moved int) bool { return len(skew.Findings(kubernetes, combination(moved))) == 0 }
		end := 1<<len(parts) - 1
		if !valid(0) || !valid(end) {
			return
		}
		reached := map[int]bool{0: true}
		for moved := 0; moved <= end; moved++ {
			for i := range parts {
				if before := moved &^ (1 << i); before != moved && reached[before] && valid(moved) {
					reached[moved] = true
				}
			}
		}
		p := *kubernetes
		p.StepRules = []*policy.StepRule{}
		result := step.Check(&p, combination(0), combination(end), step.Any)
		if accepted := len(result.Findings) == 0; accepted != reached[end] {
			t.Fatalf("%v: accepted %t, has a valid order %t: %v", parts, accepted, reached[end], result.Findings)
		}
	})
}
