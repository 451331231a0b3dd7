// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

func TestUpgradePlan(t *testing.T) {
	text := knownvalue.StringExact
	texts := func(all ...string) knownvalue.Check {
		var checks []knownvalue.Check
		for _, s := range all {
			checks = append(checks, text(s))
		}
		return knownvalue.ListExact(checks)
	}
	at := func(path tfjsonpath.Path, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.versionskew_upgrade_plan.prod", path, want)
	}
	root := tfjsonpath.New[string]
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{
				Config: `
data "versionskew_upgrade_plan" "prod" {
  control_plane_version = "1.31"
  node_pools            = { a = { kubelet = "1.31" }, b = { kubelet = "1.30" } }
  target_version        = "1.34"
}`,
				ConfigStateChecks: []statecheck.StateCheck{
					at(root("feasible"), knownvalue.Bool(true)),
					at(root("findings"), knownvalue.ListSizeExact(0)),
					at(root("control_plane_steps"), knownvalue.Int64Exact(3)),
					at(root("node_pool_rollouts"), knownvalue.Int64Exact(3)), // moving all pools together would take 4
					at(root("applies"), knownvalue.Int64Exact(3)),
					at(root("stages"), knownvalue.ListSizeExact(5)),
					at(root("stages").AtSliceIndex(2), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"number": knownvalue.Int64Exact(3), "kind": text("node_pools"), "components": texts("kubelet"), "locations": texts(`node_pools["b"]`),
						"from": texts("1.30"), "to": text("1.33"), "drain": knownvalue.Bool(true), "notes": knownvalue.ListSizeExact(1), "apply": knownvalue.Int64Exact(2),
					})),
					at(root("next").AtMapKey("control_plane_version"), text("1.32")),
					at(root("next").AtMapKey("control_plane"), knownvalue.Null()),
					at(root("next").AtMapKey("node_pools").AtMapKey("b").AtMapKey("kubelet"), text("1.30")),
					at(root("markdown"), knownvalue.StringRegexp(acctest.OutputPattern("## Upgrade to 1.34: 5 stages, 3 control-plane steps, 3 node pool rollouts"))),
					at(root("mermaid"), knownvalue.StringRegexp(acctest.OutputPattern("flowchart TD"))),
				},
			},
			{
				Config: `
data "versionskew_upgrade_plan" "prod" {
  control_plane_version = "1.31"
  target_version        = "1.30"
}`,
				ConfigStateChecks: []statecheck.StateCheck{
					at(root("feasible"), knownvalue.Bool(false)),
					at(root("stages"), knownvalue.ListSizeExact(0)),
					at(root("findings").AtSliceIndex(0).AtMapKey("rule"), text("kube-apiserver-step")),
					at(root("next"), knownvalue.Null()),
				},
			},
		},
	})
}

// TestSelfStepping applies the example until it has upgraded from 1.28 to 1.34. Every apply
// completes one stage, no plan is refused, and the last plan is empty.
func TestSelfStepping(t *testing.T) {
	module := acctest.NewModule(t, "../../examples/self-stepping")
	type outputs struct {
		StagesLeft struct{ Value int }                        `json:"stages_left"`
		ThisApply  struct{ Value *struct{ Kind, To string } } `json:"this_apply"`
	}
	var completed []string
	left := -1
	for range 30 {
		module.MustRun("apply", "-auto-approve", "-input=false")
		var o outputs
		if err := json.Unmarshal([]byte(module.MustRun("output", "-json")), &o); err != nil {
			t.Fatal(err)
		}
		if left >= 0 && o.StagesLeft.Value != left-1 {
			t.Errorf("after %v, %d stages are left. Before, %d were left", completed, o.StagesLeft.Value, left)
		}
		if left = o.StagesLeft.Value; left == 0 {
			break
		}
		completed = append(completed, fmt.Sprintf("%s %s", o.ThisApply.Value.Kind, o.ThisApply.Value.To))
	}
	want := []string{
		"control_plane 1.29", "control_plane 1.30",
		"node_pools 1.30", "clients 1.31", // The GPU pool and kubectl would be too old for 1.31.
		"control_plane 1.31", "node_pools 1.31", "control_plane 1.32", "clients 1.33", "control_plane 1.33", "node_pools 1.33", "control_plane 1.34", "node_pools 1.34",
	}
	if fmt.Sprint(completed) != fmt.Sprint(want) {
		t.Errorf("got stages %v, want %v", completed, want)
	}
	module.MustRun("plan", "-detailed-exitcode", "-input=false") // fails on any change
	module.MustRun("destroy", "-auto-approve", "-input=false")
}
