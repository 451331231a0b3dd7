// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// TestThroughAnotherComponent: two moves can depend on each other only because of a
// third component: here a mesh, which must not be newer than any kubelet, nor more
// than one minor older than the API server.
func TestThroughAnotherComponent(t *testing.T) {
	p, err := policy.Extend(skewtest.Kubernetes(t), `{"skew_rules": {
		"mesh-kubelet": {"subject": "mesh", "reference": "kubelet", "scope": "cluster", "max_newer": 0},
		"mesh-apiserver": {"subject": "mesh", "reference": "kube-apiserver", "scope": "cluster", "max_older": 1}
	}}`)
	if err != nil {
		t.Fatal(err)
	}
	from := skewtest.Cluster(t, "managed: 1.30; node_pools.a: kubelet=1.29; components.mesh.0: mesh=1.29")
	to := skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.30; components.mesh.0: mesh=1.30")
	findings := upgrade.Evaluate(p, from, to, upgrade.ControlPlaneFirst).Findings
	if len(findings) != 1 {
		t.Fatalf("findings %+v, want one", findings)
	}
	c, ok := findings[0].Cause.(*finding.ApplyOrder)
	if !ok || c.Through != "mesh" || c.First.Component != "kubelet" || c.Then.Component != "kube-apiserver" {
		t.Errorf("cause %+v, want kubelet before kube-apiserver, through mesh", findings[0].Cause)
	}
	if findings := upgrade.Evaluate(p, from, to, upgrade.NodePoolsFirst).Findings; len(findings) > 0 {
		t.Errorf("findings %+v if node pools move first, want none", findings)
	}
}
