// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"sigs.k8s.io/yaml"
)

// block is a piece of code on a page.
type block struct {
	language, text string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)\n```$")

// blocksOf reads the blocks of a page, in their order.
func blocksOf(t *testing.T, page string) []block {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	if got := strings.Count("\n"+string(text), "\n```"); got != 2*len(blocks) {
		t.Fatalf("%s has %d fences, but %d blocks that name their language", page, got, len(blocks))
	}
	return blocks
}

// pagesOf lists the Markdown files below a directory.
func pagesOf(t *testing.T, directory string) []string {
	t.Helper()
	var pages []string
	err := filepath.WalkDir(directory, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

const guides = "../../docs/guides"

// guideOf is the directory of what a guide shows, or "" if the page is none.
func guideOf(page string) string {
	if name := filepath.Base(page); filepath.Dir(page) == guides && !strings.HasPrefix(name, "policy-") {
		return filepath.Join("../../examples/guides", strings.TrimSuffix(name, ".md"))
	}
	return ""
}

// directoriesOf lists where the files of a guide are: the example module that it
// is about, if there is one, and what it does with it.
func directoriesOf(guide string) []string {
	module := filepath.Base(guide)
	if module == "kubeadm" {
		module = "kubeadm-ha"
	}
	module = filepath.Join("../../examples/modules", module)
	if _, err := os.Stat(module); err != nil {
		return []string{guide}
	}
	return []string{module, guide}
}

// TestDocs: what the documentation shows is what is executed. Configuration,
// data and workflows are files below examples, which TestExamples, TestGuides
// and TestImportScript run as they stand; what a terminal shows is run by TestGuides.
func TestDocs(t *testing.T) {
	shown := map[string]bool{}
	for _, page := range pagesOf(t, "../../docs") {
		// A guide shows the files of its own directory, for those are run.
		directories := []string{"../../examples"}
		if guide := guideOf(page); guide != "" {
			directories = directoriesOf(guide)
		}
		for _, b := range blocksOf(t, page) {
			switch b.language {
			case "terraform", "hcl", "json", "yaml", "jq", "shell":
				file := fileWith(t, directories, b.text)
				if file == "" {
					t.Errorf("%s shows this, which is no file in %v:\n%s", page, directories, b.text)
				}
				shown[file] = true
			case "console":
				// TestGuides runs those of a guide, TestConsoles the files beside examples.
				if guideOf(page) == "" && fileWith(t, directories, b.text) == "" {
					t.Errorf("%s shows a terminal, and nothing runs it:\n%s", page, b.text)
				}
			case "mermaid": // as the engine has drawn it, in a page that TestGuides writes
				if !slices.ContainsFunc(included(t), func(file string) bool { return slices.Contains(blocksOf(t, file), b) }) {
					t.Errorf("%s shows a diagram that no command has printed:\n%s", page, b.text)
				}
			case "text": // the signature of a function
			default:
				t.Errorf("%s has a block of %s, and nothing runs it:\n%s", page, b.language, b.text)
			}
			var err error
			switch b.language {
			case "json":
				err = json.Unmarshal([]byte(b.text), new(any))
			case "yaml":
				err = yaml.UnmarshalStrict([]byte(b.text), new(any))
			}
			if err != nil {
				t.Errorf("%s shows invalid %s: %v", page, b.language, err)
			}
		}
	}
	// The README shows a configuration and its plan, which TestReadme runs, and
	// the demo, which TestDemo does.
	readme := map[string]int{}
	for _, b := range blocksOf(t, "../../README.md") {
		readme[b.language]++
	}
	if readme["hcl"] != 1 || readme["text"] != 1 || readme["terraform"] != 0 || readme["console"] != 1 {
		t.Errorf("the README has blocks that nothing runs: %v", readme)
	}
	// And nothing is kept for a guide that it does not show.
	err := filepath.WalkDir("../../examples/guides", func(path string, entry fs.DirEntry, err error) error {
		// Both CLIs load terraform.tfvars without being told.
		if err == nil && !entry.IsDir() && !shown[path] && !slices.Contains(included(t), path) && entry.Name() != "terraform.tfvars" {
			t.Errorf("no guide shows %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fileWith finds the file below directories that holds a text and nothing else.
func fileWith(t *testing.T, directories []string, text string) (file string) {
	t.Helper()
	for _, directory := range directories {
		if file = fileBelow(t, directory, text); file != "" {
			break
		}
	}
	return file
}

func fileBelow(t *testing.T, directory, text string) (file string) {
	t.Helper()
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file != "" {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.TrimSpace(string(content)) == text {
			file = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// included lists the files that guides take in as they are.
func included(t *testing.T) []string {
	t.Helper()
	templates, err := filepath.Glob("../../templates/guides/*.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, template := range templates {
		text, err := os.ReadFile(template)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^<!-- include (\S+) -->$`).FindAllSubmatch(text, -1) {
			files = append(files, filepath.Join("../..", string(m[1])))
		}
	}
	return files
}

// TestDocLinks: every page that a page links to is there.
func TestDocLinks(t *testing.T) {
	for _, page := range pagesOf(t, "../../docs") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^):#]+\.md)(#[^)]*)?\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

// cellOfPolicy matches what a table says of a component: a range, perhaps with
// exceptions.
var cellOfPolicy = regexp.MustCompile(`^(any|none|[0-9]|any .*)`)

// TestPolicyPages checks that the page of each built-in policy has a row for each of
// the newest control planes, and in it the allowed versions of each component that
// users of the platform move.
func TestPolicyPages(t *testing.T) {
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(guides, "policy-"+name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		header := regexp.MustCompile(`(?m)^\| Control plane \| (.*) \|$`).FindSubmatch(page)
		if header == nil {
			t.Errorf("the page of %s has no table of allowed versions", name)
			continue
		}
		columns := strings.Split(strings.ReplaceAll(string(header[1]), "another ", ""), " | ")
		if !slices.Equal(columns, p.MovedComponents()) {
			t.Errorf("the page of %s has columns %v, want %v", name, columns, p.MovedComponents())
		}
		all := slices.DeleteFunc(releases.Embedded().Releases(), func(r releases.Release) bool { return r.ReleaseDatePlanned })
		for _, release := range all[len(all)-4:] { // No more than that are in support.
			row := regexp.MustCompile(`(?m)^\| (?:[0-9.]+ \()?` + regexp.QuoteMeta(release.Minor.String()) + `\)? \| (.*) \|$`).FindSubmatch(page)
			if row == nil {
				t.Errorf("the page of %s leaves out %s", name, release.Minor)
				continue
			}
			cells := strings.Split(string(row[1]), " | ")
			if len(cells) != len(columns) || slices.ContainsFunc(cells, func(c string) bool { return !cellOfPolicy.MatchString(c) }) {
				t.Errorf("the page of %s says %v beside %s", name, cells, release.Minor)
			}
		}
	}
}
