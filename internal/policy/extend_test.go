// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExtendOverridesFields checks for each field that a given value overrides the
// inherited one, and that null and missing fields are inherited. A changed limit also
// drops the source and the reason of the inherited one.
func TestExtendOverridesFields(t *testing.T) {
	type fields = map[string]string // a value and another one
	types := map[string]reflect.Type{
		"skew_rules": reflect.TypeFor[PairRule](), "step_rules": reflect.TypeFor[StepRule](),
		"requirement_rules": reflect.TypeFor[requirementRule](), "advisories": reflect.TypeFor[Advisory](),
	}
	with := func(own fields) fields {
		maps.Copy(own, fields{"severity": `"warning" "info"`, "source": `"https://a" "https://b"`, "moved_from": `"https://c" "https://d"`, "read_on": `"2026-01-01" "2026-01-02"`, "read_from": `"E" "F"`, "reason": `"A." "B."`, "other_reading": `"C." "D."`})
		return own
	}
	for section, all := range map[string]fields{
		"skew_rules": with(fields{
			"subject": `"a" "b"`, "reference": `"c" "d"`, "scope": `"endpoint" "cluster"`, "max_newer": `1 2`, "max_older": `3 4`, "compare_patch": `true false`,
			"conditions": `[{"subject":"<1.5","max_newer":1,"max_older":2}] [{"reference":"<1.6","max_older":1}]`, "max_older_during_upgrade": `2 1`,
		}),
		"step_rules": with(fields{"component": `"a" "b"`, "max_upgrade": `1 2`, "max_downgrade": `0 1`, "max_downgrade_total": `3 2`, "compare_patch": `true false`,
			"conditions": `[{"from":"<1.5","max_upgrade":1,"max_downgrade":1}] [{"to":"<1.6","max_upgrade":1}]`, "downgrade_reason": `"E." "F."`}),
		"requirement_rules": with(fields{
			"when": `{"component":"a","version":"<1.5"} {"component":"b","version":"<1.6"}`, "require": `{"component":"c","version":"<1.7"} {"component":"d","version":"<1.8"}`,
		}),
		"advisories": with(fields{"check": `"minor_move" "pre_release"`, "components": `["a"] ["b","c"]`, "days": `1 2`, "note": `"G." "H."`}),
	} {
		for _, name := range fieldNames(types[section]) {
			if all[name] == "" && section+"."+name != "advisories.drain" { // see TestDrainIsInherited
				t.Errorf("%s.%s is not tested: add two values to the map above", section, name)
			}
		}
		before, after := map[string]any{}, map[string]any{}
		for name, values := range all {
			var a, b any
			decoder := json.NewDecoder(strings.NewReader(values))
			if decoder.Decode(&a) != nil || decoder.Decode(&b) != nil {
				t.Fatalf("%s: %s", name, values)
			}
			before[name], after[name] = a, b
		}
		policy := func(rule map[string]any) string {
			text, err := json.Marshal(map[string]any{section: map[string]any{"x": rule}})
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		base, err := Parse(policy(before))
		if err != nil {
			t.Fatal(err)
		}
		for name := range all {
			want := maps.Clone(before)
			want[name] = after[name]
			field, known := fieldNamed(reflect.New(types[section]).Elem(), name)
			if !known {
				t.Fatalf("%s has no field %s", section, name)
			}
			// All limits are pointers.
			if field.Kind() == reflect.Pointer || slices.Contains([]string{"conditions", "when", "require"}, name) {
				for _, note := range []string{"source", "moved_from", "read_on", "read_from", "reason", "other_reading"} {
					delete(want, note)
				}
				if strings.HasPrefix(name, "max_downgrade") || section == "step_rules" && slices.Contains([]string{"compare_patch", "conditions"}, name) {
					delete(want, "downgrade_reason")
				}
			}
			change := map[string]any{name: after[name]}
			for other := range all {
				if other != name {
					change[other] = nil // the same as a missing field
				}
			}
			// What describes a source requires it, and is only inherited together with it.
			if citation := []string{"source", "moved_from", "read_on", "read_from"}; slices.Contains(citation, name) {
				for _, other := range citation {
					delete(want, other)
				}
				want["source"], want[name] = after["source"], after[name]
				change["source"] = after["source"]
			}
			p, err := Extend(base, policy(change))
			if err != nil {
				t.Errorf("%s.%s: %v", section, name, err)
				continue
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(p.ResolvedJSON()), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"x": want}, got[section]); diff != "" {
				t.Errorf("%s.%s: %s", section, name, diff)
			}
		}
	}
}

// TestSourceOfChangedLimit checks that a changed limit drops the inherited source and
// reason, unless the policy gives a source.
func TestSourceOfChangedLimit(t *testing.T) {
	base, err := Parse(`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "max_older": 3, "severity": "warning", "source": "https://a", "moved_from": "https://b", "read_on": "2026-01-01", "read_from": "D", "reason": "A.", "other_reading": "B."}},
		"step_rules": {"y": {"component": "a", "max_upgrade": 1, "max_downgrade": 0, "source": "https://a", "reason": "A.", "downgrade_reason": "B."}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{}`:                               "{warning {https://a https://b 2026-01-01 D} A. B.}",
		`{"max_older": 3}`:                 "{warning {https://a https://b 2026-01-01 D} A. B.}",
		`{"max_older": 2}`:                 "{warning {   }  }",
		`{"max_newer": 0}`:                 "{warning {   }  }",
		`{"max_older": 2, "reason": "C."}`: "{warning {   } C. }",
		`{"max_older": 2, "source": "https://c"}`:          "{warning {https://c   } A. B.}",
		`{"reason": "C."}`:                                 "{warning {https://a https://b 2026-01-01 D} C. B.}",
		`{"source": "https://c", "read_on": "2026-01-02"}`: "{warning {https://c  2026-01-02 } A. B.}",
		`{"source": "https://a", "read_from": "E"}`:        "{warning {https://a   E} A. B.}",
		`{"severity": "info"}`:                             "{info {https://a https://b 2026-01-01 D} A. B.}",
	} {
		p, err := Extend(base, `{"skew_rules": {"x": `+text+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(p.PairRules[0].Notes); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"max_upgrade": 1, "max_downgrade": 0}`:         "https://a A. B.",
		`{"max_upgrade": 2}`:                             "  B.",
		`{"max_downgrade": 1}`:                           "  ",
		`{"max_downgrade_total": 1}`:                     "  ",
		`{"max_downgrade": 1, "downgrade_reason": "C."}`: "  C.",
		`{"max_downgrade": 1, "source": "https://c"}`:    "https://c A. B.",
	} {
		p, err := Extend(base, `{"step_rules": {"y": `+text+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		if r := p.StepRules[0]; r.Source+" "+r.Reason+" "+r.DowngradeReason != want {
			t.Errorf("%s: %s %s %s, want %s", text, r.Source, r.Reason, r.DowngradeReason, want)
		}
	}
}

// TestDrainIsInherited checks that a policy can set drain, but not unset it.
func TestDrainIsInherited(t *testing.T) {
	for _, parent := range []bool{false, true} {
		for _, child := range []bool{false, true} {
			const text = `{"advisories": {"x": {"check": "minor_move", "note": "N.", "drain": %t}}}`
			base, err := Parse(fmt.Sprintf(text, parent))
			if err != nil {
				t.Fatal(err)
			}
			p, err := Extend(base, fmt.Sprintf(text, child))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Advisories[0].Drain; got != (parent || child) {
				t.Errorf("parent %t, child %t: %t", parent, child, got)
			}
		}
	}
}

// TestExtendRequirement checks that each field of a requirement can be overridden.
func TestExtendRequirement(t *testing.T) {
	base, err := Parse(`{"requirement_rules": {"x": {"when": {"component": "a", "version": "<1.5"}, "require": {"component": "c", "version": "<1.7"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"when": {"version": "<1.6"}}`:    "a <1.6 c <1.7",
		`{"when": {"component": "b"}}`:     "b <1.5 c <1.7",
		`{"require": {"version": "<1.8"}}`: "a <1.5 c <1.8",
		`{"require": {"component": "d"}}`:  "a <1.5 d <1.7",
	} {
		p, err := Extend(base, `{"requirement_rules": {"x": `+text+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		r := p.PairRules[0]
		if got := fmt.Sprint(r.Subject, " ", r.Requirement.When, " ", r.Reference, " ", r.Requirement.Require); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestExtendTexts checks that the name, the title and other texts of a policy are
// inherited unless they are given.
func TestExtendTexts(t *testing.T) {
	base, err := Parse(`{"name": "base", "title": "A", "description": "A.", "source": "https://a", "not_covered": {"x": {"what": "X.", "source": "https://x"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if n := base.NotCovered; len(n) != 1 || *n[0] != (NotCovered{ID: "x", What: "X.", Citation: Citation{Source: "https://x"}}) {
		t.Errorf("base does not cover %+v", n)
	}
	for text, want := range map[string]string{
		`{}`: "custom A A. https://a [x] base",
		`{"name": "n", "title": "B", "description": "B.", "source": "https://b", "not_covered": {"y": {"what": "Y."}}}`: "n B B. https://b [x y] base",
	} {
		p, err := Extend(base, text)
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, n := range p.NotCovered {
			ids = append(ids, n.ID)
		}
		if got := fmt.Sprint(p.Name, " ", p.Title, " ", p.Description, " ", p.Source, " ", ids, " ", p.BasedOn); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestInheritedConditions checks that inherited conditions never loosen a limit that the
// policy sets, and that such a limit never loosens them.
func TestInheritedConditions(t *testing.T) {
	base, err := Parse(`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "max_newer": 3, "max_older": 3, "conditions": [
		{"subject": "<1.5", "max_newer": 2}, {"subject": "<1.6", "max_older": 2}]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{}`:                               "3 3, 2 -, - 2",
		`{"max_newer": 1}`:                 "1 3, 1 -, - 2",
		`{"max_older": 1}`:                 "3 1, 2 -, - 1",
		`{"max_newer": 4, "max_older": 4}`: "4 4, 2 -, - 2",
	} {
		p, err := Extend(base, `{"skew_rules": {"x": `+text+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := limitsOf(p.PairRules[0]); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := limitsOf(base.PairRules[0]); got != "3 3, 2 -, - 2" {
		t.Errorf("the base changed to %s", got)
	}
}

// TestInheritedStepConditions checks the same for step rules.
func TestInheritedStepConditions(t *testing.T) {
	base, err := Parse(`{"step_rules": {"x": {"component": "a", "max_upgrade": 2, "max_downgrade": 1, "conditions": [
		{"to": "< 1.5", "max_upgrade": 4}, {"from": "< 1.6", "max_upgrade": 1, "max_downgrade": 0}]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{}`:                                     "1 2, - 4, 0 1",
		`{"max_upgrade": 3}`:                     "1 3, - 3, 0 1",
		`{"max_upgrade": 1}`:                     "1 1, - 1, 0 1",
		`{"max_downgrade": 2}`:                   "2 2, - 4, 0 1",
		`{"conditions": []}`:                     "1 2",
		`{"conditions": [{"max_downgrade": 3}]}`: "1 2, 3 -",
	} {
		p, err := Extend(base, `{"step_rules": {"x": `+text+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := limitsOf(p.StepRules[0].PairRule()); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// limitsOf formats the limits of a rule and its conditions as "newer older".
func limitsOf(r *PairRule) string {
	limit := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	all := []string{limit(r.MaxNewer) + " " + limit(r.MaxOlder)}
	for _, c := range r.Conditions {
		all = append(all, limit(c.MaxNewer)+" "+limit(c.MaxOlder))
	}
	return strings.Join(all, ", ")
}

// TestDuringUpgrade checks that limits during an upgrade are never looser, and that the
// policy itself does not change.
func TestDuringUpgrade(t *testing.T) {
	const conditions = `, "conditions": [{"subject": "<1.5", "max_newer": 1}, {"subject": "<1.6", "max_older": 1}, {"subject": "<1.7", "max_older": 4}]`
	for rule, want := range map[string]string{
		`"max_older": 3`: "- 3",
		`"max_older": 3, "max_older_during_upgrade": 2` + conditions: "- 2, 1 -, - 1, - 2",
		`"max_older": 1, "max_older_during_upgrade": 2` + conditions: "- 1, 1 -, - 1, - 2",
		`"max_older_during_upgrade": 2` + conditions:                 "- 2, 1 -, - 1, - 2",
	} {
		p, err := Parse(`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", ` + rule + `}}}`)
		if err != nil {
			t.Fatal(err)
		}
		before := limitsOf(p.PairRules[0])
		if got := limitsOf(p.PairRules[0].DuringUpgrade()); got != want {
			t.Errorf("%s: %s during an upgrade, want %s", rule, got, want)
		}
		if after := limitsOf(p.PairRules[0]); after != before {
			t.Errorf("%s: %s changed to %s", rule, before, after)
		}
	}
}

// TestRuleIDs checks that rules of each kind are sorted by ID, and can be disabled by it.
func TestRuleIDs(t *testing.T) {
	p, err := Parse(`{
		"skew_rules": {"c": {"subject": "z", "reference": "y", "scope": "cluster", "max_older": 1}, "a": {"subject": "z", "reference": "z", "scope": "cluster", "max_older": 1}},
		"requirement_rules": {"b": {"when": {"component": "x"}, "require": {"component": "y", "version": "<1.5"}}},
		"step_rules": {"e": {"component": "w", "max_upgrade": 1, "severity": "warning"}, "d": {"component": "w", "max_upgrade": 1}, "h": {"component": "z", "max_upgrade": 1}},
		"advisories": {"g": {"check": "pre_release"}, "f": {"check": "minor_move", "components": ["z"], "note": "N."}}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, r := range p.PairRules {
		pairs = append(pairs, r.ID)
	}
	if got := fmt.Sprint(pairs, p.RuleIDs(), p.Components()); got != "[a b c] [a b c d e f g h] [w x y z]" {
		t.Errorf("got %s", got)
	}
	if w := p.StepRulesFor("w"); len(w) != 1 || w[0].ID != "d" {
		t.Errorf("step rules with severity error: %+v", w)
	}
	if f, g := p.Advisories[0], p.Advisories[1]; f.Covers("w") || !f.Covers("z") || !g.Covers("w") || g.Severity != SeverityWarning {
		t.Errorf("advisories %+v and %+v", f, g)
	}
	for i, id := range p.RuleIDs() {
		shorter, err := Extend(p, fmt.Sprintf(`{"disabled_rules": [%q]}`, id))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := shorter.RuleIDs(), slices.Delete(p.RuleIDs(), i, i+1); !slices.Equal(got, want) || strings.Contains(shorter.ResolvedJSON(), "disabled_rules") {
			t.Errorf("without %s: %v in %s", id, got, shorter.ResolvedJSON())
		}
	}
}

// TestParseReportsMistakesOnce checks that all problems are reported, each once.
func TestParseReportsMistakesOnce(t *testing.T) {
	base, err := Parse(`{"name": "base", "requirement_rules": {"cilium": {"when": {"component": "a"}, "require": {"component": "b", "version": "<1.5"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	const (
		needs     = "Correct the ID, or set "
		scope     = `skew_rules.x.scope: missing scope. Set it to "cluster"`
		placed    = `skew_rules.x.scope: missing scope. Set it to "cluster" (every kube-apiserver), "endpoint" (those that kubelet connects to) or "node" (the one on the same node)`
		component = `: missing component name. Write one such as "kubelet" or "kube-apiserver"`
		correct   = "Correct the JSON there: check the commas and colons, and write names in double quotes"
		noSkew    = "skew_rules.x: a rule without limits never applies. Set max_newer, max_older or both to a number of minor versions"
		noStep    = "step_rules.x: a rule without limits never applies. Set max_upgrade, max_downgrade or both to a number of minor versions"
		noNode    = `so the rule never applies. Use "cluster". Only kube-apiserver, kube-controller-manager, kube-scheduler, cloud-controller-manager, kubelet, kube-proxy are declared for a node`
		unknown   = ` (did you mean "kubelet"?). Write "kubelet", or a name that differs in more than two letters`
	)
	for text, want := range map[string]string{
		``:                                  "not a JSON object. Write the fields in braces",
		`{`:                                 "the JSON ends too early. Add what is missing at its end, such as a quote, a bracket or a brace",
		`{"title"`:                          "the JSON ends too early. Add what is missing at its end, such as a quote, a bracket or a brace",
		`{"title": `:                        "the JSON ends too early. Add what is missing at its end, such as a quote, a bracket or a brace",
		`{"title": "a"`:                     "the JSON ends too early. Add what is missing at its end, such as a quote, a bracket or a brace",
		`{"tilte": "a"`:                     "the JSON ends too early. Add what is missing at its end, such as a quote, a bracket or a brace",
		`{1: 2}`:                            `unexpected "1" in line 1, column 2 of the JSON. ` + correct,
		`{"extends": "eks", }`:              `unexpected "}" in line 1, column 20 of the JSON. Remove the comma before it`,
		"{\n  \"include\": [\"x\",\n  ]\n}": `unexpected "]" in line 3, column 3 of the JSON. Remove the comma before it`,
		"{\n  \"title\": \"ä\" \"b\"\n}":    `unexpected "\"" in line 2, column 16 of the JSON. ` + correct,
		"{\n  \"title\": \"a\n\"}":          `a string contains a line break in line 2, column 14 of the JSON. End the string with a quote, or write the line break as \n`,
		"{\x00}":                            "unexpected control character in line 1, column 2 of the JSON. Remove it",
		"{\n// ours\n}":                     `unexpected "/" in line 2, column 1 of the JSON. Remove comments, which JSON does not have`,
		`{'title': 'a'}`:                    "unexpected ' in line 1, column 2 of the JSON. Write names and strings in double quotes",
		`{"title": ä}`:                      `unexpected "ä" in line 1, column 11 of the JSON. ` + correct,

		`{"title": "a"} {}`: "unexpected text after the JSON object. Remove it",
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "node", "max_older": 1, "conditions": {}}}}`: "skew_rules.x.conditions: {} is not a list. Write the elements in square brackets",
		`{"disabled_rules": "x"}`: `disabled_rules: "x" is not a list. Write the elements in square brackets`,

		`{"skew_rules": {"x": {"subject": "kublt", "reference": "kblt", "scope": "node", "max_older": 1}}}`:                   `skew_rules.x.subject: unknown component "kublt"` + unknown,
		`{"skew_rules": {"x": {"subject": "a", "reference": "kubelt", "scope": "node", "max_older": 1}}}`:                     `skew_rules.x.reference: unknown component "kubelt"` + unknown,
		`{"skew_rules": {"x": {"subject": "a", "scope": "node", "max_older": 1}}}`:                                            "skew_rules.x.reference" + component,
		`{"skew_rules": {"x": {"reference": "a", "scope": "node", "max_older": 1}}}`:                                          "skew_rules.x.subject" + component,
		`{"skew_rules": {"x": {"subject": "a", "max_older": 1}}}`:                                                             "skew_rules.x.reference" + component + "\n" + scope,
		`{"skew_rules": {"x": {"reference": "a", "max_older": 1}}}`:                                                           "skew_rules.x.subject" + component + "\n" + scope,
		`{"skew_rules": {"x": {"scope": "node", "max_older": 1}}}`:                                                            "skew_rules.x.subject" + component + "\nskew_rules.x.reference" + component,
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "max_older": 100}}}`:                     "",
		`{"skew_rules": {"x": {"subject": "kubelet", "reference": "kube-apiserver", "max_older": 1}}}`:                        placed,
		`{"skew_rules": {"x": {"subject": "kubelet", "reference": "kubectl", "max_older": 1}}}`:                               scope,
		`{"skew_rules": {"x": {"subject": "kubelet", "reference": "kube-proxy", "scope": "node"}}}`:                           noSkew,
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "conditions": [{"subject": "< 1.5"}]}}}`: noSkew,
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "conditions": [{"max_newer": 0}]}}}`:     "",
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "max_older_during_upgrade": 1}}}`:        "",
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "compare_patch": true}}}`:                noSkew,
		`{"skew_rules": {"x": {"subject": "a", "reference": "kubelet", "scope": "node", "max_older": 1}}}`:                    "skew_rules.x.scope: no node declares both a and kubelet, " + noNode,
		`{"skew_rules": {"x": {"subject": "kubelet", "reference": "kubectl", "scope": "node", "max_older": 1}}}`:              "skew_rules.x.scope: no node declares both kubelet and kubectl, " + noNode,
		`{"skew_rules": {"x": {"subject": "kubelet", "reference": "kubelet", "scope": "node", "max_older": 1}}}`:              `skew_rules.x.scope: no node has two versions of kubelet, so the rule never applies. Use "cluster"`,
		`{"skew_rules": {"x": {"subject": "kube-scheduler", "reference": "kubelet", "scope": "node", "max_older": 1}}}`:       "",
		`{"step_rules": {"x": {"component": "a"}}}`:                                                                           noStep,
		`{"step_rules": {"x": {"component": "a", "conditions": [{"from": "< 1.5"}]}}}`:                                        noStep,
		`{"step_rules": {"x": {"component": "a", "conditions": [{"max_downgrade": 0}]}}}`:                                     "",
		`{"step_rules": {"x": {"component": "a", "max_downgrade_total": 2}}}`:                                                 "",
		`{"skew_rules": {"y": {}, "x": {}, "w": {}, "v": {}}}`: "skew_rules.v: policy base has no rule with this ID. " + needs + "subject, reference and scope to add a rule\n" +
			"skew_rules.w: policy base has no rule with this ID. " + needs + "subject, reference and scope to add a rule\n" +
			"skew_rules.x: policy base has no rule with this ID. " + needs + "subject, reference and scope to add a rule\n" +
			"skew_rules.y: policy base has no rule with this ID. " + needs + "subject, reference and scope to add a rule",

		`{"requirement_rules": {"cilim": {}}}`: `requirement_rules.cilim: policy base has no rule with this ID (did you mean "cilium"?). ` + needs + "require to add a rule",
		`{"requirement_rules": {"cil": {}}}`:   `requirement_rules.cil: policy base has no rule with this ID. ` + needs + "require to add a rule",
		`{"requirement_rules": {"ci": {}}}`:    `requirement_rules.ci: policy base has no rule with this ID. ` + needs + "require to add a rule",
		`{"requirement_rules": {"x": {"when": {"component": "a"}, "require": {"version": "<1.5"}}}}`:                        "requirement_rules.x.require.component" + component,
		`{"requirement_rules": {"x": {"require": {"component": "a", "version": "<1.5"}}}}`:                                  "",
		`{"requirement_rules": {"x": {"when": {}, "require": {"component": "a", "version": "<1.5"}}}}`:                      "requirement_rules.x.when.component" + component,
		`{"requirement_rules": {"x": {"when": {"component": "kubelt"}, "require": {"component": "b", "version": "<1.5"}}}}`: `requirement_rules.x.when.component: unknown component "kubelt"` + unknown,
		`{"disabled_rules": ["cilium"], "requirement_rules": {"cilium": {"reason": "R."}}}`:                                 `disabled_rules.0: "cilium" is also in requirement_rules. Remove it from one of the two`,
		`{"disabled_rules": ["x"], "step_rules": {"x": {"component": "a", "max_upgrade": 1}}}`:                              `disabled_rules.0: "x" is also in step_rules. Remove it from one of the two`,
		`{"requirement_rules": {"x": {"when": {"component": "a"}, "require": {"component": "a", "version": "<1.5"}}}}`:      `requirement_rules.x.require.component: "a" requires a version of itself. Name another component, or remove when if the rule always holds`,
		`{"requirement_rules": {"cilium": {"require": {"component": "a"}}}}`:                                                `requirement_rules.cilium.require.component: "a" requires a version of itself. Name another component, or remove when if the rule always holds`,
		`{"read_from": "a", "moved_from": "https://a"}`:                                                                     "moved_from: missing source. Set source to the URL that replaces this one\nread_from: missing source. Set source to the URL that this third party quotes",
		`{"read_on": "2026-01-01"}`: "read_on: missing source. Set source to the URL that was read on this day",
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "node", "read_on": "2026-01-01"}}}`: "skew_rules.x.read_on: missing source. Set source to the URL that was read on this day",
		`{"releases": {"1.33": {"read_on": "2026-01-01"}}}`:                                                   "releases.1.33.read_on: missing source. Set source to the URL that was read on this day",

		`{"skew_rules": {"cilium": {"max_older": 1}}}`:   "skew_rules.cilium: policy base uses this ID in requirement_rules. Move it to requirement_rules",
		`{"step_rules": {"cilium": {"component": "a"}}}`: "step_rules.cilium: policy base uses this ID in requirement_rules. Choose another ID",
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "cluster", "max_older": 1}}, "step_rules": {"x": {"component": "a", "max_upgrade": 1}}}`: "step_rules.x: this ID is also in skew_rules. Rename one of the two rules",
		`{"advisories": {"x": {"days": 2}}}`: "advisories.x: policy base has no advisory with this ID. Remove it",

		`{"step_rules": {"x": {"component": "a", "max_downgrade": 101}}}`:     "step_rules.x.max_downgrade: 101 is out of range: limits must be between 0 and 100. Use a number from 0 to 100",
		`{"advisories": {"x": {"check": "end_of_life", "days": 3650}}}`:       "",
		`{"advisories": {"x": {"check": "end_of_life", "days": 3651}}}`:       "advisories.x.days: 3651 is out of range: days must be between 0 and 3650. Use a number from 0 to 3650",
		`{"advisories": {"x": {"check": "end_of_life", "severity": "loud"}}}`: `advisories.x.severity: unknown severity "loud". Use one of "error", "warning", "info"`,
	} {
		got := ""
		if _, err := Extend(base, text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestEmbeddedFilesAreChecked(t *testing.T) {
	for text, want := range map[string]string{"{": "policy x: ", "a: 1": "policy x: a: unknown field"} {
		if _, err := readYAML("x", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
