// SPDX-License-Identifier: MPL-2.0

package platform

import "fmt"

// Violations returns the pairs of components that violate the version skew policy of the
// platform. The value of each is by how much it exceeds the limit: 1000 for each minor, 1
// for each patch.
//
// This is a second, much simpler implementation of the policy, which tests compare with
// the provider. It only supports the clusters of this package.
//
// The add-on only supports its own minor and the ones next to it: version 1.33 supports
// API servers from 1.32 to 1.34.
func (c Cluster) Violations() map[string]int {
	found := map[string]int{}
	apis, pools := parseAll(c.ControlPlane), parseAll(c.Pools)
	maxOlder := func(minor int) int {
		if c.Kind == GKE {
			return 2
		}
		return maxOlderKubelet(minor)
	}
	checkNode := func(what string, n kubeVersion, api namedVersion) {
		if by := api.minor - n.minor - maxOlder(n.minor); by > 0 {
			found[fmt.Sprintf("%s is too old for API server %q", what, api.name)] = 1000 * by
		}
		if by := n.minor - api.minor; by > 0 {
			found[fmt.Sprintf("%s is too new for API server %q", what, api.name)] = 1000 * by
		} else if c.Kind == AKS && n.newer(api.kubeVersion) {
			found[fmt.Sprintf("%s is too new for API server %q", what, api.name)] = n.patch - api.patch
		}
	}
	for i, one := range apis {
		for _, other := range apis[i+1:] {
			// The control-plane instances may be one minor apart. The kubelet, the
			// controllers and the kube-proxy of an instance always have its
			// version and use its API server, so they need no check.
			if by := max(one.minor-other.minor, other.minor-one.minor) - 1; by > 0 {
				found[fmt.Sprintf("API servers %q and %q are too far apart", one.name, other.name)] = 1000 * by
			}
		}
		for _, p := range pools {
			checkNode("pool "+p.name, p.kubeVersion, one)
		}
		if proxy, err := parse(c.KubeProxy); err == nil { // nodes may exist outside of node pools
			checkNode("kube-proxy", proxy, one)
		}
		if addOn, err := parse(c.AddOn); err == nil && (addOn.minor < one.minor-1 || addOn.minor > one.minor+1) {
			found[fmt.Sprintf("%s 1.%d does not support API server %q", AddOnName, addOn.minor, one.name)] = 1000
		}
	}
	if proxy, err := parse(c.KubeProxy); err == nil {
		for _, p := range pools {
			limit := maxOlderKubelet(proxy.minor)
			if by := max(proxy.minor-p.minor, p.minor-proxy.minor) - limit; by > 0 {
				found[fmt.Sprintf("kube-proxy and pool %s are too far apart", p.name)] = 1000 * by
			}
		}
	}
	return found
}
