// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// dataSource is a data source of the provider. directServer calls it directly, and the
// framework through adapter.
type dataSource interface {
	name() string
	schema() schema.Schema
	// check validates a configuration.
	check(config tftypes.Value) diag.Diagnostics
	// outputs returns the computed attributes as a struct with tfsdk tags, or nil if the
	// diagnostics contain an error.
	outputs(config tftypes.Value) (model any, diags diag.Diagnostics)
}

// adapter makes a dataSource one of the framework.
type adapter struct{ dataSource }

var _ datasource.DataSourceWithValidateConfig = adapter{}

func (a adapter) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = a.name()
}

func (a adapter) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = a.schema()
}

func (a adapter) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	if tfvalue.IsSet(req.Config.Raw) {
		resp.Diagnostics.Append(a.check(req.Config.Raw)...)
	}
}

func (a adapter) Read(_ context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	model, diags := a.outputs(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if model != nil {
		resp.State.Raw = tfvalue.With(req.Config.Raw, model)
	}
}
