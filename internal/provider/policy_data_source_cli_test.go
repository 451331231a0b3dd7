// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// TestPolicy checks that a plan uses a custom policy, and that errors of the policy are
// reported at the rule.
func TestPolicy(t *testing.T) {
	const cluster = `
data "versionskew_policy" "ours" {
  skew_rules = {
    kubelet-apiserver = { max_older = 1 }
  }
  minors = ["1.31"]
}
resource "versionskew_validation" "prod" {
  control_plane_version = "1.31"
  node_pools            = { gpu = { kubelet = "1.29" } }
  policy                = data.versionskew_policy.ours.json
}`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{Config: cluster, PlanOnly: true, ExpectError: acctest.OutputPattern(`kubelet 1.29 is too old for kube-apiserver 1.31 ... at most 1 minor version older than any kube-apiserver, and never newer. Allowed here: 1.30 to 1.31.`)},
			{
				Config: `
data "versionskew_policy" "ours" {
  skew_rules = {
    kubelet-apiserver = { max_older = 101 }
  }
}`,
				ExpectError: acctest.OutputPattern(`101 is out of range: limits must be between 0 and 100 (skew_rules["kubelet-apiserver"].max_older) ... : kubelet-apiserver = { max_older = 101 }`),
			},
		},
	})
}

// TestWaiver checks that a waived error is a warning until the waiver expires.
func TestWaiver(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{
				Config: `
locals {
  cluster = {
    control_plane_version = "1.31"
    node_pools            = { gpu = { kubelet = "1.27" } }
    waivers               = { gpu = { rule = "kubelet-apiserver", reason = "Leaves next week.", expires = "2026-11-20" } }
  }
}
resource "versionskew_validation" "prod" {
  control_plane_version = local.cluster.control_plane_version
  node_pools            = local.cluster.node_pools
  waivers               = local.cluster.waivers
  as_of                 = "2026-11-20"
}
data "versionskew_evaluation" "prod" {
  control_plane_version = local.cluster.control_plane_version
  node_pools            = local.cluster.node_pools
  waivers               = local.cluster.waivers
  as_of                 = "2026-11-20"
}
data "versionskew_evaluation" "later" {
  control_plane_version = local.cluster.control_plane_version
  node_pools            = local.cluster.node_pools
  waivers               = local.cluster.waivers
  as_of                 = "2026-11-21"
}`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.versionskew_evaluation.prod", tfjsonpath.New("supported"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue("data.versionskew_evaluation.prod", tfjsonpath.New("findings").AtSliceIndex(0).AtMapKey("waived_by"), knownvalue.StringExact("gpu")),
					statecheck.ExpectKnownValue("data.versionskew_evaluation.prod", tfjsonpath.New("findings").AtSliceIndex(0).AtMapKey("severity"), knownvalue.StringExact("error")),
					statecheck.ExpectKnownValue("data.versionskew_evaluation.later", tfjsonpath.New("supported"), knownvalue.Bool(false)),
				},
			},
		},
	})
}
