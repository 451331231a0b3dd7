package provider_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// TestExamples takes every example through its life as it stands, with the built
// provider: applied, unchanged, and destroyed.
func TestExamples(t *testing.T) {
	var directories []string
	err := filepath.WalkDir("../../examples", func(path string, _ fs.DirEntry, err error) error {
		if path == "../../examples/guides" {
			return fs.SkipDir // They are run by TestGuides.
		}
		if directory := filepath.Dir(path); err == nil && filepath.Ext(path) == ".tf" && !slices.Contains(directories, directory) {
			directories = append(directories, directory)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(directories) == 0 {
		t.Fatal("no examples found")
	}
	for _, directory := range directories {
		name, err := filepath.Rel("../../examples", directory)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := acctest.NewModule(t, directory)
			module.MustRun("validate")
			module.MustRun("apply", "-auto-approve", "-input=false")
			if name != "self-stepping" { // which has a next step: see TestSelfStepping
				module.MustRun("plan", "-detailed-exitcode", "-input=false") // fails on any change
			}
			module.MustRun("destroy", "-auto-approve", "-input=false")
		})
	}
}

// TestCheckBlock: the check warns of an end of life, and stops nothing.
func TestCheckBlock(t *testing.T) {
	module := acctest.NewModule(t, "../../examples/check-block")
	out := module.MustRun("plan", "-input=false", "-no-color", "-var", "control_plane_version=1.31.2")
	if !acctest.Says(`Check block assertion failed ... control_plane_version runs kube-apiserver 1.31.2, which was in support until 2025-11-11.`).MatchString(strings.ReplaceAll(out, "│", "")) {
		t.Errorf("no warning in\n%s", out)
	}
}
