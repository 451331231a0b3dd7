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

var update = flag.Bool("update", false, "rewrite golden files and the files that guides create")

// TestGuides runs the terminal sessions of each guide in a copy of its directory and
// compares the output. "..." in a guide matches any output. A command has to fail if and
// only if the guide shows an error. TestPipelines runs the files for CI services.
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
				return // The guide has nothing to run.
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

// runConsole runs the commands of a terminal session and compares their output. A command
// has to fail if and only if the session shows an error.
func runConsole(t *testing.T, module *acctest.Module, shown string) {
	t.Helper()
	for _, c := range commandsOf(shown) {
		out, err := module.Shell(c.line)
		if failed := err != nil; failed != fails.MatchString(c.output) {
			t.Fatalf("$ %s: %v\n%s", c.line, err, out)
		}
		if !acctest.OutputPattern(c.output).MatchString(out) {
			t.Fatalf("$ %s\n%s\nwant:\n%s", c.line, out, c.output)
		}
	}
}

// fails matches the output of a command that fails.
var fails = regexp.MustCompile(`(?m)^(Error:|Failure!)`)

type command struct {
	line, output string
}

// commandsOf returns the commands of a terminal session with their output.
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

// unchanged checks that the commands of a guide write the same files that the guide
// shows.
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
		got, err := os.ReadFile(module.Path(path))
		if err != nil {
			return err
		}
		switch {
		case bytes.Equal(got, want):
		case *update:
			return os.WriteFile(filepath.Join(directory, path), got, 0o644)
		default:
			t.Errorf("the guide changes %s to the text below. Run go test ./internal/provider -run TestGuides -update to keep it:\n%s", path, got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestImportScript runs every import command in the documentation of the resource.
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

// TestImportBlock checks that the import block in the documentation of the resource works,
// and that the plan checks the step from the imported versions.
func TestImportBlock(t *testing.T) {
	t.Parallel()
	const directory = "../../examples/resources/versionskew_validation"
	module := acctest.NewModule(t, directory)
	out := module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
	if !strings.Contains(out, "1 imported") {
		t.Errorf("the apply imports nothing:\n%s", out)
	}
	tree := t.TempDir()
	if err := os.CopyFS(tree, os.DirFS(directory)); err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(tree, "import-by-string-id.tf"), func(text string) string {
		return strings.ReplaceAll(text, `"1.36"`, `"1.35"`)
	})
	out, err := acctest.NewModule(t, tree).Run("plan", "-input=false", "-no-color")
	if err == nil || !acctest.OutputPattern("kube-apiserver cannot go from 1.35 to 1.37").MatchString(out) {
		t.Errorf("the plan does not refuse the step from the imported versions: %v\n%s", err, out)
	}
}
