// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// TestPublicModules applies the examples that call a module from the registry. A module in
// testdata takes its place, with the same argument types and outputs. The guard must record
// the versions of all node pools, and refuse the next minor but one, also because it is not
// offered.
func TestPublicModules(t *testing.T) {
	for name, tt := range map[string]struct {
		local string
		pools map[string]string
		next  string // kubernetes_version, two minors later
	}{
		"eks/public-module":   {"eks", map[string]string{"general": "1.35", "gpu": "1.34"}, "1.37"},
		"gke/public-module":   {"gke", map[string]string{"general": "1.35.8-gke.1200000", "batch": "1.35.8-gke.1200000"}, "1.37.1-gke.1000000"},
		"aks/public-module":   {"aks", map[string]string{"nodepool": "1.35.4", "gpu": "1.34.3"}, "1.37.1"},
		"aks/verified-module": {"verified", map[string]string{"systempool": "1.35.4", "gpu": "1.34.3", "batch": "1.35.4"}, "1.37.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			for from, to := range map[string]string{"../../examples/guides/" + name: ".", "testdata/public-modules/" + tt.local: "local"} {
				if err := os.CopyFS(filepath.Join(directory, to), os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
			}
			rewrite(t, filepath.Join(directory, "main.tf"), func(text string) string {
				changed := publicModule.ReplaceAllString(text, `  source = "./local"`)
				if changed == text {
					t.Fatal("the example calls no module of the registry")
				}
				return changed
			})
			module := acctest.NewModule(t, directory)
			module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
			got := map[string]string{}
			for pool, attributes := range recordedPools(t, module) {
				got[pool] = attributes.Kubelet
			}
			if diff := cmp.Diff(tt.pools, got); diff != "" {
				t.Errorf("recorded node pools: %s", diff)
			}
			module.MustRun("plan", "-detailed-exitcode", "-input=false", "-no-color")
			out, err := module.Run("plan", "-input=false", "-no-color", "-var", "kubernetes_version="+tt.next)
			if err == nil || !acctest.OutputPattern("Error: kube-apiserver cannot go from 1.35 to 1.37 in one step").MatchString(out) {
				t.Errorf("the step is not refused: %v\n%s", err, out)
			}
			module.Platform(func(w *platform.World) error {
				w.Offered = []string{"1.35"}
				return nil
			})
			module.MustRun("plan", "-detailed-exitcode", "-input=false", "-no-color")
			out, err = module.Run("plan", "-input=false", "-no-color", "-var", "kubernetes_version="+tt.next)
			if err == nil || !acctest.OutputPattern("Error: kube-apiserver 1.37 ... is not offered").MatchString(out) {
				t.Errorf("a version that is not offered is not refused: %v\n%s", err, out)
			}
		})
	}
}

// publicModule matches the source and the version of a module from the registry.
var publicModule = regexp.MustCompile(`  source  = "[\w-]+/[\w-]+/[\w-]+"\n  version = "[^"]+"`)

type recordedPool struct {
	Kubelet string `json:"kubelet"`
}

// recordedPools returns the node pools in the state of the validation.
func recordedPools(t *testing.T, module *acctest.Module) map[string]recordedPool {
	t.Helper()
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string
					Values  struct {
						NodePools map[string]recordedPool `json:"node_pools"`
					}
				}
			} `json:"root_module"`
		}
	}
	out, err := module.Command("show", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &state); err != nil {
		t.Fatal(err)
	}
	for _, r := range state.Values.RootModule.Resources {
		if strings.HasPrefix(r.Address, "versionskew_validation.") {
			return r.Values.NodePools
		}
	}
	t.Fatal("the state has no validation")
	return nil
}
