// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"pgregory.net/rapid"
)

// TestDirectServer checks that directServer returns the same responses as the framework's
// server.
func TestDirectServer(t *testing.T) {
	direct, framework := serve(t, nil), serveBy(t, providerserver.NewProtocol6(testProvider())(), nil)
	ctx := t.Context()
	same := func(t *rapid.T, schema *tfprotov6.Schema, direct, framework *tfprotov6.DynamicValue, d, f []*tfprotov6.Diagnostic) {
		if diff := gocmp.Diff(f, d, gocmp.Comparer(func(a, b *tftypes.AttributePath) bool { return a.Equal(b) })); diff != "" {
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
			anything := &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: direct.dynamic(drawSome(t, "", schema.ValueType(), true))}
			dv, err := direct.ValidateDataResourceConfig(ctx, anything)
			if err != nil {
				t.Fatal(err)
			}
			fv, err := framework.ValidateDataResourceConfig(ctx, anything)
			if err != nil {
				t.Fatal(err)
			}
			same(t, schema, anything.Config, anything.Config, ordered(dv.Diagnostics), ordered(reworded(fv.Diagnostics)))

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
		anything := &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: direct.dynamic(drawSome(t, "", schema.ValueType(), true)), ClientCapabilities: writeOnlyAllowed}
		dv, err := direct.ValidateResourceConfig(ctx, anything)
		if err != nil {
			t.Fatal(err)
		}
		fv, err := framework.ValidateResourceConfig(ctx, anything)
		if err != nil {
			t.Fatal(err)
		}
		same(t, schema, anything.Config, anything.Config, ordered(dv.Diagnostics), ordered(reworded(fv.Diagnostics)))

		config := uncomputed(schema, drawSome(t, "", schema.ValueType(), true))
		prior := tftypes.NewValue(config.Type(), nil)
		if rapid.Bool().Draw(t, "update") {
			prior = without(tfvalue.With(uncomputed(schema, drawSome(t, "", schema.ValueType(), false)), validationModel{validationID}), writeOnlyInputs)
		}
		proposed := tfvalue.With(config, validationModel{validationID})
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
		return cmp.Or(strings.Compare(a.Attribute.String(), b.Attribute.String()), strings.Compare(a.Detail, b.Detail))
	})
	return diags
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
// does not support. The framework would serve it, but slowly.
func TestEverythingIsServedDirectly(t *testing.T) {
	p := testProvider()
	for _, construct := range p.DataSources(t.Context()) {
		if name, _, err := serveDataSource(t.Context(), construct); err != nil {
			t.Errorf("%s cannot be served directly: %s", name, err)
		}
	}
	for _, construct := range p.Resources(t.Context()) {
		if name, _, err := serveResource(t.Context(), construct); err != nil {
			t.Errorf("%s cannot be served directly: %s", name, err)
		}
	}
}

// TestShapeRefuses lists the features that directServer does not support.
func TestShapeRefuses(t *testing.T) {
	with := func(a resourceschema.Attribute) resourceschema.Schema {
		return resourceschema.Schema{Attributes: map[string]resourceschema.Attribute{"x": a}}
	}
	for want, schema := range map[string]resourceschema.Schema{
		"x sets Default":       with(resourceschema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("a")}),
		"x sets PlanModifiers": with(resourceschema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}}),
		"x y sets Default": with(resourceschema.SingleNestedAttribute{Optional: true, Attributes: map[string]resourceschema.Attribute{
			"y": resourceschema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("a")},
		}}),
		"x y sets PlanModifiers": with(resourceschema.MapNestedAttribute{Optional: true, NestedObject: resourceschema.NestedAttributeObject{Attributes: map[string]resourceschema.Attribute{
			"y": resourceschema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		}}}),
		"x has a type with semantic equality: lenient":                 with(resourceschema.StringAttribute{Optional: true, CustomType: lenientType{}}),
		"x has a type with semantic equality: types.ListType[lenient]": with(resourceschema.ListAttribute{Optional: true, ElementType: lenientType{}}),
		"the schema sets Blocks":                                       {Blocks: map[string]resourceschema.Block{"x": resourceschema.SingleNestedBlock{}}},
		"the schema sets DeprecationMessage":                           {DeprecationMessage: "gone"},
		"":                                                             with(resourceschema.StringAttribute{Optional: true, WriteOnly: true}),
	} {
		got := ""
		if _, err := shapeOf(schema); err != nil {
			got = err.Error()
		}
		if got != want && (!strings.HasPrefix(want, "x has a type") || !strings.HasPrefix(got, "x has a type")) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// lenientType is a string type with semantic equality.
type lenientType struct{ basetypes.StringType }

type lenientValue struct{ basetypes.StringValue }

func (lenientType) String() string                       { return "lenient" }
func (lenientType) ValueType(context.Context) attr.Value { return lenientValue{} }

func (lenientValue) StringSemanticEquals(context.Context, basetypes.StringValuable) (bool, diag.Diagnostics) {
	return true, nil
}

// TestUnchecked checks that the framework does not validate node pools, of which there may
// be thousands, but every attribute that a schema constrains.
func TestUnchecked(t *testing.T) {
	s := newServer(testProvider())
	cluster := []string{"admission_webhooks", "apiserver_endpoint", "components", "control_plane", "kubectl", "node_pools"}
	for name, tt := range map[string]struct {
		shape shape
		want  []string
	}{
		"validation":   {s.resources[validationType].shape, append([]string{"as_of", "available_node_versions", "available_versions", "cluster_id", "control_plane_version", "emulated_version", "kube_proxy", "observed"}, cluster...)},
		"evaluation":   {s.dataSources[providerName+"_evaluation"].shape, append([]string{"as_of", "available_node_versions", "available_versions", "control_plane_version", "emulated_version", "kube_proxy", "observed"}, cluster...)},
		"upgrade_plan": {s.dataSources[upgradePlanType].shape, append([]string{"available_node_versions", "available_versions", "held_node_pools", "max_node_pool_versions", "control_plane_version", "emulated_version", "kube_proxy"}, cluster...)},
		"releases":     {s.dataSources[providerName+"_releases"].shape, []string{"additional_releases"}},
	} {
		slices.Sort(tt.want)
		if !slices.Equal(tt.shape.unchecked, tt.want) {
			t.Errorf("%s: unchecked attributes %q, want %q", name, tt.shape.unchecked, tt.want)
		}
	}
	if got, want := s.resources[validationType].writeOnly, slices.Sorted(slices.Values(writeOnlyInputs)); !slices.Equal(got, want) {
		t.Errorf("write-only attributes %q, want %q", got, want)
	}
}
