// SPDX-License-Identifier: MPL-2.0

package walk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// TestCLIUpgrade checks that an EKS module whose versions come from next reaches the target
// in as many applies as the first upgrade plan has stages, and that the platform rejects
// no operation. A target that cannot be reached makes the plan of the module fail.
func TestCLIUpgrade(t *testing.T) {
	for _, tt := range []struct {
		name, strategy string
		held           []string
		want           platform.Cluster
	}{
		{"fewest_rollouts", "fewest_rollouts", nil, eks("1.34", "1.34", "1.34")},
		{"required_only", "required_only", nil, eks("1.34", "1.31", "1.32")}, // gpu has to move and goes as far as it can, general can stay at 1.31
		{"follow", "follow", nil, eks("1.34", "1.34", "1.34")},
		{"held", "fewest_rollouts", []string{"gpu"}, eks("1.32", "1.31", "1.29")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			for from, to := range map[string]string{"testdata/eks-by-plan": ".", "../../../examples/modules/eks": "eks"} {
				if err := os.CopyFS(filepath.Join(directory, to), os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
			}
			module, world := acctest.NewAttachedModule(t, directory)
			variables := map[string]any{"start": map[string]any{
				"control_plane_version": "1.31", "node_groups": map[string]string{"general": "1.31", "gpu": "1.29"}, "kube_proxy": "v1.30.4-eksbuild.2",
			}}
			declare := func(name string, value any) {
				variables[name] = value
				module.Set(variables)
			}
			declare("strategy", tt.strategy)
			declare("held_node_pools", tt.held)
			declare("available_versions", []string{"1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35"})
			module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")

			declare("target_version", "1.29")
			out, err := module.Run("plan", "-input=false", "-no-color")
			if err == nil || !regexp.MustCompile(`(?s)Warning: No upgrade path to 1\.29.*local\.next is null`).MatchString(out) {
				t.Errorf("plan with an unreachable target: error %v\n%s", err, out)
			}

			declare("target_version", "1.34")
			promised := 0
			for number := 1; ; number++ {
				out := module.MustRun("plan", "-input=false", "-no-color", "-out=next.tfplan")
				if stopped := strings.Contains(out, "Warning: Held node pools keep the cluster from reaching 1.34"); stopped != (tt.held != nil) {
					t.Errorf("warning about held node pools: %t\n%s", stopped, out)
				}
				left := stagesLeft(t, module.MustRun("show", "-json", "next.tfplan"))
				if number == 1 {
					promised = left
				}
				if left != promised-number+1 {
					t.Fatalf("before apply %d of %d, %d stages are left", number, promised, left)
				}
				module.MustRun("apply", "-input=false", "-no-color", "next.tfplan")
				if left == 0 {
					break
				}
			}
			module.MustRun("plan", "-input=false", "-no-color", "-detailed-exitcode") // fails on any change
			for _, m := range world.History {
				if violations := m.Cluster.Violations(); m.Refused != "" || m.Failed || len(violations) > 0 {
					t.Errorf("after %s: platform error %q, violations %v", m.Operation, m.Refused, violations)
				}
			}
			runs := world.Clusters["main"]
			if !maps.Equal(runs.ControlPlane, tt.want.ControlPlane) || !maps.Equal(runs.Pools, tt.want.Pools) || tt.held == nil && !strings.HasPrefix(runs.KubeProxy, "v1.34.") {
				t.Errorf("after the upgrade, %v runs, want %v", *runs, tt.want)
			}
			t.Logf("%d stages: %v", promised, *runs)
		})
	}
}

func eks(controlPlane, general, gpu string) platform.Cluster {
	return platform.Cluster{ControlPlane: map[string]string{platform.Managed: controlPlane}, Pools: map[string]string{"general": general, "gpu": gpu}}
}

// stagesLeft returns the output stages_left of a plan in JSON.
func stagesLeft(t *testing.T, plan string) int {
	t.Helper()
	var shown struct {
		PlannedValues struct {
			Outputs struct {
				StagesLeft struct{ Value int } `json:"stages_left"`
			} `json:"outputs"`
		} `json:"planned_values"`
	}
	if err := json.Unmarshal([]byte(plan), &shown); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, plan))
	}
	return shown.PlannedValues.Outputs.StagesLeft.Value
}
