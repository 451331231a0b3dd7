// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// TestPlanBesideComponents checks plans of clusters with further components. A plan
// does not move them. It ends before a stage that one of them blocks, and names the
// component. An existing violation between two components blocks no stage, but the plan
// does not reach a valid combination.
func TestPlanBesideComponents(t *testing.T) {
	const controlPlane = "control_plane " + fourComponents + " [control_plane_version] "
	agent := `{"requirement_rules": {"agent": {"when": {"component": "kube-apiserver", "version": ">= 1.34"}, "require": {"component": "agent", "version": ">= 2.0"}}}}`
	for _, tt := range []struct {
		name, rules, cluster, target string
		feasible                     bool
		want, findings               []string
	}{
		{
			name: "two components that no plan repairs", rules: `{"include": ["addons/istio"]}`,
			cluster: "managed: 1.32; components.istiod.0: istiod=1.28.0; components.istio-proxy.0: istio-proxy=1.25.0", target: "1.33",
			want:     []string{controlPlane + "[1.32] to 1.33"},
			findings: []string{`istio-proxy-istiod [components["istio-proxy"][0]] beside [components["istiod"][0]]`},
		},
		{
			name: "the reference of a requirement blocks a step", rules: agent,
			cluster: "managed: 1.32; components.agent.0: agent=1.9", target: "1.35",
			want:     []string{controlPlane + "[1.32] to 1.33"},
			findings: []string{`agent [control_plane_version] beside [components["agent"][0]], stops at 1.33`},
		},
		{
			name: "a component blocks a step that would need a pool to move first", rules: agent,
			cluster: "managed: 1.33; components.agent.0: agent=1.9; node_pools.a: kubelet=1.30", target: "1.35",
			findings: []string{`agent [control_plane_version] beside [components["agent"][0]], stops at 1.33`},
		},
		{
			name: "the subject of a skew rule blocks a step", rules: `{"skew_rules": {"mesh": {"subject": "mesh", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 1}}}`,
			cluster: "managed: 1.32; components.mesh.0: mesh=1.32", target: "1.35",
			want:     []string{controlPlane + "[1.32] to 1.33"},
			findings: []string{`mesh [components["mesh"][0]] beside [control_plane_version], stops at 1.33`},
		},
		{
			name: "a kubelet that is declared as a component", rules: `{}`,
			cluster: "managed: 1.30; components.kubelet.0: kubelet=1.28", target: "1.32",
			want:     []string{controlPlane + "[1.30] to 1.31"},
			findings: []string{`kubelet-apiserver [components["kubelet"][0]] beside [control_plane_version], stops at 1.31`},
		},
		{
			name: "a component blocks a pool at the target", rules: `{"skew_rules": {"cni": {"subject": "cni", "reference": "kubelet", "scope": "cluster", "max_newer": 1, "max_older": 1}}}`,
			cluster: "managed: 1.33; components.cni.0: cni=1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.32", target: "1.33",
			want:     []string{`node_pools kubelet [node_pools["a"]] [1.31] to 1.32, drain`},
			findings: []string{`cni [components["cni"][0]] beside [node_pools["a"] node_pools["b"]], stops at 1.33`},
		},
		{
			name: "components within their limits", rules: agent,
			cluster: "managed: 1.33; components.agent.0: agent=2.1", target: "1.34", feasible: true,
			want: []string{controlPlane + "[1.33] to 1.34"},
		},
		{
			name: "a component that the plan repairs", rules: `{"skew_rules": {"mesh": {"subject": "mesh", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 1}}}`,
			cluster: "managed: 1.32; components.mesh.0: mesh=1.33", target: "1.33", feasible: true,
			want: []string{controlPlane + "[1.32] to 1.33, repairs"}, findings: []string{`mesh [components["mesh"][0]] beside [control_plane_version]`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.cluster, tt.target)
			r.Policy = skewtest.Extended(t, "kubernetes", tt.rules)
			plan := upgrade.Compute(r)
			if plan.Feasible != tt.feasible || !slices.Equal(stages(plan), tt.want) {
				t.Errorf("feasible %t, got\n%s\nwant %t\n%s", plan.Feasible, strings.Join(stages(plan), "\n"), tt.feasible, strings.Join(tt.want, "\n"))
			}
			var got []string
			for _, f := range plan.Findings {
				s := fmt.Sprintf("%s %v beside %v", f.RuleID, f.Subject.Locations, f.Reference.Locations)
				if held, ok := f.Cause.(*finding.Held); ok {
					s += ", stops at " + held.Reached.String()
				}
				got = append(got, s)
			}
			if !slices.Equal(got, tt.findings) {
				t.Errorf("got findings %q, want %q", got, tt.findings)
			}
			if len(plan.Next.Places) == 0 {
				t.Error("next is empty")
			}
		})
	}
}

// TestPlanRepairsPoolWithBlockingMove checks that a pool that blocks the control plane, and
// also has to roll back for a component, does both in one rollout.
func TestPlanRepairsPoolWithBlockingMove(t *testing.T) {
	r := request(t, "managed: 1.26; components.mesh.0: mesh=1.20; node_pools.a: kubelet=1.26 kube-proxy=1.23", "1.27")
	r.Policy = skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"mesh": {"when": {"component": "mesh", "version": ">= 1.20"}, "require": {"component": "kubelet", "version": "< 1.26"}}}}`)
	r.Strategy = upgrade.RequiredOnly
	plan := upgrade.Compute(r)
	want := []string{
		`node_pools kubelet+kube-proxy [node_pools["a"]] [1.23 1.26] to 1.25, drain, repairs`,
		"control_plane " + fourComponents + " [control_plane_version] [1.26] to 1.27",
	}
	if diff := cmp.Diff(want, stages(plan)); diff != "" || !plan.Feasible {
		t.Errorf("feasible %t, plan (-want +got):\n%s", plan.Feasible, diff)
	}
}

// TestPlanRollsPoolBackInSteps checks that a pool that has to go back for a component does
// so in several moves if a step rule requires it.
func TestPlanRollsPoolBackInSteps(t *testing.T) {
	r := request(t, "managed: 1.26; components.mesh.0: mesh=1.24; node_pools.a: kubelet=1.26", "1.26")
	r.Policy = skewtest.Extended(t, "kubernetes", `{
		"skew_rules": {"kubelet-mesh": {"subject": "kubelet", "reference": "mesh", "scope": "cluster", "max_newer": 0}},
		"step_rules": {"kubelet-step": {"component": "kubelet", "max_downgrade": 1}}
	}`)
	r.Strategy = upgrade.RequiredOnly
	plan := upgrade.Compute(r)
	want := []string{
		`node_pools kubelet [node_pools["a"]] [1.26] to 1.25, drain`,
		`node_pools kubelet [node_pools["a"]] [1.25] to 1.24, drain, repairs`,
	}
	if diff := cmp.Diff(want, stages(plan)); diff != "" || !plan.Feasible {
		t.Errorf("feasible %t, plan (-want +got):\n%s", plan.Feasible, diff)
	}
}

// TestPlanRollsBackToOlderPatch checks that a pool goes back to an older patch with its
// control plane.
func TestPlanRollsBackToOlderPatch(t *testing.T) {
	r := request(t, "managed: 1.36.2; node_pools.a: kubelet=1.35.3", "1.35.2")
	r.Policy = skewtest.Extended(t, "aks", `{"step_rules": {"kube-apiserver-step": {"max_downgrade": 1}}}`)
	plan := upgrade.Compute(r)
	want := []string{
		`node_pools kubelet [node_pools["a"]] [1.35.3] to 1.35.2`,
		"control_plane " + fourComponents + " [control_plane_version] [1.36.2] to 1.35.2",
	}
	if diff := cmp.Diff(want, stages(plan)); diff != "" || !plan.Feasible {
		t.Errorf("feasible %t, plan (-want +got):\n%s", plan.Feasible, diff)
	}
}
