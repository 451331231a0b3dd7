package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"
)

// words is what strings are drawn from, by the name of their attribute; the
// others are versions. Now and then a string is something else.
var (
	words = map[string][]string{
		"apiserver_endpoint": {"shared", "local"}, "match_policy": {"Equivalent", "Exact"}, "policy": {"kubernetes", "eks", "openshift", `{"extends":"aks"}`},
		"extends": {"kubernetes", "gke"}, "enforcement_level": {"mandatory", "advisory"}, "strategy": {"fewest_rollouts", "follow"},
		"as_of": {"2024-09-15", "2026-11-20", "0001-01-01"}, "expires": {"2024-09-14", "2028-02-29", "1800-01-01"}, "rule": {"kubelet-apiserver", "kube-apiserver-step"},
		"reason": {"because"}, "locations": {`node_pools["a"]`}, "scope": {"cluster", "endpoint", "node"}, "severity": {"error", "warning", "info"},
		"subject": {"kubelet"}, "reference": {"kube-apiserver"}, "component": {"kubelet", "istiod"}, "disabled_rules": {"kubectl-apiserver"},
		"release_date": {"2026-12-16"}, "maintenance_start": {"2027-12-28"}, "end_of_life": {"2028-02-28"},
	}
	versions = []string{"1.31", "1.30", "1.29.3", "v1.31.2-eks-7f9249a", "1.32.0-rc.1", "1.28", "1.25", "1.24.17"}
	junk     = []string{"", "latest", "1.x", "2.0", "1.999999999", "{", "{}", "2026-02-30", ">= 1.30", "< banana"}
)

// draw makes a value of a type, null and unknown anywhere.
func draw(t *rapid.T, name string, typ tftypes.Type, unknowns bool) tftypes.Value {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1, 2:
		return tftypes.NewValue(typ, nil)
	case 3:
		if unknowns {
			return tftypes.NewValue(typ, tftypes.UnknownValue)
		}
	}
	return drawSome(t, name, typ, unknowns)
}

func drawSome(t *rapid.T, name string, typ tftypes.Type, unknowns bool) tftypes.Value {
	element := func(of tftypes.Type) tftypes.Value {
		if rapid.IntRange(0, 19).Draw(t, "no element") == 0 {
			return draw(t, name, of, unknowns)
		}
		return drawSome(t, name, of, unknowns)
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		fields := map[string]tftypes.Value{}
		for _, field := range sortedKeys(typ.AttributeTypes) {
			if field == "control_plane_version" || field == "target_version" {
				// Without these there is little to ask.
				fields[field] = drawSome(t, field, typ.AttributeTypes[field], unknowns)
				continue
			}
			fields[field] = draw(t, field, typ.AttributeTypes[field], unknowns)
		}
		if controlPlane, ok := fields["control_plane"]; ok && rapid.IntRange(0, 9).Draw(t, "both") > 0 {
			fields["control_plane"] = tftypes.NewValue(controlPlane.Type(), nil)
		}
		return tftypes.NewValue(typ, fields)
	case tftypes.Map:
		elements := map[string]tftypes.Value{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			key := rapid.SampledFrom([]string{"a", "b", "kubelet", "kubelet-apiserver", "1.38"}).Draw(t, "key")
			elements[key] = element(typ.ElementType)
		}
		return tftypes.NewValue(typ, elements)
	case tftypes.List:
		elements := []tftypes.Value{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			elements = append(elements, element(typ.ElementType))
		}
		return tftypes.NewValue(typ, elements)
	}
	switch {
	case typ.Is(tftypes.Bool):
		return tftypes.NewValue(typ, rapid.Bool().Draw(t, "bool"))
	case typ.Is(tftypes.Number):
		return tftypes.NewValue(typ, rapid.IntRange(-1, 5).Draw(t, "number"))
	}
	from := words[name]
	if from == nil {
		from = versions
	}
	if rapid.IntRange(0, 49).Draw(t, "junk") == 0 {
		from = junk
	}
	return tftypes.NewValue(typ, rapid.SampledFrom(from).Draw(t, name))
}

// TestAnythingGoes: whatever a configuration says, the provider answers, and
// what it answers fits what was planned.
func TestAnythingGoes(t *testing.T) {
	s := serve(t, nil)
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		schema := s.validation()
		config := drawSome(t, "", schema.ValueType(), true)
		fields := fieldsOf(config)
		fields["id"] = tftypes.NewValue(tftypes.String, nil)
		config = tftypes.NewValue(config.Type(), fields)
		validated, err := s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: s.dynamic(config)})
		if err != nil {
			t.Fatal(err)
		}
		if failed(validated.Diagnostics) {
			return
		}

		prior := tftypes.NewValue(config.Type(), nil)
		if rapid.Bool().Draw(t, "update") {
			known := fieldsOf(drawSome(t, "", schema.ValueType(), false))
			known["id"] = tftypes.NewValue(tftypes.String, validationID)
			prior = tftypes.NewValue(config.Type(), known)
		}
		proposed := fieldsOf(config.Copy())
		proposed["id"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		planned, err := s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: validationType, Config: s.dynamic(config), PriorState: s.dynamic(prior),
			ProposedNewState: s.dynamic(tftypes.NewValue(config.Type(), proposed)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if failed(planned.Diagnostics) || !config.IsFullyKnown() {
			return
		}
		applied, err := s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
			TypeName: validationType, Config: s.dynamic(config), PriorState: s.dynamic(prior), PlannedState: planned.PlannedState,
		})
		if err != nil {
			t.Fatal(err)
		}
		if failed(applied.Diagnostics) {
			t.Fatalf("what was planned can't be applied: %s", spell(applied.Diagnostics[0]))
		}
		if got := s.static(schema, applied.NewState); !got.Equal(s.static(schema, planned.PlannedState)) {
			t.Fatalf("planned %s, applied %s", s.static(schema, planned.PlannedState), got)
		}
	})
}

// TestAnyQuestionHasAnAnswer does the same for data sources: what passes their
// validation is answered in full.
func TestAnyQuestionHasAnAnswer(t *testing.T) {
	s := serve(t, nil)
	ctx := t.Context()
	answered := map[string]int{}
	for _, name := range sortedKeys(s.schemas.DataSourceSchemas) {
		schema := s.schemas.DataSourceSchemas[name]
		computed := map[string]bool{}
		for _, a := range schema.Block.Attributes {
			computed[a.Name] = a.Computed
		}
		rapid.Check(t, func(t *rapid.T) {
			fields := fieldsOf(drawSome(t, "", schema.ValueType(), rapid.Bool().Draw(t, "unknowns")))
			for attribute, value := range fields {
				if computed[attribute] {
					fields[attribute] = tftypes.NewValue(value.Type(), nil)
				}
			}
			config := tftypes.NewValue(schema.ValueType(), fields)
			validated, err := s.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: s.dynamic(config)})
			if err != nil {
				t.Fatal(err)
			}
			if failed(validated.Diagnostics) || !config.IsFullyKnown() {
				return
			}
			read, err := s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: s.dynamic(config)})
			if err != nil {
				t.Fatal(err)
			}
			if failed(read.Diagnostics) {
				return
			}
			if state := s.static(schema, read.State); !state.IsFullyKnown() {
				t.Fatalf("%s leaves something unknown: %s", name, state)
			}
			answered[name]++
		})
	}
	t.Logf("answered: %v", answered)
	if len(answered) == 0 {
		t.Error("the draw is one-sided: nothing was answered")
	}
}

func failed(diags []*tfprotov6.Diagnostic) bool {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}
