// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

const upgradePlanType = "versionskew_upgrade_plan"

// read validates and reads a data source, as a CLI does.
func (s *server) read(typeName string, config object) (map[string]tftypes.Value, []*tfprotov6.Diagnostic) {
	s.t.Helper()
	schema := s.schemas.DataSourceSchemas[typeName]
	validated, err := s.ValidateDataResourceConfig(context.Background(), &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: typeName, Config: s.dynamic(s.value(schema, config)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(validated.Diagnostics) > 0 {
		return nil, validated.Diagnostics
	}
	resp, err := s.ReadDataSource(context.Background(), &tfprotov6.ReadDataSourceRequest{
		TypeName: typeName, Config: s.dynamic(s.value(schema, config)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return tfvalue.Fields(s.static(schema, resp.State)), resp.Diagnostics
}

// TestUpgradePlanNext checks that next has the shape of the inputs, so that it can be the
// input of the next plan.
func TestUpgradePlanNext(t *testing.T) {
	s := serve(t, nil)
	config := object{
		"control_plane": object{"cp-0": object{"version": "1.30", "kubelet": "1.30"}},
		"node_pools":    object{"a": object{"kubelet": "1.28", "kube_proxy": "1.28"}},
		"kubectl":       []any{"1.31"}, "target_version": "1.32",
	}
	next := s.schemas.DataSourceSchemas[upgradePlanType].ValueType().(tftypes.Object).AttributeTypes["next"]
	instance := func(api, others string) object {
		return object{"kube_apiserver": api, "kube_controller_manager": others, "kube_scheduler": others, "cloud_controller_manager": others, "kubelet": "1.30"}
	}
	pools := object{"a": object{"kubelet": "1.28", "kube_proxy": "1.28"}}
	for _, want := range []object{
		{"control_plane": object{"cp-0": instance("1.31", "1.30")}, "node_pools": pools, "kubectl": []any{"1.31"}},
		{"control_plane": object{"cp-0": instance("1.31", "1.31")}, "node_pools": pools, "kubectl": []any{"1.31"}},
		{"control_plane": object{"cp-0": instance("1.31", "1.31")}, "node_pools": object{"a": object{"kubelet": "1.31", "kube_proxy": "1.31"}}, "kubectl": []any{"1.31"}},
	} {
		got, diags := s.read(upgradePlanType, config)
		expect(t, diags)
		if !got["next"].Equal(tfvalue.Of(next, want)) {
			t.Errorf("next is %s, want %v", got["next"], want)
		}
		config = with(with(config, "control_plane", want["control_plane"]), "node_pools", want["node_pools"])
	}
}

func TestUpgradePlanReportsInvalidInput(t *testing.T) {
	s := serve(t, nil)
	for name, tt := range map[string]struct {
		config object
		want   []string
	}{
		"versions":                             {object{"control_plane_version": "1", "target_version": "latest", "available_versions": []any{"1.31", "x", nil}}, []string{`error at control_plane_version: Invalid version "1"`, `error at available_versions[1]: Invalid version "x"`, "error at available_versions[2]: Missing version", `error at target_version: Invalid version "latest"`}},
		"strategy":                             {object{"control_plane_version": "1.31", "target_version": "1.32", "strategy": "fast"}, []string{`error at strategy: Invalid strategy "fast"`}},
		"no control plane":                     {object{"node_pools": object{"a": pool("1.30")}, "target_version": "1.32"}, []string{"error at : Missing control plane: set control_plane_version or control_plane"}},
		"too far":                              {object{"control_plane_version": "1.31", "target_version": "1.999999999"}, []string{"error at target_version: Target 1.999999999 is too far from kube-apiserver 1.31"}},
		"too far back":                         {object{"control_plane_version": "1.999999999", "target_version": "1.31"}, []string{"error at target_version: Target 1.31 is too far from kube-apiserver 1.999999999"}},
		"a downgrade":                          {object{"control_plane_version": "1.31", "target_version": "1.30"}, []string{"warning at target_version: No upgrade path to 1.30: kube-apiserver cannot go back from 1.31 to 1.30"}},
		"an unknown pool":                      {object{"control_plane_version": "1.31", "target_version": "1.32", "node_pools": object{"a": pool("1.31")}, "held_node_pools": []any{"b", nil, "a"}}, []string{`error at held_node_pools[0]: Unknown node pool "b"`, "error at held_node_pools[1]: Missing node pool name"}},
		"limits":                               {object{"control_plane_version": "1.31", "target_version": "1.32", "node_pools": object{"a": pool("1.31")}, "max_node_pool_versions": object{"a": "latest", "b": "1.31"}}, []string{`error at max_node_pool_versions["a"]: Invalid version "latest"`, `error at max_node_pool_versions["b"]: Unknown node pool "b"`}},
		"a limit that stops the control plane": {object{"control_plane_version": "1.31", "target_version": "1.35", "node_pools": object{"a": pool("1.31"), "b": pool("1.31")}, "max_node_pool_versions": object{"a": "1.31", "b": nil}}, []string{"warning at target_version: Limited node pools keep the cluster from reaching 1.35"}},
		"an empty name":                        {object{"control_plane_version": "1.31", "target_version": "1.31", "node_pools": object{"": pool("1.31")}}, []string{"error at node_pools: Empty name"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := s.read(upgradePlanType, tt.config)
			expect(t, diags, tt.want...)
		})
	}
	resp, err := s.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: upgradePlanType, Config: s.dynamic(s.value(s.schemas.DataSourceSchemas[upgradePlanType],
			object{"control_plane_version": unknown, "control_plane": unknown, "target_version": unknown, "available_versions": []any{unknown}, "node_pools": unknown})),
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, resp.Diagnostics)
}

// TestInfeasibleUpgradePlan checks that next is null if the target cannot be reached, and that
// the warning describes versions that would run as such.
func TestInfeasibleUpgradePlan(t *testing.T) {
	got, diags := serve(t, nil).read(upgradePlanType, object{
		"control_plane_version": "1.30", "node_pools": object{"a": pool("1.29")}, "target_version": "1.31", "available_versions": []any{"1.30.2"},
	})
	expect(t, diags, "warning at target_version: No upgrade path to 1.31: kube-apiserver 1.31 is not available")
	if !got["next"].IsNull() {
		t.Errorf("next is %s, want null", got["next"])
	}
	_, diags = serve(t, nil).read(upgradePlanType, object{
		"control_plane_version": "1.31", "node_pools": object{"a": pool("1.28")}, "target_version": "1.32",
		"available_versions": []any{"1.31.5", "1.32.1"}, "available_node_versions": []any{"1.28.9", "1.32.1"},
	})
	expect(t, diags, "warning at target_version: No upgrade path to 1.32: kubelet 1.31 is not available")
	for _, want := range []string{"available_node_versions lists no 1.31 version", "Rule not-offered: https://"} {
		if !strings.Contains(diags[0].Detail, want) {
			t.Errorf("the warning does not contain %q: %s", want, diags[0].Detail)
		}
	}
	_, diags = serve(t, nil).read(upgradePlanType, object{
		"control_plane_version": "1.31", "target_version": "1.32",
		"components": object{"kubelet": []any{"1.28"}}, // A plan does not move further components.
	})
	expect(t, diags, "warning at target_version: Components keep the cluster from reaching 1.32")
	if text := diags[0].Detail; !strings.Contains(text, "would run") && !strings.Contains(text, "would be too old") || strings.Contains(text, " is too old") {
		t.Errorf("the warning describes versions that do not run yet in the present tense: %s", text)
	}
}

// TestUpgradePlanWithHeldPools checks that a plan goes as far as held pools allow.
func TestUpgradePlanWithHeldPools(t *testing.T) {
	s := serve(t, nil)
	config := object{
		"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.28"), "web": pool("1.30")}, "kube_proxy": "1.30",
		"target_version": "1.32", "held_node_pools": []any{"gpu"},
	}
	next := s.schemas.DataSourceSchemas[upgradePlanType].ValueType().(tftypes.Object).AttributeTypes["next"]
	reached := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.28"), "web": pool("1.30")}, "kube_proxy": "1.30"}
	for _, stages := range []int{1, 0} {
		got, diags := s.read(upgradePlanType, config)
		expect(t, diags, "warning at target_version: Held node pools keep the cluster from reaching 1.32")
		var list []tftypes.Value
		if err := got["stages"].As(&list); err != nil || len(list) != stages {
			t.Errorf("got stages %v, want %d", got["stages"], stages)
		}
		if !got["next"].Equal(tfvalue.Of(next, reached)) || !got["feasible"].Equal(tftypes.NewValue(tftypes.Bool, false)) {
			t.Errorf("feasible is %s and next %s, want false and %v", got["feasible"], got["next"], reached)
		}
		config = with(config, "control_plane_version", "1.31")
	}
}

// TestUpgradePlanWithClusterWideKubeProxy checks that next has the cluster-wide kube-proxy in
// its own attribute and not in the node pools.
func TestUpgradePlanWithClusterWideKubeProxy(t *testing.T) {
	s := serve(t, nil)
	next := s.schemas.DataSourceSchemas[upgradePlanType].ValueType().(tftypes.Object).AttributeTypes["next"]
	got, diags := s.read(upgradePlanType, object{
		"control_plane_version": "1.31", "node_pools": object{"a": pool("1.31")}, "kube_proxy": "1.30", "target_version": "1.31",
	})
	expect(t, diags)
	want := object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.31")}, "kube_proxy": "1.31"}
	if !got["next"].Equal(tfvalue.Of(next, want)) {
		t.Errorf("next is %s, want %v", got["next"], want)
	}
}

// stages lists the kinds and versions of the stages of a plan.
func stages(got map[string]tftypes.Value) []string {
	var all []string
	for _, stage := range tfvalue.Elements(got["stages"]) {
		fields := tfvalue.Fields(stage)
		all = append(all, tfvalue.String(fields["kind"])+" "+tfvalue.String(fields["to"]))
	}
	return all
}

// TestUpgradePlanWithOpenShiftNumbers checks that a plan uses the version scheme of the
// declared versions.
func TestUpgradePlanWithOpenShiftNumbers(t *testing.T) {
	s := serve(t, nil)
	got, diags := s.read(upgradePlanType, object{
		"policy": `{"extends": "kubernetes", "version_scheme": "openshift"}`, "control_plane_version": "4.18.5", "target_version": "4.20",
		"node_pools": object{"a": pool("4.18.5")},
	})
	expect(t, diags)
	if all := fmt.Sprint(stages(got)); all != "[control_plane 4.19 control_plane 4.20 node_pools 4.20]" {
		t.Errorf("the stages are %s", all)
	}
	if next := tfvalue.Fields(got["next"]); tfvalue.String(next["control_plane_version"]) != "4.19" {
		t.Errorf("next is %s", next["control_plane_version"])
	}
}

// TestUpgradePlanEndsEmulation checks that a plan raises the emulated version one minor at a
// time, without changing the binary, before anything else moves:
// https://github.com/kubernetes/enhancements/tree/master/keps/sig-architecture/4330-compatibility-versions
func TestUpgradePlanEndsEmulation(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "1.36.2", "emulated_version": "1.34", "target_version": "1.36"}
	for _, want := range []struct{ stages, next, emulated string }{
		{"[control_plane 1.36.2 control_plane 1.36.2]", "1.36.2", "1.35"},
		{"[control_plane 1.36.2]", "1.36.2", ""},
		{"[]", "1.36.2", ""},
	} {
		got, diags := s.read(upgradePlanType, config)
		expect(t, diags)
		next := tfvalue.Fields(got["next"])
		for i, stage := range tfvalue.Elements(got["stages"]) {
			note := "Stop emulating 1.35."
			if i < len(tfvalue.Elements(got["stages"]))-1 {
				note = "Set the emulated version to 1.35."
			}
			if notes := tfvalue.Elements(tfvalue.Fields(stage)["notes"]); len(notes) == 0 || tfvalue.String(notes[0]) != note {
				t.Errorf("stage %d has notes %v, want %s", i+1, notes, note)
			}
			if from := tfvalue.Elements(tfvalue.Fields(stage)["from"]); len(from) != 1 || tfvalue.String(from[0]) != "1.36.2" {
				t.Errorf("stage %d starts from %v, want the version of the binary", i+1, from)
			}
		}
		if all := fmt.Sprint(stages(got)); all != want.stages || tfvalue.String(next["control_plane_version"]) != want.next || tfvalue.String(next["emulated_version"]) != want.emulated {
			t.Errorf("the stages are %s and next is %v, want %+v", all, next, want)
		}
		config = object{"control_plane_version": want.next, "target_version": "1.36"}
		if want.emulated != "" {
			config["emulated_version"] = want.emulated
		}
	}
	got, diags := s.read(upgradePlanType, object{"control_plane": object{"cp-0": object{"kube_apiserver": "1.36.2", "emulated_version": "1.34"}}, "target_version": "1.36"})
	expect(t, diags)
	instance := tfvalue.Fields(tfvalue.Fields(tfvalue.Fields(got["next"])["control_plane"])["cp-0"])
	if tfvalue.String(instance["kube_apiserver"]) != "1.36.2" || tfvalue.String(instance["emulated_version"]) != "1.35" {
		t.Errorf("next is %v, want the binary 1.36.2 emulating 1.35", instance)
	}
}

// TestRefusedRollback checks that a rollback that is refused names target_version, because the
// attributes of the cluster say what runs, and that its page does not call it an upgrade.
func TestRefusedRollback(t *testing.T) {
	for policy, want := range map[string]string{"eks": "To repair: set target_version to 1.35 or later.", "kubernetes": "To repair: set target_version to 1.36 or later."} {
		got, diags := serve(t, nil).read(upgradePlanType, object{"policy": policy, "control_plane_version": "1.36", "target_version": "1.34"})
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, want) {
			t.Errorf("%s: got %v, want %q", policy, diags, want)
		}
		if page := tfvalue.String(got["markdown"]); !strings.HasPrefix(page, "## Roll back to 1.34: not possible") {
			t.Errorf("%s: the page is %s", policy, page)
		}
	}
}
