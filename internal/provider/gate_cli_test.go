// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// conftest returns the path of the tool that runs the gate. make test-gate builds it.
func conftest(t *testing.T) string {
	t.Helper()
	path := os.Getenv("VERSIONSKEW_TEST_CONFTEST")
	if path == "" {
		t.Skip("VERSIONSKEW_TEST_CONFTEST is not set")
	}
	return path
}

// gate checks the plan of a module with the policies of examples/organization-gate and
// lists the failures.
func gate(t *testing.T, module *acctest.Module, variables ...string) []string {
	t.Helper()
	plan := []string{"plan", "-input=false", "-out=plan.bin"}
	for _, v := range variables {
		plan = append(plan, "-var", v)
	}
	if out, err := module.Run(plan...); err != nil && !strings.Contains(out, "kubelet 1.30 is too old") {
		t.Fatalf("%v: %s", err, out)
	}
	show := module.Command("show", "-json", "plan.bin")
	text, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	file := module.Path("plan.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), conftest(t), "test", "--output", "json",
		"--policy", filepath.Join(examples, "organization-gate/gate"), "--data", filepath.Join(examples, "organization-gate/organization.json"), file)
	out, err := command.Output()
	var results []struct {
		Successes int
		Failures  []struct{ Msg string }
	}
	if jsonErr := json.Unmarshal(out, &results); jsonErr != nil || len(results) != 1 {
		t.Fatalf("conftest: %v, %v: %s", err, jsonErr, out)
	}
	var refused []string
	for _, f := range results[0].Failures {
		refused = append(refused, f.Msg)
	}
	if (err == nil) != (len(refused) == 0) {
		t.Fatalf("conftest: exit status %v with failures %q", err, refused)
	}
	if len(refused) == 0 && results[0].Successes == 0 {
		t.Fatal("conftest ran no policy")
	}
	slices.Sort(refused)
	return refused
}

// expectRefused compares the failures of a gate.
func expectRefused(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the gate reports\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestGate checks every policy of the gate with plans that it refuses and plans that it
// accepts.
func TestGate(t *testing.T) {
	conftest(t)
	t.Parallel()
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	waiver := func(expires string) string {
		return fmt.Sprintf(`waivers={ gpu = { rule = "kubelet-apiserver", reason = "drivers"%s } }`, expires)
	}
	expiresIn := func(days int) string { return waiver(fmt.Sprintf(`, expires = %q`, day(days))) }
	const (
		advisory  = `versionskew_validation.main: enforcement_level has to be "mandatory" or "changes" in production, and known in the plan`
		tooLong   = `versionskew_validation.main: waiver "gpu" has to expire within 90 days`
		unguarded = "aws_eks_cluster.main: no versionskew_validation refers to this cluster"
		foreign   = "versionskew_validation.main: policy has to be one of the organization's: eks"
	)
	const byProvider = `
provider "versionskew" {
  enforcement_level = var.enforcement_level
  policy            = var.policy
}
variable "policy" {
  type    = string
  default = null
}
`
	ours := organizationPolicy(t)
	for _, tt := range []struct {
		name string
		// change modifies main.tf of the example.
		change    func(text string) string
		variables []string
		want      []string
	}{
		{"the example itself", nil, nil, nil},
		{"mandatory", nil, []string{"enforcement_level=mandatory"}, nil},
		{"the default level", without("  enforcement_level     = var.enforcement_level\n"), nil, nil},
		{"advisory in production", nil, []string{"enforcement_level=advisory"}, []string{advisory}},
		{"advisory in a test environment", nil, []string{"enforcement_level=advisory", "environment=test"}, nil},
		{"advisory without an environment", without("", `variable "environment" {`, `variable "stage" {`), []string{"enforcement_level=advisory"}, []string{advisory}},
		{"advisory from the provider block", func(text string) string {
			return without("  enforcement_level     = var.enforcement_level\n")(text) + byProvider
		}, []string{"enforcement_level=advisory"}, []string{advisory}},
		{"changes from the provider block", func(text string) string {
			return without("  enforcement_level     = var.enforcement_level\n")(text) + byProvider
		}, nil, nil},
		{"a short waiver", nil, []string{expiresIn(89)}, nil},
		{"a long waiver", nil, []string{expiresIn(92)}, []string{tooLong}},
		{"a waiver that never expires", nil, []string{waiver("")}, []string{tooLong}},
		{"a cluster without a validation", func(text string) string {
			return without("  depends_on = [aws_eks_cluster.main]\n", "aws_eks_cluster.main.version\n  node_pools", `"1.36"`+"\n  node_pools")(text)
		}, nil, []string{unguarded}},
		{"a cluster that a validation only depends on", func(text string) string {
			return without("", "aws_eks_cluster.main.version\n  node_pools", `"1.36"`+"\n  node_pools")(text)
		}, nil, nil},
		{"the policy of a platform", without("", "jsonencode(local.organization.policies.eks)", `"eks"`), nil, []string{foreign}},
		{"another custom policy", without("", "jsonencode(local.organization.policies.eks)", `jsonencode({ extends = "eks" })`), nil, []string{foreign}},
		{"no policy", without("  policy                = jsonencode(local.organization.policies.eks)\n"), nil, []string{foreign}},
		{"the policy of the organization from the provider block", func(text string) string {
			return without("  policy                = jsonencode(local.organization.policies.eks)\n")(text) + byProvider
		}, []string{"policy=" + ours}, nil},
		{"a plan that fails", without("", `"1.35"`, `"1.30"`), []string{"enforcement_level=mandatory"}, []string{"the plan has failed"}},
		{"everything at once", func(text string) string {
			return without("  depends_on = [aws_eks_cluster.main]\n", "aws_eks_cluster.main.version\n  node_pools", `"1.36"`+"\n  node_pools", "jsonencode(local.organization.policies.eks)", `"eks"`)(text)
		}, []string{"enforcement_level=advisory", waiver("")}, []string{unguarded, advisory, foreign, tooLong}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree := t.TempDir()
			if err := os.CopyFS(tree, os.DirFS(filepath.Join(examples, "organization-gate"))); err != nil {
				t.Fatal(err)
			}
			if tt.change != nil {
				rewrite(t, filepath.Join(tree, "main.tf"), tt.change)
			}
			expectRefused(t, gate(t, acctest.NewModule(t, tree), tt.variables...), tt.want...)
		})
	}
}

// TestGateModules checks that a validation guards the clusters of its own module, and of the
// module calls that it refers to.
func TestGateModules(t *testing.T) {
	conftest(t)
	t.Parallel()
	const (
		cluster = `
terraform {
  required_providers {
    aws         = { source = "hashicorp/aws" }
    versionskew = { source = "versionskew/versionskew" }
  }
}
resource "aws_eks_cluster" "this" {
  for_each = toset(["a", "b"])
  name     = each.key
  role_arn = "arn:aws:iam::123456789012:role/eks-cluster"
  version  = "1.36"
  vpc_config {
    subnet_ids = ["subnet-0a1b2c3d4e5f60001"]
  }
}
output "versions" {
  value = { for name, cluster in aws_eks_cluster.this : name => cluster.version }
}
`
		validation = `
resource "versionskew_validation" "this" {
  for_each              = %s
  control_plane_version = %s
  node_pools            = { general = { kubelet = "1.36" } }
  policy                = file("${path.module}/policy.json")
}
`
		caller = `
terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
module "clusters" {
  source = "./clusters"
}
output "versions" {
  value = module.clusters.versions
}
`
	)
	const unguarded = "module.fleet.module.clusters.aws_eks_cluster.this: no versionskew_validation refers to this cluster"
	for _, tt := range []struct {
		name               string
		root, fleet, child string // validations
		want               []string
	}{
		{"in the module of the cluster", "", "", fmt.Sprintf(validation, "aws_eks_cluster.this", "each.value.version"), nil},
		{"in the calling module", "", fmt.Sprintf(validation, "module.clusters.versions", "each.value"), "", nil},
		{"two modules above the cluster", fmt.Sprintf(validation, "module.fleet.versions", "each.value"), "", "", nil},
		{"nowhere", "", "", "", []string{unguarded}},
		{"for another cluster", fmt.Sprintf(validation, `toset(["1.36"])`, "each.value"), "", "", []string{unguarded}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree := t.TempDir()
			for path, text := range map[string]string{
				"main.tf":                    strings.ReplaceAll(caller, "clusters", "fleet") + tt.root,
				"fleet/main.tf":              caller + tt.fleet,
				"fleet/clusters/main.tf":     cluster + tt.child,
				"policy.json":                organizationPolicy(t),
				"fleet/policy.json":          organizationPolicy(t),
				"fleet/clusters/policy.json": organizationPolicy(t),
			} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(tree, path)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(tree, path), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			expectRefused(t, gate(t, acctest.NewModule(t, tree)), tt.want...)
		})
	}
}

// without returns a function that removes a text and then replaces pairs of old and new
// texts.
func without(removed string, pairs ...string) func(string) string {
	return func(text string) string {
		if removed != "" {
			pairs = append([]string{removed, ""}, pairs...)
		}
		return strings.NewReplacer(pairs...).Replace(text)
	}
}

// rewrite changes a file. It fails if the content stays the same.
func rewrite(t *testing.T, file string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(text))
	if changed == string(text) {
		t.Fatalf("the change does not modify %s", file)
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// organizationPolicy returns the policy that the gate requires, as JSON.
func organizationPolicy(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(examples, "organization-gate/organization.json"))
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Organization struct {
			Policies map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	return string(data.Organization.Policies["eks"])
}
