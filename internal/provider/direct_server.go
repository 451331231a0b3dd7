// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

// directServer is the framework's server, except that it passes the requests of a plan
// directly to the data source or resource. The framework would walk over every value
// for defaults, plan modifiers, validators, semantic equality and blocks, which our
// schemas do not use. That takes longer than everything else, and part of the time grows
// with the square of the number of node pools.
//
// The framework still handles requests that cannot be decoded, and destroys.
type directServer struct {
	tfprotov6.ProviderServer
	provider    *versionskewProvider
	dataSources map[string]servedDataSource
	validation  shape
}

// servedDataSource is a data source with its shape.
type servedDataSource struct {
	shape
	construct func() dataSource
}

// NewServer returns a constructor of the server of the provider. version is the release
// version.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(newProvider(version)) }
}

func newServer(p *versionskewProvider) *directServer {
	resource := validationSchema()
	s := &directServer{
		ProviderServer: providerserver.NewProtocol6(p)(),
		provider:       p,
		dataSources:    map[string]servedDataSource{},
		validation:     shapeOf(resource.Type(), resource.Attributes),
	}
	for _, construct := range p.dataSources() {
		d := construct()
		schema := d.schema()
		s.dataSources[d.name()] = servedDataSource{shapeOf(schema.Type(), schema.Attributes), construct}
	}
	return s
}

// ValidateDataResourceConfig validates the configuration of a data source.
func (s *directServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	served := s.dataSources[req.TypeName]
	config, ok := served.decode(req.Config)
	if !ok || !tfvalue.IsSet(config) {
		return s.ProviderServer.ValidateDataResourceConfig(ctx, req)
	}
	diags := append(served.construct().check(config), served.readOnly(config)...)
	return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: encode(diags)}, nil
}

// ValidateResourceConfig validates the configuration of a resource.
func (s *directServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	config, ok := s.validation.decode(req.Config)
	if req.TypeName != validationName || !ok || !tfvalue.IsSet(config) {
		return s.ProviderServer.ValidateResourceConfig(ctx, req)
	}
	writeOnlyAllowed := req.ClientCapabilities != nil && req.ClientCapabilities.WriteOnlyAttributesAllowed
	diags := append(s.provider.validation().checkConfig(config, writeOnlyAllowed), s.validation.readOnly(config)...)
	return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: encode(diags)}, nil
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
	model, diags := served.construct().outputs(config)
	if model == nil {
		return &tfprotov6.ReadDataSourceResponse{State: req.Config, Diagnostics: encode(diags)}, nil
	}
	state, err := tfvalue.Encode(served.values, req.Config.MsgPack, model)
	return &tfprotov6.ReadDataSourceResponse{State: &tfprotov6.DynamicValue{MsgPack: state}, Diagnostics: encode(diags)}, err
}

// ReadResource returns the state unchanged, because no resource has a remote object.
func (s *directServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if req.TypeName != validationName || len(req.Private) > 0 {
		return s.ProviderServer.ReadResource(ctx, req)
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
}

// PlanResourceChange returns the state that the CLI proposes, as modified by the
// resource.
func (s *directServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	proposed, ok := s.validation.decode(req.ProposedNewState)
	prior, priorOK := s.validation.decode(req.PriorState)
	config, configOK := s.validation.decode(req.Config)
	if req.TypeName != validationName || !ok || !priorOK || !configOK || !tfvalue.IsSet(proposed) {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	plan, diags := s.provider.validation().plan(proposed, config, prior)
	planned, err := tfprotov6.NewDynamicValue(s.validation.values, plan)
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: &planned, PlannedPrivate: req.PriorPrivate, Diagnostics: encode(diags)}, err
}

// shape is what directServer needs to know about a schema.
type shape struct {
	values tftypes.Type
	// computed lists the top-level attributes that a configuration cannot set.
	computed []string
}

// shapeOf returns the shape of a schema of the framework.
func shapeOf[A interface{ IsComputed() bool }](t attr.Type, attributes map[string]A) shape {
	s := shape{values: t.TerraformType(context.Background())}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if attributes[name].IsComputed() {
			s.computed = append(s.computed, name)
		}
	}
	return s
}

// decode decodes a value of the protocol. ok is false if it does not fit the schema.
func (s shape) decode(v *tfprotov6.DynamicValue) (_ tftypes.Value, ok bool) {
	if s.values == nil || v == nil {
		return tftypes.Value{}, false
	}
	decoded, err := v.Unmarshal(s.values)
	return decoded, err == nil
}

// readOnly reports computed attributes that a configuration sets.
func (s shape) readOnly(config tftypes.Value) (diags diag.Diagnostics) {
	attributes := tfvalue.Fields(config)
	for _, name := range s.computed {
		if !attributes[name].IsNull() {
			diags.Append(errorAt(path.Root(name), report.ReadOnly(name)))
		}
	}
	return diags
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
