// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// These tests use states from other versions of the provider, and very large inputs. The
// result has to be a clear error or a correct plan.

// newModule returns a module with a single file.
func newModule(t *testing.T, text string) *acctest.Module {
	t.Helper()
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return acctest.NewModule(t, directory)
}

// upgraded is a cluster at 1.30 that a variable upgrades.
const upgraded = `
terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
variable "to" { default = "1.30" }
resource "versionskew_validation" "prod" {
  control_plane_version = var.to
  node_pools            = { gpu = { kubelet = "1.29" } }
  as_of                 = "2024-09-15"
}`

// stateOf reads the state file and returns it with the attributes of the validation.
func stateOf(t *testing.T, m *acctest.Module) (whole, attributes map[string]any) {
	t.Helper()
	text, err := os.ReadFile(m.Path("terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatalf("%s\n%s", err, text)
	}
	return whole, instanceOf(whole)["attributes"].(map[string]any)
}

func instanceOf(state map[string]any) map[string]any {
	resource := state["resources"].([]any)[0].(map[string]any)
	return resource["instances"].([]any)[0].(map[string]any)
}

// TestForeignState checks that a state of another version of the provider, or one edited by
// hand, is used or refused, and that a plan does not modify it.
func TestForeignState(t *testing.T) {
	m := newModule(t, upgraded)
	m.MustRun("apply", "-auto-approve", "-input=false")
	for name, tt := range map[string]struct {
		edit func(instance, attributes map[string]any)
		want string
		ok   bool
	}{
		"newer schema":         {func(i, _ map[string]any) { i["schema_version"] = 99 }, "newer provider version", false},
		"additional attribute": {func(_, a map[string]any) { a["future"] = "x" }, "No changes", true},
		"missing attributes":   {func(_, a map[string]any) { delete(a, "waivers"); delete(a, "observed") }, "No changes", true},
		"invalid version":      {func(_, a map[string]any) { a["control_plane_version"] = "banana" }, `"banana" -> "1.30" ... The step is not checked`, true},
		"another type":         {func(_, a map[string]any) { a["node_pools"] = []any{"gpu"} }, "Unable to Read Previously Saved State", false},
		"no attributes":        {func(_, a map[string]any) { clear(a) }, `+ control_plane_version = "1.30"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			good, err := os.ReadFile(m.Path("terraform.tfstate"))
			if err != nil {
				t.Fatal(err)
			}
			state, attributes := stateOf(t, m)
			tt.edit(instanceOf(state), attributes)
			edited, err := json.Marshal(state)
			if err != nil {
				t.Fatal(err)
			}
			write := func(text []byte) {
				if err := os.WriteFile(m.Path("terraform.tfstate"), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(edited)
			defer write(good)
			out, err := m.Run("plan", "-input=false", "-no-color")
			if (err == nil) != tt.ok || !acctest.OutputPattern(tt.want).MatchString(out) {
				t.Errorf("%v, %s\nwant %s", err, out, tt.want)
			}
			if left, err := os.ReadFile(m.Path("terraform.tfstate")); err != nil || string(left) != string(edited) {
				t.Errorf("the plan modified the state: %v, %s", err, left)
			}
		})
	}
}

// largeConfig has ten thousand node pools, all at different versions, and a policy of
// several megabytes.
const largeConfig = `
terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
locals {
  thousand = range(1000)
  pools    = flatten([for a in range(10) : [for b in local.thousand : a * 1000 + b]])
}
resource "versionskew_validation" "prod" {
  control_plane_version = "1.31"
  node_pools            = { for i in local.pools : format("pool-%05d", i) => { kubelet = "1.27.${i}" } }
  as_of                 = "2024-09-15"
  policy = jsonencode({
    extends = "kubernetes"
    skew_rules = { for i in local.thousand : "rule-${i}" => {
      subject = "component-${i}", reference = "kube-apiserver", scope = "cluster", max_older = 3,
      reason  = join(" ", [for word in range(500) : "because"])
    } }
  })
}`

// TestLargeConfig checks that ten thousand violations are reported in one readable
// diagnostic.
func TestLargeConfig(t *testing.T) {
	t.Parallel()
	out, err := newModule(t, largeConfig).Run("plan", "-input=false", "-no-color")
	if err == nil {
		t.Fatalf("the plan passes:\n%s", out)
	}
	for _, want := range []string{`kubelet 1.27 is too old for kube-apiserver 1.31 (node_pools["pool-00000"] and 9999 more)`, "and 9995 more"} {
		if !acctest.OutputPattern(want).MatchString(out) {
			t.Errorf("the output does not contain %q", want)
		}
	}
	if n := strings.Count(out, "\n"); n > 3000 {
		t.Errorf("the output has %d lines", n)
	}
}
