// SPDX-License-Identifier: MPL-2.0

// Package standin implements stand-ins for the providers that the example modules and
// guides use, such as hashicorp/aws. Tests cannot download the real providers, and could
// not connect them to a cloud.
//
// The stand-ins support the resource types and data sources that the examples use, with
// the whole schemas of the real providers: see schemas, and unchecked.yaml for the few that
// were written by hand. A configuration that the real provider would reject because of its
// schema is therefore rejected here, too. Resources with a Kubernetes version
// create and change clusters on the simulated platform of package platform, which rejects
// what the real platform rejects. All other resources accept any value and have no
// effect. Attributes that the real provider computes are unknown until apply, so that
// plans look like those of a user.
//
// The command serve in a subdirectory runs the stand-ins as plugins. New returns one that
// runs in the process of the test.
package standin

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// server implements the calls that a CLI makes in validate, plan, apply and destroy. All
// other calls of the protocol panic.
type server struct {
	tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
	store  platform.Store
}

// New returns a stand-in for the provider with an address such as hashicorp/aws, which
// works on the simulated platform in the store.
func New(address string, store platform.Store) tfprotov6.ProviderServer {
	return &server{schema: schemasOf(address), store: store}
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
	exists := false
	err = s.store.Do(func(w *platform.World) error {
		exists = kind.read(w, attributes)
		return nil
	})
	if err != nil {
		return nil, err
	}
	state := tftypes.NewValue(t, nil)
	if exists {
		state = tftypes.NewValue(t, map[string]tftypes.Value(attributes))
	}
	now, err := tfprotov6.NewDynamicValue(t, state)
	return &tfprotov6.ReadResourceResponse{NewState: &now}, err
}

// PlanResourceChange marks computed attributes of a new resource as unknown. Those of an
// existing resource keep their values, even if they depend on an argument that changes.
// The real providers do the same, which the legacy type system allows.
func (s *server) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	schema := s.schema.ResourceSchemas[req.TypeName]
	before, err := decode(req.PriorState, schema.ValueType())
	if err != nil {
		return nil, err
	}
	proposed, err := withoutEmpty(schema, req.ProposedNewState, before)
	if err != nil {
		return nil, err
	}
	planned, err := fill(schema, proposed, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		switch {
		case a.WriteOnly:
			return tftypes.NewValue(a.ValueType(), nil)
		case a.Computed && given.IsNull():
			return tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
		}
		return given
	})
	if err != nil {
		return nil, err
	}
	//nolint:staticcheck // The real providers use the legacy type system, too.
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: planned, UnsafeToUseLegacyTypeSystem: true}
	after, err := decode(planned, schema.ValueType())
	if err != nil || before == nil || after == nil {
		return resp, err
	}
	kind := resources[req.TypeName]
	for _, name := range append(slices.Clone(kind.replaces), kind.replacesLower) {
		if name == kind.replacesLower && !platform.Newer(before.text(name), after.text(name)) {
			continue
		}
		if !before[name].Equal(after[name]) {
			resp.RequiresReplace = append(resp.RequiresReplace, tftypes.NewAttributePath().WithAttributeName(name))
		}
	}
	return resp, nil
}

// withoutEmpty replaces empty strings that are given for computed attributes by the values
// before, or null. Providers that are built with the SDK cannot tell an empty string from
// null.
func withoutEmpty(schema *tfprotov6.Schema, proposed *tfprotov6.DynamicValue, before values) (*tfprotov6.DynamicValue, error) {
	attributes, err := decode(proposed, schema.ValueType())
	if err != nil || attributes == nil || !usesSDK(schema) {
		return proposed, err
	}
	for _, a := range schema.Block.Attributes {
		if !a.Computed || !attributes[a.Name].Equal(tftypes.NewValue(tftypes.String, "")) {
			continue
		}
		attributes[a.Name] = tftypes.NewValue(tftypes.String, nil)
		if before != nil {
			attributes[a.Name] = before[a.Name]
		}
	}
	out, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), map[string]tftypes.Value(attributes)))
	return &out, err
}

// usesSDK reports whether the schema was printed by a provider that is built with the
// SDK, which makes the attribute id optional.
func usesSDK(schema *tfprotov6.Schema) bool {
	return slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "id" && a.Optional && a.Computed })
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
	//nolint:staticcheck // The real providers use the legacy type system, too.
	resp := &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, UnsafeToUseLegacyTypeSystem: true}
	if kind, ok := resources[req.TypeName]; ok {
		rejected := s.store.Do(func(w *platform.World) error {
			switch {
			case after == nil:
				return kind.remove(w, before)
			case before == nil:
				return kind.create(w, after)
			default:
				return kind.update(w, after)
			}
		})
		if rejected != nil {
			resp.NewState = req.PriorState
			resp.Diagnostics = []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: rejected.Error()}}
			return resp, nil //nolint:nilerr // The user gets the error as a diagnostic.
		}
	}
	if after == nil {
		return resp, nil
	}
	applied, err := tfprotov6.NewDynamicValue(t, tftypes.NewValue(t, map[string]tftypes.Value(after)))
	if err != nil {
		return nil, err
	}
	resp.NewState, err = fill(s.schema.ResourceSchemas[req.TypeName], &applied, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		if given.IsKnown() {
			return given
		}
		return placeholder(a.ValueType())
	})
	return resp, err
}

func (s *server) ReadDataSource(_ context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	schema := s.schema.DataSourceSchemas[req.TypeName]
	state, err := fill(schema, req.Config, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		if a.Computed && given.IsNull() {
			return placeholder(a.ValueType())
		}
		return given
	})
	read, ok := dataSources[req.TypeName]
	if err != nil || !ok {
		return &tfprotov6.ReadDataSourceResponse{State: state}, err
	}
	attributes, err := decode(state, schema.ValueType())
	if err != nil {
		return nil, err
	}
	if failed := s.store.Do(func(w *platform.World) error { return read(w, attributes) }); failed != nil {
		return &tfprotov6.ReadDataSourceResponse{Diagnostics: []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: failed.Error()}}}, nil //nolint:nilerr // The user gets the error as a diagnostic.
	}
	now, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), map[string]tftypes.Value(attributes)))
	return &tfprotov6.ReadDataSourceResponse{State: &now}, err
}

// decode returns the attributes of an object, or nil if it is null.
func decode(v *tfprotov6.DynamicValue, t tftypes.Type) (values, error) {
	if v == nil {
		return nil, nil
	}
	object, err := v.Unmarshal(t)
	if err != nil || object.IsNull() {
		return nil, err
	}
	return tfvalue.Fields(object), nil
}

// fill replaces the value of every attribute, including those in nested blocks and
// objects, with the result of a function of the attribute and its value.
func fill(schema *tfprotov6.Schema, given *tfprotov6.DynamicValue, value fillFunc) (*tfprotov6.DynamicValue, error) {
	t := schema.ValueType()
	object, err := given.Unmarshal(t)
	if err != nil || object.IsNull() { // a destroyed resource is null
		return given, err
	}
	out, err := tfprotov6.NewDynamicValue(t, fillBlock(schema.Block, object, value))
	return &out, err
}

type fillFunc func(*tfprotov6.SchemaAttribute, tftypes.Value) tftypes.Value

func fillBlock(block *tfprotov6.SchemaBlock, object tftypes.Value, value fillFunc) tftypes.Value {
	fields := tfvalue.Fields(object)
	fillAttributes(block.Attributes, fields, value)
	for _, b := range block.BlockTypes {
		fields[b.TypeName] = eachObject(fields[b.TypeName], func(nested tftypes.Value) tftypes.Value { return fillBlock(b.Block, nested, value) })
	}
	return tftypes.NewValue(object.Type(), fields)
}

func fillAttributes(attributes []*tfprotov6.SchemaAttribute, fields map[string]tftypes.Value, value fillFunc) {
	for _, a := range attributes {
		filled := value(a, fields[a.Name])
		if a.NestedType != nil {
			filled = eachObject(filled, func(nested tftypes.Value) tftypes.Value {
				inner := tfvalue.Fields(nested)
				fillAttributes(a.NestedType.Attributes, inner, value)
				return tftypes.NewValue(nested.Type(), inner)
			})
		}
		fields[a.Name] = filled
	}
}

// eachObject calls a function for an object, or for each object in a collection, and
// returns the value with the results.
func eachObject(v tftypes.Value, change func(tftypes.Value) tftypes.Value) tftypes.Value {
	if !tfvalue.IsSet(v) {
		return v
	}
	switch t := v.Type(); {
	case t.Is(tftypes.Object{}):
		return change(v)
	case t.Is(tftypes.Map{}):
		elements := tfvalue.Fields(v)
		for key, e := range elements {
			elements[key] = change(e)
		}
		return tftypes.NewValue(t, elements)
	default:
		elements := tfvalue.Elements(v)
		for i, e := range elements {
			elements[i] = change(e)
		}
		return tftypes.NewValue(t, elements)
	}
}

// placeholder returns a known value of a type.
func placeholder(t tftypes.Type) tftypes.Value {
	switch typed := t.(type) {
	case tftypes.Object:
		attributes := map[string]tftypes.Value{}
		for name, a := range typed.AttributeTypes {
			attributes[name] = placeholder(a)
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
