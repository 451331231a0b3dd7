// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

// TestRemediesHaveABudget checks that not all remedies of thousands of problems are searched
// for. The others say in which direction to change a version, and do not claim that nothing
// else works.
func TestRemediesHaveABudget(t *testing.T) {
	var places strings.Builder
	places.WriteString("managed: 1.31")
	const pools = 2_000
	for i := range pools {
		fmt.Fprintf(&places, "; node_pools.p%04d: kubelet=1.%d", i, 32+i)
	}
	findings := evaluation.Check(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, places.String())}).Findings()
	problems := finding.Problems(findings)
	if len(problems) != pools {
		t.Fatalf("%d problems, want %d", len(problems), pools)
	}
	first, last := problems[0], problems[pools-1]
	if f := first.Findings[0]; !f.RemediesTried() || len(f.Remedies()) == 0 {
		t.Errorf("the first problem has remedies %v, tried %t", f.Remedies(), f.RemediesTried())
	}
	if f := last.Findings[0]; f.RemediesTried() || len(f.Remedies()) > 0 {
		t.Errorf("the last problem has remedies %v, tried %t", f.Remedies(), f.RemediesTried())
	}
	if got, want := report.DescribeProblem(last).Remedy, `Set the kubelet of node_pools["p1999"] to 1.31 or earlier.`; got != want {
		t.Errorf("remedy %q, want %q", got, want)
	}
}
