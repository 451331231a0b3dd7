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

// TestPolicyPage holds the policy against every example of
// https://kubernetes.io/releases/version-skew-policy/, for each minor that the
// page has shown as the current one since 1.20, and for 1.13, which is what the
// oldest translations still show. "N-2" is two minors before the current one.
func TestPolicyPage(t *testing.T) {
	// old minors of kubelet and kube-proxy lose the third minor behind
	legacy := func(m version.Minor) bool { return m.Minor < 25 }
	for _, tt := range []struct {
		sentence string
		// cluster is the example, {0} being N and {-1} N-1; ask is where the
		// component under question is declared.
		cluster, component, ask string
		allowed                 []int
		// legacyOlder is how far behind the newest API server, or its
		// kubelet, a component before 1.25 may be; 0: the same as others.
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
					if len(skew.Evaluate(skewtest.Kubernetes(t), c)) == 0 {
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
					// The page looks from the newest instance down; N+1 makes
					// that one the newest and this one N-1.
					want = append(want, current.Add(1))
				} else if got := skew.AllowedVersions(skewtest.Kubernetes(t), skewtest.Cluster(t, text))[tt.component].Minors; !slices.Equal(got, want) {
					t.Errorf("allowed versions %v, want %v", got, want)
				}
				if !slices.Equal(sound, want) {
					t.Errorf("sound at %v, want %v", sound, want)
				}
			})
		}
	}
}

// TestKubeProxyBesideKubelet: kube-proxy may be up to three minor versions older
// or newer than the kubelet it runs alongside, two if kube-proxy is older than
// 1.25 (https://kubernetes.io/releases/version-skew-policy/#kube-proxy).
func TestKubeProxyBesideKubelet(t *testing.T) {
	for kubelet := 20; kubelet <= 37; kubelet++ {
		for proxy := kubelet - 6; proxy <= kubelet+6; proxy++ {
			limit := 3
			if proxy < 25 {
				limit = 2
			}
			want := proxy-kubelet <= limit && kubelet-proxy <= limit
			c := skewtest.Cluster(t, fmt.Sprintf("node_pools.x: kubelet=1.%d kube-proxy=1.%d; node_pools.y: kubelet=1.%d", kubelet, proxy, proxy))
			if got := len(skew.Evaluate(skewtest.Kubernetes(t), c)) == 0; got != want {
				t.Errorf("kube-proxy 1.%d beside kubelet 1.%d: sound %t, want %t", proxy, kubelet, got, want)
			}
		}
	}
}

// TestLocalEndpoint: the narrowing of controllers applies only if they can
// communicate with any kube-apiserver instance
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
		// Workers and kubectl see every API server, whatever the control plane does.
		{rolling + "; node_pools.x: kubelet=1.31; kubectl.0: kubectl=1.32", true, []string{"kubectl-apiserver", "kubelet-apiserver"}},
		// On an instance without an API server there is no local one to talk to.
		{"control_plane.a: kube-apiserver=1.30; control_plane.c: kube-scheduler=1.31", true, []string{"kube-scheduler-apiserver"}},
	} {
		c := skewtest.Cluster(t, tt.cluster)
		c.LocalEndpoint = tt.local
		if got := rules(skew.Evaluate(skewtest.Kubernetes(t), c)); !slices.Equal(got, tt.want) {
			t.Errorf("%s (local %t): %v, want %v", tt.cluster, tt.local, got, tt.want)
		}
	}
}

// TestToldAsLocal: a finding says that a controller is held against its own API
// server only where that is the reason.
func TestToldAsLocal(t *testing.T) {
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
		for _, f := range skew.Evaluate(skewtest.Kubernetes(t), c) {
			got[f.RuleID] = f.Cause.(*finding.Mismatch).Local
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s, local %t: told as local %v, want %v", tt.cluster, tt.local, got, tt.want)
		}
	}
}

// TestEditions: older editions and translations of the page allow kubelets and
// kube-proxy two minors behind, newer ones three, except before 1.25. Up to 1.27,
// the last minor of the older text, both say the same.
func TestEditions(t *testing.T) {
	for n := 13; n <= 27; n++ {
		c := skewtest.Cluster(t, fmt.Sprintf("control_plane.a: kube-apiserver=1.%d", n))
		want := fmt.Sprintf(">= 1.%d, < 1.%d", n-2, n+1)
		for _, component := range []string{"kubelet", "kube-proxy"} {
			if got := skew.AllowedVersions(skewtest.Kubernetes(t), c)[component].Constraint(); got != want {
				t.Errorf("%s beside kube-apiserver 1.%d: %s, want %s", component, n, got, want)
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
