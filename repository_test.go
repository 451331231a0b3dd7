// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find returns the first capture group of a pattern in a file.
func find(t *testing.T, name, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(read(t, name))
	if m == nil {
		t.Fatalf("nothing in %s matches %s", name, pattern)
	}
	return m[1]
}

// TestReadmeVersions compares the CLI versions that the README lists with those that CI
// builds and tests.
func TestReadmeVersions(t *testing.T) {
	workflow := read(t, ".github/workflows/test.yml")
	for _, product := range []string{"Terraform", "OpenTofu"} {
		oldest := find(t, "README.md", `(?m)^\| `+product+` \| ([0-9.]+) \|`)
		newest := find(t, "README.md", `(?m)^\| `+product+` \| [0-9.]+ \| ([0-9.]+) \|`)
		var matrix []string
		for _, m := range regexp.MustCompile(`product: `+product+`, version: "?([0-9a-z.]+)"?`).FindAllStringSubmatch(workflow, -1) {
			matrix = append(matrix, m[1])
		}
		if len(matrix) == 0 || matrix[0] != oldest || matrix[len(matrix)-1] != newest {
			t.Errorf("the README lists %s %s to %s, but the workflow tests %v", product, oldest, newest, matrix)
		}
	}
	built := find(t, "tools/opentofu/go.mod", `github.com/opentofu/opentofu v([0-9]+\.[0-9]+)\.`)
	if listed := find(t, "README.md", `(?m)^\| OpenTofu \| [0-9.]+ \| ([0-9.]+) \|`); listed != built {
		t.Errorf("the README lists OpenTofu %s as the newest, but tools/opentofu builds %s", listed, built)
	}
	if !strings.Contains(read(t, ".ci/run"), "make test-opentofu") {
		t.Error(".ci/run does not run the OpenTofu tests")
	}
}

// TestGoVersion checks that the README, the modules and the workflows name the same Go
// version. CI installs only the version in go.mod, so a module that required a newer
// one would not build there.
func TestGoVersion(t *testing.T) {
	want := find(t, "go.mod", `(?m)^go ([0-9.]+)$`)
	for _, pattern := range []string{`(?m)^\| Go, to build it \| ([0-9.]+) \|`, `(?m)^\| Go, to build it \| [0-9.]+ \| ([0-9.]+) \|`} {
		if listed := find(t, "README.md", pattern); listed != want {
			t.Errorf("the README names Go %s, but go.mod %s", listed, want)
		}
	}
	for _, module := range modules(t) {
		if required := find(t, module, `(?m)^go (\S+)$`); required != want {
			t.Errorf("%s requires Go %s, but go.mod %s", module, required, want)
		}
		if strings.Contains(read(t, module), "\ntoolchain ") {
			t.Errorf("%s has a toolchain line", module)
		}
	}
	for _, workflow := range workflows(t) {
		text := read(t, workflow)
		if setups, fromModule := strings.Count(text, "actions/setup-go@"), strings.Count(text, "go-version-file: go.mod\n"); setups != fromModule || regexp.MustCompile(`go-version:`).MatchString(text) {
			t.Errorf("%s sets up Go %d times, but takes the version from go.mod %d times", workflow, setups, fromModule)
		}
	}
}

// TestMakeTargets checks that the Makefile has every target that the workflows, .ci/run
// and the documents for contributors mention.
func TestMakeTargets(t *testing.T) {
	makefile := read(t, "GNUmakefile")
	for _, name := range append(workflows(t), ".ci/run", "CONTRIBUTING.md", "DESIGN.md", "README.md", "SECURITY.md") {
		for _, m := range regexp.MustCompile(`(?m)(?:^\s*|`+"`"+`|run: |\()make((?: -s)?(?: [a-z][\w/-]*)+)`).FindAllStringSubmatch(read(t, name), -1) {
			for _, target := range strings.Fields(m[1]) {
				if target != "-s" && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(target)+`:`).MatchString(makefile) {
					t.Errorf("%s mentions make %s, but the Makefile has no such target", name, target)
				}
			}
		}
	}
}

// workflows lists the workflows of the repository.
func workflows(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal("no workflows", err)
	}
	return files
}

// TestLinks checks that the files and sections that these pages link to exist.
func TestLinks(t *testing.T) {
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "DESIGN.md", "SECURITY.md", "CODE_OF_CONDUCT.md"} {
		for _, m := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(read(t, name), -1) {
			file, section, _ := strings.Cut(m[1], "#")
			if file == "" {
				file = name
			}
			if _, err := os.Stat(file); err != nil {
				t.Error(fmt.Errorf("%s links to %s: %w", name, m[1], err))
			} else if heading := "(?im)^#+ " + strings.ReplaceAll(section, "-", ",?[ -]") + "$"; section != "" && !regexp.MustCompile(heading).MatchString(read(t, file)) {
				t.Errorf("%s links to %s, but that section does not exist", name, m[1])
			}
		}
	}
}

// TestPolicyLists checks that each built-in policy has an example and is in all lists of
// policies, and that each add-on pack is in the list of packs.
func TestPolicyLists(t *testing.T) {
	for _, name := range policy.BuiltinNames() {
		if example := "examples/policies/" + name + ".tf"; !exists(example) {
			t.Errorf("%s does not exist: add an example of the policy %s", example, name)
		}
		for page, link := range map[string]string{"README.md": "docs/guides/policy-%s.md", "docs/index.md": "https://registry.terraform.io/providers/versionskew/versionskew/latest/docs/guides/policy-%s"} {
			if link = fmt.Sprintf("| [%s]("+link+") |", name, name); !strings.Contains(read(t, page), link) {
				t.Errorf("%s does not list the policy %s: run make generate", page, name)
			}
		}
	}
	const guide = "templates/guides/own-policy.md.tmpl"
	for _, name := range policy.AddonNames() {
		if !strings.Contains(read(t, guide), "\n| `"+name+"` |") {
			t.Errorf("%s does not list the add-on pack %s", guide, name)
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// modules lists the go.mod files of the repository.
func modules(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains([]string{".git", "bin", "dist"}, path) && entry.IsDir():
			return fs.SkipDir
		case entry.Name() == "go.mod":
			found = append(found, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestLicenseHeaders checks that every Go file and every script starts with the SPDX
// license identifier.
func TestLicenseHeaders(t *testing.T) {
	const header = "SPDX-License-Identifier: MPL-2.0"
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "dist"}, path):
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains([]string{".go", ".sh"}, filepath.Ext(path)) || strings.HasPrefix(path, "examples"):
			return nil
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(read(t, path), "#!/bin/sh\n"), "\n")
		if !strings.HasSuffix(first, header) {
			t.Errorf("%s does not start with %s", path, header)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
