// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"maps"
	"slices"
)

// change is one version that is to move or to appear.
type change struct {
	target, name    string
	from            *number // nil for what is new
	to              number
	before, version string
	old             Cluster
}

// rule is what a platform refuses.
type rule struct {
	controlPlane, pool, kubeProxy func(change) error
}

var rules = map[Kind]rule{
	EKS:     {controlPlane: eksControlPlane, pool: eksNodeGroup, kubeProxy: eksAddOn},
	AKS:     {controlPlane: aksControlPlane, pool: aksPool, kubeProxy: none},
	GKE:     {controlPlane: gkeControlPlane, pool: gkePool, kubeProxy: none},
	Talos:   {controlPlane: talosMachine, pool: none, kubeProxy: none},
	Kubeadm: {controlPlane: kubeadmControlPlane, pool: kubeadmWorker, kubeProxy: none},
}

func none(change) error { return nil }

// pools lists the node pools with their numbers, by name.
func (c change) pools() []namedNumber { return numbered(c.old.Pools) }

type namedNumber struct {
	name string
	number
}

func numbered(versions map[string]string) []namedNumber {
	var all []namedNumber
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		if n, err := parse(versions[name]); err == nil {
			all = append(all, namedNumber{name, n})
		}
	}
	return all
}

// managed is the version of a managed control plane.
func (c change) managed() number {
	n, err := parse(c.old.ControlPlane[Managed])
	if err != nil {
		return number{} // nothing runs yet
	}
	return n
}

// https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html,
// https://docs.aws.amazon.com/eks/latest/userguide/rollback-cluster.html and, for
// kube-proxy, https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html
func eksControlPlane(c change) error {
	if c.from == nil {
		return nil
	}
	if proxy, err := parse(c.old.KubeProxy); err == nil && (proxy.minor > c.to.minor || c.to.minor-proxy.minor > oldestUpstream(proxy.minor)) {
		return fmt.Errorf("InvalidRequestException: Update to %s is blocked by insights: kube-proxy version skew", c.version)
	}
	switch c.to.minor - c.from.minor {
	case 0:
		return nil
	case 1:
		for _, p := range c.pools() {
			if c.to.minor-p.minor > oldestUpstream(p.minor) {
				return fmt.Errorf("InvalidRequestException: Nodegroup %s must be updated to be compatible with Kubernetes version %s before updating cluster version", p.name, c.version)
			}
		}
	case -1:
		for _, p := range c.pools() {
			if p.minor > c.to.minor {
				return fmt.Errorf("InvalidRequestException: Nodegroup %s runs a version newer than %s. Roll back node groups before the cluster", p.name, c.version)
			}
		}
	default:
		return fmt.Errorf("InvalidParameterException: Unsupported Kubernetes minor version update from %s to %s", c.before, c.version)
	}
	return nil
}

func eksNodeGroup(c change) error {
	cluster := c.managed()
	if c.to.minor > cluster.minor {
		return fmt.Errorf("InvalidParameterException: Requested Nodegroup version %s can not be newer than cluster version %s", c.version, c.old.ControlPlane[Managed])
	}
	if cluster.minor-c.to.minor > oldestUpstream(c.to.minor) {
		return fmt.Errorf("InvalidParameterException: Requested Nodegroup version %s is too old for cluster version %s", c.version, c.old.ControlPlane[Managed])
	}
	return nil
}

func eksAddOn(c change) error {
	if cluster := c.managed(); c.to.minor > cluster.minor {
		return fmt.Errorf("InvalidParameterException: Addon version %s is not supported for cluster version %s", c.version, c.old.ControlPlane[Managed])
	}
	return nil
}

// oldestUpstream is how many minors a kubelet may be behind an API server, by
// https://kubernetes.io/releases/version-skew-policy/#kubelet
func oldestUpstream(minor int) int {
	if minor < 25 {
		return 2
	}
	return 3
}

// https://learn.microsoft.com/en-us/azure/aks/supported-kubernetes-versions
func aksControlPlane(c change) error {
	if c.from == nil {
		return nil
	}
	if step := c.to.minor - c.from.minor; step > 1 || c.from.newer(c.to) {
		return fmt.Errorf("OperationNotAllowed: Upgrading Kubernetes version %s to %s is not allowed. Available upgrades: [1.%d]", c.before, c.version, c.from.minor+1)
	}
	for _, p := range c.pools() {
		if c.to.minor-p.minor > 3 {
			return fmt.Errorf("OperationNotAllowed: Node pool %s cannot be more than 3 versions less than control plane version %s", p.name, c.version)
		}
	}
	return nil
}

// https://learn.microsoft.com/en-us/azure/aks/roll-back-node-pool-version
func aksPool(c change) error {
	cluster := c.managed()
	if c.to.newer(cluster) {
		return fmt.Errorf("NodePoolMcVersionIncompatible: Node pool version %s and control plane version %s are incompatible: the node pool can not be newer", c.version, c.old.ControlPlane[Managed])
	}
	if cluster.minor-c.to.minor > 3 {
		return fmt.Errorf("NodePoolMcVersionIncompatible: Node pool version %s and control plane version %s are incompatible: the node pool is too old", c.version, c.old.ControlPlane[Managed])
	}
	return nil // a pool goes back to what it had before, which is beyond the policy
}

// https://cloud.google.com/kubernetes-engine/docs/how-to/upgrading-a-cluster
func gkeControlPlane(c change) error {
	if c.from == nil {
		return nil
	}
	if c.to.minor < c.from.minor {
		return fmt.Errorf("googleapi: Error 400: Master cannot be downgraded from %s to %s", c.before, c.version)
	}
	if c.to.minor-c.from.minor > 1 {
		return fmt.Errorf("googleapi: Error 400: Master cannot be upgraded to %q: cannot upgrade the master by more than a minor version", c.version)
	}
	for _, p := range c.pools() {
		if c.to.minor-p.minor > 2 {
			return fmt.Errorf("googleapi: Error 400: Master cannot be upgraded to %q: node pool %s would be more than 2 minor versions older", c.version, p.name)
		}
	}
	return nil
}

func gkePool(c change) error {
	cluster := c.managed()
	if c.to.minor > cluster.minor {
		return fmt.Errorf("googleapi: Error 400: Node version %q must not have a greater minor version than master version %q", c.version, c.old.ControlPlane[Managed])
	}
	if cluster.minor-c.to.minor > 2 {
		return fmt.Errorf("googleapi: Error 400: Node version %q is unsupported: it must be within 2 minor versions of the master version %q", c.version, c.old.ControlPlane[Managed])
	}
	if c.from != nil && c.to.minor-c.from.minor > 2 {
		return fmt.Errorf("googleapi: Error 400: Node pool cannot be upgraded from %q to %q: cannot skip more than one minor version", c.before, c.version)
	}
	return nil
}

// A machine gets its version when it is made, and joins the machines that exist:
// nothing checks it. talosctl upgrade-k8s, which moves versions later, knows only
// paths to the next minor
// (https://github.com/siderolabs/go-kubernetes/blob/main/kubernetes/upgrade/path.go).
// It takes the path of the control plane: a kubelet that --upgrade-kubelet=false
// has left behind goes all the way in a later run
// (https://github.com/siderolabs/talos/blob/main/pkg/cluster/kubernetes/talos_managed.go).
func talosMachine(c change) error {
	if c.from == nil {
		return nil
	}
	if step := c.to.minor - c.from.minor; step < 0 || step > 1 {
		return fmt.Errorf("unsupported upgrade path %s->%s (from %q to %q)", c.before, c.version, c.before, c.version)
	}
	return nil
}

// https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/
func kubeadmControlPlane(c change) error {
	others := numbered(c.old.ControlPlane)
	if c.from == nil {
		// The documentation asks for the very kubeadm that the cluster has. Which
		// machine joins when is beyond the policy, so that only what can't run
		// side by side counts here.
		for _, o := range others {
			if step := c.to.minor - o.minor; step < -1 || step > 1 {
				return fmt.Errorf("[preflight] this version of kubeadm can't join a cluster of Kubernetes 1.%d", o.minor)
			}
		}
		return nil
	}
	switch step := c.to.minor - c.from.minor; {
	case step > 1:
		return fmt.Errorf("[upgrade/version] FATAL: Specified version to upgrade to %q is too high; kubeadm can upgrade only 1 minor version at a time", c.version)
	case step < 0:
		return fmt.Errorf("[upgrade/version] FATAL: Specified version to upgrade to %q is lower than the cluster version %q", c.version, c.before)
	}
	for _, p := range c.pools() {
		if c.to.minor-p.minor > oldestUpstream(p.minor) {
			return fmt.Errorf("[upgrade/version] FATAL: the kubelet of node %s is too old for Kubernetes version %q", p.name, c.version)
		}
	}
	return nil
}

func kubeadmWorker(c change) error {
	if c.from != nil {
		return nil // a package manager installs the kubelet without a check
	}
	for _, o := range numbered(c.old.ControlPlane) {
		if o.minor < c.to.minor {
			return fmt.Errorf("[preflight] this version of kubeadm only supports control planes of version 1.%d or later, found 1.%d", c.to.minor, o.minor)
		}
	}
	return nil
}
