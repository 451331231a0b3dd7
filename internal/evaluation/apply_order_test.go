// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

// TestAddOnInTheSameApply checks that an apply that upgrades Karpenter together with the
// cluster is reported, because the new API server meets the old Karpenter: the table at
// https://karpenter.sh/docs/upgrading/compatibility/ requires Karpenter 1.13 for 1.36.
func TestAddOnInTheSameApply(t *testing.T) {
	p, err := policy.Parse(`{"extends": "eks", "include": ["addons/karpenter"]}`)
	if err != nil {
		t.Fatal(err)
	}
	from := skewtest.Cluster(t, "managed: 1.35; components.karpenter.0: karpenter=1.9.0")
	in := evaluation.Input{Policy: p, Observed: &from, Cluster: skewtest.Cluster(t, "managed: 1.36; components.karpenter.0: karpenter=1.13.0")}
	findings := evaluation.Check(in).Findings()
	problems := finding.Problems(findings)
	if len(problems) != 1 || problems[0].Findings[0].Severity != policy.SeverityError {
		t.Fatalf("got %+v, want one error", findings)
	}
	text := report.DescribeProblem(problems[0]).Summary + "\n" + report.Diagnostic(problems[0]).Message
	for _, want := range []string{
		"kube-apiserver 1.36 requires karpenter >= 1.13, but would run with 1.9.0 partway through this apply (control_plane_version)",
		"The control plane moves before the node pools and components",
		`upgrade components["karpenter"][0] to 1.13.0 in a separate apply first`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from:\n%s", want, text)
		}
	}

	in.Observed = &in.Cluster // Karpenter was upgraded before
	if findings := evaluation.Check(in).Findings(); len(findings) > 0 {
		t.Errorf("after the upgrade: got %+v", findings)
	}
}
