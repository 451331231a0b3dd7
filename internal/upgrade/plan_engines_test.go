// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"sigs.k8s.io/yaml"
)

// TestEnginePlans compares plans with those of other engines: the control-plane steps
// are the same, and the rollouts are the fewest possible.
func TestEnginePlans(t *testing.T) {
	text, err := os.ReadFile("testdata/engines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Source, Target, Verdict string
		ControlPlane                string `json:"control_plane"`
		Pools                       map[string]string
		Available, Steps            []string
		Fewest                      *int
	}
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		t.Run(row.ID, func(t *testing.T) {
			cluster := "control_plane.a: kube-apiserver=" + row.ControlPlane
			for name, v := range row.Pools {
				cluster += fmt.Sprintf("; node_pools.%s: kubelet=%s", name, v)
			}
			r := request(t, cluster, row.Target)
			for _, v := range row.Available {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			var steps []string
			for _, s := range plan.Stages {
				if s.Kind == upgrade.KindControlPlane {
					steps = append(steps, s.To.String())
				}
			}
			var want []string
			for i, s := range row.Steps {
				if len(row.Available) == 0 && i < len(row.Steps)-1 {
					s = skewtest.Version(t, s).Minor().String() // without a list of versions, only the target has a patch
				}
				want = append(want, s)
			}
			if plan.Feasible != (row.Verdict == "ok") || !slices.Equal(steps, want) {
				t.Errorf("%s: feasible %t, steps %v; want %s, %v", row.Source, plan.Feasible, steps, row.Verdict, want)
			}
			if row.Fewest != nil && plan.NodePoolRollouts != *row.Fewest {
				t.Errorf("%s: %d rollouts, want %d", row.Source, plan.NodePoolRollouts, *row.Fewest)
			}
			checkWalk(t, r, plan)
		})
	}
}
