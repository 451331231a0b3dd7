package provider

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

const policyType = "versionskew_policy"

// TestPolicyGovernsOthers: what the data source makes goes into a policy
// argument, of a resource or of the provider.
func TestPolicyGovernsOthers(t *testing.T) {
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
	if n := len(tfvalue.Elements(got["rules"])); n != 18 {
		t.Errorf("%d rules, want 9 less 1 and 3, and 7 of advice", n)
	}
	markdown := tfvalue.String(got["markdown"])
	for _, want := range []string{"| kubelet | 1.29 to 1.30 | 1.30 to 1.31 |", "| cilium | any | 1.16 or later |", "We keep up."} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the page does not say %q:\n%s", want, markdown)
		}
	}

	cluster := object{
		"control_plane_version": "1.31", "node_pools": object{"a": pool("1.29")}, "kubectl": []any{"1.20"},
		"components": object{"istiod": []any{"1.24", "1.28"}, "cilium": []any{"1.15.3"}},
	}
	want := []string{
		"error at control_plane_version: kube-apiserver 1.31 needs cilium >= 1.16, not 1.15.3",
		`error at components["istiod"]: istiod 1.24 is too old for kube-apiserver 1.31`,
		`error at node_pools["a"]: kubelet 1.29 is too old for kube-apiserver 1.31`,
	}
	_, diags = s.plan(with(cluster, "policy", tfvalue.String(got["json"])), nil)
	expect(t, diags, want...)
	_, diags = serve(t, object{"policy": tfvalue.String(got["json"])}).plan(cluster, nil)
	expect(t, diags, want...)

	// It can be extended in turn, and read back it is the same.
	again, diags := s.read(policyType, object{"extends": tfvalue.String(got["json"]), "minors": []any{"1.30", "1.31"}})
	expect(t, diags)
	if tfvalue.String(again["json"]) != tfvalue.String(got["json"]) {
		t.Errorf("read back, the policy is\n%s\nnot\n%s", tfvalue.String(again["json"]), tfvalue.String(got["json"]))
	}
}

func TestPolicyReportsBadInput(t *testing.T) {
	s := serve(t, nil)
	_, diags := s.read(policyType, object{
		"skew_rules": object{
			"kubelet-apiserver": object{"max_older": 500, "severity": "fatal"},
			"kubelet-apiservr":  object{"max_older": 1},
			"x":                 object{"subject": "kubelets", "reference": "b", "scope": "cluster", "conditions": []any{object{"subject": "banana"}}},
		},
	})
	expect(t, diags, `error at skew_rules["x"]: Invalid rule`)
	_, diags = s.read(policyType, object{
		"skew_rules": object{
			"kubelet-apiserver": object{"max_older": 500, "severity": "fatal"},
			"kubelet-apiservr":  object{"max_older": 1, "subject": "kubelet", "reference": "kube-apiservr"},
		},
		"disabled_rules": []any{"kubectl"}, "extends": "kubernetes", "minors": []any{"1.x"},
	})
	expect(t, diags, "error at disabled_rules: Invalid rule", `error at skew_rules["kubelet-apiserver"]: Invalid rule`, `error at skew_rules["kubelet-apiserver"]: Invalid rule`,
		`error at skew_rules["kubelet-apiservr"]: Invalid rule`, `error at skew_rules["kubelet-apiservr"]: Invalid rule`, "error at minors[0]: Invalid version")
	_, diags = s.read(policyType, object{"extends": "{"})
	expect(t, diags, "error at extends: Invalid policy")
}

// TestPolicyRaisesAdvice: what is a warning by default can be made an error.
func TestPolicyRaisesAdvice(t *testing.T) {
	s := serve(t, nil)
	got, diags := s.read(policyType, object{"advisories": object{"end-of-life": object{"severity": "error", "days": 500}}})
	expect(t, diags)
	_, diags = s.plan(object{"control_plane_version": "1.31", "policy": tfvalue.String(got["json"])}, nil)
	expect(t, diags, "error at control_plane_version: kube-apiserver 1.31 reaches its end of life on 2025-11-11")
	_, diags = s.read(policyType, object{"advisories": object{"end-of-live": object{"severity": "error"}}})
	expect(t, diags, `error at advisories["end-of-live"]: Invalid rule`)
}

// TestPolicyByDefault: without anything it is the default policy, with a table
// for the minors in support today.
func TestPolicyByDefault(t *testing.T) {
	got, diags := serve(t, nil).read(policyType, object{})
	expect(t, diags)
	if n := len(tfvalue.Elements(got["rules"])); n != 16 {
		t.Errorf("%d rules, want the 9 of the policy kubernetes, and 7 of advice", n)
	}
	if !strings.Contains(tfvalue.String(got["markdown"]), "## Policy kubernetes") {
		t.Errorf("the page is %s", tfvalue.String(got["markdown"]))
	}
}
