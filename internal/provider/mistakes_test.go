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

// A mistake is a configuration as people get it wrong. It is a validation's, unless
// it names a data source or a function.
type mistake struct {
	name     string
	in       string // a data source or a function, "" for a validation
	config   object
	provider object // the provider block
	call     []any  // the arguments of a function
}

// functionMistake marks a mistake in the arguments of a function.
const functionMistake = "function "

// mistakes are those that the golden file answers.
func mistakes() []mistake {
	cp := object{"control_plane_version": "1.31"}
	sound := with(cp, "node_pools", object{"gpu": pool("1.30")})
	old := with(cp, "node_pools", object{"gpu": pool("1.27")})
	fifty := object{}
	for i := range 50 {
		fifty[fmt.Sprintf("pool-%02d", i)] = pool(fmt.Sprintf("1.27.%d", i))
	}
	versionOf := func(v any) object { return with(sound, "control_plane_version", v) }
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
	way := func(fields ...any) object {
		o := object{"control_plane_version": "1.28", "target_version": "1.31", "node_pools": object{"gpu": pool("1.28")}}
		for i := 0; i < len(fields); i += 2 {
			o[fields[i].(string)] = fields[i+1]
		}
		return o
	}
	const policyType, planType, releasesType = "versionskew_policy", "versionskew_upgrade_plan", "versionskew_releases"
	return []mistake{
		{name: "a version that is a number", config: versionOf("1.3")},
		{name: "a version that is an alias", config: versionOf("latest")},
		{name: "a version with a wildcard", config: versionOf("v1.x")},
		{name: "a patch with a wildcard", config: versionOf("1.31.x")},
		{name: "a constraint", config: versionOf("~> 1.31")},
		{name: "a range", config: versionOf(">= 1.30, < 1.32")},
		{name: "an empty version", config: versionOf("")},
		{name: "a version with spaces", config: versionOf(" 1.31 ")},
		{name: "a version with a comma", config: versionOf("1,31")},
		{name: "a version without a dot", config: versionOf("131")},
		{name: "a major version", config: versionOf("1")},
		{name: "a version with a prefix", config: versionOf("k8s-1.31")},
		{name: "a capital V", config: versionOf("V1.31")},
		{name: "four numbers", config: versionOf("1.31.4.0")},
		{name: "a build without a patch", config: versionOf("1.31-gke.100")},
		{name: "one bad version in three pools", config: with(cp, "node_pools", object{"a": pool("ami-1"), "b": pool("ami-1"), "c": pool("ami-1")})},
		{name: "a null client", config: with(cp, "kubectl", []any{"1.31", nil})},
		{name: "a bad version in observed", config: with(sound, "observed", object{"control_plane_version": "stable"})},

		{name: "a misspelled policy", config: with(sound, "policy", "esk")},
		{name: "a policy in capitals", config: with(sound, "policy", "EKS")},
		{name: "the name of a cloud", config: with(sound, "policy", "aws")},
		{name: "no policy that anybody knows", config: with(sound, "policy", "minikube")},
		{name: "a JSON file", config: with(sound, "policy", "policy.json")},
		{name: "a YAML file", config: with(sound, "policy", "./policies/mesh.yaml")},
		{name: "YAML", config: with(sound, "policy", "extends: eks\nskew_rules: {}\n")},
		{name: "broken JSON", config: with(sound, "policy", `{"extends": "eks",`)},
		{name: "a misspelled field of a policy", config: with(sound, "policy", `{"extends": "eks", "skew_rule": {}}`)},
		{name: "a misspelled policy to extend", config: with(sound, "policy", `{"extends": "kubernets"}`)},
		{name: "an add-on pack as a policy", config: with(sound, "policy", "addons/karpenter")},
		{name: "a misspelled policy of the provider", provider: object{"policy": "kubernets"}},
		{name: "a misspelled level of the provider", provider: object{"enforcement_level": "mandatry"}},

		{name: "a misspelled rule", in: policyType, config: rule("skew_rules", "kublet-apiserver", object{"max_older": 2})},
		{name: "a misspelled component of a rule", in: policyType, config: rule("skew_rules", "mine", object{"subject": "kublet", "reference": "kube-apiserver", "scope": "endpoint"})},
		{name: "an unknown scope", in: policyType, config: rule("skew_rules", "mine", object{"subject": "istiod", "reference": "kube-apiserver", "scope": "pod"})},
		{name: "a rule without a scope", in: policyType, config: rule("skew_rules", "mine", object{"subject": "istiod", "reference": "kube-apiserver"})},
		{name: "a negative limit", in: policyType, config: rule("skew_rules", "kubelet-apiserver", object{"max_older": -1})},
		{name: "a limit that is no whole number", in: policyType, config: rule("skew_rules", "kubelet-apiserver", object{"max_older": 2.5})},
		{name: "an unknown severity", in: policyType, config: rule("skew_rules", "kubelet-apiserver", object{"severity": "critical"})},
		{name: "a constraint in words", in: policyType, config: rule("requirement_rules", "cni", object{"when": object{"component": "cilium"}, "require": object{"component": "kube-apiserver", "version": "1.28 or later"}})},
		{name: "a requirement without a version", in: policyType, config: rule("requirement_rules", "cni", object{"when": object{"component": "cilium"}, "require": object{"component": "kube-apiserver"}})},
		{name: "an unknown rule to disable", in: policyType, config: object{"disabled_rules": []any{"kubelet-api-server"}}},
		{name: "a misspelled advisory", in: policyType, config: rule("advisories", "end-of-live", object{"severity": "error"})},
		{name: "a pack without its folder", in: policyType, config: object{"include": []any{"karpenter"}}},
		{name: "a policy as a pack", in: policyType, config: object{"include": []any{"eks"}}},
		{name: "a file to extend", in: policyType, config: object{"extends": "./policy.json"}},
		{name: "a date in another order", in: policyType, config: rule("releases", "1.31", object{"end_of_life": "28.10.2025"})},
		{name: "a minor with a wildcard", in: policyType, config: object{"minors": []any{"1.31", "1.x"}}},
		{name: "a misspelled component of a table", in: policyType, config: object{"components": []any{"kublet"}}},

		{name: "a waiver of a misspelled rule", config: waiver("rule", "kubelet-api-server")},
		{name: "a location with a dot", config: waiver("locations", []any{"node_pools.gpu"})},
		{name: "a location without its attribute", config: waiver("locations", []any{"gpu"})},
		{name: "a misspelled location", config: waiver("locations", []any{`node_pools["gup"]`})},
		{name: "a location that is too deep", config: waiver("locations", []any{`node_pools["gpu"].kubelet`})},
		{name: "a location that is not there", config: waiver("locations", []any{`node_pools["arm"]`})},
		{name: "a waiver that has expired", config: waiver("expires", "2024-01-01")},
		{name: "a waiver until a month", config: waiver("expires", "June 2026")},
		{name: "a waiver without a reason", config: waiver("reason", "")},
		{name: "a waiver of another rule", config: waiver("rule", "kube-proxy-apiserver")},

		{name: "an unknown control plane", config: versionOf(unknown)},
		{name: "an unknown policy", config: with(sound, "policy", unknown)},
		{name: "an unknown pool beside an old one", config: with(cp, "node_pools", object{"gpu": pool(unknown), "cpu": pool("1.27")})},
		{name: "an unknown level", config: with(old, "enforcement_level", unknown)},

		{name: "a control plane that is spread", config: ha("1.31", "1.29", "1.31")},
		{name: "kubeadm half-way", config: with(ha("1.31", "1.30", "1.30"), "policy", "kubeadm")},
		{name: "a misspelled endpoint", config: with(ha("1.31"), "apiserver_endpoint", "Local")},
		{name: "an endpoint in other words", config: with(ha("1.31"), "apiserver_endpoint", "loadbalancer")},
		{name: "two control planes", config: with(ha("1.31"), "control_plane_version", "1.31")},
		{name: "a pool without a name", config: with(cp, "node_pools", object{"": pool("1.31")})},
		{name: "a pool without a version", config: with(cp, "node_pools", object{"gpu": object{}})},
		{name: "nothing", config: object{}},
		{name: "pools alone", config: object{"node_pools": object{"gpu": pool("1.31")}}},

		{name: "a pool that is newer", config: with(cp, "node_pools", object{"gpu": pool("1.32.1")})},
		{name: "a pool that is too old", config: old},
		{name: "the same in literals", config: with(old, "policy", "kubernetes")},
		{name: "fifty pools at fifty patches", config: with(cp, "node_pools", fifty)},
		{name: "an old cluster-wide kube-proxy", config: with(sound, "kube_proxy", "1.27")},
		{name: "an old client", config: with(cp, "kubectl", []any{"1.28.2"})},
		{name: "another major version", config: with(cp, "node_pools", object{"gpu": pool("2.31")})},
		{name: "a release of OpenShift", config: object{"control_plane_version": "4.20", "node_pools": object{"gpu": pool("1.31")}}},
		{name: "two minors at once", config: with(sound, "observed", object{"control_plane_version": "1.29"})},
		{name: "the way back", config: with(sound, "observed", object{"control_plane_version": "1.32"})},
		{name: "pools too late for this apply", config: with(sound, "observed", object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.27")}})},
		{name: "pools too early for this apply", config: with(with(with(cp, "node_pools", object{"gpu": pool("1.31")}), "apply_order", "node_pools_first"), "observed", object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.30")}})},
		{name: "a misspelled apply order", config: with(sound, "apply_order", "control-plane-first")},
		{name: "an apply order in other words", config: with(sound, "apply_order", "serial")},
		{name: "a level in other words", config: with(sound, "enforcement_level", "warn")},
		{name: "a misspelled level", config: with(sound, "enforcement_level", "advisery")},
		{name: "a day that is not there", config: with(sound, "as_of", "2026-02-30")},
		{name: "a time for a day", config: with(sound, "as_of", "2026-02-20T00:00:00Z")},
		{name: "an emulated version that is newer", config: with(sound, "emulated_version", "1.32")},
		{name: "a kubelet newer than what is emulated", config: object{"control_plane_version": "1.34", "emulated_version": "1.33", "node_pools": object{"gpu": pool("1.34")}}},
		{name: "a misspelled component", config: with(sound, "components", object{"kublet": []any{"1.30"}})},
		{name: "a component without a rule", config: with(sound, "components", object{"istiod": []any{"1.24"}})},
		{name: "a webhook in small letters", config: with(sound, "admission_webhooks", object{"opa": object{"match_policy": "equivalent"}})},
		{name: "an OpenShift version without its last zero", config: object{"control_plane_version": "4.2", "policy": "openshift"}},

		{name: "a target that is an alias", in: planType, config: way("target_version", "latest")},
		{name: "a target that is a constraint", in: planType, config: way("target_version", ">= 1.31")},
		{name: "a misspelled strategy", in: planType, config: way("strategy", "fewest-rollouts")},
		{name: "a misspelled pool to hold", in: planType, config: way("held_node_pools", []any{"gpus"})},
		{name: "a held pool", in: planType, config: way("target_version", "1.32", "held_node_pools", []any{"gpu"})},
		{name: "a gap in what is available", in: planType, config: way("available_versions", []any{"1.29.4", "1.31.1"})},
		{name: "an alias among what is available", in: planType, config: way("available_versions", []any{"1.29.4", "stable"})},
		{name: "no control plane to plan from", in: planType, config: object{"target_version": "1.31", "node_pools": object{"gpu": pool("1.28")}}},
		{name: "a target that is behind", in: planType, config: way("target_version", "1.27")},
		{name: "a release that is soon", in: releasesType, config: rule("additional_releases", "1.40", object{"release_date": "soon"})},
		{name: "a release without a minor", in: releasesType, config: rule("additional_releases", "next", object{"release_date": "2027-01-01"})},

		{name: "a misspelled component of a function", in: functionMistake + "is_supported", call: []any{"kublet", "1.31", []any{"1.31"}}},
		{name: "an alias in a function", in: functionMistake + "is_supported", call: []any{"kubelet", "latest", []any{"1.31"}}},
		{name: "a number in a function", in: functionMistake + "is_supported", call: []any{"kubelet", "1.3", []any{"1.31"}}},
		{name: "no API server", in: functionMistake + "supported_versions", call: []any{"kubelet", []any{}}},
		{name: "a misspelled policy of a function", in: functionMistake + "supported_versions", call: []any{"kubelet", []any{"1.31"}, "esk"}},
		{name: "a path back", in: functionMistake + "upgrade_path", call: []any{"1.31", "1.30"}},
		{name: "different majors", in: functionMistake + "minor_skew", call: []any{"2.1", "1.31"}},
	}
}

// answers returns what a mistake is told, as a plan does: what validating finds, and
// what planning does unless that has stopped it.
func (m mistake) answers(t *testing.T) []*tfprotov6.Diagnostic {
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

// TestMistakes compares the first lines that people see when they get something wrong
// with a golden file, and holds all of them to the same form.
func TestMistakes(t *testing.T) {
	var b strings.Builder
	for _, m := range mistakes() {
		diags := m.answers(t)
		if len(diags) == 0 {
			t.Errorf("%s: nothing is said", m.name)
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
					t.Errorf("%s: told twice: %s", m.name, d.Summary)
				}
			}
		}
	}
	const file = "testdata/mistakes.txt"
	if flag.Lookup("update").Value.String() == "true" { // of the tests of the guides
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("run the test with -update if this is meant (-want +got):\n%s", diff)
	}
}

var (
	// foundPattern is the last line of the detail of a finding.
	foundPattern = regexp.MustCompile(`(?m)^Rule ([a-z0-9-]+)(: https://\S+)?$`)
	// placedPattern and versionPattern are what the first line of a finding has.
	placedPattern  = regexp.MustCompile(` \((?:control_plane|node_pools|kube_proxy|kubectl|components|admission_webhooks)[^()]*\)$`)
	versionPattern = regexp.MustCompile(`\d+\.\d+`)
	// frameworkPattern is how the framework and Go begin what they say themselves.
	frameworkPattern = regexp.MustCompile(`(?i)attribute value|must be one of: \[|value conversion|strconv|unmarshal|%!`)
)

// checkForm checks that a diagnostic about a finding names the place and the version in
// its first line and ends on its rule, and that another says what is written where, or
// on which attribute.
func checkForm(t *testing.T, m mistake, d *tfprotov6.Diagnostic) {
	t.Helper()
	if text := d.Summary + "\n" + d.Detail; frameworkPattern.MatchString(text) {
		t.Errorf("%s: not in our words: %s", m.name, text)
	}
	if strings.HasSuffix(d.Summary, ".") || strings.Contains(d.Summary, "\n") {
		t.Errorf("%s: not a headline: %q", m.name, d.Summary)
	}
	switch {
	case m.in != "":
	case foundPattern.MatchString(d.Detail):
		lines := strings.Split(d.Detail, "\n")
		if !foundPattern.MatchString(lines[len(lines)-1]) {
			t.Errorf("%s: the rule is not the last line: %s", m.name, d.Detail)
		}
		if summary := strings.TrimPrefix(d.Summary, "Waived: "); !placedPattern.MatchString(summary) || !versionPattern.MatchString(summary) {
			t.Errorf("%s: no place, or no version: %s", m.name, d.Summary)
		}
		if !strings.Contains(d.Detail, "To repair: ") && !strings.Contains(d.Detail, "What to do: ") {
			t.Errorf("%s: no remedy: %s", m.name, d.Detail)
		}
	case d.Attribute == nil && !strings.Contains(d.Summary, "checked"):
		t.Errorf("%s: no attribute: %s", m.name, d.Summary)
	}
}
