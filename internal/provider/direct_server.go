package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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
	provider    *versionskewProvider
	dataSources map[string]servedDataSource
	validation  tftypes.Type
}

// servedDataSource is a data source and the type of its values.
type servedDataSource struct {
	construct func() datasource.DataSource
	values    tftypes.Type
}

// NewServer returns a constructor of the server of the provider; version is that
// of the release.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(newProvider(version)) }
}

func newServer(p *versionskewProvider) *directServer {
	ctx := context.Background()
	s := &directServer{ProviderServer: providerserver.NewProtocol6(p)(), provider: p, dataSources: map[string]servedDataSource{}}
	for _, construct := range p.DataSources(ctx) {
		var named datasource.MetadataResponse
		construct().Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerName}, &named)
		var described datasource.SchemaResponse
		construct().Schema(ctx, datasource.SchemaRequest{}, &described)
		s.dataSources[named.TypeName] = servedDataSource{construct, described.Schema.Type().TerraformType(ctx)}
	}
	var described resource.SchemaResponse
	newValidationResource().Schema(ctx, resource.SchemaRequest{}, &described)
	s.validation = described.Schema.Type().TerraformType(ctx)
	return s
}

// ReadDataSource reads a data source.
func (s *directServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	asked := s.dataSources[req.TypeName]
	config, ok := decode(asked.values, req.Config)
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
	proposed, ok := decode(s.validation, req.ProposedNewState)
	prior, known := decode(s.validation, req.PriorState)
	if req.TypeName != validationName || !ok || !known || proposed.IsNull() {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	resp := resource.ModifyPlanResponse{Plan: tfsdk.Plan{Raw: proposed}}
	r := validationResource{configured(s.provider.settings, &resp.Diagnostics)}
	r.ModifyPlan(ctx, resource.ModifyPlanRequest{Plan: resp.Plan, State: tfsdk.State{Raw: prior}}, &resp)
	planned, err := tfprotov6.NewDynamicValue(s.validation, resp.Plan.Raw)
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: &planned, PlannedPrivate: req.PriorPrivate, Diagnostics: encode(resp.Diagnostics)}, err
}

// decode reads a value from the wire; ok is false if it is none of the type.
func decode(t tftypes.Type, v *tfprotov6.DynamicValue) (_ tftypes.Value, ok bool) {
	if t == nil || v == nil {
		return tftypes.Value{}, false
	}
	decoded, err := v.Unmarshal(t)
	return decoded, err == nil
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
