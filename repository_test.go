package main

import (
	"fmt"
	"os"
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
	for _, module := range []string{"go.mod", "tools/go.mod", "tools/opentofu/go.mod"} {
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

// TestVersion: the version that make install installs is the one the changelog
// begins with.
func TestVersion(t *testing.T) {
	if makefile, changelog := find(t, "GNUmakefile", `(?m)^VERSION := (.+)$`), find(t, "CHANGELOG.md", `(?m)^## ([0-9.]+)`); makefile != changelog {
		t.Errorf("GNUmakefile says %s, CHANGELOG.md %s", makefile, changelog)
	}
}

// TestLinks: every file that the README links to is there.
func TestLinks(t *testing.T) {
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		for _, m := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(read(t, name), -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Error(fmt.Errorf("%s links to %s: %w", name, m[1], err))
			}
		}
	}
}
