// SPDX-License-Identifier: MPL-2.0

package standin_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
)

// TestComputedAttributes checks that computed attributes are unknown in the plan that
// creates a resource, known after the apply, and unchanged in the next plan.
func TestComputedAttributes(t *testing.T) {
	for _, address := range standin.Addresses() {
		server := standin.New(address, &platform.Store{})
		schemas, err := server.GetProviderSchema(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, schema := range schemas.ResourceSchemas {
			t.Run(name, func(t *testing.T) {
				empty := map[string]tftypes.Value{}
				for _, a := range schema.Block.Attributes {
					empty[a.Name] = tftypes.NewValue(a.ValueType(), nil)
				}
				for _, b := range schema.Block.BlockTypes {
					if b.Nesting == tfprotov6.SchemaNestedBlockNestingModeSingle {
						empty[b.TypeName] = tftypes.NewValue(b.ValueType(), nil)
					} else {
						empty[b.TypeName] = tftypes.NewValue(b.ValueType(), []tftypes.Value{})
					}
				}
				proposed, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), empty))
				if err != nil {
					t.Fatal(err)
				}
				plan, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: name, ProposedNewState: &proposed})
				if err != nil {
					t.Fatal(err)
				}
				applied, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{TypeName: name, PlannedState: plan.PlannedState})
				if err != nil {
					t.Fatal(err)
				}
				if len(applied.Diagnostics) > 0 {
					t.Skip("the platform rejects a resource without arguments: ", applied.Diagnostics[0].Summary)
				}
				again, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: name, ProposedNewState: applied.NewState})
				if err != nil {
					t.Fatal(err)
				}
				planned, created, replanned := attributes(t, schema, plan.PlannedState), attributes(t, schema, applied.NewState), attributes(t, schema, again.PlannedState)
				for _, a := range schema.Block.Attributes {
					if a.Required {
						continue // a CLI rejects a configuration without it
					}
					if planned[a.Name].IsKnown() == a.Computed {
						t.Errorf("%s: computed is %v, planned value %s", a.Name, a.Computed, planned[a.Name])
					}
					if !created[a.Name].IsFullyKnown() || created[a.Name].IsNull() == a.Computed {
						t.Errorf("%s: computed is %v, created value %s", a.Name, a.Computed, created[a.Name])
					}
					if !replanned[a.Name].Equal(created[a.Name]) {
						t.Errorf("%s changes from %s to %s without a reason", a.Name, created[a.Name], replanned[a.Name])
					}
				}
			})
		}
	}
}

func attributes(t *testing.T, schema *tfprotov6.Schema, value *tfprotov6.DynamicValue) map[string]tftypes.Value {
	t.Helper()
	object, err := value.Unmarshal(schema.ValueType())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]tftypes.Value{}
	if err := object.As(&all); err != nil {
		t.Fatal(err)
	}
	return all
}
