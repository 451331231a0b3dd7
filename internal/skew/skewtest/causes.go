// SPDX-License-Identifier: MPL-2.0

package skewtest

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

// Causes returns a cause of each kind, of findings on a kubelet and an API server that both
// run 1.31.
func Causes(t testing.TB) []finding.Cause {
	t.Helper()
	v, one := Version(t, "1.31"), 1
	limits := policy.Limits{MaxNewer: &one, MaxOlder: &one}
	rule := &policy.PairRule{ID: "rule", Subject: "kubelet", Reference: "kube-apiserver", Scope: policy.ScopeCluster, Limits: limits}
	mismatch := &finding.Mismatch{Rule: rule, Relation: finding.TooOld, Limits: limits}
	move := finding.Move{Component: "kubelet", Change: finding.Change{From: v, To: v}, Locations: []finding.Location{finding.AtKey(finding.NodePools, "a")}}
	return []finding.Cause{
		mismatch,
		&finding.StepLimit{Rule: &policy.StepRule{}, Limits: policy.StepLimits{MaxUpgrade: &one}},
		&finding.StepOrder{Rule: rule, FromSubject: v, FromReference: v},
		&finding.ApplyOrder{Intermediate: mismatch, Declared: "unordered", First: move, Then: move, Applies: [][]finding.Move{{move}}},
		&finding.NotAvailable{},
		&finding.Held{Stops: finding.Side{Component: "kubelet", Version: v, Locations: move.Locations}, Next: mismatch, Reached: v, Target: v},
		&finding.EndOfLife{Standard: finding.SupportEnd{Date: Date(t, "2026-11-20")}},
		&finding.LatestPatch{Latest: v},
		&finding.Prerelease{},
		&finding.Webhook{From: v},
		&finding.NextMinor{},
		&finding.MinorMove{From: v, Note: "Read the changelog."},
		&finding.NotOffered{From: v, List: "available_versions"},
	}
}
