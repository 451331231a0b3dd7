// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"pgregory.net/rapid"
)

// These tests send random requests to the provider in the order of a CLI, and check that
// the responses satisfy the requirements of a CLI. Every test run uses a few random
// configurations. make fuzz runs longer.

func TestAnyValidation(t *testing.T) { check(t, anyValidation, "accepted", "refused", "destroyed") }
func FuzzValidation(f *testing.F)    { fuzz(f, anyValidation) }

func TestAnyDataSource(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(serve(t, nil).schemas.DataSourceSchemas)) {
		t.Run(name, func(t *testing.T) { check(t, anyDataSource(name), name) })
	}
}
func FuzzDataSource(f *testing.F) {
	fuzz(f, anyDataSource(slices.Sorted(maps.Keys(serve(f, nil).schemas.DataSourceSchemas))...))
}

func TestAnyFunction(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(serve(t, nil).schemas.Functions)) {
		t.Run(name, func(t *testing.T) { check(t, anyFunction(name), name) })
	}
}
func FuzzFunction(f *testing.F) {
	fuzz(f, anyFunction(slices.Sorted(maps.Keys(serve(f, nil).schemas.Functions))...))
}

// property is a property that holds for all random inputs. It calls reached with the names
// of the stages that an input gets to.
type property func(s *server, t *rapid.T, reached func(string))

// on applies the property to a server.
func (p property) on(s *server, reached func(string)) func(*rapid.T) {
	return func(t *rapid.T) { p(s.in(t), t, reached) }
}

// check tests a property on random inputs, and that some inputs reach each stage.
func check(t *testing.T, p property, want ...string) {
	reached := map[string]int{}
	missing := func(what string) bool { return reached[what] == 0 }
	for range 20 { // most random inputs are invalid
		rapid.Check(t, p.on(serve(t, nil), func(what string) { reached[what]++ }))
		if !slices.ContainsFunc(want, missing) {
			break
		}
	}
	t.Logf("reached: %v", reached)
	for _, what := range want {
		if missing(what) {
			t.Errorf("no random input reached %s", what)
		}
	}
}

// FuzzImport imports random IDs. An imported state does not change on refresh, and a plan
// can start from it.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		"1.30", "", "{", "{}", `{"control_plane_version": 1.30}`, `{"kubectl": [null], "kubectl": ["1.31"]}`,
		`{"control_plane": {"a": {"version": "1.31", "kubelet": null}}, "node_pools": {"": {}, "gpu": {"kubelet": "1.27"}}, "components": {"istiod": ["1.23", "1.24"]}, "apiserver_endpoint": "local", "admission_webhooks": {"w": null}}`,
	} {
		f.Add(seed)
	}
	s := serve(f, nil)
	f.Fuzz(func(t *testing.T, id string) {
		s := s.in(t)
		imported, diags := s.importState(id)
		if failed(diags) != imported.IsNull() {
			t.Fatalf("imported %s with diagnostics %v", plain(imported), diags)
		}
		if !imported.IsNull() {
			s.lifecycle(validConfig(s), imported, func(string) {})
		}
	})
}

// FuzzState upgrades random states of random schema versions. A plan can start from every
// accepted state.
func FuzzState(f *testing.F) {
	for _, seed := range []string{
		`{"id":"validation","control_plane_version":"1.31","node_pools":{"gpu":{"kubelet":"1.28","kube_proxy":null}}}`,
		`{"id":null,"control_plane_version":"banana","gone":true,"kubectl":[null,""],"components":{"x":null}}`,
		`{"node_pools":["nonsense"]}`, `{"observed":{"node_pools":{"a":{}}},"waivers":{"w":{}}}`, `[]`, `null`, `{`, ``,
	} {
		f.Add(int64(0), []byte(seed))
	}
	f.Add(int64(7), []byte(`{"id":"validation"}`))
	s := serve(f, nil)
	f.Fuzz(func(t *testing.T, version int64, state []byte) {
		s := s.in(t)
		if upgraded, diags := s.upgrade(version, state); !failed(diags) && !upgraded.IsNull() {
			s.lifecycle(validConfig(s), upgraded, func(string) {})
		}
	})
}

// fuzz derives random inputs from the bytes of the fuzzer. Its seeds are long enough for
// any input, because rapid rejects inputs that run out of bytes.
func fuzz(f *testing.F, p property) {
	noise := rand.NewChaCha8([32]byte{})
	for range 32 {
		seed := make([]byte, 16<<10)
		if _, err := noise.Read(seed); err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(p.on(serve(f, nil), func(string) {})))
}

// anyValidation plans a validation with unknown values, and then takes it through its
// lifecycle with known ones.
func anyValidation(s *server, t *rapid.T, reached func(string)) {
	if !s.reconfigure(t) {
		return
	}
	schema := s.validation()
	prior := s.state(nil)
	if rapid.Bool().Draw(t, "update") {
		// The state may have been edited by hand, so it can contain anything.
		prior = withoutWriteOnly(drawSome(t, "", schema.ValueType(), false))
	}
	config := uncomputed(schema, drawSome(t, "", schema.ValueType(), true))
	s.planAny(config, prior)
	s.lifecycle(resolve(t, "", config.Copy()), prior, reached)
}

// withoutWriteOnly returns a validation in which the write-only attributes are null.
func withoutWriteOnly(v tftypes.Value) tftypes.Value {
	nulls := maps.Clone(plannedValues)
	delete(nulls, "id")
	return tfvalue.With(v, nulls)
}

// validConfig returns a configuration without findings.
func validConfig(s *server) tftypes.Value {
	return s.value(s.validation(), object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.31")}})
}

// lifecycle takes a validation from a prior state, which may be null, to a configuration,
// and then destroys it.
func (s *server) lifecycle(config, prior tftypes.Value, reached func(string)) {
	if refreshed := s.refresh(prior); !refreshed.Equal(prior) {
		s.t.Fatalf("%s is refreshed to %s", plain(prior), plain(refreshed))
	}
	if planned, ok := s.planAny(config, prior); ok {
		state, failed := s.applyAny(config, planned, prior)
		if failed {
			s.t.Fatalf("the apply of a plan failed: %s", plain(planned))
		}
		if !state.Equal(planned) {
			s.t.Fatalf("planned %s, applied %s", plain(planned), plain(state))
		}
		if refreshed := s.refresh(state); !refreshed.Equal(state) {
			s.t.Fatalf("%s is refreshed to %s", plain(state), plain(refreshed))
		}
		// Versions that were observed before the apply no longer count.
		if again, ok := s.planAny(withoutWriteOnly(config), state); !ok || !again.Equal(state) {
			s.t.Fatalf("an unchanged configuration is planned as %s, want %s", plain(again), plain(state))
		}
		prior = state
		reached("accepted")
	} else {
		reached("refused")
	}
	if prior.IsNull() {
		return // There is nothing to destroy.
	}
	null := tftypes.NewValue(config.Type(), nil)
	planned, diags := s.planRaw(null, prior)
	if state, failed := s.applyAny(null, planned, prior); failed || len(diags) > 0 || !state.IsNull() {
		s.t.Fatalf("destroying %s fails or leaves %s", plain(prior), plain(state))
	}
	reached("destroyed")
}

// anyDataSource reads a data source whose configuration may have been partly unknown at
// first.
func anyDataSource(names ...string) property {
	return func(s *server, t *rapid.T, reached func(string)) {
		if !s.reconfigure(t) {
			return
		}
		name := rapid.SampledFrom(names).Draw(t, "data source")
		schema := s.schemas.DataSourceSchemas[name]
		config := uncomputed(schema, drawSome(t, "", schema.ValueType(), rapid.Bool().Draw(t, "unknowns")))
		s.readAny(name, config) // only validates if anything is unknown
		config = resolve(t, "", config.Copy())
		state, ok := s.readAny(name, config)
		if !ok {
			return
		}
		if !state.IsFullyKnown() {
			t.Fatalf("%s returns unknown values: %s", name, plain(state))
		}
		answers := tfvalue.Fields(state)
		for attribute, declared := range tfvalue.Fields(config) {
			if !declared.IsNull() && !declared.Equal(answers[attribute]) {
				t.Fatalf("%s has %s = %s in its configuration and %s in its state", name, attribute, plain(declared), plain(answers[attribute]))
			}
		}
		reached(name)
		if again, ok := s.readAny(name, config); !ok || !again.Equal(state) {
			t.Fatalf("%s returns %s first and %s then", name, plain(state), plain(again))
		}
	}
}

// anyFunction calls a function. A CLI never passes unknown values, but it passes null
// elements of a list.
func anyFunction(names ...string) property {
	return func(s *server, t *rapid.T, reached func(string)) {
		name := rapid.SampledFrom(names).Draw(t, "function")
		definition := s.schemas.Functions[name]
		var arguments []*tfprotov6.DynamicValue
		for _, p := range definition.Parameters {
			name := "" // a version
			if p.Name == "component" {
				name = p.Name
			}
			arguments = append(arguments, s.dynamic(drawSome(t, name, p.Type, true)))
		}
		resp, err := s.CallFunction(context.Background(), &tfprotov6.CallFunctionRequest{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Error != nil {
			if at := resp.Error.FunctionArgument; resp.Error.Text == "" || at == nil || *at < 0 || *at >= int64(len(arguments)) {
				t.Fatalf("an error of %s has no text or no valid argument: %+v", name, resp.Error)
			}
			return
		}
		reached(name)
		result, err := resp.Result.Unmarshal(definition.Return.Type)
		if err != nil {
			t.Fatal(err)
		}
		if result.IsNull() {
			t.Fatalf("%s returns null", name)
		}
	}
}

// reconfigure configures the provider, and reports whether it succeeded.
func (s *server) reconfigure(t *rapid.T) bool {
	config := s.value(s.schemas.Provider, object{})
	if rarely(t, "provider block") {
		config = drawSome(t, "", s.schemas.Provider.ValueType(), true)
	}
	validated, err := s.ValidateProviderConfig(context.Background(), &tfprotov6.ValidateProviderConfigRequest{Config: s.dynamic(config)})
	if err != nil {
		t.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return false
	}
	resp, err := s.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{Config: s.dynamic(config)})
	if err != nil {
		t.Fatal(err)
	}
	return !failed(resp.Diagnostics)
}

func (s *server) refresh(state tftypes.Value) tftypes.Value {
	if state.IsNull() {
		return state
	}
	resp, err := s.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{TypeName: validationType, CurrentState: s.dynamic(state)})
	if err != nil {
		s.t.Fatal(err)
	}
	if failed(resp.Diagnostics) {
		s.t.Fatalf("the refresh failed: %s", format(resp.Diagnostics[0]))
	}
	return s.static(s.validation(), resp.NewState)
}

// planAny validates and plans a configuration, and reports whether it is accepted. The
// planned state has to equal the configuration.
func (s *server) planAny(config, prior tftypes.Value) (planned tftypes.Value, ok bool) {
	validated, err := s.ValidateResourceConfig(context.Background(), &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: s.dynamic(config), ClientCapabilities: writeOnlyAllowed})
	if err != nil {
		s.t.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return planned, false
	}
	planned, diags := s.planRaw(config, prior)
	s.bounded("a plan", nil, diags)
	whole := tfvalue.With(config, plannedValues)
	if !failed(diags) {
		if !planned.Equal(whole) {
			s.t.Fatalf("planned %s, want the configuration %s", plain(planned), plain(whole))
		}
		return planned, true
	}
	if config.IsFullyKnown() {
		// Applying a plan that was refused has to fail too.
		if state, failed := s.applyAny(config, whole, prior); !failed || !state.Equal(prior) {
			s.t.Fatalf("the plan was refused, but the apply changes %s to %s", plain(prior), plain(state))
		}
	}
	return planned, false
}

// planRaw plans as a CLI does. config is null for a destroy.
func (s *server) planRaw(config, prior tftypes.Value) (tftypes.Value, []*tfprotov6.Diagnostic) {
	proposed := config
	if !config.IsNull() && !prior.IsNull() {
		proposed = withID(config, tfvalue.Fields(prior)["id"])
	}
	resp, err := s.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: validationType, Config: s.dynamic(config), PriorState: s.dynamic(prior), ProposedNewState: s.dynamic(proposed),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(resp.RequiresReplace) > 0 {
		s.t.Fatalf("the plan replaces the validation because of %v", resp.RequiresReplace)
	}
	return s.static(s.validation(), resp.PlannedState), resp.Diagnostics
}

// withID returns a copy of a validation with another id.
func withID(v, id tftypes.Value) tftypes.Value {
	fields := tfvalue.Fields(v.Copy())
	fields["id"] = id
	return tftypes.NewValue(v.Type(), fields)
}

func (s *server) applyAny(config, planned, prior tftypes.Value) (state tftypes.Value, refused bool) {
	resp, err := s.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: validationType, Config: s.dynamic(config), PriorState: s.dynamic(prior), PlannedState: s.dynamic(planned),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.static(s.validation(), resp.NewState), failed(resp.Diagnostics)
}

// readAny validates and, if everything is known, reads a data source.
func (s *server) readAny(name string, config tftypes.Value) (state tftypes.Value, ok bool) {
	validated, err := s.ValidateDataResourceConfig(context.Background(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: s.dynamic(config)})
	if err != nil {
		s.t.Fatal(err)
	}
	if failed(validated.Diagnostics) || !config.IsFullyKnown() {
		return state, false
	}
	read, err := s.ReadDataSource(context.Background(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: s.dynamic(config)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.bounded(name, read.State, read.Diagnostics)
	if failed(read.Diagnostics) {
		return state, false
	}
	return s.static(s.schemas.DataSourceSchemas[name], read.State), true
}

// bounded checks that a response to a small configuration is small, no matter how large
// the version numbers are.
func (s *server) bounded(what string, state *tfprotov6.DynamicValue, diags []*tfprotov6.Diagnostic) {
	size := 0
	if state != nil {
		size = len(state.MsgPack)
	}
	for _, d := range diags {
		size += len(d.Summary) + len(d.Detail)
	}
	if size > 1<<20 {
		s.t.Fatalf("the response of %s has %d bytes", what, size)
	}
}

func failed(diags []*tfprotov6.Diagnostic) bool {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}
