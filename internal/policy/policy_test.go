// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestKubernetes compares the policy kubernetes with the rules of
// https://kubernetes.io/releases/version-skew-policy/.
func TestKubernetes(t *testing.T) {
	p, err := Builtin(Default)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Subject, Reference           string
		Scope                        Scope
		Newer, Older                 int
		NewerBefore125, Before125    int
		Severity                     Severity
		HasReason, HasAnchoredSource bool
	}
	got := map[string]row{}
	old, err := version.Parse("1.24.17")
	if err != nil {
		t.Fatal(err)
	}
	recent, err := version.Parse("1.25.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.PairRules {
		now, _ := r.LimitsFor(recent, old)
		before, _ := r.LimitsFor(old, recent)
		got[r.ID] = row{
			r.Subject, r.Reference, r.Scope, *now.MaxNewer, *now.MaxOlder, *before.MaxNewer, *before.MaxOlder, r.Severity,
			r.Reason != "", strings.HasPrefix(r.Source, p.Source+"#"),
		}
	}
	want := map[string]row{
		"kube-apiserver-ha":                  {"kube-apiserver", "kube-apiserver", ScopeCluster, 1, 1, 1, 1, SeverityError, true, true},
		"kubelet-apiserver":                  {"kubelet", "kube-apiserver", ScopeEndpoint, 0, 3, 0, 2, SeverityError, true, true},
		"kube-proxy-apiserver":               {"kube-proxy", "kube-apiserver", ScopeEndpoint, 0, 3, 0, 2, SeverityError, true, true},
		"kube-proxy-kubelet":                 {"kube-proxy", "kubelet", ScopeNode, 3, 3, 2, 2, SeverityError, true, true},
		"kube-controller-manager-apiserver":  {"kube-controller-manager", "kube-apiserver", ScopeEndpoint, 0, 1, 0, 1, SeverityError, true, true},
		"kube-scheduler-apiserver":           {"kube-scheduler", "kube-apiserver", ScopeEndpoint, 0, 1, 0, 1, SeverityError, true, true},
		"cloud-controller-manager-apiserver": {"cloud-controller-manager", "kube-apiserver", ScopeEndpoint, 0, 1, 0, 1, SeverityError, true, true},
		"kubectl-apiserver":                  {"kubectl", "kube-apiserver", ScopeCluster, 1, 1, 1, 1, SeverityError, true, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(p.StepRules) != 1 {
		t.Fatalf("%d step rules, want the one of kube-apiserver", len(p.StepRules))
	}
	step := p.StepRules[0]
	if step.ID != "kube-apiserver-step" || step.Component != "kube-apiserver" || *step.MaxUpgrade != 1 || *step.MaxDowngrade != 0 {
		t.Errorf("step rule %+v", step)
	}
}

// TestParseErrors checks the error of each invalid field.
func TestParseErrors(t *testing.T) {
	const rule = `{"subject": "a", "reference": "b", "scope": "cluster"`
	tooLong := strings.Repeat("x", MaxName+1)
	for text, want := range map[string]string{
		``:                    "not a JSON object",
		`{`:                   "the JSON ends too early",
		`[]`:                  "not a JSON object",
		`{} {}`:               "unexpected text after the JSON object",
		`kubernetes`:          "not a JSON object",
		`{"skew_ruless": {}}`: "skew_ruless: unknown field (did you mean \"skew_rules\"?). Use one of the known fields: $schema, advisories, based_on, description, disabled_rules, extends, hidden_components, include,",
		`{"skew_rules": []}`:  "skew_rules: [] is not an object. Write the fields in braces",
		`{"skew_rules": {"x": ` + rule + `, "max": 1}}}`:                                                                  "skew_rules.x.max: unknown field. Use one of the known fields: compare_patch, conditions, max_newer,",
		`{"skew_rules": {"x": {"scope": "cluster"}}}`:                                                                     "skew_rules.x.subject: missing component name",
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "pod"}}}`:                                       `skew_rules.x.scope: unknown scope "pod". Use one of "cluster", "endpoint", "node"`,
		`{"skew_rules": {"x": {"subject": "a", "reference": "b"}}}`:                                                       `skew_rules.x.scope: missing scope. Set it to "cluster"`,
		`{"skew_rules": {"x": {"subject": "kubelets", "reference": "b", "scope": "node"}}}`:                               `skew_rules.x.subject: unknown component "kubelets" (did you mean "kubelet"?)`,
		`{"skew_rules": {"x": ` + rule + `, "severity": "fatal"}}}`:                                                       `skew_rules.x.severity: unknown severity "fatal". Use one of`,
		`{"skew_rules": {"x": ` + rule + `, "max_older": -1}}}`:                                                           "skew_rules.x.max_older: -1 is out of range",
		`{"skew_rules": {"x": ` + rule + `, "max_older": 101}}}`:                                                          "skew_rules.x.max_older: 101 is out of range",
		`{"skew_rules": {"x": ` + rule + `, "max_older": 1.5}}}`:                                                          "skew_rules.x.max_older: 1.5 is not a whole number. Write a whole number without quotes, such as 2",
		`{"skew_rules": {"x": ` + rule + `, "max_older": "1"}}}`:                                                          `skew_rules.x.max_older: "1" is not a whole number`,
		`{"skew_rules": {"x": ` + rule + `, "compare_patch": 1}}}`:                                                        "skew_rules.x.compare_patch: 1 is neither true nor false. Write true or false",
		`{"skew_rules": {"x": ` + rule + `, "reason": 1}}}`:                                                               "skew_rules.x.reason: 1 is not a string. Write it in quotes",
		`{"skew_rules": {"x": ` + rule + `, "max_older_during_upgrade": 500}}}`:                                           "skew_rules.x.max_older_during_upgrade: 500 is out of range",
		`{"skew_rules": {"x": ` + rule + `, "conditions": [{"max_newer": 500}]}}}`:                                        "skew_rules.x.conditions.0.max_newer: 500 is out of range",
		`{"skew_rules": {"x": ` + rule + `, "conditions": [{"subject": "< banana"}]}}}`:                                   `skew_rules.x.conditions.0.subject: invalid version constraint "< banana"`,
		`{"step_rules": {"x": {"max_upgrade": 1}}}`:                                                                       "step_rules.x.component: missing component name",
		`{"step_rules": {"x": {"component": "a", "-": "y"}}}`:                                                             "step_rules.x.-: unknown field",
		`{"step_rules": {"x": {"component": "a", "severity": "loud"}}}`:                                                   `step_rules.x.severity: unknown severity "loud"`,
		`{"requirement_rules": {"x": {"when": {"component": "a"}, "require": {"component": "b"}}}}`:                       `requirement_rules.x.require.version: missing version constraint. Write one such as ">= 1.16"`,
		`{"requirement_rules": {"x": {"when": {"component": "a", "version": 1}}}}`:                                        "requirement_rules.x.when.version: 1 is not a string",
		`{"skew_rules": {"x": ` + rule + `, "max_older": 1}}, "step_rules": {"x": {"component": "a", "max_upgrade": 1}}}`: "step_rules.x: this ID is also in skew_rules. Rename one of the two rules",
		`{"step_rules": {"x": {"component": "a", "conditions": [{}, {"max_upgrade": 101}]}}}`:                             "step_rules.x.conditions.1.max_upgrade: 101 is out of range",
		`{"step_rules": {"x": {"component": "a", "conditions": [{"from": "newest"}]}}}`:                                   `step_rules.x.conditions.0.from: invalid version constraint "newest". Write one such as ">= 1.28, < 1.32"`,
		`{"advisories": {"x": {"check": "weather"}}}`:                                                                     `advisories.x.check: unknown check "weather". Use one of "end_of_life", "latest_patch"`,
		`{"advisories": {"x": {"check": "end_of_life", "days": -1}}}`:                                                     `advisories.x.days: -1 is out of range`,
		`{"advisories": {"x": {"check": "minor_move", "components": ["kubelets"]}}}`:                                      `advisories.x.components.0: unknown component "kubelets" (did you mean "kubelet"?)`,
		`{"advisories": {"x": {"check": "minor_move"}}}`:                                                                  `advisories.x.note: missing note`,
		`{"skew_rules": {"` + tooLong + `": ` + rule + `}}}`:                                                              "skew_rules." + tooLong[:40] + "...: this name has more than 200 characters. Shorten it",
		`{"step_rules": {"x": {"component": "` + tooLong + `"}}}`:                                                         "step_rules.x.component: this name has more than 200 characters. Shorten it",
		`{"extends": "kubernetes", "disabled_rules": ["` + tooLong + `"]}`:                                                "disabled_rules.0: this name has more than 200 characters. Shorten it",
		`{"title": "a", "title": "b"}`:                                                                                    "title: set twice",
		`{"extends": "kubernets"}`:                                                                                        `extends: unknown policy "kubernets" (did you mean "kubernetes"?). Use one of the built-in policies: `,
		`{"extends": "kubernetes", "disabled_rules": ["kubelet"]}`:                                                        `disabled_rules.0: policy kubernetes has no rule "kubelet" to disable. Use one of its rules: admission-webhook-match-policy, admission-webhook-resources, cloud-`,
		`{"extends": "kubernetes", "skew_rules": {"kubelet-apiservr": {"max_older": 1}}}`:                                 `skew_rules.kubelet-apiservr: policy kubernetes has no rule with this ID (did you mean "kubelet-apiserver"?). Correct the ID, or set subject, reference and scope to add a rule`,
		`{"extends": "kubernetes", "step_rules": {"api": {"max_upgrade": 2}}}`:                                            `step_rules.api: policy kubernetes has no rule with this ID. Correct the ID, or set component to add a rule`,
		`{"extends": "kubernetes", "advisories": {"end-of-live": {"days": 2}}}`:                                           `advisories.end-of-live: policy kubernetes has no advisory with this ID (did you mean "end-of-life"?). Use one of its advisories: admission-webhook-match-policy, `,
	} {
		_, err := Parse(text)
		var parseError *ParseError
		if !errors.As(err, &parseError) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want it to contain %s", text, err, want)
			continue
		}
		for _, p := range parseError.Mistakes {
			if p.Repair == "" {
				t.Errorf("%s: no repair for %s", text, p)
			}
			if strings.Contains(p.String(), tooLong) {
				t.Errorf("%s: the problem repeats the whole name", text)
			}
		}
	}
}

func TestParseReportsAllProblems(t *testing.T) {
	_, err := Parse(`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "?"}}, "step_rules": {"y": {}}}`)
	if err == nil || !strings.Contains(err.Error(), "skew_rules.x.scope") || !strings.Contains(err.Error(), "step_rules.y.component") {
		t.Errorf("error %v; want both rules in it", err)
	}
	_, err = Parse(`{"skew_rules": {"x": {"max_older": "1", "max_newer": true}}, "tilte": ""}`)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("error %v; want three problems", err)
	}

	unknown := map[string]any{}
	for i := range 30 {
		unknown[fmt.Sprint("x", i)] = map[string]any{}
	}
	text, err := json.Marshal(map[string]any{"extends": Default, "step_rules": unknown})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(string(text))
	if problems := strings.Split(fmt.Sprint(err), "\n"); len(problems) != 30 || !slices.IsSorted(problems) {
		t.Errorf("error %v; want 30 problems in order", err)
	}
}

// TestExtend checks a policy that changes, adds and disables rules.
func TestExtend(t *testing.T) {
	base, err := Builtin(Default)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Extend(base, `{
		"skew_rules": {
			"kubelet-apiserver": {"max_older": 1, "reason": "We keep up."},
			"kube-proxy-apiserver": {"severity": "warning"},
			"istiod-apiserver": {"subject": "istiod", "reference": "kube-apiserver", "scope": "cluster", "max_older": 5}
		},
		"step_rules": {"kube-apiserver-step": {"max_downgrade": 1}},
		"requirement_rules": {"cilium": {"when": {"component": "kube-apiserver", "version": ">= 1.31"}, "require": {"component": "cilium", "version": ">= 1.16"}}},
		"advisories": {"end-of-life": {"severity": "error", "days": 90}},
		"disabled_rules": ["kubectl-apiserver", "kubelet-drain"]
	}`)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]*PairRule{}
	for _, r := range p.PairRules {
		rules[r.ID] = r
	}
	kubelet := rules["kubelet-apiserver"]
	if *kubelet.MaxOlder != 1 || *kubelet.MaxNewer != 0 || kubelet.Scope != ScopeEndpoint || kubelet.Reason != "We keep up." || kubelet.Source != "" {
		t.Errorf("kubelet-apiserver is %+v", kubelet)
	}
	if len(kubelet.Conditions) != 1 || *kubelet.Conditions[0].MaxOlder != 1 {
		t.Errorf("an inherited condition loosens the limit of kubelet-apiserver: %+v", kubelet.Conditions)
	}
	if r := rules["kube-proxy-apiserver"]; r.Severity != SeverityWarning || *r.MaxOlder != 3 || *r.Conditions[0].MaxOlder != 2 {
		t.Errorf("kube-proxy-apiserver is %+v", r)
	}
	if r := rules["istiod-apiserver"]; r == nil || r.MaxNewer != nil || r.Severity != SeverityError {
		t.Errorf("istiod-apiserver is %+v", r)
	}
	if r := rules["cilium"]; r == nil || r.Subject != "kube-apiserver" || r.Reference != "cilium" || r.Requirement.Require.String() != ">= 1.16" {
		t.Errorf("cilium is %+v", r)
	}
	if rules["kubectl-apiserver"] != nil || len(p.Advisories) != len(base.Advisories)-1 {
		t.Error("a disabled rule is still there")
	}
	if *p.StepRules[0].MaxUpgrade != 1 || *p.StepRules[0].MaxDowngrade != 1 {
		t.Errorf("the step rule is %+v", p.StepRules[0])
	}
	for _, a := range p.Advisories {
		if a.ID == "end-of-life" && (a.Severity != SeverityError || a.Days != 90 || a.Check != CheckEndOfLife || len(a.Components) != 1) {
			t.Errorf("end-of-life is %+v", a)
		}
	}
	if p.BasedOn != Default {
		t.Errorf("the policy is based on %q", p.BasedOn)
	}
	for _, r := range base.PairRules {
		if r.ID == "kubelet-apiserver" && (*r.MaxOlder != 3 || *r.Conditions[0].MaxOlder != 2) {
			t.Errorf("the base has changed: %+v", r)
		}
	}

	again, err := Parse(p.ResolvedJSON())
	if err != nil {
		t.Fatal(err)
	}
	if again.ResolvedJSON() != p.ResolvedJSON() {
		t.Errorf("after a round trip, the policy is\n%s\nnot\n%s", again.ResolvedJSON(), p.ResolvedJSON())
	}
}

// TestBuiltinsRoundTrip checks that each built-in policy can be parsed from its JSON.
func TestBuiltinsRoundTrip(t *testing.T) {
	for _, name := range BuiltinNames() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(p.ResolvedJSON())
		if err != nil {
			t.Fatal(err)
		}
		again.builtin = p.builtin // it depends on no built-in policy
		if diff := cmp.Diff(p, again, cmp.AllowUnexported(Policy{}), cmp.Comparer(func(a, b version.Constraint) bool { return a.String() == b.String() }),
			cmp.Comparer(func(a, b releases.Date) bool { return a == b }), cmp.Comparer(func(a, b *version.Scheme) bool { return a == b }),
			cmp.Comparer(func(a, b version.Version) bool { return a.String() == b.String() && a.Minor() == b.Minor() })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// FuzzParse checks that no input panics, and that the JSON of each valid policy parses
// to the same policy.
func FuzzParse(f *testing.F) {
	base, err := Builtin(Default)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(base.ResolvedJSON())
	f.Add(`{"extends": "kubernetes", "disabled_rules": ["x"], "skew_rules": {"a": null, "b": {"conditions": [null, {}]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.ResolvedJSON())
		if err != nil {
			t.Fatalf("%s\nis valid, but its JSON is not: %v", text, err)
		}
		if again.ResolvedJSON() != p.ResolvedJSON() {
			t.Fatalf("%s\nparses to\n%s\nwhich parses to\n%s", text, p.ResolvedJSON(), again.ResolvedJSON())
		}
	})
}

func TestUnknownBuiltin(t *testing.T) {
	if _, err := Builtin("kubernets"); err == nil || !strings.Contains(err.Error(), Default) {
		t.Errorf("error %v; want it to list the known policies", err)
	}
}
