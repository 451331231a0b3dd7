// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

const (
	noVersion     = "warning at : Not checked: no version is set"
	noVersionSet  = "warning at : Nothing is checked: no version is set"
	noStart       = "warning at observed: Not checked: the step of the control plane"
	noTwoVersions = "warning at : Nothing is checked: no two versions can be compared"
	nothingText   = "Nothing could be checked in this plan."
)

// TestNothingChecked checks that a plan warns of everything that it does not check.
func TestNothingChecked(t *testing.T) {
	cp := object{"control_plane_version": "1.31"}
	for name, tt := range map[string]struct {
		config object
		want   []string
		detail string // of the last diagnostic
	}{
		"nothing at all":                      {object{}, []string{noVersionSet}, "No version is set"},
		"a null control plane":                {object{"control_plane_version": nil, "node_pools": object{"a": pool("1.31")}}, []string{noTwoVersions}, "No rule of the policy compares"},
		"null pools":                          {with(cp, "node_pools", object{"a": pool(nil), "b": nil, "c": pool("1.31"), "d": object{}}), []string{noVersion}, `node_pools["a"], node_pools["b"], node_pools["d"].`},
		"a null instance":                     {object{"control_plane": object{"a": object{"version": "1.31"}, "b": object{}}}, []string{noVersion}, `control_plane["b"].`},
		"nothing but null pools":              {object{"node_pools": object{"a": object{}}}, []string{noVersion, noVersionSet}, "No version is set"},
		"null pools, one unknown":             {with(cp, "node_pools", object{"a": object{}, "b": pool(unknown)}), []string{noVersion, notAllYet}, "Everything else has been checked."},
		"a pool with one null":                {with(cp, "node_pools", object{"a": object{"kubelet": "1.31", "kube_proxy": nil}}), nil, ""},
		"pools with their own proxy":          {object{"node_pools": object{"a": object{"kubelet": "1.31", "kube_proxy": "1.31"}}}, nil, ""},
		"a control plane alone":               {cp, nil, ""},
		"an API server alone":                 {object{"control_plane": object{"a": object{"kube_apiserver": "1.31"}}}, nil, ""},
		"clients alone":                       {object{"kubectl": []any{"1.31"}}, []string{noTwoVersions}, "No rule of the policy compares"},
		"observed without versions":           {with(cp, "observed", object{}), []string{noStart}, "add control_plane_version or control_plane to observed"},
		"observed without a control plane":    {with(cp, "observed", object{"node_pools": object{"a": pool("1.31")}}), []string{noStart}, "check the spelling"},
		"observed instances without version":  {with(cp, "observed", object{"control_plane": object{"a": object{"kubelet": "1.31"}}}), []string{noStart}, "no version of the API servers"},
		"observed as a null":                  {with(cp, "observed", nil), nil, ""},
		"observed as an unknown":              {with(cp, "observed", unknown), []string{notAllYet}, "checked then: observed."},
		"observed with an unknown version":    {with(cp, "observed", object{"control_plane_version": unknown}), []string{notAllYet}, "checked then: observed.control_plane_version."},
		"observed with unknown instances":     {with(cp, "observed", object{"control_plane": unknown}), []string{notAllYet}, "checked then: observed.control_plane."},
		"observed with an unknown instance":   {with(cp, "observed", object{"control_plane": object{"a": unknown}}), []string{notAllYet}, `checked then: observed.control_plane["a"].`},
		"observed with an unknown API server": {with(cp, "observed", object{"control_plane": object{"a": object{"kube_apiserver": unknown}}}), []string{notAllYet}, `checked then: observed.control_plane["a"].kube_apiserver.`},
		"observed pools alone":                {object{"node_pools": object{"a": pool("1.31")}, "observed": object{"node_pools": object{"a": pool("1.30")}}}, []string{noTwoVersions}, ""},
		"observed nothing before pools":       {object{"node_pools": object{"a": pool("1.31")}, "observed": object{}}, []string{noVersion, noTwoVersions}, ""},
		"an unknown control plane":            {object{"control_plane_version": unknown, "node_pools": object{"a": pool("1.31")}}, []string{nothingYet}, nothingText},
		"an unknown policy":                   {with(cp, "policy", unknown), []string{nothingYet}, nothingText},
		"an unknown pool":                     {with(cp, "node_pools", object{"a": pool(unknown)}), []string{notAllYet}, "Everything else has been checked."},
		"an unknown cluster-wide kube-proxy":  {object{"control_plane_version": "1.31", "kube_proxy": unknown, "node_pools": object{"a": pool("1.27")}}, []string{`error at node_pools["a"]: ` + tooOld, notAllYet}, "checked then: kube_proxy."},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(tt.config, nil)
			expect(t, diags, tt.want...)
			if len(diags) > 0 && !strings.Contains(diags[len(diags)-1].Detail, tt.detail) {
				t.Errorf("the detail %q does not contain %q", diags[len(diags)-1].Detail, tt.detail)
			}
		})
	}
}

// TestClusterWideKubeProxy checks that the cluster-wide kube-proxy runs on every pool without
// its own kube-proxy, and that findings about it are at its attribute.
func TestClusterWideKubeProxy(t *testing.T) {
	config := object{"control_plane_version": "1.31", "kube_proxy": "1.27", "node_pools": object{"a": pool("1.31"), "b": object{"kubelet": "1.31", "kube_proxy": "1.30"}}}
	_, diags := serve(t, nil).plan(config, nil)
	expect(t, diags,
		"error at kube_proxy: kube-proxy 1.27 is too old for kube-apiserver 1.31",
		"error at kube_proxy: kube-proxy 1.27 is too old for kubelet 1.31")
	if !strings.Contains(diags[1].Detail, `node_pools["a"]`) || strings.Contains(diags[1].Detail, `node_pools["b"]`) {
		t.Errorf("the detail has to name only node_pools[\"a\"]: %s", diags[1].Detail)
	}
	_, diags = serve(t, nil).plan(object{"control_plane_version": "1.31", "kube_proxy": "latest"}, nil)
	expect(t, diags, `error at kube_proxy: Invalid version "latest"`)
}

// TestEmptyVersion checks that the error for an empty version suggests null. Some modules
// set "" if the platform chooses the version.
func TestEmptyVersion(t *testing.T) {
	_, diags := serve(t, nil).plan(object{"control_plane_version": "1.35", "node_pools": object{"auto": pool("")}}, nil)
	expect(t, diags, `error at node_pools["auto"]: Invalid version ""`)
	if want := "To repair: write null if the platform chooses the version."; !strings.Contains(diags[0].Detail, want) {
		t.Errorf("the detail does not contain %q: %s", want, diags[0].Detail)
	}
}

// TestLostZero checks that 1.3 is rejected as the number 1.30 that has lost its zero.
func TestLostZero(t *testing.T) {
	s := serve(t, nil)
	for name, tt := range map[string]struct {
		config object
		want   []string
	}{
		"a control plane":     {object{"control_plane_version": "1.3"}, []string{`error at control_plane_version: Invalid version "1.3". Did you mean "1.30"?`}},
		"a pool":              {object{"node_pools": object{"a": pool("v1.3")}}, []string{`error at node_pools["a"]: Invalid version "v1.3". Did you mean "v1.30"?`}},
		"the kube-proxy":      {object{"kube_proxy": "1.1"}, []string{`error at kube_proxy: Invalid version "1.1". Did you mean "1.10"?`}},
		"a client":            {object{"kubectl": []any{"1.2"}}, []string{`error at kubectl[0]: Invalid version "1.2". Did you mean "1.20"?`}},
		"observed":            {object{"observed": object{"control_plane_version": "1.5"}}, []string{`error at observed: Invalid version "1.5". Did you mean "1.50"?`}},
		"with its patch":      {object{"control_plane_version": "1.3.0"}, nil},
		"a further component": {object{"components": object{"istiod": []any{"1.3"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) { expect(t, s.validate(tt.config), tt.want...) })
	}
	if detail := s.validate(object{"control_plane_version": "1.3"})[0].Detail; !strings.Contains(detail, `Write "1.30" as a string`) || !strings.Contains(detail, `"1.3.0"`) {
		t.Errorf("%q does not suggest what to write", detail)
	}
}

// TestUnknownWaivers checks that an error is not reported at plan time if a partly unknown
// waiver may accept it.
func TestUnknownWaivers(t *testing.T) {
	s := serve(t, nil)
	broken := object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27"), "b": pool("1.27")}, "kubectl": []any{"1.29"}}
	const client = "error at kubectl[0]: kubectl 1.29 is too old for kube-apiserver 1.31"
	at := func(name string) string { return `error at node_pools["` + name + `"]: ` + tooOld }
	waiver := func(name string, v any) object {
		return with(object{"rule": "kubelet-apiserver", "reason": "because"}, name, v)
	}
	for name, tt := range map[string]struct {
		waiver any
		want   []string
		detail string
	}{
		"the reason":            {waiver("reason", unknown), []string{client, `warning at node_pools["a"]: Waived: ` + tooOld}, "(known after apply)"},
		"the locations":         {waiver("locations", unknown), []string{client, notAllYet}, `(node_pools["a"] and node_pools["b"]): rule kubelet-apiserver`},
		"one of the locations":  {waiver("locations", []any{`node_pools["a"]`, unknown}), []string{client, `warning at node_pools["a"]: Waived: ` + tooOld, notAllYet}, `(node_pools["b"]): rule kubelet-apiserver`},
		"the expiry":            {waiver("expires", unknown), []string{client, notAllYet}, `checked then: waivers["w"].expires.`},
		"the expiry, one place": {with(waiver("expires", unknown), "locations", []any{`node_pools["a"]`}), []string{client, at("b"), notAllYet}, `(node_pools["a"]): rule kubelet-apiserver`},
		"the rule":              {waiver("rule", unknown), []string{notAllYet}, "kubectl-apiserver"},
		"all of it":             {unknown, []string{notAllYet}, "kubectl-apiserver"},
		"nothing":               {waiver("expires", "2024-09-14"), []string{client, at("a"), `warning at waivers["w"]: Waiver "w" expired on 2024-09-14`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := s.plan(with(broken, "waivers", object{"w": tt.waiver}), nil)
			expect(t, diags, tt.want...)
			if last := diags[len(diags)-1]; !strings.Contains(last.Detail, tt.detail) {
				t.Errorf("the detail %q does not contain %q", last.Detail, tt.detail)
			}
		})
	}
}

func TestComponentsWithoutRule(t *testing.T) {
	_, diags := serve(t, nil).plan(object{"control_plane_version": "1.31", "components": object{
		"kubectx": []any{"1.31"}, "coredns": []any{"1.11"}, "vpc-cni": []any{"1.18"}, "kubelet": []any{"1.31"},
	}}, nil)
	expect(t, diags,
		`warning at components["kubectx"]: Unknown component "kubectx". Did you mean "kubectl"?`,
		`warning at components["coredns"]: No rule for coredns, vpc-cni`)
	if detail := diags[len(diags)-1].Detail; !strings.Contains(detail, "To repair: include addons/vpc-cni in a versionskew_policy data source.") {
		t.Errorf("the detail %q does not name the pack", detail)
	}
}
