// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestPlanDoesNotRepairWaivedViolation checks that a plan keeps versions whose
// violation is waived.
func TestPlanDoesNotRepairWaivedViolation(t *testing.T) {
	r := request(t, "managed: 1.30; kubectl.0: kubectl=1.33", "1.31")
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubectl-apiserver", Reason: "We know.", Expires: skewtest.Date(t, "2026-11-20")}}, skewtest.Date(t, "2026-11-20")
	if plan := upgrade.Compute(r); !plan.Feasible || len(plan.Stages) != 1 || plan.Stages[0].Kind != upgrade.KindControlPlane {
		t.Errorf("feasible %t, %q; want only the control plane to move", plan.Feasible, stages(plan))
	}
	r.Day = skewtest.Date(t, "2026-11-21")
	if plan := upgrade.Compute(r); len(plan.Stages) != 2 {
		t.Errorf("with an expired waiver, got %q, want two stages", stages(plan))
	}
}

// TestWaivedViolationDoesNotBlock checks that components do not block a plan if the
// resulting violation is waived.
func TestWaivedViolationDoesNotBlock(t *testing.T) {
	r := request(t, "managed: 1.30; kubectl.0: kubectl=1.29", "1.31")
	p, none := *r.Policy, 0
	p.StepRules = append(slices.Clone(p.StepRules), &policy.StepRule{ID: "kubectl-step", Component: "kubectl", Notes: policy.Notes{Severity: policy.SeverityError}, StepLimits: policy.StepLimits{MaxUpgrade: &none}})
	r.Policy = &p
	if plan := upgrade.Compute(r); plan.Feasible || len(plan.Findings) != 1 || plan.Findings[0].RuleID != "kubectl-apiserver" {
		t.Errorf("feasible %t, %v; want kubectl to block", plan.Feasible, plan.Findings)
	}
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubectl-apiserver", Reason: "We know."}}, skewtest.Date(t, "2026-11-20")
	if plan := upgrade.Compute(r); !plan.Feasible || len(plan.Stages) != 1 {
		t.Errorf("feasible %t, %q, %v; want only the control plane to move", plan.Feasible, stages(plan), plan.Findings)
	}
}

// TestPlanUsesWaivedSteps checks that a plan can exceed a step rule that is waived.
func TestPlanUsesWaivedSteps(t *testing.T) {
	r := request(t, "managed: 1.31; node_pools.a: kubelet=1.29; node_pools.b: kubelet=1.29; node_pools.c: kubelet=1.30", "1.31")
	p, none := *r.Policy, 0
	p.StepRules = append(slices.Clone(p.StepRules), &policy.StepRule{ID: "kubelet-step", Component: "kubelet", Notes: policy.Notes{Severity: policy.SeverityError}, StepLimits: policy.StepLimits{MaxUpgrade: &none}})
	r.Policy = &p
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubelet-step", Reason: "We know."}}, skewtest.Date(t, "2026-11-20")
	want := []string{`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.29 1.30] to 1.31, drain`}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, %q, %v; want %q", plan.Feasible, stages(plan), plan.Findings, want)
	}
}

// TestPlanUsesWaivedVersions checks that a plan can go through a minor without an available
// version if a waiver accepts that, and only there.
func TestPlanUsesWaivedVersions(t *testing.T) {
	r := request(t, "managed: 1.30.2; node_pools.a: kubelet=1.30.2", "1.32")
	r.Available = []version.Version{skewtest.Version(t, "1.30.4"), skewtest.Version(t, "1.32.1")}
	if plan := upgrade.Compute(r); plan.Feasible || len(plan.Findings) != 1 || plan.Findings[0].RuleID != "not-offered" {
		t.Errorf("feasible %t, %v; want a finding on 1.31", plan.Feasible, plan.Findings)
	}
	r.Waivers = []finding.Waiver{{Name: "w", RuleID: "not-offered", Reason: "We know.", Locations: []string{"control_plane_version"}}}
	want := []string{
		"control_plane " + fourComponents + " [control_plane_version] [1.30.2] to 1.31",
		"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32.1",
		`node_pools kubelet [node_pools["a"]] [1.30.2] to 1.32.1, drain`,
	}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, %q, %v; want %q", plan.Feasible, stages(plan), plan.Findings, want)
	}
}

// TestOtherRulesStillBlock checks that waiving one rule does not affect others.
func TestOtherRulesStillBlock(t *testing.T) {
	r := request(t, "managed: 1.31; node_pools.a: kubelet=1.28 kube-proxy=1.28", "1.32")
	p, two := *r.Policy, 2
	p.PairRules = slices.Clone(p.PairRules)
	for i, rule := range p.PairRules {
		if rule.ID == "kubelet-apiserver" {
			stricter := *rule
			stricter.MaxOlder, stricter.Conditions = &two, nil
			p.PairRules[i] = &stricter
		}
	}
	r.Policy = &p
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubelet-apiserver", Reason: "We know."}}, skewtest.Date(t, "2026-11-20")
	want := []string{
		`node_pools kubelet+kube-proxy [node_pools["a"]] [1.28] to 1.31, drain`,
		"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
		`node_pools kubelet+kube-proxy [node_pools["a"]] [1.31] to 1.32, drain`,
	}
	if plan := upgrade.Compute(r); !slices.Equal(stages(plan), want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
}

// TestWaiverForOneOfSeveralPools checks that a waiver for one pool does not apply to
// pools with the same versions.
func TestWaiverForOneOfSeveralPools(t *testing.T) {
	r := request(t, "managed: 1.31; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.26; node_pools.c: kubelet=1.26; node_pools.d: kubelet=1.26", "1.31")
	r.Strategy = upgrade.RequiredOnly
	r.Waivers = []finding.Waiver{{Name: "w", RuleID: "kubelet-apiserver", Locations: []string{`node_pools["c"]`}, Reason: "We know."}}
	want := []string{`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["d"]] [1.26] to 1.31, drain, repairs`}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, %q, %v; want %q", plan.Feasible, stages(plan), plan.Findings, want)
	}
}
