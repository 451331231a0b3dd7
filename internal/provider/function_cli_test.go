// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

func TestFunctions(t *testing.T) {
	output := func(name string, want knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownOutputValue(name, want)
	}
	texts := func(all ...string) knownvalue.Check {
		var checks []knownvalue.Check
		for _, s := range all {
			checks = append(checks, knownvalue.StringExact(s))
		}
		return knownvalue.ListExact(checks)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{{
			Config: `
resource "terraform_data" "later" { input = "1.31" }
output "parsed"    { value = provider::versionskew::version_parse("v1.31.2-eks-7f9249a") }
output "unpatched" { value = provider::versionskew::version_parse("1.31").patch == null }
output "skew"      { value = provider::versionskew::minor_skew("1.28", "1.31.2") }
output "supported" { value = provider::versionskew::supported_versions("kubelet", ["1.31.2", "1.30.8"]) }
output "may"       { value = [for v in ["1.27", "1.28"] : provider::versionskew::is_supported("kubelet", v, ["1.31"])] }
output "path"      { value = provider::versionskew::upgrade_path("1.28", "1.31") }
output "later"     { value = provider::versionskew::minor_skew(terraform_data.later.output, "1.30") }
output "guarded"   { value = can(provider::versionskew::version_parse("latest")) }`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				output("parsed", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"major": knownvalue.Int64Exact(1), "minor": knownvalue.Int64Exact(31), "patch": knownvalue.Int64Exact(2),
					"prerelease": knownvalue.StringExact(""), "build": knownvalue.StringExact("eks-7f9249a"),
					"minor_version": knownvalue.StringExact("1.31"), "normalized": knownvalue.StringExact("1.31.2+eks-7f9249a"),
				})),
				output("unpatched", knownvalue.Bool(true)),
				output("skew", knownvalue.Int64Exact(-3)),
				output("supported", texts("1.28", "1.29", "1.30")),
				output("may", knownvalue.ListExact([]knownvalue.Check{knownvalue.Bool(false), knownvalue.Bool(true)})),
				output("path", texts("1.29", "1.30", "1.31")),
				output("guarded", knownvalue.Bool(false)),
				plancheck.ExpectUnknownOutputValue("later"),
			}},
		}},
	})
}

func TestFunctionErrors(t *testing.T) {
	for name, tt := range map[string]struct{ call, want string }{
		"several arguments": {`is_supported("etcd", "1.x", ["1.31", "latest"])`, `Unknown component "etcd". Components of policy kubernetes: cloud-controller-manager, ... "1.x" is not a version. ... "latest" is not a version`},
		"a null element":    {`supported_versions("kubelet", ["1.31", null])`, `Element 1 of the list is null`},
		"a downgrade":       {`upgrade_path("1.31", "1.30")`, `"1.30" is older than "1.31". upgrade_path only lists upgrades.`},
		"an unknown policy": {`is_supported("kubelet", "1.31", ["1.31"], "esk")`, `"esk"`},
		"different majors":  {`minor_skew("2.1", "1.31")`, `"2.1" and "1.31" have different major versions`},
	} {
		t.Run(name, func(t *testing.T) {
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Providers,
				Steps: []resource.TestStep{{
					Config:      `output "x" { value = provider::versionskew::` + tt.call + ` }`,
					ExpectError: acctest.OutputPattern(tt.want),
				}},
			})
		})
	}
}

// TestVariableValidation uses functions in the validation block of a variable.
func TestVariableValidation(t *testing.T) {
	const module = `
variable "kubelet" {
  default = %q
  validation {
    condition     = provider::versionskew::is_supported("kubelet", var.kubelet, ["1.31"])
    error_message = "The kubelet must be one of ${join(", ", provider::versionskew::supported_versions("kubelet", ["1.31"]))}."
  }
}`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{Config: fmt.Sprintf(module, "1.27"), ExpectError: acctest.OutputPattern(`The kubelet must be one of 1.28, 1.29, 1.30, 1.31.`)},
			{Config: fmt.Sprintf(module, "latest"), ExpectError: acctest.OutputPattern(`"latest" is not a version`)},
			{Config: fmt.Sprintf(module, "1.28.15")},
		},
	})
}
