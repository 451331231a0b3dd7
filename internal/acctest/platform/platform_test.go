// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

func managed(kind platform.Kind, version string, pools map[string]string) platform.Cluster {
	return platform.Cluster{Kind: kind, ControlPlane: map[string]string{platform.Managed: version}, Pools: pools}
}

// TestRefused: every platform has limits of its own, and names them in its words.
func TestRefused(t *testing.T) {
	controlPlane := platform.ControlPlaneTarget(platform.Managed)
	for _, tt := range []struct {
		name    string
		cluster platform.Cluster
		action  platform.Action
		target  string
		version string
		want    string // empty for what is allowed
	}{
		{"EKS skips no minor", managed(platform.EKS, "1.33", nil), platform.Move, controlPlane, "1.35", "Unsupported Kubernetes minor version update"},
		{"EKS takes nodes three minors behind", managed(platform.EKS, "1.33", map[string]string{"a": "1.31"}), platform.Move, controlPlane, "1.34", ""},
		{"EKS refuses nodes four minors behind", managed(platform.EKS, "1.33", map[string]string{"a": "1.30"}), platform.Move, controlPlane, "1.34", "Nodegroup a must be updated"},
		{"EKS rolls back by a minor", managed(platform.EKS, "1.33", map[string]string{"a": "1.32"}), platform.Move, controlPlane, "1.32", ""},
		{"EKS rolls nodes back first", managed(platform.EKS, "1.33", map[string]string{"a": "1.33"}), platform.Move, controlPlane, "1.32", "Roll back node groups"},
		{"EKS nodes are not newer", managed(platform.EKS, "1.33", nil), platform.Create, platform.PoolTarget("a"), "1.34", "can not be newer"},
		{"AKS counts patches", managed(platform.AKS, "1.33.1", map[string]string{"a": "1.32.0"}), platform.Move, platform.PoolTarget("a"), "1.33.2", "incompatible"},
		{"AKS goes back by no patch", managed(platform.AKS, "1.33.1", nil), platform.Move, controlPlane, "1.33.0", "OperationNotAllowed"},
		{"AKS rolls a pool back", managed(platform.AKS, "1.33.1", map[string]string{"a": "1.33.1"}), platform.Move, platform.PoolTarget("a"), "1.32.0", ""},
		{"GKE takes nodes two minors behind", managed(platform.GKE, "1.33.1", map[string]string{"a": "1.32.0"}), platform.Move, controlPlane, "1.34.0", ""},
		{"GKE refuses nodes three minors behind", managed(platform.GKE, "1.33.1", map[string]string{"a": "1.31.0"}), platform.Move, controlPlane, "1.34.0", "more than 2 minor versions older"},
		{"GKE pools skip one minor", managed(platform.GKE, "1.36.1", map[string]string{"a": "1.33.0"}), platform.Move, platform.PoolTarget("a"), "1.36.0", "cannot skip more than one"},
		{"GKE takes patches back", managed(platform.GKE, "1.33.1", nil), platform.Move, controlPlane, "1.33.0", ""},
		{"kubeadm skips no minor", platform.Cluster{Kind: platform.Kubeadm, ControlPlane: map[string]string{"a": "1.33.0"}}, platform.Move, platform.ControlPlaneTarget("a"), "1.35.0", "only 1 minor version at a time"},
		{"Talos knows no way back", platform.Cluster{Kind: platform.Talos, ControlPlane: map[string]string{"a": "1.33.0"}}, platform.Move, platform.ControlPlaneTarget("a"), "1.32.0", "unsupported upgrade path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.cluster.Pools == nil {
				tt.cluster.Pools = map[string]string{}
			}
			before := tt.cluster.Version(tt.target)
			after, err := tt.cluster.Try(platform.Operation{Action: tt.action, Target: tt.target, Version: tt.version})
			switch {
			case tt.want == "" && (err != nil || after.Version(tt.target) != tt.version):
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if tt.cluster.Version(tt.target) != before {
				t.Error("trying has moved something")
			}
		})
	}
}

// TestViolations: the model of the policy says what the page says.
func TestViolations(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cluster platform.Cluster
		want    int
	}{
		{"sound", managed(platform.EKS, "1.33", map[string]string{"a": "1.30", "b": "1.33"}), 0},
		{"too old", managed(platform.EKS, "1.33", map[string]string{"a": "1.29"}), 1},
		{"too old for GKE", managed(platform.GKE, "1.33.0", map[string]string{"a": "1.30.0"}), 1},
		{"too new", managed(platform.EKS, "1.33", map[string]string{"a": "1.34"}), 1},
		{"too new by a patch", managed(platform.AKS, "1.33.0", map[string]string{"a": "1.33.1"}), 1},
		{"patches are free", managed(platform.GKE, "1.33.0", map[string]string{"a": "1.33.1"}), 0},
		{"API servers apart", platform.Cluster{Kind: platform.Kubeadm, ControlPlane: map[string]string{"a": "1.33.0", "b": "1.31.0"}}, 1},
		{"kube-proxy", platform.Cluster{Kind: platform.EKS, ControlPlane: map[string]string{platform.Managed: "1.33"}, Pools: map[string]string{"a": "1.33"}, KubeProxy: "v1.29.0-eksbuild.1"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.cluster.Violations(); len(got) != tt.want {
				t.Errorf("got %v, want %d", got, tt.want)
			}
		})
	}
}

// TestFile: what one provider has made, another one finds, with every combination
// that has run and with what has failed.
func TestFile(t *testing.T) {
	store := platform.File(filepath.Join(t.TempDir(), "platform.json"))
	pool := platform.Operation{Action: platform.Create, Target: platform.PoolTarget("a"), Version: "1.33"}
	err := store.Do(func(w *platform.World) error {
		for _, o := range []platform.Operation{
			{Action: platform.Create, Target: platform.ClusterTarget},
			{Action: platform.Create, Target: platform.ControlPlaneTarget(platform.Managed), Version: "1.33"},
			pool,
		} {
			if err := w.Do(platform.EKS, "main", o); err != nil {
				return err
			}
		}
		w.Faults = []platform.Fault{{Action: platform.Move, Target: platform.PoolTarget("a"), Moved: true}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Do(func(w *platform.World) error {
		return w.Do(platform.EKS, "main", platform.Operation{Action: platform.Move, Target: pool.Target, Version: "1.32"})
	})
	if !errors.Is(err, platform.ErrFault) {
		t.Fatalf("got %v, want the fault", err)
	}
	err = store.Do(func(w *platform.World) error {
		if got := w.Clusters["main"].Pools["a"]; got != "1.32" || len(w.Faults) > 0 || len(w.History) != 4 || !w.History[3].Failed {
			t.Errorf("the pool runs %s, after %+v", got, w.History)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
