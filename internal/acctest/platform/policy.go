// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"maps"
	"slices"
)

// Violations lists the pairs of a combination that break the version skew policy
// of the platform, and by how many minors (in thousandths: patches) each is
// beyond its limit. It is the policy page in a dozen lines, for clusters of this
// package only.
func (c Cluster) Violations() map[string]int {
	found := map[string]int{}
	apis := slices.Sorted(maps.Keys(c.ControlPlane))
	older := func(minor int) int {
		if c.Kind == GKE {
			return 2
		}
		return oldestUpstream(minor)
	}
	limit := func(what string, n, api number, at string) {
		if by := api.minor - n.minor - older(n.minor); by > 0 {
			found[fmt.Sprintf("%s is too old for API server %q", what, at)] = 1000 * by
		}
		if by := n.minor - api.minor; by > 0 {
			found[fmt.Sprintf("%s is too new for API server %q", what, at)] = 1000 * by
		} else if c.Kind == AKS && n.newer(api) {
			found[fmt.Sprintf("%s is too new for API server %q", what, at)] = n.patch - api.patch
		}
	}
	for i, a := range apis {
		one, err := parse(c.ControlPlane[a])
		if err != nil {
			continue
		}
		for _, b := range apis[i+1:] {
			other, err := parse(c.ControlPlane[b])
			if err != nil {
				continue
			}
			// The instances of a control plane may be one minor apart. Each
			// takes its kubelet, controllers and kube-proxy with it, and these
			// talk to the API server beside them.
			if by := max(one.minor-other.minor, other.minor-one.minor) - 1; by > 0 {
				found[fmt.Sprintf("API servers %q and %q are too far apart", a, b)] = 1000 * by
			}
		}
		for _, p := range numbered(c.Pools) {
			limit("pool "+p.name, p.number, one, a)
		}
		if proxy, err := parse(c.KubeProxy); err == nil { // there may be nodes that are no pool
			limit("kube-proxy", proxy, one, a)
		}
	}
	if proxy, err := parse(c.KubeProxy); err == nil {
		for _, p := range numbered(c.Pools) {
			apart := oldestUpstream(proxy.minor)
			if by := max(proxy.minor-p.minor, p.minor-proxy.minor) - apart; by > 0 {
				found[fmt.Sprintf("kube-proxy and pool %s are too far apart", p.name)] = 1000 * by
			}
		}
	}
	return found
}
