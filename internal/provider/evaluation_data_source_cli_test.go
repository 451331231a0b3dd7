// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

func TestEvaluation(t *testing.T) {
	const evaluation = "data.versionskew_evaluation.prod"
	text := knownvalue.StringExact
	texts := func(all ...string) knownvalue.Check {
		var checks []knownvalue.Check
		for _, s := range all {
			checks = append(checks, text(s))
		}
		return knownvalue.ListExact(checks)
	}
	at := func(path tfjsonpath.Path, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(evaluation, path, want)
	}
	root := tfjsonpath.New[string]
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{
				Config: `
data "versionskew_evaluation" "prod" {
  control_plane_version = "1.31.2"
  node_pools = {
    a   = { kubelet = "1.27.16" }
    b   = { kubelet = "1.27.16", kube_proxy = "1.31.2" }
    gpu = { kubelet = "1.28" }
  }
  components = { kubelet = ["1.31"] }
  as_of      = "2024-09-15"
}
output "supported" { value = data.versionskew_evaluation.prod.supported }`,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownOutputValue("supported", knownvalue.Bool(false)),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					at(root("supported"), knownvalue.Bool(false)),
					at(root("findings"), knownvalue.ListSizeExact(3)),
					at(root("findings").AtSliceIndex(2).AtMapKey("rule"), text("node-blocks-next-minor")),
					at(root("findings").AtSliceIndex(0).AtMapKey("rule"), text("kube-proxy-kubelet")),
					at(root("findings").AtSliceIndex(1), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"rule": text("kubelet-apiserver"), "severity": text("error"), "component": text("kubelet"), "version": text("1.27.16"),
						"locations": texts(`node_pools["a"]`, `node_pools["b"]`),
						"reference": text("kube-apiserver"), "reference_version": text("1.31.2"), "allowed": text(">= 1.28, < 1.32"),
						"message":   knownvalue.StringRegexp(acctest.OutputPattern(`node_pools["a"] and node_pools["b"] run kubelet 1.27.16, 4 minor versions behind kube-apiserver 1.31.2`)),
						"remedy":    text(`Upgrade the kubelet of node_pools["a"] and node_pools["b"] to 1.28 or later.`),
						"source":    text("https://kubernetes.io/releases/version-skew-policy/#kubelet"),
						"waived_by": knownvalue.Null(),
					})),
					at(root("allowed_versions").AtMapKey("kubectl"), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"minimum": text("1.30"), "maximum": text("1.32"), "minors": texts("1.30", "1.31", "1.32"), "constraint": text(">= 1.30, < 1.33"),
					})),
					at(root("next_control_plane_version").AtMapKey("version"), text("1.32")),
					at(root("next_control_plane_version").AtMapKey("blocked_by"), knownvalue.ListSizeExact(3)),
					at(root("upgrade_order"), knownvalue.ListSizeExact(0)),
					at(root("markdown"), knownvalue.StringRegexp(acctest.OutputPattern("## Version skew: not supported, 2 errors and 1 warning"))),
				},
			},
			{
				Config: `
data "versionskew_evaluation" "prod" {
  control_plane_version = "1.31"
  node_pools            = { gpu = { kubelet = "1.29" }, new = { kubelet = "1.31" } }
  apply_order           = "any"
  observed = {
    control_plane_version = "1.30"
    node_pools            = { gpu = { kubelet = "1.27" } }
  }
}`,
				ConfigStateChecks: []statecheck.StateCheck{
					at(root("supported"), knownvalue.Bool(true)),
					at(root("upgrade_order").AtSliceIndex(0), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"stage": knownvalue.Int64Exact(1), "component": text("kubelet"), "locations": texts(`node_pools["gpu"]`),
						"from": text("1.27"), "to": text("1.29"), "notes": knownvalue.ListSizeExact(1),
					})),
					at(root("upgrade_order").AtSliceIndex(1).AtMapKey("component"), text("kube-apiserver")),
					at(root("upgrade_order").AtSliceIndex(5), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"stage": knownvalue.Int64Exact(3), "component": text("kubelet"), "locations": texts(`node_pools["new"]`),
						"from": knownvalue.Null(), "to": text("1.31"), "notes": knownvalue.ListSizeExact(0),
					})),
				},
			},
		},
	})
}

func TestEvaluationInvalidInput(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{{
			Config: `
data "versionskew_evaluation" "prod" {
  node_pools = { gpu = { kubelet = "1.x" } }
}`,
			ExpectError: acctest.OutputPattern(`: node_pools = { gpu = { kubelet = "1.x" } } ... node_pools["gpu"].kubelet: "1.x" is not a version`),
		}},
	})
}

// TestEvaluationWithUnknownVersion checks that an evaluation with unknown values is read at
// apply.
func TestEvaluationWithUnknownVersion(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{{
			Config: `
resource "terraform_data" "version" { input = "1.31" }
data "versionskew_evaluation" "prod" {
  control_plane_version = terraform_data.version.output
}
output "kubelet" { value = data.versionskew_evaluation.prod.allowed_versions["kubelet"].constraint }`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownOutputValue("kubelet"),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("kubelet", knownvalue.StringExact(">= 1.28, < 1.32")),
			},
		}},
	})
}
