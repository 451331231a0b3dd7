// Command null serves the schema of the provider and decides nothing: what a
// provider of this shape costs before it does its work, written the ordinary
// way. It is the floor that the time of a plan is measured against.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	versionskew "github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return null{versionskew.New("null")()} },
		providerserver.ServeOpts{Address: "registry.terraform.io/versionskew/versionskew"})
	if err != nil {
		log.Fatal(err)
	}
}

// null is the provider with an evaluation and a validation that judge nothing,
// and without the rest.
type null struct{ provider.Provider }

func (null) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (n null) DataSources(ctx context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource {
		return nullDataSource{n.Provider.DataSources(ctx)[0]()}
	}}
}

func (n null) Resources(ctx context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource {
		return nullResource{n.Provider.Resources(ctx)[0]()}
	}}
}

type cluster struct {
	ControlPlaneVersion types.String `tfsdk:"control_plane_version"`
	ControlPlane        types.Map    `tfsdk:"control_plane"`
	APIServerEndpoint   types.String `tfsdk:"apiserver_endpoint"`
	NodePools           types.Map    `tfsdk:"node_pools"`
	Kubectl             types.List   `tfsdk:"kubectl"`
	Components          types.Map    `tfsdk:"components"`
	AdmissionWebhooks   types.Map    `tfsdk:"admission_webhooks"`
	Observed            types.Object `tfsdk:"observed"`
	Policy              types.String `tfsdk:"policy"`
	Waivers             types.Map    `tfsdk:"waivers"`
	AsOf                types.String `tfsdk:"as_of"`
}

type evaluation struct {
	cluster
	Supported       types.Bool   `tfsdk:"supported"`
	Findings        types.List   `tfsdk:"findings"`
	AllowedVersions types.Map    `tfsdk:"allowed_versions"`
	Next            types.Object `tfsdk:"next_control_plane_version"`
	UpgradeOrder    types.List   `tfsdk:"upgrade_order"`
	Markdown        types.String `tfsdk:"markdown"`
}

type validation struct {
	cluster
	EnforcementLevel types.String `tfsdk:"enforcement_level"`
	ID               types.String `tfsdk:"id"`
}

// nullDataSource returns what it is given; everything computed is null.
type nullDataSource struct{ datasource.DataSource }

// Schema is that of the provider, with a plain string where it has a type of
// its own, which is the same on the wire.
func (n nullDataSource) Schema(ctx context.Context, req datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	n.DataSource.Schema(ctx, req, resp)
	resp.Schema.Attributes["control_plane_version"] = dataschema.StringAttribute{Optional: true}
}

func (nullDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model evaluation
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// nullResource keeps what it is given.
type nullResource struct{ resource.Resource }

func (nullResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model validation
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (nullResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model validation
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (nullResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model validation
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (nullResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
