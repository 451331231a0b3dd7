// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// argumentGroups are the groups of the arguments of a cluster, in the order of the pages.
// Arguments that no group lists come last.
var argumentGroups = []struct {
	heading string
	names   []string
}{
	{"The plan", []string{"target_version", "strategy", "held_node_pools", "max_node_pool_versions"}},
	{"What runs", []string{"control_plane_version", "control_plane", "node_pools", "kube_proxy", "kubectl", "components", "emulated_version", "apiserver_endpoint", "admission_webhooks"}},
	{"Where the step starts, and its order", []string{"observed", "cluster_id", "apply_order"}},
	{"Which rules", []string{"policy", "available_versions", "available_node_versions"}},
	{"How strict", []string{"enforcement_level", "waivers", "as_of"}},
}

// groupArguments arranges the arguments on the pages that take a cluster, which are in
// alphabetical order, and describes nested clusters only once.
func groupArguments(directory string) error {
	for _, page := range []string{"resources/validation.md", "data-sources/evaluation.md", "data-sources/upgrade_plan.md"} {
		file := filepath.Join(directory, filepath.FromSlash(page))
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		grouped, err := groupArgumentsOf(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if err := os.WriteFile(file, []byte(grouped), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var (
	argumentItem  = regexp.MustCompile("(?m)^- `([a-z_]+)` .*\n")
	nestedCluster = regexp.MustCompile("(?s)<a id=\"nestedatt--(observed|next)\"></a>\n.*?(\n<a id=\"nestedatt--[^on][^\"]*\"></a>|\n## |$)")
	writeOnlyLink = regexp.MustCompile(`, \[Write-only\]\([^)]*\)`)
)

func groupArgumentsOf(page string) (string, error) {
	start, end := strings.Index(page, "## Schema\n"), strings.Index(page, "### Read-Only\n")
	if start < 0 || end < start {
		return "", fmt.Errorf("no arguments before the read-only attributes")
	}
	arguments := page[start:end]
	items := map[string]string{}
	var names []string
	for _, m := range argumentItem.FindAllStringSubmatch(arguments, -1) {
		names = append(names, m[1])
		items[m[1]] = m[0]
	}
	var b strings.Builder
	b.WriteString("## Schema\n\n")
	if note := regexp.MustCompile(`(?m)^> .*\n`).FindString(arguments); note != "" {
		b.WriteString(note + "\n")
	}
	write := func(heading string, group []string) {
		group = slices.DeleteFunc(slices.Clone(group), func(name string) bool { return items[name] == "" })
		if len(group) == 0 {
			return
		}
		fmt.Fprintf(&b, "### %s\n\n", heading)
		for _, name := range group {
			item := items[name]
			if strings.Contains(arguments[:strings.Index(arguments, item)], "### Required") && !strings.Contains(arguments[:strings.Index(arguments, item)], "### Optional") {
				item = strings.Replace(item, "(String)", "(String, required)", 1)
			}
			b.WriteString(item)
		}
		b.WriteString("\n")
	}
	for _, g := range argumentGroups {
		write(g.heading, g.names)
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(g.names, name) })
	}
	write("More", names)
	rest := nestedCluster.ReplaceAllStringFunc(page[end:], func(section string) string {
		m := nestedCluster.FindStringSubmatch(section)
		which := "The arguments under [What runs](#what-runs)."
		if m[1] == "next" {
			which = "The versions among the arguments under [What runs](#what-runs), except `components`."
		}
		return fmt.Sprintf("<a id=\"nestedatt--%s\"></a>\n### Nested Schema for `%s`\n\n%s\n\n", m[1], m[1], which) + m[2]
	})
	return page[:start] + writeOnlyLink.ReplaceAllString(b.String()+rest, ", write-only"), nil
}
