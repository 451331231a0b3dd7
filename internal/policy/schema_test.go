// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// publishedSchema reads policy.schema.json, which editors check policies by.
func publishedSchema(t *testing.T) (raw map[string]any, schema *jsonschema.Schema) {
	t.Helper()
	text, err := os.ReadFile("policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("policy.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	if schema, err = c.Compile("policy.schema.json"); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	return raw, schema
}

// TestSchemaHasEveryField: the schema knows the fields that the parser reads, and no
// others.
func TestSchemaHasEveryField(t *testing.T) {
	raw, _ := publishedSchema(t)
	defs, ok := raw["$defs"].(map[string]any)
	if !ok {
		t.Fatal("no $defs")
	}
	for name, fields := range map[string]any{
		"": document{}, "skewRule": skewRule{}, "condition": Condition{}, "stepRule": StepRule{}, "requirementRule": requirementRule{},
		"componentVersions": componentVersions{}, "advisory": Advisory{}, "notCovered": NotCovered{}, "release": release{},
	} {
		object := raw
		if name != "" {
			object, ok = defs[name].(map[string]any)
			if !ok {
				t.Errorf("no %s", name)
				continue
			}
		}
		properties, ok := object["properties"].(map[string]any)
		if got, want := sortedKeys(properties), fieldNames(reflect.TypeOf(fields)); !ok || !slices.Equal(got, want) || object["additionalProperties"] != false {
			t.Errorf("%q has %v, want %v and nothing else", name, got, want)
		}
	}
}

// TestBuiltinsSatisfySchema: so do packs, and policies that extend them.
func TestBuiltinsSatisfySchema(t *testing.T) {
	_, schema := publishedSchema(t)
	for _, name := range slices.Concat(BuiltinNames(), AddonNames()) {
		text, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		d, err := readYAML(name, text)
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		p := readers()[name]()
		for _, text := range []string{string(written), p.JSON()} {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// maker draws the parts of a policy, most of them valid.
type maker struct{ *rapid.T }

// or draws one of some values, or now and then something else.
func (m maker) or(values ...any) any {
	if rapid.IntRange(0, 39).Draw(m.T, "odd") == 0 {
		return rapid.SampledFrom([]any{1.5, -1, 101, 5000, true, "", "odd", []any{}, []any{1}, map[string]any{}, map[string]any{"odd": 1}}).Draw(m.T, "odd value")
	}
	return rapid.SampledFrom(values).Draw(m.T, "value")
}

// some draws some of the fields, each null now and then.
func (m maker) some(fields map[string]func() any) map[string]any {
	out := map[string]any{}
	for _, name := range sortedKeys(fields) {
		switch rapid.IntRange(0, 5).Draw(m.T, name) {
		case 0:
			out[name] = nil
		case 1, 2:
			out[name] = fields[name]()
		}
	}
	if rapid.IntRange(0, 59).Draw(m.T, "unknown") == 0 {
		out["unknown"] = 1
	}
	return out
}

func (m maker) limit() any { return m.or(0, 1, 3, 100) }
func (m maker) text() any  { return m.or("A.", "B.") }
func (m maker) constraint() any {
	return m.or(">= 1.28, < 1.32", "<1.25", "1.31", "~> 1.4", "!= 1.5.2", "!! 1")
}
func (m maker) component() any { return m.or("a", "b", "kubelet") }

func (m maker) notes(fields map[string]func() any) map[string]func() any {
	fields["severity"] = func() any { return m.or("error", "warning", "info") }
	for _, name := range []string{"source", "read_on", "reason", "other_reading"} {
		fields[name] = m.text
	}
	return fields
}

func (m maker) skewRule() map[string]any {
	return m.some(m.notes(map[string]func() any{
		"subject": m.component, "reference": m.component, "scope": func() any { return m.or("node", "cluster", "endpoint") },
		"max_newer": m.limit, "max_older": m.limit, "max_older_during_upgrade": m.limit, "compare_patch": func() any { return m.or(true, false) },
		"conditions": func() any {
			return []any{m.some(map[string]func() any{"subject": m.constraint, "reference": m.constraint, "max_newer": m.limit, "max_older": m.limit}), nil}
		},
	}))
}

func (m maker) stepRule() map[string]any {
	return m.some(m.notes(map[string]func() any{
		"component": m.component, "max_upgrade": m.limit, "max_downgrade": m.limit, "max_downgrade_total": m.limit, "downgrade_reason": m.text,
		"compare_patch": func() any { return m.or(true, false) },
	}))
}

func (m maker) requirementRule() map[string]any {
	versions := func() any { return m.some(map[string]func() any{"component": m.component, "version": m.constraint}) }
	return m.some(m.notes(map[string]func() any{"when": versions, "require": versions}))
}

func (m maker) advisory() map[string]any {
	return m.some(m.notes(map[string]func() any{
		"check": func() any {
			return m.or("end_of_life", "latest_patch", "pre_release", "webhook_match_policy", "blocks_next_minor", "minor_move")
		},
		"components": func() any { return []any{m.component()} }, "days": func() any { return m.or(0, 60, 3650) }, "note": m.text,
		"drain": func() any { return m.or(true, false) },
	}))
}

// with sets what a rule of its own needs, to something valid.
func with(rule map[string]any, needs map[string]any) map[string]any {
	for name, value := range needs {
		rule[name] = value
	}
	return rule
}

// policy draws a policy that stands for itself, or one that extends another: then the
// rules that change inherited ones have their ids, and others are complete, for a
// schema does not know what is inherited.
func (m maker) policy() map[string]any {
	extends := rapid.Bool().Draw(m.T, "extends")
	rules := func(draw func() map[string]any, own string, inherited []string, needs map[string]any) func() any {
		return func() any {
			if !extends {
				rule := draw()
				if rapid.IntRange(0, 3).Draw(m.T, "complete") > 0 {
					rule = with(rule, needs)
				}
				return map[string]any{own: rule, own + "-null": nil}
			}
			out := map[string]any{own: with(draw(), needs)}
			for _, id := range inherited {
				if rapid.Bool().Draw(m.T, id) {
					rule := draw()
					for _, name := range []string{"subject", "reference", "scope", "component", "check", "note", "when", "require"} {
						delete(rule, name) // a rule that is made another may lack what that needs
					}
					out[id] = rule
				}
			}
			return out
		}
	}
	fields := map[string]func() any{
		"$schema": m.text, "name": m.text, "title": m.text, "description": m.text, "source": m.text, "read_on": m.text, "based_on": m.text,
		"included": func() any { return []any{"x", nil} }, "version_scheme": func() any { return m.or("openshift") },
		"hidden_components": func() any { return m.or([]any{"kubelet"}, []any{}) },
		"skew_rules":        rules(m.skewRule, "s", []string{"kubelet-apiserver", "kube-proxy-apiserver"}, map[string]any{"subject": "a", "reference": "b", "scope": "node"}),
		"step_rules":        rules(m.stepRule, "p", []string{"kube-apiserver-step"}, map[string]any{"component": "a"}),
		"requirement_rules": rules(m.requirementRule, "r", nil, map[string]any{
			"when": map[string]any{"component": "a"}, "require": map[string]any{"component": "b", "version": "< 1.5"},
		}),
		"advisories": rules(m.advisory, "a", []string{"end-of-life", "pre-release"}, map[string]any{"check": "minor_move", "note": "N."}),
		"not_covered": func() any {
			return map[string]any{"n": m.some(map[string]func() any{"what": m.text, "source": m.text, "read_on": m.text})}
		},
		"releases": func() any {
			date := func() any { return m.or("2026-11-20", "2026-11-20T10:00:00Z", "2026-11-31x") }
			key := rapid.SampledFrom([]string{"1.33", "1.9", "4.20", "1.33.1", "1", "01.3"}).Draw(m.T, "minor")
			return map[string]any{key: m.some(map[string]func() any{
				"release_date": date, "end_of_life": date, "end_of_extended_support": date, "source": m.text, "read_on": m.text,
			})}
		},
	}
	doc := m.some(fields)
	if extends {
		doc["extends"] = "kubernetes"
		// None that is also changed: the parser does not look at a rule that is disabled.
		doc["disabled_rules"] = []any{"kubectl-apiserver"}
		doc["include"] = []any{"addons/cluster-autoscaler"}
	}
	return doc
}

// TestSchemaIsTheParser: what satisfies the schema is a policy, and the other way
// round, but for what a schema can't know: what is inherited, and misspelled names.
func TestSchemaIsTheParser(t *testing.T) {
	_, schema := publishedSchema(t)
	valid, invalid := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(maker{t}.policy())
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		bySchema := schema.Validate(doc)
		_, byParser := Parse(string(text))
		if (bySchema == nil) != (byParser == nil) {
			t.Fatalf("%s\nby the schema: %v\nby the parser: %v", text, bySchema, byParser)
		}
		if bySchema == nil {
			valid++
		} else {
			invalid++
		}
	})
	if valid == 0 || invalid == 0 {
		t.Errorf("%d documents were valid, %d were not", valid, invalid)
	}
}
