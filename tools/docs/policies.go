// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
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
