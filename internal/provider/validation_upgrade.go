// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

// validationVersion is the schema version of a validation. Version 0 kept observed in
// state, and version 1 as_of.
const validationVersion = 2

var _ resource.ResourceWithUpgradeState = (*validationResource)(nil)

// UpgradeState reads the state of earlier schema versions. The framework then removes
// write-only attributes from it.
func (r *validationResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	upgrader := resource.StateUpgrader{StateUpgrader: upgradeState}
	return map[int64]resource.StateUpgrader{0: upgrader, 1: upgrader}
}

func upgradeState(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
	raw, err := req.RawState.UnmarshalWithOpts(resp.State.Schema.Type().TerraformType(ctx), tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		resp.Diagnostics.Append(errorAt(path.Empty(), report.InvalidState(err)))
		return
	}
	resp.State.Raw = raw
}
