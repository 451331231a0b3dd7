// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

// directServer is the framework's server, except that it passes the requests of a plan
// directly to the data source or resource. The framework would walk over every value
// for defaults, plan modifiers, semantic equality and blocks, which our schemas do not
// use. That takes longer than everything else, and part of the time grows with the
// square of the number of node pools.
//
// The framework still handles everything unusual: a request that cannot be decoded, a
// type whose schema or methods need the framework (see serveDataSource), and a response
// that contains more than values and diagnostics.
type directServer struct {
	tfprotov6.ProviderServer
	// schemas only runs the checks that the schemas define.
	schemas     tfprotov6.ProviderServer
	checks      schemaChecks
	dataSources map[string]servedDataSource
	resources   map[string]servedResource
}

// servedDataSource is a data source that is served directly.
type servedDataSource struct {
	construct func() datasource.DataSource
	schema    datasourceschema.Schema
	shape
}

// servedResource is a resource that is served directly.
type servedResource struct {
	construct func() resource.Resource
	schema    resourceschema.Schema
	shape
}

// schemasOnly is the provider without the checks of its data sources and resource.
// Embedding them as interfaces hides their ValidateConfig methods.
type schemasOnly struct{ *versionskewProvider }

func (p schemasOnly) DataSources(ctx context.Context) []func() datasource.DataSource {
	var bare []func() datasource.DataSource
	for _, construct := range p.versionskewProvider.DataSources(ctx) {
		bare = append(bare, func() datasource.DataSource { return struct{ datasource.DataSource }{construct()} })
	}
	return bare
}

func (p schemasOnly) Resources(ctx context.Context) []func() resource.Resource {
	var bare []func() resource.Resource
	for _, construct := range p.versionskewProvider.Resources(ctx) {
		bare = append(bare, func() resource.Resource { return struct{ resource.Resource }{construct()} })
	}
	return bare
}

// NewServer returns a constructor of the server of the provider. version is the release
// version.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(newProvider(version)) }
}

func newServer(p *versionskewProvider) *directServer {
	ctx := context.Background()
	s := &directServer{
		ProviderServer: providerserver.NewProtocol6(p)(),
		schemas:        providerserver.NewProtocol6(schemasOnly{p})(),
		dataSources:    map[string]servedDataSource{},
		resources:      map[string]servedResource{},
	}
	for _, construct := range p.DataSources(ctx) {
		if name, served, err := serveDataSource(ctx, construct); err == nil {
			s.dataSources[name] = served
		}
	}
	for _, construct := range p.Resources(ctx) {
		if name, served, err := serveResource(ctx, construct); err == nil {
			s.resources[name] = served
		}
	}
	return s
}

// serveDataSource prepares a data source to be served directly. The error names a feature
// of it that needs the framework.
func serveDataSource(ctx context.Context, construct func() datasource.DataSource) (name string, served servedDataSource, err error) {
	d := construct()
	var named datasource.MetadataResponse
	d.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerName}, &named)
	var described datasource.SchemaResponse
	d.Schema(ctx, datasource.SchemaRequest{}, &described)
	served = servedDataSource{construct: construct, schema: described.Schema}
	if _, ok := d.(datasource.DataSourceWithConfigValidators); ok {
		return named.TypeName, served, errors.New("it has config validators")
	}
	if _, ok := d.(dataSource); !ok {
		return named.TypeName, served, errors.New("it has no outputs method")
	}
	served.shape, err = shapeOf(described.Schema)
	return named.TypeName, served, err
}

// serveResource is serveDataSource for a resource.
func serveResource(ctx context.Context, construct func() resource.Resource) (name string, served servedResource, err error) {
	r := construct()
	var named resource.MetadataResponse
	r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: providerName}, &named)
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	served = servedResource{construct: construct, schema: described.Schema}
	if _, ok := r.(resource.ResourceWithConfigValidators); ok {
		return named.TypeName, served, errors.New("it has config validators")
	}
	if _, ok := r.(resource.ResourceWithIdentity); ok {
		return named.TypeName, served, errors.New("it has an identity")
	}
	if named.ResourceBehavior != (resource.ResourceBehavior{}) {
		return named.TypeName, served, errors.New("it sets a resource behavior")
	}
	served.shape, err = shapeOf(described.Schema)
	return named.TypeName, served, err
}

// ValidateDataResourceConfig validates a configuration against the schema and with the
// data source's own checks.
func (s *directServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	served := s.dataSources[req.TypeName]
	config, ok := served.decode(req.Config)
	if !ok || !tfvalue.IsSet(config) {
		return s.ProviderServer.ValidateDataResourceConfig(ctx, req)
	}
	var diags diag.Diagnostics
	if d, ok := served.construct().(datasource.DataSourceWithValidateConfig); ok {
		var checked datasource.ValidateConfigResponse
		d.ValidateConfig(ctx, datasource.ValidateConfigRequest{Config: tfsdk.Config{Raw: config, Schema: served.schema}}, &checked)
		diags.Append(checked.Diagnostics...)
	}
	reduced, err := served.reduced(config)
	if err != nil {
		return nil, err
	}
	bySchema, err := s.checks.of(req.TypeName, reduced, func() ([]*tfprotov6.Diagnostic, error) {
		resp, err := s.schemas.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: reduced})
		if err != nil {
			return nil, err
		}
		return reworded(resp.Diagnostics), nil
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: union(encode(diags), bySchema)}, nil
}

// ValidateResourceConfig validates a configuration against the schema and with the
// resource's own checks.
func (s *directServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	served := s.resources[req.TypeName]
	config, ok := served.decode(req.Config)
	if !ok || !tfvalue.IsSet(config) {
		return s.ProviderServer.ValidateResourceConfig(ctx, req)
	}
	var diags diag.Diagnostics
	if r, ok := served.construct().(resource.ResourceWithValidateConfig); ok {
		var checked resource.ValidateConfigResponse
		r.ValidateConfig(ctx, resource.ValidateConfigRequest{
			Config:             tfsdk.Config{Raw: config, Schema: served.schema},
			ClientCapabilities: resource.ValidateConfigClientCapabilities{WriteOnlyAttributesAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.WriteOnlyAttributesAllowed},
		}, &checked)
		diags.Append(checked.Diagnostics...)
	}
	reduced, err := served.reduced(config)
	if err != nil {
		return nil, err
	}
	resp, err := s.schemas.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: req.TypeName, Config: reduced, ClientCapabilities: req.ClientCapabilities})
	if err != nil {
		return nil, err
	}
	resp.Diagnostics = union(encode(diags), reworded(resp.Diagnostics))
	return resp, nil
}

// ReadDataSource reads a data source.
func (s *directServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	served := s.dataSources[req.TypeName]
	config, ok := served.decode(req.Config)
	if req.Config == nil {
		req.Config = &tfprotov6.DynamicValue{} // The framework panics without one.
	}
	if !ok || !tfvalue.IsSet(config) || len(req.Config.MsgPack) == 0 {
		return s.ProviderServer.ReadDataSource(ctx, req)
	}
	d, ok := served.construct().(dataSource)
	if !ok {
		return s.ProviderServer.ReadDataSource(ctx, req)
	}
	model, diags := d.outputs(config)
	if model == nil {
		return &tfprotov6.ReadDataSourceResponse{State: req.Config, Diagnostics: encode(diags)}, nil
	}
	state, err := tfvalue.Encode(served.values, req.Config.MsgPack, model)
	return &tfprotov6.ReadDataSourceResponse{State: &tfprotov6.DynamicValue{MsgPack: state}, Diagnostics: encode(diags)}, err
}

// ReadResource returns the state unchanged, because no resource has a remote object.
func (s *directServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if _, ok := s.resources[req.TypeName]; !ok || len(req.Private) > 0 {
		return s.ProviderServer.ReadResource(ctx, req)
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
}

// PlanResourceChange returns the state that the CLI proposes, as modified by the
// resource.
func (s *directServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	served := s.resources[req.TypeName]
	proposed, ok := served.decode(req.ProposedNewState)
	prior, priorOK := served.decode(req.PriorState)
	config, configOK := served.decode(req.Config)
	if !ok || !priorOK || !configOK || !tfvalue.IsSet(proposed) {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	modifier, ok := served.construct().(resource.ResourceWithModifyPlan)
	if !ok {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	plan := tfsdk.Plan{Raw: without(proposed, served.writeOnly), Schema: served.schema}
	resp := resource.ModifyPlanResponse{Plan: plan}
	modifier.ModifyPlan(ctx, resource.ModifyPlanRequest{
		Config: tfsdk.Config{Raw: config, Schema: served.schema}, Plan: plan, State: tfsdk.State{Raw: prior, Schema: served.schema},
	}, &resp)
	if len(resp.RequiresReplace) > 0 || resp.Deferred != nil || resp.Identity != nil || resp.Private != nil {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	planned, err := tfprotov6.NewDynamicValue(served.values, resp.Plan.Raw)
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: &planned, PlannedPrivate: req.PriorPrivate, Diagnostics: encode(resp.Diagnostics)}, err
}

// encode converts diagnostics to those of the protocol.
func encode(diags diag.Diagnostics) []*tfprotov6.Diagnostic {
	severities := map[diag.Severity]tfprotov6.DiagnosticSeverity{
		diag.SeverityError:   tfprotov6.DiagnosticSeverityError,
		diag.SeverityWarning: tfprotov6.DiagnosticSeverityWarning,
	}
	var encoded []*tfprotov6.Diagnostic
	for _, d := range diags {
		e := &tfprotov6.Diagnostic{Severity: severities[d.Severity()], Summary: d.Summary(), Detail: d.Detail()}
		if d, ok := d.(diag.DiagnosticWithPath); ok {
			e.Attribute = tftypes.NewAttributePath()
			for _, step := range d.Path().Steps() {
				switch step := step.(type) {
				case path.PathStepAttributeName:
					e.Attribute = e.Attribute.WithAttributeName(string(step))
				case path.PathStepElementKeyString:
					e.Attribute = e.Attribute.WithElementKeyString(string(step))
				case path.PathStepElementKeyInt:
					e.Attribute = e.Attribute.WithElementKeyInt(int(step))
				}
			}
		}
		encoded = append(encoded, e)
	}
	return encoded
}

// missingSummary is the framework's summary for a required attribute that is null.
const missingSummary = "Missing Configuration for Required Attribute"

// reworded replaces the framework's errors for required attributes that are null. The new
// ones name the place, at a path for which the CLIs show the source line.
func reworded(diags []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	out := slices.Clone(diags)
	for i, d := range out {
		if d.Summary != missingSummary || d.Attribute == nil {
			continue
		}
		where, name := "", ""
		for _, step := range d.Attribute.Steps() {
			where += name
			switch step := step.(type) {
			case tftypes.AttributeName:
				name = string(step)
			case tftypes.ElementKeyString:
				name = fmt.Sprintf("[%q]", string(step))
			}
		}
		steps, missing := d.Attribute.Steps(), report.MissingAttribute(where, name)
		out[i] = &tfprotov6.Diagnostic{
			Severity: d.Severity, Summary: missing.Summary, Detail: missing.Detail(),
			Attribute: tftypes.NewAttributePathWithSteps(steps[:min(2, len(steps))]),
		}
	}
	return out
}

// union returns diags and those of more that diags does not contain. The framework
// drops duplicates in the same way.
func union(diags, more []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	for _, m := range more {
		if !slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool {
			return d.Severity == m.Severity && d.Summary == m.Summary && d.Detail == m.Detail && d.Attribute.Equal(m.Attribute)
		}) {
			diags = append(diags, m)
		}
	}
	return diags
}
