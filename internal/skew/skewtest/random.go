// SPDX-License-Identifier: MPL-2.0

package skewtest

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// RandomCluster draws a cluster with minors around 1.25, at which the limits of the
// policy kubernetes change.
func RandomCluster(t *rapid.T) skew.Cluster {
	draw := func(component string) skew.Instance {
		m := version.Minor{Major: 1, Minor: rapid.IntRange(21, 29).Draw(t, component)}
		return skew.Instance{Component: component, Version: m.Version()}
	}
	c := skew.Cluster{LocalEndpoint: rapid.Bool().Draw(t, "local")}
	for i := range rapid.IntRange(1, 3).Draw(t, "control plane") {
		p := skew.Place{Location: finding.AtKey(finding.ControlPlane, fmt.Sprint("cp-", i))}
		for _, component := range append(slices.Clone(skew.ControlPlaneComponents), "kubelet", "kube-proxy") {
			if rapid.IntRange(0, 2).Draw(t, "declared") > 0 {
				p.Instances = append(p.Instances, draw(component))
			}
		}
		c.Places = append(c.Places, p)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
		c.Places = append(c.Places, skew.Place{
			Location:  finding.AtKey(finding.NodePools, fmt.Sprint("pool-", i)),
			Instances: []skew.Instance{draw("kubelet"), draw("kube-proxy")},
		})
	}
	if rapid.Bool().Draw(t, "client") {
		c.Places = append(c.Places, skew.Place{Location: finding.AtIndex(finding.Kubectl, "", 0), Instances: []skew.Instance{draw("kubectl")}})
	}
	return c
}

// RandomPolicy draws pair rules of all kinds for some components. Their constraints are
// around the minors of RandomCluster.
func RandomPolicy(t *rapid.T, components ...string) *policy.Policy {
	p := &policy.Policy{}
	for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
		r := &policy.PairRule{
			ID:        fmt.Sprint("rule-", i),
			Subject:   rapid.SampledFrom(components).Draw(t, "subject"),
			Reference: rapid.SampledFrom(components).Draw(t, "reference"),
			Scope:     rapid.SampledFrom(policy.Scopes).Draw(t, "scope"),
			Notes:     policy.Notes{Severity: rapid.SampledFrom(policy.Severities).Draw(t, "severity")},
		}
		if rapid.IntRange(0, 7).Draw(t, "minimum") == 0 {
			r.Reference, r.Scope = r.Subject, policy.ScopeSelf
			r.Requirement = &policy.Requirement{Require: randomConstraint(t)}
			p.PairRules = append(p.PairRules, r)
			continue
		}
		if r.Subject != r.Reference && rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			r.Scope = policy.ScopeCluster
			r.Requirement = &policy.Requirement{When: randomConstraint(t), Require: randomConstraint(t)}
			p.PairRules = append(p.PairRules, r)
			continue
		}
		r.Limits = randomLimits(t)
		for range rapid.IntRange(0, 2).Draw(t, "conditions") {
			r.Conditions = append(r.Conditions, policy.Condition{Subject: randomConstraint(t), Reference: randomConstraint(t), Limits: randomLimits(t)})
		}
		p.PairRules = append(p.PairRules, r)
	}
	return p
}

func randomLimits(t *rapid.T) policy.Limits {
	limit := func(name string) *int {
		if n := rapid.IntRange(-1, 4).Draw(t, name); n >= 0 {
			return &n
		}
		return nil
	}
	return policy.Limits{MaxNewer: limit("newer"), MaxOlder: limit("older")}
}

func randomConstraint(t *rapid.T) version.Constraint {
	format := rapid.SampledFrom([]string{"", "< 1.%[1]d", ">= 1.%[1]d", "!= 1.%[1]d", ">= 1.%[1]d, < 1.%[2]d", "> 1.%[1]d, != 1.%[2]d"}).Draw(t, "constraint")
	if format == "" {
		return version.Constraint{}
	}
	from := rapid.IntRange(19, 31).Draw(t, "from")
	to := rapid.IntRange(from, 31).Draw(t, "to")
	c, err := version.ParseConstraint(fmt.Sprintf(format, from, to))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
