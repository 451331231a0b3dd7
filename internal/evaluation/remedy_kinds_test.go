// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// spelled writes remedies in a form to compare, such as `upgrade kubelet of
// [node_pools["a"]]: 1.28..1.31`.
func spelled(remedies []finding.Remedy) []string {
	var all []string
	for _, r := range remedies {
		var what []string
		for _, t := range r.Targets {
			what = append(what, fmt.Sprint(strings.Join(t.Components, "+"), " of ", t.Locations))
		}
		how, to := "set", r.Minors[0].String()
		switch {
		case r.Kept:
			how = "keep"
		case r.Upgrade:
			how = "upgrade"
		}
		if r.Drawback == finding.OwnApply {
			how = "first " + how
		}
		if last := r.Minors[len(r.Minors)-1]; last != r.Minors[0] {
			to += ".." + last.String()
		}
		if !r.Version.IsZero() {
			to = r.Version.String()
		}
		all = append(all, fmt.Sprintf("%s %s: %s", how, strings.Join(what, ", "), to))
	}
	return all
}

// TestRemediesByCause: what repairs a finding depends on its cause. Each remedy is
// tried.
func TestRemediesByCause(t *testing.T) {
	for _, tt := range []struct {
		name           string
		policy         *policy.Policy
		from, to, rule string
		want           []string
	}{
		// AKS refuses a newer patch than that of the control plane
		// (https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/error-codes/nodepoolmcversionincompatible-error).
		{
			"a patch that is too new", skewtest.Extended(t, "aks", `{}`), "", "managed: 1.31.2; node_pools.a: kubelet=1.31.4", "kubelet-apiserver",
			[]string{`set kubelet of [node_pools["a"]]: 1.31.2`, "upgrade kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version]: 1.31.4"},
		},
		{
			"a patch that is too new for two API servers", skewtest.Extended(t, "aks", `{}`), "", "control_plane.a: kube-apiserver=1.31.3; control_plane.b: kube-apiserver=1.31.2; node_pools.a: kubelet=1.31.4", "kubelet-apiserver",
			[]string{`set kubelet of [node_pools["a"]]: 1.31.2`, `upgrade kube-apiserver of [control_plane["a"] control_plane["b"]]: 1.31.4`},
		},
		{
			"the only patch that is allowed is excluded", skewtest.Extended(t, "aks", `{"requirement_rules": {"broken": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": "!= 1.31.2"}}}}`),
			"", "managed: 1.31.2; node_pools.a: kubelet=1.31.4; components.agent.0: agent=1.0", "kubelet-apiserver",
			[]string{"upgrade kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version]: 1.31.4"},
		},
		{
			"another major", skewtest.Extended(t, "kubernetes", `{}`), "", "managed: 1.31; node_pools.a: kubelet=2.0", "kubelet-apiserver",
			[]string{`set kubelet of [node_pools["a"]]: 1.31`},
		},
		{
			"a step to another major", skewtest.Extended(t, "kubernetes", `{}`), "managed: 1.31", "managed: 2.0", "kube-apiserver-step",
			[]string{"keep kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version]: 1.31"},
		},
		// A remedy changes the minor, which is right here. The finding names the patch to
		// keep.
		{
			"an older patch", skewtest.Extended(t, "kubernetes", `{"step_rules": {"agent": {"component": "agent", "max_downgrade": 0, "compare_patch": true}}}`),
			"managed: 1.31; components.agent.0: agent=1.16.2", "managed: 1.31; components.agent.0: agent=1.16.1", "agent", nil,
		},
		{
			"a limit during the upgrade", skewtest.Extended(t, "kubernetes", `{"skew_rules": {"kubelet-apiserver": {"max_older_during_upgrade": 2}}}`),
			"managed: 1.30; node_pools.a: kubelet=1.28", "managed: 1.31; node_pools.a: kubelet=1.28", "kubelet-apiserver",
			[]string{"keep kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version]: 1.30"},
		},
		// The step has no order. Leaving everything as it is would not be a step.
		{
			"moves that wait for each other", skewtest.Extended(t, "kubernetes", `{"skew_rules": {"equal": {"subject": "a", "reference": "b", "scope": "cluster", "max_newer": 0, "max_older": 0}}}`),
			"components.a.0: a=1.1; components.b.0: b=1.1", "components.a.0: a=1.2; components.b.0: b=1.2", "equal", nil,
		},
		// The client already has the minor to which the others move.
		{
			"a step of several components that is too large", skewtest.Extended(t, "kubernetes", `{}`),
			"managed: 1.30; node_pools.a: kubelet=1.30; kubectl.0: kubectl=1.31.2", "managed: 1.32; node_pools.a: kubelet=1.32; kubectl.0: kubectl=1.31.2", "kube-apiserver-step",
			[]string{`set kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version], kubelet of [node_pools["a"]]: 1.30..1.31`},
		},
		// All pools are alike, and all have to move.
		{
			"many pools", skewtest.Extended(t, "kubernetes", `{}`), "",
			"managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.27; node_pools.c: kubelet=1.27; node_pools.d: kubelet=1.27", "kubelet-apiserver",
			[]string{`upgrade kubelet of [node_pools["a"] node_pools["b"] node_pools["c"] node_pools["d"]]: 1.28..1.31`},
		},
		{
			"many pools that run what they will run", skewtest.Extended(t, "kubernetes", `{}`),
			"managed: 1.30; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.27; node_pools.c: kubelet=1.27; node_pools.d: kubelet=1.27",
			"managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.27; node_pools.c: kubelet=1.27; node_pools.d: kubelet=1.27", "kubelet-apiserver",
			[]string{"keep kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version]: 1.30"},
		},
		{
			"many pools that have to be upgraded before", skewtest.Extended(t, "kubernetes", `{}`),
			"managed: 1.36; node_pools.a: kubelet=1.32; node_pools.b: kubelet=1.32; node_pools.c: kubelet=1.32; node_pools.d: kubelet=1.32",
			"managed: 1.37; node_pools.a: kubelet=1.32; node_pools.b: kubelet=1.32; node_pools.c: kubelet=1.32; node_pools.d: kubelet=1.32", "kubelet-apiserver",
			[]string{`first upgrade kubelet of [node_pools["a"] node_pools["b"] node_pools["c"] node_pools["d"]]: 1.34..1.36`},
		},
		// A pool that does not run yet cannot be upgraded before the step.
		{
			"a new pool beside one that has to be upgraded before", skewtest.Extended(t, "kubernetes", `{}`),
			"managed: 1.36; node_pools.a: kubelet=1.32", "managed: 1.37; node_pools.a: kubelet=1.32; node_pools.b: kubelet=1.32", "kubelet-apiserver", nil,
		},
		// Here, no two kubelets may be at 1.28 or later. The alternative, a control plane
		// at 1.30, is part of the remedy.
		{
			"pools that must not all move", withRule(skewtest.Extended(t, "kubernetes", `{}`), &policy.PairRule{
				ID: "one", Subject: "kubelet", Reference: "kubelet", Scope: policy.ScopeCluster,
				Requirement: &policy.Requirement{When: constraint(t, ">= 1.28"), Require: constraint(t, "< 1.28")}, Notes: policy.Notes{Severity: policy.SeverityError},
			}),
			"", "managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.27; node_pools.c: kubelet=1.27", "kubelet-apiserver",
			[]string{"set kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version]: 1.27..1.30"},
		},
		// The kube-proxy violates its rule on both pools, but by less on the second one.
		{
			"a client beside a kube-proxy that is too old for all pools", skewtest.Extended(t, "kubernetes", `{}`), "",
			"managed: 1.33; node_pools.a: kubelet=1.32; node_pools.b: kubelet=1.31; kube_proxy: 1.27; kubectl.0: kubectl=1.30", "kubectl-apiserver",
			[]string{"upgrade kubectl of [kubectl[0]]: 1.32..1.33"},
		},
		// The cluster-wide kube-proxy is declared once and runs on every pool.
		{
			"a kube-proxy for the whole cluster", skewtest.Extended(t, "kubernetes", `{}`), "",
			"managed: 1.31; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.30; node_pools.c: kubelet=1.30; kube_proxy: 1.27", "kube-proxy-apiserver",
			[]string{"upgrade kube-proxy of [kube_proxy]: 1.28..1.31"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: tt.policy, Cluster: skewtest.Cluster(t, tt.to)}
			if tt.from != "" {
				from := skewtest.Cluster(t, tt.from)
				in.Observed = &from
			}
			checkRemedies(t, in, func(minors []version.Minor) version.Minor { return minors[0] })
			findings := evaluation.Check(in).Findings()
			i := slices.IndexFunc(findings, func(f finding.Finding) bool { return f.RuleID == tt.rule })
			if i < 0 {
				t.Fatalf("no finding of %s", tt.rule)
			}
			if diff := cmp.Diff(tt.want, spelled(findings[i].Remedies())); diff != "" {
				t.Errorf("remedies (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFindingsWithoutRemedies: advisories, and findings on the order of an apply, say
// themselves what to do. They do not name a remedy that other findings share.
func TestFindingsWithoutRemedies(t *testing.T) {
	for _, tt := range []struct{ name, from, to string }{
		{"an advisory", "", "managed: 1.31; node_pools.a: kubelet=1.24 kube-proxy=1.24"},
		{"the order of an apply", "managed: 1.36; node_pools.a: kubelet=1.33; node_pools.b: kubelet=1.33", "managed: 1.37; node_pools.a: kubelet=1.36; node_pools.b: kubelet=1.33"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), ApplyOrder: step.ControlPlaneFirst, Day: skewtest.Date(t, "2026-11-20")}
			if tt.from != "" {
				from := skewtest.Cluster(t, tt.from)
				in.Observed = &from
			}
			with, without := 0, 0
			for _, f := range evaluation.Check(in).Findings() {
				_, mismatch := f.Cause.(*finding.Mismatch)
				switch {
				case len(f.Remedies()) == 0:
					without++
				case mismatch:
					with++
				default:
					t.Errorf("remedies %v of %s, %T", spelled(f.Remedies()), f.RuleID, f.Cause)
				}
			}
			if with == 0 || without == 0 {
				t.Errorf("%d findings with remedies and %d without, want both", with, without)
			}
		})
	}
}

// TestUnblockingMoves: what blocks the control plane moves in the direction of the control
// plane, before it does.
func TestUnblockingMoves(t *testing.T) {
	requires := func(cilium string) *policy.Policy {
		return skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"cilium": {"when": {"component": "kube-apiserver", "version": ">= 1.32"}, "require": {"component": "cilium", "version": "`+cilium+`"}}}}`)
	}
	next := func(r evaluation.Result) *evaluation.AdjacentMinor { return r.Next }
	previous := func(r evaluation.Result) *evaluation.AdjacentMinor { return r.Previous }
	for _, tt := range []struct {
		name     string
		policy   *policy.Policy
		from, to string
		minor    func(evaluation.Result) *evaluation.AdjacentMinor
		rule     string
		want     []string
	}{
		{"a newer version for the next minor", requires(">= 1.16"), "", "managed: 1.31; components.cilium.0: cilium=1.14", next, "cilium", []string{`upgrade cilium of [components["cilium"][0]]: 1.16..1.17`}},
		{"no older version for the next minor", requires("< 1.16"), "", "managed: 1.31; components.cilium.0: cilium=1.17", next, "cilium", nil},
		{"an older version for the previous minor", builtin(t, "eks"), "managed: 1.34; node_pools.a: kubelet=1.34", "managed: 1.34; node_pools.a: kubelet=1.34", previous, "kubelet-apiserver", []string{`set kubelet of [node_pools["a"]]: 1.33`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: tt.policy, Cluster: skewtest.Cluster(t, tt.to)}
			if tt.from != "" {
				from := skewtest.Cluster(t, tt.from)
				in.Observed = &from
			}
			blockers := finding.Findings(tt.minor(evaluation.Evaluate(in)).Blockers)
			if len(blockers) != 1 || blockers[0].RuleID != tt.rule {
				t.Fatalf("blockers %+v, want one of the rule %s", blockers, tt.rule)
			}
			remedies := blockers[0].Remedies()
			if diff := cmp.Diff(tt.want, spelled(remedies)); diff != "" {
				t.Fatalf("remedies (-want +got):\n%s", diff)
			}
			for _, r := range remedies {
				in.Cluster = repaired(in.Cluster, r, r.Minors[0])
				if left := tt.minor(evaluation.Evaluate(in)).Blockers; len(left) > 0 {
					t.Errorf("still blocked by %+v", left)
				}
			}
		})
	}
}

// TestRemediesOfFleets: a remedy works for any number of pools, alike or not, with
// patches, and with a kube-proxy for the whole cluster.
func TestRemediesOfFleets(t *testing.T) {
	t.Parallel()
	policies := []*policy.Policy{skewtest.Kubernetes(t), skewtest.Extended(t, "aks", `{}`), skewtest.Extended(t, "kubernetes", `{"skew_rules": {"kubelet-apiserver": {"compare_patch": true, "max_older_during_upgrade": 2}}}`)}
	repairable, day := 0, skewtest.Date(t, quietDay)
	rapid.Check(t, func(t *rapid.T) {
		shape := skewtest.Random{Newest: 31, By: rapid.IntRange(0, 1).Draw(t, "by"), Spread: 1, Behind: 5, Ahead: 1, Lag: 1, Stays: 2, Pools: 6}
		if rapid.Bool().Draw(t, "patches") {
			shape.Patches = []int{0, 1, 2}
		}
		from, to := shape.Step(t)
		in := evaluation.Input{Policy: rapid.SampledFrom(policies).Draw(t, "policy"), Cluster: to, ApplyOrder: rapid.SampledFrom(step.ApplyOrders).Draw(t, "order"), Day: day, Offered: drawOffered(t, from, to)}
		if rapid.Bool().Draw(t, "a step") {
			in.Observed = &from
		}
		_, n := checkRemedies(t, in, func(minors []version.Minor) version.Minor { return rapid.SampledFrom(minors).Draw(t, "minor") })
		repairable += n
	})
	if repairable < 50 {
		t.Errorf("only %d findings with a remedy", repairable)
	}
}

// withRule returns a copy of a policy with one more rule, which may be one that Parse
// rejects.
func withRule(p *policy.Policy, r *policy.PairRule) *policy.Policy {
	more := *p
	more.PairRules = append(slices.Clone(p.PairRules), r)
	return &more
}

func constraint(t *testing.T, text string) version.Constraint {
	t.Helper()
	c, err := version.ParseConstraint(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
