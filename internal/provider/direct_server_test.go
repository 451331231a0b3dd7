// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"pgregory.net/rapid"
)

// TestDirectServer checks that directServer returns the same responses as the framework's
// server.
func TestDirectServer(t *testing.T) {
	direct, framework := serve(t, nil), serveBy(t, providerserver.NewProtocol6(testProvider())(), nil)
	ctx := t.Context()
	same := func(t *rapid.T, schema *tfprotov6.Schema, direct, framework *tfprotov6.DynamicValue, d, f []*tfprotov6.Diagnostic) {
		if diff := gocmp.Diff(f, d, cmpopts.EquateEmpty(), gocmp.Comparer(func(a, b *tftypes.AttributePath) bool { return a.Equal(b) })); diff != "" {
			t.Fatalf("diagnostics of the framework (-) and of directServer (+):\n%s", diff)
		}
		if failed(d) {
			return
		}
		directly, err := direct.Unmarshal(schema.ValueType())
		if err != nil {
			t.Fatal(err)
		}
		through, err := framework.Unmarshal(schema.ValueType())
		if err != nil {
			t.Fatal(err)
		}
		if !directly.Equal(through) {
			t.Fatalf("the framework returns\n%s\ndirectServer returns\n%s", through, directly)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(direct.schemas.DataSourceSchemas)) {
		schema := direct.schemas.DataSourceSchemas[name]
		rapid.Check(t, func(t *rapid.T) {
			// In a configuration to validate, computed attributes may be set and values may be
			// unknown.
			some := drawSome(t, "", schema.ValueType(), true)
			anything := &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: direct.dynamic(some)}
			dv, err := direct.ValidateDataResourceConfig(ctx, anything)
			if err != nil {
				t.Fatal(err)
			}
			fv, err := framework.ValidateDataResourceConfig(ctx, anything)
			if err != nil {
				t.Fatal(err)
			}
			same(t, schema, anything.Config, anything.Config, ordered(dv.Diagnostics), reworded(some, fv.Diagnostics))

			config := direct.dynamic(uncomputed(schema, drawSome(t, "", schema.ValueType(), false)))
			validated, err := direct.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			if failed(validated.Diagnostics) {
				return
			}
			request := &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config}
			d, err := direct.ReadDataSource(ctx, request)
			if err != nil {
				t.Fatal(err)
			}
			f, err := framework.ReadDataSource(ctx, request)
			if err != nil {
				t.Fatal(err)
			}
			same(t, schema, d.State, f.State, d.Diagnostics, f.Diagnostics)
		})
	}

	rapid.Check(t, func(t *rapid.T) {
		schema := direct.validation()
		some := drawSome(t, "", schema.ValueType(), true)
		anything := &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: direct.dynamic(some), ClientCapabilities: writeOnlyAllowed}
		dv, err := direct.ValidateResourceConfig(ctx, anything)
		if err != nil {
			t.Fatal(err)
		}
		fv, err := framework.ValidateResourceConfig(ctx, anything)
		if err != nil {
			t.Fatal(err)
		}
		same(t, schema, anything.Config, anything.Config, ordered(dv.Diagnostics), reworded(some, fv.Diagnostics))

		config := uncomputed(schema, drawSome(t, "", schema.ValueType(), true))
		prior := tftypes.NewValue(config.Type(), nil)
		if rapid.Bool().Draw(t, "update") {
			prior = tfvalue.With(uncomputed(schema, drawSome(t, "", schema.ValueType(), false)), plannedValues)
		}
		proposed := tfvalue.With(config, map[string]any{"id": validationID})
		if prior.IsNull() {
			fields := tfvalue.Fields(config.Copy())
			fields["id"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
			proposed = tftypes.NewValue(config.Type(), fields)
		}
		if !prior.IsNull() && rapid.IntRange(0, 9).Draw(t, "destroy") == 0 {
			config = tftypes.NewValue(config.Type(), nil)
			proposed = config
		}
		request := &tfprotov6.PlanResourceChangeRequest{
			TypeName: validationType, Config: direct.dynamic(config), PriorState: direct.dynamic(prior), ProposedNewState: direct.dynamic(proposed),
		}
		d, err := direct.PlanResourceChange(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		f, err := framework.PlanResourceChange(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		same(t, schema, d.PlannedState, f.PlannedState, d.Diagnostics, f.Diagnostics)
		if len(d.PlannedPrivate)+len(f.PlannedPrivate)+len(f.RequiresReplace) > 0 {
			t.Fatalf("unexpected private data %q and %q, or replacement because of %v", d.PlannedPrivate, f.PlannedPrivate, f.RequiresReplace)
		}

		read := &tfprotov6.ReadResourceRequest{TypeName: validationType, CurrentState: direct.dynamic(prior)}
		if prior.IsNull() {
			return
		}
		dr, err := direct.ReadResource(ctx, read)
		if err != nil {
			t.Fatal(err)
		}
		fr, err := framework.ReadResource(ctx, read)
		if err != nil {
			t.Fatal(err)
		}
		same(t, schema, dr.NewState, fr.NewState, dr.Diagnostics, fr.Diagnostics)
	})
}

// ordered sorts diagnostics, because the framework validates attributes in random order.
func ordered(diags []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	slices.SortFunc(diags, func(a, b *tfprotov6.Diagnostic) int {
		return cmp.Or(strings.Compare(a.Attribute.String(), b.Attribute.String()), strings.Compare(a.Detail, b.Detail), strings.Compare(a.Summary, b.Summary))
	})
	return diags
}

// missingSummary is the framework's summary for a required attribute that is null.
const missingSummary = "Missing Configuration for Required Attribute"

// reworded replaces the framework's errors about required and computed attributes by those of
// the provider, which it may also have reported itself, and sorts the result. The framework also
// misses the attributes of an object that is unknown, although it may turn out to have them.
func reworded(config tftypes.Value, diags []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	out := slices.DeleteFunc(slices.Clone(diags), func(d *tfprotov6.Diagnostic) bool {
		object, _, err := tftypes.WalkAttributePath(config, d.Attribute.WithoutLastStep())
		v, ok := object.(tftypes.Value)
		return d.Summary == missingSummary && err == nil && ok && !v.IsKnown()
	})
	for i, d := range out {
		place, name := "", ""
		for _, step := range d.Attribute.Steps() {
			place += name
			switch step := step.(type) {
			case tftypes.AttributeName:
				name = string(step)
			case tftypes.ElementKeyString:
				name = fmt.Sprintf("[%q]", string(step))
			}
		}
		var own report.Description
		switch d.Summary {
		case missingSummary:
			own = report.MissingAttribute(place, name)
		case "Invalid Configuration for Read-Only Attribute":
			own = report.ReadOnly(name)
		default:
			continue
		}
		steps := d.Attribute.Steps()
		out[i] = &tfprotov6.Diagnostic{Severity: d.Severity, Summary: own.Summary, Detail: own.Detail(), Attribute: tftypes.NewAttributePathWithSteps(steps[:min(2, len(steps))])}
	}
	return slices.CompactFunc(ordered(out), func(a, b *tfprotov6.Diagnostic) bool {
		return a.Summary == b.Summary && a.Detail == b.Detail && a.Attribute.Equal(b.Attribute)
	})
}

// uncomputed returns a configuration in which all computed attributes are null.
func uncomputed(schema *tfprotov6.Schema, v tftypes.Value) tftypes.Value {
	fields := tfvalue.Fields(v.Copy())
	for _, a := range schema.Block.Attributes {
		if a.Computed {
			fields[a.Name] = tftypes.NewValue(fields[a.Name].Type(), nil)
		}
	}
	return tftypes.NewValue(v.Type(), fields)
}

// TestEverythingIsServedDirectly checks that no schema uses a feature that directServer
// does not support. The direct path would ignore it.
func TestEverythingIsServedDirectly(t *testing.T) {
	p := testProvider()
	for _, construct := range p.dataSources() {
		if d := construct(); unsupported(d.schema()) != "" {
			t.Errorf("%s cannot be served directly: %s", d.name(), unsupported(d.schema()))
		}
	}
	if feature := unsupported(validationSchema()); feature != "" {
		t.Errorf("%s cannot be served directly: %s", validationName, feature)
	}
	for _, construct := range p.DataSources(t.Context()) {
		if _, ok := construct().(datasource.DataSourceWithConfigValidators); ok {
			t.Error("a data source has config validators")
		}
	}
	r := p.Resources(t.Context())[0]()
	var metadata resource.MetadataResponse
	r.Metadata(t.Context(), resource.MetadataRequest{}, &metadata)
	_, validators := r.(resource.ResourceWithConfigValidators)
	_, identity := r.(resource.ResourceWithIdentity)
	if validators || identity || metadata.ResourceBehavior != (resource.ResourceBehavior{}) {
		t.Error("the resource has config validators, an identity or a behavior")
	}
}

// TestUnsupported lists features that directServer does not support.
func TestUnsupported(t *testing.T) {
	with := func(a resourceschema.Attribute) resourceschema.Schema {
		return resourceschema.Schema{Attributes: map[string]resourceschema.Attribute{"x": a}}
	}
	for want, schema := range map[string]resourceschema.Schema{
		"x sets Default":       with(resourceschema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("a")}),
		"x sets PlanModifiers": with(resourceschema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}}),
		"x sets Validators":    with(resourceschema.StringAttribute{Optional: true, Validators: []validator.String{nil}}),
		"x y sets Default": with(resourceschema.SingleNestedAttribute{Optional: true, Attributes: map[string]resourceschema.Attribute{
			"y": resourceschema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("a")},
		}}),
		"x y sets PlanModifiers": with(resourceschema.MapNestedAttribute{Optional: true, NestedObject: resourceschema.NestedAttributeObject{Attributes: map[string]resourceschema.Attribute{
			"y": resourceschema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		}}}),
		"x has a type with semantic equality": with(resourceschema.StringAttribute{Optional: true, CustomType: lenientType{}}),
		"the schema sets Blocks":              {Blocks: map[string]resourceschema.Block{"x": resourceschema.SingleNestedBlock{}}},
		"the schema sets DeprecationMessage":  {DeprecationMessage: "gone"},
		"":                                    with(resourceschema.StringAttribute{Optional: true, WriteOnly: true}),
	} {
		if got := unsupported(schema); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := unsupported(with(resourceschema.ListAttribute{Optional: true, ElementType: lenientType{}})); got != "x has a type with semantic equality" {
		t.Errorf("a list of lenient strings: %q", got)
	}
}

// unsupported names a feature of a schema that directServer does not support, or returns
// "". It uses reflection, so that it also finds a field that a later version of the framework
// adds.
func unsupported(schema any) string {
	v := reflect.ValueOf(schema)
	if field := otherThan(v, "Attributes", "Description", "MarkdownDescription", "Version"); field != "" {
		return "the schema sets " + field
	}
	return unsupportedNested(v)
}

// unsupportedNested is unsupported for the attributes nested in a schema or an attribute.
func unsupportedNested(holder reflect.Value) string {
	if object := holder.FieldByName("NestedObject"); object.IsValid() {
		holder = object
	}
	attributes := holder.FieldByName("Attributes")
	if !attributes.IsValid() {
		return ""
	}
	for attributeName, attribute := range attributes.Seq2() {
		attribute = attribute.Elem()
		if field := otherThan(attribute, "Attributes", "NestedObject", "ElementType", "CustomType", "Required", "Optional", "Computed", "WriteOnly", "MarkdownDescription"); field != "" {
			return fmt.Sprintf("%s sets %s", attributeName, field)
		}
		for _, name := range []string{"CustomType", "ElementType"} {
			if field := attribute.FieldByName(name); field.IsValid() && !field.IsZero() {
				if t, ok := field.Interface().(attr.Type); ok && hasSemanticEquality(t) {
					return attributeName.String() + " has a type with semantic equality"
				}
			}
		}
		if inner := unsupportedNested(attribute); inner != "" {
			return fmt.Sprintf("%s %s", attributeName, inner)
		}
	}
	return ""
}

// otherThan names a field that a struct sets and that is not in names, or returns "".
func otherThan(v reflect.Value, names ...string) string {
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; !v.Field(i).IsZero() && !slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// hasSemanticEquality reports whether a type, or the type of its elements, defines
// semantic equality.
func hasSemanticEquality(t attr.Type) bool {
	switch t.ValueType(context.Background()).(type) {
	case basetypes.BoolValuableWithSemanticEquals, basetypes.DynamicValuableWithSemanticEquals,
		basetypes.Float32ValuableWithSemanticEquals, basetypes.Float64ValuableWithSemanticEquals,
		basetypes.Int32ValuableWithSemanticEquals, basetypes.Int64ValuableWithSemanticEquals,
		basetypes.ListValuableWithSemanticEquals, basetypes.MapValuableWithSemanticEquals,
		basetypes.NumberValuableWithSemanticEquals, basetypes.ObjectValuableWithSemanticEquals,
		basetypes.SetValuableWithSemanticEquals, basetypes.StringValuableWithSemanticEquals:
		return true
	}
	elements, ok := t.(attr.TypeWithElementType)
	return ok && hasSemanticEquality(elements.ElementType())
}

// lenientType is a string type with semantic equality.
type lenientType struct{ basetypes.StringType }

type lenientValue struct{ basetypes.StringValue }

func (lenientType) String() string                       { return "lenient" }
func (lenientType) ValueType(context.Context) attr.Value { return lenientValue{} }

func (lenientValue) StringSemanticEquals(context.Context, basetypes.StringValuable) (bool, diag.Diagnostics) {
	return true, nil
}
