// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const pack = `{"name": "mesh", "skew_rules": {"proxy": {"subject": "istio-proxy", "reference": "istiod", "scope": "cluster", "max_newer": 0, "max_older": 1, "source": "https://istio"}},
	"not_covered": {"cni": {"what": "The CNI."}}}`

// quotedJSON writes a text as a JSON string.
func quotedJSON(t *testing.T, text string) string {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(quoted)
}

// TestIncludeAddsRules checks that a pack adds its rules to any policy, and that the
// policy can change and disable them like inherited ones.
func TestIncludeAddsRules(t *testing.T) {
	for _, base := range []string{"", `"extends": "kubernetes", `, `"extends": "eks", `} {
		p, err := Parse(`{` + base + `"include": [` + quotedJSON(t, pack) + `, "addons/cluster-autoscaler"], "step_rules": {"istiod-step": {"component": "istiod", "max_upgrade": 1}}}`)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"proxy", "cluster-autoscaler-apiserver", "istiod-step"} {
			if !slices.Contains(p.RuleIDs(), id) {
				t.Errorf("%q: no rule %s", base, id)
			}
		}
		if base != "" && !slices.Contains(p.RuleIDs(), "kubelet-apiserver") {
			t.Errorf("%q: the rules of the base are missing", base)
		}
		if len(p.NotCovered) != 1 || p.NotCovered[0].ID != "cni" || !slices.Equal(p.Included, []string{"mesh", "addons/cluster-autoscaler"}) {
			t.Errorf("%q: not covered %v, included %v", base, p.NotCovered, p.Included)
		}
		again, err := Parse(p.ResolvedJSON())
		if err != nil || again.ResolvedJSON() != p.ResolvedJSON() {
			t.Errorf("%q: read back, the policy is %v, %v", base, again, err)
		}
	}
	for own, want := range map[string]string{
		`"skew_rules": {"proxy": {"max_older": 2}}`: "0 2",
		`"disabled_rules": ["proxy"]`:               "",
	} {
		p, err := Parse(`{"extends": "kubernetes", "include": [` + quotedJSON(t, pack) + `], ` + own + `}`)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range p.PairRules {
			if r.ID == "proxy" {
				got = limitsOf(r)
			}
		}
		if got != want {
			t.Errorf("%s: proxy has %q, want %q", own, got, want)
		}
	}
}

// TestIncludeSharesBase checks that a pack in JSON only adds rules that differ from the
// built-in policy it extends.
func TestIncludeSharesBase(t *testing.T) {
	mesh, err := Parse(`{"extends": "kubernetes", "include": [` + quotedJSON(t, pack) + `]}`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(`{"extends": "gke", "include": [` + quotedJSON(t, mesh.ResolvedJSON()) + `]}`)
	if err != nil {
		t.Fatal(err)
	}
	gke, err := Builtin("gke")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(p.PairRules), len(gke.PairRules)+1; got != want || len(p.StepRules) != len(gke.StepRules) {
		t.Errorf("%d pair rules, want %d", got, want)
	}
}

func TestIncludeErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"include": ["addons/clusterautoscaler"]}`: `include.0: unknown add-on pack "addons/clusterautoscaler" (did you mean "addons/cluster-autoscaler"?). Use one of the built-in packs: addons/`,
		`{"include": ["eks"]}`:                      `include.0: "eks" is a policy, not an add-on pack`,
		`{"extends": "addons/cluster-autoscaler"}`:  `extends: "addons/cluster-autoscaler" is an add-on pack, not a policy`,
		`{"include": ["{"]}`:                        `include.0: the JSON ends too early`,
		`{"include": "addons/cluster-autoscaler"}`:  `include: "addons/cluster-autoscaler" is not a list`,
		`{"extends": "kubernetes", "include": [` + quotedJSON(t, `{"name": "n", "skew_rules": {"kubelet-apiserver": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "node", "max_older": 1}}}`) + `]}`: `include.0: rule "kubelet-apiserver" of n is already defined differently in kubernetes`,
		`{"extends": "eks", "include": [` + quotedJSON(t, `{"skew_rules": {"kubelet-apiserver": {"max_older": 1}, "new": {}}, "step_rules": {"kube-apiserver-step": {"severity": "loud"}}}`) + `]}`: `include.0.skew_rules.kubelet-apiserver: include only adds rules, and policy eks has this rule already. Set it in skew_rules of the policy that includes this one
include.0.skew_rules.new.subject: missing component name. Write one such as "kubelet" or "kube-apiserver"
include.0.skew_rules.new.reference: missing component name. Write one such as "kubelet" or "kube-apiserver"
include.0.skew_rules.new.scope: missing scope. Set it to "cluster"
include.0.skew_rules.new: a rule without limits never applies. Set max_newer, max_older or both to a number of minor versions
include.0.step_rules.kube-apiserver-step: include only adds rules, and policy eks has this rule already. Set it in step_rules of the policy that includes this one`,
		`{"include": [` + quotedJSON(t, pack) + `], "disabled_rules": ["prxy"]}`: `disabled_rules.0: the policy has no rule "prxy" to disable (did you mean "proxy"?)`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want it to say %s", text, err, want)
		}
	}
}

// TestAddons checks that every pack can be included in every built-in policy.
func TestAddons(t *testing.T) {
	for _, addon := range AddonNames() {
		for _, name := range BuiltinNames() {
			p, err := Parse(`{"extends": "` + name + `", "include": ["` + addon + `"]}`)
			if err != nil {
				t.Errorf("%s in %s: %v", addon, name, err)
			} else if !slices.Contains(p.Included, addon) {
				t.Errorf("%s in %s: included are %v", addon, name, p.Included)
			}
		}
	}
}
