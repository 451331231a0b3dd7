// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestSentences states each kind of rule and advisory in a sentence.
func TestSentences(t *testing.T) {
	p, err := policy.Parse(`{
		"skew_rules": {
			"never-older": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "max_older": 0},
			"older": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "max_older": 1},
			"never-newer": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "endpoint", "max_newer": 0},
			"newer": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "endpoint", "max_newer": 2},
			"same": {"subject": "kube-proxy", "reference": "kubelet", "scope": "node", "max_newer": 0, "max_older": 0},
			"either": {"subject": "kube-apiserver", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 1, "max_older": 1},
			"older-only": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3, "compare_patch": true},
			"newer-only": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 3, "max_older": 0},
			"sometimes": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "conditions": [{"reference": "< 1.5", "max_older": 1, "max_newer": 0}]},
			"by-minor": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "max_older": 3, "conditions": [
				{"reference": ">= 1.6, < 1.7", "max_older": 2}, {"reference": ">= 1.7, < 1.8", "max_older": 1}, {"reference": ">= 1.8, < 1.9", "max_older": 2},
				{"subject": "< 1.5", "max_older": 2}, {"reference": ">= 1.9, < 1.12", "max_older": 0}]},
			"both": {"subject": "istiod", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 1, "max_older": 2, "max_older_during_upgrade": 1,
				"conditions": [{"subject": "< 1.5", "max_older": 1}, {"reference": "< 1.6", "max_newer": 0}, {"subject": "< 1.7", "reference": "< 1.8", "max_older": 3, "max_newer": 4}]}
		},
		"requirement_rules": {
			"when": {"when": {"component": "istiod", "version": "< 1.5"}, "require": {"component": "cilium", "version": ">= 1.6"}},
			"range": {"when": {"component": "istiod", "version": ">= 1.5, < 1.5.3"}, "require": {"component": "cilium", "version": ">= 1.6, < 1.9"}},
			"always": {"when": {"component": "istiod"}, "require": {"component": "cilium", "version": ">= 1.6"}}
		},
		"step_rules": {
			"free": {"component": "kubelet", "conditions": [{"from": "< 1.5", "max_upgrade": 1}]},
			"forth": {"component": "istiod", "max_upgrade": 1, "max_downgrade": 0},
			"total": {"component": "kubelet", "max_downgrade": 1, "max_downgrade_total": 1},
			"per-step-and-total": {"component": "kubelet", "max_downgrade": 1, "max_downgrade_total": 2},
			"back": {"component": "kubelet", "max_upgrade": 0, "max_downgrade": 2},
			"by-move": {"component": "talos", "max_upgrade": 2, "max_downgrade": 1, "conditions": [
				{"from": ">= 1.6, < 1.7", "max_upgrade": 3}, {"from": ">= 1.7, < 1.8", "max_upgrade": 1}, {"from": ">= 1.8, < 1.9", "max_upgrade": 3},
				{"from": ">= 1.1, < 1.2", "to": ">= 1.5, < 1.7", "max_upgrade": 4}, {"to": "< 1.5", "max_upgrade": 0, "max_downgrade": 0}, {"max_downgrade": 3}]}
		},
		"advisories": {
			"a": {"check": "end_of_life", "days": 60, "components": ["kubelet", "kube-proxy"]}, "b": {"check": "latest_patch"}, "c": {"check": "pre_release"},
			"d": {"check": "webhook_match_policy", "components": ["kube-apiserver"]}, "e": {"check": "blocks_next_minor"}, "f": {"check": "minor_move", "note": "Drain."}
		}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range p.PairRules {
		got[r.ID] = report.PairSentence(r)
	}
	for _, r := range p.StepRules {
		got[r.ID] = report.StepSentence(r)
	}
	for _, a := range p.Advisories {
		got[a.ID] = report.AdvisorySentence(a)
	}
	for id, want := range map[string]string{
		"by-move": "talos can be upgraded by at most 2 minor versions per step, and can be rolled back by at most 1 minor version per step; upgraded by at most 3 if it moves from 1.6 or 1.8; " +
			"upgraded by at most 1 if it moves from 1.7; upgraded by at most 4 if it moves from 1.1 to any of 1.5 to 1.6; never rolled back and never upgraded if it moves to a version < 1.5; rolled back by at most 3.",
		"never-older": "kubelet must not be older than any kube-apiserver.",
		"older":       "kubelet may be at most 1 minor version older than any kube-apiserver.",
		"never-newer": "kubelet must not be newer than any kube-apiserver that it can reach.",
		"newer":       "kubelet may be at most 2 minor versions newer than any kube-apiserver that it can reach.",
		"same":        "kube-proxy must have the same minor version as the kubelet on the same node.",
		"sometimes":   "kubelet may differ from any kube-apiserver by any number of minor versions; at most 1 older and never newer if kube-apiserver < 1.5.",
		"by-minor": "kubelet may be at most 3 minor versions older than any kube-apiserver; at most 2 older if kube-apiserver is 1.6 or 1.8; at most 1 older if kube-apiserver is 1.7; " +
			"at most 2 older if kubelet < 1.5; never older if kube-apiserver is 1.9 to 1.11.",
		"range":              "istiod (>= 1.5, < 1.5.3) requires cilium 1.6 to 1.8.",
		"total":              "kubelet can skip minor versions, and can be rolled back by at most 1 minor version in total.",
		"per-step-and-total": "kubelet can skip minor versions, and can be rolled back by at most 1 minor version per step and at most 2 minor versions in total.",
		"either":             "kube-apiserver may be at most 1 minor version older or newer than any other kube-apiserver.",
		"older-only":         "kubelet may be at most 3 minor versions older than any kube-apiserver, and never newer, not even by a patch.",
		"newer-only":         "kubelet may be at most 3 minor versions newer than any kube-apiserver, and never older.",
		"both": "istiod may be at most 2 minor versions older and at most 1 minor version newer than any kube-apiserver; at most 1 older if istiod < 1.5; " +
			"never newer if kube-apiserver < 1.6; at most 3 older and at most 4 newer if istiod < 1.7 and kube-apiserver < 1.8; at most 1 older while kube-apiserver is being upgraded.",
		"when":   "istiod < 1.5 requires cilium >= 1.6.",
		"always": "istiod requires cilium >= 1.6.",
		"free":   "kubelet can skip minor versions, and can be rolled back to any minor version; upgraded by at most 1 if it moves from a version < 1.5.",
		"forth":  "istiod can be upgraded by at most 1 minor version per step, but cannot be rolled back.",
		"back":   "kubelet cannot be upgraded, and can be rolled back by at most 2 minor versions per step.",
		"a":      "Reports kubelet and kube-proxy versions that are past their end of life, or will be within 60 days.",
		"b":      "Reports an upgrade of a component to another minor version that does not start from the newest known patch.",
		"c":      "Reports pre-releases.",
		"d":      "Reports admission webhooks without matchPolicy Equivalent if kube-apiserver moves to another minor version.",
		"e":      "Reports versions that block upgrading the control plane to the next minor version.",
		"f":      "Gives advice if a component moves to another minor version: Drain.",
	} {
		if got[id] != want {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
}

// TestWaivedFindingWithLocalEndpoint checks that a description names the API server
// on the same instance, and the waiver with its last day and its reason.
func TestWaivedFindingWithLocalEndpoint(t *testing.T) {
	c := skewtest.Cluster(t, "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29")
	c.LocalEndpoint = true
	for expires, want := range map[releases.Date]string{{}: `Waived by "w": We know.`, skewtest.Date(t, "2026-12-31"): `Waived until 2026-12-31 by "w": We know.`} {
		findings := evaluation.Check(evaluation.Input{
			Policy: skewtest.Kubernetes(t), Cluster: c,
			Waivers: []finding.Waiver{{Name: "w", RuleID: "kube-scheduler-apiserver", Reason: "We know.", Expires: expires}},
		}).Findings()
		if len(findings) != 1 {
			t.Fatalf("got %+v", findings)
		}
		detail := report.Diagnostic(finding.Problem{Findings: []finding.Finding{findings[0]}}).Message
		for _, part := range []string{want, "than the kube-apiserver on the same instance", report.Describe(findings[0]).Summary[:10]} {
			if !strings.Contains(detail, part) {
				t.Errorf("%q does not contain %q", detail, part)
			}
		}
		if message, _, _ := strings.Cut(detail, "\n"); report.Describe(findings[0]).Message != message {
			t.Errorf("message %q, want %q", report.Describe(findings[0]).Message, message)
		}
		if remedy := report.Describe(findings[0]).Remedy; !strings.HasPrefix(remedy, "Upgrade the kube-scheduler") {
			t.Errorf("remedy %q", remedy)
		}
	}
}

// TestLostZero checks that only versions that look like unquoted numbers get a hint.
func TestLostZero(t *testing.T) {
	for declared, want := range map[string]string{
		"1.0": "", "1.1": "If 1.1 is meant to be 1.10, put it in quotes: a number loses its last zero.",
		"1.9": "If 1.9 is meant to be 1.90, put it in quotes: a number loses its last zero.", "1.10": "", "1.3.0": "",
	} {
		findings := evaluation.Check(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet="+declared)}).Findings()
		if len(findings) != 1 {
			t.Fatalf("got %+v", findings)
		}
		message, got := report.Describe(findings[0]).Message, ""
		if i := strings.Index(message, "If "); i >= 0 {
			got = message[i:]
		}
		if got != want || want == "" && strings.Contains(message, "quote") {
			t.Errorf("%s: %q ends with %q, want %q", declared, message, got, want)
		}
	}
}

// TestWindow describes windows of minors.
func TestWindow(t *testing.T) {
	m := func(minor int) *version.Minor { return &version.Minor{Major: 1, Minor: minor} }
	for _, tt := range []struct {
		window finding.Window
		want   string
	}{
		{finding.Window{}, "any"},
		{finding.Window{Empty: true}, "none"},
		{finding.Window{Minimum: m(28)}, "1.28 or later"},
		{finding.Window{Maximum: m(31)}, "1.31 or earlier"},
		{finding.Window{Minimum: m(28), Maximum: m(31)}, "1.28 to 1.31"},
		{finding.Window{Minimum: m(28), Maximum: m(28)}, "1.28"},
		{finding.Window{Except: []version.Minor{*m(29)}}, "any except 1.29"},
		{finding.Window{Minimum: m(28), Except: []version.Minor{*m(29), *m(30)}}, "1.28 or later except 1.29 and 1.30"},
		{finding.Window{Except: []version.Minor{*m(20), *m(22), *m(23), *m(24)}}, "any except 1.20 and 1.22 to 1.24"},
	} {
		if got := report.Window(tt.window); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.window, got, tt.want)
		}
	}
}

// TestLocations lists up to five locations, and counts the others.
func TestLocations(t *testing.T) {
	for n, want := range []string{
		"", "kubectl[0]", "kubectl[0] and kubectl[1]", "kubectl[0], kubectl[1] and kubectl[2]", "kubectl[0], kubectl[1], kubectl[2] and kubectl[3]",
		"kubectl[0], kubectl[1], kubectl[2], kubectl[3] and kubectl[4]", "kubectl[0], kubectl[1], kubectl[2], kubectl[3], kubectl[4] and 1 more",
	} {
		var locations []finding.Location
		for i := range n {
			locations = append(locations, finding.AtIndex(finding.Kubectl, "", i))
		}
		if got := report.Locations(locations); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestPolicyPage compares the pages of policies with and without optional fields with
// a golden file.
func TestPolicyPage(t *testing.T) {
	base, err := policy.Parse(`{"name": "base", "title": "Base",
		"skew_rules": {"kubelet-apiserver": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 3, "source": "https://example.com/k"}},
		"advisories": {"end-of-life": {"check": "end_of_life", "source": "https://example.com/e"}, "pre-release": {"check": "pre_release", "reason": "It may break.", "source": "https://example.com/p"}}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	minors := []version.Minor{{Major: 1, Minor: 30}, {Major: 1, Minor: 31}}
	var page strings.Builder
	for _, text := range []string{
		`{"name": "ours", "title": "Ours", "description": "What we run.", "source": "https://example.com", "disabled_rules": ["end-of-life"],
			"skew_rules": {"kubelet-apiserver": {"max_older": 1, "reason": "We keep up.", "source": "https://example.com/s", "moved_from": "https://example.com/old", "read_on": "2026-11-20", "read_from": "a third party", "other_reading": "Two would do."}},
			"not_covered": {"x": {"what": "What is <not> said.", "source": "https://example.com/x"}}}`,
		`{"name": "bare", "disabled_rules": ["end-of-life", "pre-release"], "step_rules": {"s": {"component": "a", "max_upgrade": 1}}}`,
	} {
		p, err := policy.Extend(base, text)
		if err != nil {
			t.Fatal(err)
		}
		page.WriteString(report.PolicyMarkdown(p, allowed(p, minors)))
		page.WriteString(report.PolicyMarkdown(p, evaluation.AllowedTable{}))
	}

	// One own rule, one inherited rule, and one control plane.
	var others []string
	for _, r := range skewtest.Kubernetes(t).RuleIDs() {
		if r != "kubelet-apiserver" {
			others = append(others, r)
		}
	}
	disabled, err := json.Marshal(others)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Extend(skewtest.Kubernetes(t), `{"name": "one", "disabled_rules": `+string(disabled)+`, "step_rules": {"s": {"component": "kubelet", "max_upgrade": 1}}}`)
	if err != nil {
		t.Fatal(err)
	}
	page.WriteString(report.PolicyMarkdown(p, allowed(p, minors[:1])))
	golden(t, "policy-page.md", page.String())
}

// TestDiagram draws plans with and without stages.
func TestDiagram(t *testing.T) {
	for _, tt := range []struct{ cluster, target, want string }{
		{"managed: 1.31", "1.31", "nothing to do"},
		{"managed: 1.31", "1.30", "not possible"},
		{"managed: 1.30; node_pools.x: kubelet=1.30", "1.31", "drain first"},
	} {
		plan := upgrade.Compute(upgrade.Request{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.cluster), Target: skewtest.Version(t, tt.target)})
		if got := report.Mermaid(plan); !strings.HasPrefix(got, "flowchart TD\n") || !strings.Contains(got, tt.want) {
			t.Errorf("%s to %s: %q does not contain %q", tt.cluster, tt.target, got, tt.want)
		}
	}
}

// allowed returns the table of all components of a policy.
func allowed(p *policy.Policy, minors []version.Minor) evaluation.AllowedTable {
	return evaluation.Allowed(p, evaluation.ControlPlanes(p, minors), p.MovedComponents())
}

// TestSentencesStateEveryField checks that each field of a rule changes its sentence.
func TestSentencesStateEveryField(t *testing.T) {
	p, err := policy.Parse(`{
		"skew_rules": {"skew": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "endpoint", "max_newer": 1, "max_older": 3, "compare_patch": true,
			"conditions": [{"subject": "< 1.5", "max_older": 2}], "max_older_during_upgrade": 1}},
		"step_rules": {"step": {"component": "kubelet", "max_upgrade": 1, "max_downgrade": 0, "compare_patch": true,
				"conditions": [{"from": "< 1.5", "max_upgrade": 2}]},
			"total": {"component": "kubelet", "max_downgrade": 1, "max_downgrade_total": 1}},
		"requirement_rules": {"required": {"when": {"component": "istiod", "version": "< 1.5"}, "require": {"component": "cilium", "version": ">= 1.6"}}}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	stated := map[string]bool{} // by type and field
	for _, r := range p.PairRules {
		sentence := report.PairSentence(r)
		withoutEachField(*r, func(field string, without policy.PairRule) {
			stated["PairRule."+field] = stated["PairRule."+field] || report.PairSentence(&without) != sentence
		})
	}
	for _, r := range p.StepRules {
		sentence := report.StepSentence(r)
		withoutEachField(*r, func(field string, without policy.StepRule) {
			stated["StepRule."+field] = stated["StepRule."+field] || report.StepSentence(&without) != sentence
		})
	}
	elsewhere := []string{"PairRule.ID", "StepRule.ID", "StepRule.DowngradeReason"} // a column, and the text of findings
	for field, ok := range stated {
		if !ok && !slices.Contains(elsewhere, field) {
			t.Errorf("no sentence in policy.go states %s, or no rule above sets it", field)
		}
	}
}

// withoutEachField calls f with copies of a rule, each with another field that is zero.
// It skips the notes, which have columns of their own.
func withoutEachField[R any](rule R, f func(field string, without R)) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		if _, note := reflect.TypeFor[policy.Notes]().FieldByName(field.Name); note || field.Anonymous {
			continue
		}
		without := rule
		reflect.ValueOf(&without).Elem().FieldByIndex(field.Index).SetZero()
		f(field.Name, without)
	}
}

// TestEveryCauseHasText checks that no kind of cause lacks a text.
func TestEveryCauseHasText(t *testing.T) {
	side := func(component string, at finding.Location) finding.Side {
		return finding.Side{Component: component, Version: skewtest.Version(t, "1.31"), Locations: []finding.Location{at}}
	}
	for _, c := range skewtest.Causes(t) {
		f := finding.Finding{
			RuleID: "rule", Severity: policy.SeverityError, Cause: c,
			Subject: side("kubelet", finding.AtKey(finding.NodePools, "a")), Reference: side("kube-apiserver", finding.AtAttribute(finding.ControlPlaneVersion)),
		}
		f.Allowed.Maximum = &version.Minor{Major: 1, Minor: 31}
		if d := report.Describe(f); strings.HasPrefix(d.Summary, " ") || d.Message == "" || d.Remedy == "" {
			t.Errorf("%T lacks a text: %+v", c, d)
		}
	}
}

// TestEveryCheckHasSentence checks that no kind of advisory lacks a sentence.
func TestEveryCheckHasSentence(t *testing.T) {
	for _, check := range policy.Checks {
		if report.AdvisorySentence(&policy.Advisory{Check: check, Note: "Read the changelog."}) == "" {
			t.Errorf("%s lacks a sentence", check)
		}
	}
}
