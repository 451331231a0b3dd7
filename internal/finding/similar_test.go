// SPDX-License-Identifier: MPL-2.0

package finding_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestSimilar checks that findings on the kubelet and the kube-proxy of a pool are one
// problem if their rules set the same limits and, if patches matter, their patches are
// the same.
func TestSimilar(t *testing.T) {
	three, two := 3, 2
	v := func(s string) version.Version { return skewtest.Version(t, s) }
	rule := func(older *int) *policy.PairRule { return &policy.PairRule{Limits: policy.Limits{MaxOlder: older}} }
	mismatch := func(older *int) *finding.Mismatch {
		return &finding.Mismatch{Rule: rule(older), Relation: finding.TooOld, Limits: policy.Limits{MaxOlder: older}}
	}
	conditional := func(constraint string) *policy.PairRule {
		return &policy.PairRule{Conditions: []policy.Condition{{Subject: skewtest.Constraint(t, constraint)}}}
	}
	required := func(constraint string) *policy.PairRule {
		return &policy.PairRule{Requirement: &policy.Requirement{When: skewtest.Constraint(t, constraint)}}
	}
	order := func(r *policy.PairRule, from string) finding.Cause {
		return &finding.StepOrder{Rule: r, FromSubject: v(from), FromReference: v("1.30")}
	}
	apply := func(m *finding.Mismatch) finding.Cause { return &finding.ApplyOrder{Intermediate: m} }
	yes := true
	patches := &finding.Mismatch{Rule: &policy.PairRule{ComparePatch: &yes}, Relation: finding.TooNew}
	back := func(patch bool) finding.Cause {
		return &finding.StepLimit{Rule: &policy.StepRule{}, Comparable: true, Back: true, Patch: patch}
	}
	for _, tt := range []struct {
		name, kubelet, proxy string // versions
		a, b                 finding.Cause
		want                 bool
	}{
		{"limits", "1.27.1", "1.27.2", mismatch(&three), mismatch(&three), true},
		{"other limits", "1.27", "1.27", mismatch(&three), mismatch(&two), false},
		{"patches compared", "1.27.1", "1.27.1", patches, patches, true},
		{"other patches compared", "1.27.1", "1.27.2", patches, patches, false},
		{"older patch", "1.27.1", "1.27.2", back(true), back(true), false},
		{"older minor", "1.27.1", "1.27.2", back(false), back(false), true},
		{"step order", "1.31.1", "1.31.2", order(rule(&three), "1.29"), order(rule(&three), "1.29"), true},
		{"step order of patches", "1.31.1", "1.31.2", order(rule(&three), "1.31.0"), order(rule(&three), "1.31.0"), false},
		{"step order with other conditions", "1.31", "1.31", order(conditional("< 1.25"), "1.29"), order(conditional("< 1.26"), "1.29"), false},
		{"step order with other requirements", "1.31", "1.31", order(required("< 1.25"), "1.29"), order(required("< 1.26"), "1.29"), false},
		{"apply order", "1.27.1", "1.27.2", apply(mismatch(&three)), apply(mismatch(&three)), true},
		{"apply order of patches", "1.27.1", "1.27.2", apply(patches), apply(patches), false},
		{"held", "1.27", "1.27", &finding.Held{Next: mismatch(&three)}, &finding.Held{Next: mismatch(&three)}, true},
		{"held at other limits", "1.27", "1.27", &finding.Held{Next: mismatch(&three)}, &finding.Held{Next: mismatch(&two)}, false},
		{"next minor", "1.27", "1.27", &finding.NextMinor{Reason: "A."}, &finding.NextMinor{Reason: "A."}, true},
		{"next minor for other reasons", "1.27", "1.27", &finding.NextMinor{Reason: "A."}, &finding.NextMinor{Reason: "B."}, false},
		{"end of life", "1.27.1", "1.27.2", &finding.EndOfLife{Standard: finding.SupportEnd{Days: 1}}, &finding.EndOfLife{Standard: finding.SupportEnd{Days: 1}}, true},
		{"other ends of life", "1.27", "1.27", &finding.EndOfLife{Standard: finding.SupportEnd{Days: 1}}, &finding.EndOfLife{Standard: finding.SupportEnd{Days: 2}}, false},
		{"pre-release", "1.27.0-rc.1", "1.27.0-rc.1", &finding.Prerelease{}, &finding.Prerelease{}, true},
		{"other pre-releases", "1.27.0-rc.1", "1.27.0-rc.2", &finding.Prerelease{}, &finding.Prerelease{}, false},
		{"notes", "1.27", "1.27", &finding.MinorMove{Note: "A."}, &finding.MinorMove{Note: "A."}, true},
		{"other notes", "1.27", "1.27", &finding.MinorMove{Note: "A."}, &finding.MinorMove{Note: "B."}, false},
		{"not available", "1.27", "1.27", &finding.NotAvailable{}, &finding.NotAvailable{}, false},
		{"webhooks", "1.27", "1.27", &finding.Webhook{}, &finding.Webhook{}, true},
	} {
		kubelet, proxy := at(t, "a", tt.kubelet, "1.31", tt.a), at(t, "a", tt.proxy, "1.31", tt.b)
		proxy.RuleID, proxy.Subject.Component = "other", "kube-proxy"
		problems := finding.Group([]finding.Finding{proxy, kubelet})
		if got := len(problems) == 1; got != tt.want {
			t.Errorf("%s: one problem %t, want %t", tt.name, got, tt.want)
		}
		if tt.want && len(problems) == 1 {
			if diff := cmp.Diff([]string{"kubelet", "kube-proxy"}, problems[0].Components()); diff != "" {
				t.Errorf("%s: components (-want +got):\n%s", tt.name, diff)
			}
		}
	}

	// The window also excludes minors between its limits.
	gap := func(n int) finding.Finding {
		f := at(t, "a", "1.27", "1.31", mismatch(&three))
		f.Allowed.Except = []version.Minor{*minor(1, n)}
		return f
	}
	other := gap(30)
	other.RuleID, other.Subject.Component = "other", "kube-proxy"
	if n := len(finding.Group([]finding.Finding{gap(29), other})); n != 2 {
		t.Errorf("windows with other gaps: %d problems, want 2", n)
	}
}

// TestSimilarRulesHaveTheSameFields checks for each field of a rule that problems under
// rules that differ in it are not joined.
func TestSimilarRulesHaveTheSameFields(t *testing.T) {
	p, err := policy.Parse(`{
		"skew_rules": {"skew": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "endpoint", "max_newer": 1, "max_older": 3, "compare_patch": true,
			"conditions": [{"subject": "< 1.5", "max_older": 2}], "max_older_during_upgrade": 1}},
		"requirement_rules": {"required": {"when": {"component": "istiod", "version": "< 1.5"}, "require": {"component": "cilium", "version": ">= 1.6"}}}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	joined := func(a, b *policy.PairRule) bool {
		cause := func(r *policy.PairRule) finding.Cause {
			return &finding.StepOrder{Rule: r, FromSubject: skewtest.Version(t, "1.29"), FromReference: skewtest.Version(t, "1.30")}
		}
		kubelet, proxy := at(t, "a", "1.31", "1.31", cause(a)), at(t, "a", "1.31", "1.31", cause(b))
		proxy.RuleID, proxy.Subject.Component = "other", "kube-proxy"
		return len(finding.Group([]finding.Finding{proxy, kubelet})) == 1
	}
	separate := map[string]bool{}
	for _, r := range p.PairRules {
		if !joined(r, r) {
			t.Errorf("problems under the rule %s are not joined", r.ID)
		}
		for _, field := range reflect.VisibleFields(reflect.TypeFor[policy.PairRule]()) {
			if field.Anonymous {
				continue
			}
			other := *r
			reflect.ValueOf(&other).Elem().FieldByIndex(field.Index).SetZero()
			separate[field.Name] = separate[field.Name] || !joined(r, &other)
		}
	}
	for field, ok := range separate {
		_, note := reflect.TypeFor[policy.Notes]().FieldByName(field)
		if !ok && !note && !slices.Contains([]string{"ID", "Subject", "Reference"}, field) {
			t.Errorf("ruleTerms in similar.go ignores %s, or no rule above sets it", field)
		}
	}
}
