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

// In these tests the provider gets what no user writes: a state from elsewhere,
// and more than anybody reads. The answer is a clear error or a right plan.

// newModule is a module of one file.
func newModule(t *testing.T, text string) *acctest.Module {
	t.Helper()
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return acctest.NewModule(t, directory)
}

// upgraded is a cluster that goes from 1.30 to the version of a variable.
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

// stateOf reads the state file, and the attributes of the validation in it.
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

// TestStateFromElsewhere: a state that was written by another version of the
// provider, or edited by hand, is used or refused, and a plan leaves it alone.
func TestStateFromElsewhere(t *testing.T) {
	m := newModule(t, upgraded)
	m.MustRun("apply", "-auto-approve", "-input=false")
	for name, tt := range map[string]struct {
		edit func(instance, attributes map[string]any)
		want string
		ok   bool
	}{
		"of a newer schema":       {func(i, _ map[string]any) { i["schema_version"] = 99 }, "newer provider version", false},
		"with an attribute more":  {func(_, a map[string]any) { a["future"] = "x" }, "No changes", true},
		"with attributes missing": {func(_, a map[string]any) { delete(a, "waivers"); delete(a, "observed") }, "No changes", true},
		"with no version in it":   {func(_, a map[string]any) { a["control_plane_version"] = "banana" }, `"banana" -> "1.30" ... The step is not checked`, true},
		"with another type":       {func(_, a map[string]any) { a["node_pools"] = []any{"gpu"} }, "Unable to Read Previously Saved State", false},
		"with nothing in it":      {func(_, a map[string]any) { clear(a) }, `+ control_plane_version = "1.30"`, true},
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
			if (err == nil) != tt.ok || !acctest.Says(tt.want).MatchString(out) {
				t.Errorf("%v, %s\nwant %s", err, out, tt.want)
			}
			if left, err := os.ReadFile(m.Path("terraform.tfstate")); err != nil || string(left) != string(edited) {
				t.Errorf("the plan has changed the state: %v, %s", err, left)
			}
		})
	}
}

// tooMuch is ten thousand node pools, no two at one version, under a policy of
// megabytes.
const tooMuch = `
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

// TestTooMuch: a plan with ten thousand things wrong is refused in words that
// somebody can read.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	out, err := newModule(t, tooMuch).Run("plan", "-input=false", "-no-color")
	if err == nil {
		t.Fatalf("the plan passes:\n%s", out)
	}
	for _, want := range []string{`kubelet 1.27 is too old for kube-apiserver 1.31 (node_pools["pool-00000"] and 9999 more)`, "and 9995 more"} {
		if !acctest.Says(want).MatchString(out) {
			t.Errorf("nothing says %q", want)
		}
	}
	if n := strings.Count(out, "\n"); n > 3000 {
		t.Errorf("the answer has %d lines", n)
	}
}
