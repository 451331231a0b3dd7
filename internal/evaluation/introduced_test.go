package evaluation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"pgregory.net/rapid"
)

func TestIntroduced(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		introduced     []string
		old            []string
	}{
		{"without a before", "", "managed: 1.31; node_pools.x: kubelet=1.27", nil, []string{`kubelet-apiserver [node_pools["x"]]`}},
		{"as it was", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.27", nil, []string{`kubelet-apiserver [node_pools["x"]]`}},
		{"better, but not well", "managed: 1.31; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.27", nil, []string{`kubelet-apiserver [node_pools["x"]]`}},
		{"worse", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.32; node_pools.x: kubelet=1.27", []string{`kubelet-apiserver [node_pools["x"]]`}, nil},
		{"on the other side", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.32", []string{`kubelet-apiserver [node_pools["x"]]`}, nil},
		{"one more pool", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.27", []string{`kubelet-apiserver [node_pools["y"]]`}, []string{`kubelet-apiserver [node_pools["x"]]`}},
		{"a skipped minor", "managed: 1.30", "managed: 1.32", []string{"kube-apiserver-step [control_plane_version]"}, nil},
		{"a control plane that is spelled out now", "managed: 1.31; kube_proxy: 1.27", "control_plane.a: kube-apiserver=1.31; kube_proxy: 1.27", nil, []string{"kube-proxy-apiserver [kube_proxy]"}},
	} {
		in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), ApplyOrder: upgrade.Any}
		if tt.from != "" {
			from := skewtest.Cluster(t, tt.from)
			in.Observed = &from
		}
		findings, _ := evaluation.Findings(in)
		introduced, old := evaluation.Introduced(in, findings)
		told := func(findings []finding.Finding) []string {
			var all []string
			for _, f := range findings {
				all = append(all, fmt.Sprint(f.RuleID, " ", f.Subject.Locations))
			}
			return all
		}
		if a, b := told(introduced), told(old); !slices.Equal(a, tt.introduced) || !slices.Equal(b, tt.old) {
			t.Errorf("%s: introduced %q, old %q; want %q and %q", tt.name, a, b, tt.introduced, tt.old)
		}
	}
}

// TestNothingIsIntroducedByNothing: a step that changes nothing brings nothing, and
// no location of a finding is lost.
func TestNothingIsIntroducedByNothing(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, p, releases.Date{})
		findings, _ := evaluation.Findings(in)
		introduced, old := evaluation.Introduced(in, findings)
		count := func(findings []finding.Finding) int {
			n := 0
			for _, f := range findings {
				n += len(f.Subject.Locations)
			}
			return n
		}
		if count(introduced)+count(old) != count(findings) {
			t.Fatalf("%v became %v and %v", findings, introduced, old)
		}
		in.Observed = &in.Cluster
		findings, _ = evaluation.Findings(in)
		if introduced, _ := evaluation.Introduced(in, findings); len(introduced) > 0 {
			t.Fatalf("introduced by nothing: %v", introduced)
		}
	})
}
