// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"encoding"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// publishedSchema reads policy.schema.json, which editors use to check policies.
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

// TestSchemaAdvisories checks that the schema names every advisory that a policy can change.
func TestSchemaAdvisories(t *testing.T) {
	raw, _ := publishedSchema(t)
	properties, _ := raw["properties"].(map[string]any)
	advisories, _ := properties["advisories"].(map[string]any)
	description, _ := advisories["description"].(string)
	p, err := Builtin(Default)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range p.Advisories {
		if !strings.Contains(description, "`"+a.ID+"`") {
			t.Errorf("the description of advisories does not name %s: %s", a.ID, description)
		}
	}
}

// TestSchemaVersionSchemes checks that the schema accepts the version schemes that exist.
func TestSchemaVersionSchemes(t *testing.T) {
	_, schema := publishedSchema(t)
	for _, name := range version.SchemeNames() {
		if err := schema.Validate(map[string]any{"version_scheme": name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaFields checks that the schema has exactly the fields that the parser reads.
func TestSchemaFields(t *testing.T) {
	raw, _ := publishedSchema(t)
	defs, ok := raw["$defs"].(map[string]any)
	if !ok {
		t.Fatal("no $defs")
	}
	for name, fields := range map[string]any{
		"": document{}, "skewRule": PairRule{}, "condition": Condition{}, "stepRule": StepRule{}, "stepCondition": StepCondition{}, "requirementRule": requirementRule{},
		"componentVersions": componentVersions{}, "advisory": Advisory{}, "notCovered": NotCovered{}, "release": Release{},
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
		if got, want := slices.Sorted(maps.Keys(properties)), fieldNames(reflect.TypeOf(fields)); !ok || !slices.Equal(got, want) || object["additionalProperties"] != false {
			t.Errorf("%q has the fields %v, want exactly %v", name, got, want)
		}
	}
}

// TestFields checks that each field of the format has the same type in the schema, from which
// the attributes of the data source follow, as in the struct that it is read into.
func TestFields(t *testing.T) {
	compareField(t, "policy", &Field{Kind: "object", Fields: Fields(), Description: "root"}, reflect.TypeFor[document]())
}

func compareField(t *testing.T, at string, f *Field, read reflect.Type) {
	t.Helper()
	for read.Kind() == reflect.Pointer {
		read = read.Elem()
	}
	_, isText := reflect.New(read).Interface().(encoding.TextUnmarshaler)
	kind := map[reflect.Kind]string{
		reflect.Struct: "object", reflect.Map: "object", reflect.Slice: "array", reflect.Int: "integer", reflect.Bool: "boolean", reflect.String: "string",
	}[read.Kind()]
	if isText {
		kind = "string"
	}
	if f == nil || f.Kind != kind {
		t.Errorf("%s is %+v in policy.schema.json, and read into a %s", at, f, read)
		return
	}
	switch {
	case isText:
	case kind == "array", read.Kind() == reflect.Map:
		compareField(t, at+"[]", f.Elements, read.Elem())
	case kind == "object":
		for _, field := range reflect.VisibleFields(read) {
			if name := jsonName(field); !field.Anonymous && name != "-" {
				compareField(t, at+"."+name, f.Fields[name], field.Type)
				if f.Fields[name] != nil && f.Fields[name].Description == "" {
					t.Errorf("%s.%s has no description in policy.schema.json", at, name)
				}
			}
		}
	}
}

// TestBuiltinsSatisfySchema validates the built-in policies and packs, as written and
// with everything they inherit.
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
		for _, text := range []string{string(written), p.ResolvedJSON()} {
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

// generator draws the parts of a policy, most of them valid, or all.
type generator struct {
	*rapid.T
	valid bool
}

// or draws one of the values, or occasionally something unexpected.
func (g generator) or(values ...any) any {
	if !g.valid && rapid.IntRange(0, 39).Draw(g.T, "odd") == 0 {
		return rapid.SampledFrom([]any{1.5, -1, 101, 5000, true, "", "odd", []any{}, []any{1}, map[string]any{}, map[string]any{"odd": 1}}).Draw(g.T, "odd value")
	}
	return rapid.SampledFrom(values).Draw(g.T, "value")
}

// some draws some of the fields, occasionally as null.
func (g generator) some(fields map[string]func() any) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch rapid.IntRange(0, 5).Draw(g.T, name) {
		case 0:
			out[name] = nil
		case 1, 2:
			out[name] = fields[name]()
		}
	}
	if !g.valid && rapid.IntRange(0, 59).Draw(g.T, "unknown") == 0 {
		out["unknown"] = 1
	}
	return out
}

func (g generator) limit() any { return g.or(0, 1, 3, 100) }
func (g generator) text() any  { return g.or("A.", "B.") }
func (g generator) constraint() any {
	valid := []any{">= 1.28, < 1.32", "<1.25", "1.31", "~> 1.4", "!= 1.5.2"}
	if g.valid {
		return g.or(valid...)
	}
	return g.or(append(valid, "!! 1")...)
}
func (g generator) component() any { return g.or("a", "b", "kubelet") }

func (g generator) flag() any { return g.or(true, false) }

// object draws some of the fields of a struct. The values depend on the types of the
// fields, unless a function for a field is given.
func (g generator) object(t reflect.Type, special map[string]func() any) map[string]any {
	fields := map[string]func() any{}
	for _, name := range fieldNames(t) {
		field, _ := fieldNamed(reflect.New(t).Elem(), name)
		switch {
		case special[name] != nil:
			fields[name] = special[name]
		case field.Type() == reflect.TypeFor[*int]():
			fields[name] = g.limit
		case field.Kind() == reflect.Bool, field.Type() == reflect.TypeFor[*bool]():
			fields[name] = g.flag
		case field.Type() == reflect.TypeFor[version.Constraint]():
			fields[name] = g.constraint
		case field.Type() == reflect.TypeFor[componentVersions](), field.Type() == reflect.TypeFor[*componentVersions]():
			fields[name] = func() any {
				return g.object(reflect.TypeFor[componentVersions](), map[string]func() any{"component": g.component})
			}
		case field.Kind() == reflect.String:
			fields[name] = g.text
		default:
			g.Fatalf("%s.%s is not drawn: add a function for it", t.Name(), name)
		}
	}
	return g.some(fields)
}

func (g generator) severity() any { return g.or("error", "warning", "info") }

func (g generator) skewRule() map[string]any {
	return g.object(reflect.TypeFor[PairRule](), map[string]func() any{
		"subject": g.component, "reference": g.component, "scope": func() any { return g.or("cluster", "endpoint") }, // and node, for components that a schema cannot check

		"conditions": func() any { return []any{g.object(reflect.TypeFor[Condition](), nil), nil} }, "severity": g.severity,
	})
}

func (g generator) stepRule() map[string]any {
	return g.object(reflect.TypeFor[StepRule](), map[string]func() any{
		"component": g.component, "conditions": func() any { return []any{g.object(reflect.TypeFor[StepCondition](), nil), nil} }, "severity": g.severity,
	})
}

func (g generator) requirementRule() map[string]any {
	required := func() any { // never a component that "when" draws, which a schema cannot check
		return g.object(reflect.TypeFor[componentVersions](), map[string]func() any{"component": func() any { return "c" }})
	}
	return g.object(reflect.TypeFor[requirementRule](), map[string]func() any{"severity": g.severity, "require": required})
}

func (g generator) advisory() map[string]any {
	return g.object(reflect.TypeFor[Advisory](), map[string]func() any{
		"check": func() any {
			return g.or("end_of_life", "latest_patch", "pre_release", "webhook_match_policy", "blocks_next_minor", "minor_move")
		},
		"components": func() any { return []any{g.component()} }, "days": func() any { return g.or(0, 60, 3650) }, "severity": g.severity,
	})
}

// with sets the required fields of a new rule to valid values. It keeps a limit that is
// set.
func with(rule map[string]any, needs map[string]any) map[string]any {
	for name, value := range needs {
		if !isLimit(name) || rule[name] == nil {
			rule[name] = value
		}
	}
	return rule
}

// isLimit reports whether a field is a limit. A rule needs one, which a schema cannot
// check.
func isLimit(name string) bool { return strings.HasPrefix(name, "max_") }

// policy draws a policy that is complete, or one that extends another policy. In the
// latter, rules that change inherited ones have their IDs, and all others are complete,
// because a schema does not know what is inherited.
func (g generator) policy() map[string]any {
	extends := rapid.Bool().Draw(g.T, "extends")
	rules := func(draw func() map[string]any, own string, inherited []string, needs map[string]any) func() any {
		return func() any {
			if !extends {
				required := maps.Clone(needs)
				if rapid.IntRange(0, 3).Draw(g.T, "complete") == 0 {
					maps.DeleteFunc(required, func(name string, _ any) bool { return !isLimit(name) })
				}
				rule := with(draw(), required)
				if rapid.IntRange(0, 3).Draw(g.T, "always") == 0 {
					delete(rule, "when")
				}
				return map[string]any{own: rule, own + "-null": nil}
			}
			out := map[string]any{own: with(draw(), needs)}
			for _, id := range inherited {
				if rapid.Bool().Draw(g.T, id) {
					rule := draw()
					for _, name := range []string{"subject", "reference", "scope", "component", "check", "note", "when", "require"} {
						delete(rule, name) // changing one of these can require other fields
					}
					out[id] = rule
				}
			}
			return out
		}
	}
	fields := map[string]func() any{
		"$schema": g.text, "name": g.text, "title": g.text, "description": g.text, "source": g.text, "read_on": g.text, "based_on": g.text,
		"included": func() any { return []any{"x", nil} }, "version_scheme": func() any { return g.or("openshift") },
		"hidden_components": func() any { return g.or([]any{"kubelet"}, []any{}) },
		"skew_rules":        rules(g.skewRule, "s", []string{"kubelet-apiserver", "kube-proxy-apiserver"}, map[string]any{"subject": "a", "reference": "b", "scope": "cluster", "max_older": 1}),
		"step_rules":        rules(g.stepRule, "p", []string{"kube-apiserver-step"}, map[string]any{"component": "a", "max_upgrade": 1}),
		"requirement_rules": rules(g.requirementRule, "r", nil, map[string]any{
			"when": map[string]any{"component": "a"}, "require": map[string]any{"component": "b", "version": "< 1.5"},
		}),
		"advisories": rules(g.advisory, "a", []string{"end-of-life", "pre-release"}, map[string]any{"check": "minor_move", "note": "N."}),
		"not_covered": func() any {
			return map[string]any{"n": g.some(map[string]func() any{"what": g.text, "source": g.text, "read_on": g.text})}
		},
		"releases": func() any {
			date := func() any { return g.or("2026-11-20", "2026-11-20T10:00:00Z", "2026-11-31x") }
			key := rapid.SampledFrom([]string{"1.33", "1.9", "4.20", "1.33.1", "1", "01.3"}).Draw(g.T, "minor")
			return map[string]any{key: g.some(map[string]func() any{
				"release_date": date, "end_of_life": date, "end_of_extended_support": date, "source": g.text, "read_on": g.text,
			})}
		},
	}
	doc := g.some(fields)
	if extends {
		doc["extends"] = "kubernetes"
		// Not a rule that is also changed: the parser ignores disabled rules.
		doc["disabled_rules"] = []any{"kubectl-apiserver"}
		doc["include"] = []any{"addons/cluster-autoscaler"}
	}
	return doc
}

// TestSchemaAgreesWithParser checks that the schema and the parser accept the same
// policies. It leaves out what a schema cannot check: inherited rules and misspelled
// names.
func TestSchemaAgreesWithParser(t *testing.T) {
	_, schema := publishedSchema(t)
	valid, invalid := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(generator{T: t}.policy())
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
			t.Fatalf("%s\nschema: %v\nparser: %v", text, bySchema, byParser)
		}
		if bySchema == nil {
			valid++
		} else {
			invalid++
		}
	})
	if valid == 0 || invalid == 0 {
		t.Errorf("%d documents were valid, %d were invalid", valid, invalid)
	}
}
