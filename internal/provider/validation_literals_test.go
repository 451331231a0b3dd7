// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// validating starts a provider as terraform validate does. It validates the provider
// block, if there is one, and does not configure the provider.
func validating(t testing.TB, block object) *server {
	t.Helper()
	ctx := context.Background()
	s := &server{ProviderServer: newServer(testProvider()), t: t}
	var err error
	if s.schemas, err = s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		t.Fatal(err)
	}
	if block != nil {
		resp, err := s.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: s.dynamic(s.value(s.schemas.Provider, block))})
		if err != nil {
			t.Fatal(err)
		}
		s.none(resp.Diagnostics)
	}
	return s
}

// TestValidateRefusesLiterals checks that validation reports violations between literal
// versions, unless a plan could come to another result.
func TestValidateRefusesLiterals(t *testing.T) {
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "policy": "kubernetes"}
	refused := []string{`error at node_pools["gpu"]: ` + tooOld}
	waiver := func(fields object) object {
		return with(broken, "waivers", object{"w": with(object{"rule": "kubelet-apiserver", "reason": "because"}, "expires", fields["expires"])})
	}
	for name, tt := range map[string]struct {
		block, config object
		want          []string
	}{
		"literals":                         {nil, broken, refused},
		"mandatory":                        {nil, with(broken, "enforcement_level", "mandatory"), refused},
		"a mandatory provider":             {object{"enforcement_level": "mandatory"}, broken, refused},
		"another policy of the provider":   {object{"policy": "eks"}, broken, refused},
		"one pool of two":                  {nil, with(broken, "node_pools", object{"gpu": pool("1.27"), "cpu": pool(unknown)}), refused},
		"no policy":                        {nil, with(broken, "policy", nil), nil},
		"a policy of the provider":         {object{"policy": "kubernetes"}, with(broken, "policy", nil), nil},
		"an unknown policy":                {nil, with(broken, "policy", unknown), nil},
		"an unknown version":               {nil, with(broken, "control_plane_version", unknown), nil},
		"an unknown pool":                  {nil, with(broken, "node_pools", object{"gpu": unknown}), nil},
		"advisory":                         {nil, with(broken, "enforcement_level", "advisory"), nil},
		"changes":                          {nil, with(broken, "enforcement_level", "changes"), nil},
		"an unknown level":                 {nil, with(broken, "enforcement_level", unknown), nil},
		"an advisory provider":             {object{"enforcement_level": "advisory"}, broken, nil},
		"an unknown level of the provider": {object{"enforcement_level": unknown}, broken, nil},
		"a waiver":                         {nil, waiver(nil), nil},
		"an expired waiver":                {nil, waiver(object{"expires": "2001-01-01"}), nil},
		"a waiver that may expire":         {nil, waiver(object{"expires": unknown}), nil},
		"an unknown waiver":                {nil, with(broken, "waivers", object{"w": unknown}), nil},
		"unknown waivers":                  {nil, with(broken, "waivers", unknown), nil},
		"a waiver of a misspelled rule":    {nil, with(broken, "waivers", object{"w": object{"rule": "kubelet-api-server", "reason": "because"}}), []string{`error at waivers["w"]: Unknown rule "kubelet-api-server". Did you mean "kubelet-apiserver"?`}},
		"a waiver without a reason":        {nil, with(broken, "waivers", object{"w": object{"rule": "kubelet-apiserver"}}), []string{`error at waivers["w"]: Missing reason`}},
		"a step":                           {nil, object{"control_plane_version": "1.31", "policy": "kubernetes", "observed": object{"control_plane_version": "1.29"}}, nil},
		"a minor after its end of life":    {nil, object{"control_plane_version": "1.10", "policy": `{"extends": "kubernetes", "advisories": {"end-of-life": {"severity": "error"}}}`}, nil},
		"a custom policy":                  {nil, with(broken, "policy", `{"extends": "kubernetes", "skew_rules": {"kubelet-apiserver": {"max_older": 4}}}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, validating(t, tt.block).validate(tt.config), tt.want...)
		})
	}
}

// TestLocalEndpointNote checks that a finding about a controller and the API server of
// another instance suggests a local endpoint, and that this removes the finding.
func TestLocalEndpointNote(t *testing.T) {
	s := serve(t, nil)
	const note = `set apiserver_endpoint = "local"`
	instances := func(a, b object) object { return object{"control_plane": object{"a": a, "b": b}} }
	for name, tt := range map[string]struct {
		config object
		note   bool
	}{
		"upgraded halfway":   {instances(object{"version": "1.31"}, object{"version": "1.30"}), true},
		"a newer controller": {instances(object{"version": "1.30", "kube_scheduler": "1.31"}, object{"version": "1.30"}), false},
		"local already":      {with(instances(object{"version": "1.30", "kube_scheduler": "1.31"}, object{"version": "1.30"}), "apiserver_endpoint", "local"), false},
		"a node pool":        {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.31")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := s.plan(tt.config, nil)
			if len(diags) == 0 {
				t.Fatal("no diagnostics")
			}
			for _, d := range diags {
				if strings.Contains(d.Detail, note) != tt.note {
					t.Errorf("%s: %s", format(d), d.Detail)
				}
			}
			if tt.note {
				_, diags := s.plan(with(tt.config, "apiserver_endpoint", "local"), nil)
				expect(t, diags)
			}
		})
	}
}

// TestRemedyEndsEmulation checks that the remedy is to raise the emulated version if the
// binary is new enough, and that this removes the finding.
func TestRemedyEndsEmulation(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "1.34", "emulated_version": "1.33", "node_pools": object{"gpu": pool("1.34")}}
	_, diags := s.plan(config, nil)
	if len(diags) != 1 || !strings.Contains(diags[0].Detail, "or set emulated_version to 1.34.") {
		t.Fatalf("%v", diags)
	}
	_, diags = s.plan(with(config, "emulated_version", "1.34"), nil)
	expect(t, diags)
}

// TestRemedyKeepsBinary checks that the remedy of an emulated version that moves too far is
// another emulated version, and that this removes the finding. No binary has to go back.
func TestRemedyKeepsBinary(t *testing.T) {
	s := serve(t, nil)
	for _, config := range []object{
		{"control_plane_version": "1.36"},
		{"control_plane": object{"a": object{"version": "1.36"}, "b": object{"version": "1.36"}}},
	} {
		before := with(config, "emulated_version", "1.34")
		_, diags := s.plan(with(config, "observed", before), nil)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, "To repair: set emulated_version to 1.35 in this apply, then go to 1.36 in the next one.") {
			t.Fatalf("%v", diags)
		}
		_, diags = s.plan(with(with(config, "emulated_version", "1.35"), "observed", before), nil)
		expect(t, diags)
		_, diags = s.plan(with(before, "observed", config), nil)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, "To repair: keep emulated_version at 1.36.") {
			t.Fatalf("%v", diags)
		}
	}
}

// TestPlatformRelease checks that the remedy of a finding about an OpenShift release under a
// policy for Kubernetes versions is another policy, and that this removes the finding.
func TestPlatformRelease(t *testing.T) {
	s := serve(t, nil)
	for name, config := range map[string]object{
		"a pool":   {"control_plane_version": "4.16", "node_pools": object{"gpu": pool("1.29")}},
		"a client": {"control_plane_version": "1.29", "kubectl": []any{"4.16.3"}},
		"a step":   {"control_plane_version": "4.16", "observed": object{"control_plane_version": "1.29"}},
	} {
		_, diags := s.plan(config, nil)
		for _, d := range diags {
			if want := `To repair: set policy = "openshift" (or `; !strings.Contains(d.Detail, want) || !strings.Contains(d.Detail, "then counts as Kubernetes 1.29.") {
				t.Errorf("%s: %s\n%s\nwant %s", name, d.Summary, d.Detail, want)
			}
		}
		if len(diags) == 0 {
			t.Errorf("%s: no diagnostic", name)
		}
		_, diags = s.plan(with(config, "policy", "openshift"), nil)
		for _, d := range diags {
			if d.Severity == tfprotov6.DiagnosticSeverityError {
				t.Errorf("%s: %s", name, format(d))
			}
		}
	}
	_, diags := s.plan(object{"control_plane_version": "1.29", "node_pools": object{"gpu": pool("2.29")}}, nil)
	if len(diags) != 1 || !strings.Contains(diags[0].Detail, `set the kubelet of node_pools["gpu"] to 1.29.`) {
		t.Errorf("%v", diags)
	}
}

// TestPlanDoesNotValidateAgain checks that during a plan, violations between literals are
// only reported by the plan, together with all others.
func TestPlanDoesNotValidateAgain(t *testing.T) {
	expect(t, serve(t, nil).validate(object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "policy": "kubernetes"}))
}
