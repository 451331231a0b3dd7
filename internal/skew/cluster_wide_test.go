// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestClusterWideKubeProxy evaluates clusters with a cluster-wide kube-proxy.
func TestClusterWideKubeProxy(t *testing.T) {
	for _, tt := range []struct {
		cluster string
		want    []string
	}{
		{"managed: 1.31; kube_proxy: 1.31", nil},
		{"managed: 1.31; kube_proxy: 1.27", []string{"kube-proxy-apiserver 1.27 [kube_proxy] next to 1.31 [control_plane_version] allows >= 1.28, < 1.32"}},
		// A node pool that declares a kube-proxy does not run the cluster-wide one.
		{"managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30 kube-proxy=1.28; node_pools.c: kubelet=1.30; kube_proxy: 1.27", []string{
			"kube-proxy-apiserver 1.27 [kube_proxy] next to 1.31 [control_plane_version] allows >= 1.28, < 1.32",
			`kube-proxy-kubelet 1.27 [kube_proxy] next to 1.31 [node_pools["a"]] allows >= 1.28, < 1.34`,
		}},
		// The allowed versions apply to all node pools that run it, not only to those of the finding.
		{"node_pools.a: kubelet=1.25; node_pools.b: kubelet=1.30; node_pools.c: kubelet=1.33 kube-proxy=1.33; kube_proxy: 1.34", []string{
			`kube-proxy-kubelet 1.34 [kube_proxy] next to 1.25 [node_pools["a"]] allows >= 1.27, < 1.29`,
			`kube-proxy-kubelet 1.34 [kube_proxy] next to 1.30 [node_pools["b"]] allows >= 1.27, < 1.29`,
		}},
	} {
		var got []string
		for _, f := range skew.Findings(skewtest.Kubernetes(t), skewtest.Cluster(t, tt.cluster)) {
			got = append(got, fmt.Sprintf("%s %s %v next to %s %v allows %s", f.RuleID, f.Subject.Version, f.Subject.Locations, f.Reference.Version, f.Reference.Locations, f.Allowed.Constraint()))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.cluster, got, tt.want)
		}
	}
}

// TestClusterWideKubeProxyRunsOnEveryPool checks that a cluster-wide kube-proxy gives
// the same findings as the same version on each node pool.
func TestClusterWideKubeProxyRunsOnEveryPool(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t, kubernetes)
		c := skewtest.RandomCluster(t)
		if _, declared := c.ClusterWide("kube-proxy"); declared {
			t.Skip("the cluster already has a cluster-wide kube-proxy")
		}
		v := version.Minor{Major: 1, Minor: rapid.IntRange(21, 29).Draw(t, "kube-proxy")}.Version()
		perPool, pools := c, 0
		perPool.Places = slices.Clone(c.Places)
		for i, place := range c.Places {
			if _, own := place.Version("kube-proxy"); place.Location.Attribute != finding.NodePools || own && rapid.Bool().Draw(t, "own") {
				continue
			}
			pools++
			kubelet := place.Instances[:1]
			c.Places[i].Instances = kubelet
			perPool.Places[i].Instances = append(slices.Clip(slices.Clone(kubelet)), skew.Instance{Component: "kube-proxy", Version: v})
		}
		if pools == 0 {
			perPool.Places = append(perPool.Places, skew.Place{Location: finding.AtKey(finding.NodePools, "any"), Instances: []skew.Instance{{Component: "kube-proxy", Version: v}}})
		}
		brokenRules := func(c skew.Cluster) []string {
			var all []string
			for _, f := range skew.Findings(p, c) {
				all = append(all, fmt.Sprint(f.RuleID, f.Subject.Version, f.Reference.Version))
			}
			slices.Sort(all)
			return all
		}
		wide := c.WithKubeProxy(v)
		if a, b := brokenRules(wide), brokenRules(perPool); !slices.Equal(a, b) {
			t.Fatalf("cluster-wide %v, per node pool %v", a, b)
		}
		if a, b := skew.AllowedVersions(p, wide), skew.AllowedVersions(p, perPool); fmt.Sprint(constraints(a)) != fmt.Sprint(constraints(b)) {
			t.Fatalf("cluster-wide %v, per node pool %v", a, b)
		}
	})
}

func constraints(windows map[string]finding.Window) map[string]string {
	all := map[string]string{}
	for component, w := range windows {
		all[component] = w.Constraint()
	}
	return all
}
