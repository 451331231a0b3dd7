// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// minorColumns is the number of minors in the tables on the policy pages.
const minorColumns = 6

// newestMinors returns the newest released minors of the calendar, oldest first.
func newestMinors() []version.Minor {
	all := slices.DeleteFunc(releases.Embedded().Releases(), func(r releases.Release) bool { return r.ReleaseDatePlanned })
	var newest []version.Minor
	for _, r := range all[max(0, len(all)-minorColumns):] {
		newest = append(newest, r.Minor)
	}
	return newest
}

var inclusion = regexp.MustCompile(`(?m)^<!-- include (\S+) -->$`)

// includeFiles replaces each include comment in the guides with the content of its file.
func includeFiles(directory string) error {
	guides, err := filepath.Glob(filepath.Join(directory, "*.md"))
	if err != nil {
		return err
	}
	for _, guide := range guides {
		page, err := os.ReadFile(guide)
		if err != nil {
			return err
		}
		for _, m := range inclusion.FindAllStringSubmatch(string(page), -1) {
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

// writePolicyGuides writes a page for each built-in policy, with its rules and sources, what
// it does not cover, and the allowed versions.
func writePolicyGuides(directory string) error {
	var problems error
	for _, name := range policy.BuiltinNames() {
		problems = errors.Join(problems, writePolicyGuide(directory, name))
	}
	return errors.Join(problems, writeAddonGuide(directory))
}

// writeAddonGuide writes a page with the rules of all add-on packs.
func writeAddonGuide(directory string) error {
	var page strings.Builder
	page.WriteString("---\npage_title: \"Add-on packs\"\nsubcategory: \"Built-in policies\"\ndescription: |-\n  Rules for add-ons such as Karpenter, Istio and Cilium, with their sources.\n---\n\n" +
		"# Add-on packs\n\nTo add the rules of a pack to a policy, [`include` it](own-policy.md#add-ons). Declare the version of the application, not of\n" +
		"a Helm chart with version numbers of its own.\n")
	for _, name := range policy.AddonNames() {
		p, err := policy.Addon(name)
		if err != nil {
			return err
		}
		text := report.PolicyMarkdown(p, evaluation.AllowedTable{})
		text = strings.Replace(text, "## Policy "+name, "## "+name, 1)
		page.WriteString("\n" + text)
	}
	return os.WriteFile(filepath.Join(directory, "addons.md"), []byte(page.String()), 0o644)
}

func writePolicyGuide(directory, name string) error {
	p, err := policy.Builtin(name)
	if err != nil {
		return err
	}
	example, err := os.ReadFile(filepath.Join("examples/policies", name+".tf"))
	if err != nil {
		return fmt.Errorf("the page of policy %s needs an example: %w", name, err)
	}
	// On a separate page, headings are one level higher, and the first section is an
	// example.
	text := strings.ReplaceAll("\n"+report.PolicyMarkdown(p, evaluation.Allowed(p, evaluation.ControlPlanes(p, newestMinors()), p.MovedComponents())), "\n##", "\n#")
	text = strings.Replace(text, "\n## ", fmt.Sprintf("\n## Example Usage\n\n```terraform\n%s\n```\n\n## ", strings.TrimSpace(string(example))), 1)
	page := fmt.Sprintf("---\npage_title: \"Policy %s\"\nsubcategory: \"Built-in policies\"\ndescription: |-\n  Kubernetes version skew rules for %s, with their sources and the allowed versions.\n---\n%s", name, p.Title, text)
	return os.WriteFile(filepath.Join(directory, "policy-"+name+".md"), []byte(page), 0o644)
}

// writePictures draws the pictures in the README and the documentation.
func writePictures(directory string) error {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		return err
	}
	demo, err := terminalSVG("examples/quickstart/console.txt", "A plan that fails")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	all := newestMinors()
	for name, picture := range map[string]string{
		"allowed-versions": allowedVersionsSVG(p, all[len(all)-1]),
		"what-is-checked":  checksSVG(),
		"fleet":            fleetSVG(),
		"demo":             demo,
	} {
		if err := os.WriteFile(filepath.Join(directory, name+".svg"), []byte(picture), 0o644); err != nil {
			return err
		}
	}
	return nil
}
