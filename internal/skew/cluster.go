// SPDX-License-Identifier: MPL-2.0

package skew

import (
	"iter"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Cluster is a combination: the versions that run side by side.
type Cluster struct {
	Places []Place
	// LocalEndpoint says that the components of a control-plane instance only
	// connect to the reference on their own instance. Otherwise, and for all other
	// components, any instance of the reference may answer.
	LocalEndpoint bool
	// Webhooks maps the names of admission webhooks to their match policies, "" if
	// not declared.
	Webhooks map[string]string
	// Partial says that the cluster has more places, which are not known yet.
	Partial bool
}

// Place is a location and the instances there, at most one of each component. Places
// with the same instances should share the slice, because there can be thousands of
// places.
type Place struct {
	Location  finding.Location
	Instances []Instance
}

// Instance is a component at a version. A zero version is not known yet: the
// instance exists, but is not checked.
type Instance struct {
	Component string
	Version   version.Version
	// ClusterWide says that the version is declared once for the whole cluster. All
	// such instances of a component have the same version, move together, and have
	// the location of the declaration: see Place.At.
	ClusterWide bool
}

// At returns the location at which the version of an instance of the place is
// declared.
func (p Place) At(i Instance) finding.Location { return at(p.Location, i.ClusterWide) }

func at(l finding.Location, clusterWide bool) finding.Location {
	if clusterWide {
		return finding.AtAttribute(finding.KubeProxy)
	}
	return l
}

// WithKubeProxy adds a cluster-wide kube-proxy. It runs on every node pool that
// declares a version but no kube-proxy. It also gets a separate place, so that it is
// checked if there is no such node pool.
func (c Cluster) WithKubeProxy(v version.Version) Cluster {
	proxy := Instance{Component: kubeProxy, Version: v, ClusterWide: true}
	c.Places = slices.Clone(c.Places)
	for i, p := range c.Places {
		if _, own := p.Version(kubeProxy); p.Location.Attribute == finding.NodePools && len(p.Instances) > 0 && !own {
			c.Places[i].Instances = append(slices.Clip(p.Instances), proxy)
		}
	}
	c.Places = append(c.Places, Place{Location: finding.AtAttribute(finding.KubeProxy), Instances: []Instance{proxy}})
	return c
}

// kubeProxy is the component that can be declared for the whole cluster.
const kubeProxy = "kube-proxy"

// ClusterWide returns the cluster-wide version of a component, if declared.
func (c Cluster) ClusterWide(component string) (version.Version, bool) {
	for _, i := range c.Instances() {
		if i.ClusterWide && i.Component == component {
			return i.Version, true
		}
	}
	return version.Version{}, false
}

// Instances yields all instances with their places.
func (c Cluster) Instances() iter.Seq2[Place, Instance] {
	return func(yield func(Place, Instance) bool) {
		for _, p := range c.Places {
			for _, i := range p.Instances {
				if !yield(p, i) {
					return
				}
			}
		}
	}
}

// Version returns the version of a component at this place.
func (p Place) Version(component string) (version.Version, bool) {
	for _, i := range p.Instances {
		if i.Component == component {
			return i.Version, true
		}
	}
	return version.Version{}, false
}

// Components lists the declared components, each once.
func (c Cluster) Components() []string {
	var names []string
	for _, i := range c.Instances() {
		if !slices.Contains(names, i.Component) {
			names = append(names, i.Component)
		}
	}
	return names
}

// Newest returns the newest version of a component, the first one of equal
// versions. It returns the zero version if the component is not declared or if some
// of its versions are not known yet.
func (c Cluster) Newest(component string) version.Version {
	var newest version.Version
	for _, p := range c.Places {
		v, ok := p.Version(component)
		if c.Partial || ok && v.IsZero() {
			return version.Version{}
		}
		if v.Compare(newest) > 0 {
			newest = v
		}
	}
	return newest
}

// local reports whether components at the location only connect to the references
// on the same instance, if there are any.
func (c Cluster) local(l finding.Location) bool { return c.LocalEndpoint && l.InControlPlane() }

// APIServer is the component that the cluster attributes are built around.
const APIServer = "kube-apiserver"

// ControlPlaneComponents are the components that a control-plane version sets, the API
// server first. Other components on its instances, such as a kubelet,
// move independently.
var ControlPlaneComponents = []string{APIServer, "kube-controller-manager", "kube-scheduler", "cloud-controller-manager"}
