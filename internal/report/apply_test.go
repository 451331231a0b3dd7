// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestApplyOrderFindings compares the descriptions of findings about apply_order with
// a golden file.
func TestApplyOrderFindings(t *testing.T) {
	eks, err := policy.Builtin("eks")
	if err != nil {
		t.Fatal(err)
	}
	aks, err := policy.Builtin("aks")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := policy.Extend(skewtest.Kubernetes(t), `{
		"name": "ours",
		"skew_rules": {
			"kubelet-apiserver": {"max_older_during_upgrade": 2},
			"kubectl-kubelet": {"subject": "kubectl", "reference": "kubelet", "scope": "cluster", "max_newer": 0},
			"mesh-apiserver": {"subject": "mesh", "reference": "kube-apiserver", "scope": "cluster", "max_older": 1}
		},
		"requirement_rules": {
			"agent": {"when": {"component": "agent", "version": "< 2"}, "require": {"component": "kubelet", "version": "< 1.31"}},
			"pool-agent": {"when": {"component": "kubelet", "version": ">= 1.31"}, "require": {"component": "kube-apiserver", "version": ">= 1.31.1"}}
		}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, tt := range []struct {
		policy   *policy.Policy
		order    step.ApplyOrder
		from, to string
	}{
		{eks, "", "managed: 1.35; node_pools.gpu: kubelet=1.32", "managed: 1.36; node_pools.gpu: kubelet=1.33"},
		{eks, "", "managed: 1.35; node_pools.gpu: kubelet=1.32 kube-proxy=1.32", "managed: 1.36; node_pools.gpu: kubelet=1.33 kube-proxy=1.34"},
		{eks, "", "managed: 1.35; node_pools.a: kubelet=1.32; node_pools.b: kubelet=1.32", "managed: 1.36; node_pools.c: kubelet=1.36"},
		{eks, "", "managed: 1.36; node_pools.gpu: kubelet=1.36; kube_proxy: 1.36", "managed: 1.35; node_pools.gpu: kubelet=1.35; kube_proxy: 1.35"},
		{eks, step.NodePoolsFirst, "managed: 1.35; node_pools.gpu: kubelet=1.35", "managed: 1.36; node_pools.gpu: kubelet=1.36"},
		{eks, step.NodePoolsFirst, "managed: 1.35; node_pools.a: kubelet=1.32", "managed: 1.36; node_pools.b: kubelet=1.36"},
		{eks, step.Unordered, "managed: 1.35; node_pools.gpu: kubelet=1.35", "managed: 1.36; node_pools.gpu: kubelet=1.36"},
		{aks, step.NodePoolsFirst, "managed: 1.35.1; node_pools.gpu: kubelet=1.35.1", "managed: 1.35.3; node_pools.gpu: kubelet=1.35.3"},
		{ours, step.NodePoolsFirst, "managed: 1.30", "managed: 1.31; node_pools.a: kubelet=1.28"},
		{ours, step.NodePoolsFirst, "managed: 1.30.4; node_pools.a: kubelet=1.30.4", "managed: 1.31.1; node_pools.a: kubelet=1.31.1"},
		{ours, "", "managed: 1.30; node_pools.a: kubelet=1.29; kubectl.0: kubectl=1.29", "managed: 1.31; node_pools.a: kubelet=1.30; kubectl.0: kubectl=1.30"},
		{ours, "", "managed: 1.30; components.mesh.0: mesh=1.29", "managed: 1.31; components.mesh.0: mesh=1.30"},
		{eks, "", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.31; node_pools.a: kubelet=1.28", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.32; node_pools.a: kubelet=1.31"},
	} {
		in := evaluation.Input{Policy: tt.policy, Cluster: skewtest.Cluster(t, tt.to), ApplyOrder: tt.order}
		from := skewtest.Cluster(t, tt.from)
		in.Observed = &from
		fmt.Fprintf(&b, "# %s by %s: %s\n# to %s\n\n", tt.order, tt.policy.Name, tt.from, tt.to)
		findings := evaluation.Check(in).Findings()
		for _, p := range finding.Problems(findings) {
			fmt.Fprintf(&b, "%s: %s\n\n%s\n\n", p.Findings[0].Severity, report.DescribeProblem(p).Summary, report.Diagnostic(p).Message)
		}
	}
	golden(t, "apply-order.txt", b.String())
}

// TestRemedyOnlyRemovesWhatGoes checks that a remedy does not ask to remove or add a node
// pool of which only the kube-proxy goes or comes.
func TestRemedyOnlyRemovesWhatGoes(t *testing.T) {
	for _, tt := range []struct {
		order          step.ApplyOrder
		from, to, want string
	}{
		{step.ControlPlaneFirst, "managed: 1.33; node_pools.a: kubelet=1.33 kube-proxy=1.30", "managed: 1.34; node_pools.a: kubelet=1.33", `Remove the kube-proxy of node_pools["a"] in a separate apply first`},
		{step.ControlPlaneFirst, "managed: 1.33; node_pools.a: kubelet=1.30 kube-proxy=1.30; node_pools.b: kubelet=1.33", "managed: 1.34; node_pools.b: kubelet=1.33", `Remove node_pools["a"] in a separate apply first`},
		{step.NodePoolsFirst, "managed: 1.33; node_pools.a: kubelet=1.33", "managed: 1.34; node_pools.a: kubelet=1.33 kube-proxy=1.34", `in a separate apply first`},
	} {
		from := skewtest.Cluster(t, tt.from)
		findings := evaluation.Check(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Observed: &from, ApplyOrder: tt.order}).Findings()
		var all []string
		for _, p := range finding.Problems(findings) {
			all = append(all, report.DescribeProblem(p).Remedy)
		}
		if text := strings.Join(all, "\n"); !strings.Contains(text, tt.want) || strings.Contains(text, `add node_pools["a"]`) {
			t.Errorf("%s to %s: %s", tt.from, tt.to, text)
		}
	}
}

// TestRemedyWithUnknownVersion checks that a remedy does not ask to remove a node pool
// whose new version is unknown.
func TestRemedyWithUnknownVersion(t *testing.T) {
	from, to := skewtest.Cluster(t, "managed: 1.30; node_pools.a: kubelet=1.27"), skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.30")
	to.Places[1].Instances[0].Version = version.Version{}
	findings := evaluation.Check(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: to, Observed: &from}).Findings()
	if len(findings) != 1 || !strings.HasPrefix(report.Describe(findings[0]).Remedy, `Move node_pools["a"] in a separate apply first`) {
		t.Errorf("got %+v", findings)
	}
}
