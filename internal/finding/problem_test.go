// SPDX-License-Identifier: MPL-2.0

package finding_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"pgregory.net/rapid"
)

// TestProblems: what has one cause is one problem.
func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name, cluster string
		waivers       []finding.Waiver
		want          []string // rule, places, consequences
	}{
		{"patches of one minor", "managed: 1.31.2; node_pools.a: kubelet=1.27.1; node_pools.b: kubelet=1.27.2; node_pools.c: kubelet=1.27.3", nil, []string{
			`kubelet-apiserver [node_pools["a"] node_pools["b"] node_pools["c"]] 0`,
		}},
		{"two minors", "managed: 1.31; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.27", nil, []string{
			`kubelet-apiserver [node_pools["a"]] 0`, `kubelet-apiserver [node_pools["b"]] 0`,
		}},
		{"two directions", "managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.32", nil, []string{
			`kubelet-apiserver [node_pools["a"]] 0`, `kubelet-apiserver [node_pools["b"]] 0`,
		}},
		{"API servers too far apart", "control_plane.a: kube-apiserver=1.29 kube-scheduler=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.31; control_plane.c: kube-apiserver=1.33", nil, []string{
			`kube-apiserver-ha [control_plane["a"] control_plane["b"]] 4`,
		}},
		{"what does not follow from it", "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.31; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.28", nil, []string{
			`kube-apiserver-ha [control_plane["a"]] 0`, `kubelet-apiserver [node_pools["a"]] 0`,
		}},
		{"what is waived in part", "managed: 1.31; node_pools.a: kubelet=1.27.1; node_pools.b: kubelet=1.27.2", []finding.Waiver{{Name: "w", RuleID: "kubelet-apiserver", Locations: []string{`node_pools["a"]`}}}, []string{
			`kubelet-apiserver [node_pools["a"]] 0`, `kubelet-apiserver [node_pools["b"]] 0`,
		}},
		{"waived API servers hide nothing", "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.31", []finding.Waiver{{Name: "w", RuleID: "kube-apiserver-ha"}}, []string{
			`kube-apiserver-ha [control_plane["a"]] 0`, `kube-scheduler-apiserver [control_plane["b"]] 0`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			findings, _ := finding.Waive(skew.Evaluate(skewtest.Kubernetes(t), skewtest.Cluster(t, tt.cluster)), tt.waivers, releases.Date{})
			var got []string
			for _, p := range finding.Problems(findings) {
				got = append(got, fmt.Sprint(p.Findings[0].RuleID, " ", p.Locations(), " ", len(p.Consequences)))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestProblemsHoldAllFindings: each once, and those of a problem are alike.
func TestProblemsHoldAllFindings(t *testing.T) {
	p := skewtest.Kubernetes(t)
	spell := func(f finding.Finding) string {
		return fmt.Sprint(f.RuleID, f.Subject.Version, f.Reference.Version, f.Subject.Locations, f.Reference.Locations)
	}
	rapid.Check(t, func(t *rapid.T) {
		findings := skew.Evaluate(p, skewtest.RandomCluster(t))
		var want, got []string
		for _, f := range findings {
			want = append(want, spell(f))
		}
		for _, problem := range finding.Problems(findings) {
			for _, f := range problem.Findings {
				got = append(got, spell(f))
				if f.Key() != problem.Findings[0].Key() {
					t.Fatalf("%s and %s are one problem", spell(f), spell(problem.Findings[0]))
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
