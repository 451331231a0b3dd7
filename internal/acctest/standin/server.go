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
	store  *platform.Store
}

// New returns a stand-in for the provider with an address such as hashicorp/aws, which
// works on the simulated platform in the store.
func New(address string, store *platform.Store) tfprotov6.ProviderServer {
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
	state := must(tfprotov6.NewDynamicValue(t, must(req.RawState.Unmarshal(t))))
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &state}, nil
}

func (s *server) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	kind, ok := resources[req.TypeName]
	if !ok {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
	}
	t := s.schema.ResourceSchemas[req.TypeName].ValueType()
	attributes := decode(req.CurrentState, t)
	err := s.store.Do(func(w *platform.World) error {
		if !kind.read(w, attributes) {
			attributes = nil
		}
		return nil
	})
	return &tfprotov6.ReadResourceResponse{NewState: encode(attributes, t)}, err
}

// PlanResourceChange marks computed attributes of a new resource as unknown. Those of an
// existing resource keep their values, even if they depend on an argument that changes.
// The real providers do the same, which the legacy type system allows.
func (s *server) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	schema := s.schema.ResourceSchemas[req.TypeName]
	t := schema.ValueType()
	before, after := decode(req.PriorState, t), decode(req.ProposedNewState, t)
	withoutEmpty(schema, after, before)
	fill(schema, after, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		switch {
		case a.WriteOnly:
			return tftypes.NewValue(a.ValueType(), nil)
		case a.Computed && given.IsNull():
			return tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
		}
		return given
	})
	//nolint:staticcheck // The real providers use the legacy type system, too.
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: encode(after, t), UnsafeToUseLegacyTypeSystem: true}
	if before == nil || after == nil {
		return resp, nil
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
func withoutEmpty(schema *tfprotov6.Schema, proposed, before values) {
	for _, a := range schema.Block.Attributes {
		if proposed == nil || !usesSDK(schema) || !a.Computed || !proposed[a.Name].Equal(tftypes.NewValue(tftypes.String, "")) {
			continue
		}
		proposed[a.Name] = tftypes.NewValue(tftypes.String, nil)
		if before != nil {
			proposed[a.Name] = before[a.Name]
		}
	}
}

// usesSDK reports whether the schema was printed by a provider that is built with the
// SDK, which makes the attribute id optional.
func usesSDK(schema *tfprotov6.Schema) bool {
	return slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "id" && a.Optional && a.Computed })
}

func (s *server) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	schema := s.schema.ResourceSchemas[req.TypeName]
	t := schema.ValueType()
	before, after := decode(req.PriorState, t), decode(req.PlannedState, t)
	//nolint:staticcheck // The real providers use the legacy type system, too.
	resp := &tfprotov6.ApplyResourceChangeResponse{UnsafeToUseLegacyTypeSystem: true}
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
			resp.NewState, resp.Diagnostics = req.PriorState, errorDiagnostics(rejected)
			return resp, nil
		}
	}
	fill(schema, after, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		if given.IsKnown() {
			return given
		}
		return placeholder(a.ValueType())
	})
	resp.NewState = encode(after, t)
	return resp, nil
}

func (s *server) ReadDataSource(_ context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	schema := s.schema.DataSourceSchemas[req.TypeName]
	attributes := decode(req.Config, schema.ValueType())
	fill(schema, attributes, func(a *tfprotov6.SchemaAttribute, given tftypes.Value) tftypes.Value {
		if a.Computed && given.IsNull() {
			return placeholder(a.ValueType())
		}
		return given
	})
	if read, ok := dataSources[req.TypeName]; ok {
		if failed := s.store.Do(func(w *platform.World) error { return read(w, attributes) }); failed != nil {
			return &tfprotov6.ReadDataSourceResponse{Diagnostics: errorDiagnostics(failed)}, nil
		}
	}
	return &tfprotov6.ReadDataSourceResponse{State: encode(attributes, schema.ValueType())}, nil
}

func errorDiagnostics(err error) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: err.Error()}}
}

// decode returns the attributes of an object, or nil if it is null. Like encode, it panics
// if the object does not fit its type.
func decode(v *tfprotov6.DynamicValue, t tftypes.Type) values {
	if v == nil {
		return nil
	}
	return tfvalue.Fields(must(v.Unmarshal(t)))
}

// encode returns an object, or null without attributes.
func encode(v values, t tftypes.Type) *tfprotov6.DynamicValue {
	object := tftypes.NewValue(t, nil)
	if v != nil {
		object = tftypes.NewValue(t, map[string]tftypes.Value(v))
	}
	encoded := must(tfprotov6.NewDynamicValue(t, object))
	return &encoded
}

// fill replaces the value of every attribute, including those in nested blocks and
// objects, with the result of a function of the attribute and its value.
func fill(schema *tfprotov6.Schema, v values, value fillFunc) {
	if v != nil { // a destroyed resource is null
		fillBlock(schema.Block, v, value)
	}
}

type fillFunc func(*tfprotov6.SchemaAttribute, tftypes.Value) tftypes.Value

func fillBlock(block *tfprotov6.SchemaBlock, fields values, value fillFunc) {
	fillAttributes(block.Attributes, fields, value)
	for _, b := range block.BlockTypes {
		fields[b.TypeName] = eachObject(fields[b.TypeName], func(nested values) { fillBlock(b.Block, nested, value) })
	}
}

func fillAttributes(attributes []*tfprotov6.SchemaAttribute, fields values, value fillFunc) {
	for _, a := range attributes {
		fields[a.Name] = value(a, fields[a.Name])
		if a.NestedType != nil {
			fields[a.Name] = eachObject(fields[a.Name], func(nested values) { fillAttributes(a.NestedType.Attributes, nested, value) })
		}
	}
}

// eachObject returns an object, or a collection of objects, after a function has changed the
// fields of each object.
func eachObject(v tftypes.Value, change func(values)) tftypes.Value {
	if !tfvalue.IsSet(v) {
		return v
	}
	switch t := v.Type(); {
	case t.Is(tftypes.Object{}):
		fields := tfvalue.Fields(v)
		change(fields)
		return tftypes.NewValue(t, fields)
	case t.Is(tftypes.Map{}):
		elements := tfvalue.Fields(v)
		for key, e := range elements {
			elements[key] = eachObject(e, change)
		}
		return tftypes.NewValue(t, elements)
	default:
		elements := tfvalue.Elements(v)
		for i, e := range elements {
			elements[i] = eachObject(e, change)
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
