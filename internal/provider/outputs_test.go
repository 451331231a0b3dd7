// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestOutputs checks that the schema and the model of each data source have the same
// outputs, and that each output gets a value.
func TestOutputs(t *testing.T) {
	upgrade := object{
		"policy": "eks", "control_plane_version": "1.31", "node_pools": object{"a": pool("1.30")},
		"observed": object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.30")}},
	}
	examples := map[string]struct {
		model  any
		config object
	}{
		evaluationType:  {evaluationModel{}, upgrade},
		policyType:      {policyModel{}, object{"minors": []any{"1.30"}}},
		releasesType:    {releasesModel{}, object{}},
		upgradePlanType: {upgradePlanModel{}, object{"control_plane_version": "1.30.4", "node_pools": object{"a": pool("1.28")}, "target_version": "1.31"}},
	}
	s := serve(t, nil)
	for name, schema := range s.schemas.DataSourceSchemas {
		example, known := examples[name]
		if !known {
			t.Errorf("%s is not tested: add a configuration that sets all its outputs", name)
			continue
		}
		outputs := map[string]tftypes.Type{}
		for _, a := range schema.Block.Attributes {
			if a.Computed {
				outputs[a.Name] = a.ValueType()
			}
		}
		compareModel(t, name, tftypes.Object{AttributeTypes: outputs}, reflect.TypeOf(example.model))
		if t.Failed() {
			continue
		}
		got, diags := s.read(name, example.config)
		expect(t, diags)
		for output := range outputs {
			if got[output].IsNull() {
				t.Errorf("%s.%s is null: set it in the function that returns %T, or change the configuration above", name, output, example.model)
			}
		}
	}
}

// compareModel checks that a model has exactly the attributes of a type.
func compareModel(t *testing.T, at string, want tftypes.Type, model reflect.Type) {
	t.Helper()
	for model.Kind() == reflect.Pointer {
		model = model.Elem()
	}
	if model.Kind() == reflect.Interface {
		return // the encoder checks it
	}
	switch want := want.(type) {
	case tftypes.List:
		compareModel(t, at+"[]", want.ElementType, model.Elem())
	case tftypes.Map:
		compareModel(t, at+"[]", want.ElementType, model.Elem())
	case tftypes.Object:
		fields := map[string]reflect.Type{}
		for i := range model.NumField() {
			f := model.Field(i)
			fields[f.Tag.Get("tfsdk")] = f.Type
		}
		for _, name := range slices.Sorted(maps.Keys(want.AttributeTypes)) {
			if fields[name] == nil {
				t.Errorf("%s.%s is in the schema, but %s has no field for it", at, name, model.Name())
				continue
			}
			compareModel(t, at+"."+name, want.AttributeTypes[name], fields[name])
		}
		for name := range fields {
			if want.AttributeTypes[name] == nil {
				t.Errorf("%s.%s is a field of %s, but not in the schema", at, name, model.Name())
			}
		}
	}
}
