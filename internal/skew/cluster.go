package skew

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Cluster is a combination: the versions that run side by side.
type Cluster struct {
	Places []Place
	// LocalEndpoint says that the components of a control-plane instance talk
	// to the reference on their own instance only. Otherwise, and for all
	// others, every one may answer.
	LocalEndpoint bool
	// Webhooks is the match policy of each admission webhook by its name, ""
	// where it is not declared.
	Webhooks map[string]string
	// Partial says that there are more places, of which nothing is known yet.
	Partial bool
}

// Place is a location and what runs there, each component once. Where the same
// runs at thousands of places, they had better share one list of it.
type Place struct {
	Location  finding.Location
	Instances []Instance
}

// Instance is a component at a version. The zero version is one that is not
// known yet: such an instance is there, but nothing is judged by it.
type Instance struct {
	Component string
	Version   version.Version
	// ClusterWide says that the version is declared once for the whole cluster.
	// All instances of the component that say so have the same version, move as
	// one, and are at the location of the declaration: see Place.At.
	ClusterWide bool
}

// At returns the location of an instance that runs at the place: where its
// version is declared.
func (p Place) At(i Instance) finding.Location { return at(p.Location, i.ClusterWide) }

func at(l finding.Location, clusterWide bool) finding.Location {
	if clusterWide {
		return finding.AtAttribute(finding.KubeProxy)
	}
	return l
}

// WithKubeProxy returns the cluster with one kube-proxy for all of it: on every
// node pool that runs something but no kube-proxy of its own. It also has a place
// to itself, which counts where there is no such pool.
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

// kubeProxy is the component that the cluster-wide attribute of its name declares.
const kubeProxy = "kube-proxy"

// ClusterWide returns the version that is declared for the whole cluster, if
// there is one.
func (c Cluster) ClusterWide(component string) (version.Version, bool) {
	for _, p := range c.Places {
		for _, i := range p.Instances {
			if i.ClusterWide && i.Component == component {
				return i.Version, true
			}
		}
	}
	return version.Version{}, false
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
	for _, p := range c.Places {
		for _, i := range p.Instances {
			if !slices.Contains(names, i.Component) {
				names = append(names, i.Component)
			}
		}
	}
	return names
}

// Newest returns the newest version of a component, the first of equal ones, or
// the zero version where the component is not declared or not everything is known
// yet.
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

// local reports whether what runs at the place reaches only the references on
// that place, provided that there are any.
func (c Cluster) local(l finding.Location) bool { return c.LocalEndpoint && l.InControlPlane() }

// APIServer is the component that every other one follows.
const APIServer = "kube-apiserver"

// ControlPlaneComponents are the components that move with a control plane to
// another minor, the API server first. Other components may run on its instances
// (a kubelet, kube-proxy) and move on their own.
var ControlPlaneComponents = []string{APIServer, "kube-controller-manager", "kube-scheduler", "cloud-controller-manager"}
