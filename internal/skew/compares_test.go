// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestCompares checks that a cluster is only reported as checked if a rule compares two
// instances with known versions. Otherwise, the validation warns that it checked nothing.
func TestCompares(t *testing.T) {
	for _, tt := range []struct {
		cluster string
		unknown string // component whose versions are not known yet
		want    bool
	}{
		{"", "", false},
		{"managed: 1.31", "", true}, // its controllers and its API server
		{"control_plane.a: kube-apiserver=1.31", "", false},
		{"control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.31", "", true}, // kube-apiserver-ha
		{"control_plane.a: kube-apiserver=1.31; node_pools.x: kubelet=1.31", "", true},
		{"control_plane.a: kube-apiserver=1.31; node_pools.x: kubelet=1.31", "kubelet", false},
		{"control_plane.a: kube-apiserver=1.31; node_pools.x: kubelet=1.31", "kube-apiserver", false},
		{"node_pools.x: kubelet=1.31; node_pools.y: kubelet=1.20", "", false},
		{"node_pools.x: kubelet=1.31 kube-proxy=1.31", "", true}, // kube-proxy-kubelet
		{"node_pools.x: kubelet=1.31; node_pools.y: kube-proxy=1.31", "", false},
		{"node_pools.x: kubelet=1.31; kube_proxy: 1.31", "", true},
		{"control_plane.a: kube-apiserver=1.31; components.istiod.0: istiod=1.22", "", false},
	} {
		c := skewtest.Cluster(t, tt.cluster)
		for _, p := range c.Places {
			for i := range p.Instances {
				if p.Instances[i].Component == tt.unknown {
					p.Instances[i].Version = version.Version{}
				}
			}
		}
		if got := skew.Compares(skewtest.Kubernetes(t), c); got != tt.want {
			t.Errorf("%q with unknown %q: compares %t, want %t", tt.cluster, tt.unknown, got, tt.want)
		}
	}
}

// TestNoFindingWithoutComparison checks that no policy reports findings if none of its
// rules compares two instances.
func TestNoFindingWithoutComparison(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPolicy(t, kubernetes), skewtest.RandomCluster(t)
		for i := range c.Places {
			c.Places[i].Instances = slices.DeleteFunc(c.Places[i].Instances, func(skew.Instance) bool { return rapid.IntRange(0, 3).Draw(t, "left out") > 0 })
		}
		if findings := skew.Findings(p, c); len(findings) > 0 && !skew.Compares(p, c) {
			t.Fatalf("%v, although nothing is compared", rules(findings))
		}
	})
}

// TestViolations checks that Violations returns the results of Findings, in any order
// and without the allowed versions.
func TestViolations(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPolicy(t, kubernetes), skewtest.RandomCluster(t)
		want, got := map[string]bool{}, map[string]bool{}
		for _, f := range skew.Findings(p, c) {
			for _, l := range f.Subject.Locations {
				want[fmt.Sprint(f.RuleID, l, f.Cause.(*finding.Mismatch).Relation)] = true
			}
		}
		for v := range skew.Violations(p, c) {
			got[fmt.Sprint(v.Rule.ID, v.Location, v.Relation)] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("evaluated (-) and violated (+):\n%s", diff)
		}
	})
}
