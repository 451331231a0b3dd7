// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// dataSource is what every data source of the provider implements: the framework's
// methods, and outputs, which both the framework's server and the direct server use.
type dataSource interface {
	datasource.DataSource
	// outputs returns the computed attributes as a struct with tfsdk tags, or nil if the
	// diagnostics contain an error.
	outputs(config tftypes.Value) (model any, diags diag.Diagnostics)
}

// readInto implements Read.
func readInto(d dataSource, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	model, diags := d.outputs(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if model != nil {
		resp.State.Raw = tfvalue.With(req.Config.Raw, model)
	}
}
