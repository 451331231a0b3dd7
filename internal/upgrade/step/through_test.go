// SPDX-License-Identifier: MPL-2.0

package step_test

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// TestThroughAnotherComponent: two moves can depend on each other only because of a
// client: here a kubectl, which must not be newer than any kubelet, nor more than one
// minor older than the API server.
func TestThroughAnotherComponent(t *testing.T) {
	p, err := policy.Extend(skewtest.Kubernetes(t), `{"skew_rules": {
		"kubectl-kubelet": {"subject": "kubectl", "reference": "kubelet", "scope": "cluster", "max_newer": 0}
	}}`)
	if err != nil {
		t.Fatal(err)
	}
	from := skewtest.Cluster(t, "managed: 1.30; node_pools.a: kubelet=1.29; kubectl.0: kubectl=1.29")
	to := skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.30; kubectl.0: kubectl=1.30")
	findings := step.Check(p, from, to, step.ControlPlaneFirst).Findings
	if len(findings) != 1 {
		t.Fatalf("findings %+v, want one", findings)
	}
	c, ok := findings[0].Cause.(*finding.ApplyOrder)
	if !ok || c.Through != "kubectl" || c.First.Component != "kubelet" || c.Then.Component != "kube-apiserver" {
		t.Errorf("cause %+v, want kubelet before kube-apiserver, through kubectl", findings[0].Cause)
	}
	if findings := step.Check(p, from, to, step.NodePoolsFirst).Findings; len(findings) > 0 {
		t.Errorf("findings %+v if node pools move first, want none", findings)
	}
}
