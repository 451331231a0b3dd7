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

// block is a code block of a page.
type block struct {
	language, text string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)\n```$")

// blocksOf returns the code blocks of a page in order.
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
		t.Fatalf("%s has %d code fences, but %d code blocks with a language", page, got, len(blocks))
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

// guideOf returns the directory with the files of a guide, or "" if the page is not a
// guide.
func guideOf(page string) string {
	if name := filepath.Base(page); filepath.Dir(page) == guides && !strings.HasPrefix(name, "policy-") {
		return filepath.Join("../../examples/guides", strings.TrimSuffix(name, ".md"))
	}
	return ""
}

// directoriesOf lists the directories with the files of a guide: its own, and the example
// module that it is about, if there is one.
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

// TestDocs checks that everything the documentation shows is executed. Configuration,
// data and workflows are files in examples, which TestExamples, TestGuides and
// TestImportScript run unchanged. TestGuides runs terminal sessions.
func TestDocs(t *testing.T) {
	shown := map[string]bool{}
	for _, page := range pagesOf(t, "../../docs") {
		// A guide has to show the files of its own directory, because those are run.
		directories := []string{"../../examples"}
		if guide := guideOf(page); guide != "" {
			directories = directoriesOf(guide)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`!\[[^]]*\]\(.*/main/(examples/.*)\)`).FindAllStringSubmatch(string(text), -1) {
			shown[filepath.Join("../..", m[1])] = true
		}
		for _, b := range blocksOf(t, page) {
			switch b.language {
			case "terraform", "hcl", "json", "yaml", "jq", "shell":
				file := fileWith(t, directories, b.text)
				if file == "" {
					t.Errorf("%s shows text that no file in %v contains:\n%s", page, directories, b.text)
				}
				shown[file] = true
			case "console":
				// TestGuides runs those of guides, TestConsoles those in files of examples.
				if guideOf(page) == "" && fileWith(t, directories, b.text) == "" {
					t.Errorf("%s shows a terminal session that no test runs:\n%s", page, b.text)
				}
			case "mermaid": // from a file that TestGuides writes
				if !slices.ContainsFunc(included(t), func(file string) bool { return slices.Contains(blocksOf(t, file), b) }) {
					t.Errorf("%s shows a diagram that no command prints:\n%s", page, b.text)
				}
			case "text": // The signature of a function.
			default:
				t.Errorf("%s has a %s block that no test runs:\n%s", page, b.language, b.text)
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
	// TestReadme runs the configuration and plan in the README.
	readme := map[string]int{}
	for _, b := range blocksOf(t, "../../README.md") {
		readme[b.language]++
	}
	if readme["hcl"] != 1 || readme["text"] != 1 || readme["terraform"] != 0 || readme["console"] != 0 {
		t.Errorf("the README has code blocks that no test runs: %v", readme)
	}
	// Every file of a guide has to be shown.
	err := filepath.WalkDir("../../examples/guides", func(path string, entry fs.DirEntry, err error) error {
		// Both CLIs load terraform.tfvars automatically.
		if err == nil && !entry.IsDir() && !shown[path] && !slices.Contains(included(t), path) && entry.Name() != "terraform.tfvars" {
			t.Errorf("no guide shows %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDocsSayItOnce checks that no paragraph and no item of a list is on two pages, or
// twice on a page. It leaves out short ones, code, tables, the arguments in generated
// schemas, and reports that commands of guides print.
func TestDocsSayItOnce(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```")
	paragraph := regexp.MustCompile(`\n\s*\n|\n(?:\s*- |[0-9]+\. )`)
	argument := regexp.MustCompile("^(?:[0-9]+\\. )?`[a-z_]+` \\(")
	printed := ""
	for _, file := range included(t) {
		if filepath.Ext(file) == ".md" {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			printed += string(text)
		}
	}
	pageWith := map[string]string{}
	for _, page := range append(pagesOf(t, "../../docs"), "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paragraph.Split(code.ReplaceAllString(string(text), ""), -1) {
			p = strings.TrimPrefix(strings.TrimSpace(p), "- ")
			words := strings.Fields(p)
			if len(words) <= 25 || strings.HasPrefix(p, "|") || argument.MatchString(p) || strings.Contains(printed, p) {
				continue
			}
			key := strings.Join(words, " ")
			if other := pageWith[key]; other != "" {
				t.Errorf("%s and %s contain the same paragraph:\n%s", other, page, p)
			}
			pageWith[key] = page
		}
	}
}

// fileWith returns the file in directories that consists of a text, or "".
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

// included lists the files that guides include.
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

const (
	registryDocs = "https://registry.terraform.io/providers/versionskew/versionskew/latest/docs/"
	repository   = "https://github.com/versionskew/terraform-provider-versionskew/"
)

// TestDocLinks checks that every link to a page of the documentation works as the
// registries serve it. The Terraform registry serves index.md without a trailing slash.
// OpenTofu's registry has other names of directories, and only strips the extension from
// links within a directory. So only these are relative, outside of index.md.
func TestDocLinks(t *testing.T) {
	for _, page := range pagesOf(t, "../../docs") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^()]+)\)`).FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			address, section, _ := strings.Cut(m[1], "#")
			target := ""
			switch inRegistry, isPage := strings.CutPrefix(address, registryDocs); {
			case address == "":
				target = page
			case isPage:
				target = filepath.Join("../../docs", inRegistry+".md")
			case strings.HasPrefix(address, repository):
				file := regexp.MustCompile(`^(tree|blob)/main/`).ReplaceAllString(strings.TrimPrefix(address, repository), "../../")
				if _, err := os.Stat(file); err != nil {
					t.Errorf("%s links to %s: %v", page, address, err)
				}
				continue
			case strings.Contains(address, "://"):
				continue
			case filepath.Base(page) == "index.md", strings.Contains(address, "/"), !strings.HasSuffix(address, ".md"):
				t.Errorf("%s links to %s, which a registry does not find: use make generate", page, address)
				continue
			default:
				target = filepath.Join(filepath.Dir(page), address)
			}
			linked, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s links to %s: %v", page, address, err)
			} else if section != "" && !slices.Contains(sectionsOf(linked), section) {
				t.Errorf("%s links to %s, but %s has no section %q", page, m[1], target, section)
			}
		}
	}
}

// sectionsOf lists the anchors of a page: those of its headings, and those that it sets.
func sectionsOf(page []byte) (anchors []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllSubmatch(page, -1) {
		heading := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(string(m[1])), "")
		anchors = append(anchors, strings.ReplaceAll(heading, " ", "-"))
	}
	for _, m := range regexp.MustCompile(`<a id="([^"]+)"`).FindAllSubmatch(page, -1) {
		anchors = append(anchors, string(m[1]))
	}
	return anchors
}

// cellOfPolicy matches a cell of a table of allowed versions: a range, which may have
// exceptions.
var cellOfPolicy = regexp.MustCompile(`^(any|none|[0-9]|any .*)`)

// TestPolicyPages checks that the page of each built-in policy lists the allowed versions
// of every component that users of the platform upgrade, for each of the newest
// control-plane minors.
func TestPolicyPages(t *testing.T) {
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(guides, "policy-"+name+".md"))
		if err != nil {
			t.Errorf("the page of %s is missing: run make generate: %v", name, err)
			continue
		}
		header := regexp.MustCompile(`(?m)^\| Control plane \| (.*) \|$`).FindSubmatch(page)
		if header == nil {
			t.Errorf("the page of %s has no table of allowed versions", name)
			continue
		}
		columns := strings.Split(strings.ReplaceAll(string(header[1]), "another ", ""), " | ")
		components := strings.Split(strings.Join(columns, ", "), ", ")
		if slices.Sort(components); !slices.Equal(components, p.MovedComponents()) {
			t.Errorf("the page of %s has columns %v, want %v", name, columns, p.MovedComponents())
		}
		all := slices.DeleteFunc(releases.Embedded().Releases(), func(r releases.Release) bool { return r.ReleaseDatePlanned })
		for _, release := range all[len(all)-4:] { // At most four minors are supported.
			row := regexp.MustCompile(`(?m)^\| (?:[0-9.]+ \()?` + regexp.QuoteMeta(release.Minor.String()) + `\)? \| (.*) \|$`).FindSubmatch(page)
			if row == nil {
				t.Errorf("the page of %s has no row for %s", name, release.Minor)
				continue
			}
			cells := strings.Split(string(row[1]), " | ")
			if len(cells) != len(columns) || slices.ContainsFunc(cells, func(c string) bool { return !cellOfPolicy.MatchString(c) }) {
				t.Errorf("the page of %s has cells %v for %s", name, cells, release.Minor)
			}
		}
	}
}

// TestTroubleshooting checks that the page has an entry for each built-in rule.
func TestTroubleshooting(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(guides, "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	anchors := sectionsOf(page)
	check := func(p *policy.Policy, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range p.RuleIDs() {
			if n := len(slices.DeleteFunc(slices.Clone(anchors), func(a string) bool { return a != id })); n != 1 {
				t.Errorf("the page has %d entries for %s of %s, want 1", n, id, p.Name)
			}
		}
	}
	for _, name := range policy.BuiltinNames() {
		check(policy.Builtin(name))
	}
	for _, name := range policy.AddonNames() {
		check(policy.Addon(name))
	}
}
