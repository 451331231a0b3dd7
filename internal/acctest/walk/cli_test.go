// SPDX-License-Identifier: MPL-2.0

package walk_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/walk"
)

var cliSteps = flag.Int("walk.cli-steps", 6, "steps of every walk with a CLI")

// TestCLIWalks holds the same laws on the modules of examples/modules, with the
// CLI that TF_ACC_TERRAFORM_PATH names. Now and then it also looks whether a plan
// of what has been applied is empty, for all that observed says.
func TestCLIWalks(t *testing.T) {
	binary := cli(t)
	for _, g := range walk.Graphs {
		module := filepath.Join("../../../examples/modules", g.Name)
		if _, err := os.Stat(module); err != nil {
			continue // the graph is no module of ours
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			if err := os.CopyFS(directory, os.DirFS(module)); err != nil {
				t.Fatal(err)
			}
			w, err := walk.NewCLI(t.Context(), binary, directory, g, *observed, *seed)
			if err != nil {
				t.Fatal(err)
			}
			for i := range *cliSteps {
				applied := w.Counts.Applied
				if err := w.Step(); err != nil {
					t.Fatalf("step %d: %v", i+1, err)
				}
				if w.Counts.Applied > applied && i%10 < 2 {
					if err := w.Unchanged(); err != nil {
						t.Errorf("step %d: %v", i+1, err)
					}
				}
				if i%50 == 49 && i+1 < *cliSteps {
					record(t, filepath.Base(binary)+" "+g.Name, i+1, *observed, w.Counts)
				}
			}
			report(t, w)
			record(t, filepath.Base(binary)+" "+g.Name, *cliSteps, *observed, w.Counts)
		})
	}
}

// cli is the CLI that TF_ACC_TERRAFORM_PATH names, or the terraform on PATH.
func cli(t *testing.T) string {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("a CLI is run only if TF_ACC is set")
	}
	binary := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if binary == "" {
		binary = "terraform"
	}
	binary, err := exec.LookPath(binary)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
