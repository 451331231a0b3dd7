// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// writeOnlyInputs skips a test on CLIs without write-only attributes. Terraform and
// OpenTofu both introduced them in version 1.11.
var writeOnlyInputs = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)}

// TestObservedChangesDuringApply checks observed from an attribute of a resource that the same
// plan changes. The apply succeeds, does not store observed, and the next plan is empty.
func TestObservedChangesDuringApply(t *testing.T) {
	const cluster = `
variable "control_plane" {}
resource "terraform_data" "cluster" {
  input = var.control_plane
}
resource "versionskew_validation" "prod" {
  control_plane_version = var.control_plane
  node_pools            = { gpu = { kubelet = "1.30.8" } }
  kube_proxy            = "1.30.8"
  observed = {
    control_plane_version = terraform_data.cluster.output
    node_pools            = { gpu = { kubelet = "1.30.8" } }
    kube_proxy            = "1.30.8"
    kubectl               = [terraform_data.cluster.output]
    components            = { istiod = ["1.23"] }
  }
}`
	version := func(v string) config.Variables { return config.Variables{"control_plane": config.StringVariable(v)} }
	nothingKept := statecheck.ExpectKnownValue(validation, tfjsonpath.New("observed"), knownvalue.Null())
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   writeOnlyInputs,
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{Config: cluster, ConfigVariables: version("1.30.8"), ConfigStateChecks: []statecheck.StateCheck{nothingKept}},
			{Config: cluster, ConfigVariables: version("1.30.8"), ConfigPlanChecks: empty},
			{Config: cluster, ConfigVariables: version("1.31.4"), ConfigStateChecks: []statecheck.StateCheck{nothingKept}},
			{Config: cluster, ConfigVariables: version("1.31.4"), ConfigPlanChecks: empty},
		},
	})
}

// TestObservedOutranksState checks that a step starts from observed and not from the state,
// for example after an upgrade in the console.
func TestObservedOutranksState(t *testing.T) {
	const cluster = `
variable "control_plane" {}
variable "observed" {}
resource "versionskew_validation" "prod" {
  control_plane_version = var.control_plane
  observed              = { control_plane_version = var.observed }
}`
	versions := func(controlPlane, observed string) config.Variables {
		return config.Variables{"control_plane": config.StringVariable(controlPlane), "observed": config.StringVariable(observed)}
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   writeOnlyInputs,
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{Config: cluster, ConfigVariables: versions("1.30", "1.30")},
			{
				Config: cluster, ConfigVariables: versions("1.32", "1.30"), PlanOnly: true,
				ExpectError: acctest.OutputPattern(`Error: kube-apiserver cannot go from 1.30 to 1.32 in one step`),
			},
			{Config: cluster, ConfigVariables: versions("1.32", "1.31")},
		},
	})
}

// TestObservedWithImportBlock checks that observed outranks imported versions in the plan that
// imports them.
func TestObservedWithImportBlock(t *testing.T) {
	const cluster = `
import {
  to = versionskew_validation.prod
  id = jsonencode({ control_plane_version = "1.30", kube_proxy = "1.30" })
}
resource "versionskew_validation" "prod" {
  control_plane_version = "1.32"
  kube_proxy            = "1.31"
  observed              = { control_plane_version = %q, kube_proxy = "1.30" }
}`
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   writeOnlyInputs,
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{
				Config:      fmt.Sprintf(cluster, "1.30"),
				ExpectError: acctest.OutputPattern(`Error: kube-apiserver cannot go from 1.30 to 1.32 in one step`),
			},
			{Config: fmt.Sprintf(cluster, "1.31")},
		},
	})
}

// TestAnotherCluster checks that no step is checked after the cluster was replaced.
func TestAnotherCluster(t *testing.T) {
	const cluster = `
variable "control_plane" {}
variable "name" {}
resource "terraform_data" "cluster" {
  triggers_replace = var.name
}
resource "versionskew_validation" "prod" {
  control_plane_version = var.control_plane
  cluster_id            = terraform_data.cluster.id
}`
	versions := func(controlPlane, name string) config.Variables {
		return config.Variables{"control_plane": config.StringVariable(controlPlane), "name": config.StringVariable(name)}
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   writeOnlyInputs,
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{Config: cluster, ConfigVariables: versions("1.32", "blue")},
			{
				Config: cluster, ConfigVariables: versions("1.29", "blue"), PlanOnly: true,
				ExpectError: acctest.OutputPattern(`Error: kube-apiserver cannot go back from 1.32 to 1.29`),
			},
			{Config: cluster, ConfigVariables: versions("1.29", "green")},
		},
	})
}
