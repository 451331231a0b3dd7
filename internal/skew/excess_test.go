// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// kubeletRule returns the rule of the page: kubelet must not be newer than
// kube-apiserver, and may be up to three minor versions older, or two if it is older
// than 1.25 (https://kubernetes.io/releases/version-skew-policy/#kubelet).
func kubeletRule(t testing.TB) *policy.PairRule {
	t.Helper()
	for _, r := range skewtest.Kubernetes(t).PairRules {
		if r.ID == "kubelet-apiserver" {
			return r
		}
	}
	t.Fatal("no rule kubelet-apiserver")
	return nil
}

func TestExceeds(t *testing.T) {
	kubelet := kubeletRule(t)
	patches, yes := *kubelet, true
	patches.ComparePatch = &yes
	requirement := &policy.PairRule{
		ID: "istio", Subject: "kube-apiserver", Reference: "istiod", Scope: policy.ScopeCluster,
		Requirement: &policy.Requirement{When: skewtest.Constraint(t, ">= 1.31"), Require: skewtest.Constraint(t, ">= 1.23")},
	}
	for _, tt := range []struct {
		rule               *policy.PairRule
		subject, reference string
		want               skew.Excess
	}{
		{kubelet, "1.31", "1.31", skew.Excess{Relation: finding.Within}},
		{kubelet, "1.28", "1.31", skew.Excess{Relation: finding.Within}},
		{kubelet, "1.27", "1.31", skew.Excess{Relation: finding.TooOld, Minors: 1}},
		{kubelet, "1.26", "1.31", skew.Excess{Relation: finding.TooOld, Minors: 2}},
		{kubelet, "1.24", "1.27", skew.Excess{Relation: finding.TooOld, Minors: 1}}, // two minors for kubelets before 1.25
		{kubelet, "1.32", "1.31", skew.Excess{Relation: finding.TooNew, Minors: 1}},
		{kubelet, "1.34.1", "1.31.5", skew.Excess{Relation: finding.TooNew, Minors: 3}},
		{kubelet, "1.31.9", "1.31.2", skew.Excess{Relation: finding.Within}},
		{&patches, "1.31.9", "1.31.2", skew.Excess{Relation: finding.TooNew, Patches: 7}},
		{&patches, "1.32.9", "1.31.2", skew.Excess{Relation: finding.TooNew, Minors: 1}},
		{kubelet, "2.0", "1.31", skew.Excess{Relation: finding.Incomparable}},
		{requirement, "1.31", "1.22", skew.Excess{Relation: finding.Unmet}},
		{requirement, "1.30", "1.22", skew.Excess{Relation: finding.Within}},
	} {
		got := skew.ExcessOf(tt.rule, skewtest.Version(t, tt.subject), skewtest.Version(t, tt.reference))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s beside %s (-want +got):\n%s", tt.rule.ID, tt.subject, tt.reference, diff)
		}
	}
}

// TestWorse: a step must not make a violation worse. Another limit is worse, and so
// are more minors or patches beyond the same limit.
func TestWorse(t *testing.T) {
	within := skew.Excess{Relation: finding.Within}
	old1, old2 := skew.Excess{Relation: finding.TooOld, Minors: 1}, skew.Excess{Relation: finding.TooOld, Minors: 2}
	new1 := skew.Excess{Relation: finding.TooNew, Minors: 1}
	patch3, patch4 := skew.Excess{Relation: finding.TooNew, Patches: 3}, skew.Excess{Relation: finding.TooNew, Patches: 4}
	unmet := skew.Excess{Relation: finding.Unmet}
	for _, tt := range []struct {
		name          string
		after, before skew.Excess
		want          bool
	}{
		{"allowed before and after", within, within, false},
		{"repaired", within, old2, false},
		{"no longer allowed", old1, within, true},
		{"farther behind", old2, old1, true},
		{"less far behind", old1, old2, false},
		{"unchanged", old1, old1, false},
		{"from too old to too new", new1, old2, true},
		{"more patches ahead", patch4, patch3, true},
		{"fewer patches ahead", patch3, patch4, false},
		{"a minor ahead and no longer only patches", new1, patch4, true},
		{"patches ahead and no longer a minor", patch4, new1, false},
		{"a requirement that is still unmet", unmet, unmet, false},
	} {
		if got := tt.after.Worse(tt.before); got != tt.want {
			t.Errorf("%s: worse %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestExcessGrowsWithTheDistance: beyond a limit, each further minor adds one to the
// excess and makes it worse. Nothing is worse than itself.
func TestExcessGrowsWithTheDistance(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t, kubernetes)
		r := rapid.SampledFrom(p.PairRules).Draw(t, "rule")
		r = &policy.PairRule{ID: r.ID, Subject: r.Subject, Reference: r.Reference, Scope: r.Scope, Limits: r.Limits}
		reference := version.Minor{Major: 1, Minor: rapid.IntRange(20, 40).Draw(t, "reference")}
		distance := rapid.IntRange(-15, 15).Draw(t, "distance")
		further := distance + 1
		if distance < 0 {
			further = distance - 1
		}
		now := skew.ExcessOf(r, reference.Add(distance).Version(), reference.Version())
		next := skew.ExcessOf(r, reference.Add(further).Version(), reference.Version())
		switch {
		case now.Worse(now):
			t.Fatalf("%+v is worse than itself", now)
		case now.Relation != finding.Within && (!next.Worse(now) || now.Worse(next) || next.Minors != now.Minors+1):
			t.Fatalf("%+v at %d minors, %+v at %d", now, distance, next, further)
		case now.Relation == finding.Within && next.Relation != finding.Within && next.Minors != 1:
			t.Fatalf("the first minor beyond the limit is %+v", next)
		}
	})
}
