// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestMinorsPerStep checks that API servers take the largest steps that the policy
// allows, unless that costs additional rollouts.
func TestMinorsPerStep(t *testing.T) {
	for _, tt := range []struct {
		max             int
		cluster, target string
		steps, rollouts int
	}{
		{1, "managed: 1.30; node_pools.x: kubelet=1.30", "1.32", 2, 1},
		{2, "managed: 1.30; node_pools.x: kubelet=1.30", "1.32", 1, 1},
		{3, "managed: 1.30; node_pools.x: kubelet=1.30", "1.33", 1, 1},
		{2, "managed: 1.30; node_pools.x: kubelet=1.30", "1.33", 2, 1},
		{3, "control_plane.a: kube-apiserver=1.30", "1.33", 1, 0},
		{3, "control_plane.a: kube-apiserver=1.33; control_plane.b: kube-apiserver=1.30", "1.33", 1, 0},
		{3, "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", "1.33", 3, 0}, // larger steps would put them too far apart
		{3, "managed: 1.30; node_pools.x: kubelet=1.29", "1.35", 2, 2},                                  // a first step to 1.33 would cost a rollout to 1.30
	} {
		r := request(t, tt.cluster, tt.target)
		p := *r.Policy
		rule := *p.StepRules[0]
		rule.MaxUpgrade = &tt.max
		p.StepRules = []*policy.StepRule{&rule}
		r.Policy = &p
		plan := upgrade.Compute(r)
		if !plan.Feasible || plan.ControlPlaneSteps != tt.steps || plan.NodePoolRollouts != tt.rollouts {
			t.Errorf("by %d from %s to %s: %d steps, %d rollouts; want %d and %d:\n%s", tt.max, tt.cluster, tt.target, plan.ControlPlaneSteps, plan.NodePoolRollouts, tt.steps, tt.rollouts, strings.Join(stages(plan), "\n"))
		}
	}
}

// TestSkippingUnavailableMinors checks that API servers skip minors without an
// available version if the policy allows it.
func TestSkippingUnavailableMinors(t *testing.T) {
	r := request(t, "managed: 1.30; node_pools.x: kubelet=1.30", "1.32")
	r.Policy = skewtest.Variants(t)["API server may skip"]
	r.Available = []version.Version{skewtest.Version(t, "1.32.1")}
	if plan := upgrade.Compute(r); !plan.Feasible || plan.ControlPlaneSteps != 1 {
		t.Errorf("feasible %t in %d steps, want one: %v", plan.Feasible, plan.ControlPlaneSteps, plan.Findings)
	}
}

// TestSmallerStepIfLargestIsBlocked checks that API servers take a smaller step if no larger
// one is possible: "kubelet may be up to two minor versions older than kube-apiserver" if it is
// older than 1.25 (https://kubernetes.io/releases/version-skew-policy/#kubelet), so the kubelet
// has to stop at 1.24, and 1.25 is not available.
func TestSmallerStepIfLargestIsBlocked(t *testing.T) {
	r := request(t, "managed: 1.23.2; node_pools.x: kubelet=1.23.2; kubectl.0: kubectl=1.25.2", "1.27.2")
	r.Policy, r.Strategy = skewtest.Variants(t)["API server may skip"], upgrade.RequiredOnly
	for _, v := range []string{"1.24.4", "1.26.2", "1.27.2"} {
		r.Available = append(r.Available, skewtest.Version(t, v))
	}
	if plan := upgrade.Compute(r); !plan.Feasible || plan.ControlPlaneSteps != 3 {
		t.Errorf("feasible %t in %d steps, want 3: %v\n%s", plan.Feasible, plan.ControlPlaneSteps, plan.Findings, strings.Join(stages(plan), "\n"))
	}
}

// TestRepairOfClientDoesNotBlock checks that a client that is too new does not move to
// a version that blocks the only available step of the API servers: "kubectl is supported
// within one minor version (older or newer) of kube-apiserver"
// (https://kubernetes.io/releases/version-skew-policy/#kubectl).
func TestRepairOfClientDoesNotBlock(t *testing.T) {
	r := request(t, "managed: 1.30.3; kubectl.0: kubectl=1.34.1", "1.32")
	r.Policy = skewtest.Variants(t)["API server may skip"]
	for _, v := range []string{"1.30.4", "1.32.1", "1.33.4"} {
		r.Available = append(r.Available, skewtest.Version(t, v))
	}
	want := []string{
		"clients kubectl [kubectl[0]] [1.34.1] to 1.32.1",
		"control_plane " + fourComponents + " [control_plane_version] [1.30.3] to 1.32.1, repairs",
	}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, got\n%s\nwant\n%s\n%v", plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"), plan.Findings)
	}
}

// TestRepairOfClientIsNoDeadEnd checks that a client that is too new waits for the API servers
// if it cannot follow them from a version that they support now. Here, the pool needs a stop at
// 1.31, but from there to 1.33, kubectl has to be at 1.32.
func TestRepairOfClientIsNoDeadEnd(t *testing.T) {
	r := request(t, "managed: 1.30.1; node_pools.a: kubelet=1.28.1; kubectl.0: kubectl=1.35.1", "1.33")
	r.Policy = skewtest.Extended(t, "kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 3}}, "skew_rules": {"kubelet-apiserver": {"max_older": 2}}}`)
	for _, v := range []string{"1.30.1", "1.31.1", "1.33.1", "1.34.1"} {
		r.Available = append(r.Available, skewtest.Version(t, v))
	}
	want := []string{
		"clients kubectl [kubectl[0]] [1.35.1] to 1.33.1",
		`node_pools kubelet [node_pools["a"]] [1.28.1] to 1.30.1, drain`,
		"control_plane " + fourComponents + " [control_plane_version] [1.30.1] to 1.31.1",
		`node_pools kubelet [node_pools["a"]] [1.30.1] to 1.31.1, drain`,
		"control_plane " + fourComponents + " [control_plane_version] [1.31.1] to 1.33.1, repairs",
		`node_pools kubelet [node_pools["a"]] [1.31.1] to 1.33.1, drain`,
	}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, got\n%s\nwant\n%s\n%v", plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"), stopped(plan))
	}
}

// TestRepairOfClientBesideOldController checks that a client moves to a supported version at once,
// although a controller has to move before the API server can.
func TestRepairOfClientBesideOldController(t *testing.T) {
	r := request(t, "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.29; kubectl.0: kubectl=1.34", "1.32")
	plan := upgrade.Compute(r)
	if want := "clients kubectl [kubectl[0]] [1.34] to 1.31, repairs"; !plan.Feasible || stages(plan)[0] != want {
		t.Errorf("feasible %t, got %q, want %q first", plan.Feasible, stages(plan), want)
	}
}

// TestRollbackSteps checks that rollbacks use the limit for downgrades.
func TestRollbackSteps(t *testing.T) {
	for limit, want := range map[int]int{1: 2, 2: 1} {
		r := request(t, "managed: 1.32; node_pools.x: kubelet=1.30", "1.30")
		p := *r.Policy
		rule := *p.StepRules[0]
		rule.MaxDowngrade = &limit
		p.StepRules = []*policy.StepRule{&rule}
		r.Policy = &p
		if plan := upgrade.Compute(r); !plan.Feasible || plan.ControlPlaneSteps != want {
			t.Errorf("by %d: feasible %t in %d steps, want %d", limit, plan.Feasible, plan.ControlPlaneSteps, want)
		}
	}
}

// TestRollbackPlan checks that nodes move first in a rollback.
func TestRollbackPlan(t *testing.T) {
	r := request(t, "managed: 1.33; node_pools.a: kubelet=1.33; node_pools.b: kubelet=1.31", "1.31")
	r.Policy = skewtest.Variants(t)["may go back"]
	plan := upgrade.Compute(r)
	want := []string{
		`node_pools kubelet [node_pools["a"]] [1.33] to 1.31, drain`,
		"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.32",
		"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.31",
	}
	if !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t %v, got\n%s\nwant\n%s", plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
	checkWalk(t, r, plan)
}

// TestPathMatchesPlan checks that a path has the same minors as a plan, and that a step
// rule with severity warning limits neither.
func TestPathMatchesPlan(t *testing.T) {
	one, two := 1, 2
	for _, tt := range []struct {
		severity policy.Severity
		want     string
	}{{policy.SeverityError, "[1.31 1.32 1.33]"}, {policy.SeverityWarning, "[1.32 1.33]"}} {
		r := request(t, "control_plane.a: kube-apiserver=1.30", "1.33")
		p := *r.Policy
		p.StepRules = []*policy.StepRule{
			{ID: "at-most-two", Component: "kube-apiserver", StepLimits: policy.StepLimits{MaxUpgrade: &two}, Notes: policy.Notes{Severity: policy.SeverityError}},
			{ID: "better-one", Component: "kube-apiserver", StepLimits: policy.StepLimits{MaxUpgrade: &one}, Notes: policy.Notes{Severity: tt.severity}},
		}
		r.Policy = &p
		var planned []version.Version
		for _, s := range upgrade.Compute(r).Stages {
			planned = append(planned, s.To)
		}
		path := step.Path(&p, "kube-apiserver", skewtest.Version(t, "1.30").Minor(), r.Target.Minor())
		if fmt.Sprint(path) != tt.want || fmt.Sprint(planned) != tt.want {
			t.Errorf("%s: path %v, plan %v, want %s", tt.severity, path, planned, tt.want)
		}
	}
}
