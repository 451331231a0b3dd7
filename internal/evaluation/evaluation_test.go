// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

func TestOrderOfAcceptedSteps(t *testing.T) {
	from := skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.30")
	for to, want := range map[string]bool{
		"managed: 1.31; node_pools.x: kubelet=1.31": true,
		"managed: 1.31; node_pools.x: kubelet=1.27": false, // the combination after the step is invalid
		"managed: 1.32; node_pools.x: kubelet=1.30": false, // the step is too large
	} {
		r := evaluation.Evaluate(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, to), Observed: &from})
		if got := len(r.Order) > 0; got != want || r.Supported() != want {
			t.Errorf("to %s: order %v, supported %t; want both: %t", to, r.Order, r.Supported(), want)
		}
	}
}

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		cluster, version string
		blockers         []string
	}{
		{"managed: 1.31; node_pools.x: kubelet=1.29", "1.32", nil},
		{"managed: 1.31; node_pools.x: kubelet=1.28; node_pools.y: kubelet=1.30; kubectl.0: kubectl=1.30", "1.32", []string{
			"kubectl 1.30 is too old for kube-apiserver 1.32 (kubectl[0]). Upgrade kubectl[0] to 1.31 or later.",
			`kubelet 1.28 is too old for kube-apiserver 1.32 (node_pools["x"]). Upgrade the kubelet of node_pools["x"] to 1.29 or later (up to 1.31).`,
		}},
		// A kubelet of a control-plane instance moves separately.
		{"control_plane.a: kube-apiserver=1.31 kubelet=1.28", "1.32", []string{
			`kubelet 1.28 is too old for kube-apiserver 1.32 (control_plane["a"]). Upgrade the kubelet of control_plane["a"] to 1.29 or later (up to 1.31).`,
		}},
		// So does a component that is declared elsewhere.
		{"control_plane.a: kube-apiserver=1.31; components.kube-scheduler.0: kube-scheduler=1.30", "1.32", []string{
			`kube-scheduler 1.30 is too old for kube-apiserver 1.32 (components["kube-scheduler"][0]). Upgrade components["kube-scheduler"][0] to 1.31.`,
		}},
		// In HA clusters, all instances are at N-1 or N before one moves further.
		{"control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.30", "1.32", []string{
			`kube-apiserver cannot go from 1.30 to 1.32 in one step (control_plane["b"]). Upgrade the kube-apiserver of control_plane["b"] to 1.31.`,
		}},
		// Controllers are at N-1 before the API server moves to N.
		{"control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30", "1.32", []string{
			`kube-scheduler 1.30 and kube-apiserver 1.31 cannot both move to 1.32 in one step (control_plane["a"]). Upgrade the kube-scheduler of control_plane["a"] to 1.31.`,
		}},
	} {
		next := evaluation.Evaluate(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.cluster)}).Next
		blockers := report.Blockers(next.Blockers)
		if next.Version.String() != tt.version || !slices.Equal(blockers, tt.blockers) {
			t.Errorf("%s: got next %s, blocked by %q; want %s, %q", tt.cluster, next.Version, blockers, tt.version, tt.blockers)
		}
	}
	accepted := evaluation.Input{
		Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=1.28"),
		Waivers: []finding.Waiver{{Name: "w", RuleID: "kubelet-apiserver", Reason: "because"}},
	}
	if next := evaluation.Evaluate(accepted).Next; len(next.Blockers) > 0 {
		t.Errorf("waived findings block the next minor: %+v", next.Blockers)
	}
	if next := evaluation.Evaluate(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "node_pools.x: kubelet=1.30")}).Next; next != nil {
		t.Errorf("without an API server, got next %+v", next)
	}
}

// TestPreviousBlockers checks that nodes that block a rollback have to roll back first,
// if a platform allows rollbacks.
func TestPreviousBlockers(t *testing.T) {
	previous := evaluation.Evaluate(evaluation.Input{
		Policy: builtin(t, "eks"), Cluster: skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30"),
	}).Previous
	want := []string{`kubelet 1.31 is too new for kube-apiserver 1.30 (node_pools["a"]). Roll back the kubelet of node_pools["a"] to 1.30.`}
	if got := report.Blockers(previous.Blockers); previous.Version.String() != "1.30" || !slices.Equal(got, want) {
		t.Errorf("got previous %s, blocked by %q; want 1.30, %q", previous.Version, got, want)
	}
}
