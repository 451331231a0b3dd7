// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// TestPlanOfUnusualPolicies: a plan keeps to rules that no built-in policy has. What
// stops it is a finding, written as "stopped by" and the rule.
func TestPlanOfUnusualPolicies(t *testing.T) {
	policies := map[string]*policy.Policy{}
	for name, tt := range map[string]struct{ base, changes string }{
		"back":                      {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_downgrade": 1}}}`},
		"back from patches":         {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"conditions": [{"from": "!= 1.31", "max_downgrade": 1}]}}}`},
		"back, nodes not":           {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_downgrade": 1}, "kubelet-step": {"component": "kubelet", "max_downgrade": 0}}}`},
		"back by two, nodes by one": {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_downgrade": 2}, "kubelet-step": {"component": "kubelet", "max_downgrade": 1}}, "skew_rules": {"kubelet-apiserver": {"max_older": 1}}}`},
		"patches, nodes by two":     {"aks", `{"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 1, "conditions": [{"from": "< 1.40", "max_upgrade": 2}]}}}`},
		"six at once":               {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 6}}}`},
		"never 1.29":                {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 6}}, "requirement_rules": {"gone": {"require": {"component": "kube-apiserver", "version": "!= 1.29"}}}}`},
		"tied":                      {"kubernetes", `{"requirement_rules": {"proxy": {"when": {"component": "kubelet", "version": ">= 1.31"}, "require": {"component": "kube-proxy", "version": ">= 1.30"}}, "kubelet": {"when": {"component": "kube-proxy", "version": ">= 1.30"}, "require": {"component": "kubelet", "version": ">= 1.30"}}}}`},
		"behind schedulers":         {"kubernetes", `{"skew_rules": {"kubelet-scheduler": {"subject": "kubelet", "reference": "kube-scheduler", "scope": "cluster", "max_newer": 0}}}`},
		"kubectl near kubelet":      {"kubernetes", `{"skew_rules": {"kubectl-kubelet": {"subject": "kubectl", "reference": "kubelet", "scope": "cluster", "max_newer": 1, "max_older": 1}}}`},
		"nodes slowly":              {"kubernetes", `{"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 1, "max_downgrade": 1}}}`},
		"not from 1.29":             {"kubernetes", `{"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 3, "conditions": [{"from": ">= 1.29, < 1.30", "max_upgrade": 0}]}}}`},
		"nodes slowly, not 1.29.0":  {"kubernetes", `{"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 1}}, "requirement_rules": {"not 1.29.0": {"require": {"component": "kubelet", "version": "!= 1.29"}}}}`},
		"patched controllers":       {"kubernetes", `{"requirement_rules": {"patched": {"require": {"component": "kube-controller-manager", "version": ">= 1.30.2"}}}}`},
		"patched API servers":       {"kubernetes", `{"requirement_rules": {"patched": {"require": {"component": "kube-apiserver", "version": ">= 1.30.2"}}}}`},
		"through patches":           {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 1, "conditions": [{"from": "< 1.30", "to": ">= 1.27, < 1.27.1", "max_upgrade": 0}]}}}`},
		"kubernetes":                {"kubernetes", `{}`},
		"one proxy":                 {"kubernetes", `{"skew_rules": {"kube-proxies": {"subject": "kube-proxy", "reference": "kube-proxy", "scope": "cluster", "max_newer": 0, "max_older": 0}}}`},
		"newer kubelets":            {"kubernetes", `{"skew_rules": {"kubelet-apiserver": {"conditions": [{"subject": ">= 1.30", "max_newer": 1}]}}}`},
		"during":                    {"kubernetes", `{"skew_rules": {"kubelet-apiserver": {"max_older_during_upgrade": 2}}}`},
		"aks":                       {"aks", `{}`},
		"patches, back":             {"aks", `{"step_rules": {"kube-apiserver-step": {"max_downgrade": 1}}}`},
		"patches, not 1.30.0":       {"aks", `{"requirement_rules": {"not 1.30.0": {"require": {"component": "kubelet", "version": "!= 1.30"}}}}`},
		"two, but not from 1.30":    {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 2, "conditions": [{"from": ">= 1.30, < 1.31", "max_upgrade": 0}]}}}`},
		"newer kubelets, back":      {"kubernetes", `{"skew_rules": {"kubelet-apiserver": {"max_newer": 1}}, "step_rules": {"kube-apiserver-step": {"max_downgrade": 1}}}`},
		"newer, back, nodes not":    {"kubernetes", `{"skew_rules": {"kubelet-apiserver": {"max_newer": 1}}, "step_rules": {"kube-apiserver-step": {"max_downgrade": 1}, "kubelet-step": {"component": "kubelet", "max_downgrade": 0}}}`},
		"newer controllers":         {"kubernetes", `{"skew_rules": {"kube-controller-manager-apiserver": {"max_newer": 1}}}`},
		"newer clients":             {"kubernetes", `{"skew_rules": {"kubectl-apiserver": {"max_newer": 2}}, "requirement_rules": {"clients": {"when": {"component": "kube-apiserver", "version": ">= 1.31"}, "require": {"component": "kubectl", "version": ">= 1.32"}}}}`},
		"patched before a step":     {"kubernetes", `{"step_rules": {"kube-apiserver-step": {"conditions": [{"from": "< 1.30.5", "max_upgrade": 0}]}}}`},
	} {
		base, err := policy.Builtin(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		if policies[name], err = policy.Extend(base, tt.changes); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, policy, cluster, target, available, held string
		want                                           []string
	}{
		{"a kubelet of the control plane goes back with it", "back", "control_plane.a: kube-apiserver=1.31 kubelet=1.31", "1.30", "", "", []string{
			`control_plane kubelet [control_plane["a"]] [1.31] to 1.30, drain`,
			`control_plane kube-apiserver [control_plane["a"]] [1.31] to 1.30`,
		}},
		{"a patch of the target that a rule requires and an API server runs", "patched controllers", "control_plane.a: kube-apiserver=1.30.3 kube-controller-manager=1.29.1", "1.30", "", "", []string{
			`control_plane kube-controller-manager [control_plane["a"]] [1.29.1] to 1.30.3, repairs`,
		}},
		{"an API server at the target, with a patch that is not allowed", "patched API servers", "control_plane.a: kube-apiserver=1.30.1; control_plane.b: kube-apiserver=1.30.4", "1.30", "1.30.4", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.30.1] to 1.30.4, repairs`,
		}},
		{"an API server at the target, with a patch that is not allowed while a pool has a newer one", "patched API servers", "managed: 1.30.1; node_pools.a: kubelet=1.30.4", "1.30", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30.1] to 1.30.4, repairs",
		}},
		{"a rollback in two steps, because a pool cannot go back at once", "back by two, nodes by one", "managed: 1.33.2; node_pools.a: kubelet=1.33.3", "1.31.1", "1.31.1 1.32.1 1.32.2", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.33.3] to 1.32.2, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.33.2] to 1.32.2",
			`node_pools kubelet [node_pools["a"]] [1.32.2] to 1.31.1, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32.2] to 1.31.1",
		}},
		{"a newer patch of the control plane that saves a rollout", "patches, nodes by two", "managed: 1.32.2; node_pools.a: kubelet=1.30.3", "1.32", "1.31.5 1.32.4", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.32.2] to 1.32.4",
			`node_pools kubelet [node_pools["a"]] [1.30.3] to 1.32.4, drain`,
		}},
		{"a newer patch of the control plane for a node that must not run the first one", "patches, not 1.30.0", "control_plane.a: kube-apiserver=1.30.1; node_pools.a: kubelet=1.29.1", "1.30", "1.29.1 1.30.2", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.30.1] to 1.30.2`,
			`node_pools kubelet [node_pools["a"]] [1.29.1] to 1.30.2, drain`,
		}},
		{"a smaller step than possible, because none leads on from there", "two, but not from 1.30", "control_plane.a: kube-apiserver=1.28", "1.32", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.28] to 1.29`,
			`control_plane kube-apiserver [control_plane["a"]] [1.29] to 1.31`,
			`control_plane kube-apiserver [control_plane["a"]] [1.31] to 1.32`,
		}},
		{"a condition on the patches of a minor", "through patches", "control_plane.a: kube-apiserver=1.26.4", "1.28", "1.27.2 1.28.1", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.26.4] to 1.27.2`,
			`control_plane kube-apiserver [control_plane["a"]] [1.27.2] to 1.28.1`,
		}},
		{"a condition that a running patch satisfies", "back from patches", "control_plane.a: kube-apiserver=1.31.1", "1.29", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.31.1] to 1.30`,
			`control_plane kube-apiserver [control_plane["a"]] [1.30] to 1.29`,
		}},
		{"another major is too far back", "back", "managed: 2.1", "1.31", "", "", []string{
			`stopped by kube-apiserver-step: kube-apiserver from 2.1 to 1.31`,
		}},
		{"kubelets that must not go back stop the control plane", "back, nodes not", "managed: 1.31; node_pools.a: kubelet=1.31", "1.30", "", "", []string{
			`stopped by kubelet-apiserver: kubelet from 1.30 to 1.31`,
		}},
		{"large steps, if no pool is in the way", "six at once", "managed: 1.28", "1.36", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.28] to 1.34",
			"control_plane " + fourComponents + " [control_plane_version] [1.34] to 1.36",
		}},
		{"steps that save pools a rollout", "six at once", "managed: 1.28; node_pools.a: kubelet=1.28", "1.36", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.28] to 1.31",
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.31, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.34",
			`node_pools kubelet [node_pools["a"]] [1.31] to 1.34, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.34] to 1.36",
			`node_pools kubelet [node_pools["a"]] [1.34] to 1.36, drain`,
		}},
		{"pools whose components need each other", "tied", "control_plane.a: kube-apiserver=1.28 kube-scheduler=1.27; node_pools.a: kubelet=1.30 kube-proxy=1.26; node_pools.b: kubelet=1.26 kube-proxy=1.26; kubectl.0: kubectl=1.26", "1.33", "", "", []string{
			`clients kubectl [kubectl[0]] [1.26] to 1.29, repairs`,
			`control_plane kube-scheduler [control_plane["a"]] [1.27] to 1.28`,
			`control_plane kube-apiserver [control_plane["a"]] [1.28] to 1.29`,
			`control_plane kube-scheduler [control_plane["a"]] [1.28] to 1.29`,
			`node_pools kube-proxy [node_pools["a"]] [1.26] to 1.29, repairs`,
			`node_pools kubelet+kube-proxy [node_pools["b"]] [1.26] to 1.29, drain`,
			`control_plane kube-apiserver [control_plane["a"]] [1.29] to 1.30, repairs`,
			`control_plane kube-scheduler [control_plane["a"]] [1.29] to 1.30`,
			`clients kubectl [kubectl[0]] [1.29] to 1.31`,
			`control_plane kube-apiserver [control_plane["a"]] [1.30] to 1.31`,
			`control_plane kube-scheduler [control_plane["a"]] [1.30] to 1.31`,
			`control_plane kube-apiserver [control_plane["a"]] [1.31] to 1.32`,
			`control_plane kube-scheduler [control_plane["a"]] [1.31] to 1.32`,
			`node_pools kubelet+kube-proxy [node_pools["b"]] [1.29] to 1.30, drain`,
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.29 1.30] to 1.32, drain`,
			`clients kubectl [kubectl[0]] [1.31] to 1.33`,
			`control_plane kube-apiserver [control_plane["a"]] [1.32] to 1.33`,
			`control_plane kube-scheduler [control_plane["a"]] [1.32] to 1.33`,
			`node_pools kubelet+kube-proxy [node_pools["a"] node_pools["b"]] [1.30 1.32] to 1.33, drain`,
		}},
		{"kubelets that wait for schedulers", "behind schedulers", "control_plane.a: kube-apiserver=1.30.0 kubelet=1.27.0; control_plane.b: kube-apiserver=1.28.0 kube-scheduler=1.27.0 kubelet=1.29.1; node_pools.a: kubelet=1.26.0; node_pools.b: kubelet=1.26.0", "1.30.0", "", "", []string{
			`control_plane kube-scheduler [control_plane["b"]] [1.27.0] to 1.28.0`,
			`control_plane kube-apiserver [control_plane["b"]] [1.28.0] to 1.29, repairs`,
			`control_plane kube-scheduler [control_plane["b"]] [1.28.0] to 1.29, repairs`,
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.26.0] to 1.29, drain, repairs`,
			`control_plane kube-apiserver [control_plane["b"]] [1.29] to 1.30.0`,
			`control_plane kube-scheduler [control_plane["b"]] [1.29] to 1.30.0`,
			`control_plane kubelet [control_plane["a"] control_plane["b"]] [1.27.0 1.29.1] to 1.30.0, drain`,
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.29] to 1.30.0, drain`,
		}},
		{"a client that stays, because its pool goes back", "kubectl near kubelet", "node_pools.a: kubelet=1.30.0; kubectl.0: kubectl=1.26.0", "1.27.0", "1.28.0", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.30.0] to 1.27.0, drain, repairs`,
		}},
		{"a client that is too new for a pool until the pool has moved", "kubectl near kubelet", "node_pools.a: kubelet=1.26.0; kubectl.0: kubectl=1.28.0", "1.27.0", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.26.0] to 1.27.0, drain, repairs`,
		}},
		{"a pool too new for its control plane goes back by one", "nodes slowly", "managed: 1.28; node_pools.a: kubelet=1.30", "1.28", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.29, drain`,
			`node_pools kubelet [node_pools["a"]] [1.29] to 1.28, drain, repairs`,
		}},
		{"a pool that could not leave the newest version that it may get", "not from 1.29", "managed: 1.29; node_pools.a: kubelet=1.26", "1.31", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.26] to 1.28, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.29] to 1.30",
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.31, drain`,
		}},
		// Afterwards, no API server runs a patch of 1.29 that the rule accepts.
		{"nodes that go through a minor of which a rule rejects the first patch", "nodes slowly, not 1.29.0", "control_plane.a: kube-apiserver=1.29.1 kubelet=1.28; node_pools.a: kubelet=1.28", "1.30", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.29.1] to 1.30`,
			`control_plane kubelet [control_plane["a"]] [1.28] to 1.29.1, drain`,
			`control_plane kubelet [control_plane["a"]] [1.29.1] to 1.30, drain`,
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.29.1, drain`,
			`node_pools kubelet [node_pools["a"]] [1.29.1] to 1.30, drain`,
		}},
		{"a patch of API servers that a rule requires and nothing runs", "patched API servers", "managed: 1.29; node_pools.a: kubelet=1.29", "1.30", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.29] to 1.30.2, repairs",
			`node_pools kubelet [node_pools["a"]] [1.29] to 1.30, drain`,
		}},
		{"builds without an order, and step rules with conditions", "not from 1.29", "managed: 1.30.1; node_pools.a: kubelet=1.28.1+a", "1.30", "1.28.1+a 1.28.1+b 1.30.1", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.28.1+a] to 1.30.1, drain`,
		}},
		{"no version of the target is available for a pool", "kubernetes", "node_pools.a: kubelet=1.26", "1.27", "1.28.0", "", []string{
			`stopped by not-offered: kubelet from 1.26 to 1.27`,
		}},
		{"no version of the target is available for a kube-proxy", "kubernetes", "managed: 1.29; node_pools.a: kubelet=1.29 kube-proxy=1.27", "1.29", "1.26.0", "", []string{
			`stopped by not-offered: kube-proxy from 1.27 to 1.29`,
		}},
		{"a cluster-wide kube-proxy is compared with other kube-proxies only", "one proxy", "managed: 1.30; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.30; kube_proxy: 1.30", "1.31", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.30] to 1.31, drain`,
			`node_pools kube-proxy [kube_proxy] [1.30] to 1.31`,
		}},
		// Without the condition, this would take two rollouts: to 1.30 and to 1.31.
		{"a kubelet that may be newer than the API server", "newer kubelets", "managed: 1.30; node_pools.a: kubelet=1.27", "1.31", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.27] to 1.31, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
		}},
		{"kubelets two behind while the control plane moves", "during", "managed: 1.30; node_pools.a: kubelet=1.28", "1.31", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.30, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
		{"an HA upgrade in the middle, with no version in between", "six at once", "control_plane.a: kube-apiserver=1.28; control_plane.b: kube-apiserver=1.30", "1.31", "1.31.0", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.28] to 1.31.0, repairs`,
			`control_plane kube-apiserver [control_plane["b"]] [1.30] to 1.31.0`,
		}},
		{"an HA upgrade in the middle, with a minor that is not allowed any more", "never 1.29", "control_plane.a: kube-apiserver=1.28; control_plane.b: kube-apiserver=1.29.4", "1.30", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.28] to 1.30`,
			`control_plane kube-apiserver [control_plane["b"]] [1.29.4] to 1.30`,
		}},
		{"a patch that one of two API servers cannot have yet", "aks", "control_plane.a: kube-apiserver=1.28.0; control_plane.b: kube-apiserver=1.28 kubelet=1.28.2; kubectl.0: kubectl=1.26.0", "1.28.1", "", "", []string{
			`clients kubectl [kubectl[0]] [1.26.0] to 1.28.1, repairs`,
			`control_plane kube-apiserver [control_plane["a"]] [1.28.0] to 1.28.1`,
			`control_plane kubelet [control_plane["b"]] [1.28.2] to 1.28.1, repairs`,
			`control_plane kube-apiserver [control_plane["b"]] [1.28] to 1.28.1`,
		}},
		{"a pool that may be newer, but goes back with its control plane", "newer kubelets, back", "managed: 1.31; node_pools.a: kubelet=1.31", "1.30", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.31] to 1.30, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.30",
		}},
		{"a pool that would go back to a newer patch than an API server has", "patches, back", "control_plane.a: kube-apiserver=1.30.1; control_plane.b: kube-apiserver=1.31.1; node_pools.a: kubelet=1.31.1", "1.30.2", "", "", []string{
			`stopped by kubelet-apiserver: kubelet from 1.30.2 to 1.31.1`,
		}},
		{"a pool that may be newer, and cannot go back", "newer, back, nodes not", "managed: 1.31; node_pools.a: kubelet=1.31", "1.30", "", "", []string{
			`stopped by kubelet-step: kubelet from 1.31 to 1.30`,
		}},
		{"a controller that may be newer than the target", "newer controllers", "control_plane.a: kube-apiserver=1.30 kube-controller-manager=1.31", "1.30", "", "", []string{
			`control_plane kube-controller-manager [control_plane["a"]] [1.31] to 1.30`,
		}},
		{"a client that has to be newer than the target", "newer clients", "managed: 1.30; kubectl.0: kubectl=1.30", "1.31", "", "", []string{
			`clients kubectl [kubectl[0]] [1.30] to 1.32`,
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
		}},
		{"a newer patch than the target, which stays", "one proxy", "control_plane.a: kube-apiserver=1.23.2 kubelet=1.23.2 kube-proxy=1.23.3; control_plane.b: kube-apiserver=1.23.2 kubelet=1.22 kube-proxy=1.22", "1.23.2", "", "", []string{
			`control_plane kubelet+kube-proxy [control_plane["b"]] [1.22] to 1.23.2, drain, repairs`,
		}},
		{"a patch that API servers need before they leave their minor", "patched before a step", "managed: 1.30.2", "1.31", "1.30.5 1.31.1", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30.2] to 1.30.5",
			"control_plane " + fourComponents + " [control_plane_version] [1.30.5] to 1.31.1",
		}},
		{"a pool that may be newer than the target", "newer kubelets, back", "managed: 1.30; node_pools.a: kubelet=1.31", "1.30", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.31] to 1.30, drain`,
		}},
		{"pools on both sides of the target, and nothing to compare them with", "kubernetes", "node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.28", "1.27", "", "", []string{
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.26 1.28] to 1.27, drain`,
		}},
		{"a held pool with versions that exclude each other", "aks", "node_pools.a: kubelet=1.26.0 kube-proxy=1.30.0", "1.27", "1.28.0", "a", []string{"not feasible"}},
		{"a client beside a held pool with versions that exclude each other", "kubectl near kubelet", "node_pools.a: kubelet=1.26.0 kube-proxy=1.30.0; kubectl.0: kubectl=1.26.0", "1.28.0", "1.28.0", "a", []string{"not feasible"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := upgrade.Request{
				Policy: policies[tt.policy], Cluster: skewtest.Cluster(t, tt.cluster), Target: skewtest.Version(t, tt.target), Held: strings.Fields(tt.held),
			}
			for _, v := range strings.Fields(tt.available) {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			got := stages(plan)
			for _, f := range plan.Findings {
				if f.Planned {
					got = append(got, fmt.Sprintf("stopped by %s: %s from %s to %s", f.RuleID, f.Subject.Component, f.Reference.Version, f.Subject.Version))
				}
			}
			if !plan.Feasible && len(got) == 0 {
				got = append(got, "not feasible")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if plan.Feasible {
				checkWalk(t, r, plan)
			}
		})
	}
}

// TestPlanWithoutWayForClient checks that a plan gives up when a client cannot get to a
// version that a rule requires, instead of moving it back and forth.
func TestPlanWithoutWayForClient(t *testing.T) {
	r := upgrade.Request{
		Policy:  skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"minimum": {"require": {"component": "kubectl", "version": ">= 1.35"}}}}`),
		Cluster: skewtest.Cluster(t, "managed: 1.30; kubectl.0: kubectl=1.30"),
		Target:  skewtest.Version(t, "1.30"),
	}
	if plan := upgrade.Compute(r); plan.Feasible || len(plan.Stages) > 0 {
		t.Errorf("feasible %t, stages %v; want no way", plan.Feasible, stages(plan))
	}
	if allocations := testing.AllocsPerRun(1, func() { upgrade.Compute(r) }); allocations > 100_000 {
		t.Errorf("the plan took %.0f allocations", allocations)
	}
}
