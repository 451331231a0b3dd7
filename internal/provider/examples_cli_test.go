// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

const examples = "../../examples"

// TestExamples applies, plans and destroys every example unchanged, with the built
// provider. Modules have their own tests, see TestModules.
func TestExamples(t *testing.T) {
	for _, name := range directories(t, func(path string) bool { return filepath.Ext(path) == ".tf" }) {
		if strings.HasPrefix(name, "modules/") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := acctest.NewModuleIn(t, examples, name)
			module.MustRun("validate")
			module.MustRun("apply", "-auto-approve", "-input=false")
			if name != "self-stepping" { // It always has a next stage, see TestSelfStepping.
				module.MustRun("plan", "-detailed-exitcode", "-input=false") // fails on any change
			}
			module.MustRun("destroy", "-auto-approve", "-input=false")
		})
	}
}

// TestConsoles runs the commands of every console.txt of the examples and compares their
// output.
func TestConsoles(t *testing.T) {
	for _, name := range directories(t, func(file string) bool { return path.Base(file) == "console.txt" }) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := acctest.NewModuleIn(t, examples, name)
			shown, err := os.ReadFile(filepath.Join(examples, name, "console.txt"))
			if err != nil {
				t.Fatal(err)
			}
			// A page shows the console of an example before it shows how to import.
			if err := os.Remove(module.Path("import-by-string-id.tf")); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			runConsole(t, module, string(shown))
		})
	}
}

// TestModules runs the tests of every module.
func TestModules(t *testing.T) {
	for _, tests := range directories(t, func(path string) bool { return strings.HasSuffix(path, ".tftest.hcl") }) {
		name := filepath.Dir(tests)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := acctest.NewModuleIn(t, examples, name)
			module.MustRun("validate")
			if out := module.MustRun("test", "-no-color"); !regexp.MustCompile(`Success! [1-9][0-9]* passed`).MatchString(out) {
				t.Errorf("no test has run:\n%s", out)
			}
		})
	}
}

// TestModuleRefusesStep checks that a module refuses a step that skips a minor, which a
// test of the module itself cannot express.
func TestModuleRefusesStep(t *testing.T) {
	t.Parallel()
	module := acctest.NewModuleIn(t, examples, "modules/eks")
	at := func(version string) []string {
		return []string{"-input=false", "-no-color", "-var", "name=production", "-var", "kubernetes_version=" + version}
	}
	module.MustRun(append([]string{"apply", "-auto-approve"}, at("1.35")...)...)
	out, err := module.Run(append([]string{"plan"}, at("1.37")...)...)
	if err == nil || !acctest.OutputPattern("Error: kube-apiserver cannot go from 1.35 to 1.37 in one step").MatchString(strings.ReplaceAll(out, "│", "")) {
		t.Errorf("the step is not refused: %v\n%s", err, out)
	}
	module.MustRun(append([]string{"plan"}, at("1.36")...)...)
}

// directories lists the directories of examples that contain certain files.
func directories(t *testing.T, holds func(path string) bool) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(examples), ".", func(file string, _ fs.DirEntry, err error) error {
		if file == "guides" || file == "fleet-rings" {
			return fs.SkipDir // They are run by TestGuides and TestFleetRings.
		}
		if directory := path.Dir(file); err == nil && holds(file) && !slices.Contains(found, directory) {
			found = append(found, directory)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("no examples found")
	}
	return found
}

// TestCheckBlock checks that the check block warns of an end of life without failing the
// plan.
func TestCheckBlock(t *testing.T) {
	module := acctest.NewModule(t, filepath.Join(examples, "check-block"))
	out := module.MustRun("plan", "-input=false", "-no-color", "-var", "control_plane_version=1.31.2")
	if !acctest.OutputPattern(`Check block assertion failed ... control_plane_version runs kube-apiserver 1.31.2. Support for 1.31 ended on 2025-11-11.`).MatchString(strings.ReplaceAll(out, "│", "")) {
		t.Errorf("no warning in\n%s", out)
	}
}
