// SPDX-License-Identifier: MPL-2.0

// Package walk changes declared clusters at random, as users do, and holds the
// verdict of a plan against what then happens on a simulated platform.
package walk

import (
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// Declared is what the arguments of a module say. An empty version is null.
type Declared struct {
	ControlPlane map[string]string
	Pools        map[string]string
	KubeProxy    string
	// Generation changes when the cluster is replaced.
	Generation int
}

func (d Declared) clone() Declared {
	d.ControlPlane, d.Pools = maps.Clone(d.ControlPlane), maps.Clone(d.Pools)
	return d
}

// Graph is a module that people use, as far as versions go.
type Graph struct {
	Name string
	Kind platform.Kind
	// Order is the order in which it applies changes.
	Order string
	// Says is the apply_order of its validation, if that is another one.
	Says string
	// Nulls says that a version of a pool may be left out.
	Nulls bool
	// instances are the names of the control-plane instances.
	instances []string
	// patches says that versions have patches.
	patches bool
	// kubeProxy says that kube-proxy is an add-on with a version of its own.
	kubeProxy bool
	// defaultPool is a pool that is there as long as the cluster is.
	defaultPool string
	// immutable says that a machine stays as it was made.
	immutable bool
}

// Graphs are those of the modules in examples/modules, and one whose pools do
// not wait for the control plane.
var Graphs = []Graph{
	{Name: "eks", Kind: platform.EKS, Order: "control_plane_first", Nulls: true, instances: []string{platform.Managed}, kubeProxy: true},
	{Name: "aks", Kind: platform.AKS, defaultPool: "nodepool", Order: "control_plane_first", Nulls: true, instances: []string{platform.Managed}, patches: true},
	{Name: "gke", Kind: platform.GKE, Order: "control_plane_first", Nulls: true, instances: []string{platform.Managed}, patches: true},
	{Name: "talos", Kind: platform.Talos, Order: "unordered", instances: []string{"cp-0", "cp-1", "cp-2"}, patches: true, immutable: true},
	{Name: "kubeadm-ha", Kind: platform.Kubeadm, Order: "control_plane_first", instances: []string{"cp-0", "cp-1", "cp-2"}, patches: true},
	{Name: "aks-unordered", Kind: platform.AKS, defaultPool: "nodepool", Order: "unordered", instances: []string{platform.Managed}, patches: true},
	{Name: "eks-node-pools-first", Kind: platform.EKS, Order: "node_pools_first", instances: []string{platform.Managed}, kubeProxy: true},
}

func (g Graph) managed() bool { return len(g.instances) == 1 }

// resolved fills in what null means where it means a declared version.
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

// Operations are what an apply does to what runs.
func (g Graph) Operations(d Declared, running platform.Cluster) []platform.Operation {
	d = g.resolved(d)
	var all []platform.Operation
	move := func(target, from string, there bool, to string) {
		switch {
		case !there:
			all = append(all, platform.Operation{Action: platform.Create, Target: target, Version: to})
		case to != "" && from != to && !g.immutable:
			all = append(all, platform.Operation{Action: platform.Move, Target: target, Version: to})
		}
	}
	each := func(declared, running map[string]string, target func(string) string) {
		for _, name := range slices.Sorted(maps.Keys(declared)) {
			from, there := running[name]
			to := declared[name]
			if g.Kind == platform.GKE && target(name) == platform.ControlPlaneTarget(platform.Managed) && there && !platform.Newer(to, from) {
				to = "" // it is a floor
			}
			move(target(name), from, there, to)
		}
		for _, name := range slices.Sorted(maps.Keys(running)) {
			if _, stays := declared[name]; !stays {
				all = append(all, platform.Operation{Action: platform.Delete, Target: target(name)})
			}
		}
	}
	each(d.ControlPlane, running.ControlPlane, platform.ControlPlaneTarget)
	each(d.Pools, running.Pools, platform.PoolTarget)
	if g.kubeProxy && d.KubeProxy != "" { // null leaves it to EKS
		move(platform.KubeProxyTarget, running.KubeProxy, running.KubeProxy != "", d.KubeProxy)
	}
	return all
}

// Waits reports whether an operation of this graph comes after another one. A
// pool that goes counts as running until the control plane has moved, as with
// create_before_destroy.
func (g Graph) Waits(first, second platform.Operation) bool {
	one, two := rank(first), rank(second)
	if g.managed() && one == 0 && first.Action == platform.Create {
		return two > 0 // every pool needs a cluster to be in
	}
	if g.managed() && two == 0 && second.Action == platform.Create {
		return false
	}
	switch g.Order {
	case "control_plane_first":
		// kubeadm takes the first machine before the others. Workers come last.
		if g.Kind == platform.Kubeadm && one == 0 && two == 0 {
			return first.Target == platform.ControlPlaneTarget("cp-0") && second.Target != first.Target
		}
		return one < two
	case "node_pools_first":
		return one > 0 && two == 0 || one == 1 && two == 2
	}
	return false
}

// rank is 0 for the control plane, 1 for pools and 2 for kube-proxy.
func rank(o platform.Operation) int {
	switch {
	case strings.HasPrefix(o.Target, platform.ControlPlaneTarget("")):
		return 0
	case o.Target == platform.KubeProxyTarget:
		return 2
	}
	return 1
}
