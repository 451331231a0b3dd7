// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// BenchmarkPictures compares drawing a plan over 20 minors with planning it, and drawing
// an evaluation with evaluating it. Every data source draws its picture, read or not. Only
// compare rows of the same run.
func BenchmarkPictures(b *testing.B) {
	for _, n := range []int{5, 100, 1_000, 10_000} {
		c := fleetOf(b, n)
		r := upgrade.Request{Policy: skewtest.Kubernetes(b), Cluster: c, Target: skewtest.Version(b, "1.48"), Strategy: upgrade.FewestRollouts}
		in := evaluation.Input{Policy: r.Policy, Cluster: c}
		plan, result := evaluation.Plan(r), evaluation.Evaluate(in)
		for name, run := range map[string]func(){
			"plan":              func() { evaluation.Plan(r) },
			"plan markdown":     func() { report.PlanMarkdown(r, plan) },
			"plan picture":      func() { report.PlanSVG(r, plan.Plan) },
			"evaluate":          func() { evaluation.Evaluate(in) },
			"evaluate markdown": func() { report.Markdown(result) },
			"evaluate picture":  func() { report.EvaluationSVG(result) },
		} {
			b.Run(fmt.Sprintf("%s/pools=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
			})
		}
	}
}

// fleetOf returns a cluster with node pools at twenty versions.
func fleetOf(t testing.TB, pools int) skew.Cluster {
	t.Helper()
	c := skewtest.Cluster(t, "control_plane.a: kube-apiserver=1.28 kube-scheduler=1.28")
	versions := make([][]skew.Instance, 20)
	for i := range versions {
		v := skewtest.Version(t, fmt.Sprintf("1.%d.%d", 25+i%4, i%5))
		versions[i] = []skew.Instance{{Component: "kubelet", Version: v}, {Component: "kube-proxy", Version: v}}
	}
	for i := range pools {
		c.Places = append(c.Places, skew.Place{Location: finding.AtKey(finding.NodePools, fmt.Sprintf("pool-%05d", i)), Instances: versions[i%len(versions)]})
	}
	return c
}
