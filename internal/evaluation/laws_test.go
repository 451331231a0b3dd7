// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"pgregory.net/rapid"
)

// TestEvaluateIsDeterministic checks that results only depend on the input, and that
// the input does not change.
func TestEvaluateIsDeterministic(t *testing.T) {
	t.Parallel()
	p, day := skewtest.Kubernetes(t), skewtest.Date(t, "2026-11-20")
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawInput(t, p, day)
		in.Waivers = []finding.Waiver{{Name: "w", RuleID: rapid.SampledFrom(p.RuleIDs()).Draw(t, "rule"), Reason: "because"}}
		before := fmt.Sprint(in.Cluster, in.Observed)
		first := evaluation.Evaluate(in)
		if rapid.IntRange(0, 4).Draw(t, "again") == 0 { // remedies take most of the time
			second := evaluation.Evaluate(in)
			if a, b := report.Markdown(first), report.Markdown(second); a != b {
				t.Fatalf("first evaluation:\n%s\nsecond evaluation:\n%s", a, b)
			}
			if !slices.Equal(first.Unmatched, second.Unmatched) {
				t.Fatalf("unmatched waivers %v in the first evaluation, %v in the second", first.Unmatched, second.Unmatched)
			}
		}
		if a, b := facts(first.Findings()), facts(evaluation.Check(in).Findings()); a != b {
			t.Fatalf("Evaluate returns %s, Check %s", a, b)
		}
		if after := fmt.Sprint(in.Cluster, in.Observed); after != before {
			t.Fatalf("%s became %s", before, after)
		}
	})
}

// facts spells findings without their texts, which would search for remedies.
func facts(findings []finding.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintln(&b, f.RuleID, f.Severity, f.Subject, f.Reference, f.Allowed.Constraint(), f.WaivedBy != nil)
	}
	return b.String()
}

// TestWaiversChangeOnlyTheirFindings checks that waivers do not change allowed
// versions, the order of a step or findings other than advisories, and add no blockers
// of the next minor.
func TestWaiversChangeOnlyTheirFindings(t *testing.T) {
	t.Parallel()
	p, day := skewtest.Kubernetes(t), skewtest.Date(t, "2026-11-20")
	advisories := map[string]bool{}
	for _, a := range p.Advisories {
		advisories[a.ID] = true
	}
	describe := func(findings []finding.Finding) []string {
		var all []string
		for _, f := range findings {
			for _, l := range f.Subject.Locations {
				if !advisories[f.RuleID] {
					all = append(all, fmt.Sprint(f.Severity, f.RuleID, f.Subject.Version, f.Reference.Version, l, f.Allowed.Constraint()))
				}
			}
		}
		slices.Sort(all)
		return all
	}
	blockers := func(r evaluation.Result) []string {
		if r.Next == nil {
			return nil
		}
		return describe(finding.Findings(r.Next.Blockers))
	}
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawInput(t, p, day)
		without := evaluation.Evaluate(in)
		w := finding.Waiver{Name: "w", RuleID: rapid.SampledFrom(p.RuleIDs()).Draw(t, "rule"), Reason: "because"}
		if rapid.Bool().Draw(t, "somewhere") {
			w.Locations = []string{`node_pools["pool-0"]`, `control_plane["cp-1"]`}
		}
		in.Waivers = []finding.Waiver{w}
		with := evaluation.Evaluate(in)

		if a, b := describe(without.Findings()), describe(with.Findings()); !slices.Equal(a, b) {
			t.Fatalf("got %v without a waiver, %v with one", a, b)
		}
		if a, b := fmt.Sprint(without.Order), fmt.Sprint(with.Order); a != b {
			t.Fatalf("got order %s without a waiver, %s with one", a, b)
		}
		for component, window := range without.Allowed {
			if got := with.Allowed[component].Constraint(); got != window.Constraint() {
				t.Fatalf("%s: allowed %s without a waiver, %s with one", component, window.Constraint(), got)
			}
		}
		before := blockers(without)
		for _, blocker := range blockers(with) {
			if !slices.Contains(before, blocker) {
				t.Fatalf("a waiver adds the blocker %s to %v", blocker, before)
			}
		}
		for _, f := range with.Findings() {
			if f.WaivedBy != nil && f.RuleID != w.RuleID {
				t.Fatalf("a waiver for %s accepts %s", w.RuleID, f.RuleID)
			}
			if f.WaivedBy == nil && f.RuleID == w.RuleID && len(w.Locations) == 0 {
				t.Fatalf("%s is not accepted: %v", f.RuleID, f.Subject)
			}
		}
	})
}
