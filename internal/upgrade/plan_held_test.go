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

// TestHeldPoolStopsThePlan checks that the control plane goes as far as a held pool
// allows, and that the finding names the pool and the rollouts needed to reach the
// target.
func TestHeldPoolStopsThePlan(t *testing.T) {
	r := request(t, "managed: 1.30; node_pools.gpu: kubelet=1.28; node_pools.web: kubelet=1.30", "1.33")
	r.Held = []string{"gpu"}
	plan := upgrade.Compute(r)
	want := []string{"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31"}
	if plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Fatalf("feasible %t, got\n%s\nwant\n%s", plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
	if v, _ := plan.Next.Places[0].Version("kube-apiserver"); v.String() != "1.31" {
		t.Errorf("next has the control plane at %s, want 1.31", v)
	}
	var got []string
	for _, f := range plan.Findings {
		held, ok := f.Cause.(*finding.Held)
		if !ok || !f.Planned {
			t.Fatalf("got %+v, want a planned finding on a held pool", f)
		}
		got = append(got, fmt.Sprintf("%s %v stops at %s of %s, %d more", f.RuleID, f.Subject.Locations, held.Reached, held.Target, held.Rollouts))
	}
	// gpu would move to 1.31, and both pools to 1.33.
	if want := []string{`kubelet-apiserver [node_pools["gpu"]] stops at 1.31 of 1.33, 3 more`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	// After that, next is the unchanged cluster, so that configurations that use it
	// keep working.
	r.Cluster = plan.Next
	rest := upgrade.Compute(r)
	if rest.Feasible || len(rest.Stages) > 0 || len(rest.Next.Places) != 3 {
		t.Errorf("feasible %t, stages %v, next %v", rest.Feasible, stages(rest), rest.Next)
	}
}

// TestCompatibleHeldPool checks that a held pool that the policy allows to stay does
// not stop the plan.
func TestCompatibleHeldPool(t *testing.T) {
	r := request(t, "managed: 1.30; node_pools.gpu: kubelet=1.29; node_pools.web: kubelet=1.29", "1.31")
	r.Held = []string{"gpu"}
	want := []string{
		"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
		`node_pools kubelet [node_pools["web"]] [1.29] to 1.31, drain`,
	}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, got\n%s\nwant\n%s", plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
}

// TestPlanRollback checks that only what has to roll back does, within the total limit
// of the platform, and that nothing is upgraded.
func TestPlanRollback(t *testing.T) {
	eks, err := policy.Builtin("eks")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, cluster, target string
		want                  []string
	}{
		{"newer nodes roll back first, older ones stay", "managed: 1.36; node_pools.a: kubelet=1.36 kube-proxy=1.35; node_pools.b: kubelet=1.34", "1.35", []string{
			`node_pools kubelet [node_pools["a"]] [1.36] to 1.35, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.36] to 1.35",
		}},
		{"more than one minor in total", "managed: 1.31; node_pools.a: kubelet=1.30", "1.29", nil},
	} {
		r := request(t, tt.cluster, tt.target)
		r.Policy = eks
		plan := upgrade.Compute(r)
		if plan.Feasible != (tt.want != nil) || !slices.Equal(stages(plan), tt.want) {
			t.Errorf("%s: feasible %t %v, got\n%s\nwant\n%s", tt.name, plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
		}
		if tt.want == nil && (len(plan.Findings) != 1 || plan.Findings[0].RuleID != "kube-apiserver-step" || len(plan.Next.Places) > 0) {
			t.Errorf("%s: findings %+v, next %v", tt.name, plan.Findings, plan.Next)
		}
	}
}

// TestComparedPatches checks plans under a policy that compares patches. Pools get no
// patch newer than that of their control plane, and newly published patches do not
// make a plan infeasible.
func TestComparedPatches(t *testing.T) {
	aks, err := policy.Builtin("aks")
	if err != nil {
		t.Fatal(err)
	}
	const controlPlane = "control_plane " + fourComponents + " [control_plane_version] "
	for _, tt := range []struct {
		name, cluster, target, available string
		want                             []string
	}{
		{"a pool moves to the patch of the control plane", "managed: 1.32.1; node_pools.a: kubelet=1.31.5", "1.32", "1.31.5 1.32.1 1.32.4", []string{
			`node_pools kubelet [node_pools["a"]] [1.31.5] to 1.32.1, drain`,
		}},
		{"the control plane moves to a newer patch first", "managed: 1.32.1; node_pools.a: kubelet=1.31.5", "1.32", "1.31.5 1.32.4", []string{
			controlPlane + "[1.32.1] to 1.32.4",
			`node_pools kubelet [node_pools["a"]] [1.31.5] to 1.32.4, drain`,
		}},
		{"a pool ahead by a patch does not roll back", "managed: 1.32.1; node_pools.a: kubelet=1.32.4", "1.32", "1.32.1 1.32.5", []string{
			controlPlane + "[1.32.1] to 1.32.5, repairs",
		}},
		{"a pool ahead by a minor rolls back to a patch of the control plane", "managed: 1.30.0; node_pools.a: kubelet=1.31.0; node_pools.b: kubelet=1.30.0", "1.30", "1.30.1 1.31.0", []string{
			controlPlane + "[1.30.0] to 1.30.1",
			`node_pools kubelet [node_pools["a"]] [1.31.0] to 1.30.1, drain, repairs`,
		}},
		{"a pool ahead by two minors waits for the control plane", "managed: 1.30.1; node_pools.a: kubelet=1.32.0", "1.32.2", "1.31.1 1.32.2", []string{
			controlPlane + "[1.30.1] to 1.31.1",
			controlPlane + "[1.31.1] to 1.32.2, repairs",
			`node_pools kubelet [node_pools["a"]] [1.32.0] to 1.32.2`,
		}},
	} {
		for _, strategy := range []upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow} {
			r := request(t, tt.cluster, tt.target)
			r.Policy, r.Strategy = aks, strategy
			for _, v := range strings.Fields(tt.available) {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			if !plan.Feasible || !slices.Equal(stages(plan), tt.want) {
				t.Errorf("%s, %s: feasible %t %v, got\n%s\nwant\n%s", tt.name, strategy, plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
			}
		}
	}
}

// TestPatchBeforeClusterWideKubeProxy checks that API servers move to a newer patch if a
// pool needs it to follow the cluster-wide kube-proxy. That saves a rollout to 1.22.
func TestPatchBeforeClusterWideKubeProxy(t *testing.T) {
	aks, err := policy.Builtin("aks")
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, "control_plane.a: kube-apiserver=1.23.2; node_pools.a: kubelet=1.21.1; kube_proxy: 1.20.1", "1.25.1")
	r.Policy = aks
	for _, v := range []string{"1.22.5", "1.23.5", "1.24.5", "1.25.1"} {
		r.Available = append(r.Available, skewtest.Version(t, v))
	}
	want := []string{
		`control_plane kube-apiserver [control_plane["a"]] [1.23.2] to 1.23.5`,
		"node_pools kube-proxy [kube_proxy] [1.20.1] to 1.23.5, repairs",
		`node_pools kubelet [node_pools["a"]] [1.21.1] to 1.23.5, drain`,
		`control_plane kube-apiserver [control_plane["a"]] [1.23.5] to 1.24.5`,
		`control_plane kube-apiserver [control_plane["a"]] [1.24.5] to 1.25.1`,
		`node_pools kubelet [node_pools["a"]] [1.23.5] to 1.25.1, drain`,
		"node_pools kube-proxy [kube_proxy] [1.23.5] to 1.25.1",
	}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, got\n%s\nwant\n%s", plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
}

// TestRequiredOnlyRollsBackOnce checks that a pool that is newer than the control plane
// rolls back in one move: together with what has to move before the control plane, and
// after a newer patch of the control plane if that saves a move.
func TestRequiredOnlyRollsBackOnce(t *testing.T) {
	for _, tt := range []struct {
		policy, cluster, target, available string
		want                               []string
	}{
		{`{}`, "managed: 1.23.1; node_pools.a: kubelet=1.24.4 kube-proxy=1.18.1", "1.24", "1.23.1 1.23.5 1.24.3", []string{
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.18.1 1.24.4] to 1.23.1, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.23.1] to 1.24.3",
		}},
		{`{}`, "managed: 1.23.1; node_pools.a: kubelet=1.25.4 kube-proxy=1.18.1", "1.24", "1.23.1 1.23.5 1.24.3", []string{
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.18.1 1.25.4] to 1.23.1, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.23.1] to 1.24.3",
		}},
		{`{}`, "managed: 1.23.1; node_pools.a: kubelet=1.25.4 kube-proxy=1.18.1", "1.24", "1.23.5 1.24.3", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.23.1] to 1.23.5",
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.18.1 1.25.4] to 1.23.5, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.23.5] to 1.24.3",
		}},
		{`{"step_rules": {"kubelet-step": {"component": "kubelet", "max_downgrade": 2}}}`, "managed: 1.23.1; node_pools.a: kubelet=1.25.1", "1.23", "1.22.5 1.23.2 1.24.5", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.23.1] to 1.23.2",
			`node_pools kubelet [node_pools["a"]] [1.25.1] to 1.23.2, drain, repairs`,
		}},
	} {
		r := request(t, tt.cluster, tt.target)
		r.Policy, r.Strategy = skewtest.Extended(t, "aks", tt.policy), upgrade.RequiredOnly
		for _, v := range strings.Fields(tt.available) {
			r.Available = append(r.Available, skewtest.Version(t, v))
		}
		if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), tt.want) {
			t.Errorf("%s: feasible %t, got\n%s\nwant\n%s", tt.cluster, plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// TestPatchOfTheTarget checks that API servers move to the patch of the target first,
// even if no rule compares patches
// (https://kubernetes.io/releases/version-skew-policy/#supported-component-upgrade-order).
func TestPatchOfTheTarget(t *testing.T) {
	for _, strategy := range []upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow} {
		r := request(t, "control_plane.a: kube-apiserver=1.31.0 kube-scheduler=1.31.0 kubelet=1.31.0; node_pools.a: kubelet=1.31.0", "1.31.2")
		r.Strategy = strategy
		want := []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.31.0] to 1.31.2`,
			`control_plane kube-scheduler [control_plane["a"]] [1.31.0] to 1.31.2`,
			`control_plane kubelet [control_plane["a"]] [1.31.0] to 1.31.2`,
			`node_pools kubelet [node_pools["a"]] [1.31.0] to 1.31.2`,
		}
		if got := stages(upgrade.Compute(r)); !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", strategy, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestApplies checks that a module that changes its control plane first combines a step
// of the control plane with the following moves of pools.
func TestApplies(t *testing.T) {
	for _, tt := range []struct {
		cluster, target string
		strategy        upgrade.Strategy
		want            []int
	}{
		{"managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30", "1.34", "", []int{1, 2, 2, 3, 3}},
		{"managed: 1.31; node_pools.a: kubelet=1.31", "1.33", upgrade.Follow, []int{1, 1, 2, 2}},
		{"control_plane.a: kube-apiserver=1.30 kube-scheduler=1.30 kubelet=1.30; node_pools.a: kubelet=1.30; kube_proxy: 1.30", "1.31", "", []int{1, 1, 1, 1, 1}},
		{"managed: 1.30; node_pools.a: kubelet=1.27", "1.31", "", []int{1, 2, 2}},
		{"managed: 1.31", "1.31", "", nil},
	} {
		r := request(t, tt.cluster, tt.target)
		r.Strategy = tt.strategy
		plan := upgrade.Compute(r)
		var got []int
		for _, s := range plan.Stages {
			got = append(got, s.Apply)
		}
		last := 0
		if len(tt.want) > 0 {
			last = tt.want[len(tt.want)-1]
		}
		if !slices.Equal(got, tt.want) || plan.Applies != last {
			t.Errorf("%s to %s: applies %v of %d, want %v:\n%s", tt.cluster, tt.target, got, plan.Applies, tt.want, strings.Join(stages(plan), "\n"))
		}
	}
}

// TestPlanAtTheFirstMinor checks that plans do not try minors before 1.0.
func TestPlanAtTheFirstMinor(t *testing.T) {
	noWayBack := skewtest.Extended(t, "kubernetes", `{"step_rules": {"kube-proxy-step": {"component": "kube-proxy", "max_downgrade": 0}}}`)
	for _, cluster := range []string{
		"managed: 1.0.0; node_pools.a: kubelet=1.0.0 kube-proxy=1.4.0; kubectl.0: kubectl=1.9.0",
		"control_plane.a: kube-apiserver=1.0.2; control_plane.b: kube-apiserver=1.0.0; node_pools.a: kubelet=1.3.0",
	} {
		for _, target := range []string{"1.0.2", "1.1.0", "1.0.0"} {
			for _, strategy := range []upgrade.Strategy{upgrade.FewestRollouts, upgrade.RequiredOnly, upgrade.Follow} {
				r := request(t, cluster, target)
				r.Strategy = strategy
				upgrade.Compute(r)
				r.Policy = noWayBack
				upgrade.Compute(r)
			}
		}
	}
}
