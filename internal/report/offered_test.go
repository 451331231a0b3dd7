// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

// TestNotOffered compares the descriptions of versions that the platform does not offer
// with a golden file.
func TestNotOffered(t *testing.T) {
	var b strings.Builder
	for _, tt := range []struct{ from, to, offered string }{
		{"managed: 1.32.9; node_pools.a: kubelet=1.31.2", "managed: 1.33.2; node_pools.a: kubelet=1.31.2", "1.32.9 1.33.4 1.33.5"},
		{"managed: 1.34.1; node_pools.a: kubelet=1.31.2; node_pools.b: kubelet=1.32.1", "managed: 1.34.1; node_pools.a: kubelet=1.33.2; node_pools.b: kubelet=1.33.2", "1.32.9 1.34.1"},
		{"managed: 1.34.1", "managed: 1.35.0", "1.33.5 1.34.1"},
		{"managed: 1.33.5", "managed: 1.33.5; node_pools.a: kubelet=1.33.2; node_pools.b: kubelet=1.33.2", "1.33.4 1.33.5"},
		{"managed: 1.33.4-gke.100", "managed: 1.33.5-gke.100", "1.33.5-gke.200 1.33.5-gke.300"},
		{"", "managed: 1.30.4", "1.33.5 1.34.1"},
		// The platform has retired every version that the step could go to.
		{"managed: 1.32; node_pools.a: kubelet=1.32", "managed: 1.33; node_pools.a: kubelet=1.33; node_pools.b: kubelet=1.32", "1.34 1.35"},
	} {
		in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Day: skewtest.Date(t, "2026-01-15")}
		if tt.from != "" {
			from := skewtest.Cluster(t, tt.from)
			in.Observed = &from
		}
		list := evaluation.OfferedList{Attribute: "available_versions"}
		for v := range strings.FieldsSeq(tt.offered) {
			list.Versions = append(list.Versions, skewtest.Version(t, v))
		}
		in.Offered = evaluation.Offered{ControlPlane: list, NodePools: list}
		fmt.Fprintf(&b, "# %s -> %s, offered: %s\n", tt.from, tt.to, tt.offered)
		for _, p := range finding.Problems(evaluation.Evaluate(in).Findings()) {
			if p.Findings[0].RuleID == "not-offered" {
				fmt.Fprintf(&b, "%s\n%s\n\n", report.DescribeProblem(p).Summary, report.Diagnostic(p).Message)
			}
		}
	}
	golden(t, "offered.txt", b.String())
}
