// SPDX-License-Identifier: MPL-2.0

package step_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestUnknownVersionsInStep checks that a step is only refused if no possible values of
// its unknown versions would be accepted.
func TestUnknownVersionsInStep(t *testing.T) {
	withUnknown := func(text string, locations ...finding.Location) skew.Cluster {
		c := skewtest.Cluster(t, text)
		for i := range c.Places {
			for _, l := range locations {
				if c.Places[i].Location == l {
					for j := range c.Places[i].Instances {
						c.Places[i].Instances[j].Version = version.Version{}
					}
				}
			}
		}
		return c
	}
	partial := func(c skew.Cluster) skew.Cluster { c.Partial = true; return c }
	managed, x := finding.AtAttribute(finding.ControlPlaneVersion), finding.AtKey(finding.NodePools, "x")
	for _, tt := range []struct {
		name     string
		from, to skew.Cluster
		order    step.ApplyOrder
		refused  bool
	}{
		{"a pool moves to an unknown version after the control plane", withUnknown("managed: 1.30; node_pools.x: kubelet=1.27"), withUnknown("managed: 1.31; node_pools.x: kubelet=1.31", x), step.ControlPlaneFirst, true},
		{"a pool moves to an unknown version before the control plane", withUnknown("managed: 1.30; node_pools.x: kubelet=1.27"), withUnknown("managed: 1.31; node_pools.x: kubelet=1.31", x), step.NodePoolsFirst, false},
		{"a pool moves before a control plane whose new version is unknown", withUnknown("managed: 1.30; node_pools.x: kubelet=1.30"), withUnknown("managed: 1.31; node_pools.x: kubelet=1.31", managed), step.NodePoolsFirst, true},
		{"the control plane may already be at 1.31", withUnknown("managed: 1.30; node_pools.x: kubelet=1.27", managed), withUnknown("managed: 1.31; node_pools.x: kubelet=1.31"), step.ControlPlaneFirst, false},
		{"a pool may already be at 1.31", withUnknown("managed: 1.30; node_pools.x: kubelet=1.30", x), withUnknown("managed: 1.31; node_pools.x: kubelet=1.31"), step.NodePoolsFirst, false},
		{"an unknown pool may already be at 1.31", partial(withUnknown("managed: 1.30")), withUnknown("managed: 1.31; node_pools.x: kubelet=1.31"), step.NodePoolsFirst, false},
		{"a new pool is not at 1.31 yet", withUnknown("managed: 1.30"), withUnknown("managed: 1.31; node_pools.x: kubelet=1.31"), step.NodePoolsFirst, true},
	} {
		result := step.Check(skewtest.Kubernetes(t), tt.from, tt.to, tt.order)
		if refused := len(result.Findings) > 0; refused != tt.refused {
			t.Errorf("%s: got %+v, want refused %t", tt.name, result.Findings, tt.refused)
		}
	}
}

// TestUnknownVersionsRefuseNoValidStep checks that a step that is refused with unknown
// versions is also refused with any known ones, or leads to an invalid combination.
func TestUnknownVersionsRefuseNoValidStep(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		from, to := skewtest.RandomCluster(t), skewtest.RandomCluster(t)
		to.LocalEndpoint = from.LocalEndpoint
		proxy := func() version.Version {
			return version.Minor{Major: 1, Minor: rapid.IntRange(21, 29).Draw(t, "cluster-wide")}.Version()
		}
		if rapid.Bool().Draw(t, "one kube-proxy") {
			from, to = from.WithKubeProxy(proxy()), to.WithKubeProxy(proxy())
		}
		hideVersions := func(c skew.Cluster) skew.Cluster {
			places := slices.Clone(c.Places)
			wide := rapid.IntRange(0, 3).Draw(t, "cluster-wide unknown") == 0
			for i, p := range places {
				places[i].Instances = slices.Clone(p.Instances)
				for j, instance := range places[i].Instances {
					if instance.ClusterWide && wide || !instance.ClusterWide && rapid.IntRange(0, 5).Draw(t, "unknown") == 0 {
						places[i].Instances[j].Version = version.Version{}
					}
				}
			}
			c.Places = places
			if len(places) > 1 && rapid.IntRange(0, 5).Draw(t, "partial") == 0 {
				// The node pools are unknown.
				c.Places = slices.DeleteFunc(places, func(p skew.Place) bool { return p.Location.Attribute == finding.NodePools })
				c.Partial = true
			}
			return c
		}
		order := rapid.SampledFrom(step.ApplyOrders).Draw(t, "order")
		if withUnknowns := step.Check(kubernetes, hideVersions(from), hideVersions(to), order); len(withUnknowns.Findings) > 0 {
			if withKnown := step.Check(kubernetes, from, to, order); len(withKnown.Findings) == 0 && len(skew.Findings(kubernetes, to)) == 0 {
				t.Fatalf("refused with unknown versions: %+v, accepted with known ones, from\n%v\nto\n%v", withUnknowns.Findings, from, to)
			}
		}
	})
}

// unknownVersion is a version that a declaration leaves unknown, and the instances that
// have it.
type unknownVersion struct {
	inTarget bool
	location finding.Location
	// component is empty if all instances at the location have the version.
	component string
}

// set returns a combination in which the instances have the given version. The zero
// version means unknown. If null is true, the instances are removed.
func (o unknownVersion) set(c skew.Cluster, v version.Version, null bool) skew.Cluster {
	places := slices.Clone(c.Places)
	for i, p := range places {
		if p.Location != o.location {
			continue
		}
		instances := slices.Clone(p.Instances)
		for j := range instances {
			if o.component == "" || instances[j].Component == o.component {
				instances[j].Version = v
			}
		}
		if null {
			instances = slices.DeleteFunc(instances, func(i skew.Instance) bool { return o.component == "" || i.Component == o.component })
		}
		places[i].Instances = instances
	}
	c.Places = slices.DeleteFunc(places, func(p skew.Place) bool { return len(p.Instances) == 0 })
	return c
}

// TestRefusedStepHasNoValidValues checks that if a step with one or two unknown
// versions is refused, no values of them would be accepted.
func TestRefusedStepHasNoValidValues(t *testing.T) {
	policies := []*policy.Policy{skewtest.Kubernetes(t)}
	for _, name := range []string{"kubernetes-strict", "eks", "gke", "kubeadm"} {
		p, err := policy.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	errors := func(p *policy.Policy, from, to skew.Cluster, order step.ApplyOrder) []finding.Finding {
		all := slices.Concat(skew.Findings(p, to), step.Check(p, from, to, order).Findings)
		return slices.DeleteFunc(all, func(f finding.Finding) bool { return f.Severity != policy.SeverityError })
	}
	refused, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(policies).Draw(t, "policy")
		order := rapid.SampledFrom(step.ApplyOrders).Draw(t, "order")
		at := func(label string, oldest, newest int) version.Version {
			return version.Minor{Major: 1, Minor: rapid.IntRange(oldest, newest).Draw(t, label)}.Version()
		}
		ends := make([]skew.Cluster, 2)
		var all []unknownVersion
		instances := rapid.IntRange(0, 2).Draw(t, "control-plane instances")
		pools := rapid.IntRange(0, 2).Draw(t, "pools")
		for i, newest := range []int{30, 31} {
			c := &ends[i]
			add := func(l finding.Location, whole bool, instances ...skew.Instance) {
				c.Places = append(c.Places, skew.Place{Location: l, Instances: instances})
				if whole {
					all = append(all, unknownVersion{i == 1, l, ""})
					return
				}
				for _, instance := range instances {
					all = append(all, unknownVersion{i == 1, l, instance.Component})
				}
			}
			if instances == 0 {
				v := at("control plane", newest-i, newest)
				var components []skew.Instance
				for _, component := range skew.ControlPlaneComponents {
					components = append(components, skew.Instance{Component: component, Version: v})
				}
				add(finding.AtAttribute(finding.ControlPlaneVersion), true, components...)
			}
			for n := range instances {
				add(finding.AtKey(finding.ControlPlane, fmt.Sprint(n)), false, skew.Instance{Component: "kube-apiserver", Version: at("API server", newest-1, newest)},
					skew.Instance{Component: "kube-scheduler", Version: at("scheduler", newest-2, newest)})
			}
			for n := range pools {
				if rapid.IntRange(0, 3).Draw(t, "no pool") == 0 {
					continue
				}
				add(finding.AtKey(finding.NodePools, fmt.Sprint(n)), false, skew.Instance{Component: "kubelet", Version: at("kubelet", 27, newest)},
					skew.Instance{Component: "kube-proxy", Version: at("kube-proxy", 27, newest)})
			}
			if rapid.IntRange(0, 3).Draw(t, "client") == 0 {
				add(finding.AtIndex(finding.Kubectl, "", 0), false, skew.Instance{Component: "kubectl", Version: at("kubectl", newest-1, newest)})
			}
		}
		unknowns := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 2, func(o unknownVersion) unknownVersion { return o }).Draw(t, "open")
		set := func(ends []skew.Cluster, o unknownVersion, v version.Version, null bool) []skew.Cluster {
			ends = slices.Clone(ends)
			i := 0
			if o.inTarget {
				i = 1
			}
			ends[i] = o.set(ends[i], v, null)
			return ends
		}
		withUnknowns := ends
		for _, o := range unknowns {
			withUnknowns = set(withUnknowns, o, version.Version{}, false)
		}
		findings := errors(p, withUnknowns[0], withUnknowns[1], order)
		if len(findings) == 0 {
			passed++
			return
		}
		refused++
		var try func(ends []skew.Cluster, left []unknownVersion)
		try = func(ends []skew.Cluster, left []unknownVersion) {
			if len(left) == 0 {
				if len(errors(p, ends[0], ends[1], order)) == 0 {
					t.Fatalf("%s, %s: refused\n%v\nto\n%v\nwith %+v, but accepted as\n%v\nto\n%v", p.Name, order, withUnknowns[0].Places, withUnknowns[1].Places, findings, ends[0].Places, ends[1].Places)
				}
				return
			}
			for n := 24; n <= 33; n++ {
				try(set(ends, left[0], version.Minor{Major: 1, Minor: n}.Version(), false), left[1:])
			}
			try(set(ends, left[0], version.Version{}, true), left[1:])
		}
		try(ends, unknowns)
	})
	if refused == 0 || passed == 0 {
		t.Errorf("random steps are one-sided: %d refused, %d accepted", refused, passed)
	}
}
