// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// readmeBlock returns the first block of a language in the README.
func readmeBlock(t *testing.T, language string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(readme)
	if m == nil {
		t.Fatalf("the README has no %s block", language)
	}
	return string(m[1])
}

// TestDemo checks that make demo prints what the picture in the README shows below the
// command.
func TestDemo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the demo is a shell script")
	}
	t.Parallel()
	out, err := acctest.Demo(t).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, shown, _ := strings.Cut(read(t, "../../examples/quickstart/console.txt"), "\n")
	if !acctest.OutputPattern(shown).Match(out) {
		t.Errorf("the README shows\n%s\nbut the demo prints\n%s", shown, out)
	}
}

// TestReadme checks that the first example of the README, added to a cluster, fails with the
// error that it shows, wrapped as in a terminal of 80 columns.
func TestReadme(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	if err := os.CopyFS(tree, os.DirFS("testdata/readme")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "main.tf"), []byte(readmeBlock(t, "hcl")), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := acctest.NewModule(t, tree).Shell("terraform plan -input=false -no-color")
	shown := readmeBlock(t, "text")
	if err == nil || !acctest.OutputPattern(shown).MatchString(out) {
		t.Errorf("the README shows\n%s\nbut the plan prints\n%s", shown, out)
	}
	for line := range strings.Lines(shown) {
		if len(strings.TrimSpace(line)) > 78 {
			t.Errorf("a line of the README is wider than a terminal: %s", line)
		}
	}
}
