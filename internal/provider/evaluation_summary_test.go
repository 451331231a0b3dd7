// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"pgregory.net/rapid"
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

// TestCountsAgree checks that the summary and the tables of an evaluation count the same
// problems as the diagnostics of a validation.
func TestCountsAgree(t *testing.T) {
	s := serve(t, nil)
	reached := map[string]int64{}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			return fmt.Sprintf("1.%d.%d", rapid.IntRange(26, 33).Draw(t, name), rapid.IntRange(0, 2).Draw(t, "patch"))
		}
		combination := func() object {
			servers, pools := object{}, object{}
			for i := range rapid.IntRange(1, 3).Draw(t, "servers") {
				servers[fmt.Sprint("cp-", i)] = object{"version": draw("server")}
			}
			for i := range rapid.IntRange(0, 4).Draw(t, "pools") {
				pools[fmt.Sprint("pool-", i)] = object{"kubelet": draw("kubelet"), "kube_proxy": draw("proxy")}
			}
			return object{"control_plane": servers, "node_pools": pools}
		}
		config := combination()
		if rapid.Bool().Draw(t, "step") {
			config["observed"] = combination()
		}
		if rapid.Bool().Draw(t, "waived") {
			config["waivers"] = object{"w": object{"rule": "kubelet-apiserver", "reason": "because", "locations": []any{`node_pools["pool-0"]`}}}
		}
		s := s.in(t)
		state, _ := s.read(evaluationType, config)
		fields := tfvalue.Fields(state["summary"])
		summary := map[string]int64{}
		for _, name := range []string{"errors", "warnings", "infos", "waived"} {
			summary[name], _ = tfvalue.Number(fields[name]).Int64()
			reached[name] += summary[name]
		}
		rows := map[string]int64{}
		for line := range strings.Lines(tfvalue.String(state["markdown"])) {
			for start, name := range map[string]string{"- ❌ **": "errors", "- ⚠️ **": "warnings", "- ℹ️ ": "infos", "- 🔕 **": "waived"} {
				if strings.HasPrefix(line, start) {
					rows[name]++
				}
			}
		}
		shown := map[string]int64{}
		_, diags := s.plan(config, nil)
		for _, d := range diags {
			switch {
			case strings.HasPrefix(d.Summary, "Waived: "):
				shown["waived"]++
			case !strings.Contains(d.Detail, "\nRule "): // not about a finding
			case d.Severity == tfprotov6.DiagnosticSeverityError:
				shown["errors"]++
			default:
				shown["warnings"]++
			}
		}
		for name, n := range summary {
			if rows[name] != n || name != "infos" && shown[name] != n {
				t.Fatalf("%d %s in the summary, %d in the report, %d diagnostics", n, name, rows[name], shown[name])
			}
		}
	})
	for name, n := range reached {
		if n == 0 {
			t.Errorf("no random input has %s", name)
		}
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
