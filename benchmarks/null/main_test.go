// SPDX-License-Identifier: MPL-2.0

package main

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	versionskew "github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// TestModels checks that the models have all attributes of the schemas. Otherwise every
// plan of the benchmark fails.
func TestModels(t *testing.T) {
	ctx := t.Context()
	n := null{versionskew.New("null")}

	var data datasource.SchemaResponse
	n.DataSources(ctx)[0]().Schema(ctx, datasource.SchemaRequest{}, &data)
	config := tfsdk.Config{Schema: data.Schema, Raw: filled(data.Schema.Type().TerraformType(ctx))}
	var e evaluation
	check(t, "evaluation", config.Get(ctx, &e))

	var managed resource.SchemaResponse
	n.Resources(ctx)[0]().Schema(ctx, resource.SchemaRequest{}, &managed)
	plan := tfsdk.Plan{Schema: managed.Schema, Raw: filled(managed.Schema.Type().TerraformType(ctx))}
	var v validation
	check(t, "validation", plan.Get(ctx, &v))
}

func check(t *testing.T, name string, diags diag.Diagnostics) {
	t.Helper()
	for _, d := range diags {
		t.Errorf("%s: %s: %s", name, d.Summary(), d.Detail())
	}
}

// filled returns a value of a type in which every object is set, and every map has one
// element. All other values are null.
func filled(t tftypes.Type) tftypes.Value {
	switch typed := t.(type) {
	case tftypes.Object:
		attributes := map[string]tftypes.Value{}
		for name, attribute := range typed.AttributeTypes {
			attributes[name] = filled(attribute)
		}
		return tftypes.NewValue(t, attributes)
	case tftypes.Map:
		return tftypes.NewValue(t, map[string]tftypes.Value{"a": filled(typed.ElementType)})
	}
	return tftypes.NewValue(t, nil)
}
