// SPDX-License-Identifier: MPL-2.0

package standin_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	goversion "github.com/hashicorp/go-version"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
)

// declaration matches the start of a resource or data block.
var declaration = regexp.MustCompile(`(?m)^\s*(resource|data) "([a-z0-9_]+)" "`)

// usedTypes returns the resource types and data sources of other providers that examples
// and pages use. The names of data sources start with "data.".
func usedTypes(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	for _, tree := range []string{"../../../examples", "../../../templates"} {
		err := fs.WalkDir(os.DirFS(tree), ".", func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".tf", ".hcl", ".tmpl"}, path.Ext(file)) {
				return err
			}
			text, err := fs.ReadFile(os.DirFS(tree), file)
			for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
				provider, _, _ := strings.Cut(m[2], "_")
				if !slices.Contains([]string{"versionskew", "terraform"}, provider) {
					used[strings.TrimPrefix(m[1]+"."+m[2], "resource.")] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return used
}

// requirement matches an entry of required_providers.
var requirement = regexp.MustCompile(`(?m)^\s*source\s*=\s*"([\w-]+/[\w-]+)"\n(?:\s*version\s*=\s*"([^"]+)"\n)?`)

// TestProviderVersions checks that every example requires the provider versions that it
// was tried with, and that the guide lists them.
func TestProviderVersions(t *testing.T) {
	guide, err := os.ReadFile("../../../templates/guides/wiring.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	excerpts := standin.Excerpts()
	required := map[string]string{}
	err = fs.WalkDir(os.DirFS("../../../examples"), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(file) != ".tf" {
			return err
		}
		text, err := fs.ReadFile(os.DirFS("../../../examples"), file)
		for _, m := range requirement.FindAllStringSubmatch(string(text), -1) {
			address, constraint := strings.ToLower(m[1]), m[2]
			if address == "versionskew/versionskew" {
				continue
			}
			if other, ok := required[address]; ok && other != constraint {
				t.Errorf("%s requires %s %s, but another example %s", file, address, constraint, other)
			}
			required[address] = constraint
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for address, constraint := range required {
		tried := standin.Version(address)
		v := goversion.Must(goversion.NewVersion(tried))
		c, err := goversion.NewConstraint(constraint)
		switch {
		case err != nil:
			t.Errorf("%s: invalid version %q: %v", address, constraint, err)
		case !c.Check(v):
			t.Errorf("%s: %s excludes %s", address, constraint, v)
		case v.Prerelease() == "" && !strings.Contains(constraint, "<"):
			t.Errorf("%s: %s has no upper limit", address, constraint)
		}
		row := fmt.Sprintf("| `%s` | `%s` | %s", address, constraint, excerpts[address].Version)
		if !strings.Contains(string(guide), row) {
			t.Errorf("the guide does not contain %q", row)
		}
	}
	if rows := strings.Count(string(guide), "| 2026-"); rows != len(required) {
		t.Errorf("the guide lists %d providers, but the examples require %d", rows, len(required))
	}
}

// names returns the names of resource types and data sources.
func names(s standin.Schemas) map[string]bool {
	all := map[string]bool{}
	for name := range s.Resources {
		all[name] = true
	}
	for name := range s.DataSources {
		all["data."+name] = true
	}
	return all
}

// TestUncheckedTypes checks that the list of types without a schema of the real provider
// is correct: an example uses each of them, no excerpt contains them, and no other type
// is missing.
func TestUncheckedTypes(t *testing.T) {
	excerpts := standin.Excerpts()
	checked := map[string]bool{}
	for _, e := range excerpts {
		maps.Copy(checked, names(e.Schemas))
	}
	byHand := standin.Unchecked()
	unchecked := map[string]bool{}
	for address, s := range byHand {
		maps.Copy(unchecked, names(s))
		if s.Configuration != nil && excerpts[address].Configuration != nil {
			t.Errorf("unchecked.yaml contains the configuration of %s, which its excerpt contains, too", address)
		}
	}
	used := usedTypes(t)
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !checked[name] && !unchecked[name] {
			t.Errorf("an example uses %s: add it to its excerpt with make excerpts, or to unchecked.yaml", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unchecked)) {
		switch {
		case checked[name]:
			t.Errorf("unchecked.yaml contains %s, which is in an excerpt: remove it", name)
		case !used[name]:
			t.Errorf("unchecked.yaml contains %s, which no example uses: remove it", name)
		}
	}
}
