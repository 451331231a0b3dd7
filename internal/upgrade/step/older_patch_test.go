// SPDX-License-Identifier: MPL-2.0

package step_test

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// TestOlderPatch: a step rule with compare_patch also refuses an older patch of the
// same minor, if both patches are declared.
func TestOlderPatch(t *testing.T) {
	for rule, refused := range map[string]map[[2]string]bool{
		`{"component": "agent", "max_downgrade": 0, "compare_patch": true}`: {
			{"1.16.2", "1.16.1"}: true, {"1.16.2", "1.16.2"}: false, {"1.16.1", "1.16.2"}: false, {"1.16", "1.16.1"}: false, {"1.16.2", "1.16"}: false, {"1.16.2", "1.17.0"}: false,
		},
		`{"component": "agent", "max_downgrade": 0}`:                        {{"1.16.2", "1.16.1"}: false},
		`{"component": "agent", "max_downgrade": 1, "compare_patch": true}`: {{"1.16.2", "1.16.1"}: false},
	} {
		p, err := policy.Parse(`{"step_rules": {"agent": ` + rule + `}}`)
		if err != nil {
			t.Fatal(err)
		}
		for move, want := range refused {
			from, to := skewtest.Cluster(t, "components.agent.0: agent="+move[0]), skewtest.Cluster(t, "components.agent.0: agent="+move[1])
			findings := step.Check(p, from, to, step.Any).Findings
			if len(findings) > 0 != want {
				t.Errorf("%s from %s to %s: findings %+v, want any: %t", rule, move[0], move[1], findings, want)
				continue
			}
			for _, f := range findings {
				if c, ok := f.Cause.(*finding.StepLimit); !ok || !c.Patch || !c.Back || f.Allowed.Constraint() != ">= 1.16.2, < 2.0" {
					t.Errorf("%s from %s to %s: cause %+v, allowed %s; want an older patch, and 1.16.2 or later", rule, move[0], move[1], f.Cause, f.Allowed.Constraint())
				}
			}
		}
	}
}
