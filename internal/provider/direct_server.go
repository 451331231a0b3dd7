package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// directServer is the framework's, but for what a plan asks of each data source and
// resource: that goes to the same data sources and resource straight from the
// wire. In between, the framework would pass over every value for defaults, plan
// modifiers, semantic equality and blocks, of which our schemas have none. That
// costs more than all that is done here, and one of the passes grows with the
// square of the node pools.
//
// Whatever is out of the ordinary goes to the framework after all.
type directServer struct {
	tfprotov6.ProviderServer
	provider *versionskewProvider
	// schemas checks what the schemas ask for, and no more.
	schemas     tfprotov6.ProviderServer
	checks      schemaChecks
	dataSources map[string]servedDataSource
	validation  shape
}

// servedDataSource is a data source and the shape of its values.
type servedDataSource struct {
	construct func() datasource.DataSource
	shape
}

// schemasOnly is the provider without what its data sources and its resource
// check themselves: embedded in an interface, they show no more methods than it.
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

// NewServer returns a constructor of the server of the provider; version is that
// of the release.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(newProvider(version)) }
}

func newServer(p *versionskewProvider) *directServer {
	ctx := context.Background()
	s := &directServer{
		ProviderServer: providerserver.NewProtocol6(p)(),
		provider:       p,
		schemas:        providerserver.NewProtocol6(schemasOnly{p})(),
		dataSources:    map[string]servedDataSource{},
	}
	for _, construct := range p.DataSources(ctx) {
		var named datasource.MetadataResponse
		construct().Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerName}, &named)
		var described datasource.SchemaResponse
		construct().Schema(ctx, datasource.SchemaRequest{}, &described)
		s.dataSources[named.TypeName] = servedDataSource{construct, shapeOf(described.Schema.Type(), described.Schema.Attributes)}
	}
	var described resource.SchemaResponse
	newValidationResource().Schema(ctx, resource.SchemaRequest{}, &described)
	s.validation = shapeOf(described.Schema.Type(), described.Schema.Attributes)
	return s
}

// ValidateDataResourceConfig checks a data source by its schema, and has it check
// the rest.
func (s *directServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	asked := s.dataSources[req.TypeName]
	config, ok := asked.decode(req.Config)
	if !ok || !tfvalue.IsSet(config) {
		return s.ProviderServer.ValidateDataResourceConfig(ctx, req)
	}
	var checked datasource.ValidateConfigResponse
	if d, ok := asked.construct().(datasource.DataSourceWithValidateConfig); ok {
		d.ValidateConfig(ctx, datasource.ValidateConfigRequest{Config: tfsdk.Config{Raw: config}}, &checked)
	}
	thin, err := asked.thin(config)
	if err != nil {
		return nil, err
	}
	bySchema, err := s.checks.of(req.TypeName, thin, func() ([]*tfprotov6.Diagnostic, error) {
		resp, err := s.schemas.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: thin})
		if err != nil {
			return nil, err
		}
		return resp.Diagnostics, nil
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: joined(encode(checked.Diagnostics), bySchema)}, nil
}

// ValidateResourceConfig checks the resource by its schema, and has it check the
// rest.
func (s *directServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	config, ok := s.validation.decode(req.Config)
	if req.TypeName != validationName || !ok || !tfvalue.IsSet(config) {
		return s.ProviderServer.ValidateResourceConfig(ctx, req)
	}
	var checked resource.ValidateConfigResponse
	new(validationResource).ValidateConfig(ctx, resource.ValidateConfigRequest{Config: tfsdk.Config{Raw: config}}, &checked)
	thin, err := s.validation.thin(config)
	if err != nil {
		return nil, err
	}
	resp, err := s.schemas.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: req.TypeName, Config: thin, ClientCapabilities: req.ClientCapabilities})
	if err != nil {
		return nil, err
	}
	resp.Diagnostics = joined(encode(checked.Diagnostics), resp.Diagnostics)
	return resp, nil
}

// ReadDataSource reads a data source.
func (s *directServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	asked := s.dataSources[req.TypeName]
	config, ok := asked.decode(req.Config)
	if !ok {
		return s.ProviderServer.ReadDataSource(ctx, req)
	}
	d := asked.construct()
	resp := datasource.ReadResponse{State: tfsdk.State{Raw: config}}
	if d, ok := d.(datasource.DataSourceWithConfigure); ok {
		var configured datasource.ConfigureResponse
		d.Configure(ctx, datasource.ConfigureRequest{ProviderData: s.provider.settings}, &configured)
		resp.Diagnostics = configured.Diagnostics
	}
	d.Read(ctx, datasource.ReadRequest{Config: tfsdk.Config{Raw: config}}, &resp)
	state, err := tfprotov6.NewDynamicValue(asked.values, resp.State.Raw)
	return &tfprotov6.ReadDataSourceResponse{State: &state, Diagnostics: encode(resp.Diagnostics)}, err
}

// ReadResource returns the state as it is: there is nothing to refresh it from.
func (s *directServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if req.TypeName != validationName || len(req.Private) > 0 {
		return s.ProviderServer.ReadResource(ctx, req)
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
}

// PlanResourceChange plans what the CLI proposes, as the resource modifies it.
func (s *directServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	proposed, ok := s.validation.decode(req.ProposedNewState)
	prior, known := s.validation.decode(req.PriorState)
	if req.TypeName != validationName || !ok || !known || proposed.IsNull() {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	resp := resource.ModifyPlanResponse{Plan: tfsdk.Plan{Raw: proposed}}
	r := validationResource{configured(s.provider.settings, &resp.Diagnostics)}
	r.ModifyPlan(ctx, resource.ModifyPlanRequest{Plan: resp.Plan, State: tfsdk.State{Raw: prior}}, &resp)
	planned, err := tfprotov6.NewDynamicValue(s.validation.values, resp.Plan.Raw)
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: &planned, PlannedPrivate: req.PriorPrivate, Diagnostics: encode(resp.Diagnostics)}, err
}

// encode writes diagnostics as they go over the wire.
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

// joined are diagnostics and those of more that are not among them, as the
// framework joins them: the type of a version says what a data source does.
func joined(diags, more []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	for _, m := range more {
		if !slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool {
			return d.Severity == m.Severity && d.Summary == m.Summary && d.Detail == m.Detail && d.Attribute.Equal(m.Attribute)
		}) {
			diags = append(diags, m)
		}
	}
	return diags
}
