// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

func managed(kind platform.Kind, version string, pools map[string]string) platform.Cluster {
	return platform.Cluster{Kind: kind, ControlPlane: map[string]string{platform.Managed: version}, Pools: pools}
}

// TestTry checks the limits of each platform and its error messages.
func TestTry(t *testing.T) {
	controlPlane := platform.ControlPlaneTarget(platform.Managed)
	for _, tt := range []struct {
		name    string
		cluster platform.Cluster
		action  platform.Action
		target  string
		version string
		want    string // part of the error, or empty if the operation is allowed
	}{
		{"EKS does not skip a minor", managed(platform.EKS, "1.33", nil), platform.Move, controlPlane, "1.35", "Unsupported Kubernetes minor version update"},
		{"EKS allows nodes three minors behind", managed(platform.EKS, "1.33", map[string]string{"a": "1.31"}), platform.Move, controlPlane, "1.34", ""},
		{"EKS rejects nodes four minors behind", managed(platform.EKS, "1.33", map[string]string{"a": "1.30"}), platform.Move, controlPlane, "1.34", "Nodegroup a must be updated"},
		{"EKS rolls back by one minor", managed(platform.EKS, "1.33", map[string]string{"a": "1.32"}), platform.Move, controlPlane, "1.32", ""},
		{"EKS requires nodes to roll back first", managed(platform.EKS, "1.33", map[string]string{"a": "1.33"}), platform.Move, controlPlane, "1.32", "Roll back node groups"},
		{"EKS rejects newer nodes", managed(platform.EKS, "1.33", nil), platform.Create, platform.PoolTarget("a"), "1.34", "can not be newer"},
		{"AKS compares patches", managed(platform.AKS, "1.33.1", map[string]string{"a": "1.32.0"}), platform.Move, platform.PoolTarget("a"), "1.33.2", "incompatible"},
		{"AKS does not downgrade a patch", managed(platform.AKS, "1.33.1", nil), platform.Move, controlPlane, "1.33.0", "OperationNotAllowed"},
		{"AKS rolls a pool back", managed(platform.AKS, "1.33.1", map[string]string{"a": "1.33.1"}), platform.Move, platform.PoolTarget("a"), "1.32.0", ""},
		{"GKE allows nodes two minors behind", managed(platform.GKE, "1.33.1", map[string]string{"a": "1.32.0"}), platform.Move, controlPlane, "1.34.0", ""},
		{"GKE rejects nodes three minors behind", managed(platform.GKE, "1.33.1", map[string]string{"a": "1.31.0"}), platform.Move, controlPlane, "1.34.0", "more than 2 minor versions older"},
		{"GKE pools do not move three minors", managed(platform.GKE, "1.36.1", map[string]string{"a": "1.33.0"}), platform.Move, platform.PoolTarget("a"), "1.36.0", "cannot skip more than one"},
		{"GKE downgrades a patch", managed(platform.GKE, "1.33.1", nil), platform.Move, controlPlane, "1.33.0", ""},
		{"kubeadm does not skip a minor", platform.Cluster{Kind: platform.Kubeadm, ControlPlane: map[string]string{"a": "1.33.0"}}, platform.Move, platform.ControlPlaneTarget("a"), "1.35.0", "only 1 minor version at a time"},
		{"Talos does not downgrade", platform.Cluster{Kind: platform.Talos, ControlPlane: map[string]string{"a": "1.33.0"}}, platform.Move, platform.ControlPlaneTarget("a"), "1.32.0", "unsupported upgrade path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.cluster.Pools == nil {
				tt.cluster.Pools = map[string]string{}
			}
			before := tt.cluster.Version(tt.target)
			after, err := (&platform.World{}).Try(tt.cluster, platform.Operation{Action: tt.action, Target: tt.target, Version: tt.version})
			switch {
			case tt.want == "" && (err != nil || after.Version(tt.target) != tt.version):
				t.Errorf("got %s and error %v, want %s", after.Version(tt.target), err, tt.version)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got error %v, want %q", err, tt.want)
			}
			if tt.cluster.Version(tt.target) != before {
				t.Error("Try changed the cluster")
			}
		})
	}
}

// TestViolations checks Violations against sentences of the policy page.
func TestViolations(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cluster platform.Cluster
		want    int
	}{
		{"compatible", managed(platform.EKS, "1.33", map[string]string{"a": "1.30", "b": "1.33"}), 0},
		{"too old", managed(platform.EKS, "1.33", map[string]string{"a": "1.29"}), 1},
		{"too old for GKE", managed(platform.GKE, "1.33.0", map[string]string{"a": "1.30.0"}), 1},
		{"too new", managed(platform.EKS, "1.33", map[string]string{"a": "1.34"}), 1},
		{"too new by a patch", managed(platform.AKS, "1.33.0", map[string]string{"a": "1.33.1"}), 1},
		{"patches do not count", managed(platform.GKE, "1.33.0", map[string]string{"a": "1.33.1"}), 0},
		{"API servers too far apart", platform.Cluster{Kind: platform.Kubeadm, ControlPlane: map[string]string{"a": "1.33.0", "b": "1.31.0"}}, 1},
		{"kube-proxy too old", platform.Cluster{Kind: platform.EKS, ControlPlane: map[string]string{platform.Managed: "1.33"}, Pools: map[string]string{"a": "1.33"}, KubeProxy: "v1.29.0-eksbuild.1"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.cluster.Violations(); len(got) != tt.want {
				t.Errorf("got %v, want %d", got, tt.want)
			}
		})
	}
}

// TestFault checks that an operation can fail after its version has changed, and that a fault
// occurs once.
func TestFault(t *testing.T) {
	w := platform.World{Faults: []platform.Fault{{Action: platform.Move, Target: platform.PoolTarget("a"), Moved: true}}}
	for _, tt := range []struct {
		o    platform.Operation
		want error
	}{
		{platform.Operation{Action: platform.Create, Target: platform.ClusterTarget}, nil},
		{platform.Operation{Action: platform.Create, Target: platform.ControlPlaneTarget(platform.Managed), Version: "1.33"}, nil},
		{platform.Operation{Action: platform.Create, Target: platform.PoolTarget("a"), Version: "1.33"}, nil},
		{platform.Operation{Action: platform.Move, Target: platform.PoolTarget("a"), Version: "1.32"}, platform.ErrFault},
		{platform.Operation{Action: platform.Move, Target: platform.PoolTarget("a"), Version: "1.31"}, nil},
	} {
		if err := w.Do(platform.EKS, "main", tt.o); !errors.Is(err, tt.want) {
			t.Fatalf("%s: got error %v, want %v", tt.o, err, tt.want)
		}
	}
	if len(w.History) != 5 || !w.History[3].Failed || w.History[3].Cluster.Pools["a"] != "1.32" {
		t.Errorf("history %+v", w.History)
	}
}
