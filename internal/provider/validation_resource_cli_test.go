// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

const validation = "versionskew_validation.prod"

// TestValidation follows an upgrade: invalid plans are refused, the steps that their errors
// suggest are accepted, and a plan of an unchanged configuration is empty.
func TestValidation(t *testing.T) {
	const cluster = `
variable "control_plane" {}
variable "gpu" {}
resource "versionskew_validation" "prod" {
  control_plane_version = var.control_plane
  node_pools = {
    general = { kubelet = "1.30.8" }
    gpu     = { kubelet = var.gpu }
  }
}`
	versions := func(controlPlane, gpu string) config.Variables {
		return config.Variables{"control_plane": config.StringVariable(controlPlane), "gpu": config.StringVariable(gpu)}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{
				Config: cluster, ConfigVariables: versions("1.30.8", "1.27.16"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(validation, tfjsonpath.New("id"), knownvalue.StringExact("validation")),
				}},
			},
			{
				Config: cluster, ConfigVariables: versions("1.30.8", "1.27.16"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				Config: cluster, ConfigVariables: versions("1.31.0", "1.31.0"), PlanOnly: true,
				ExpectError: acctest.OutputPattern(`Error: kubelet 1.27 and kube-apiserver 1.30 cannot both move to 1.31 in one step ...
					To repair: set control_plane_version and the kubelet of node_pools["gpu"] to 1.30 in this apply`),
			},
			{
				Config: cluster, ConfigVariables: versions("1.32.0", "1.27.16"), PlanOnly: true,
				ExpectError: acctest.OutputPattern(`Error: kube-apiserver cannot go from 1.30 to 1.32 in one step ... Error: kubelet 1.27 is too old for kube-apiserver 1.32`),
			},
			{Config: cluster, ConfigVariables: versions("1.30.8", "1.30.8")},
			{
				Config: cluster, ConfigVariables: versions("1.31.0", "1.31.0"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(validation, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(validation, tfjsonpath.New("control_plane_version"), knownvalue.StringExact("1.31.0")),
				},
			},
		},
	})
}

// TestSourceLineOfDiagnostic checks that an error shows the source line of the node pool, and
// not that of the block.
func TestSourceLineOfDiagnostic(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{{
			Config: `
resource "versionskew_validation" "prod" {
  control_plane = {
    cp-0 = { version = "1.31.2" }
  }
  node_pools = {
    general = { kubelet = "1.31.2" }
    gpu     = { kubelet = "1.27.16" }
  }
}`,
			PlanOnly: true,
			ExpectError: acctest.OutputPattern(`Error: kubelet 1.27 is too old for kube-apiserver 1.31 (node_pools["gpu"]) ... in resource "versionskew_validation" "prod": ...
				: gpu = { kubelet = "1.27.16" }
				node_pools["gpu"] runs kubelet 1.27.16, 4 minor versions behind kube-apiserver 1.31.2 (control_plane["cp-0"]).
				A kubelet may be at most 3 minor versions older than any kube-apiserver, and never newer. Allowed here: 1.28 to 1.31. ...
				To repair: upgrade the kubelet of node_pools["gpu"] to 1.28 or later.
				Rule kubelet-apiserver: https://kubernetes.io/releases/version-skew-policy/#kubelet`),
		}},
	})
}

func TestInvalidVersion(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{{
			Config: `
resource "versionskew_validation" "prod" {
  control_plane_version = "latest"
  node_pools = {
    gpu = { kubelet = "1.x" }
  }
}`,
			ExpectError: acctest.OutputPattern(`: control_plane_version = "latest" ... "latest" is not a version. Write major.minor or
				major.minor.patch, such as "1.31" or "1.31.4". ... : gpu = { kubelet = "1.x" } ... node_pools["gpu"].kubelet: "1.x" is not a version`),
		}},
	})
}

// TestUnknownVersion checks that an unknown version is checked at apply, and all others at
// plan time.
func TestUnknownVersion(t *testing.T) {
	const cluster = `
variable "gpu" {}
resource "terraform_data" "gpu" { input = var.gpu }
resource "versionskew_validation" "prod" {
  control_plane_version = "1.31"
  node_pools            = { gpu = { kubelet = terraform_data.gpu.output } }
  kubectl               = [var.gpu == "1.20" ? "1.20" : "1.31"]
}`
	gpu := func(v string) config.Variables { return config.Variables{"gpu": config.StringVariable(v)} }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{
				Config: cluster, ConfigVariables: gpu("1.20"), PlanOnly: true,
				ExpectError: acctest.OutputPattern(`kubectl 1.20 is too old for kube-apiserver 1.31`),
			},
			{Config: cluster, ConfigVariables: gpu("1.27"), ExpectError: acctest.OutputPattern(`kubelet 1.27 is too old for kube-apiserver 1.31`)},
			{Config: cluster, ConfigVariables: gpu("1.28")},
		},
	})
}

func TestImport(t *testing.T) {
	const cluster = `
terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
variable "control_plane" {}
resource "versionskew_validation" "prod" {
  control_plane_version = var.control_plane
}`
	at := func(v string) config.Variables { return config.Variables{"control_plane": config.StringVariable(v)} }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{Config: cluster, ConfigVariables: at("1.32"), ResourceName: validation, ImportState: true, ImportStateId: "1.30", ImportStatePersist: true},
			{Config: cluster, ConfigVariables: at("1.32"), PlanOnly: true, ExpectError: acctest.OutputPattern(`kube-apiserver cannot go from 1.30 to 1.32 in one step`)},
			{Config: cluster, ConfigVariables: at("1.31")},
			{Config: cluster, ConfigVariables: at("1.31"), ResourceName: validation, ImportState: true, ImportStateId: `{"control_plane_version": "1.31"}`, ImportStateVerify: true},
			{Config: cluster, ConfigVariables: at("1.31"), ResourceName: validation, ImportState: true, ImportStateId: "latest", ExpectError: acctest.OutputPattern(`Invalid import ID ... "latest" is not a version`)},
		},
	})
}

// TestInvalidClusterCanBeRepairedAndDestroyed checks that an invalid cluster that was applied
// with enforcement_level "advisory" is refused later, and can be repaired and destroyed.
func TestInvalidClusterCanBeRepairedAndDestroyed(t *testing.T) {
	const cluster = `
variable "level" {}
variable "gpu" {}
resource "versionskew_validation" "prod" {
  control_plane_version = "1.31"
  node_pools            = { gpu = { kubelet = var.gpu } }
  enforcement_level     = var.level
}`
	as := func(level, gpu string) config.Variables {
		return config.Variables{"level": config.StringVariable(level), "gpu": config.StringVariable(gpu)}
	}
	broken := resource.TestStep{Config: cluster, ConfigVariables: as("advisory", "1.25")}
	refused := resource.TestStep{Config: cluster, ConfigVariables: as("mandatory", "1.25"), PlanOnly: true, ExpectError: acctest.OutputPattern(`kubelet 1.25 is too old for kube-apiserver 1.31`)}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			broken,
			refused,
			{Config: cluster, ConfigVariables: as("mandatory", "1.31")},
			broken,
			refused, // The test then destroys the resources with -refresh=false.
		},
	})
}
