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

// TestWaive checks which findings waivers accept, and which waivers match none.
func TestWaive(t *testing.T) {
	findings := skew.Findings(skewtest.Kubernetes(t), skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.27; kubectl.0: kubectl=1.29"))
	slices.Reverse(findings) // the order must not matter
	kubelet := func(name string) finding.Waiver { return finding.Waiver{Name: name, RuleID: "kubelet-apiserver"} }
	first, here, until, elsewhere, other := kubelet("first"), kubelet("here"), kubelet("until"), kubelet("elsewhere"), kubelet("other")
	first.Locations = []string{`node_pools["a"]`}
	here.Locations = []string{`node_pools["b"]`}
	until.Expires = skewtest.Date(t, "2026-11-20")
	elsewhere.Locations = []string{`node_pools["c"]`}
	other.RuleID = "kube-proxy-apiserver"
	for _, tt := range []struct {
		name            string
		waivers         []finding.Waiver
		day             string
		want, unmatched []string
	}{
		{"none", nil, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"] node_pools["b"]] `}, nil},
		{"everywhere", []finding.Waiver{kubelet("all")}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"] node_pools["b"]] all`}, nil},
		{"somewhere", []finding.Waiver{here}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"]] `, `kubelet-apiserver [node_pools["b"]] here`}, nil},
		{"in the first of two places", []finding.Waiver{first}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"]] first`, `kubelet-apiserver [node_pools["b"]] `}, nil},
		{"on its last day", []finding.Waiver{until}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"] node_pools["b"]] until`}, nil},
		{"the day after", []finding.Waiver{until}, "2026-11-21", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"] node_pools["b"]] `}, nil},
		{"nowhere", []finding.Waiver{elsewhere, other}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"] node_pools["b"]] `}, []string{"elsewhere", "other"}},
		{"two of the same findings", []finding.Waiver{kubelet("all"), kubelet("again"), here}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"] node_pools["b"]] again`}, nil},
		{"of any rule", []finding.Waiver{{Name: "any", Locations: []string{`node_pools["b"]`}}}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"]] `, `kubelet-apiserver [node_pools["b"]] any`}, nil},
		{"of any rule, second by name", []finding.Waiver{{Name: "any"}, kubelet("all")}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] any", `kubelet-apiserver [node_pools["a"] node_pools["b"]] all`}, nil},
		{"the first of two", []finding.Waiver{kubelet("z"), here}, "2026-11-20", []string{"kubectl-apiserver [kubectl[0]] ", `kubelet-apiserver [node_pools["a"]] z`, `kubelet-apiserver [node_pools["b"]] here`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.waivers)
			waived, unmatched := finding.NewWaivers(tt.waivers, skewtest.Date(t, tt.day)).Waive(findings)
			if fmt.Sprint(before) != fmt.Sprint(tt.waivers) {
				t.Errorf("the waivers changed to %v from %v", tt.waivers, before)
			}
			var got []string
			for _, f := range waived {
				name := ""
				if f.WaivedBy != nil {
					name = f.WaivedBy.Name
				}
				got = append(got, fmt.Sprint(f.RuleID, " ", f.Subject.Locations, " ", name))
			}
			if !slices.Equal(got, tt.want) || !slices.Equal(unmatched, tt.unmatched) {
				t.Errorf("got %q, unmatched %q; want %q, %q", got, unmatched, tt.want, tt.unmatched)
			}
		})
	}
}

// TestWaiveKeepsOtherFindings checks, for each location, that findings without a waiver
// do not change.
func TestWaiveKeepsOtherFindings(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		findings := skew.Findings(p, skewtest.RandomCluster(t))
		rule := rapid.SampledFrom(p.RuleIDs()).Draw(t, "rule")
		w := finding.Waiver{Name: "w", RuleID: rule}
		if rapid.Bool().Draw(t, "somewhere") {
			w.Locations = []string{`node_pools["pool-0"]`, `control_plane["cp-1"]`}
		}
		spell := func(all []finding.Finding, waived bool) []string {
			var lines []string
			for _, f := range all {
				for _, l := range f.Subject.Locations {
					if hit := f.RuleID == rule && (len(w.Locations) == 0 || slices.Contains(w.Locations, l.String())); hit == waived {
						lines = append(lines, fmt.Sprint(f.RuleID, f.Subject.Version, f.Reference.Version, l, f.Severity, waived && f.WaivedBy != nil))
					}
				}
			}
			slices.Sort(lines)
			return lines
		}
		after, _ := finding.NewWaivers([]finding.Waiver{w}, releases.Date{}).Waive(findings)
		if !slices.Equal(spell(findings, false), spell(after, false)) {
			t.Fatalf("waiving %s changed other findings", rule)
		}
		for _, f := range after {
			if f.WaivedBy != nil && f.RuleID != rule {
				t.Fatalf("%s is waived by a waiver of %s", f.RuleID, rule)
			}
		}
	})
}

// TestManyWaivers checks that the work grows with the sum of waivers and findings, not
// with their product. It counts allocations, because times vary on a busy machine.
func TestManyWaivers(t *testing.T) {
	allocations := func(n int) float64 {
		var findings []finding.Finding
		var waivers []finding.Waiver
		for i := range n {
			l := finding.AtKey(finding.NodePools, fmt.Sprint(i))
			findings = append(findings, finding.Finding{RuleID: "r", Subject: finding.Side{Locations: []finding.Location{l}}})
			waivers = append(waivers, finding.Waiver{Name: fmt.Sprint(i), RuleID: "r", Locations: []string{l.String()}})
		}
		return testing.AllocsPerRun(1, func() {
			if _, unmatched := finding.NewWaivers(waivers, releases.Date{}).Waive(findings); len(unmatched) > 0 {
				t.Fatalf("unmatched: %q", unmatched)
			}
		})
	}
	if few, many := allocations(100), allocations(400); many > 6*few {
		t.Errorf("%.0f allocations for 100 waivers, %.0f for 400", few, many)
	}
}
