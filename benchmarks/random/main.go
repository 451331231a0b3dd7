// SPDX-License-Identifier: MPL-2.0

// Command random is a provider with a resource like random_id of hashicorp/random, which
// cannot be built from its Go module. It does about the minimum that a provider can do with
// a resource. The fleet benchmark replaces the validation of each cluster with it.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return random{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/hashicorp/random"})
	if err != nil {
		log.Fatal(err)
	}
}

type random struct{}

func (random) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "random"
}

func (random) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (random) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (random) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (random) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return id{} }}
}

type id struct{}

type model struct {
	ByteLength types.Int64  `tfsdk:"byte_length"`
	Hex        types.String `tfsdk:"hex"`
	ID         types.String `tfsdk:"id"`
}

func (id) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "random_id"
}

func (id) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	computed := schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"byte_length": schema.Int64Attribute{Required: true},
		"hex":         computed,
		"id":          computed,
	}}
}

func (id) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	bytes := make([]byte, m.ByteLength.ValueInt64())
	if _, err := rand.Read(bytes); err != nil {
		resp.Diagnostics.AddError("Cannot generate random bytes", err.Error())
		return
	}
	m.Hex = types.StringValue(hex.EncodeToString(bytes))
	m.ID = m.Hex
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (id) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (id) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (id) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
