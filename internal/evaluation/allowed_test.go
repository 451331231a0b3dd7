// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestAllowedTable: "kube-apiserver is at 1.36, kubelet is supported at 1.36, 1.35,
// 1.34, and 1.33", and kubectl at 1.37, 1.36 and 1.35
// (https://kubernetes.io/releases/version-skew-policy/). The rows are in the numbers
// of the platform: OpenShift 4.20 runs Kubernetes 1.33.
func TestAllowedTable(t *testing.T) {
	for name, tt := range map[string]struct {
		minors     []version.Minor
		components []string
		want       [][]string
	}{
		"kubernetes": {
			[]version.Minor{{Major: 1, Minor: 36}, {Major: 1, Minor: 24}}, []string{"kubelet", "kubectl", "kube-scheduler", "kube-apiserver"},
			[][]string{
				{"1.36", ">= 1.33, < 1.37", ">= 1.35, < 1.38", ">= 1.35, < 1.37", ">= 1.35, < 1.38"},
				{"1.24", ">= 1.22, < 1.25", ">= 1.23, < 1.26", ">= 1.23, < 1.25", ">= 1.23, < 1.26"},
			},
		},
		"openshift": {[]version.Minor{{Major: 1, Minor: 33}}, []string{"kubectl"}, [][]string{{"4.20", ">= 4.19, < 4.22"}}},
	} {
		p := builtin(t, name)
		table := evaluation.Allowed(p, evaluation.ControlPlanes(p, tt.minors), tt.components)
		var got [][]string
		for _, row := range table.Rows {
			cells := []string{row.ControlPlane.String()}
			for _, w := range row.Windows {
				cells = append(cells, w.Constraint())
			}
			got = append(got, cells)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("table of %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.components, table.Components); diff != "" {
			t.Errorf("columns of %s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAllowedBesideIsWhatEvaluates: a version is allowed beside API servers if and
// only if a cluster of these and one instance with that version has no errors on it.
func TestAllowedBesideIsWhatEvaluates(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		component := rapid.SampledFrom([]string{"kubelet", "kube-proxy", "kubectl", "kube-scheduler", "kube-apiserver"}).Draw(t, "component")
		draw := func(name string) version.Version {
			return version.Minor{Major: 1, Minor: rapid.IntRange(20, 34).Draw(t, name)}.Version()
		}
		v := draw("version")
		var c skew.Cluster
		servers := rapid.SliceOfN(rapid.Custom(func(*rapid.T) version.Version { return draw("API server") }), 1, 3).Draw(t, "API servers")
		for i, server := range servers {
			c.Places = append(c.Places, skew.Place{Location: finding.AtIndex(finding.Components, skew.APIServer, i), Instances: []skew.Instance{{Component: skew.APIServer, Version: server}}})
		}
		at := finding.AtIndex(finding.Components, component, len(servers))
		c.Places = append(c.Places, skew.Place{Location: at, Instances: []skew.Instance{{Component: component, Version: v}}})
		sound := true
		for _, f := range skew.Findings(p, c) {
			for _, l := range append(f.Subject.Locations, f.Reference.Locations...) {
				sound = sound && l != at
			}
		}
		if got := evaluation.IsAllowedWith(p, component, v, servers...); got != sound {
			t.Fatalf("%s %s beside %v: allowed %t, but evaluated %t", component, v, servers, got, sound)
		}
		if got := evaluation.AllowedWith(p, component, servers...).Contains(v.Minor()); got != sound {
			t.Fatalf("%s %s beside %v: in the window %t, but evaluated %t", component, v, servers, got, sound)
		}
	})
}

// TestControlPlanePath: "Project policies for API backward compatibility and API
// change guidelines require kube-apiserver to not skip minor versions when
// upgrading" (https://kubernetes.io/releases/version-skew-policy/#kube-apiserver-1).
func TestControlPlanePath(t *testing.T) {
	minor := func(n int) version.Minor { return version.Minor{Major: 1, Minor: n} }
	for _, tt := range []struct {
		from, to int
		want     []version.Minor
	}{
		{30, 33, []version.Minor{minor(31), minor(32), minor(33)}},
		{30, 31, []version.Minor{minor(31)}},
		{30, 30, nil},
	} {
		got := evaluation.ControlPlanePath(skewtest.Kubernetes(t), minor(tt.from), minor(tt.to))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("from 1.%d to 1.%d (-want +got):\n%s", tt.from, tt.to, diff)
		}
	}
}

// TestPlanFindings: what violates the policy now has remedies. What would go wrong at
// a later stage has none, because no declared version is wrong.
func TestPlanFindings(t *testing.T) {
	kubernetes := builtin(t, "kubernetes")
	cilium := skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"cilium": {"when": {"component": "kube-apiserver", "version": ">= 1.32"}, "require": {"component": "cilium", "version": ">= 1.16"}}}}`)
	for _, tt := range []struct {
		policy          *policy.Policy
		cluster, target string
		held            []string
		rule            string
		repairable      bool
	}{
		{kubernetes, "managed: 1.30; node_pools.a: kubelet=1.26", "1.31", []string{"a"}, "kubelet-apiserver", true},
		{kubernetes, "managed: 1.30; node_pools.a: kubelet=1.27", "1.31", []string{"a"}, "kubelet-apiserver", false},
		{cilium, "managed: 1.30; components.cilium.0: cilium=1.14", "1.33", nil, "cilium", false},
		{builtin(t, "eks"), "managed: 1.36", "1.34", nil, "kube-apiserver-step", false},
	} {
		plan := evaluation.Plan(upgrade.Request{
			Policy: tt.policy, Cluster: skewtest.Cluster(t, tt.cluster), Target: skewtest.Version(t, tt.target), Held: tt.held,
		})
		if len(plan.Findings) != 1 || plan.Findings[0].RuleID != tt.rule {
			t.Errorf("%s to %s: findings %+v, want one of %s", tt.cluster, tt.target, plan.Findings, tt.rule)
			continue
		}
		if got := len(plan.Findings[0].Remedies()) > 0; got != tt.repairable {
			t.Errorf("%s to %s: remedies %+v, want some: %t", tt.cluster, tt.target, plan.Findings[0].Remedies(), tt.repairable)
		}
	}
}

// TestPlanCalendar: a plan without a calendar uses the built-in one, and knows the
// newest patch before a control plane leaves its minor.
func TestPlanCalendar(t *testing.T) {
	r := upgrade.Request{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.30.2"), Target: skewtest.Version(t, "1.31")}
	release, ok := releases.Embedded().Lookup(version.Minor{Major: 1, Minor: 30})
	if !ok {
		t.Fatal("the calendar has no 1.30")
	}
	if stages := evaluation.Plan(r).Stages; len(stages) == 0 || stages[0].NewestBefore.Compare(release.LatestPatch) != 0 {
		t.Errorf("stages %+v, want the first one to name %s", stages, release.LatestPatch)
	}
	r.Calendar = &releases.Calendar{}
	if stages := evaluation.Plan(r).Stages; len(stages) == 0 || !stages[0].NewestBefore.IsZero() {
		t.Errorf("stages %+v, want none to name a patch that an empty calendar does not have", stages)
	}
}
