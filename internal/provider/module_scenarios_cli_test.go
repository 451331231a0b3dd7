// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// These tests run the example modules on simulated platforms, in situations in which an
// earlier version of the validation let the platform refuse an apply halfway, or refused
// a valid change.

// deployment is an example module on a simulated platform.
type deployment struct {
	*acctest.Module
	t         *testing.T
	variables map[string]any
}

func deploy(t *testing.T, name string, variables map[string]any) *deployment {
	t.Helper()
	t.Parallel()
	return &deployment{acctest.NewModuleIn(t, examples, "modules/"+name), t, variables}
}

// with changes variables for all later commands.
func (d *deployment) with(changes map[string]any) *deployment {
	d.t.Helper()
	for name, value := range changes {
		d.variables[name] = value
	}
	d.Set(d.variables)
	return d
}

func (d *deployment) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.Path(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// replace replaces a text in a file of the module, which must contain it once.
func (d *deployment) replace(name, old, text string) {
	d.t.Helper()
	file, err := os.ReadFile(d.Path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	if strings.Count(string(file), old) != 1 {
		d.t.Fatalf("%s does not contain %q exactly once", name, old)
	}
	d.write(name, strings.Replace(string(file), old, text, 1))
}

func (d *deployment) apply() {
	d.t.Helper()
	d.with(nil).MustRun("apply", "-auto-approve", "-input=false", "-no-color")
}

// expectEmptyPlan fails unless the plan is empty.
func (d *deployment) expectEmptyPlan() {
	d.t.Helper()
	d.with(nil).MustRun("plan", "-detailed-exitcode", "-input=false", "-no-color")
}

// expectRefused fails unless the plan fails with an error.
func (d *deployment) expectRefused(want string, arguments ...string) {
	d.t.Helper()
	out, err := d.with(nil).Run(append([]string{"plan", "-input=false", "-no-color"}, arguments...)...)
	if err == nil || !acctest.OutputPattern(want).MatchString(out) {
		d.t.Errorf("the plan does not fail with %q: %v\n%s", want, err, out)
	}
}

// expectRunning fails unless the platform runs the given versions and has not refused any
// operation.
func (d *deployment) expectRunning(want platform.Cluster) {
	const name = "main"
	d.t.Helper()
	d.Platform(func(w *platform.World) error {
		c := w.Clusters[name]
		if c == nil {
			return fmt.Errorf("the platform has no cluster %s", name)
		}
		if fmt.Sprint(c.ControlPlane, c.Pools) != fmt.Sprint(want.ControlPlane, want.Pools) {
			d.t.Errorf("the platform runs control plane %v and pools %v, want %v and %v", c.ControlPlane, c.Pools, want.ControlPlane, want.Pools)
		}
		for _, m := range w.History {
			if m.Refused != "" || len(m.Cluster.Violations()) > 0 {
				d.t.Errorf("%s: %s %v", m.Operation, m.Refused, m.Cluster.Violations())
			}
		}
		return nil
	})
}

func running(controlPlane string, pools map[string]string) platform.Cluster {
	return platform.Cluster{ControlPlane: map[string]string{platform.Managed: controlPlane}, Pools: pools}
}

// groups returns managed node groups with the given versions.
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

// TestModuleUpgradeOrder checks an upgrade in which the module upgrades the control plane
// first, although the policy only allows to upgrade the nodes first.
func TestModuleUpgradeOrder(t *testing.T) {
	d := deploy(t, "eks", eks("1.35", map[string]string{"gpu": "1.32", "general": "1.35"}))
	d.with(map[string]any{"kube_proxy_version": "v1.34.0-eksbuild.1"}).apply()
	d.with(map[string]any{"kubernetes_version": "1.36"})

	d.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.35"})})
	d.expectRefused(`node_pools["gpu"] ... in a separate apply first`)
	// It is the same if the old pool is removed or renamed.
	d.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"general": "1.35"})})
	d.expectRefused(`node_pools["gpu"] ... first`)
	d.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"gpu-1-33": "1.33", "general": "1.35"})})
	d.expectRefused(`node_pools["gpu"] ... first`)

	// The applies that the error asks for succeed.
	d.with(map[string]any{"kubernetes_version": "1.35", "eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.35"})}).apply()
	d.with(map[string]any{"kubernetes_version": "1.36"}).apply()
	d.expectRunning(running("1.36", map[string]string{"gpu": "1.33", "general": "1.35"}))

	// A rollback in one apply.
	d.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.36"})}).apply()
	d.with(map[string]any{"kubernetes_version": "1.35", "eks_managed_node_groups": groups(map[string]string{"gpu": "1.33", "general": "1.35"})})
	d.expectRefused(`node_pools["general"] ... in a separate apply first`)
	d.with(map[string]any{"kubernetes_version": "1.36"}).apply()
	d.with(map[string]any{"kubernetes_version": "1.35"}).apply()
	d.expectRunning(running("1.35", map[string]string{"gpu": "1.33", "general": "1.35"}))
}

// TestModuleReplacedNodeGroup checks that a change of an argument other than the version can
// replace a node group, although the new one is created before the old one is deleted.
func TestModuleReplacedNodeGroup(t *testing.T) {
	d := deploy(t, "eks", eks("1.35", map[string]string{"general": "1.35", "gpu": "1.34"}))
	d.apply()
	d.with(map[string]any{"eks_managed_node_groups": map[string]any{
		"general": map[string]any{"kubernetes_version": "1.35", "instance_types": []string{"m8i.large"}},
		"gpu":     map[string]any{"kubernetes_version": "1.34"},
	}}).apply()
	d.expectEmptyPlan()
	// The guard still knows the versions that run.
	d.with(map[string]any{"eks_managed_node_groups": groups(map[string]string{"general": "1.36", "gpu": "1.34"})})
	d.expectRefused(`Error: kubelet 1.36 is too new for kube-apiserver 1.35 (node_pools["general"])`)
	d.with(map[string]any{"kubernetes_version": "1.37", "eks_managed_node_groups": groups(map[string]string{"general": "1.37", "gpu": "1.34"})})
	d.expectRefused(`Error: kube-apiserver cannot go from 1.35 to 1.37 in one step`)
}

// TestModuleOffered checks that the guard refuses a version that the platform does not offer,
// for a new cluster and in an upgrade, that the platform would refuse it, and that a retired
// version can stay.
func TestModuleOffered(t *testing.T) {
	for name, tt := range map[string]struct {
		variables map[string]any
		upgrade   map[string]any
		offered   []string
		refused   string
	}{
		"eks": {
			eks("1.35", map[string]string{"general": "1.35"}), map[string]any{"kubernetes_version": "1.36"},
			[]string{"1.37"}, "unsupported Kubernetes version: 1.36",
		},
		"aks": {
			map[string]any{"resource_group_name": "example", "cluster_name": "main", "kubernetes_version": "1.35.1", "orchestrator_version": "1.35.1"},
			map[string]any{"kubernetes_version": "1.36.1"},
			[]string{"1.36.2"}, "K8sVersionNotSupported",
		},
		"gke": {
			map[string]any{
				"project_id": "example", "region": "europe-west1", "name": "main", "kubernetes_version": "1.35.1-gke.1",
				"node_pools": map[string]any{"general": map[string]any{"version": "1.35.1-gke.1"}},
			},
			map[string]any{"kubernetes_version": "1.36.1-gke.1"},
			[]string{"1.36.2-gke.1"}, `Version "1.36.1-gke.1" is unsupported`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := deploy(t, name, tt.variables)
			offer := func(versions []string) {
				d.Platform(func(w *platform.World) error {
					w.Offered = versions
					return nil
				})
			}
			// The cluster does not exist yet.
			offer(tt.offered)
			d.expectRefused("Error: kube-apiserver 1.35 ... is not offered")
			offer(nil)
			d.apply()
			d.with(map[string]any{"observe": true})
			offer(tt.offered)
			d.expectEmptyPlan()
			d.with(tt.upgrade).expectRefused("Error: kube-apiserver 1.36 ... is not offered")

			// Without a list, the plan passes and the platform refuses the apply.
			d.write("versions_guard_override.tf", "resource \"versionskew_validation\" \"this\" {\n  available_versions = null\n}\n")
			d.MustRun("plan", "-input=false", "-no-color")
			if out, err := d.Run("apply", "-auto-approve", "-input=false", "-no-color"); err == nil || !acctest.OutputPattern(tt.refused).MatchString(out) {
				t.Errorf("the apply does not fail with %q: %v\n%s", tt.refused, err, out)
			}
			if err := os.Remove(d.Path("versions_guard_override.tf")); err != nil {
				t.Fatal(err)
			}

			offer(append(tt.offered, fmt.Sprint(tt.upgrade["kubernetes_version"])))
			d.apply()
			d.expectEmptyPlan()
		})
	}
}

// TestModuleOfferedAfterAutoUpgrade checks that the guard for GKE declares the patch to which
// GKE has upgraded the control plane, and not the older one of min_master_version, which GKE
// has retired.
func TestModuleOfferedAfterAutoUpgrade(t *testing.T) {
	d := deploy(t, "gke", map[string]any{
		"project_id": "example", "region": "europe-west1", "name": "main", "kubernetes_version": "1.35.9-gke.1",
		"node_pools": map[string]any{"general": map[string]any{"version": "1.35.9-gke.1"}},
	})
	d.apply()
	d.Platform(func(w *platform.World) error {
		w.Offered = []string{"1.35.10-gke.1", "1.36.1-gke.1"}
		return w.Do(platform.GKE, "main", platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(platform.Managed), Version: "1.35.10-gke.1"})
	})
	d.with(map[string]any{"observe": true}).apply()
	d.expectEmptyPlan()
	d.with(map[string]any{"kubernetes_version": "1.36"}).apply() // an alias
	d.expectEmptyPlan()
}

// TestDigitalOceanOffered checks the same for the example for DigitalOcean.
func TestDigitalOceanOffered(t *testing.T) {
	t.Parallel()
	module := acctest.NewModule(t, examples+"/guides/other-platforms")
	module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
	module.Platform(func(w *platform.World) error {
		w.Offered = []string{"1.35.2-do.0"}
		return nil
	})
	module.MustRun("plan", "-detailed-exitcode", "-input=false", "-no-color")
	out, err := module.Run("plan", "-input=false", "-no-color", "-var", "doks_version=1.35.1-do.0")
	if err == nil || !acctest.OutputPattern("Error: kube-apiserver 1.35.1-do.0 is not offered").MatchString(out) {
		t.Errorf("the plan does not fail: %v\n%s", err, out)
	}

	// The next minor version requires the newest listed patch of the current one.
	module.Platform(func(w *platform.World) error {
		w.Offered = []string{"1.34.3-do.0", "1.35.2-do.0"}
		return nil
	})
	out, err = module.Run("plan", "-input=false", "-no-color", "-var", "doks_version=1.35.2-do.0")
	if err == nil || !acctest.OutputPattern("Error: kube-apiserver 1.34.1-do.0 is not the newest patch of 1.34").MatchString(out) {
		t.Errorf("the skipped patch upgrade is not refused: %v\n%s", err, out)
	}
	module.Platform(func(w *platform.World) error {
		w.Offered = []string{"1.35.2-do.0"}
		return nil
	})

	// Without a list, the plan passes and DigitalOcean refuses the apply.
	override := module.Path("digitalocean_override.tf")
	if err := os.WriteFile(override, []byte("resource \"versionskew_validation\" \"shop\" {\n  policy             = \"digitalocean-doks\"\n  available_versions = null\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = module.Run("apply", "-auto-approve", "-input=false", "-no-color", "-var", "doks_version=1.35.1-do.0")
	if err == nil || !acctest.OutputPattern("invalid version slug").MatchString(out) {
		t.Errorf("the apply does not fail: %v\n%s", err, out)
	}
	if err := os.Remove(override); err != nil {
		t.Fatal(err)
	}
	module.MustRun("apply", "-auto-approve", "-input=false", "-no-color", "-var", "doks_version=1.35.2-do.0")
}

// TestModulePoolWithoutVersion checks that on AKS, a pool without a version keeps the version
// that it was created with.
func TestModulePoolWithoutVersion(t *testing.T) {
	d := deploy(t, "aks", map[string]any{
		"resource_group_name": "example", "cluster_name": "main", "kubernetes_version": "1.33.1", "orchestrator_version": "1.33.1", "node_pools": map[string]any{"gpu": map[string]any{}},
	})
	d.apply()
	for _, version := range []string{"1.34.1", "1.35.1", "1.36.1"} {
		d.with(map[string]any{"kubernetes_version": version}).apply()
		d.expectEmptyPlan()
	}
	d.with(map[string]any{"orchestrator_version": "1.36.1"}).apply()
	d.expectRunning(running("1.36.1", map[string]string{"nodepool": "1.36.1", "gpu": "1.33.1"}))
	d.with(map[string]any{"kubernetes_version": "1.37.1"})
	d.expectRefused(`Error: kubelet 1.33 is too old for kube-apiserver 1.37 ... node_pools["gpu"] runs kubelet 1.33.1`)
}

// TestModuleObservedFromResource checks that observed may come from an attribute of a
// resource that the same plan changes. observed is write-only, so it may differ between
// plan and apply and is not a change afterwards.
func TestModuleObservedFromResource(t *testing.T) {
	d := deploy(t, "gke", map[string]any{
		"project_id": "example", "region": "europe-west1", "name": "main", "kubernetes_version": "1.35.1-gke.1", "node_pools": map[string]any{"general": map[string]any{"version": "1.35.1-gke.1"}},
	})
	d.replace("versions_guard.tf", "observed   = local.running", `observed = {
    control_plane_version = google_container_cluster.this.master_version
    node_pools            = { for name, pool in google_container_node_pool.this : name => { kubelet = pool.version } }
  }`)
	d.apply()
	d.expectEmptyPlan()
	d.with(map[string]any{"kubernetes_version": "1.36.1-gke.1"}).apply()
	d.expectEmptyPlan()
	d.expectRunning(running("1.36.1-gke.1", map[string]string{"general": "1.35.1-gke.1"}))
}

// TestModuleOutdatedState checks plans after the versions that run have become different from
// those that the last apply has recorded.
func TestModuleOutdatedState(t *testing.T) {
	t.Run("failed and reverted", func(t *testing.T) {
		d := deploy(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
		d.apply()
		d.Platform(func(w *platform.World) error {
			w.Faults = []platform.Fault{{Action: platform.Move, Target: platform.PoolTarget("general")}}
			return nil
		})
		d.with(eks("1.36", map[string]string{"general": "1.36"}))
		if out, err := d.Run("apply", "-auto-approve", "-input=false", "-no-color"); err == nil {
			t.Fatalf("the apply did not fail: %s", out)
		}
		// The control plane runs 1.36 and goes back by one minor, to that of the nodes.
		d.with(eks("1.35", map[string]string{"general": "1.35"})).apply()
		d.expectRunning(running("1.35", map[string]string{"general": "1.35"}))
	})
	t.Run("upgraded in the console", func(t *testing.T) {
		d := deploy(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
		d.apply()
		d.Platform(func(w *platform.World) error {
			return w.Do(platform.EKS, "main", platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(platform.Managed), Version: "1.36"})
		})
		d.with(map[string]any{"kubernetes_version": "1.37"}).apply()
		d.expectRunning(running("1.37", map[string]string{"general": "1.35"}))
	})
	t.Run("replaced at a lower version", func(t *testing.T) {
		d := deploy(t, "aks", map[string]any{
			"resource_group_name": "example", "cluster_name": "main", "kubernetes_version": "1.36.1", "orchestrator_version": "1.36.1",
		})
		d.apply()
		d.with(map[string]any{"kubernetes_version": "1.34.1", "orchestrator_version": "1.34.1"})
		d.expectRefused("Error: kube-apiserver cannot go back from 1.36 to 1.34")
		d.MustRun("apply", "-auto-approve", "-input=false", "-no-color", "-replace=azurerm_kubernetes_cluster.main")
		d.expectEmptyPlan()
		d.expectRunning(running("1.34.1", map[string]string{"nodepool": "1.34.1"}))
	})
	t.Run("adopted with an upgrade", func(t *testing.T) {
		d := deploy(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
		guard, err := os.ReadFile(d.Path("versions_guard.tf"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(d.Path("versions_guard.tf")); err != nil {
			t.Fatal(err)
		}
		d.apply()
		d.write("versions_guard.tf", string(guard))
		d.with(map[string]any{"kubernetes_version": "1.37"})
		d.expectRefused("Error: kube-apiserver cannot go from 1.35 to 1.37 in one step")
		// If observed is not set, an import provides the versions that run.
		d.write("adopt.tf", `
import {
  to = versionskew_validation.this
  id = jsonencode({ control_plane_version = "1.35", node_pools = { general = { kubelet = "1.35" } } })
}
`)
		d.write("versions_guard_override.tf", "resource \"versionskew_validation\" \"this\" {\n  observed = null\n}\n")
		d.expectRefused("Error: kube-apiserver cannot go from 1.35 to 1.37 in one step")
		d.with(map[string]any{"kubernetes_version": "1.36"}).apply()
		d.expectRunning(running("1.36", map[string]string{"general": "1.35"}))
	})
}

// TestModuleWithCountAndDependsOn checks that a module with a validation can be called with
// count and depends_on, because it has no provider block.
func TestModuleWithCountAndDependsOn(t *testing.T) {
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

// TestModuleWithoutVersions checks that a plan names node pools without a version, and
// refuses a number that has lost its last zero.
func TestModuleWithoutVersions(t *testing.T) {
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
	if out := module.MustRun("plan", "-input=false", "-no-color"); !acctest.OutputPattern(`Warning: ... node_pools["general"]`).MatchString(out) {
		t.Errorf("no warning in %s", out)
	}
	if out, err := module.Run("plan", "-input=false", "-no-color", "-var", "control_plane=1.3"); err == nil || !acctest.OutputPattern(`"1.30"`).MatchString(out) {
		t.Errorf("1.3 is accepted: %v\n%s", err, out)
	}
}

// TestModuleTarget checks that a plan with -target of the cluster skips the validation, but
// not a precondition of the cluster.
func TestModuleTarget(t *testing.T) {
	d := deploy(t, "eks", eks("1.35", map[string]string{"general": "1.35"}))
	d.apply()
	d.with(map[string]any{"kubernetes_version": "1.37"})
	if out, err := d.Run("plan", "-input=false", "-no-color", "-target=aws_eks_cluster.this"); err != nil {
		t.Fatalf("the plan does not skip the validation: %s", out)
	}
	d.write("target.tf", `
data "versionskew_evaluation" "control_plane" {
  policy                = "eks"
  control_plane_version = var.kubernetes_version
  observed              = one([for cluster in data.aws_eks_cluster.running : { control_plane_version = cluster.version }])
}
`)
	d.replace("main.tf", "  version  = var.kubernetes_version\n", `  version  = var.kubernetes_version

  lifecycle {
    precondition {
      condition     = data.versionskew_evaluation.control_plane.supported
      error_message = join(" ", data.versionskew_evaluation.control_plane.findings[*].message)
    }
  }
`)
	d.expectRefused("Error: Resource precondition failed ... kube-apiserver from 1.35 to 1.37", "-target=aws_eks_cluster.this")
}

// TestModuleEmulatedVersion checks both steps of a two-step upgrade on GKE.
func TestModuleEmulatedVersion(t *testing.T) {
	d := deploy(t, "gke", map[string]any{
		"project_id": "example", "region": "europe-west1", "name": "main", "kubernetes_version": "1.35.1-gke.1", "node_pools": map[string]any{"general": map[string]any{"version": "1.35.1-gke.1"}},
	})
	d.apply()
	d.with(map[string]any{"observe": true})
	d.expectEmptyPlan()
	d.with(map[string]any{"kubernetes_version": "1.36.1-gke.1", "emulated_version": "1.35"}).apply()
	d.expectEmptyPlan()
	newer := map[string]any{"node_pools": map[string]any{"general": map[string]any{"version": "1.36.1-gke.1"}}}
	d.with(newer).expectRefused(`Error: kubelet 1.36 is too new for ... (node_pools["general"])`)
	d.with(map[string]any{"emulated_version": "1.36"}).apply()
	d.expectEmptyPlan()
	d.expectRunning(running("1.36.1-gke.1", map[string]string{"general": "1.36.1-gke.1"}))
}

// TestModuleDowngradeReplaces checks a provider that replaces a cluster if its version goes
// down. The plan fails, unless cluster_id is set, although the guide advises against it. A
// warning then describes the step.
func TestModuleDowngradeReplaces(t *testing.T) {
	t.Parallel()
	module := acctest.NewModule(t, examples+"/guides/other-platforms")
	const refused = "kube-apiserver cannot go back from 1.34 to 1.33"
	lower := []string{"plan", "-input=false", "-no-color", "-var", "doks_version=1.33.5-do.0"}
	module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
	if out, err := module.Run(lower...); err == nil || !acctest.OutputPattern("Error: "+refused).MatchString(out) {
		t.Errorf("the plan does not fail: %v\n%s", err, out)
	}
	err := os.WriteFile(module.Path("digitalocean_override.tf"), []byte(`
resource "versionskew_validation" "shop" {
  cluster_id = digitalocean_kubernetes_cluster.shop.id
}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
	if out := module.MustRun(lower...); !acctest.OutputPattern("forces replacement ... Warning: ... cluster_id ... " + refused + " ... destroys the cluster").MatchString(out) {
		t.Errorf("no warning about the step:\n%s", out)
	}
}

// TestModuleReleaseChannel checks that GKE can upgrade the control plane and the pools while
// the declared minimum version stays the same.
func TestModuleReleaseChannel(t *testing.T) {
	d := deploy(t, "gke", map[string]any{
		"project_id": "example", "region": "europe-west1", "name": "main", "kubernetes_version": "1.34.1-gke.1", "node_pools": map[string]any{"general": map[string]any{}},
	})
	d.apply()
	d.with(map[string]any{"observe": true})
	for _, version := range []string{"1.35.1-gke.1", "1.36.1-gke.1"} {
		d.Platform(func(w *platform.World) error {
			if err := w.Do(platform.GKE, "main", platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(platform.Managed), Version: version}); err != nil {
				return err
			}
			return w.Do(platform.GKE, "main", platform.Operation{Action: platform.Move, Target: platform.PoolTarget("general"), Version: version})
		})
		d.apply()
		d.expectEmptyPlan()
	}
	d.expectRunning(running("1.36.1-gke.1", map[string]string{"general": "1.36.1-gke.1"}))
}
