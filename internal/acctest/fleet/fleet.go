// SPDX-License-Identifier: MPL-2.0

// Package fleet makes random clusters of four platforms for tests, changes them at
// random, and works out a second time, by plain counting, which changes their
// policies refuse at the level "changes".
package fleet

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// limits is what a platform allows of managed control planes and node pools.
type limits struct {
	// older is how many minors a kubelet may be behind; it may never be newer.
	older int
	// back is how many minors a control plane may go back in one step; forward it
	// is always one.
	back int
	// nodesUp is how many minors a kubelet may go forward in one step.
	nodesUp int
}

const anyNumber = 100

// platforms is by policy. The sources are those of the policies:
// https://kubernetes.io/releases/version-skew-policy/#kubelet,
// https://docs.aws.amazon.com/eks/latest/userguide/rollback-cluster.html and
// https://cloud.google.com/kubernetes-engine/docs/concepts/node-pools.
var platforms = map[string]limits{
	"aks":     {older: 3, nodesUp: anyNumber},
	"eks":     {older: 3, back: 1, nodesUp: anyNumber},
	"gke":     {older: 2, nodesUp: 2},
	"kubeadm": {older: 3, nodesUp: anyNumber},
}

// Cluster is a managed control plane and node pools, by their minors.
type Cluster struct {
	Policy       string
	ControlPlane int
	Pools        map[string]int
}

// Minor writes a minor of Kubernetes 1.
func Minor(n int) string { return fmt.Sprintf("1.%d", n) }

// excess is how many minors a kubelet is beyond its limits: behind if negative.
func (l limits) excess(controlPlane, kubelet int) int {
	switch behind := controlPlane - kubelet; {
	case behind < 0:
		return -behind
	case behind > l.older:
		return l.older - behind
	}
	return 0
}

// worse reports whether an excess is further from its limit than another one, or
// beyond the other limit.
func worse(now, before int) bool {
	return now > 0 && now > before || now < 0 && now < before
}

// Broken reports whether a kubelet is beyond its limits.
func (c Cluster) Broken() bool {
	for _, version := range c.Pools {
		if platforms[c.Policy].excess(c.ControlPlane, version) != 0 {
			return true
		}
	}
	return false
}

// Refuses reports whether a change makes a cluster worse, or takes a step that its
// platform does not allow. The control plane is applied before the node pools, so
// that pools which stay or go are beside the new control plane first.
func (c Cluster) Refuses(to Cluster) bool {
	l := platforms[c.Policy]
	if to.ControlPlane > c.ControlPlane+1 || to.ControlPlane < c.ControlPlane-l.back {
		return true
	}
	for name, now := range to.Pools {
		was, there := c.Pools[name]
		if !there {
			if l.excess(to.ControlPlane, now) != 0 {
				return true
			}
			continue
		}
		before := l.excess(c.ControlPlane, was)
		onTheWay, after := l.excess(to.ControlPlane, was), l.excess(to.ControlPlane, now)
		if worse(after, before) || now > was+l.nodesUp {
			return true
		}
		if now != was && worse(onTheWay, before) && worse(onTheWay, after) {
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

// Random is n clusters of all platforms in turn, by name. Every third is broken.
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

// Change changes every cluster of a fleet at random, or leaves it.
func Change(seed uint64, clusters map[string]Cluster) map[string]Cluster {
	r := rand.New(rand.NewPCG(seed, 1))
	changed := map[string]Cluster{}
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		changed[name] = clusters[name].change(r)
	}
	return changed
}

// change is a change to a cluster: of nothing, of the control plane, of pools,
// of both, of the number of pools.
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
			if _, there := to.Pools["new"]; !there {
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

// BlocksNext lists the node pools that keep the control plane from its next minor.
func (c Cluster) BlocksNext() (pools []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Pools)) {
		if platforms[c.Policy].excess(c.ControlPlane+1, c.Pools[name]) < 0 {
			pools = append(pools, name)
		}
	}
	return pools
}
