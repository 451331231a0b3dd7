// SPDX-License-Identifier: MPL-2.0

// Package growth measures how the time of an evaluation grows with its inputs. Only compare
// rows of the same run.
package growth

import (
	"fmt"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func parse(b *testing.B, s string) version.Version {
	b.Helper()
	v, err := version.Parse(s)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// cluster returns a cluster with n node pools. The kubelet of pool i has the minor minor(i)
// and one of the given number of patches.
func cluster(b *testing.B, n int, minor func(i int) int, distinct int) skew.Cluster {
	b.Helper()
	c := skew.Cluster{Places: []skew.Place{{Location: finding.AtAttribute(finding.ControlPlaneVersion)}}}
	for _, component := range skew.ControlPlaneComponents {
		c.Places[0].Instances = append(c.Places[0].Instances, skew.Instance{Component: component, Version: parse(b, "1.31.2")})
	}
	versions := map[string]version.Version{}
	for i := range n {
		s := fmt.Sprintf("1.%d.%d", minor(i), i%distinct)
		if versions[s].IsZero() {
			versions[s] = parse(b, s)
		}
		c.Places = append(c.Places, skew.Place{
			Location:  finding.AtKey(finding.NodePools, fmt.Sprintf("pool-%05d", i)),
			Instances: []skew.Instance{{Component: "kubelet", Version: versions[s]}},
		})
	}
	return c
}

// run measures an evaluation, and reports the time per unit, of which there are per.
func run(b *testing.B, name string, per int, p *policy.Policy, c skew.Cluster) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			evaluation.Check(evaluation.Input{Policy: p, Cluster: c, Day: skewtest.Date(b, "2024-09-15")})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(per), "ns/each")
	})
}

func kubernetes(b *testing.B) *policy.Policy {
	b.Helper()
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkNodes evaluates compatible clusters with a growing number of node pools.
func BenchmarkNodes(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		compatible := func(i int) int { return 28 + i%4 }
		run(b, fmt.Sprintf("nodes=%d/versions=30", n), n, kubernetes(b), cluster(b, n, compatible, 30))
		run(b, fmt.Sprintf("nodes=%d/versions=distinct", n), n, kubernetes(b), cluster(b, n, compatible, n))
	}
}

// BenchmarkFindings evaluates clusters in which every node pool violates a rule.
func BenchmarkFindings(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		run(b, fmt.Sprintf("findings=%d", n), n, kubernetes(b), cluster(b, n, func(int) int { return 27 }, n))
	}
}

// BenchmarkRules adds rules that are satisfied, each for a different component.
func BenchmarkRules(b *testing.B) {
	for _, n := range []int{10, 100, 1_000} {
		c := cluster(b, 100, func(i int) int { return 28 + i%4 }, 30)
		text := `{"skew_rules": {`
		for i := range n {
			component := fmt.Sprint("component-", i)
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(`"rule-%d": {"subject": %q, "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3}`, i, component)
			c.Places = append(c.Places, skew.Place{
				Location:  finding.AtIndex(finding.Components, component, 0),
				Instances: []skew.Instance{{Component: component, Version: parse(b, "1.30")}},
			})
		}
		p, err := policy.Extend(kubernetes(b), text+"}}")
		if err != nil {
			b.Fatal(err)
		}
		run(b, fmt.Sprintf("rules=%d", n), n, p, c)
	}
}
