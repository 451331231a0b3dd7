// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestPolicyPage checks every example of
// https://kubernetes.io/releases/version-skew-policy/, for each current minor of the page
// since 1.20, and for 1.13, which the oldest translations still show. N is the current
// minor.
func TestPolicyPage(t *testing.T) {
	// minors of kubelet and kube-proxy that may be only two minors older
	legacy := func(m version.Minor) bool { return m.Minor < 25 }
	for _, tt := range []struct {
		sentence string
		// cluster is the example, in which {0} is N and {-1} is N-1. ask is the
		// location of the component.
		cluster, component, ask string
		allowed                 []int
		// legacyOlder is by how many minors a component before 1.25 may be
		// older. 0 means as many as others.
		legacyOlder int
	}{
		{"the newest kube-apiserver is at N, other instances are supported at N and N-1", "control_plane.a: kube-apiserver={0}", "kube-apiserver", "control_plane.b", []int{0, -1}, 0},
		{"kube-apiserver is at N, kubelet is supported at N, N-1, N-2 and N-3", "control_plane.a: kube-apiserver={0}", "kubelet", "node_pools.x", []int{0, -1, -2, -3}, 2},
		{"kube-apiserver instances are at N and N-1, kubelet is supported at N-1, N-2 and N-3", "control_plane.a: kube-apiserver={0}; control_plane.b: kube-apiserver={-1}", "kubelet", "node_pools.x", []int{-1, -2, -3}, 2},
		{"kube-apiserver is at N, kube-proxy is supported at N, N-1, N-2 and N-3", "control_plane.a: kube-apiserver={0}", "kube-proxy", "node_pools.x", []int{0, -1, -2, -3}, 2},
		{"kube-apiserver instances are at N and N-1, kube-proxy is supported at N-1, N-2 and N-3", "control_plane.a: kube-apiserver={0}; control_plane.b: kube-apiserver={-1}", "kube-proxy", "node_pools.x", []int{-1, -2, -3}, 2},
		{"kube-apiserver is at N, kube-controller-manager is supported at N and N-1", "control_plane.a: kube-apiserver={0}", "kube-controller-manager", "control_plane.c", []int{0, -1}, 0},
		{"kube-apiserver is at N, kube-scheduler is supported at N and N-1", "control_plane.a: kube-apiserver={0}", "kube-scheduler", "control_plane.c", []int{0, -1}, 0},
		{"kube-apiserver is at N, cloud-controller-manager is supported at N and N-1", "control_plane.a: kube-apiserver={0}", "cloud-controller-manager", "control_plane.c", []int{0, -1}, 0},
		{"instances at N and N-1 behind a load balancer, kube-controller-manager is supported at N-1", "control_plane.a: kube-apiserver={0}; control_plane.b: kube-apiserver={-1}", "kube-controller-manager", "control_plane.c", []int{-1}, 0},
		{"instances at N and N-1 behind a load balancer, kube-scheduler is supported at N-1", "control_plane.a: kube-apiserver={0}; control_plane.b: kube-apiserver={-1}", "kube-scheduler", "control_plane.c", []int{-1}, 0},
		{"instances at N and N-1 behind a load balancer, cloud-controller-manager is supported at N-1", "control_plane.a: kube-apiserver={0}; control_plane.b: kube-apiserver={-1}", "cloud-controller-manager", "control_plane.c", []int{-1}, 0},
		{"kube-apiserver is at N, kubectl is supported at N+1, N and N-1", "control_plane.a: kube-apiserver={0}", "kubectl", "kubectl.0", []int{1, 0, -1}, 0},
		{"kube-apiserver instances are at N and N-1, kubectl is supported at N and N-1", "control_plane.a: kube-apiserver={0}; control_plane.b: kube-apiserver={-1}", "kubectl", "kubectl.0", []int{0, -1}, 0},
	} {
		for _, n := range append([]int{13}, between(20, 37)...) {
			t.Run(fmt.Sprintf("1.%d/%s", n, tt.sentence), func(t *testing.T) {
				current := version.Minor{Major: 1, Minor: n}
				text := tt.cluster
				for offset := -1; offset <= 0; offset++ {
					text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", offset), current.Add(offset).String())
				}
				var sound []version.Minor
				for candidate := current.Add(-6); candidate.Compare(current.Add(3)) <= 0; candidate = candidate.Add(1) {
					c := skewtest.Cluster(t, fmt.Sprintf("%s; %s: %s=%s", text, tt.ask, tt.component, candidate))
					if len(skew.Findings(skewtest.Kubernetes(t), c)) == 0 {
						sound = append(sound, candidate)
					}
				}
				var want []version.Minor
				for _, offset := range slices.Backward(tt.allowed) {
					m := current.Add(offset)
					if tt.legacyOlder > 0 && legacy(m) && -offset > tt.legacyOlder {
						continue
					}
					want = append(want, m)
				}
				slices.SortFunc(want, version.Minor.Compare)
				if tt.component == "kube-apiserver" {
					// The examples start from the newest instance. An instance at
					// N+1 is the newest one, and makes the other one N-1.
					want = append(want, current.Add(1))
				} else if got := skew.AllowedVersions(skewtest.Kubernetes(t), skewtest.Cluster(t, text))[tt.component].Minors; !slices.Equal(got, want) {
					t.Errorf("allowed versions %v, want %v", got, want)
				}
				if !slices.Equal(sound, want) {
					t.Errorf("allowed at %v, want %v", sound, want)
				}
			})
		}
	}
}

// TestKubeProxyAndKubelet checks that kube-proxy may be up to three minor versions older or
// newer than the kubelet on the same node, or two if kube-proxy is older than 1.25
// (https://kubernetes.io/releases/version-skew-policy/#kube-proxy).
func TestKubeProxyAndKubelet(t *testing.T) {
	for kubelet := 20; kubelet <= 37; kubelet++ {
		for proxy := kubelet - 6; proxy <= kubelet+6; proxy++ {
			limit := 3
			if proxy < 25 {
				limit = 2
			}
			want := proxy-kubelet <= limit && kubelet-proxy <= limit
			c := skewtest.Cluster(t, fmt.Sprintf("node_pools.x: kubelet=1.%d kube-proxy=1.%d; node_pools.y: kubelet=1.%d", kubelet, proxy, proxy))
			if got := len(skew.Findings(skewtest.Kubernetes(t), c)) == 0; got != want {
				t.Errorf("kube-proxy 1.%d and kubelet 1.%d: allowed %t, want %t", proxy, kubelet, got, want)
			}
		}
	}
}

// TestLocalEndpoint checks that controllers are only compared with all API servers if they
// can communicate with any of them
// (https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager).
func TestLocalEndpoint(t *testing.T) {
	const rolling = "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.31 kubelet=1.31; control_plane.b: kube-apiserver=1.30 kube-scheduler=1.30 kubelet=1.30"
	for _, tt := range []struct {
		cluster string
		local   bool
		want    []string
	}{
		{rolling, false, []string{"kube-scheduler-apiserver", "kubelet-apiserver"}},
		{rolling, true, nil},
		// Workers and kubectl always reach all API servers.
		{rolling + "; node_pools.x: kubelet=1.31; kubectl.0: kubectl=1.32", true, []string{"kubectl-apiserver", "kubelet-apiserver"}},
		// An instance without an API server connects to the others.
		{"control_plane.a: kube-apiserver=1.30; control_plane.c: kube-scheduler=1.31", true, []string{"kube-scheduler-apiserver"}},
	} {
		c := skewtest.Cluster(t, tt.cluster)
		c.LocalEndpoint = tt.local
		if got := rules(skew.Findings(skewtest.Kubernetes(t), c)); !slices.Equal(got, tt.want) {
			t.Errorf("%s (local %t): %v, want %v", tt.cluster, tt.local, got, tt.want)
		}
	}
}

// TestLocalMismatch checks which findings compare a component only with the API server on
// the same instance.
func TestLocalMismatch(t *testing.T) {
	for _, tt := range []struct {
		cluster string
		local   bool
		want    map[string]bool // by rule
	}{
		{"control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29; control_plane.b: kube-apiserver=1.31", true, map[string]bool{"kube-scheduler-apiserver": true}},
		{"control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29; control_plane.b: kube-apiserver=1.31", false, map[string]bool{"kube-scheduler-apiserver": false}},
		{"control_plane.a: kube-apiserver=1.31; control_plane.b: kube-scheduler=1.29", true, map[string]bool{"kube-scheduler-apiserver": false}},
		{"control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29; control_plane.b: kube-scheduler=1.29", true, map[string]bool{"kube-scheduler-apiserver": false}},
		{"control_plane.a: kube-scheduler=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.29", true, map[string]bool{"kube-scheduler-apiserver": false}},
		{"control_plane.a: kube-apiserver=1.31 kubelet=1.31 kube-proxy=1.27", true, map[string]bool{"kube-proxy-kubelet": false, "kube-proxy-apiserver": true}},
		{"control_plane.a: kube-apiserver=1.31; node_pools.x: kubelet=1.27", true, map[string]bool{"kubelet-apiserver": false}},
	} {
		c := skewtest.Cluster(t, tt.cluster)
		c.LocalEndpoint = tt.local
		got := map[string]bool{}
		for _, f := range skew.Findings(skewtest.Kubernetes(t), c) {
			got[f.RuleID] = f.Cause.(*finding.Mismatch).Local
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s, local %t: local by rule %v, want %v", tt.cluster, tt.local, got, tt.want)
		}
	}
}

// TestOlderEditions checks the editions of the page before 1.28, which allow kubelet and
// kube-proxy to be two minors older. Later editions allow three, except before 1.25. For
// minors up to 1.27, both give the same limits.
func TestOlderEditions(t *testing.T) {
	for n := 13; n <= 27; n++ {
		c := skewtest.Cluster(t, fmt.Sprintf("control_plane.a: kube-apiserver=1.%d", n))
		want := fmt.Sprintf(">= 1.%d, < 1.%d", n-2, n+1)
		for _, component := range []string{"kubelet", "kube-proxy"} {
			if got := skew.AllowedVersions(skewtest.Kubernetes(t), c)[component].Constraint(); got != want {
				t.Errorf("%s with kube-apiserver 1.%d: %s, want %s", component, n, got, want)
			}
		}
	}
}

func between(from, to int) []int {
	var all []int
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

func rules(findings []finding.Finding) []string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.RuleID)
	}
	return ids
}
