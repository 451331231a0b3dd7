// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

// oneOfValidator is stringvalidator.OneOf with another message, which suggests the
// value that was probably meant.
type oneOfValidator struct {
	validator.String
	allowed []string
}

func oneOf(allowed []string) validator.String {
	return oneOfValidator{stringvalidator.OneOf(allowed...), allowed}
}

func (v oneOfValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var checked validator.StringResponse
	v.String.ValidateString(ctx, req, &checked)
	if checked.Diagnostics.HasError() {
		resp.Diagnostics.Append(errorAt(req.Path, report.InvalidChoice(req.Path.String(), req.ConfigValue.ValueString(), v.allowed)))
	}
}
