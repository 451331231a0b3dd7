// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// These tests show what a plan says now in the cases in which a guard that was
// wired to real modules used to let the platform refuse half-way, or refused what
// was fine. They run the example modules on simulated platforms.

// live is an example module on its platform.
type live struct {
	*acctest.Module
	t         *testing.T
	variables map[string]any
}

func liven(t *testing.T, name string, variables map[string]any) *live {
	t.Helper()
	t.Parallel()
	return &live{acctest.NewModuleIn(t, examples, "modules/"+name), t, variables}
}

// with changes variables for all that follows.
func (l *live) with(changes map[string]any) *live {
	l.t.Helper()
	for name, value := range changes {
		l.variables[name] = value
	}
	text, err := json.Marshal(l.variables)
	if err != nil {
		l.t.Fatal(err)
	}
	l.write("terraform.tfvars.json", string(text))
	return l
}

func (l *live) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(l.Path(name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// replace changes a text in a file of the module.
func (l *live) replace(name, old, text string) {
	l.t.Helper()
	file, err := l.ReadFile(name)
	if err != nil {
		l.t.Fatal(err)
	}
	if strings.Count(string(file), old) != 1 {
		l.t.Fatalf("%s does not have %q once", name, old)
	}
	l.write(name, strings.Replace(string(file), old, text, 1))
}

func (l *live) applies() {
	l.t.Helper()
	l.with(nil).MustRun("apply", "-auto-approve", "-input=false", "-no-color")
}

// settled fails unless a plan is empty.
func (l *live) settled() {
	l.t.Helper()
	l.with(nil).MustRun("plan", "-detailed-exitcode", "-input=false", "-no-color")
}

func (l *live) refused(want string, arguments ...string) {
	l.t.Helper()
	out, err := l.with(nil).Run(append([]string{"plan", "-input=false", "-no-color"}, arguments...)...)
	if err == nil || !acctest.Says(want).MatchString(out) {
		l.t.Errorf("the plan does not fail with %q: %v\n%s", want, err, out)
	}
}

// runs fails unless the platform has ended at some versions, without having
// refused anything.
func (l *live) runs(want platform.Cluster) {
	const name = "main"
	l.t.Helper()
	l.Platform(func(w *platform.World) error {
		c := w.Clusters[name]
		if c == nil {
			return fmt.Errorf("no cluster %s runs", name)
		}
		if fmt.Sprint(c.ControlPlane, c.Pools) != fmt.Sprint(want.ControlPlane, want.Pools) {
			l.t.Errorf("control plane %v and pools %v run, want %v and %v", c.ControlPlane, c.Pools, want.ControlPlane, want.Pools)
		}
		for _, m := range w.History {
			if m.Refused != "" || len(m.Cluster.Violations()) > 0 {
				l.t.Errorf("%s: %s %v", m.Operation, m.Refused, m.Cluster.Violations())
			}
		}
		return nil
	})
}

func running(controlPlane string, pools map[string]string) platform.Cluster {
	return platform.Cluster{ControlPlane: map[string]string{platform.Managed: controlPlane}, Pools: pools}
}

// groups are managed node groups at versions.
func groups(versions map[string]string) map[string]any {
	all := map[string]any{}
	for name, version := range versions {
		all[name] = map[string]any{"kubernetes_version": version}
	}
	return all
}

func eks(version string, pools map[string]string) map[string]any {
	return map[string]any{
		"name": "main", "kubernetes_version": version, "eks_managed_node_groups": groups(pools), "kube_proxy_version": "v" + version + ".0-eksbuild.1",
	}
}

// TestMishapOrder: the graph moves the control plane first, where only nodes first
// keeps to the policy.
func TestMishapOrder(t *testing.T) {
	l := liven(t, "eks", eks("1.35", map[string]string{"gpu": "1.32", "general": "1.35"}))
	l.with(map[string]any{"kube_proxy_version": "v1.34.0-eksbuild.1"}).applies()
	l.with(map[string]any{"kubernetes_version": "1.36"})

	l.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.35"})})
	l.refused(`node_pools["gpu"] ... in a separate apply first`)
	// The same where the old pool goes, or gets another name.
	l.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"general": "1.35"})})
	l.refused(`node_pools["gpu"] ... first`)
	l.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"gpu-1-33": "1.33", "general": "1.35"})})
	l.refused(`node_pools["gpu"] ... first`)

	// What the plan asks for goes through.
	l.with(map[string]any{"kubernetes_version": "1.35", "eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.35"})}).applies()
	l.with(map[string]any{"kubernetes_version": "1.36"}).applies()
	l.runs(running("1.36", map[string]string{"gpu": "1.33", "general": "1.35"}))

	// A rollback in one apply.
	l.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.36"})}).applies()
	l.with(map[string]any{"kubernetes_version": "1.35", "eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.35"})})
	l.refused(`node_pools["general"] ... in a separate apply first`)
	l.with(map[string]any{"kubernetes_version": "1.36"}).applies()
	l.with(map[string]any{"kubernetes_version": "1.35"}).applies()
	l.runs(running("1.35", map[string]string{"gpu": "1.33", "general": "1.35"}))
}

// TestMishapNull: on AKS, a pool without a version stays as it was created.
func TestMishapNull(t *testing.T) {
	l := liven(t, "aks", map[string]any{
		"resource_group_name": "example", "cluster_name": "main", "kubernetes_version": "1.33.1", "orchestrator_version": "1.33.1", "node_pools": map[string]any{"gpu": map[string]any{}},
	})
	l.applies()
	for _, version := range []string{"1.34.1", "1.35.1", "1.36.1"} {
		l.with(map[string]any{"kubernetes_version": version}).applies()
		l.settled()
	}
	l.with(map[string]any{"orchestrator_version": "1.36.1"}).applies()
	l.runs(running("1.36.1", map[string]string{"nodepool": "1.36.1", "gpu": "1.33.1"}))
	l.with(map[string]any{"kubernetes_version": "1.37.1"})
	l.refused(`Error: kubelet 1.33 is too old for kube-apiserver 1.37 ... node_pools["gpu"] runs kubelet 1.33.1`)
}

// TestMishapObservedAttribute: observed may come from an attribute of a resource
// that the same plan changes. It is write-only: it may differ between plan and
// apply, and is no diff afterwards.
func TestMishapObservedAttribute(t *testing.T) {
	l := liven(t, "gke", map[string]any{
		"project_id": "example", "region": "europe-west1", "name": "main", "kubernetes_version": "1.35.1-gke.1", "node_pools": map[string]any{"general": map[string]any{"version": "1.35.1-gke.1"}},
	})
	l.replace("versions_guard.tf", "observed   = local.running", `observed = {
    control_plane_version = google_container_cluster.this.master_version
    node_pools            = { for name, pool in google_container_node_pool.this : name => { kubelet = pool.version } }
  }`)
	l.applies()
	l.settled()
	l.with(map[string]any{"kubernetes_version": "1.36.1-gke.1"}).applies()
	l.settled()
	l.runs(running("1.36.1-gke.1", map[string]string{"general": "1.35.1-gke.1"}))
}

// TestMishapStaleStart: what the last apply recorded is no longer what runs.
func TestMishapStaleStart(t *testing.T) {
	t.Run("failed and reverted", func(t *testing.T) {
		l := liven(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
		l.applies()
		l.Platform(func(w *platform.World) error {
			w.Faults = []platform.Fault{{Action: platform.Move, Target: platform.PoolTarget("general")}}
			return nil
		})
		l.with(eks("1.36", map[string]string{"general": "1.36"}))
		if out, err := l.Run("apply", "-auto-approve", "-input=false", "-no-color"); err == nil {
			t.Fatalf("the platform has not failed: %s", out)
		}
		// The control plane runs 1.36 and takes one step back, to where the nodes are.
		l.with(eks("1.35", map[string]string{"general": "1.35"})).applies()
		l.runs(running("1.35", map[string]string{"general": "1.35"}))
	})
	t.Run("upgraded in the console", func(t *testing.T) {
		l := liven(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
		l.applies()
		l.Platform(func(w *platform.World) error {
			return w.Do(platform.EKS, "main", platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(platform.Managed), Version: "1.36"})
		})
		l.with(map[string]any{"kubernetes_version": "1.37"}).applies()
		l.runs(running("1.37", map[string]string{"general": "1.35"}))
	})
	t.Run("replaced at a lower version", func(t *testing.T) {
		l := liven(t, "aks", map[string]any{
			"resource_group_name": "example", "cluster_name": "main", "kubernetes_version": "1.36.1", "orchestrator_version": "1.36.1",
		})
		l.applies()
		l.with(map[string]any{"kubernetes_version": "1.34.1", "orchestrator_version": "1.34.1"})
		l.refused("Error: kube-apiserver cannot go back from 1.36 to 1.34")
		l.MustRun("apply", "-auto-approve", "-input=false", "-no-color", "-replace=azurerm_kubernetes_cluster.main")
		l.settled()
		l.runs(running("1.34.1", map[string]string{"nodepool": "1.34.1"}))
	})
	t.Run("adopted with an upgrade", func(t *testing.T) {
		l := liven(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
		guard, err := l.ReadFile("versions_guard.tf")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(l.Path("versions_guard.tf")); err != nil {
			t.Fatal(err)
		}
		l.applies()
		l.write("versions_guard.tf", string(guard))
		l.with(map[string]any{"kubernetes_version": "1.37"})
		l.refused("Error: kube-apiserver cannot go from 1.35 to 1.37 in one step")
		// Without anything that reads what runs, an import says what did.
		l.write("adopt.tf", `
import {
  to = versionskew_validation.this
  id = jsonencode({ control_plane_version = "1.35", node_pools = { general = { kubelet = "1.35" } } })
}
`)
		l.write("versions_guard_override.tf", "resource \"versionskew_validation\" \"this\" {\n  observed = null\n}\n")
		l.refused("Error: kube-apiserver cannot go from 1.35 to 1.37 in one step")
		l.with(map[string]any{"kubernetes_version": "1.36"}).applies()
		l.runs(running("1.36", map[string]string{"general": "1.35"}))
	})
}

// TestMishapProviderBlock: the guard has no provider block, so that a module with
// it can be called with count and depends_on.
func TestMishapProviderBlock(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	if err := os.CopyFS(filepath.Join(directory, "modules/eks"), os.DirFS(examples+"/modules/eks")); err != nil {
		t.Fatal(err)
	}
	err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(`
terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

resource "terraform_data" "network" {}

module "cluster" {
  source = "./modules/eks"
  count  = 1

  name               = "main"
  kubernetes_version = "1.35"
  kube_proxy_version = "v1.35.0-eksbuild.1"
  observe            = false

  depends_on = [terraform_data.network]
}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	module := acctest.NewModule(t, directory)
	module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
}

// TestMishapNothingDeclared: what is not declared is named, and a number that has
// lost its zero is refused.
func TestMishapNothingDeclared(t *testing.T) {
	t.Parallel()
	module := newModule(t, `
terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "control_plane" {
  type    = string
  default = null
}

resource "versionskew_validation" "this" {
  control_plane_version = var.control_plane
  node_pools            = { general = { kubelet = null } }
}
`)
	if out := module.MustRun("plan", "-input=false", "-no-color"); !acctest.Says(`Warning: ... node_pools["general"]`).MatchString(out) {
		t.Errorf("no warning in %s", out)
	}
	if out, err := module.Run("plan", "-input=false", "-no-color", "-var", "control_plane=1.3"); err == nil || !acctest.Says(`"1.30"`).MatchString(out) {
		t.Errorf("1.3 is accepted: %v\n%s", err, out)
	}
}

// TestMishapTarget: -target of the cluster leaves the guard out. A precondition on
// the cluster is in.
func TestMishapTarget(t *testing.T) {
	l := liven(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
	l.applies()
	l.with(map[string]any{"kubernetes_version": "1.37"})
	if out, err := l.Run("plan", "-input=false", "-no-color", "-target=aws_eks_cluster.this"); err != nil {
		t.Fatalf("the guard is not left out: %s", out)
	}
	l.write("target.tf", `
data "versionskew_evaluation" "control_plane" {
  policy                = "eks"
  control_plane_version = var.kubernetes_version
  observed              = one([for cluster in data.aws_eks_cluster.running : { control_plane_version = cluster.version }])
}
`)
	l.replace("main.tf", "  version  = var.kubernetes_version\n", `  version  = var.kubernetes_version

  lifecycle {
    precondition {
      condition     = data.versionskew_evaluation.control_plane.supported
      error_message = join(" ", data.versionskew_evaluation.control_plane.findings[*].message)
    }
  }
`)
	l.refused("Error: Resource precondition failed ... kube-apiserver from 1.35 to 1.37", "-target=aws_eks_cluster.this")
}

// TestMishapFloor: GKE moves the control plane and the pools, and the floor stays
// behind.
func TestMishapFloor(t *testing.T) {
	l := liven(t, "gke", map[string]any{
		"project_id": "example", "region": "europe-west1", "name": "main", "kubernetes_version": "1.34.1-gke.1", "node_pools": map[string]any{"general": map[string]any{}},
	})
	l.applies()
	l.with(map[string]any{"observe": true})
	for _, version := range []string{"1.35.1-gke.1", "1.36.1-gke.1"} {
		l.Platform(func(w *platform.World) error {
			if err := w.Do(platform.GKE, "main", platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(platform.Managed), Version: version}); err != nil {
				return err
			}
			return w.Do(platform.GKE, "main", platform.Operation{Action: platform.Move, Target: platform.PoolTarget("general"), Version: version})
		})
		l.applies()
		l.settled()
	}
	l.runs(running("1.36.1-gke.1", map[string]string{"general": "1.36.1-gke.1"}))
}
