// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSmallestJSON lists the smallest documents of some policies.
func TestSmallestJSON(t *testing.T) {
	rules := `"skew_rules":{"kubelet-apiserver":{"max_older":2}}`
	own := `"requirement_rules":{"cni":{"when":{"component":"kube-apiserver","version":"\u003e= 1.33"},"require":{"component":"cni","version":"\u003e= 1.5"}}}`
	pack := `{"name":"mesh",` + own + `}`
	for _, tt := range []struct{ what, text, want string }{
		{"a built-in policy", `{"extends":"eks"}`, `{"extends":"eks"}`},
		{"a changed limit", `{"extends":"kubernetes",` + rules + `}`, `{"extends":"kubernetes",` + rules + `}`},
		{"what is inherited anyway", `{"extends":"kubernetes","title":` + quotedJSON(t, must(t, "kubernetes").Title) + `,"skew_rules":{"kubelet-apiserver":{"max_older":2,"max_newer":0}}}`, `{"extends":"kubernetes",` + rules + `}`},
		{"a reason", `{"extends":"eks","step_rules":{"kube-apiserver-step":{"max_upgrade":2,"severity":"error","reason":"R."}}}`,
			`{"extends":"eks","step_rules":{"kube-apiserver-step":{"max_upgrade":2,"severity":"error","reason":"R."}}}`},
		{"a name, packs and own rules", `{"extends":"gke","name":"ours","include":["addons/karpenter",` + quotedJSON(t, pack) + `],"disabled_rules":["end-of-life"]}`,
			`{"name":"ours","extends":"gke",` + own + `,"disabled_rules":["end-of-life"],"include":["addons/karpenter"],"included":["addons/karpenter","mesh"]}`},
		{"a source", `{"extends":"eks","source":"https://a","read_on":"2026-01-01"}`, `{"source":"https://a","read_on":"2026-01-01","extends":"eks"}`},
		{"dates", `{"extends":"kubernetes","releases":{}}`, `{"extends":"kubernetes","releases":{}}`},
		{"a complete policy", pack, `{"name":"mesh",` + own + `}`},
	} {
		p, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.JSON(); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.what, got, tt.want)
		}
		isSmallest(t, p)
	}
	// A policy that extends JSON: both changes are to the built-in policy.
	first, err := Parse(`{"extends":"eks","name":"first",` + rules + `}`)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Extend(first, `{"disabled_rules":["kubectl-apiserver"]}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := second.JSON(), `{"extends":"eks",`+rules+`,"disabled_rules":["kubectl-apiserver"]}`; got != want {
		t.Errorf("a policy that extends JSON: %s\nwant %s", got, want)
	}
	// A pinned policy is complete, and so are policies that extend it.
	pinned, err := Parse(first.ResolvedJSON())
	if err != nil {
		t.Fatal(err)
	}
	if second, err = Extend(pinned, `{"name":"second"}`); err != nil || strings.Contains(second.JSON(), "extends") || second.JSON() != second.ResolvedJSON() {
		t.Errorf("a policy that extends a pinned one: %s, %v", second.JSON(), err)
	}
}

// isSmallest checks that both forms of a policy are parsed to the same policy.
func isSmallest(t rapid.TB, p *Policy) {
	t.Helper()
	for _, text := range []string{p.JSON(), p.ResolvedJSON()} {
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again.ResolvedJSON() != p.ResolvedJSON() {
			t.Fatalf("%s is parsed to another policy: %s", text, cmp.Diff(decoded(t, p.ResolvedJSON()), decoded(t, again.ResolvedJSON())))
		}
		if text == p.JSON() && again.JSON() != text {
			t.Fatalf("%s is written as %s", text, again.JSON())
		}
	}
	if len(p.JSON()) > len(p.ResolvedJSON()) {
		t.Fatalf("%s is longer than the whole policy", p.JSON())
	}
}

func decoded(t rapid.TB, text string) (v any) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSmallestJSONOfAnyPolicy extends random policies once or twice.
func TestSmallestJSONOfAnyPolicy(t *testing.T) {
	names := slices.DeleteFunc(BuiltinNames(), func(name string) bool { return strings.Contains(name, "openshift") })
	short, whole := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "extends")
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 2).Draw(t, "times") {
			text := marshaled(extension(t, p))
			extended, err := Extend(p, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			isSmallest(t, extended)
			p = extended
		}
		if strings.Contains(p.JSON(), `"extends"`) {
			short++
		} else {
			whole++
		}
	})
	if short < 3*whole { // about one in ten is whole
		t.Errorf("%d policies are written as extensions, %d are not", short, whole)
	}
}

// extension draws a document that extends a policy.
func extension(t *rapid.T, p *Policy) map[string]any {
	g := generator{t, true}
	sections := map[string]struct {
		draw  func() map[string]any
		needs map[string]any
	}{
		"skew_rules": {g.skewRule, map[string]any{"subject": "a", "reference": "b", "scope": "cluster", "max_older": 1}},
		"step_rules": {g.stepRule, map[string]any{"component": "a", "max_upgrade": 1}},
		"requirement_rules": {g.requirementRule, map[string]any{
			"when": map[string]any{"component": "a"}, "require": map[string]any{"component": "b", "version": "< 1.5"},
		}},
		"advisories": {g.advisory, map[string]any{"check": "minor_move", "note": "N."}},
	}
	doc := g.some(map[string]func() any{
		"name": g.text, "title": g.text, "description": g.text, "hidden_components": func() any { return g.or([]any{"kubelet"}, []any{}) },
		"not_covered": func() any { return map[string]any{"n": map[string]any{"what": "W.", "source": "https://a"}} },
		"releases": func() any {
			return g.or(map[string]any{}, map[string]any{"1.33": map[string]any{"source": "https://a"}, "1.50": map[string]any{"end_of_life": "2040-01-01"}})
		},
		"include": func() any {
			return g.or([]any{"addons/karpenter"}, []any{`{"name":"mesh","step_rules":{"mesh":{"component":"mesh","max_upgrade":1}}}`, "addons/cluster-autoscaler"})
		},
	})
	var disabled []string
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		s, rules := sections[section], map[string]any{}
		if rapid.Bool().Draw(t, "add to "+section) && len(p.resolved.sectionsWith("own-"+section)) == 0 {
			rules["own-"+section] = with(cited(s.draw()), s.needs)
		}
		for _, id := range p.RuleIDs() {
			if p.resolved.sectionsWith(id)[0] != section {
				continue
			}
			switch rapid.IntRange(0, 9).Draw(t, id) {
			case 0:
				rule := cited(s.draw())
				// Other fields and rules may depend on the required fields, except for limits.
				maps.DeleteFunc(rule, func(name string, _ any) bool { return s.needs[name] != nil && !isLimit(name) })
				if rule["conditions"] != nil { // these can replace the only limits of the rule
					limits := maps.Clone(s.needs)
					maps.DeleteFunc(limits, func(name string, _ any) bool { return !isLimit(name) })
					rule = with(rule, limits)
				}
				rules[id] = rule
			case 1:
				disabled = append(disabled, id)
			}
		}
		doc[section] = rules
	}
	doc["disabled_rules"] = disabled
	return doc
}

// cited removes what requires a source from a rule without one.
func cited(rule map[string]any) map[string]any {
	if rule["source"] == nil {
		for _, name := range []string{"read_on", "moved_from", "read_from"} {
			delete(rule, name)
		}
	}
	return rule
}

// TestRewordedRule checks that a rule that a policy does not change is not in its JSON, so
// that a release that rewords the rule makes no diff.
func TestRewordedRule(t *testing.T) {
	for _, name := range BuiltinNames() {
		p, err := Parse(fmt.Sprintf(`{"extends": %q, "name": "ours", "include": ["addons/karpenter"]}`, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.JSON(), fmt.Sprintf(`{"name":"ours","extends":%q,"include":["addons/karpenter"]}`, name); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	var valid map[string]any
	if err := json.Unmarshal([]byte(must(t, "kubernetes").JSON()), &valid); err != nil || len(valid) != 1 {
		t.Errorf("the built-in policy is written as %v, %v", valid, err)
	}
}

func must(t *testing.T, name string) *Policy {
	t.Helper()
	p, err := Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
