// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

// These tests call the provider as no CLI does: requests in any order, before the provider
// is configured, with values that are null, unknown or malformed, and in parallel. A
// response may contain errors, but no request may panic.

func TestAnyRequest(t *testing.T) { rapid.Check(t, anyRequests) }
func FuzzRequest(f *testing.F) {
	fuzz(f, func(_ *server, t *rapid.T, _ func(string)) { anyRequests(t) })
}

// FuzzMessagePack sends random bytes as the values of requests. It leaves out texts that end
// too early: terraform-plugin-go allocates as much memory as the length of a list says, and
// no provider sees the text before. Only the CLI can send such a text.
func FuzzMessagePack(f *testing.F) {
	s := serve(f, nil)
	config := s.value(s.validation(), object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "kubectl": []any{nil, unknown}})
	f.Add(s.dynamic(config).MsgPack)
	for _, name := range slices.Sorted(maps.Keys(s.schemas.DataSourceSchemas)) {
		f.Add(s.dynamic(s.value(s.schemas.DataSourceSchemas[name], object{})).MsgPack)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if msgpack.NewDecoder(bytes.NewReader(text)).Skip() != nil {
			t.Skip("the text ends too early")
		}
		v, ctx := &tfprotov6.DynamicValue{MsgPack: text}, t.Context()
		_, _ = s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: v, ClientCapabilities: writeOnlyAllowed})
		_, _ = s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: validationType, Config: v, PriorState: v, ProposedNewState: v})
		for name := range s.schemas.DataSourceSchemas {
			_, _ = s.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: v})
			_, _ = s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: v})
		}
	})
}

func anyRequests(t *rapid.T) {
	s := unconfigured(t)
	for range rapid.IntRange(1, 6).Draw(t, "requests") {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(requests))).Draw(t, "request")
		requests[name](s, t, t.Context())
	}
}

// unconfigured starts a provider without configuring it.
func unconfigured(t rapid.TB) *server {
	running := newServer(testProvider())
	schemas, err := running.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return &server{running, t, schemas}
}

// huge is a number that a float64 cannot represent.
var huge = new(big.Float).SetMantExp(big.NewFloat(1), 1<<12)

// requests sends each kind of request with random values. Their responses are ignored,
// and so are the errors for values that cannot be decoded.
var requests = map[string]func(*server, *rapid.T, context.Context){
	"validate provider": func(s *server, t *rapid.T, ctx context.Context) {
		_, _ = s.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: s.malformed(t, s.schemas.Provider)})
	},
	"configure": func(s *server, t *rapid.T, ctx context.Context) {
		_, _ = s.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: s.malformed(t, s.schemas.Provider)})
	},
	"stop": func(s *server, _ *rapid.T, ctx context.Context) {
		_, _ = s.StopProvider(ctx, &tfprotov6.StopProviderRequest{})
	},
	"schema": func(s *server, _ *rapid.T, ctx context.Context) {
		_, _ = s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	},
	"validate data source": func(s *server, t *rapid.T, ctx context.Context) {
		name := s.anyDataSourceName(t)
		_, _ = s.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: s.malformed(t, s.schemas.DataSourceSchemas[name])})
	},
	"read data source": func(s *server, t *rapid.T, ctx context.Context) {
		name := s.anyDataSourceName(t)
		_, _ = s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: s.malformed(t, s.schemas.DataSourceSchemas[name])})
	},
	"validate": func(s *server, t *rapid.T, ctx context.Context) {
		_, _ = s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: anyType(t), Config: s.malformed(t, s.validation())})
	},
	"plan": func(s *server, t *rapid.T, ctx context.Context) {
		_, _ = s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: anyType(t), Config: s.malformed(t, s.validation()), PriorState: s.malformed(t, s.validation()), ProposedNewState: s.malformed(t, s.validation()),
		})
	},
	"apply": func(s *server, t *rapid.T, ctx context.Context) {
		_, _ = s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
			TypeName: anyType(t), Config: s.malformed(t, s.validation()), PriorState: s.malformed(t, s.validation()), PlannedState: s.malformed(t, s.validation()),
		})
	},
	"refresh": func(s *server, t *rapid.T, ctx context.Context) {
		_, _ = s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: anyType(t), CurrentState: s.malformed(t, s.validation())})
	},
	"import": func(s *server, t *rapid.T, ctx context.Context) {
		id := rapid.SampledFrom([]string{"", "1.31", "{", "{}", "[]", "null", `{"control_plane_version":"1.31"}`}).Draw(t, "id")
		_, _ = s.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: anyType(t), ID: id})
	},
	"upgrade state": func(s *server, t *rapid.T, ctx context.Context) {
		state := rapid.SampledFrom([]*tfprotov6.RawState{nil, {}, {JSON: []byte("{}")}, {JSON: []byte("[")}, {JSON: []byte(`{"id":1}`)}, {Flatmap: map[string]string{"id": "x"}}}).Draw(t, "state")
		_, _ = s.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: anyType(t), Version: rapid.Int64Range(-1, 3).Draw(t, "version"), RawState: state})
	},
	"move state": func(s *server, t *rapid.T, ctx context.Context) {
		_, _ = s.MoveResourceState(ctx, &tfprotov6.MoveResourceStateRequest{TargetTypeName: anyType(t), SourceTypeName: "other_thing"})
	},
	"call function": func(s *server, t *rapid.T, ctx context.Context) {
		name := rapid.SampledFrom(append(slices.Sorted(maps.Keys(s.schemas.Functions)), "gone")).Draw(t, "function")
		var arguments []*tfprotov6.DynamicValue
		if definition := s.schemas.Functions[name]; definition != nil {
			for _, p := range definition.Parameters[:rapid.IntRange(0, len(definition.Parameters)).Draw(t, "arguments")] {
				argument := malformed(s, t, p.Type)
				if argument == nil {
					argument = &tfprotov6.DynamicValue{} // gRPC has no missing elements of a list
				}
				arguments = append(arguments, argument)
			}
		}
		_, _ = s.CallFunction(ctx, &tfprotov6.CallFunctionRequest{Name: name, Arguments: arguments})
	},
}

func anyType(t *rapid.T) string {
	if rarely(t, "other type") {
		return "versionskew_gone"
	}
	return validationType
}

func (s *server) anyDataSourceName(t *rapid.T) string {
	return rapid.SampledFrom(append(slices.Sorted(maps.Keys(s.schemas.DataSourceSchemas)), "versionskew_gone")).Draw(t, "data source")
}

// malformed returns a random value of a schema, which may be nil, that no CLI would send.
func (s *server) malformed(t *rapid.T, schema *tfprotov6.Schema) *tfprotov6.DynamicValue {
	var typ tftypes.Type = tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	if schema != nil {
		typ = schema.ValueType()
	}
	return malformed(s, t, typ)
}

func malformed(s *server, t *rapid.T, typ tftypes.Type) *tfprotov6.DynamicValue {
	switch rapid.SampledFrom([]string{"value", "value", "value", "value", "null", "unknown", "infinite", "missing", "empty", "json", "other", "cut"}).Draw(t, "form") {
	case "null":
		return s.dynamic(tftypes.NewValue(typ, nil))
	case "unknown":
		return s.dynamic(tftypes.NewValue(typ, tftypes.UnknownValue))
	case "infinite":
		return s.dynamic(infinite(drawSome(t, "", typ, true)))
	case "missing":
		return nil
	case "empty":
		return &tfprotov6.DynamicValue{}
	case "json":
		return &tfprotov6.DynamicValue{JSON: []byte(rapid.SampledFrom([]string{"null", "{}", "[]", "{", `{"control_plane_version":"1.31"}`}).Draw(t, "json"))}
	case "other":
		return s.dynamic(tftypes.NewValue(tftypes.Number, 1))
	case "cut":
		whole := s.dynamic(drawSome(t, "", typ, true))
		return &tfprotov6.DynamicValue{MsgPack: whole.MsgPack[:rapid.IntRange(0, len(whole.MsgPack)).Draw(t, "length")]}
	}
	return s.dynamic(drawSome(t, "", typ, true))
}

// infinite replaces each number in a value by one that is infinite or too large for a
// float64.
func infinite(v tftypes.Value) tftypes.Value {
	n := 0
	out, err := tftypes.Transform(v, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if !v.Type().Is(tftypes.Number) || !tfvalue.IsSet(v) {
			return v, nil
		}
		n++
		if n%2 == 0 {
			return tftypes.NewValue(tftypes.Number, big.NewFloat(math.Inf(1))), nil
		}
		return tftypes.NewValue(tftypes.Number, huge), nil
	})
	if err != nil {
		panic(err)
	}
	return out
}

// TestUnknownPlan plans a resource that is wholly unknown.
func TestUnknownPlan(t *testing.T) {
	s := serve(t, nil)
	config := s.value(s.validation(), object{"control_plane_version": "1.31"})
	resp, err := s.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: validationType, Config: s.dynamic(config), PriorState: s.dynamic(s.state(nil)), ProposedNewState: s.dynamic(tftypes.NewValue(config.Type(), tftypes.UnknownValue)),
	})
	if err != nil || failed(resp.Diagnostics) {
		t.Errorf("response %v, error %v", resp, err)
	}
}

// TestUnconfigured reads a data source and plans before the provider is configured.
func TestUnconfigured(t *testing.T) {
	s := unconfigured(t)
	const want = "error at : The provider is not configured"
	config := s.dynamic(s.value(s.schemas.DataSourceSchemas[evaluationType], object{"control_plane_version": "1.31"}))
	read, err := s.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: evaluationType, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, read.Diagnostics, want)
	_, diags := s.plan(object{"control_plane_version": "1.31"}, nil)
	expect(t, diags, want)
}

// TestParallelRequests calls one server from many goroutines, some of which cancel their
// requests or stop the provider. It finds unsynchronized access if the race detector is
// on, and compares the responses with those of a single goroutine.
func TestParallelRequests(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27"), "new": pool("1.32")}, "waivers": object{"w": object{"rule": "kubelet-apiserver", "reason": "r", "locations": []string{`node_pools["gpu"]`}}}}
	want := s.parallelRound(t.Context(), config)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for round := range 8 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+round)%3 == 0 {
					cancel()
				}
				if got := s.parallelRound(ctx, config); got != want {
					t.Errorf("in parallel, the responses are\n%s\nwant\n%s", got, want)
				}
				cancel()
				if (i+round)%5 == 0 {
					if _, err := s.StopProvider(ctx, &tfprotov6.StopProviderRequest{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// parallelRound sends one request of each kind that a plan or an apply sends, and returns
// the responses as text.
func (s *server) parallelRound(ctx context.Context, config object) string {
	var out []any
	add := func(resp any, err error) { out = append(out, resp, err) }
	provider := s.dynamic(s.value(s.schemas.Provider, object{"enforcement_level": "advisory"}))
	pv, err := s.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: provider})
	add(len(pv.Diagnostics), err)
	whole := s.value(s.validation(), config)
	null := tftypes.NewValue(whole.Type(), nil)
	v, err := s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: s.dynamic(whole), ClientCapabilities: writeOnlyAllowed})
	add(texts(v.Diagnostics), err)
	p, err := s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: validationType, Config: s.dynamic(whole), PriorState: s.dynamic(null), ProposedNewState: s.dynamic(withID(whole, tftypes.NewValue(tftypes.String, tftypes.UnknownValue)))})
	add(texts(p.Diagnostics), err)
	a, err := s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{TypeName: validationType, Config: s.dynamic(whole), PriorState: s.dynamic(null), PlannedState: p.PlannedState})
	add(texts(a.Diagnostics), err)
	r, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: validationType, CurrentState: p.PlannedState})
	add(texts(r.Diagnostics), err)
	i, err := s.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: validationType, ID: "1.31"})
	add(texts(i.Diagnostics), err)
	dataSources := map[string]object{
		evaluationType: config, upgradePlanType: {"control_plane_version": "1.31", "target_version": "1.33"},
		providerName + "_policy": {"extends": "eks"}, providerName + "_releases": {},
	}
	for _, name := range slices.Sorted(maps.Keys(dataSources)) {
		whole := s.dynamic(s.value(s.schemas.DataSourceSchemas[name], dataSources[name]))
		v, err := s.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: whole})
		add(texts(v.Diagnostics), err)
		r, err := s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: whole})
		add(texts(r.Diagnostics), err)
	}
	f, err := s.CallFunction(ctx, &tfprotov6.CallFunctionRequest{Name: "version_parse", Arguments: []*tfprotov6.DynamicValue{s.dynamic(tftypes.NewValue(tftypes.String, "1.31"))}})
	add(f.Error, err)
	return fmt.Sprint(out...)
}

func texts(diags []*tfprotov6.Diagnostic) (all []string) {
	for _, d := range diags {
		all = append(all, format(d))
	}
	return all
}
