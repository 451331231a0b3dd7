// SPDX-License-Identifier: MPL-2.0

package finding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"pgregory.net/rapid"
)

// TestProblems checks that findings with one cause are one problem.
func TestProblems(t *testing.T) {
	// Rules with the limits of kubelets and kube-proxies, or not, for other components.
	twins := `{
		"name": "twins",
		"skew_rules": {
			"agent-apiserver": {"subject": "agent", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3, "conditions": [{"subject": "< 1.25", "max_older": 2}]},
			"driver-apiserver": {"subject": "driver", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 2},
			"logger-apiserver": {"subject": "logger", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3, "severity": "warning"},
			"patched-apiserver": {"subject": "patched", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3, "compare_patch": true},
			"polished-apiserver": {"subject": "polished", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3, "compare_patch": true}
		},
		"requirement_rules": {
			"cilium": {"when": {"component": "cilium", "version": "< 1.16"}, "require": {"component": "kube-apiserver", "version": "< 1.31"}},
			"istiod": {"when": {"component": "istiod", "version": "< 1.16"}, "require": {"component": "kube-apiserver", "version": "< 1.31"}}
		},
		"step_rules": {
			"kubelet-step": {"component": "kubelet", "max_upgrade": 1},
			"kube-proxy-step": {"component": "kube-proxy", "max_upgrade": 1}
		}
	}`
	const controllers = "kube-controller-manager-apiserver kube-scheduler-apiserver cloud-controller-manager-apiserver"
	for _, tt := range []struct {
		name, policy, from, cluster string
		waivers                     []finding.Waiver
		want                        []string // rules, locations, number of consequences
	}{
		{name: "patches of one minor", cluster: "managed: 1.31.2; node_pools.a: kubelet=1.27.1; node_pools.b: kubelet=1.27.2; node_pools.c: kubelet=1.27.3", want: []string{
			`kubelet-apiserver [node_pools["a"] node_pools["b"] node_pools["c"]] 0`,
		}},
		{name: "two minors", cluster: "managed: 1.31; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.27", want: []string{
			`kubelet-apiserver [node_pools["a"]] 0`, `kubelet-apiserver [node_pools["b"]] 0`,
		}},
		{name: "two directions", cluster: "managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.32", want: []string{
			`kubelet-apiserver [node_pools["a"]] 0`, `kubelet-apiserver [node_pools["b"]] 0`,
		}},
		{name: "API servers too far apart", cluster: "control_plane.a: kube-apiserver=1.29 kube-scheduler=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.31; control_plane.c: kube-apiserver=1.33", want: []string{
			`kube-apiserver-ha [control_plane["a"] control_plane["b"]] 4`,
		}},
		{name: "all controllers of API servers that are too far apart", cluster: "control_plane.a: 1.29; control_plane.b: 1.31", want: []string{
			`kube-apiserver-ha [control_plane["a"]] 6`,
		}},
		{name: "not a consequence", cluster: "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.31; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.28", want: []string{
			`kube-apiserver-ha [control_plane["a"]] 0`, `kubelet-apiserver [node_pools["a"]] 0`,
		}},
		{name: "waived at one location", cluster: "managed: 1.31; node_pools.a: kubelet=1.27.1; node_pools.b: kubelet=1.27.2", waivers: []finding.Waiver{{Name: "w", RuleID: "kubelet-apiserver", Locations: []string{`node_pools["a"]`}}}, want: []string{
			`kubelet-apiserver [node_pools["a"]] 0`, `kubelet-apiserver [node_pools["b"]] 0`,
		}},
		{name: "waived API servers have no consequences", cluster: "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.31", waivers: []finding.Waiver{{Name: "w", RuleID: "kube-apiserver-ha"}}, want: []string{
			`kube-apiserver-ha [control_plane["a"]] 0`, `kube-scheduler-apiserver [control_plane["b"]] 0`,
		}},

		{name: "controllers ahead of an API server", cluster: "control_plane.cp-0: 1.31; control_plane.cp-1: 1.30", want: []string{
			controllers + ` [control_plane["cp-0"]] 0`,
		}},
		{name: "controllers at two locations", cluster: "control_plane.cp-0: 1.31; control_plane.cp-1: 1.31; control_plane.cp-2: 1.30", want: []string{
			controllers + ` [control_plane["cp-0"] control_plane["cp-1"]] 0`,
		}},
		{name: "controllers with different minors", cluster: "control_plane.cp-0: kube-apiserver=1.31 kube-controller-manager=1.32 kube-scheduler=1.32 cloud-controller-manager=1.33", want: []string{
			`cloud-controller-manager-apiserver [control_plane["cp-0"]] 0`,
			`kube-controller-manager-apiserver kube-scheduler-apiserver [control_plane["cp-0"]] 0`,
		}},
		{name: "controllers at different locations", cluster: "control_plane.cp-0: kube-apiserver=1.31 kube-controller-manager=1.32; control_plane.cp-1: kube-apiserver=1.31 kube-scheduler=1.32", want: []string{
			`kube-controller-manager-apiserver [control_plane["cp-0"]] 0`, `kube-scheduler-apiserver [control_plane["cp-1"]] 0`,
		}},
		{name: "a waived controller", cluster: "control_plane.cp-0: 1.31; control_plane.cp-1: 1.30", waivers: []finding.Waiver{{Name: "w", RuleID: "kube-scheduler-apiserver"}}, want: []string{
			`kube-controller-manager-apiserver cloud-controller-manager-apiserver [control_plane["cp-0"]] 0`, `kube-scheduler-apiserver [control_plane["cp-0"]] 0`,
		}},
		{name: "an old node pool", cluster: "managed: 1.31; node_pools.a: kubelet=1.27.4 kube-proxy=1.27.4", want: []string{
			`kubelet-apiserver kube-proxy-apiserver [node_pools["a"]] 0`,
		}},
		{name: "an old node pool with different patches", cluster: "managed: 1.31; node_pools.a: kubelet=1.27.4 kube-proxy=1.27.6; node_pools.b: kubelet=1.27.5 kube-proxy=1.27.6", want: []string{
			`kubelet-apiserver kube-proxy-apiserver [node_pools["a"] node_pools["b"]] 0`,
		}},
		{name: "an old node pool below a condition", cluster: "managed: 1.27; node_pools.a: kubelet=1.24 kube-proxy=1.24", want: []string{
			`kubelet-apiserver kube-proxy-apiserver [node_pools["a"]] 0`,
		}},
		{name: "an old kube-proxy for the whole cluster", cluster: "managed: 1.31; node_pools.a: kubelet=1.27; kube_proxy: 1.27", want: []string{
			`kube-proxy-apiserver [kube_proxy] 0`, `kubelet-apiserver [node_pools["a"]] 0`,
		}},
		{name: "rules of a user with the same limits", policy: twins, cluster: "managed: 1.31; node_pools.a: agent=1.27 kubelet=1.27 logger=1.27 driver=1.27", want: []string{
			`kubelet-apiserver agent-apiserver [node_pools["a"]] 0`, `driver-apiserver [node_pools["a"]] 0`, `logger-apiserver [node_pools["a"]] 0`,
		}},
		{name: "rules that compare patches", policy: twins, cluster: "managed: 1.31.1; node_pools.a: patched=1.31.2 polished=1.31.2; node_pools.b: patched=1.31.3 polished=1.31.4", want: []string{
			`patched-apiserver [node_pools["a"] node_pools["b"]] 0`, `polished-apiserver [node_pools["a"] node_pools["b"]] 0`,
		}},
		{name: "rules that compare the same patches", policy: twins, cluster: "managed: 1.31.1; node_pools.a: patched=1.31.2 polished=1.31.2", want: []string{
			`patched-apiserver polished-apiserver [node_pools["a"]] 0`,
		}},
		{name: "requirements", policy: twins, cluster: "managed: 1.31; node_pools.a: cilium=1.15 istiod=1.15", want: []string{
			`cilium istiod [node_pools["a"]] 0`,
		}},

		{name: "moves by too many minors", policy: twins, from: "managed: 1.31; node_pools.a: kubelet=1.28 kube-proxy=1.28", cluster: "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.30", want: []string{
			`kubelet-step kube-proxy-step [node_pools["a"]] 0`,
		}},
		{name: "controllers that wait for their API server", from: "control_plane.a: kube-apiserver=1.30 kube-controller-manager=1.29 kube-scheduler=1.29", cluster: "control_plane.a: kube-apiserver=1.31 kube-controller-manager=1.31 kube-scheduler=1.31", want: []string{
			`kube-controller-manager-apiserver kube-scheduler-apiserver [control_plane["a"]] 0`,
		}},
		{name: "a node pool that moves too late", from: "managed: 1.30; node_pools.a: kubelet=1.27 kube-proxy=1.27", cluster: "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.30", want: []string{
			`kubelet-apiserver kube-proxy-apiserver [node_pools["a"]] 0`,
		}},
		{name: "a node pool that moves to different minors", from: "managed: 1.30; node_pools.a: kubelet=1.27 kube-proxy=1.27", cluster: "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.29", want: []string{
			`kubelet-apiserver kube-proxy-apiserver [node_pools["a"]] 0`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := skewtest.Kubernetes(t)
			if tt.policy != "" {
				var err error
				if p, err = policy.Extend(p, tt.policy); err != nil {
					t.Fatal(err)
				}
			}
			findings := skew.Findings(p, skewtest.Cluster(t, tt.cluster))
			if tt.from != "" {
				findings = step.Check(p, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.cluster), step.ControlPlaneFirst).Findings
			}
			findings, _ = finding.NewWaivers(tt.waivers, releases.Date{}).Waive(findings)
			var got []string
			for _, p := range finding.Problems(findings) {
				got = append(got, fmt.Sprint(strings.Join(p.RuleIDs(), " "), " ", p.Locations(), " ", len(p.Consequences)))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestProblemsHoldAllFindings checks that each finding is in one problem, and that
// the findings of a problem are similar.
func TestProblemsHoldAllFindings(t *testing.T) {
	p := skewtest.Kubernetes(t)
	spell := func(f finding.Finding) string {
		return fmt.Sprint(f.RuleID, f.Subject.Version, f.Reference.Version, f.Subject.Locations, f.Reference.Locations)
	}
	rapid.Check(t, func(t *rapid.T) {
		findings := skew.Findings(p, skewtest.RandomCluster(t))
		var want, got []string
		for _, f := range findings {
			want = append(want, spell(f))
		}
		for _, problem := range finding.Problems(findings) {
			for _, f := range problem.Findings {
				got = append(got, spell(f))
				if first := problem.Findings[0]; f.Severity != first.Severity || f.Cause.(*finding.Mismatch).Relation != first.Cause.(*finding.Mismatch).Relation ||
					f.Subject.Component != f.Reference.Component && (f.Subject.Version.Minor() != first.Subject.Version.Minor() || f.Reference.Version.Minor() != first.Reference.Version.Minor()) {
					t.Fatalf("%s and %s are one problem", spell(f), spell(first))
				}
			}
			for _, f := range problem.Consequences {
				got = append(got, spell(f))
				if !f.Allowed.Empty || f.Reference.Component != problem.Findings[0].Subject.Component {
					t.Fatalf("%s does not follow from %s", spell(f), spell(problem.Findings[0]))
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
