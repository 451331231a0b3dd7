// Command pages finishes the documentation: it puts in what a guide includes,
// writes a guide for every built-in policy, with its rules and sources, what it
// does not cover, and the allowed versions, which the engine itself works out,
// and draws those for the README. It is run by make generate, after the guides
// have been made from their templates.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// shown is how many of the newest minors of the calendar a page has a column
// for.
const shown = 8

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: pages DIRECTORY")
	}
	guides, images := filepath.Join(os.Args[1], "guides"), filepath.Join(os.Args[1], "images")
	if err := errors.Join(include(guides), policies(guides), picture(images)); err != nil {
		log.Fatal(err)
	}
}

// minors is the newest of the calendar that are released, oldest first.
func minors() []version.Minor {
	all := slices.DeleteFunc(releases.Embedded().Releases(), func(r releases.Release) bool { return r.ReleaseDatePlanned })
	var newest []version.Minor
	for _, r := range all[max(0, len(all)-shown):] {
		newest = append(newest, r.Minor)
	}
	return newest
}

var included = regexp.MustCompile(`(?m)^<!-- include (\S+) -->$`)

// include puts files into the guides that name them, as they are.
func include(directory string) error {
	guides, err := filepath.Glob(filepath.Join(directory, "*.md"))
	if err != nil {
		return err
	}
	for _, guide := range guides {
		page, err := os.ReadFile(guide)
		if err != nil {
			return err
		}
		for _, m := range included.FindAllStringSubmatch(string(page), -1) {
			content, err := os.ReadFile(m[1])
			if err != nil {
				return err
			}
			page = []byte(strings.Replace(string(page), m[0], strings.TrimSpace(string(content)), 1))
		}
		if err := os.WriteFile(guide, page, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// policies writes a guide for every built-in policy.
func policies(directory string) error {
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			return err
		}
		example, err := os.ReadFile(filepath.Join("examples/policies", name+".tf"))
		if err != nil {
			return err
		}
		// On a page of its own every heading is one level up, and an example
		// comes before the rules.
		text := strings.ReplaceAll("\n"+report.PolicyMarkdown(p, minors()), "\n##", "\n#")
		text = strings.Replace(text, "\n## ", fmt.Sprintf("\n## Example Usage\n\n```terraform\n%s\n```\n\n## ", strings.TrimSpace(string(example))), 1)
		page := fmt.Sprintf("---\npage_title: \"Policy %s\"\nsubcategory: \"Built-in policies\"\ndescription: |-\n  %s: rules, sources and allowed versions.\n---\n%s", name, p.Title, text)
		if err := os.WriteFile(filepath.Join(directory, "policy-"+name+".md"), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// picture draws the allowed versions beside the newest control plane.
func picture(directory string) error {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	all := minors()
	newest := all[len(all)-1]
	return os.WriteFile(filepath.Join(directory, "allowed-versions.svg"), []byte(report.AllowedVersionsSVG(p, newest)), 0o644)
}
