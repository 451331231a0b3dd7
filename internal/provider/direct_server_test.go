package provider

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"pgregory.net/rapid"
)

// TestDirectServer: what is answered without the framework is what the framework
// answers.
func TestDirectServer(t *testing.T) {
	direct, framework := serve(t, nil), serveBy(t, providerserver.NewProtocol6(testProvider())(), nil)
	ctx := t.Context()
	same := func(t *rapid.T, schema *tfprotov6.Schema, direct, framework *tfprotov6.DynamicValue, d, f []*tfprotov6.Diagnostic) {
		if diff := gocmp.Diff(f, d, gocmp.Comparer(func(a, b *tftypes.AttributePath) bool { return a.Equal(b) })); diff != "" {
			t.Fatalf("diagnostics of the framework (-) and without it (+):\n%s", diff)
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
			t.Fatalf("the framework answers\n%s\nwithout it\n%s", through, directly)
		}
	}

	for _, name := range sortedKeys(direct.schemas.DataSourceSchemas) {
		schema := direct.schemas.DataSourceSchemas[name]
		rapid.Check(t, func(t *rapid.T) {
			// What is computed may be set as well, and much be unknown, when it is checked.
			anything := &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: direct.dynamic(drawSome(t, "", schema.ValueType(), true))}
			dv, err := direct.ValidateDataResourceConfig(ctx, anything)
			if err != nil {
				t.Fatal(err)
			}
			fv, err := framework.ValidateDataResourceConfig(ctx, anything)
			if err != nil {
				t.Fatal(err)
			}
			same(t, schema, anything.Config, anything.Config, ordered(dv.Diagnostics), ordered(fv.Diagnostics))

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
		anything := &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: direct.dynamic(drawSome(t, "", schema.ValueType(), true))}
		dv, err := direct.ValidateResourceConfig(ctx, anything)
		if err != nil {
			t.Fatal(err)
		}
		fv, err := framework.ValidateResourceConfig(ctx, anything)
		if err != nil {
			t.Fatal(err)
		}
		same(t, schema, anything.Config, anything.Config, ordered(dv.Diagnostics), ordered(fv.Diagnostics))

		config := uncomputed(schema, drawSome(t, "", schema.ValueType(), true))
		prior := tftypes.NewValue(config.Type(), nil)
		if rapid.Bool().Draw(t, "update") {
			prior = tfvalue.With(uncomputed(schema, drawSome(t, "", schema.ValueType(), false)), validationModel{validationID})
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
			t.Fatalf("private %q and %q, replaced for %v", d.PlannedPrivate, f.PlannedPrivate, f.RequiresReplace)
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

// ordered are diagnostics in an order of their own: the framework checks the
// attributes of a schema in none.
func ordered(diags []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	slices.SortFunc(diags, func(a, b *tfprotov6.Diagnostic) int {
		return cmp.Or(strings.Compare(a.Attribute.String(), b.Attribute.String()), strings.Compare(a.Detail, b.Detail))
	})
	return diags
}

// uncomputed is a configuration, in which nothing computed is set.
func uncomputed(schema *tfprotov6.Schema, v tftypes.Value) tftypes.Value {
	fields := tfvalue.Fields(v.Copy())
	for _, a := range schema.Block.Attributes {
		if a.Computed {
			fields[a.Name] = tftypes.NewValue(fields[a.Name].Type(), nil)
		}
	}
	return tftypes.NewValue(v.Type(), fields)
}

// TestUnasked: the framework is not asked about thousands of node pools, but
// about all that a schema limits.
func TestUnasked(t *testing.T) {
	s := newServer(testProvider())
	cluster := []string{"admission_webhooks", "apiserver_endpoint", "components", "control_plane", "kubectl", "node_pools"}
	for name, tt := range map[string]struct {
		shape shape
		want  []string
	}{
		"validation":   {s.validation, append([]string{"control_plane_version", "observed"}, cluster...)},
		"evaluation":   {s.dataSources[providerName+"_evaluation"].shape, append([]string{"observed"}, cluster...)},
		"upgrade_plan": {s.dataSources[upgradePlanType].shape, append([]string{"available_versions"}, cluster...)},
		"releases":     {s.dataSources[providerName+"_releases"].shape, []string{"additional_releases"}},
	} {
		slices.Sort(tt.shape.unasked)
		slices.Sort(tt.want)
		if !slices.Equal(tt.shape.unasked, tt.want) {
			t.Errorf("%s: the framework is not asked about %q, want %q", name, tt.shape.unasked, tt.want)
		}
	}
}
