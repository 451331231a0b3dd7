// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// cli plans and applies an example module with Terraform or OpenTofu.
type cli struct {
	*acctest.Module
	world *platform.World
}

// NewCLI starts a walk through the module in a directory, on an empty platform.
func NewCLI(t *testing.T, directory string, g Graph, observe bool, seed uint64) *Walk {
	t.Helper()
	module, world := acctest.NewAttachedModule(t, directory)
	return start(g, observe, seed, world, &cli{module, world})
}

func (c *cli) plan(w *Walk) (refused string, err error) {
	c.writeVariables(w)
	arguments := []string{"plan", "-input=false", "-no-color", "-out=next.tfplan"}
	if w.replacing() {
		switch w.graph.Kind {
		case platform.AKS:
			arguments = append(arguments, "-replace=azurerm_kubernetes_cluster.main")
		case platform.GKE:
			arguments = append(arguments, "-replace=google_container_cluster.this")
		case platform.EKS, platform.Talos, platform.Kubeadm: // EKS replaces a renamed cluster
		}
	}
	out, err := c.Run(arguments...)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if onlyGuardErrors(out) {
			return out, nil
		}
		return "", fmt.Errorf("the plan failed: %s", out)
	}
	return "", err
}

// onlyGuardErrors reports whether the output contains errors, all of them from the
// validation.
func onlyGuardErrors(out string) bool {
	errors := anyError.FindAllString(out, -1)
	return len(errors) > 0 && len(errors) == len(guardError.FindAllString(out, -1))
}

var (
	anyError   = regexp.MustCompile(`(?m)^Error: `)
	guardError = regexp.MustCompile(`(?m)^Error: .*\n(?:.+\n)*\n  with versionskew_validation\.this,`)
)

func (c *cli) apply(w *Walk, _ []platform.Operation) (refused string, err error) {
	before := ""
	if running := w.running(); running != nil {
		before = running.ID
	}
	out, err := c.Run("apply", "-input=false", "-no-color", "next.tfplan")
	w.updateGeneration(before)
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		return "", err
	}
	if onlyGuardErrors(out) {
		return out, nil
	}
	if !slices.ContainsFunc(c.world.History, func(m platform.Event) bool { return m.Failed || m.Refused != "" }) {
		return "", fmt.Errorf("the apply failed: %s", out)
	}
	return "", nil
}

// CheckEmptyPlan returns an error if a plan right after an apply is not empty.
func (w *Walk) CheckEmptyPlan() error {
	c, ok := w.engine.(*cli)
	if !ok {
		return nil
	}
	if out, err := c.Run("plan", "-input=false", "-no-color", "-detailed-exitcode"); err != nil {
		return fmt.Errorf("the plan after the apply is not empty: %s", out)
	}
	return nil
}

// writeVariables sets the variables of the module to the declared versions.
func (c *cli) writeVariables(w *Walk) {
	d := w.declared
	version := d.ControlPlane[platform.Managed]
	running := w.running()
	observe := w.observe && running != nil
	pools := func(attribute string) map[string]object {
		all := map[string]object{}
		for name, version := range d.Pools {
			if name != w.graph.defaultPool {
				all[name] = object{attribute: nullIfEmpty(version)}
			}
		}
		return all
	}
	variables := object{}
	switch w.graph.Kind {
	case platform.EKS:
		variables = object{
			"name": w.clusterName(d.Generation), "kubernetes_version": version, "kube_proxy_version": d.KubeProxy,
			"eks_managed_node_groups": pools("kubernetes_version"),
		}
		variables["kube_proxy_installed"] = running == nil || running.KubeProxy != ""
		if w.graph.AddOn { // see testdata/eks
			variables["policy"], variables["agent_version"] = addOnPolicy(platform.EKS), nullIfEmpty(d.AddOn)
			variables["agent_installed"] = running != nil && running.AddOn != ""
		}
	case platform.AKS:
		variables = object{
			"resource_group_name": "example", "cluster_name": w.clusterName(d.Generation), "kubernetes_version": version,
			"orchestrator_version": nullIfEmpty(d.Pools[w.graph.defaultPool]), "agents_pool_name": w.graph.defaultPool, "node_pools": pools("orchestrator_version"),
		}
	case platform.GKE:
		variables = object{
			"project_id": "example", "region": "europe-west1", "name": w.clusterName(d.Generation), "kubernetes_version": version, "node_pools": pools("version"),
		}
		observe = observe && !w.replacing()
	case platform.Talos:
		variables = object{
			"cluster_name": w.clusterName(d.Generation), "kubernetes_version": d.ControlPlane[w.graph.instances[0]], "control_plane": sortedNames(d.ControlPlane), "workers": sortedNames(d.Pools),
		}
	case platform.Kubeadm:
		variables = object{"domain": "example.internal", "control_plane": d.ControlPlane, "workers": d.Pools}
	}
	variables["observe"] = observe
	c.Set(variables)
}
