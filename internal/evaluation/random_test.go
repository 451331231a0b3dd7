// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"maps"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// drawInput draws a combination with the add-ons that the policy knows, usually with a step
// to it, and with what the platform offers. kind is where the step goes, or "none".
func drawInput(t *rapid.T, p *policy.Policy, day releases.Date) (in evaluation.Input, kind string) {
	in = evaluation.Input{Policy: p, Day: day, ApplyOrder: rapid.SampledFrom(step.ApplyOrders).Draw(t, "order")}
	draw, newest := skewtest.RandomCluster, 26
	fromAddOns, toAddOns := drawAddOns(t, p)
	if len(fromAddOns) > 0 { // rules of add-ons are about recent minors
		newest = 34
		draw = skewtest.Random{Newest: newest + 3, Spread: 8, Behind: 8, Lag: 8}.Cluster
	}
	in.Cluster = draw(t)
	kind = rapid.SampledFrom([]string{"none", "onward", "back", "anywhere"}).Draw(t, "step")
	if kind != "none" {
		from := draw(t)
		if direction := map[string]int{"onward": 1, "back": -1}[kind]; direction != 0 {
			from, in.Cluster = drawStep(t, from, newest, direction)
		}
		from.Places = append(slices.Clip(from.Places), fromAddOns...)
		in.Observed = &from
	}
	in.Cluster.Places = append(slices.Clip(in.Cluster.Places), toAddOns...)
	around := []skew.Cluster{in.Cluster}
	if in.Observed != nil {
		around = append(around, *in.Observed)
	}
	in.Offered = drawOffered(t, around...)
	return in, kind
}

// drawOffered draws the versions that the platform offers around those of some clusters,
// sometimes others for node pools.
func drawOffered(t *rapid.T, around ...skew.Cluster) (o evaluation.Offered) {
	if rapid.Bool().Draw(t, "all offered") {
		return o
	}
	o.ControlPlane = evaluation.OfferedList{Attribute: "available_versions", Versions: offeredAround(t, around...)}
	o.NodePools = o.ControlPlane
	if rapid.Bool().Draw(t, "other versions of nodes") {
		o.NodePools = evaluation.OfferedList{Attribute: "available_node_versions", Versions: offeredAround(t, around...)}
	}
	return o
}

// offeredAround draws the versions that a platform offers, around those of some clusters: of any
// minors, some with several patches, and sometimes none at all.
func offeredAround(t *rapid.T, clusters ...skew.Cluster) (versions []version.Version) {
	var used []version.Minor
	for _, c := range clusters {
		for _, i := range c.Instances() {
			if i.Component == skew.APIServer || i.Component == "kubelet" {
				used = append(used, i.Version.Minor())
			}
		}
	}
	most := rapid.IntRange(0, 3).Draw(t, "patches of a minor")
	if len(used) == 0 || most == 0 {
		return nil
	}
	newest := slices.MaxFunc(used, version.Minor.Compare).Add(1)
	for m := slices.MinFunc(used, version.Minor.Compare).Add(-1); m.Compare(newest) <= 0; m = m.Add(1) {
		for range rapid.IntRange(0, most).Draw(t, "offered") {
			versions = append(versions, m.WithPatch(rapid.IntRange(0, 3).Draw(t, "patch")))
		}
	}
	return versions
}

// drawStep draws a step in one direction, from versions close to each other.
func drawStep(t *rapid.T, c skew.Cluster, newest, direction int) (from, to skew.Cluster) {
	from = moved(c, func(i skew.Instance) version.Minor {
		m := version.Minor{Major: 1, Minor: newest}
		switch i.Component {
		case skew.APIServer, "kubectl":
			return m
		case "kubelet", "kube-proxy":
			return m.Add(-rapid.IntRange(0, 4).Draw(t, "minors behind"))
		}
		return m.Add(-rapid.IntRange(0, 1).Draw(t, "minors behind"))
	})
	return from, moved(from, func(i skew.Instance) version.Minor {
		return i.Version.Minor().Add(direction * rapid.IntRange(0, 2).Draw(t, "minors further"))
	})
}

// drawAddOns draws versions of the add-ons that a policy has rules for, before and after a
// step.
func drawAddOns(t *rapid.T, p *policy.Policy) (from, to []skew.Place) {
	known := map[string][]version.Version{}
	for _, r := range p.PairRules {
		if q := r.Requirement; q != nil {
			known[r.Subject] = append(known[r.Subject], versionsIn(q.When)...)
			known[r.Reference] = append(known[r.Reference], versionsIn(q.Require)...)
		}
	}
	for _, component := range slices.Sorted(maps.Keys(known)) {
		if !isAddOn(component) || len(known[component]) == 0 || rapid.IntRange(0, 3).Draw(t, "declared") == 0 {
			continue
		}
		draw := func() skew.Place {
			v := rapid.SampledFrom(known[component]).Draw(t, component)
			return skew.Place{Location: finding.AtIndex(finding.Components, component, 0), Instances: []skew.Instance{{Component: component, Version: v}}}
		}
		from, to = append(from, draw()), append(to, draw())
		if rapid.Bool().Draw(t, "stays") {
			from[len(from)-1] = to[len(to)-1]
		}
	}
	return from, to
}

// versionsIn lists the versions at which a constraint begins or ends.
func versionsIn(c version.Constraint) []version.Version {
	all := slices.Clone(c.Patches())
	for _, m := range c.Minors() {
		all = append(all, m.Version())
	}
	return all
}

// isAddOn reports whether a component is not part of Kubernetes.
func isAddOn(component string) bool {
	return !slices.Contains(append([]string{"kubelet", "kube-proxy", "kubectl", "kubeadm"}, skew.ControlPlaneComponents...), component)
}

// isKnown reports whether a rule is about a version of an add-on.
func isKnown(p *policy.Policy, component string, v version.Version) bool {
	return slices.ContainsFunc(p.PairRules, func(r *policy.PairRule) bool {
		q := r.Requirement
		return q != nil && (r.Subject == component && q.When.Contains(v) || r.Reference == component && q.Require.Contains(v))
	})
}

// changed returns a cluster with the versions that a function returns. A cluster-wide
// version stays one version.
func changed(c skew.Cluster, version func(skew.Instance) version.Version) skew.Cluster {
	wide := map[string]skew.Instance{}
	places := slices.Clone(c.Places)
	for i := range places {
		places[i].Instances = slices.Clone(places[i].Instances)
		for j := range places[i].Instances {
			instance := &places[i].Instances[j]
			if changed, ok := wide[instance.Component]; ok && instance.ClusterWide {
				instance.Version = changed.Version
				continue
			}
			instance.Version = version(*instance)
			if instance.ClusterWide {
				wide[instance.Component] = *instance
			}
		}
	}
	c.Places = places
	return c
}
