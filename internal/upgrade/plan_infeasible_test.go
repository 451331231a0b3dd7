// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

func TestInfeasiblePlan(t *testing.T) {
	for _, tt := range []struct{ name, cluster, target, available, want string }{
		{"rollback", "managed: 1.31", "1.30", "", "kube-apiserver-step"},
		{"another major", "managed: 1.31", "2.0", "", "kube-apiserver-step"},
		{"an intermediate minor that is not available", "managed: 1.30.2", "1.33.0", "1.32.0 1.33.0", "not-offered"},
		{"a target that is not available", "managed: 1.30.2", "1.31", "1.30.2", "not-offered"},
		{"an API server of another major", "control_plane.a: kube-apiserver=2.0; control_plane.b: kube-apiserver=1.31", "2.0", "", "kube-apiserver-step"},
		{"a violation of a component that plans do not move", "managed: 1.31; components.kubelet.0: kubelet=1.26", "1.31", "", "kubelet-apiserver"},
		{"nodes of another major", "managed: 2.0; node_pools.a: kubelet=1.31", "2.0", "", "kubelet-apiserver"},
		{"a distant target", "managed: 1.30", "1.999", "", "kube-apiserver-step"},
		{"a distant target, with nodes to repair", "managed: 1.30; node_pools.a: kubelet=1.32", "1.999999999", "", "kube-apiserver-step"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.cluster, tt.target)
			for _, v := range strings.Fields(tt.available) {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			var rules []string
			for _, f := range plan.Findings {
				rules = append(rules, f.RuleID)
			}
			if !slices.IsSorted(rules) {
				t.Errorf("findings %v are not sorted", rules)
			}
			if plan.ControlPlaneSteps != 0 || plan.NodePoolRollouts != 0 {
				t.Errorf("%d steps and %d rollouts, want none in an infeasible plan", plan.ControlPlaneSteps, plan.NodePoolRollouts)
			}
			if plan.Feasible || len(plan.Stages) > 0 || !slices.Contains(rules, tt.want) {
				t.Errorf("feasible %t, stages %v, findings %v; want one of rule %s", plan.Feasible, stages(plan), rules, tt.want)
			}
		})
	}
}

// TestPlanToAnotherMajor checks that the finding is about the step from the current
// version.
func TestPlanToAnotherMajor(t *testing.T) {
	plan := upgrade.Compute(request(t, "managed: 1.31", "2.0"))
	if len(plan.Findings) != 1 || plan.Findings[0].Reference.Version.String() != "1.31" || plan.Findings[0].Subject.Version.String() != "2.0" {
		t.Errorf("got %+v, want one finding, on the step from 1.31 to 2.0", plan.Findings)
	}
}

// TestPlanWithUnmetRequirement checks that a plan reports a requirement that makes the
// target unreachable.
func TestPlanWithUnmetRequirement(t *testing.T) {
	for _, tt := range []struct{ name, subject, when, reference, require, cluster string }{
		{"a requirement of an old kube-proxy", "kube-proxy", ">= 1.0", "kube-apiserver", ">= 2.0", "managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.26"},
		{"a requirement between controllers", "kube-scheduler", ">= 1.31", "kube-controller-manager", "< 1.31", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30 kube-controller-manager=1.30"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.cluster, "1.31")
			p := *r.Policy
			p.PairRules = append(slices.Clone(p.PairRules), &policy.PairRule{
				ID: "needs", Subject: tt.subject, Reference: tt.reference, Scope: policy.ScopeCluster, Notes: policy.Notes{Severity: policy.SeverityError},
				Requirement: &policy.Requirement{When: skewtest.Constraint(t, tt.when), Require: skewtest.Constraint(t, tt.require)},
			})
			r.Policy = &p
			plan := upgrade.Compute(r)
			if plan.Feasible || !slices.ContainsFunc(plan.Findings, func(f finding.Finding) bool { return f.RuleID == "needs" }) {
				t.Errorf("feasible %t, findings %+v, want one for the requirement", plan.Feasible, plan.Findings)
			}
		})
	}
}

// TestUnavailableVersions checks that a finding names the unavailable minor and
// everything that needs it.
func TestUnavailableVersions(t *testing.T) {
	for _, tt := range []struct{ cluster, target, available, where, want string }{
		{"control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30; control_plane.c: kube-apiserver=1.30", "1.32", "1.32.0", `[control_plane["a"] control_plane["b"] control_plane["c"]]`, "1.31"},
		{"managed: 1.31; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.26; node_pools.c: kubelet=1.26", "1.32", "1.32.0", `[node_pools["a"] node_pools["b"] node_pools["c"]]`, "1.31"},
		{"managed: 1.31; node_pools.a: kubelet=1.28", "1.32", "1.32.0 1.28.9", `[node_pools["a"]]`, "1.31"},
	} {
		r := request(t, tt.cluster, tt.target)
		for _, v := range strings.Fields(tt.available) {
			r.Available = append(r.Available, skewtest.Version(t, v))
		}
		var got []string
		for _, f := range upgrade.Compute(r).Findings {
			if cause, ok := f.Cause.(*finding.NotAvailable); ok {
				got = append(got, fmt.Sprintf("%s %s %s", f.Subject.Locations, cause.Minor, f.Allowed.Constraint()))
			}
		}
		minor := skewtest.Version(t, tt.want).Minor()
		if want := fmt.Sprintf("%s %s >= %s, < %s", tt.where, minor, minor, minor.Add(1)); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", tt.cluster, got, want)
		}
	}
}

// TestPlanReportsBlockingRule checks the finding on nodes that a policy never lets
// move. It names the rule that the next API server would violate or, if there is none,
// the step rule of the nodes.
func TestPlanReportsBlockingRule(t *testing.T) {
	p, none := *skewtest.Kubernetes(t), 0
	p.StepRules = append(slices.Clone(p.StepRules), &policy.StepRule{ID: "kubelet-step", Component: "kubelet", Notes: policy.Notes{Severity: policy.SeverityError}, StepLimits: policy.StepLimits{MaxUpgrade: &none}})
	for cluster, want := range map[string]string{
		"managed: 1.30; node_pools.a: kubelet=1.27": "kubelet-apiserver kubelet 1.27 kube-apiserver 1.31",
		"managed: 1.30; node_pools.a: kubelet=1.30": "kubelet-step kubelet 1.31 kubelet 1.30",
	} {
		r := request(t, cluster, "1.31")
		r.Policy = &p
		plan := upgrade.Compute(r)
		var got []string
		for _, f := range plan.Findings {
			got = append(got, fmt.Sprint(f.RuleID, " ", f.Subject.Component, " ", f.Subject.Version, " ", f.Reference.Component, " ", f.Reference.Version))
		}
		if plan.Feasible || !slices.Equal(got, []string{want}) {
			t.Errorf("%s: feasible %t, %q; want %q", cluster, plan.Feasible, got, want)
		}
	}
}

// TestPlanReportsOnlyErrors checks that warnings on the current versions are not
// reported, and that errors are sorted by rule.
func TestPlanReportsOnlyErrors(t *testing.T) {
	r := request(t, "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.26; kubectl.0: kubectl=1.35", "1.31")
	p, none := *r.Policy, 0
	p.PairRules = append([]*policy.PairRule{{
		ID: "equal", Subject: "kubelet", Reference: "kube-apiserver", Scope: policy.ScopeCluster,
		Notes: policy.Notes{Severity: policy.SeverityWarning}, Limits: policy.Limits{MaxNewer: &none, MaxOlder: &none},
	}}, p.PairRules...)
	slices.Reverse(p.PairRules)
	r.Policy = &p
	var got []string
	for _, f := range upgrade.Compute(r).Findings {
		got = append(got, f.RuleID)
	}
	if want := []string{"kube-proxy-apiserver", "kube-proxy-kubelet", "kubectl-apiserver"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
