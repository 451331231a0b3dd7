// SPDX-License-Identifier: MPL-2.0

// Package fleet generates random managed clusters of four platforms, and random changes
// to them. For each change it predicts whether a versionskew_validation with
// enforcement_level = "changes" must reject it. The prediction only adds and subtracts
// minors: it shares no code with the provider, so that tests can compare the two.
package fleet

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// limits contains the limits of a platform, in minors. A kubelet may never be newer than
// the control plane, and a control plane may only move up by one minor per step.
type limits struct {
	// maxOlder is how far a kubelet may be behind the control plane.
	maxOlder int
	// maxDowngrade is how far a control plane may move down in one step.
	maxDowngrade int
	// maxNodeUpgrade is how far a kubelet may move up in one step.
	maxNodeUpgrade int
}

const unlimited = 100

// platforms contains the limits by policy. The sources are those of the policies:
// https://kubernetes.io/releases/version-skew-policy/#kubelet,
// https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html and
// https://cloud.google.com/kubernetes-engine/docs/concepts/node-pools.
var platforms = map[string]limits{
	"aks":     {maxOlder: 3, maxNodeUpgrade: unlimited},
	"eks":     {maxOlder: 3, maxDowngrade: 1, maxNodeUpgrade: unlimited},
	"gke":     {maxOlder: 2, maxNodeUpgrade: 2},
	"kubeadm": {maxOlder: 3, maxNodeUpgrade: unlimited},
}

// Cluster is a managed cluster. Versions are minor numbers: 31 is Kubernetes 1.31.
type Cluster struct {
	Policy       string
	ControlPlane int
	Pools        map[string]int
}

// Minor formats a minor number as a version, such as 1.31.
func Minor(n int) string { return fmt.Sprintf("1.%d", n) }

// excess returns by how many minors a kubelet exceeds its limits: positive if it is too
// new, negative if it is too old.
func (l limits) excess(controlPlane, kubelet int) int {
	switch behind := controlPlane - kubelet; {
	case behind < 0:
		return -behind
	case behind > l.maxOlder:
		return l.maxOlder - behind
	}
	return 0
}

// worse reports whether a violation is new, or larger than before.
func worse(after, before int) bool {
	return after > 0 && after > before || after < 0 && after < before
}

// Broken reports whether any kubelet exceeds its limits.
func (c Cluster) Broken() bool {
	for _, version := range c.Pools {
		if platforms[c.Policy].excess(c.ControlPlane, version) != 0 {
			return true
		}
	}
	return false
}

// Refuses reports whether a change must be rejected, because it adds a violation, makes
// one worse, or takes a step that the platform does not allow. The control plane moves
// before the node pools. Unchanged and removed pools therefore run next to the new
// control plane for a while.
func (c Cluster) Refuses(to Cluster) bool {
	l := platforms[c.Policy]
	if to.ControlPlane > c.ControlPlane+1 || to.ControlPlane < c.ControlPlane-l.maxDowngrade {
		return true
	}
	for name, now := range to.Pools {
		was, exists := c.Pools[name]
		if !exists {
			if l.excess(to.ControlPlane, now) != 0 {
				return true
			}
			continue
		}
		before := l.excess(c.ControlPlane, was)
		during, after := l.excess(to.ControlPlane, was), l.excess(to.ControlPlane, now)
		if worse(after, before) || now > was+l.maxNodeUpgrade {
			return true
		}
		if now != was && worse(during, before) && worse(during, after) {
			return true
		}
	}
	for name, was := range c.Pools {
		_, stays := to.Pools[name]
		if !stays && worse(l.excess(to.ControlPlane, was), l.excess(c.ControlPlane, was)) {
			return true
		}
	}
	return false
}

// Random returns n clusters by name. The platforms take turns, and one cluster in three
// is broken.
func Random(seed uint64, n int) map[string]Cluster {
	r := rand.New(rand.NewPCG(seed, 0))
	fleet := map[string]Cluster{}
	names := slices.Sorted(maps.Keys(platforms))
	for i := range n {
		c := Cluster{Policy: names[i%len(names)]}
		for len(c.Pools) == 0 || c.Broken() != (i%3 == 0) {
			c.ControlPlane = 31 + r.IntN(4)
			c.Pools = map[string]int{}
			for _, name := range []string{"general", "gpu", "spot"}[:1+r.IntN(3)] {
				c.Pools[name] = c.ControlPlane + 1 - r.IntN(6)
			}
		}
		fleet[fmt.Sprintf("%s-%03d", c.Policy, i)] = c
	}
	return fleet
}

// Change returns the clusters after a random change to each. Some clusters do not change.
func Change(seed uint64, clusters map[string]Cluster) map[string]Cluster {
	r := rand.New(rand.NewPCG(seed, 1))
	changed := map[string]Cluster{}
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		changed[name] = clusters[name].change(r)
	}
	return changed
}

// change returns the cluster after up to two random changes: to the version of the
// control plane or of a node pool, or to the set of node pools.
func (c Cluster) change(r *rand.Rand) Cluster {
	to := Cluster{c.Policy, c.ControlPlane, maps.Clone(c.Pools)}
	for range r.IntN(3) {
		names := slices.Sorted(maps.Keys(to.Pools))
		switch name := names[r.IntN(len(names))]; r.IntN(4) {
		case 0:
			to.ControlPlane += []int{-1, 1, 1, 2}[r.IntN(4)]
		case 1, 2:
			to.Pools[name] += []int{-1, 1, 1, 2, 3}[r.IntN(5)]
		case 3:
			if _, exists := to.Pools["new"]; !exists {
				to.Pools["new"] = to.ControlPlane - r.IntN(5)
			} else if len(names) > 1 {
				delete(to.Pools, name)
			}
		}
	}
	if len(c.Pools) > 1 && r.IntN(6) == 0 {
		delete(to.Pools, slices.Sorted(maps.Keys(c.Pools))[0])
	}
	if len(to.Pools) == 0 {
		to.Pools = maps.Clone(c.Pools)
	}
	return to
}

// BlocksNext lists the node pools that block the next minor of the control plane.
func (c Cluster) BlocksNext() (pools []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Pools)) {
		if platforms[c.Policy].excess(c.ControlPlane+1, c.Pools[name]) < 0 {
			pools = append(pools, name)
		}
	}
	return pools
}
