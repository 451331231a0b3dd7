// SPDX-License-Identifier: MPL-2.0

package skewtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// Random draws clusters, and steps from one to another, with everything that a
// configuration can declare: a managed control plane or its instances, nodes on which the
// control plane runs, node pools, clients, other components, a kube-proxy for the whole
// cluster, patches and emulated versions.
type Random struct {
	// Newest is the newest minor of the API servers before a step, and By the number of
	// minors by which the step moves it.
	Newest, By int
	// Spread is how many minors API servers may be older than Newest.
	Spread int
	// Behind and Ahead are how many minors nodes, clients and other components may be
	// older and newer than Newest.
	Behind, Ahead int
	// Lag is how many minors the controllers may be older than Newest.
	Lag int
	// Components are the names of other components.
	Components []string
	// Stays is such that one in so many instances stays at its version in a step. If it is
	// zero, all do.
	Stays int
	// Patches are the patches that versions may have. If it is empty, versions have none.
	Patches []int
	// Emulation allows API servers from 1.34 on to emulate older minors.
	Emulation bool
	// Pools is the largest number of node pools. Zero means three.
	Pools int
	// MaxInstances limits the number of instances, because a search takes exponential
	// time. Zero means no limit.
	MaxInstances int
}

// RandomCluster draws a cluster of any versions around 1.25, at which the limits of the
// policy kubernetes change, or around 1.35, which can emulate older minors.
func RandomCluster(t *rapid.T) skew.Cluster {
	r := Random{Newest: 29, Spread: 8, Behind: 8, Lag: 8, Components: []string{"mesh"}}
	if rapid.IntRange(0, 3).Draw(t, "recent") == 0 {
		r.Newest, r.Emulation = 38, true
	}
	if rapid.IntRange(0, 3).Draw(t, "patches") == 0 {
		r.Patches = []int{0, 1, 2}
	}
	return r.Cluster(t)
}

// Cluster draws a cluster.
func (r Random) Cluster(t *rapid.T) skew.Cluster {
	c, _ := r.Step(t)
	return c
}

// Step draws a step.
func (r Random) Step(t *rapid.T) (from, to skew.Cluster) {
	d := drawing{Random: r, T: t}
	d.from.LocalEndpoint = rapid.Bool().Draw(t, "local")
	d.to.LocalEndpoint = d.from.LocalEndpoint
	if rapid.IntRange(0, 2).Draw(t, "managed") == 0 {
		d.place(finding.AtAttribute(finding.ControlPlaneVersion), r.Spread, 0, skew.APIServer)
		for _, c := range []*skew.Cluster{&d.from, &d.to} { // one version sets all components
			for _, component := range skew.ControlPlaneComponents[1:] {
				p := &c.Places[0]
				for _, api := range p.Instances[:min(1, len(p.Instances))] {
					p.Instances = append(p.Instances, skew.Instance{Component: component, Version: api.Version.Binary()})
				}
			}
		}
	} else {
		for i := range rapid.IntRange(1, 3).Draw(t, "instances") {
			l := finding.AtKey(finding.ControlPlane, fmt.Sprint("cp-", i))
			d.place(l, r.Spread, 0, d.some(skew.APIServer)...)
			d.add(r.Lag, 0, d.some(skew.ControlPlaneComponents[1:]...)...)
			d.add(r.Behind, r.Ahead, d.some("kubelet", "kube-proxy")...)
		}
	}
	for i := range rapid.IntRange(0, cmp.Or(r.Pools, 3)).Draw(t, "pools") {
		l := finding.AtKey(finding.NodePools, fmt.Sprint("pool-", i))
		if n := len(d.from.Places); n > 0 && d.from.Places[n-1].Location.Attribute == finding.NodePools && rapid.IntRange(0, 3).Draw(t, "alike") == 0 {
			d.repeat(l)
			continue
		}
		d.place(l, r.Behind, r.Ahead, append([]string{"kubelet"}, d.some("kube-proxy")...)...)
	}
	if rapid.Bool().Draw(t, "client") {
		d.place(finding.AtIndex(finding.Kubectl, "", 0), r.Behind, r.Ahead, "kubectl")
	}
	for _, component := range d.some(r.Components...) {
		d.place(finding.AtIndex(finding.Components, component, 0), r.Behind, r.Ahead, component)
	}
	if rapid.IntRange(0, 3).Draw(t, "cluster-wide") == 0 {
		before, after := d.versions("kube-proxy", r.Behind, 0)
		return d.from.WithKubeProxy(before), d.to.WithKubeProxy(after)
	}
	return d.from, d.to
}

// drawing is a step that is being drawn.
type drawing struct {
	Random
	*rapid.T
	from, to  skew.Cluster
	instances int
	presence  int // 0 if the newest place is only after the step, 1 if it is only before it
}

// some draws some of the components.
func (d *drawing) some(components ...string) (declared []string) {
	for _, c := range components {
		if rapid.IntRange(0, 2).Draw(d.T, "declared") > 0 {
			declared = append(declared, c)
		}
	}
	return declared
}

// place adds a place with components to the step. A few places are only on one side of it.
func (d *drawing) place(l finding.Location, behind, ahead int, components ...string) {
	d.presence = 2
	if d.Stays > 0 {
		d.presence = rapid.IntRange(0, 9).Draw(d.T, "presence")
	}
	d.from.Places = append(d.from.Places, skew.Place{Location: l})
	d.to.Places = append(d.to.Places, skew.Place{Location: l})
	d.add(behind, ahead, components...)
}

// add adds components to the newest place.
func (d *drawing) add(behind, ahead int, components ...string) {
	for _, component := range components {
		if d.MaxInstances > 0 && d.instances == d.MaxInstances {
			return
		}
		d.instances++
		before, after := d.versions(component, behind, ahead)
		for i, c := range []*skew.Cluster{&d.from, &d.to} {
			if d.presence != i {
				p := &c.Places[len(c.Places)-1]
				p.Instances = append(p.Instances, skew.Instance{Component: component, Version: []version.Version{before, after}[i]})
			}
		}
	}
}

// repeat adds a place with the versions of the newest one.
func (d *drawing) repeat(l finding.Location) {
	for _, c := range []*skew.Cluster{&d.from, &d.to} {
		c.Places = append(c.Places, skew.Place{Location: l, Instances: slices.Clone(c.Places[len(c.Places)-1].Instances)})
	}
}

// versions draws the versions of an instance before and after the step.
func (d *drawing) versions(component string, behind, ahead int) (before, after version.Version) {
	before = d.version(component, d.Newest, behind, ahead)
	if d.Stays == 0 || rapid.IntRange(1, d.Stays).Draw(d.T, "stays") == 1 {
		return before, before
	}
	return before, d.version(component, d.Newest+d.By, behind, ahead)
}

func (d *drawing) version(component string, newest, behind, ahead int) version.Version {
	m := version.Minor{Major: 1, Minor: rapid.IntRange(newest-behind, newest+ahead).Draw(d.T, component)}
	v := m.Version()
	if len(d.Patches) > 0 {
		v = m.WithPatch(rapid.SampledFrom(d.Patches).Draw(d.T, "patch"))
	}
	if d.Emulation && component == skew.APIServer && m.Minor >= 34 {
		v = d.emulating(v, m.Add(-rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(d.T, "emulated")))
	}
	return v
}

func (d *drawing) emulating(v version.Version, m version.Minor) version.Version {
	e, err := v.Emulating(m.Version())
	if err != nil {
		d.Fatal(err)
	}
	return e
}
