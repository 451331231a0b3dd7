// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"pgregory.net/rapid"
)

// TestPlanNamesRepairingStage checks that a finding of a plan is gone after the stage that
// is said to repair it, and not before.
func TestPlanNamesRepairingStage(t *testing.T) {
	t.Parallel()
	p := skewtest.Kubernetes(t)
	named := 0
	rapid.Check(t, func(t *rapid.T) {
		in := upgrade.Request{Policy: p, Cluster: skewtest.RandomCluster(t), Strategy: upgrade.FewestRollouts}
		in.Target = in.Cluster.Newest(skew.APIServer)
		if in.Target.IsZero() {
			return
		}
		in.Target = in.Target.Minor().Add(rapid.IntRange(0, 3).Draw(t, "minors further")).Version()
		plan := evaluation.Plan(in)
		for _, f := range plan.Findings {
			if f.RepairedBy == 0 {
				if _, mismatch := f.Cause.(*finding.Mismatch); mismatch && plan.Feasible {
					t.Fatalf("%+v: no stage repairs %s", in.Cluster, report.Describe(f).Summary)
				}
				continue
			}
			named++
			isViolated := func(c skew.Cluster) bool {
				left := violations(p, skew.Findings(p, c))
				return slices.ContainsFunc(f.Subject.Locations, func(l finding.Location) bool { return left[fmt.Sprint(f.RuleID, " ", l, direction(f))] > 0 })
			}
			if !isViolated(plan.After(f.RepairedBy-1)) || isViolated(plan.After(f.RepairedBy)) {
				t.Fatalf("%+v: stage %d does not repair %s", in.Cluster, f.RepairedBy, report.Describe(f).Summary)
			}
		}
	})
	if named < 50 {
		t.Errorf("only %d findings have a stage", named)
	}
}

// TestPlannedFindingsHaveNoRemedies: what blocks a stage of a plan violates no rule yet, so
// that changes of the declared versions cannot be tried.
func TestPlannedFindingsHaveNoRemedies(t *testing.T) {
	p := skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"nodes": {"when": {"component": "kube-apiserver", "version": ">= 1.32"}, "require": {"component": "kubelet", "version": "< 1.30"}}}}`)
	for cluster, want := range map[string]int{
		"managed: 1.31; node_pools.a: kubelet=1.31":                          0,
		"managed: 1.31; node_pools.a: kubelet=1.31; kubectl.0: kubectl=1.29": 1,
	} {
		plan := evaluation.Plan(upgrade.Request{Policy: p, Cluster: skewtest.Cluster(t, cluster), Target: skewtest.Version(t, "1.32")})
		planned, remedies := 0, 0
		for _, f := range plan.Findings {
			if f.Planned {
				planned++
				if len(f.Remedies()) > 0 {
					t.Errorf("%s: remedies %v of a stage", cluster, spelled(f.Remedies()))
				}
			}
			remedies += len(f.Remedies())
		}
		if planned != 1 || remedies < want {
			t.Errorf("%s: %d planned findings and %d remedies, want 1 and at least %d: %+v", cluster, planned, remedies, want, plan.Findings)
		}
	}
}
