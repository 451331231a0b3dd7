// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"maps"
	"slices"
)

// change is a request to create something at a version, or to move it there.
type change struct {
	from *kubeVersion // nil if it is new
	to   kubeVersion
	old  Cluster // before the change
}

// rule contains the checks of a platform. Each returns the error with which the platform
// rejects a change.
type rule struct {
	controlPlane, pool func(change) error
	// notOffered is the format of the error about a version that the platform does not
	// offer.
	notOffered string
	// poolsFollow is true if a node pool can also get the version of its control plane,
	// even if the platform offers it to no other pool.
	poolsFollow bool
}

var rules = map[Kind]rule{
	EKS:     {controlPlane: eksControlPlane, pool: eksNodeGroup, notOffered: "InvalidParameterException: unsupported Kubernetes version: %s"},
	AKS:     {controlPlane: aksControlPlane, pool: aksPool, notOffered: "K8sVersionNotSupported: Managed cluster is on version %s which is not supported in this region", poolsFollow: true},
	GKE:     {controlPlane: gkeControlPlane, pool: gkePool, notOffered: "googleapi: Error 400: Version %q is unsupported", poolsFollow: true},
	DOKS:    {controlPlane: doksControlPlane, pool: allow, notOffered: "422 validation error: invalid version slug %s"},
	Talos:   {controlPlane: talosMachine, pool: allow, notOffered: "version %s was not found"},
	Kubeadm: {controlPlane: kubeadmControlPlane, pool: kubeadmWorker, notOffered: "version %s was not found"},
}

// allow is the check of a platform that has none.
func allow(change) error { return nil }

// pools returns the node pools, sorted by name.
func (c change) pools() []namedVersion { return parseAll(c.old.Pools) }

type namedVersion struct {
	name string
	kubeVersion
}

// parseAll returns the valid versions, sorted by name.
func parseAll(versions map[string]string) []namedVersion {
	var all []namedVersion
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		if n, err := parse(versions[name]); err == nil {
			all = append(all, namedVersion{name, n})
		}
	}
	return all
}

// managedVersion returns the version of a managed control plane.
func (c change) managedVersion() kubeVersion {
	n, err := parse(c.old.ControlPlane[Managed])
	if err != nil {
		return kubeVersion{} // the control plane does not exist yet
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
	if proxy, err := parse(c.old.KubeProxy); err == nil && (proxy.minor > c.to.minor || c.to.minor-proxy.minor > maxOlderKubelet(proxy.minor)) {
		return fmt.Errorf("InvalidRequestException: Update to %s is blocked by insights: kube-proxy version skew", c.to)
	}
	switch c.to.minor - c.from.minor {
	case 0:
		return nil
	case 1:
		for _, p := range c.pools() {
			if c.to.minor-p.minor > maxOlderKubelet(p.minor) {
				return fmt.Errorf("InvalidRequestException: Nodegroup %s must be updated to be compatible with Kubernetes version %s before updating cluster version", p.name, c.to)
			}
		}
	case -1:
		for _, p := range c.pools() {
			if p.minor > c.to.minor {
				return fmt.Errorf("InvalidRequestException: Nodegroup %s runs a version newer than %s. Roll back node groups before the cluster", p.name, c.to)
			}
		}
	default:
		return fmt.Errorf("InvalidParameterException: Unsupported Kubernetes minor version update from %s to %s", c.from, c.to)
	}
	return nil
}

func eksNodeGroup(c change) error {
	cluster := c.managedVersion()
	if c.to.minor > cluster.minor {
		return fmt.Errorf("InvalidParameterException: Requested Nodegroup version %s can not be newer than cluster version %s", c.to, cluster)
	}
	if cluster.minor-c.to.minor > maxOlderKubelet(c.to.minor) {
		return fmt.Errorf("InvalidParameterException: Requested Nodegroup version %s is too old for cluster version %s", c.to, cluster)
	}
	return nil
}

func eksAddOn(c change) error {
	if cluster := c.managedVersion(); c.to.minor > cluster.minor {
		return fmt.Errorf("InvalidParameterException: Addon version %s is not supported for cluster version %s", c.to, cluster)
	}
	return nil
}

// maxOlderKubelet returns how many minors a kubelet or kube-proxy may be older than an
// API server: https://kubernetes.io/releases/version-skew-policy/#kubelet
func maxOlderKubelet(minor int) int {
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
		return fmt.Errorf("OperationNotAllowed: Upgrading Kubernetes version %s to %s is not allowed. Available upgrades: [1.%d]", c.from, c.to, c.from.minor+1)
	}
	for _, p := range c.pools() {
		if c.to.minor-p.minor > 3 {
			return fmt.Errorf("OperationNotAllowed: Node pool %s cannot be more than 3 versions less than control plane version %s", p.name, c.to)
		}
	}
	return nil
}

// https://learn.microsoft.com/en-us/azure/aks/roll-back-node-pool-version
func aksPool(c change) error {
	cluster := c.managedVersion()
	if c.to.newer(cluster) {
		return fmt.Errorf("NodePoolMcVersionIncompatible: Node pool version %s and control plane version %s are incompatible: the node pool can not be newer", c.to, cluster)
	}
	if cluster.minor-c.to.minor > 3 {
		return fmt.Errorf("NodePoolMcVersionIncompatible: Node pool version %s and control plane version %s are incompatible: the node pool is too old", c.to, cluster)
	}
	return nil // AKS rolls a pool back to its previous version, which the policy does not cover
}

// https://docs.digitalocean.com/products/kubernetes/how-to/upgrade-cluster
func doksControlPlane(c change) error {
	if c.from != nil && (c.to.minor-c.from.minor > 1 || c.from.newer(c.to)) {
		return fmt.Errorf("422: invalid upgrade path from %s to %s", c.from, c.to)
	}
	return nil
}

// https://cloud.google.com/kubernetes-engine/docs/how-to/upgrading-a-cluster
func gkeControlPlane(c change) error {
	if c.from == nil {
		return nil
	}
	if c.to.minor < c.from.minor {
		return fmt.Errorf("googleapi: Error 400: Master cannot be downgraded from %s to %s", c.from, c.to)
	}
	if c.to.minor-c.from.minor > 1 {
		return fmt.Errorf("googleapi: Error 400: Master cannot be upgraded to %q: cannot upgrade the master by more than a minor version", c.to)
	}
	for _, p := range c.pools() {
		if c.to.minor-p.minor > 2 {
			return fmt.Errorf("googleapi: Error 400: Master cannot be upgraded to %q: node pool %s would be more than 2 minor versions older", c.to, p.name)
		}
	}
	return nil
}

func gkePool(c change) error {
	cluster := c.managedVersion()
	if c.to.minor > cluster.minor {
		return fmt.Errorf("googleapi: Error 400: Node version %q must not have a greater minor version than master version %q", c.to, cluster)
	}
	if cluster.minor-c.to.minor > 2 {
		return fmt.Errorf("googleapi: Error 400: Node version %q is unsupported: it must be within 2 minor versions of the master version %q", c.to, cluster)
	}
	if c.from != nil && c.to.minor-c.from.minor > 2 {
		return fmt.Errorf("googleapi: Error 400: Node pool cannot be upgraded from %q to %q: cannot skip more than one minor version", c.from, c.to)
	}
	return nil
}

// Talos does not check the version of a new machine that joins the cluster. Versions
// change later with talosctl upgrade-k8s, which only supports upgrades within a minor or
// to the next one
// (https://github.com/siderolabs/go-kubernetes/blob/main/kubernetes/upgrade/path.go).
// It only checks the control plane. If --upgrade-kubelet=false has kept a kubelet on an
// older minor, a later run upgrades it over several minors
// (https://github.com/siderolabs/talos/blob/main/pkg/cluster/kubernetes/talos_managed.go).
func talosMachine(c change) error {
	if c.from == nil {
		return nil
	}
	if step := c.to.minor - c.from.minor; step < 0 || step > 1 {
		return fmt.Errorf("unsupported upgrade path %s->%s (from %q to %q)", c.from, c.to, c.from, c.to)
	}
	return nil
}

// https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/
func kubeadmControlPlane(c change) error {
	others := parseAll(c.old.ControlPlane)
	if c.from == nil {
		// The documentation requires the kubeadm version of the cluster. The policy
		// does not cover when a machine may join, so this only rejects versions that
		// cannot run side by side.
		for _, o := range others {
			if step := c.to.minor - o.minor; step < -1 || step > 1 {
				return fmt.Errorf("[preflight] this version of kubeadm can't join a cluster of Kubernetes 1.%d", o.minor)
			}
		}
		return nil
	}
	switch step := c.to.minor - c.from.minor; {
	case step > 1:
		return fmt.Errorf("[upgrade/version] FATAL: Specified version to upgrade to %q is too high; kubeadm can upgrade only 1 minor version at a time", c.to)
	case step < 0:
		return fmt.Errorf("[upgrade/version] FATAL: Specified version to upgrade to %q is lower than the cluster version %q", c.to, c.from)
	}
	for _, p := range c.pools() {
		if c.to.minor-p.minor > maxOlderKubelet(p.minor) {
			return fmt.Errorf("[upgrade/version] FATAL: the kubelet of node %s is too old for Kubernetes version %q", p.name, c.to)
		}
	}
	return nil
}

func kubeadmWorker(c change) error {
	if c.from != nil {
		return nil // a package manager upgrades the kubelet, and checks nothing
	}
	for _, o := range parseAll(c.old.ControlPlane) {
		if o.minor < c.to.minor {
			return fmt.Errorf("[preflight] this version of kubeadm only supports control planes of version 1.%d or later, found 1.%d", c.to.minor, o.minor)
		}
	}
	return nil
}
