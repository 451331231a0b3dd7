// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// policyTable returns a table of all built-in policies, with links to their pages in a
// directory. Its limits are those of the newest minor.
func policyTable(directory string) (string, error) {
	names := policy.BuiltinNames()
	slices.SortStableFunc(names, func(a, b string) int {
		switch policy.Default {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	var b strings.Builder
	b.WriteString("| Policy | Platform | Nodes behind the control plane | Rollback |\n| --- | --- | --- | --- |\n")
	minors := newestMinors()
	newest := minors[len(minors)-1]
	for _, name := range names {
		p, err := policy.Builtin(name)
		if err != nil {
			return "", err
		}
		behind := "any"
		if w := evaluation.AllowedWith(p, "kubelet", newest.Version()); w.Empty {
			behind = "none"
		} else if w.Minimum != nil {
			n, _ := newest.Skew(*w.Minimum)
			behind = fmt.Sprint(n)
		}
		back := "any"
		for _, r := range p.StepRules {
			if r.Component == skew.APIServer {
				switch {
				case r.MaxDowngrade == nil:
				case *r.MaxDowngrade == 0:
					back = "no"
				default:
					back = fmt.Sprint(*r.MaxDowngrade)
				}
			}
		}
		fmt.Fprintf(&b, "| [%s](%spolicy-%s.md) | %s | %s | %s |\n", name, directory, name, p.Title, behind, back)
	}
	return strings.TrimSpace(b.String()), nil
}

// ruleList lists the rules that a page does not explain itself, with anchors, by the pages
// of their policies and add-on packs.
func ruleList(page string) (string, error) {
	var b strings.Builder
	listed := map[string]bool{}
	add := func(p *policy.Policy, link string) {
		ids := slices.DeleteFunc(p.RuleIDs(), func(id string) bool {
			return listed[id] || p.Inherits(id) || strings.Contains(page, "\n### "+id+"\n")
		})
		if len(ids) == 0 {
			return
		}
		slices.SortFunc(ids, func(a, b string) int { return strings.Compare(padded(a), padded(b)) })
		for i, id := range ids {
			listed[id] = true
			ids[i] = fmt.Sprintf("<a id=\"%s\"></a>`%s`", id, id)
		}
		fmt.Fprintf(&b, "- %s: %s\n", link, strings.Join(ids, ", "))
	}
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			return "", err
		}
		add(p, fmt.Sprintf("[%s](policy-%s.md)", name, name))
	}
	for _, name := range policy.AddonNames() {
		p, err := policy.Addon(name)
		if err != nil {
			return "", err
		}
		add(p, fmt.Sprintf("[%s](addons.md)", name))
	}
	return strings.TrimSpace(b.String()), nil
}

// padded returns an ID with leading zeros, so that 1-9 comes before 1-10.
func padded(id string) string {
	return regexp.MustCompile(`[0-9]+`).ReplaceAllStringFunc(id, func(n string) string { return fmt.Sprintf("%4s", n) })
}
