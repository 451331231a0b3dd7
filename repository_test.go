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
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find returns the first group of a pattern in a file.
func find(t *testing.T, name, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(read(t, name))
	if m == nil {
		t.Fatalf("%s has nothing like %s", name, pattern)
	}
	return m[1]
}

// TestReadmeClaims holds the versions that the README promises against what is
// built and tested.
func TestReadmeClaims(t *testing.T) {
	workflow := read(t, ".github/workflows/test.yml")
	for _, product := range []string{"Terraform", "OpenTofu"} {
		oldest := find(t, "README.md", `(?m)^\| `+product+` \| ([0-9.]+) \|`)
		tested := find(t, "README.md", `(?m)^\| `+product+` \| [0-9.]+ \| ([0-9.]+) \|`)
		var matrix []string
		for _, m := range regexp.MustCompile(`product: `+product+`, version: "?([0-9a-z.]+)"?`).FindAllStringSubmatch(workflow, -1) {
			matrix = append(matrix, m[1])
		}
		if len(matrix) == 0 || matrix[0] != oldest || !slices.Contains(matrix, tested) || !slices.Contains(matrix, "latest") {
			t.Errorf("the README promises %s %s and %s, the workflow tests %v", product, oldest, tested, matrix)
		}
	}
	built := find(t, "tools/opentofu/go.mod", `github.com/opentofu/opentofu v([0-9]+\.[0-9]+)\.`)
	if claim := find(t, "README.md", `(?m)^\| OpenTofu \| [0-9.]+ \| ([0-9.]+) \|`); claim != built {
		t.Errorf("the README says OpenTofu %s is tested, the tools module builds %s", claim, built)
	}

	claim := find(t, "README.md", `(?m)^\| Go, to build it \| ([0-9.]+) \|`)
	newest := ""
	for _, module := range modules(t) {
		if needs := find(t, module, `(?m)^go ([0-9]+\.[0-9]+)`); needs > newest {
			newest = needs
		}
	}
	if claim != newest {
		t.Errorf("the README promises Go %s, the modules need %s", claim, newest)
	}
	if !strings.Contains(read(t, ".ci/run"), "make test-opentofu") {
		t.Error("CI does not run the OpenTofu tests")
	}
}

// TestLinks: every file and section that these pages link to is there.
func TestLinks(t *testing.T) {
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"} {
		for _, m := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(read(t, name), -1) {
			file, section, _ := strings.Cut(m[1], "#")
			if _, err := os.Stat(file); err != nil {
				t.Error(fmt.Errorf("%s links to %s: %w", name, m[1], err))
			} else if heading := "(?im)^#+ " + strings.ReplaceAll(section, "-", "[ -]") + "$"; section != "" && !regexp.MustCompile(heading).MatchString(read(t, file)) {
				t.Errorf("%s links to %s, which has no such section", name, m[1])
			}
		}
	}
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
