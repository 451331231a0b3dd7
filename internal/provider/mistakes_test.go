// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// mistake is a typical error in a configuration. It is in a validation, unless in names a
// data source or a function.
type mistake struct {
	name     string
	in       string // the data source or function, or "" for a validation
	config   object
	provider object // the provider block
	call     []any  // the arguments of a function
}

// functionMistake is the prefix of in for a function.
const functionMistake = "function "

// mistakes returns the mistakes whose diagnostics are in the golden file.
func mistakes() []mistake {
	cp := object{"control_plane_version": "1.31"}
	valid := with(cp, "node_pools", object{"gpu": pool("1.30")})
	old := with(cp, "node_pools", object{"gpu": pool("1.27")})
	fifty := object{}
	for i := range 50 {
		fifty[fmt.Sprintf("pool-%02d", i)] = pool(fmt.Sprintf("1.27.%d", i))
	}
	versionOf := func(v any) object { return with(valid, "control_plane_version", v) }
	waiver := func(fields ...any) object {
		w := object{"rule": "kubelet-apiserver", "reason": "moves in June"}
		for i := 0; i < len(fields); i += 2 {
			w[fields[i].(string)] = fields[i+1]
		}
		return with(old, "waivers", object{"gpu-drivers": w})
	}
	ha := func(versions ...string) object {
		instances := object{}
		for i, v := range versions {
			instances[fmt.Sprintf("cp-%d", i)] = object{"version": v}
		}
		return object{"control_plane": instances}
	}
	rule := func(section, id string, fields object) object { return object{section: object{id: fields}} }
	upgradeFrom128 := func(fields ...any) object {
		o := object{"control_plane_version": "1.28", "target_version": "1.31", "node_pools": object{"gpu": pool("1.28")}}
		for i := 0; i < len(fields); i += 2 {
			o[fields[i].(string)] = fields[i+1]
		}
		return o
	}
	const policyType, planType, releasesType = "versionskew_policy", "versionskew_upgrade_plan", "versionskew_releases"
	return []mistake{
		{name: "a number in place of a string", config: versionOf("1.3")},
		{name: "an alias as a version", config: versionOf("latest")},
		{name: "a version with a wildcard", config: versionOf("v1.x")},
		{name: "a patch with a wildcard", config: versionOf("1.31.x")},
		{name: "a version constraint", config: versionOf("~> 1.31")},
		{name: "a version range", config: versionOf(">= 1.30, < 1.32")},
		{name: "an empty version", config: versionOf("")},
		{name: "a version with spaces", config: versionOf(" 1.31 ")},
		{name: "a version with a comma", config: versionOf("1,31")},
		{name: "a version without a dot", config: versionOf("131")},
		{name: "a major version", config: versionOf("1")},
		{name: "a version with a prefix", config: versionOf("k8s-1.31")},
		{name: "a version with a capital V", config: versionOf("V1.31")},
		{name: "a version with four numbers", config: versionOf("1.31.4.0")},
		{name: "a vendor build without a patch", config: versionOf("1.31-gke.100")},
		{name: "one invalid version in three pools", config: with(cp, "node_pools", object{"a": pool("ami-1"), "b": pool("ami-1"), "c": pool("ami-1")})},
		{name: "a null element of kubectl", config: with(cp, "kubectl", []any{"1.31", nil})},
		{name: "an invalid version in observed", config: with(valid, "observed", object{"control_plane_version": "stable"})},

		{name: "a misspelled policy", config: with(valid, "policy", "esk")},
		{name: "a policy in capitals", config: with(valid, "policy", "EKS")},
		{name: "the name of a cloud", config: with(valid, "policy", "aws")},
		{name: "an unknown policy name", config: with(valid, "policy", "minikube")},
		{name: "the name of a JSON file as a policy", config: with(valid, "policy", "policy.json")},
		{name: "the name of a YAML file as a policy", config: with(valid, "policy", "./policies/mesh.yaml")},
		{name: "YAML as a policy", config: with(valid, "policy", "extends: eks\nskew_rules: {}\n")},
		{name: "invalid JSON as a policy", config: with(valid, "policy", `{"extends": "eks",`)},
		{name: "a comma too many in a policy", config: with(valid, "policy", "{\n  \"extends\": \"eks\",\n}")},
		{name: "a misspelled field of a policy", config: with(valid, "policy", `{"extends": "eks", "skew_rule": {}}`)},
		{name: "a misspelled policy to extend", config: with(valid, "policy", `{"extends": "kubernets"}`)},
		{name: "an add-on pack as a policy", config: with(valid, "policy", "addons/karpenter")},
		{name: "a misspelled policy of the provider", provider: object{"policy": "kubernets"}},
		{name: "a misspelled enforcement level of the provider", provider: object{"enforcement_level": "mandatry"}},

		{name: "a misspelled rule", in: policyType, config: rule("skew_rules", "kublet-apiserver", object{"max_older": 2})},
		{name: "a misspelled component of a rule", in: policyType, config: rule("skew_rules", "mine", object{"subject": "kublet", "reference": "kube-apiserver", "scope": "endpoint", "max_older": 1})},
		{name: "an unknown scope", in: policyType, config: rule("skew_rules", "mine", object{"subject": "istiod", "reference": "kube-apiserver", "scope": "pod", "max_older": 1})},
		{name: "a rule without a scope", in: policyType, config: rule("skew_rules", "mine", object{"subject": "istiod", "reference": "kube-apiserver", "max_older": 1})},
		{name: "a rule without limits", in: policyType, config: rule("skew_rules", "mine", object{"subject": "istiod", "reference": "kube-apiserver", "scope": "cluster"})},
		{name: "a step rule without limits", in: policyType, config: rule("step_rules", "mine", object{"component": "istiod"})},
		{name: "a rule for nodes about what no node declares", in: policyType, config: rule("skew_rules", "mine", object{"subject": "istiod", "reference": "istio-proxy", "scope": "node", "max_older": 1})},
		{name: "a negative limit", in: policyType, config: rule("skew_rules", "kubelet-apiserver", object{"max_older": -1})},
		{name: "a limit with a fraction", in: policyType, config: rule("skew_rules", "kubelet-apiserver", object{"max_older": 2.5})},
		{name: "an unknown severity", in: policyType, config: rule("skew_rules", "kubelet-apiserver", object{"severity": "critical"})},
		{name: "a version constraint in words", in: policyType, config: rule("requirement_rules", "cni", object{"when": object{"component": "cilium"}, "require": object{"component": "kube-apiserver", "version": "1.28 or later"}})},
		{name: "a requirement without a version", in: policyType, config: rule("requirement_rules", "cni", object{"when": object{"component": "cilium"}, "require": object{"component": "kube-apiserver"}})},
		{name: "an unknown rule to disable", in: policyType, config: object{"disabled_rules": []any{"kubelet-api-server"}}},
		{name: "an advisory among the rules", in: policyType, config: rule("skew_rules", "end-of-life", object{"severity": "error"})},
		{name: "a new rule with the ID of another", in: policyType, config: rule("step_rules", "kubelet-apiserver", object{"component": "kubelet", "max_upgrade": 1})},
		{name: "a misspelled advisory", in: policyType, config: rule("advisories", "end-of-live", object{"severity": "error"})},
		{name: "a pack without its folder", in: policyType, config: object{"include": []any{"karpenter"}}},
		{name: "a policy as a pack", in: policyType, config: object{"include": []any{"eks"}}},
		{name: "a changed rule in a pack", in: policyType, config: object{"include": []any{`{"skew_rules": {"kubelet-apiserver": {"max_older": 1}}}`}}},
		{name: "a file to extend", in: policyType, config: object{"extends": "./policy.json"}},
		{name: "a date in another format", in: policyType, config: rule("releases", "1.31", object{"end_of_life": "28.10.2025"})},
		{name: "a minor with a wildcard", in: policyType, config: object{"minors": []any{"1.31", "1.x"}}},
		{name: "a misspelled component of a table", in: policyType, config: object{"components": []any{"kublet"}}},

		{name: "a waiver with a misspelled rule", config: waiver("rule", "kubelet-api-server")},
		{name: "a waiver for a component", config: waiver("rule", "kubelet")},
		{name: "a location with a dot", config: waiver("locations", []any{"node_pools.gpu"})},
		{name: "a location without its attribute", config: waiver("locations", []any{"gpu"})},
		{name: "a misspelled location", config: waiver("locations", []any{`node_pools["gup"]`})},
		{name: "a location that is too deep", config: waiver("locations", []any{`node_pools["gpu"].kubelet`})},
		{name: "a location that the cluster does not have", config: waiver("locations", []any{`node_pools["arm"]`})},
		{name: "an expired waiver", config: waiver("expires", "2024-01-01")},
		{name: "a waiver that expires in a month without a day", config: waiver("expires", "June 2026")},
		{name: "a waiver without a reason", config: waiver("reason", "")},
		{name: "a waiver with a null reason", config: waiver("reason", nil)},
		{name: "a waiver for another rule", config: waiver("rule", "kube-proxy-apiserver")},

		{name: "a control plane version known after apply", config: versionOf(unknown)},
		{name: "a policy known after apply", config: with(valid, "policy", unknown)},
		{name: "a pool known after apply, and an old one", config: with(cp, "node_pools", object{"gpu": pool(unknown), "cpu": pool("1.27")})},
		{name: "an enforcement level known after apply", config: with(old, "enforcement_level", unknown)},

		{name: "API servers that are too far apart", config: ha("1.31", "1.29", "1.31")},
		{name: "a kubeadm upgrade halfway", config: with(ha("1.31", "1.30", "1.30"), "policy", "kubeadm")},
		{name: "a misspelled endpoint", config: with(ha("1.31"), "apiserver_endpoint", "Local")},
		{name: "an unknown endpoint", config: with(ha("1.31"), "apiserver_endpoint", "loadbalancer")},
		{name: "both forms of a control plane", config: with(ha("1.31"), "control_plane_version", "1.31")},
		{name: "a pool without a name", config: with(cp, "node_pools", object{"": pool("1.31")})},
		{name: "a pool without a version", config: with(cp, "node_pools", object{"gpu": object{}})},
		{name: "an empty configuration", config: object{}},
		{name: "pools without a control plane", config: object{"node_pools": object{"gpu": pool("1.31")}}},

		{name: "a pool that is too new", config: with(cp, "node_pools", object{"gpu": pool("1.32.1")})},
		{name: "a pool that is too old", config: old},
		{name: "a pool that is too old, in literals", config: with(old, "policy", "kubernetes")},
		{name: "fifty pools at fifty patches", config: with(cp, "node_pools", fifty)},
		{name: "an old cluster-wide kube-proxy", config: with(valid, "kube_proxy", "1.27")},
		{name: "an old client", config: with(cp, "kubectl", []any{"1.28.2"})},
		{name: "another major version", config: with(cp, "node_pools", object{"gpu": pool("2.31")})},
		{name: "an OpenShift client under another policy", config: with(cp, "kubectl", []any{"4.18.2"})},
		{name: "an upgrade to an OpenShift release under another policy", config: object{"control_plane_version": "4.20", "observed": object{"control_plane_version": "1.32"}}},
		{name: "an OpenShift release under another policy", config: object{"control_plane_version": "4.20", "node_pools": object{"gpu": pool("1.31")}}},
		{name: "a skipped minor", config: with(valid, "observed", object{"control_plane_version": "1.29"})},
		{name: "a downgrade", config: with(valid, "observed", object{"control_plane_version": "1.32"})},
		{name: "pools that have to move in an earlier apply", config: with(valid, "observed", object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.27")}})},
		{name: "a control plane that has to move in an earlier apply", config: with(with(with(cp, "node_pools", object{"gpu": pool("1.31")}), "apply_order", "node_pools_first"), "observed", object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.30")}})},
		{name: "a misspelled apply order", config: with(valid, "apply_order", "control-plane-first")},
		{name: "an unknown apply order", config: with(valid, "apply_order", "serial")},
		{name: "an unknown enforcement level", config: with(valid, "enforcement_level", "warn")},
		{name: "a misspelled enforcement level", config: with(valid, "enforcement_level", "advisery")},
		{name: "a date that does not exist", config: with(valid, "as_of", "2026-02-30")},
		{name: "a timestamp in place of a date", config: with(valid, "as_of", "2026-02-20T00:00:00Z")},
		{name: "an emulated version that is newer", config: with(valid, "emulated_version", "1.32")},
		{name: "a kubelet newer than the emulated version", config: object{"control_plane_version": "1.34", "emulated_version": "1.33", "node_pools": object{"gpu": pool("1.34")}}},
		{name: "an emulated version that moves too far", config: with(object{"control_plane_version": "1.36"}, "observed", object{"control_plane_version": "1.36", "emulated_version": "1.34"})},
		{name: "a misspelled component", config: with(valid, "components", object{"kublet": []any{"1.30"}})},
		{name: "a component without a rule", config: with(valid, "components", object{"istiod": []any{"1.24"}})},
		{name: "a match policy in lower case", config: with(valid, "admission_webhooks", object{"opa": object{"match_policy": "equivalent"}})},
		{name: "an OpenShift release without its last zero", config: object{"control_plane_version": "4.2", "policy": "openshift"}},

		{name: "an alias as a target", in: planType, config: upgradeFrom128("target_version", "latest")},
		{name: "a null target", in: planType, config: upgradeFrom128("target_version", nil)},
		{name: "a version constraint as a target", in: planType, config: upgradeFrom128("target_version", ">= 1.31")},
		{name: "a misspelled strategy", in: planType, config: upgradeFrom128("strategy", "fewest-rollouts")},
		{name: "a misspelled held pool", in: planType, config: upgradeFrom128("held_node_pools", []any{"gpus"})},
		{name: "a held pool", in: planType, config: upgradeFrom128("target_version", "1.32", "held_node_pools", []any{"gpu"})},
		{name: "a gap in the available versions", in: planType, config: upgradeFrom128("available_versions", []any{"1.29.4", "1.31.1"})},
		{name: "an alias in the available versions", in: planType, config: upgradeFrom128("available_versions", []any{"1.29.4", "stable"})},
		{name: "a plan without a control plane", in: planType, config: object{"target_version": "1.31", "node_pools": object{"gpu": pool("1.28")}}},
		{name: "a target that is a downgrade", in: planType, config: upgradeFrom128("target_version", "1.27")},
		{name: "a word as a release date", in: releasesType, config: rule("additional_releases", "1.40", object{"release_date": "soon"})},
		{name: "a word as a minor", in: releasesType, config: rule("additional_releases", "next", object{"release_date": "2027-01-01"})},

		{name: "a misspelled component in a function", in: functionMistake + "is_supported", call: []any{"kublet", "1.31", []any{"1.31"}}},
		{name: "an alias in a function", in: functionMistake + "is_supported", call: []any{"kubelet", "latest", []any{"1.31"}}},
		{name: "a number in place of a string in a function", in: functionMistake + "is_supported", call: []any{"kubelet", "1.3", []any{"1.31"}}},
		{name: "no API server in a function", in: functionMistake + "supported_versions", call: []any{"kubelet", []any{}}},
		{name: "a misspelled policy in a function", in: functionMistake + "supported_versions", call: []any{"kubelet", []any{"1.31"}, "esk"}},
		{name: "the path of a downgrade", in: functionMistake + "upgrade_path", call: []any{"1.31", "1.30"}},
		{name: "different major versions in a function", in: functionMistake + "minor_skew", call: []any{"2.1", "1.31"}},
	}
}

// diagnostics returns the diagnostics that a user gets: those of validation, or those of
// the plan if validation reports no error.
func (m mistake) diagnostics(t *testing.T) []*tfprotov6.Diagnostic {
	t.Helper()
	isError := func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }
	switch {
	case m.provider != nil:
		s := validating(t, nil)
		resp, err := s.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: s.dynamic(s.value(s.schemas.Provider, m.provider))})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	case strings.HasPrefix(m.in, functionMistake):
		_, err := serve(t, nil).call(strings.TrimPrefix(m.in, functionMistake), m.call...)
		if err == nil {
			return nil
		}
		text, rest, _ := strings.Cut(err.Text, "\n")
		return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: strings.TrimSuffix(text, "."), Detail: rest}}
	case m.in != "":
		_, diags := serve(t, nil).read(m.in, m.config)
		return diags
	}
	if diags := validating(t, nil).validate(m.config); slices.ContainsFunc(diags, isError) {
		return diags
	}
	_, diags := serve(t, nil).plan(m.config, nil)
	return diags
}

// TestMistakes compares the first lines of the diagnostics for typical mistakes with a
// golden file, and checks the form of the diagnostics.
func TestMistakes(t *testing.T) {
	var b strings.Builder
	for _, m := range mistakes() {
		diags := m.diagnostics(t)
		if len(diags) == 0 {
			t.Errorf("%s: no diagnostic", m.name)
		}
		fmt.Fprintf(&b, "%s\n", m.name)
		for i, d := range diags {
			severity := "Warning"
			if d.Severity == tfprotov6.DiagnosticSeverityError {
				severity = "Error"
			}
			fmt.Fprintf(&b, "  %s: %s\n", severity, d.Summary)
			checkForm(t, m, d)
			for _, other := range diags[:i] {
				if other.Summary == d.Summary {
					t.Errorf("%s: reported twice: %s", m.name, d.Summary)
				}
			}
		}
	}
	const file = "testdata/mistakes.txt"
	if flag.Lookup("update").Value.String() == "true" { // The tests of the guides define the flag.
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("first lines differ from %s, which -update rewrites (-want +got):\n%s", file, diff)
	}
}

var (
	// foundPattern matches the last line of the detail of a finding.
	foundPattern = regexp.MustCompile(`(?m)^Rule ([a-z0-9-]+)(: https://\S+)?$`)
	// placedPattern and versionPattern match parts of the first line of a finding.
	placedPattern  = regexp.MustCompile(` \((?:control_plane|node_pools|kube_proxy|kubectl|components|admission_webhooks)[^()]*\)$`)
	versionPattern = regexp.MustCompile(`\d+\.\d+`)
	// repairPattern matches what a user can do.
	repairPattern = regexp.MustCompile(`(?m)^To repair: |\bWrite |\bDid you mean `)
	// frameworkPattern matches messages of the framework and of Go.
	frameworkPattern = regexp.MustCompile(`(?i)attribute value|must be one of: \[|required attribute|value conversion|strconv|unmarshal|%!`)
)

// checkForm checks the form of a diagnostic. The first line of a finding has to name a
// place and a version, and its last line the rule. Any other diagnostic needs an
// attribute, unless it is about what a plan has checked.
func checkForm(t *testing.T, m mistake, d *tfprotov6.Diagnostic) {
	t.Helper()
	if text := d.Summary + "\n" + d.Detail; frameworkPattern.MatchString(text) {
		t.Errorf("%s: message of the framework or of Go: %s", m.name, text)
	}
	if strings.HasSuffix(d.Summary, ".") || strings.Contains(d.Summary, "\n") {
		t.Errorf("%s: the summary is not a single line without a period: %q", m.name, d.Summary)
	}
	if !strings.HasPrefix(m.in, functionMistake) && !repairPattern.MatchString(d.Detail) && !strings.Contains(d.Summary, "at plan time") {
		t.Errorf("%s: the detail does not say what to do: %s\n%s", m.name, d.Summary, d.Detail)
	}
	switch {
	case m.in != "":
	case foundPattern.MatchString(d.Detail):
		lines := strings.Split(d.Detail, "\n")
		if !foundPattern.MatchString(lines[len(lines)-1]) {
			t.Errorf("%s: the last line is not the rule: %s", m.name, d.Detail)
		}
		if summary := strings.TrimPrefix(d.Summary, "Waived: "); !placedPattern.MatchString(summary) || !versionPattern.MatchString(summary) {
			t.Errorf("%s: the summary has no place or no version: %s", m.name, d.Summary)
		}
		if !strings.Contains(d.Detail, "To repair: ") {
			t.Errorf("%s: no remedy: %s", m.name, d.Detail)
		}
	case d.Attribute == nil && !strings.Contains(d.Summary, "checked"):
		t.Errorf("%s: no attribute: %s", m.name, d.Summary)
	}
}
