// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

func TestSummary(t *testing.T) {
	state, diags := serve(t, nil).read(evaluationType, object{
		"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27"), "b": pool("1.26"), "c": pool("1.28")},
		"observed": object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27"), "b": pool("1.26"), "c": pool("1.27")}},
		"waivers":  object{"w": object{"rule": "kubelet-apiserver", "reason": "because", "locations": []any{`node_pools["b"]`}}},
	})
	expect(t, diags)
	fields := tfvalue.Fields(state["summary"])
	got := map[string]int64{}
	for _, name := range []string{"errors", "warnings", "infos", "waived"} {
		got[name], _ = tfvalue.Number(fields[name]).Int64()
	}
	if got["errors"] != 1 || got["waived"] != 1 || got["warnings"] != 1 || got["infos"] != 1 {
		t.Errorf("got %v", got)
	}
	if text := tfvalue.String(fields["text"]); text != "not supported, 1 error, 1 warning and 1 waived" {
		t.Errorf("got %q", text)
	}
}

// TestPreviousControlPlaneVersion checks the way back of a control plane. EKS can roll back
// by one minor, after the nodes:
// https://docs.aws.amazon.com/eks/latest/userguide/rollback-cluster.html. Upstream does not
// support rollbacks.
func TestPreviousControlPlaneVersion(t *testing.T) {
	for _, tt := range []struct {
		policy, kubelet, version string
		blockers                 int
	}{
		{"kubernetes", "1.34", "", 0},
		{"eks", "1.34", "1.34", 0},
		{"eks", "1.35", "1.34", 1},
	} {
		state, diags := serve(t, nil).read(evaluationType, object{"control_plane_version": "1.35", "node_pools": object{"a": pool(tt.kubelet)}, "policy": tt.policy})
		expect(t, diags)
		previous := tfvalue.Fields(state["previous_control_plane_version"])
		if got, blockers := tfvalue.String(previous["version"]), tfvalue.Elements(previous["blocked_by"]); got != tt.version || len(blockers) != tt.blockers {
			t.Errorf("%s, kubelet %s: %q, blocked by %v", tt.policy, tt.kubelet, got, blockers)
		}
	}
}
