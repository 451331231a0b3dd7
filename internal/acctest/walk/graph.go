// SPDX-License-Identifier: MPL-2.0

// Package walk tests the provider on long random sequences of changes to a cluster.
//
// A walk starts with the configuration of an example module and an empty simulated
// platform (package platform). Each step changes the configuration like a user would: it
// upgrades or rolls back the control plane, changes, adds, removes or renames node pools,
// replaces the cluster, or reverts what failed. Sometimes versions also change outside
// Terraform, or an operation fails halfway. The step then plans with a
// versionskew_validation, applies if the plan passes, and checks two laws:
//
//   - If the plan passes, the platform rejects no operation of the apply, and no
//     combination of versions on the way breaks the policy.
//   - If the plan fails, the apply could have failed, or could have run through a
//     combination that breaks the policy.
//
// The platform is a World: it also rejects versions that it does not offer, and what it
// offers changes during the walk. The policy is that of the platform, with the rules of an
// add-on (Graph.AddOn).
//
// Walk checks the laws. Upgrades tests versionskew_upgrade_plan in a similar way: it
// declares the versions in next, plans and applies, until the target is reached.
//
// Both run without a CLI: they call the provider over the protocol and perform the
// operations of the module's graph in a random order. NewCLI starts a walk that runs
// Terraform or OpenTofu on the modules in examples/modules instead.
//
// The walks of a normal test run are short. For longer ones, run make walks with the
// number of steps and the random seed, for example make walks STEPS=1000 SEED=7. A test
// that fails prints the seed and the step, so that you can repeat the walk:
//
//	go test ./internal/acctest/walk -run TestWalks/aks -walk.steps 1000 -walk.seed 7
package walk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// Declared contains the versions that the arguments of a module declare. An empty version
// means null.
type Declared struct {
	ControlPlane map[string]string
	Pools        map[string]string
	KubeProxy    string
	AddOn        string
	// Generation increases when the cluster is replaced.
	Generation int
}

func (d Declared) clone() Declared {
	d.ControlPlane, d.Pools = maps.Clone(d.ControlPlane), maps.Clone(d.Pools)
	return d
}

// Graph describes a module: its platform, which versions it declares, and the order in
// which Terraform applies its changes.
type Graph struct {
	Name string
	Kind platform.Kind
	// Order is the order in which the module applies changes, as a value of apply_order.
	Order string
	// DeclaredOrder is the apply_order in the configuration, if it differs from Order.
	DeclaredOrder string
	// NullPoolVersions is true if the version of a pool can be null.
	NullPoolVersions bool
	// instances are the names of the control-plane instances.
	instances []string
	// AddOn is true if the module installs the add-on platform.AddOnName.
	AddOn bool
	// defaultPool is the name of a pool that exists as long as the cluster does.
	defaultPool string
	// immutable is true if Terraform does not change the version of a machine after
	// creating it.
	immutable bool
}

// Graphs contains the graphs of the modules in examples/modules, and of an AKS and an EKS
// module that apply changes in other orders.
var Graphs = []Graph{
	{Name: "eks", Kind: platform.EKS, Order: "control_plane_first", NullPoolVersions: true, AddOn: true, instances: []string{platform.Managed}},
	{Name: "aks", Kind: platform.AKS, defaultPool: "nodepool", Order: "control_plane_first", NullPoolVersions: true, AddOn: true, instances: []string{platform.Managed}},
	{Name: "gke", Kind: platform.GKE, Order: "control_plane_first", NullPoolVersions: true, AddOn: true, instances: []string{platform.Managed}},
	{Name: "talos", Kind: platform.Talos, Order: "unordered", AddOn: true, instances: []string{"cp-0", "cp-1", "cp-2"}, immutable: true},
	{Name: "kubeadm-ha", Kind: platform.Kubeadm, Order: "control_plane_first", AddOn: true, instances: []string{"cp-0", "cp-1", "cp-2"}},
	{Name: "aks-unordered", Kind: platform.AKS, defaultPool: "nodepool", Order: "unordered", AddOn: true, instances: []string{platform.Managed}},
	{Name: "eks-node-pools-first", Kind: platform.EKS, Order: "node_pools_first", AddOn: true, instances: []string{platform.Managed}},
}

// Managed reports whether the platform runs the control plane. Its module then compares
// versions with those that the platform offers.
func (g Graph) Managed() bool { return len(g.instances) == 1 }

// hasPatches reports whether versions have a patch. Those of EKS are minors.
func (g Graph) hasPatches() bool { return g.Kind != platform.EKS }

// version returns a version in the format of the platform.
func (g Graph) version(minor, patch int) string {
	switch {
	case !g.hasPatches():
		return fmt.Sprintf("1.%d", minor)
	case g.Kind == platform.GKE:
		return fmt.Sprintf("1.%d.%d-gke.1000", minor, patch)
	}
	return fmt.Sprintf("1.%d.%d", minor, patch)
}

// resolved replaces null versions of EKS node groups, which default to the version of the
// control plane.
func (g Graph) resolved(d Declared) Declared {
	d = d.clone()
	if g.Kind == platform.EKS {
		for name, version := range d.Pools {
			if version == "" {
				d.Pools[name] = d.ControlPlane[platform.Managed]
			}
		}
	}
	return d
}

// Operations returns the operations of an apply that changes the running cluster to the
// declared versions.
func (g Graph) Operations(d Declared, running platform.Cluster) []platform.Operation {
	d = g.resolved(d)
	var all []platform.Operation
	move := func(target, from string, exists bool, to string) {
		switch {
		case !exists:
			all = append(all, platform.Operation{Action: platform.Create, Target: target, Version: to})
		case to != "" && from != to && !g.immutable:
			all = append(all, platform.Operation{Action: platform.Move, Target: target, Version: to})
		}
	}
	each := func(declared, running map[string]string, target func(string) string) {
		for _, name := range slices.Sorted(maps.Keys(declared)) {
			from, exists := running[name]
			to := declared[name]
			if g.Kind == platform.GKE && target(name) == platform.ControlPlaneTarget(platform.Managed) && exists && !platform.Newer(to, from) {
				to = "" // min_master_version never downgrades
			}
			move(target(name), from, exists, to)
		}
		for _, name := range slices.Sorted(maps.Keys(running)) {
			if _, stays := declared[name]; !stays {
				all = append(all, platform.Operation{Action: platform.Delete, Target: target(name)})
			}
		}
	}
	each(d.ControlPlane, running.ControlPlane, platform.ControlPlaneTarget)
	each(d.Pools, running.Pools, platform.PoolTarget)
	if g.Kind == platform.EKS && d.KubeProxy != "" { // if it is null, EKS keeps the version
		move(platform.KubeProxyTarget, running.KubeProxy, running.KubeProxy != "", d.KubeProxy)
	}
	switch {
	case d.AddOn == running.AddOn:
	case d.AddOn == "":
		all = append(all, platform.Operation{Action: platform.Delete, Target: platform.AddOnTarget})
	case running.AddOn == "":
		all = append(all, platform.Operation{Action: platform.Create, Target: platform.AddOnTarget, Version: d.AddOn})
	default: // also where Terraform does not change the machines
		all = append(all, platform.Operation{Action: platform.Move, Target: platform.AddOnTarget, Version: d.AddOn})
	}
	return all
}

// Precedes reports whether Terraform performs the first operation before it starts the
// second. A removed pool counts as running until the control plane has moved, as with
// create_before_destroy.
func (g Graph) Precedes(first, second platform.Operation) bool {
	one, two := rank(first), rank(second)
	if g.Managed() && one == 0 && first.Action == platform.Create {
		return two > 0 // pools and add-ons need a cluster
	}
	if g.Managed() && two == 0 && second.Action == platform.Create {
		return false
	}
	switch g.Order {
	case "control_plane_first":
		// kubeadm changes the first control-plane machine before the others, and
		// workers last.
		if g.Kind == platform.Kubeadm && one == 0 && two == 0 {
			return first.Target == platform.ControlPlaneTarget("cp-0") && second.Target != first.Target
		}
		return one < two && (one == 0 || first.Target != platform.AddOnTarget)
	case "node_pools_first":
		return one > 0 && two == 0 || one == 1 && two == 2 && first.Target != platform.AddOnTarget
	}
	return false
}

// rank returns 0 for operations on the control plane, 1 for pools and the add-on, and 2
// for kube-proxy.
func rank(o platform.Operation) int {
	switch {
	case strings.HasPrefix(o.Target, platform.ControlPlaneTarget("")):
		return 0
	case o.Target == platform.KubeProxyTarget:
		return 2
	}
	return 1
}
