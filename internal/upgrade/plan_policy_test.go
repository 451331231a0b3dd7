// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestPlanWithOtherPolicies checks plans that differ from those under the policy
// kubernetes.
func TestPlanWithOtherPolicies(t *testing.T) {
	all, one := skewtest.Variants(t), 1
	closeToKubelet := *skewtest.Kubernetes(t)
	closeToKubelet.PairRules = slices.Clone(closeToKubelet.PairRules)
	for i, r := range closeToKubelet.PairRules {
		if r.ID == "kube-proxy-kubelet" {
			stricter := *r
			stricter.MaxOlder, stricter.Conditions = &one, nil
			closeToKubelet.PairRules[i] = &stricter
		}
	}
	all["kube-proxy close to its kubelet"] = &closeToKubelet
	oneMinorAtATime := *skewtest.Kubernetes(t)
	oneMinorAtATime.StepRules = append(slices.Clone(oneMinorAtATime.StepRules), &policy.StepRule{ID: "kube-proxy-step", Component: "kube-proxy", Notes: policy.Notes{Severity: policy.SeverityError}, StepLimits: policy.StepLimits{MaxUpgrade: &one}})
	all["kube-proxy one minor at a time"] = &oneMinorAtATime
	for _, tt := range []struct {
		policy, cluster, target string
		strategy                upgrade.Strategy
		want                    []string
	}{
		// A new patch is not an upgrade.
		{"strict during an upgrade", "managed: 1.31.1; node_pools.a: kubelet=1.28", "1.31.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.1] to 1.31.2",
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.31.2, drain`,
		}},
		// Nodes that are furthest from the target move first.
		{"workers one minor at a time", "managed: 1.31; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.28; node_pools.c: kubelet=1.30", "1.31", "", []string{
			`node_pools kubelet [node_pools["b"]] [1.28] to 1.29, drain`,
			`node_pools kubelet [node_pools["b"]] [1.29] to 1.30, drain`,
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.30] to 1.31, drain`,
		}},
		// A rollback can repair violations, and upgrades nothing.
		{"may go back", "managed: 1.34; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.32", "1.32", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.34] to 1.33, repairs",
			"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.32",
		}},
		// A kubelet waits for a kube-proxy that needs several steps.
		{"kube-proxy one minor at a time", "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.28", "1.31", "", []string{
			`node_pools kube-proxy [node_pools["a"]] [1.28] to 1.29`,
			`node_pools kube-proxy [node_pools["a"]] [1.29] to 1.30`,
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
		// A kube-proxy moves together with its kubelet, however small the limit between
		// them.
		{"kube-proxy close to its kubelet", "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.29; node_pools.b: kubelet=1.31 kube-proxy=1.30", "1.31", "", []string{
			`node_pools kubelet+kube-proxy [node_pools["a"] node_pools["b"]] [1.29 1.30] to 1.31, drain`,
		}},
		// Kubelet 1.21 is allowed beside the target, but blocks the cluster-wide kube-proxy:
		// "kube-proxy < 1.25 may only be up to two minor versions older or newer than the
		// kubelet instance it runs alongside"
		// (https://kubernetes.io/releases/version-skew-policy/#kube-proxy).
		// So the pool moves first, although nothing else requires it to.
		{"hypershift", "managed: 1.24; node_pools.a: kubelet=1.21; kube_proxy: 1.23", "1.24", upgrade.RequiredOnly, []string{
			`node_pools kubelet [node_pools["a"]] [1.21] to 1.24, drain`,
			"node_pools kube-proxy [kube_proxy] [1.23] to 1.24",
		}},
		// The cluster-wide kube-proxy cannot move beyond 1.20 because of pool a. If pool b waited
		// until it can, it would take one rollout less.
		{"kubernetes", "managed: 1.23; node_pools.a: kubelet=1.18; node_pools.b: kubelet=1.19; kube_proxy: 1.20", "1.23", "", []string{
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.18 1.19] to 1.22, drain, repairs`,
			"node_pools kube-proxy [kube_proxy] [1.20] to 1.23, repairs",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.22] to 1.23, drain`,
		}},
		{"API server may skip", "managed: 1.23; node_pools.a: kubelet=1.18; node_pools.b: kubelet=1.19; kube_proxy: 1.20", "1.25", "", []string{
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.18 1.19] to 1.22, drain, repairs`,
			"node_pools kube-proxy [kube_proxy] [1.20] to 1.23, repairs",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.22] to 1.23, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.23] to 1.25",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.23] to 1.25, drain`,
			"node_pools kube-proxy [kube_proxy] [1.23] to 1.25",
		}},
		// The kube-proxy rolls back together with a move of the kubelet.
		{"API server may skip", "control_plane.a: kube-apiserver=1.20; node_pools.a: kubelet=1.18 kube-proxy=1.24", "1.23", "", []string{
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.18 1.24] to 1.20, drain, repairs`,
			`control_plane kube-apiserver [control_plane["a"]] [1.20] to 1.22`,
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.20] to 1.22, drain`,
			`control_plane kube-apiserver [control_plane["a"]] [1.22] to 1.23`,
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.22] to 1.23, drain`,
		}},
	} {
		r := request(t, tt.cluster, tt.target)
		r.Policy, r.Strategy = all[tt.policy], tt.strategy
		plan := upgrade.Compute(r)
		if !plan.Feasible || !slices.Equal(stages(plan), tt.want) {
			t.Errorf("%s, %s: feasible %t %v, got\n%s\nwant\n%s", tt.policy, tt.cluster, plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
		}
		checkWalk(t, r, plan)
	}
}

// TestPlanOfReportedVersions checks that a plan counts nodes that report the Kubernetes
// version of a release as being at that release, so that it ends.
func TestPlanOfReportedVersions(t *testing.T) {
	openshift := skewtest.Extended(t, "openshift", `{}`)
	const controlPlane = "control_plane " + fourComponents + " [control_plane_version] "
	for _, tt := range []struct {
		cluster, target, available string
		want                       []string
	}{
		{"managed: 4.20; node_pools.a: kubelet=v1.33.5", "4.20", "", nil},
		{"managed: 4.20.3; node_pools.a: kubelet=v1.33.5", "4.20.3", "", nil},
		{"managed: v1.33.5; node_pools.a: kubelet=4.20.3", "4.20", "4.20.5 4.20.3", nil},
		{"managed: 4.19.8; node_pools.a: kubelet=v1.32.5", "4.20", "", []string{
			controlPlane + "[4.19.8] to 4.20",
			`node_pools kubelet [node_pools["a"]] [v1.32.5] to 4.20, drain`,
		}},
	} {
		for _, strategy := range []upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow} {
			r := upgrade.Request{Policy: openshift, Cluster: skewtest.ClusterOf(t, openshift.Scheme, tt.cluster), Strategy: strategy}
			read := func(s string) version.Version {
				v, err := openshift.Scheme.Parse(s)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			r.Target = read(tt.target)
			for _, v := range strings.Fields(tt.available) {
				r.Available = append(r.Available, read(v))
			}
			plan := upgrade.Compute(r)
			if !plan.Feasible || !slices.Equal(stages(plan), tt.want) {
				t.Errorf("%s to %s, %s: feasible %t, got\n%s\nwant\n%s", tt.cluster, tt.target, strategy, plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
			}
		}
	}
	from := skewtest.ClusterOf(t, openshift.Scheme, "managed: 4.20.3; node_pools.a: kubelet=v1.33.5")
	to := skewtest.ClusterOf(t, openshift.Scheme, "managed: 4.20.3; node_pools.a: kubelet=4.20")
	if result := step.Check(openshift, from, to, step.ControlPlaneFirst); len(result.Order()) > 0 {
		t.Errorf("the order lists %v, want no move to the same release", result.Order())
	}
}

// TestPoolGoesBackToMoveAtOnce checks that a pool with required_only first goes back, if all of
// it can then move to a version that violates no rule.
func TestPoolGoesBackToMoveAtOnce(t *testing.T) {
	for _, target := range []string{"1.32", "1.33"} {
		r := request(t, "managed: 1.31; components.mesh.0: mesh=1.29; node_pools.a: kubelet=1.33 kube-proxy=1.26", target)
		r.Strategy, r.Policy = upgrade.RequiredOnly, skewtest.Extended(t, "kubernetes", `{
			"skew_rules": {"mesh": {"subject": "kubelet", "reference": "mesh", "scope": "cluster", "max_newer": 2}},
			"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 1, "max_downgrade": 1}}
		}`)
		want := []string{
			`node_pools kubelet [node_pools["a"]] [1.33] to 1.32, drain`,
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.26 1.32] to 1.31, drain, repairs`,
		}
		if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan)[:2], want) {
			t.Errorf("to %s: feasible %t, got\n%s\nwant first\n%s", target, plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestPoolWaitsForKubeProxy checks that a pool with required_only does not move twice because
// the cluster-wide kube-proxy, which has to move too, keeps it from the best version.
func TestPoolWaitsForKubeProxy(t *testing.T) {
	r := request(t, "control_plane.a: kube-apiserver=1.25; control_plane.b: kube-apiserver=1.24; node_pools.a: kubelet=1.20; kube_proxy: 1.20", "1.25")
	r.Strategy = upgrade.RequiredOnly
	want := []string{
		`node_pools kube-proxy [kube_proxy] [1.20] to 1.22, repairs`,
		`node_pools kubelet [node_pools["a"]] [1.20] to 1.24, drain, repairs`,
		`node_pools kube-proxy [kube_proxy] [1.22] to 1.24, repairs`,
		`control_plane kube-apiserver [control_plane["b"]] [1.24] to 1.25`,
		`node_pools kube-proxy [kube_proxy] [1.24] to 1.25`,
	}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, got\n%s\nwant\n%s", plan.Feasible, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
}

// TestPoolBesideComponentDoesNotGoBack checks that no kube-proxy goes back because a component
// rejects the kubelet of its pool.
func TestPoolBesideComponentDoesNotGoBack(t *testing.T) {
	r := request(t, "managed: 1.30; components.mesh.0: mesh=1.30; node_pools.a: kubelet=1.29 kube-proxy=1.30", "1.30")
	r.Strategy, r.Policy = upgrade.RequiredOnly, skewtest.Extended(t, "kubernetes", `{
		"requirement_rules": {"mesh": {"when": {"component": "mesh", "version": ">= 1.30"}, "require": {"component": "kubelet", "version": "< 1.29"}}},
		"step_rules": {"kubelet-step": {"component": "kubelet", "max_downgrade": 0}}
	}`)
	want := []string{`node_pools kubelet [node_pools["a"]] [1.29] to 1.30, drain`}
	if plan := upgrade.Compute(r); plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, got %q, want %q", plan.Feasible, stages(plan), want)
	}
}
