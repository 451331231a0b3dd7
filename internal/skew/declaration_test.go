// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestDeclarationLocation checks that a cluster-wide kube-proxy is declared in
// kube_proxy, and any other instance at its place.
func TestDeclarationLocation(t *testing.T) {
	c := skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.30 kube-proxy=1.29; kube_proxy: 1.28")
	got := map[string]string{}
	for _, p := range c.Places {
		for _, i := range p.Instances {
			if i.Component == "kubelet" || i.Component == "kube-proxy" {
				got[p.Location.String()+" "+i.Component] = p.At(i).String()
			}
		}
	}
	want := map[string]string{
		`node_pools["a"] kubelet`:    `node_pools["a"]`,
		`node_pools["b"] kubelet`:    `node_pools["b"]`,
		`node_pools["a"] kube-proxy`: "kube_proxy",
		`node_pools["b"] kube-proxy`: `node_pools["b"]`,
		"kube_proxy kube-proxy":      "kube_proxy",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("declared at (-want +got):\n%s", diff)
	}

	if v, ok := c.ClusterWide("kube-proxy"); !ok || v.String() != "1.28" {
		t.Errorf("the cluster-wide kube-proxy is %s (declared %t), want 1.28", v, ok)
	}
	for _, component := range []string{"kubelet", "kube-apiserver", "istiod"} {
		if v, ok := c.ClusterWide(component); ok || !v.IsZero() {
			t.Errorf("the cluster-wide %s is %s, want none", component, v)
		}
	}
	if v, ok := skewtest.Cluster(t, "node_pools.a: kubelet=1.30 kube-proxy=1.29").ClusterWide("kube-proxy"); ok {
		t.Errorf("the cluster-wide kube-proxy is %s, want none: it belongs to a pool", v)
	}
}

// TestNumberingOfAllowedVersions checks that allowed versions are written in the numbering of
// the versions that limit them. OpenShift 4.20 runs Kubernetes 1.33
// (https://github.com/openshift/hypershift/blob/main/support/supportedversion/version.go).
func TestNumberingOfAllowedVersions(t *testing.T) {
	openshift, ok := version.SchemeNamed("openshift")
	if !ok {
		t.Fatal("no scheme openshift")
	}
	for _, tt := range []struct {
		scheme  *version.Scheme
		cluster string
		want    string
	}{
		{openshift, "control_plane.a: kube-apiserver=4.20", ">= 4.17, < 4.21"},
		{openshift, "control_plane.a: kube-apiserver=1.33", ">= 1.30, < 1.34"},
		{nil, "control_plane.a: kube-apiserver=1.33", ">= 1.30, < 1.34"},
	} {
		window := skew.AllowedWith(skewtest.Kubernetes(t), skewtest.ClusterOf(t, tt.scheme, tt.cluster), "kubelet")
		if got := window.Constraint(); got != tt.want {
			t.Errorf("%s allows kubelet %s, want %s", tt.cluster, got, tt.want)
		}
	}
}
