// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"pgregory.net/rapid"
)

// These tests call the provider through the plugin protocol, without a CLI.

const (
	validationType = "versionskew_validation"
	evaluationType = "versionskew_evaluation"
)

// testToday is the current date in tests. On this date, 1.29 to 1.31 are supported and
// more than 60 days from their end of life.
func testToday() releases.Date {
	return releases.DateOf(time.Date(2024, 9, 15, 0, 0, 0, 0, time.UTC))
}

// object is a configuration. Attributes that it does not contain are null.
type object = map[string]any

// writeOnlyAllowed are the capabilities of Terraform and OpenTofu since 1.11.
var writeOnlyAllowed = &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}

// unknown is a value that is known only after apply.
var unknown = any(tftypes.UnknownValue)

type server struct {
	tfprotov6.ProviderServer
	t       rapid.TB
	schemas *tfprotov6.GetProviderSchemaResponse
}

// serve starts a provider and configures it. config may be nil.
func serve(t testing.TB, config object) *server {
	t.Helper()
	return serveBy(t, newServer(testProvider()), config)
}

func testProvider() *versionskewProvider {
	return &versionskewProvider{version: "test", today: testToday}
}

// serveBy configures the provider of a running server.
func serveBy(t testing.TB, running tfprotov6.ProviderServer, config object) *server {
	t.Helper()
	ctx := context.Background()
	s := &server{ProviderServer: running, t: t}
	var err error
	if s.schemas, err = running.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		t.Fatal(err)
	}
	s.none(s.schemas.Diagnostics)
	resp, err := running.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: s.dynamic(s.value(s.schemas.Provider, config))})
	if err != nil {
		t.Fatal(err)
	}
	s.none(resp.Diagnostics)
	return s
}

// in returns the same server for another test.
func (s *server) in(t rapid.TB) *server { return &server{s.ProviderServer, t, s.schemas} }

func (s *server) none(diags []*tfprotov6.Diagnostic) {
	s.t.Helper()
	for _, d := range diags {
		s.t.Fatalf("unexpected diagnostic: %s", format(d))
	}
}

func (s *server) value(schema *tfprotov6.Schema, v any) tftypes.Value {
	s.t.Helper()
	return tfvalue.Of(schema.ValueType(), v)
}

func (s *server) dynamic(v tftypes.Value) *tfprotov6.DynamicValue {
	s.t.Helper()
	d, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		s.t.Fatal(err)
	}
	return &d
}

func (s *server) static(schema *tfprotov6.Schema, d *tfprotov6.DynamicValue) tftypes.Value {
	s.t.Helper()
	v, err := d.Unmarshal(schema.ValueType())
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *server) validation() *tfprotov6.Schema { return s.schemas.ResourceSchemas[validationType] }

// validate checks a validation's configuration as terraform validate does.
func (s *server) validate(config object) []*tfprotov6.Diagnostic {
	s.t.Helper()
	resp, err := s.ValidateResourceConfig(context.Background(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: validationType, Config: s.dynamic(s.value(s.validation(), config)), ClientCapabilities: writeOnlyAllowed,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.Diagnostics
}

// plan plans a validation. prior is nil before the first apply, and config is nil for a
// destroy.
func (s *server) plan(config, prior object) (tftypes.Value, []*tfprotov6.Diagnostic) {
	s.t.Helper()
	var configured, proposed tftypes.Value
	if config == nil {
		configured = tftypes.NewValue(s.validation().ValueType(), nil)
		proposed = configured
	} else {
		configured = s.value(s.validation(), config)
		// The CLI proposes the configuration. Computed attributes come from the prior
		// state, or are unknown if there is none.
		fields := tfvalue.Fields(configured.Copy())
		fields["id"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		if prior != nil {
			fields["id"] = tftypes.NewValue(tftypes.String, validationID)
		}
		proposed = tftypes.NewValue(configured.Type(), fields)
	}
	resp, err := s.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: validationType, Config: s.dynamic(configured), ProposedNewState: s.dynamic(proposed), PriorState: s.dynamic(s.state(prior)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(resp.RequiresReplace) > 0 {
		s.t.Errorf("the plan replaces the validation because of %v", resp.RequiresReplace)
	}
	return s.static(s.validation(), resp.PlannedState), resp.Diagnostics
}

// state returns the state of a validation, without write-only attributes. It is null for
// nil.
func (s *server) state(o object) tftypes.Value {
	s.t.Helper()
	if o == nil {
		return s.value(s.validation(), nil)
	}
	state := with(o, "id", validationID)
	for _, name := range writeOnlyInputs {
		state = with(state, name, nil)
	}
	return s.value(s.validation(), state)
}

func (s *server) apply(config, prior object) (tftypes.Value, []*tfprotov6.Diagnostic) {
	s.t.Helper()
	planned, planDiags := s.plan(config, prior)
	for _, d := range planDiags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			s.t.Fatalf("the plan failed: %s", format(d))
		}
	}
	return s.applyPlanned(planned, s.value(s.validation(), config), prior)
}

func (s *server) applyPlanned(planned, config tftypes.Value, prior object) (tftypes.Value, []*tfprotov6.Diagnostic) {
	s.t.Helper()
	resp, err := s.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: validationType, Config: s.dynamic(config), PlannedState: s.dynamic(planned), PriorState: s.dynamic(s.state(prior)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.static(s.validation(), resp.NewState), resp.Diagnostics
}

func (s *server) importState(id string) (tftypes.Value, []*tfprotov6.Diagnostic) {
	s.t.Helper()
	resp, err := s.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{TypeName: validationType, ID: id})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(resp.ImportedResources) == 0 {
		return s.state(nil), resp.Diagnostics
	}
	return s.static(s.validation(), resp.ImportedResources[0].State), resp.Diagnostics
}

// upgrade upgrades the state of an earlier schema version.
func (s *server) upgrade(version int64, state []byte) (tftypes.Value, []*tfprotov6.Diagnostic) {
	s.t.Helper()
	resp, err := s.UpgradeResourceState(context.Background(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: validationType, Version: version, RawState: &tfprotov6.RawState{JSON: state},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.UpgradedState == nil {
		return s.state(nil), resp.Diagnostics
	}
	return s.static(s.validation(), resp.UpgradedState), resp.Diagnostics
}

// with returns a copy of o with one more field.
func with(o object, name string, v any) object {
	out := object{name: v}
	for k, field := range o {
		if k != name {
			out[k] = field
		}
	}
	return out
}

// place matches the places in a summary. format leaves them out, because the first one is
// that of the diagnostic. TestMistakes checks all of them.
var place = regexp.MustCompile(` \([a-z_]+(?:[\[.][^()]*)?(?: and \d+ more)?\)`)

// format returns the severity of a diagnostic, its place, and its summary without the
// place.
func format(d *tfprotov6.Diagnostic) string {
	severity := "warning"
	if d.Severity == tfprotov6.DiagnosticSeverityError {
		severity = "error"
	}
	at := ""
	if d.Attribute != nil {
		for _, step := range d.Attribute.Steps() {
			switch step := step.(type) {
			case tftypes.AttributeName:
				at += "." + string(step)
			case tftypes.ElementKeyString:
				at += fmt.Sprintf("[%q]", string(step))
			case tftypes.ElementKeyInt:
				at += fmt.Sprintf("[%d]", int64(step))
			}
		}
	}
	return fmt.Sprintf("%s at %s: %s", severity, strings.TrimPrefix(at, "."), place.ReplaceAllString(d.Summary, ""))
}

// expect compares diagnostics with their formatted forms.
func expect(t testing.TB, diags []*tfprotov6.Diagnostic, want ...string) {
	t.Helper()
	var got []string
	for _, d := range diags {
		got = append(got, format(d))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got diagnostics\n%s\nwant\n%s", g, w)
	}
}

// pool returns a node pool with a kubelet.
func pool(kubelet any) object { return object{"kubelet": kubelet} }
