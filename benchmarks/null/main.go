// SPDX-License-Identifier: MPL-2.0

// Command null is a provider with the schema of versionskew that decodes configurations and
// checks nothing. It is written in the usual way with terraform-plugin-framework, so a plan
// with it measures what a typical provider with this schema costs before it does any work.
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
	err := providerserver.Serve(context.Background(), func() provider.Provider { return null{versionskew.New("null")} },
		providerserver.ServeOpts{Address: "registry.terraform.io/versionskew/versionskew"})
	if err != nil {
		log.Fatal(err)
	}
}

// null is the provider with only versionskew_evaluation and versionskew_validation, which
// check nothing.
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
	ControlPlaneVersion types.String        `tfsdk:"control_plane_version"`
	ControlPlane        map[string]instance `tfsdk:"control_plane"`
	APIServerEndpoint   types.String        `tfsdk:"apiserver_endpoint"`
	NodePools           map[string]nodePool `tfsdk:"node_pools"`
	KubeProxy           types.String        `tfsdk:"kube_proxy"`
	EmulatedVersion     types.String        `tfsdk:"emulated_version"`
	Kubectl             []types.String      `tfsdk:"kubectl"`
	Components          map[string][]string `tfsdk:"components"`
	AdmissionWebhooks   map[string]webhook  `tfsdk:"admission_webhooks"`
}

type instance struct {
	nodePool
	Version                types.String `tfsdk:"version"`
	KubeAPIServer          types.String `tfsdk:"kube_apiserver"`
	KubeControllerManager  types.String `tfsdk:"kube_controller_manager"`
	KubeScheduler          types.String `tfsdk:"kube_scheduler"`
	CloudControllerManager types.String `tfsdk:"cloud_controller_manager"`
	EmulatedVersion        types.String `tfsdk:"emulated_version"`
}

type nodePool struct {
	Kubelet   types.String `tfsdk:"kubelet"`
	KubeProxy types.String `tfsdk:"kube_proxy"`
}

type webhook struct {
	MatchPolicy types.String `tfsdk:"match_policy"`
}

type waiver struct {
	Rule      types.String   `tfsdk:"rule"`
	Locations []types.String `tfsdk:"locations"`
	Reason    types.String   `tfsdk:"reason"`
	Expires   types.String   `tfsdk:"expires"`
}

type input struct {
	cluster
	Observed   *cluster          `tfsdk:"observed"`
	ApplyOrder types.String      `tfsdk:"apply_order"`
	Policy     types.String      `tfsdk:"policy"`
	Waivers    map[string]waiver `tfsdk:"waivers"`
	AsOf       types.String      `tfsdk:"as_of"`

	AvailableVersions     []types.String `tfsdk:"available_versions"`
	AvailableNodeVersions []types.String `tfsdk:"available_node_versions"`
}

type evaluation struct {
	input
	Supported       types.Bool   `tfsdk:"supported"`
	Summary         types.Object `tfsdk:"summary"`
	Findings        types.List   `tfsdk:"findings"`
	AllowedVersions types.Map    `tfsdk:"allowed_versions"`
	Next            types.Object `tfsdk:"next_control_plane_version"`
	Previous        types.Object `tfsdk:"previous_control_plane_version"`
	UpgradeOrder    types.List   `tfsdk:"upgrade_order"`
	Markdown        types.String `tfsdk:"markdown"`
	SVG             types.String `tfsdk:"svg"`
}

type validation struct {
	input
	EnforcementLevel types.String `tfsdk:"enforcement_level"`
	ClusterID        types.String `tfsdk:"cluster_id"`
	ID               types.String `tfsdk:"id"`
}

// nullDataSource returns its configuration. Computed attributes are null.
type nullDataSource struct{ datasource.DataSource }

// Schema returns the schema of the provider. It replaces the custom type of an attribute
// with a plain string, which makes no difference in the protocol.
func (n nullDataSource) Schema(ctx context.Context, req datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	n.DataSource.Schema(ctx, req, resp)
	resp.Schema.Attributes["control_plane_version"] = dataschema.StringAttribute{Optional: true}
}

func (nullDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model evaluation
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// nullResource stores its configuration.
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
