// SPDX-License-Identifier: MPL-2.0

// Package standin stands in for the providers of clouds where modules and guides
// are tested: they can neither be downloaded there nor reach a cloud. It knows
// the resources that those use, with their real arguments. What has a version
// runs on a simulated platform, which refuses what the real one refuses; anything
// else takes any value, and creates nothing. What the real provider learns from
// its cloud is unknown until apply here too, so that a plan shows what a user's
// plan would.
package standin

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// server answers what a CLI asks in validate, plan, apply and destroy. Whatever
// else the protocol has is not there.
type server struct {
	tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
	data   provider
	store  platform.Store
}

// New stands in for the provider of an address, such as hashicorp/aws, on the
// platform that a store keeps.
func New(address string, store platform.Store) (tfprotov6.ProviderServer, error) {
	all, err := providers()
	if err != nil {
		return nil, err
	}
	p, ok := all[address]
	if !ok {
		return nil, fmt.Errorf("nothing stands in for %s", address)
	}
	config, err := p.Provider.schema()
	if err != nil {
		return nil, err
	}
	resources, err := schemas(p.Resources)
	if err != nil {
		return nil, err
	}
	dataSources, err := schemas(p.DataSources)
	if err != nil {
		return nil, err
	}
	return &server{
		schema: &tfprotov6.GetProviderSchemaResponse{
			Provider:          &tfprotov6.Schema{Block: config},
			ResourceSchemas:   resources,
			DataSourceSchemas: dataSources,
		},
		data:  p,
		store: store,
	}, nil
}

func (s *server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.schema, nil
}

func (s *server) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (s *server) ValidateProviderConfig(_ context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

func (s *server) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (s *server) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (s *server) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *server) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (s *server) UpgradeResourceState(_ context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	t := s.schema.ResourceSchemas[req.TypeName].ValueType()
	value, err := req.RawState.Unmarshal(t)
	if err != nil {
		return nil, err
	}
	state, err := tfprotov6.NewDynamicValue(t, value)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &state}, err
}

func (s *server) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	kind, ok := resources[req.TypeName]
	if !ok {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
	}
	t := s.schema.ResourceSchemas[req.TypeName].ValueType()
	attributes, err := decode(req.CurrentState, t)
	if err != nil {
		return nil, err
	}
	there := false
	err = s.store.Do(func(w *platform.World) error {
		there = kind.read(w, attributes)
		return nil
	})
	if err != nil {
		return nil, err
	}
	state := tftypes.NewValue(t, nil)
	if there {
		state = tftypes.NewValue(t, map[string]tftypes.Value(attributes))
	}
	now, err := tfprotov6.NewDynamicValue(t, state)
	return &tfprotov6.ReadResourceResponse{NewState: &now}, err
}

// PlanResourceChange leaves open what only the cloud can tell. What it has told
// once stays until the apply, even if an argument changes that it follows: the
// providers of the clouds know no better either, and are allowed to.
func (s *server) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	schema := s.schema.ResourceSchemas[req.TypeName]
	planned, err := settle(schema, req.ProposedNewState, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		if given.IsNull() {
			return tftypes.NewValue(a.Type, tftypes.UnknownValue)
		}
		return given
	})
	if err != nil {
		return nil, err
	}
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: planned}
	before, err := decode(req.PriorState, schema.ValueType())
	if err != nil {
		return nil, err
	}
	after, err := decode(planned, schema.ValueType())
	if err != nil || before == nil || after == nil {
		return resp, err
	}
	for _, name := range resources[req.TypeName].replaces {
		if !before[name].Equal(after[name]) {
			resp.RequiresReplace = append(resp.RequiresReplace, tftypes.NewAttributePath().WithAttributeName(name))
		}
	}
	return resp, nil
}

func (s *server) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	t := s.schema.ResourceSchemas[req.TypeName].ValueType()
	before, err := decode(req.PriorState, t)
	if err != nil {
		return nil, err
	}
	after, err := decode(req.PlannedState, t)
	if err != nil {
		return nil, err
	}
	//nolint:staticcheck // The providers of the clouds use it, and so does what stands in for them.
	resp := &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, UnsafeToUseLegacyTypeSystem: true}
	if kind, ok := resources[req.TypeName]; ok {
		refused := s.store.Do(func(w *platform.World) error {
			switch {
			case after == nil:
				return kind.remove(w, before)
			case before == nil:
				return kind.create(w, after)
			default:
				return kind.update(w, after)
			}
		})
		if refused != nil {
			resp.NewState = req.PriorState
			resp.Diagnostics = []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: refused.Error()}}
			return resp, nil //nolint:nilerr // The platform has refused: that is for the user.
		}
	}
	if after == nil {
		return resp, nil
	}
	made, err := tfprotov6.NewDynamicValue(t, tftypes.NewValue(t, map[string]tftypes.Value(after)))
	if err != nil {
		return nil, err
	}
	resp.NewState, err = settle(s.schema.ResourceSchemas[req.TypeName], &made, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		if given.IsKnown() {
			return given
		}
		return invent(a.Type)
	})
	return resp, err
}

func (s *server) ReadDataSource(_ context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	schema := s.schema.DataSourceSchemas[req.TypeName]
	state, err := settle(schema, req.Config, func(a *tfprotov6.SchemaAttribute, _ tftypes.Value) tftypes.Value {
		return invent(a.Type)
	})
	read, ok := dataSources[req.TypeName]
	if err != nil || !ok {
		return &tfprotov6.ReadDataSourceResponse{State: state}, err
	}
	attributes, err := decode(state, schema.ValueType())
	if err != nil {
		return nil, err
	}
	if missing := s.store.Do(func(w *platform.World) error { return read(w, attributes) }); missing != nil {
		return &tfprotov6.ReadDataSourceResponse{Diagnostics: []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: missing.Error()}}}, nil //nolint:nilerr // It is for the user.
	}
	now, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), map[string]tftypes.Value(attributes)))
	return &tfprotov6.ReadDataSourceResponse{State: &now}, err
}

// decode reads the attributes of an object; nil for null.
func decode(v *tfprotov6.DynamicValue, t tftypes.Type) (values, error) {
	if v == nil {
		return nil, nil
	}
	object, err := v.Unmarshal(t)
	if err != nil || object.IsNull() {
		return nil, err
	}
	attributes := map[string]tftypes.Value{}
	return attributes, object.As(&attributes)
}

// settle gives every computed attribute, also of nested blocks, the value that
// the function makes of what is given for it.
func settle(schema *tfprotov6.Schema, given *tfprotov6.DynamicValue, value func(*tfprotov6.SchemaAttribute, tftypes.Value) tftypes.Value) (*tfprotov6.DynamicValue, error) {
	t := schema.ValueType()
	object, err := given.Unmarshal(t)
	if err != nil || object.IsNull() { // which is what is left of a destroyed resource
		return given, err
	}
	settled, err := settleBlock(schema.Block, object, value)
	if err != nil {
		return nil, err
	}
	out, err := tfprotov6.NewDynamicValue(t, settled)
	return &out, err
}

func settleBlock(block *tfprotov6.SchemaBlock, object tftypes.Value, value func(*tfprotov6.SchemaAttribute, tftypes.Value) tftypes.Value) (tftypes.Value, error) {
	attributes := map[string]tftypes.Value{}
	if err := object.As(&attributes); err != nil {
		return object, err
	}
	for _, a := range block.Attributes {
		if a.Computed {
			attributes[a.Name] = value(a, attributes[a.Name])
		}
	}
	for _, b := range block.BlockTypes {
		nested := attributes[b.TypeName]
		if !nested.IsKnown() || nested.IsNull() {
			continue
		}
		var elements []tftypes.Value
		if err := nested.As(&elements); err != nil {
			return object, err
		}
		for i, e := range elements {
			settled, err := settleBlock(b.Block, e, value)
			if err != nil {
				return object, err
			}
			elements[i] = settled
		}
		attributes[b.TypeName] = tftypes.NewValue(nested.Type(), elements)
	}
	return tftypes.NewValue(object.Type(), attributes), nil
}

// invent makes a value of a type, as a cloud would.
func invent(t tftypes.Type) tftypes.Value {
	switch typed := t.(type) {
	case tftypes.Object:
		attributes := map[string]tftypes.Value{}
		for name, a := range typed.AttributeTypes {
			attributes[name] = invent(a)
		}
		return tftypes.NewValue(t, attributes)
	case tftypes.List, tftypes.Set:
		return tftypes.NewValue(t, []tftypes.Value{})
	case tftypes.Map:
		return tftypes.NewValue(t, map[string]tftypes.Value{})
	}
	switch {
	case t.Is(tftypes.Bool):
		return tftypes.NewValue(t, false)
	case t.Is(tftypes.Number):
		return tftypes.NewValue(t, 1)
	}
	return tftypes.NewValue(tftypes.String, "made-up")
}
