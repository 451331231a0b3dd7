// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

var update = flag.Bool("update", false, "write the files that guides make anew")

// TestGuides does what every guide says, in a copy of its directory: what its
// terminals show is typed and read. TestPipelines runs the files of CI services. Dots stand for output that the guide leaves out. A command fails where the
// guide shows an error, and nowhere else.
func TestGuides(t *testing.T) {
	done := map[string]bool{}
	for _, page := range pagesOf(t, guides) {
		directory := guideOf(page)
		if directory == "" {
			continue
		}
		done[filepath.Base(directory)] = true
		t.Run(filepath.Base(directory), func(t *testing.T) {
			blocks := blocksOf(t, page)
			if len(blocks) == 0 {
				return // There is nothing to do in it.
			}
			t.Parallel()
			work := t.TempDir()
			for _, part := range directoriesOf(directory) {
				if err := os.CopyFS(work, os.DirFS(part)); err != nil {
					t.Fatal(err)
				}
			}
			module := acctest.NewModule(t, work)
			for _, b := range blocks {
				if b.language == "console" {
					runConsole(t, module, b.text)
				}
			}
			unchanged(t, directory, module)
		})
	}
	directories, err := os.ReadDir("../../examples/guides")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range directories {
		if !done[d.Name()] {
			t.Errorf("no guide uses examples/guides/%s", d.Name())
		}
	}
}

// runConsole types the commands that a terminal shows, and compares what they
// print. A command fails where an error is shown, and nowhere else.
func runConsole(t *testing.T, module *acctest.Module, shown string) {
	t.Helper()
	for _, c := range commandsOf(shown) {
		out, err := module.Shell(c.line)
		if failed := err != nil; failed != fails.MatchString(c.output) {
			t.Fatalf("$ %s: %v\n%s", c.line, err, out)
		}
		if !acctest.Says(c.output).MatchString(out) {
			t.Fatalf("$ %s\n%s\nis not what is shown:\n%s", c.line, out, c.output)
		}
	}
}

// fails matches what a command shows that fails.
var fails = regexp.MustCompile(`(?m)^(Error:|Failure!)`)

type command struct {
	line, output string
}

// commandsOf reads what is typed in a terminal, and what it answers.
func commandsOf(text string) []command {
	var commands []command
	for line := range strings.Lines(text) {
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			commands = append(commands, command{line: strings.TrimSpace(typed)})
		} else if n := len(commands); n > 0 {
			commands[n-1].output += line
		}
	}
	return commands
}

// unchanged fails if a guide has made another file of one that it ships with:
// what commands write on the way is what the guide shows.
func unchanged(t *testing.T, directory string, module *acctest.Module) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(directory), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		want, err := os.ReadFile(filepath.Join(directory, path))
		if err != nil {
			return err
		}
		got, err := module.ReadFile(path)
		if err != nil {
			return err
		}
		switch {
		case bytes.Equal(got, want):
		case *update:
			return os.WriteFile(filepath.Join(directory, path), got, 0o644)
		default:
			t.Errorf("%s has become this; go test ./internal/provider -run TestGuides -update writes it:\n%s", path, got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestImportScript runs every import that the documentation of the resource shows.
func TestImportScript(t *testing.T) {
	const directory = "../../examples/resources/versionskew_validation"
	script, err := os.ReadFile(filepath.Join(directory, "import.sh"))
	if err != nil {
		t.Fatal(err)
	}
	imports := regexp.MustCompile(`(?m)^terraform import .*$`).FindAllString(string(script), -1)
	if len(imports) == 0 {
		t.Fatal("the script imports nothing")
	}
	module := acctest.NewModule(t, directory)
	for _, line := range imports {
		for _, line := range []string{line, "terraform state rm versionskew_validation.cluster"} {
			if out, err := module.Shell(line); err != nil {
				t.Errorf("$ %s: %v\n%s", line, err, out)
			}
		}
	}
}

// TestImportBlock: the block of the documentation imports, and the plan checks the
// step from what it imports.
func TestImportBlock(t *testing.T) {
	t.Parallel()
	const directory = "../../examples/resources/versionskew_validation"
	module := acctest.NewModule(t, directory)
	out := module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
	if !strings.Contains(out, "1 imported") {
		t.Errorf("nothing is imported:\n%s", out)
	}
	tree := t.TempDir()
	if err := os.CopyFS(tree, os.DirFS(directory)); err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(tree, "import-by-string-id.tf"), func(text string) string {
		return strings.ReplaceAll(text, `"1.36"`, `"1.35"`)
	})
	out, err := acctest.NewModule(t, tree).Run("plan", "-input=false", "-no-color")
	if err == nil || !acctest.Says("kube-apiserver cannot go from 1.35 to 1.37").MatchString(out) {
		t.Errorf("the step from what is imported is not checked: %v\n%s", err, out)
	}
}
