// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"sigs.k8s.io/yaml"
)

// versions lists the versions of the instances of each component.
type versions map[string][]string

// TestEngineCases compares the policy kubernetes with the test cases of other engines.
func TestEngineCases(t *testing.T) {
	text, err := os.ReadFile("testdata/engines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Source, Verdict string
		From, To            versions
		Nodes               []map[string]string
	}
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		t.Run(row.ID, func(t *testing.T) {
			if row.Verdict == "invalid-input" {
				if !anyInvalid(row.From, row.To) {
					t.Fatalf("%s: all versions in %v and %v are accepted", row.Source, row.From, row.To)
				}
				return
			}
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: cluster(t, row.To, row.Nodes)}
			if row.From != nil {
				from := cluster(t, row.From, nil)
				in.Observed, in.ApplyOrder = &from, step.Any
			}
			findings := evaluation.Check(in).Findings()
			if failed := len(findings) > 0; failed != (row.Verdict == "error") {
				t.Errorf("%s: got %[4]v for %[2]v to %[3]v, want %[5]s", row.Source, row.From, row.To, summaries(findings), row.Verdict)
			}
		})
	}
}

func anyInvalid(all ...versions) bool {
	for _, byComponent := range all {
		for _, list := range byComponent {
			if slices.ContainsFunc(list, func(s string) bool { _, err := version.Parse(s); return err != nil }) {
				return true
			}
		}
	}
	return false
}

// cluster returns a cluster in which the n-th instances of all control-plane components
// run on the n-th control-plane instance. Other instances have separate places, unless
// nodes says which kubelet and kube-proxy share one.
func cluster(t *testing.T, v versions, nodes []map[string]string) skew.Cluster {
	t.Helper()
	var places []string
	for _, component := range slices.Sorted(maps.Keys(v)) {
		for i, s := range v[component] {
			switch {
			case slices.Contains(skew.ControlPlaneComponents, component):
				places = append(places, fmt.Sprintf("control_plane.%s-%d: %s=%s", component, i, component, s))
			case component == "kubelet" || component == "kube-proxy":
				if len(nodes) == 0 {
					places = append(places, fmt.Sprintf("node_pools.%s-%d: %s=%s", component, i, component, s))
				}
			default:
				places = append(places, fmt.Sprintf("components.%s.%d: %s=%s", component, i, component, s))
			}
		}
	}
	for i, node := range nodes {
		place := fmt.Sprintf("node_pools.node-%d:", i)
		for _, component := range slices.Sorted(maps.Keys(node)) {
			place += " " + component + "=" + node[component]
		}
		places = append(places, place)
	}
	return skewtest.Cluster(t, strings.Join(places, ";"))
}

func summaries(findings []finding.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, report.Describe(f).Summary)
	}
	return all
}
