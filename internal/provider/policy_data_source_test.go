// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

const policyType = "versionskew_policy"

// TestPolicyAsArgument checks that the json of the data source works as the policy of a
// resource and of the provider.
func TestPolicyAsArgument(t *testing.T) {
	s := serve(t, nil)
	got, diags := s.read(policyType, object{
		"skew_rules": object{
			"kubelet-apiserver": object{"max_older": 1, "reason": "We keep up."},
			"istiod-apiserver":  object{"subject": "istiod", "reference": "kube-apiserver", "scope": "cluster", "max_older": 4, "conditions": []any{object{"subject": "< 1.20", "max_older": 2}}},
		},
		"step_rules":        object{"kubelet-step": object{"component": "kubelet", "max_upgrade": 1}},
		"requirement_rules": object{"cilium": object{"when": object{"component": "kube-apiserver", "version": ">= 1.31"}, "require": object{"component": "cilium", "version": ">= 1.16"}}},
		"disabled_rules":    []any{"kubectl-apiserver"},
		"minors":            []any{"1.30", "1.31"},
	})
	expect(t, diags)
	if n := len(tfvalue.Elements(got["rules"])); n != 19 {
		t.Errorf("%d rules, want 9 less the disabled one, 3 new ones and 8 advisories", n)
	}
	markdown := tfvalue.String(got["markdown"])
	for _, want := range []string{"\n| Control plane | cilium | cloud-controller-manager, kube-controller-manager, kube-scheduler, kubelet | istiod | another kube-apiserver | kube-proxy |", "\n| 1.30 | any | 1.29 to 1.30 | 1.26 or later | 1.29 to 1.31 |", "\n| 1.31 | 1.16 or later |", "We keep up."} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the page does not contain %q:\n%s", want, markdown)
		}
	}

	cluster := object{
		"control_plane_version": "1.31", "node_pools": object{"a": pool("1.29")}, "kubectl": []any{"1.20"},
		"components": object{"istiod": []any{"1.24", "1.28"}, "cilium": []any{"1.15.3"}},
	}
	want := []string{
		"error at control_plane_version: kube-apiserver 1.31 requires cilium >= 1.16, not 1.15.3",
		`error at components["istiod"]: istiod 1.24 is too old for kube-apiserver 1.31`,
		`error at node_pools["a"]: kubelet 1.29 is too old for kube-apiserver 1.31`,
	}
	_, diags = s.plan(with(cluster, "policy", tfvalue.String(got["json"])), nil)
	expect(t, diags, want...)
	_, diags = serve(t, object{"policy": tfvalue.String(got["json"])}).plan(cluster, nil)
	expect(t, diags, want...)

	// Extending the result without changes yields the same policy.
	again, diags := s.read(policyType, object{"extends": tfvalue.String(got["json"]), "minors": []any{"1.30", "1.31"}})
	expect(t, diags)
	if tfvalue.String(again["json"]) != tfvalue.String(got["json"]) {
		t.Errorf("extended without changes, the policy is\n%s\nwant\n%s", tfvalue.String(again["json"]), tfvalue.String(got["json"]))
	}
}

func TestPolicyReportsInvalidInput(t *testing.T) {
	s := serve(t, nil)
	_, diags := s.read(policyType, object{
		"skew_rules": object{
			"kubelet-apiserver": object{"max_older": 500, "severity": "fatal"},
			"kubelet-apiservr":  object{"max_older": 1},
			"x":                 object{"subject": "kubelets", "reference": "b", "scope": "cluster", "conditions": []any{object{"subject": "banana"}}},
		},
	})
	expect(t, diags, `error at skew_rules["x"]: Invalid version constraint "banana"`)
	_, diags = s.read(policyType, object{
		"skew_rules": object{
			"kubelet-apiserver": object{"max_older": 500, "severity": "fatal"},
			"kubelet-apiservr":  object{"max_older": 1, "subject": "kubelet", "reference": "kube-apiservr"},
		},
		"disabled_rules": []any{"kubectl"}, "extends": "kubernetes", "minors": []any{"1.x"},
	})
	expect(t, diags, `error at disabled_rules[0]: Policy kubernetes has no rule "kubectl" to disable`,
		`error at skew_rules["kubelet-apiserver"]: 500 is out of range: limits must be between 0 and 100`,
		`error at skew_rules["kubelet-apiserver"]: Unknown severity "fatal"`,
		`error at skew_rules["kubelet-apiservr"]: Unknown component "kube-apiservr". Did you mean "kube-apiserver"?`,
		`error at skew_rules["kubelet-apiservr"]: Missing scope`,
		`error at minors[0]: Invalid version "1.x"`)
	_, diags = s.read(policyType, object{"extends": "{"})
	expect(t, diags, "error at extends: Invalid policy: the JSON ends too early")
}

// TestPolicyRaisesAdvisory checks that a policy can turn advice into an error.
func TestPolicyRaisesAdvisory(t *testing.T) {
	s := serve(t, nil)
	got, diags := s.read(policyType, object{"advisories": object{"end-of-life": object{"severity": "error", "days": 500}}})
	expect(t, diags)
	_, diags = s.plan(object{"control_plane_version": "1.31", "policy": tfvalue.String(got["json"])}, nil)
	expect(t, diags, "error at control_plane_version: kube-apiserver 1.31 reaches its end of life on 2025-11-11")
	_, diags = s.read(policyType, object{"advisories": object{"end-of-live": object{"severity": "error"}}})
	expect(t, diags, `error at advisories["end-of-live"]: Policy kubernetes has no advisory with this ID. Did you mean "end-of-life"?`)
}

// TestDefaultPolicy checks that a data source without arguments is the default policy, with
// a table for the minors that are supported today.
func TestDefaultPolicy(t *testing.T) {
	got, diags := serve(t, nil).read(policyType, object{})
	expect(t, diags)
	if n := len(tfvalue.Elements(got["rules"])); n != 17 {
		t.Errorf("%d rules, want the 9 rules and 8 advisories of the policy kubernetes", n)
	}
	if !strings.Contains(tfvalue.String(got["markdown"]), "## Policy kubernetes") {
		t.Errorf("the page is %s", tfvalue.String(got["markdown"]))
	}
}

// TestPolicyTables checks that the table, the map and the page agree, and that they list the
// components that users of the platform upgrade.
func TestPolicyTables(t *testing.T) {
	s := serve(t, nil)
	hides := `{"extends": "kubernetes", "hidden_components": ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "cloud-controller-manager", "kube-proxy"]}`
	got, diags := s.read(policyType, object{
		"extends": hides, "minors": []any{"1.30", "v1.31.2"}, "name": "ours", "title": "Our clusters", "include": []any{"addons/cluster-autoscaler"},
		"disabled_rules": []any{"kubelet-drain"},
	})
	expect(t, diags)
	want := "| Control plane | cluster-autoscaler | kubectl | kubelet |\n| --- | --- | --- | --- |\n| 1.30 | any | 1.29 to 1.31 | 1.27 to 1.30 |\n| 1.31 | any | 1.30 to 1.32 | 1.28 to 1.31 |\n"
	if table := tfvalue.String(got["table"]); table != want || !strings.Contains(tfvalue.String(got["markdown"]), want) {
		t.Errorf("the table is\n%s\nwant\n%s", table, want)
	}
	kubelet := tfvalue.Fields(tfvalue.Fields(tfvalue.Fields(got["allowed_versions"])["1.31"])["kubelet"])
	if tfvalue.String(kubelet["minimum"]) != "1.28" || tfvalue.String(kubelet["maximum"]) != "1.31" || tfvalue.String(kubelet["constraint"]) != ">= 1.28, < 1.32" || len(tfvalue.Elements(kubelet["minors"])) != 4 {
		t.Errorf("allowed versions of the kubelet are %v", kubelet)
	}
	if page := tfvalue.String(got["markdown"]); !strings.HasPrefix(page, "## Policy ours\n\nVersion skew rules for [Our clusters](") {
		t.Errorf("the page starts with %.60s", page)
	}

	got, diags = s.read(policyType, object{"minors": []any{"1.31"}, "components": []any{"kubelet", "kubectl"}})
	expect(t, diags)
	if table := tfvalue.String(got["table"]); !strings.HasPrefix(table, "| Control plane | kubelet | kubectl |\n") {
		t.Errorf("the table is\n%s", table)
	}
	_, diags = s.read(policyType, object{"components": []any{"kubelet", "kublet"}, "minors": []any{"1.31"}})
	expect(t, diags, `error at components[1]: Unknown component "kublet". Did you mean "kubelet"?`)
	_, diags = s.read(policyType, object{"include": []any{"addons/cluster-autoscalar"}, "releases": object{"1.33.1": object{}}})
	expect(t, diags, `error at include[0]: Unknown add-on pack "addons/cluster-autoscalar". Did you mean "addons/cluster-autoscaler"?`,
		`error at releases["1.33.1"]: "1.33.1" is not a minor version`)
	_, diags = s.read(policyType, object{"releases": object{"1.34": object{"end_of_life": "soon"}}})
	expect(t, diags, `error at releases["1.34"]: Invalid date "soon"`)
}

// TestPolicyReleases checks that the dates of the platform determine the supported minors and
// the end-of-life advice.
func TestPolicyReleases(t *testing.T) {
	s := serve(t, nil)
	got, diags := s.read(policyType, object{"releases": object{"1.20": object{"end_of_life": "2999-01-01T00:00:00Z"}, "1.21": object{"end_of_life": "2999-06-01"}, "1.19": object{"end_of_life": "2001-01-01"}}})
	expect(t, diags)
	if rows := slices.Sorted(maps.Keys(tfvalue.Fields(got["allowed_versions"]))); strings.Join(rows, " ") != "1.20 1.21" {
		t.Errorf("the table has rows %v, want 1.20 and 1.21", rows)
	}
	_, diags = s.plan(object{"control_plane_version": "1.20", "policy": tfvalue.String(got["json"])}, nil)
	expect(t, diags)
	_, diags = s.plan(object{"control_plane_version": "1.19", "policy": tfvalue.String(got["json"])}, nil)
	expect(t, diags, "warning at control_plane_version: kube-apiserver 1.19 reached its end of life on 2001-01-01")
}

// TestOpenShiftNumbers checks that a policy for OpenShift accepts its release numbers, checks
// them as their Kubernetes minors, and returns the same numbers.
func TestOpenShiftNumbers(t *testing.T) {
	s := serve(t, nil)
	p := `{"extends": "kubernetes", "version_scheme": "openshift", "releases": {}}`
	cluster := object{"control_plane_version": "4.20.3", "node_pools": object{"old": pool("4.16"), "upstream": pool("1.32.1")}, "policy": p}
	_, diags := s.plan(cluster, nil)
	expect(t, diags, `error at node_pools["old"]: kubelet 4.16 (1.29) is too old for kube-apiserver 4.20 (1.33)`)
	got, diags := s.read(evaluationType, cluster)
	expect(t, diags)
	if constraint := tfvalue.String(tfvalue.Fields(tfvalue.Elements(got["findings"])[0])["allowed"]); constraint != ">= 4.17, < 4.21" {
		t.Errorf("the finding allows %s", constraint)
	}
	if kubelet := tfvalue.Fields(tfvalue.Fields(got["allowed_versions"])["kubelet"]); tfvalue.String(kubelet["maximum"]) != "1.33" {
		t.Errorf("with a kubelet in Kubernetes numbers, the maximum is %s, want 1.33", kubelet["maximum"])
	}
	if next := tfvalue.Fields(got["next_control_plane_version"]); tfvalue.String(next["version"]) != "4.21" {
		t.Errorf("next is %s", next["version"])
	}
	valid, diags := s.read(evaluationType, with(cluster, "node_pools", object{"a": pool("4.18")}))
	expect(t, diags)
	for component, want := range map[string]string{"kubelet": "4.17 4.20 >= 4.17, < 4.21", "kube-apiserver": "4.20 4.21 >= 4.20, < 4.22", "kubectl": "4.19 4.21 >= 4.19, < 4.22"} {
		w := tfvalue.Fields(tfvalue.Fields(valid["allowed_versions"])[component])
		if got := tfvalue.String(w["minimum"]) + " " + tfvalue.String(w["maximum"]) + " " + tfvalue.String(w["constraint"]); got != want {
			t.Errorf("allowed versions of %s are %s, want %s", component, got, want)
		}
	}
	_, diags = s.plan(with(cluster, "node_pools", object{"lost": pool("4.2")}), nil)
	expect(t, diags, `error at node_pools["lost"]: Invalid version "4.2". Did you mean "4.20"?`)
	// Nothing is checked while the policy is unknown.
	_, diags = s.plan(with(cluster, "policy", unknown), nil)
	expect(t, diags, nothingYet)
	// A step is counted in Kubernetes minors: 4.20 to 4.22 skips one.
	_, diags = s.plan(object{"control_plane_version": "4.22", "policy": p}, object{"control_plane_version": "4.20.3", "policy": p})
	expect(t, diags, "error at control_plane_version: kube-apiserver cannot go from 4.20 (1.33) to 4.22 (1.35) in one step")
}

// TestEmulatedVersion checks that rules use the version that an API server emulates
// (KEP-4330).
func TestEmulatedVersion(t *testing.T) {
	s := serve(t, nil)
	p := `{"extends": "kubernetes", "releases": {}, "disabled_rules": ["latest-patch", "kubelet-drain", "admission-webhook-resources", "admission-webhook-match-policy"]}`
	for name, tt := range map[string]struct {
		config, prior object
		want          []string
	}{
		"a kubelet at the binary version": {
			object{"control_plane_version": "1.36.1", "emulated_version": "1.35", "node_pools": object{"a": pool("1.36")}}, nil,
			[]string{`error at node_pools["a"]: kubelet 1.36 is too new for kube-apiserver 1.35 (emulated by 1.36)`},
		},
		"a kubelet at the emulated version": {object{"control_plane_version": "1.36.1", "emulated_version": "1.35", "node_pools": object{"a": pool("1.35")}, "kubectl": []any{"1.36"}}, nil, nil},
		"emulating its own version":         {object{"control_plane_version": "1.36.1", "emulated_version": "1.36", "node_pools": object{"a": pool("1.36")}}, nil, nil},
		"emulating a newer version": {
			object{"control_plane_version": "1.35.1", "emulated_version": "1.36"}, nil,
			[]string{`error at emulated_version: Invalid emulated version "1.36"`},
		},
		"emulating too old a version": {
			object{"control_plane": object{"cp-0": object{"version": "1.36", "emulated_version": "1.32"}}}, nil,
			[]string{`error at control_plane["cp-0"]: Invalid emulated version "1.32"`},
		},
		"controllers of the instance emulate too": {object{"control_plane": object{"cp-0": object{"version": "1.36", "emulated_version": "1.35"}}}, nil, nil},
		"controllers that are set individually do not": {
			object{"control_plane": object{"cp-0": object{"version": "1.36", "kube_scheduler": "1.36", "emulated_version": "1.35"}}}, nil,
			[]string{`error at control_plane["cp-0"]: kube-scheduler 1.36 is too new for kube-apiserver 1.35 (emulated by 1.36)`},
		},
		"API servers that only differ in their binaries": {
			object{"emulated_version": "1.34", "control_plane": object{"cp-0": object{"version": "1.36"}, "cp-1": object{"version": "1.34"}}}, nil, nil,
		},
		"a binary may skip minors": {
			object{"control_plane_version": "1.36", "emulated_version": "1.33"}, object{"control_plane_version": "1.33"}, nil,
		},
		"emulation goes one minor at a time": {
			object{"control_plane_version": "1.36", "emulated_version": "1.35"}, object{"control_plane_version": "1.36", "emulated_version": "1.33"},
			[]string{"error at control_plane_version: kube-apiserver cannot go from 1.33 (emulated by 1.36) to 1.35 (emulated by 1.36) in one step"},
		},
		"the emulated version is unknown": {
			object{"control_plane_version": "1.36", "emulated_version": unknown, "node_pools": object{"a": pool("1.36")}}, nil,
			[]string{nothingYet},
		},
	} {
		t.Run(name, func(t *testing.T) {
			prior := tt.prior
			if prior != nil {
				prior = with(prior, "policy", p)
			}
			_, diags := s.plan(with(tt.config, "policy", p), prior)
			expect(t, diags, tt.want...)
		})
	}
}

// TestFunctionsWithOpenShiftNumbers checks that functions accept and return OpenShift
// releases with a policy for OpenShift.
func TestFunctionsWithOpenShiftNumbers(t *testing.T) {
	s := serve(t, nil)
	p := `{"extends": "kubernetes", "version_scheme": "openshift"}`
	for _, tt := range []struct {
		name      string
		arguments []any
		want      string
	}{
		{"supported_versions", []any{"kubelet", []any{"4.20.3"}, p}, `["4.17" "4.18" "4.19" "4.20"]`},
		{"is_supported", []any{"kubelet", "4.17.1", []any{"4.20.3"}, p}, "true"},
		{"is_supported", []any{"kubelet", "4.16.1", []any{"4.20.3"}, p}, "false"},
		{"upgrade_path", []any{"4.22.1", "5.1", p}, `["5.0" "5.1"]`},
		{"is_supported", []any{"kubelet", "1.32.4", []any{"1.32.1"}, "aks"}, "false"},
		{"is_supported", []any{"kubelet", "1.32.1", []any{"1.32.1"}, "aks"}, "true"},
	} {
		got, err := s.call(tt.name, tt.arguments...)
		if err != nil || plain(got) != tt.want {
			t.Errorf("%s%v: %v, %v; want %s", tt.name, tt.arguments, plain(got), err, tt.want)
		}
	}
}

// TestPolicyAttributes checks that the guide lists the attributes of each kind of rule.
func TestPolicyAttributes(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/own-policy.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	ofEveryRule := []string{"severity", "source", "reason"} // below the table of the guide
	for attribute, kind := range map[string]string{"skew_rules": "skew rule", "step_rules": "step rule", "requirement_rules": "requirement rule"} {
		row := regexp.MustCompile(`(?m)^\| ` + kind + ` \|.*$`).FindString(string(guide))
		for name := range attributesOf(policy.Fields()[attribute].Elements.Fields) {
			if !slices.Contains(ofEveryRule, name) && !strings.Contains(row, "`"+name+"`") {
				t.Errorf("the row %q of templates/guides/own-policy.md.tmpl does not list %s", kind, name)
			}
		}
	}
}

// TestNodeScope checks that a rule with scope node is accepted for exactly the components
// that the attributes of an instance or a node pool declare.
func TestNodeScope(t *testing.T) {
	s := serve(t, nil)
	on := append(slices.Clone(skew.ControlPlaneComponents), nodeComponents...)
	for _, subject := range append(slices.Clone(on), "kubectl", "istiod") {
		for _, reference := range on {
			_, diags := s.read(policyType, object{"skew_rules": object{"mine": object{"subject": subject, "reference": reference, "scope": "node", "max_older": 1}}})
			if accepted := len(diags) == 0; accepted != (subject != reference && slices.Contains(on, subject)) {
				t.Errorf("%s and %s: %v", subject, reference, diags)
			}
		}
	}
}
