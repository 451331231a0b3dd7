// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func offered(t *testing.T, attribute string, versions ...string) evaluation.OfferedList {
	t.Helper()
	list := evaluation.OfferedList{Attribute: attribute}
	for _, v := range versions {
		list.Versions = append(list.Versions, skewtest.Version(t, v))
	}
	return list
}

// TestNotOffered checks that only what a step moves or adds has to be offered, and that
// versions match at the coarser of their precisions.
func TestNotOffered(t *testing.T) {
	both := []string{"1.32.9", "1.33.4", "1.33.5-gke.100"}
	for _, tt := range []struct {
		name, from, to string
		list           []string
		want           []string
	}{
		{"a new cluster at an offered version", "", "managed: 1.33.4; node_pools.a: kubelet=1.33", both, nil},
		{"a new cluster at a version that is not offered", "", "managed: 1.33.3; node_pools.a: kubelet=1.33.3", both, []string{
			"error not-offered: kube-apiserver 1.33.3 is not offered", "error not-offered: kubelet 1.33.3 is not offered",
		}},
		{"what does not move need not be offered", "managed: 1.31.2; node_pools.a: kubelet=1.31.2", "managed: 1.31.2; node_pools.a: kubelet=1.31.2", both, nil},
		{"a declaration that becomes less precise does not move", "managed: 1.31.2", "managed: 1.31", both, nil},
		{"a patch that is not offered", "managed: 1.33.4", "managed: 1.33.6", both, []string{"error not-offered: kube-apiserver 1.33.6 is not offered"}},
		{"a pool that is added", "managed: 1.33.4", "managed: 1.33.4; node_pools.new: kubelet=1.31.2", both, []string{"error not-offered: kubelet 1.31.2 is not offered"}},
		{"a pool that is removed", "managed: 1.33.4; node_pools.old: kubelet=1.31", "managed: 1.33.4", both, nil},
		{"a build", "managed: 1.33.4", "managed: 1.33.5-gke.100", both, nil},
		{"another build", "managed: 1.33.4", "managed: 1.33.5-gke.200", both, []string{"error not-offered: kube-apiserver 1.33.5-gke.200 is not offered"}},
		{"a patch of which a build is offered", "managed: 1.33.4", "managed: 1.33.5", both, nil},
		{"clients and controllers are not installed by the platform", "control_plane.a: 1.33.4", "control_plane.a: kube-apiserver=1.33.4 kube-scheduler=1.33.1; kubectl.0: kubectl=1.33.1", both, nil},
		{"an empty list is not checked", "managed: 1.33.4", "managed: 1.34.0", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Day: skewtest.Date(t, quietDay)}
			in.Offered = evaluation.Offered{ControlPlane: offered(t, "available_versions", tt.list...), NodePools: offered(t, "available_versions", tt.list...)}
			if tt.from != "" {
				from := skewtest.Cluster(t, tt.from)
				in.Observed = &from
			}
			got := slices.DeleteFunc(describeFindings(in), func(s string) bool { return s[:5] != "error" })
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNotOfferedToNodePools checks that node pools can have a list of their own.
func TestNotOfferedToNodePools(t *testing.T) {
	in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.33.4; node_pools.a: kubelet=1.33.4"), Day: skewtest.Date(t, quietDay)}
	in.Offered = evaluation.Offered{ControlPlane: offered(t, "available_versions", "1.33.4"), NodePools: offered(t, "available_node_versions", "1.33.3")}
	if got, want := describeFindings(in), []string{"error not-offered: kubelet 1.33.4 is not offered"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNextMinorIsNotOffered checks that a minor that is not listed blocks the next step
// of the control plane.
func TestNextMinorIsNotOffered(t *testing.T) {
	in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.33.4"), Day: skewtest.Date(t, quietDay)}
	in.Observed = &in.Cluster
	in.Offered.ControlPlane = offered(t, "available_versions", "1.33.4", "1.32.9")
	if next := evaluation.Evaluate(in).Next; len(next.Blockers) != 1 || next.Blockers[0].Findings[0].RuleID != "not-offered" {
		t.Errorf("got %v, want not-offered", report.Blockers(next.Blockers))
	}
	in.Offered.ControlPlane = offered(t, "available_versions", "1.33.4", "1.34.0")
	if next := evaluation.Evaluate(in).Next; len(next.Blockers) != 0 {
		t.Errorf("got %v, want nothing", report.Blockers(next.Blockers))
	}
}

// TestLatestPatchOffered checks that the newest patch is the newest one that the platform
// offers: DigitalOcean never offers some patches of upstream.
func TestLatestPatchOffered(t *testing.T) {
	from := skewtest.Cluster(t, "managed: 1.30.0")
	in := evaluation.Input{Policy: skewtest.Kubernetes(t), Observed: &from, Cluster: skewtest.Cluster(t, "managed: 1.31.0"), Day: skewtest.Date(t, quietDay)}
	for _, tt := range []struct {
		offered []string
		want    string
	}{{nil, "1.30.14"}, {[]string{"1.30.2-do.0", "1.30.2-do.1", "1.31.0"}, "1.30.2-do.1"}, {[]string{"1.31.0"}, ""}} {
		in.Offered.ControlPlane = offered(t, "available_versions", tt.offered...)
		got := ""
		for _, f := range evaluation.Evaluate(in).Findings() {
			if c, ok := f.Cause.(*finding.LatestPatch); ok {
				got = c.Latest.String()
			}
		}
		if got != tt.want {
			t.Errorf("offered %v: got %q, want %q", tt.offered, got, tt.want)
		}
	}
}

// TestNotOfferedCanBeChanged checks that a policy can turn the error into a warning, and
// that a waiver accepts it.
func TestNotOfferedCanBeChanged(t *testing.T) {
	p, err := policy.Extend(skewtest.Kubernetes(t), `{"advisories": {"not-offered": {"severity": "warning"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	in := evaluation.Input{Policy: p, Cluster: skewtest.Cluster(t, "managed: 1.33.4"), Day: skewtest.Date(t, quietDay)}
	in.Offered.ControlPlane = offered(t, "available_versions", "1.33.5")
	if got, want := describeFindings(in), []string{"warning not-offered: kube-apiserver 1.33.4 is not offered"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	in.Policy = skewtest.Kubernetes(t)
	in.Waivers = []finding.Waiver{{Name: "w", RuleID: "not-offered", Reason: "preview"}}
	if r := evaluation.Evaluate(in); !r.Supported() || r.Findings()[0].WaivedBy == nil {
		t.Errorf("got %+v, want a waived finding", r.Findings())
	}
}

// TestNotOfferedEmulation checks that ending an emulation installs nothing.
func TestNotOfferedEmulation(t *testing.T) {
	binary := skewtest.Version(t, "1.36.1")
	emulating, err := binary.Emulating(skewtest.Version(t, "1.35"))
	if err != nil {
		t.Fatal(err)
	}
	from, to := skewtest.Cluster(t, "managed: 1.36.1"), skewtest.Cluster(t, "managed: 1.36.1")
	for i := range from.Places[0].Instances {
		from.Places[0].Instances[i].Version = emulating
	}
	in := evaluation.Input{Policy: skewtest.Kubernetes(t), Observed: &from, Cluster: to, Day: skewtest.Date(t, quietDay)}
	in.Offered.ControlPlane = evaluation.OfferedList{Attribute: "available_versions", Versions: []version.Version{skewtest.Version(t, "1.37")}}
	for _, f := range evaluation.Evaluate(in).Findings() {
		if f.RuleID == "not-offered" {
			t.Errorf("got %+v, want nothing about %s, which runs already", f, binary)
		}
	}
}
