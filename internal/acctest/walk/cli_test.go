// SPDX-License-Identifier: MPL-2.0

package walk_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/walk"
)

var cliSteps = flag.Int("walk.cli-steps", 6, "number of `steps` in each walk with a CLI")

// addTo returns a copy of a module with the files of another directory, if it exists.
func addTo(t *testing.T, module, directory string) string {
	t.Helper()
	copied := t.TempDir()
	for _, from := range []string{module, directory} {
		if err := os.CopyFS(copied, os.DirFS(from)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return copied
}

// TestCLIWalks checks the same laws on the modules in examples/modules, with the CLI that
// TF_ACC_TERRAFORM_PATH names. After some applies it also checks that the next plan is
// empty.
func TestCLIWalks(t *testing.T) {
	binary := filepath.Base(acctest.CLI(t))
	for _, g := range walk.Graphs {
		module := filepath.Join("../../../examples/modules", g.Name)
		if _, err := os.Stat(module); err != nil {
			continue // there is no example module with this graph
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			module := addTo(t, module, filepath.Join("testdata", g.Name))
			g.AddOn = g.Name == "eks" // see testdata
			w := walk.NewCLI(t, module, g, *observed, *seed)
			for i := range *cliSteps {
				applied := w.Counts.Applied
				if err := w.Step(); err != nil {
					t.Fatalf("step %d: %v", i+1, err)
				}
				if w.Counts.Applied > applied && i%10 < 2 {
					if err := w.CheckEmptyPlan(); err != nil {
						t.Errorf("step %d: %v", i+1, err)
					}
				}
				if i%50 == 49 && i+1 < *cliSteps {
					record(t, binary+" "+g.Name, i+1, *observed, w.Counts)
				}
			}
			report(t, w)
			record(t, binary+" "+g.Name, *cliSteps, *observed, w.Counts)
		})
	}
}
