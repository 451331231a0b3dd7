// Command pages writes a page of documentation for every built-in policy: its
// rules and sources, what it does not cover, and the allowed versions, which the
// engine itself works out; and the picture of the allowed versions for the
// README. It is run by make generate.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

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
	all := releases.Embedded().Releases()
	var minors []version.Minor
	for _, r := range all[max(0, len(all)-shown):] {
		minors = append(minors, r.Minor)
	}
	guides, images := filepath.Join(os.Args[1], "guides"), filepath.Join(os.Args[1], "images")
	for _, directory := range []string{guides, images} {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			log.Fatal(err)
		}
	}
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			log.Fatal(err)
		}
		page := fmt.Sprintf("---\npage_title: \"Policy %s\"\nsubcategory: \"Built-in policies\"\ndescription: |-\n  %s: rules, sources and allowed versions.\n---\n\n%s",
			name, p.Title, report.PolicyMarkdown(p, minors))
		if err := os.WriteFile(filepath.Join(guides, "policy-"+name+".md"), []byte(page), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		log.Fatal(err)
	}
	picture := report.AllowedVersionsSVG(p, minors[len(minors)-1])
	if err := os.WriteFile(filepath.Join(images, "allowed-versions.svg"), []byte(picture), 0o644); err != nil {
		log.Fatal(err)
	}
}
