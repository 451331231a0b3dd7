// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// validationVersion is the version of the schema of a validation. Until version 1,
// observed was kept in state.
const validationVersion = 1

var _ resource.ResourceWithUpgradeState = (*validationResource)(nil)

// UpgradeState reads what earlier versions have left in state. The framework then
// takes out what is write-only by now.
func (r *validationResource) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {StateUpgrader: func(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
		raw, err := req.RawState.UnmarshalWithOpts(resp.State.Schema.Type().TerraformType(ctx), tfprotov6.UnmarshalOpts{
			ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
		})
		if err != nil {
			resp.Diagnostics.AddError("Invalid state", fmt.Sprintf("The state of this validation cannot be read: %s.\n\n"+
				"To repair: remove it from the state (terraform state rm), then import the versions that run.", err))
			return
		}
		resp.State.Raw = raw
	}}}
}
