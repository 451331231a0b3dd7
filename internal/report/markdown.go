// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Markdown formats a result as a page: the verdict, the findings and their remedies,
// the allowed versions, the next control-plane version and the upgrade order.
func Markdown(r evaluation.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Version skew: %s\n\n", Verdict(r))
	fmt.Fprintf(&b, "Checked against the policy %s.\n", link(r.Policy.Name, r.Policy.Source))

	if problems := r.Problems; len(problems) > 0 {
		b.WriteString("\n### Findings\n\n")
		table(&b, []string{"Severity", "Finding", "Details", "What to do", "Rule"}, len(problems), func(i int) []string {
			f, d := problems[i].Findings[0], DescribeProblem(problems[i])
			severity := string(f.Severity)
			if f.WaivedBy != nil {
				severity = "waived " + severity
				d.Message = sentences(d.Message, waiverSentence(f.WaivedBy))
			}
			return []string{severity, cell(d.Summary), cell(d.Message), cell(d.Remedy), ruleLinks(problems[i])}
		})
	}

	b.WriteString("\n### Allowed versions\n\nThe versions that each component may have if all others stay unchanged.\n\n")
	components, versions := slices.Sorted(maps.Keys(r.Allowed)), declaredVersions(r.Cluster)
	table(&b, []string{"Component", "Declared", "Allowed"}, len(components), func(i int) []string {
		return []string{cell(components[i]), cell(orElse(list(stringsOf(versions[components[i]])), func() string { return "-" })), Window(r.Allowed[components[i]])}
	})

	if r.Next != nil {
		fmt.Fprintf(&b, "\n### Next control-plane version: %s\n\n", r.Next.Version.Shown())
		if len(r.Next.Blockers) == 0 {
			b.WriteString("The control plane can be upgraded to this version now.\n")
		}
		for _, line := range Blockers(r.Next.Blockers) {
			fmt.Fprintf(&b, "- %s\n", text(line))
		}
	}

	if len(r.Order) > 0 {
		b.WriteString("\n### Upgrade order\n\n")
		table(&b, []string{"Stage", "Component", "Where", "From", "To", "Notes"}, len(r.Order), func(i int) []string {
			m := r.Order[i]
			return []string{fmt.Sprint(m.Stage), cell(m.Component), cell(Locations(m.Locations)), orDash(m.From), orDash(m.To), cell(strings.Join(MoveNotes(m), " "))}
		})
	}
	return b.String()
}

// Verdict summarizes a result in a few words.
func Verdict(r evaluation.Result) string {
	unwaived, waived := r.Count()
	s := "supported"
	if !r.Supported() {
		s = "not supported"
	}
	var parts []string
	for _, severity := range []policy.Severity{policy.SeverityError, policy.SeverityWarning} {
		if n := unwaived[severity]; n > 0 {
			parts = append(parts, count(n, string(severity)))
		}
	}
	if waived > 0 {
		parts = append(parts, fmt.Sprintf("%d waived", waived))
	}
	if len(parts) > 0 {
		s += ", " + list(parts)
	}
	return s
}

// declaredVersions returns the distinct versions of each component, oldest first.
func declaredVersions(c skew.Cluster) map[string][]version.Version {
	declared := map[string][]version.Version{}
	known := map[skew.Instance]bool{}
	for _, p := range c.Places {
		for _, in := range p.Instances {
			in.ClusterWide = false
			if !in.Version.IsZero() && !known[in] {
				known[in] = true
				declared[in.Component] = append(declared[in.Component], in.Version)
			}
		}
	}
	for component, versions := range declared {
		slices.SortFunc(versions, func(a, b version.Version) int {
			return cmp.Or(a.Compare(b), strings.Compare(a.String(), b.String()))
		})
		declared[component] = slices.CompactFunc(versions, func(a, b version.Version) bool { return a.String() == b.String() })
	}
	return declared
}

func orDash(v version.Version) string {
	if v.IsZero() {
		return "-"
	}
	return cell(v.String())
}

// table writes a table with n rows.
func table(b *strings.Builder, heading []string, n int, row func(int) []string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(heading, " | "), strings.Repeat(" --- |", len(heading)))
	for i := range n {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row(i), " | "))
	}
}

// link returns a link, or only its text if there is no URL.
func link(label, url string) string {
	if url == "" {
		return cell(label)
	}
	return fmt.Sprintf("[%s](%s)", linkEscapes.Replace(cell(label)), urlEscapes.Replace(url))
}

// Names chosen by users can contain any character. These replacers keep them from
// being read as markup.
var (
	textEscapes = strings.NewReplacer("<", "&lt;", "`", "\\`", "*", `\*`, "](", `]\(`, "\n", " ", "\r", " ")
	cellEscapes = strings.NewReplacer("|", `\|`)
	codeEscapes = strings.NewReplacer("|", `\|`, "`", "'", "\n", " ", "\r", " ")
	linkEscapes = strings.NewReplacer("[", `\[`, "]", `\]`)
	urlEscapes  = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "|", "%7C", "`", "%60", " ", "%20", "\n", "%0A", "\r", "%0D")
)

func text(s string) string { return textEscapes.Replace(s) }
func cell(s string) string { return cellEscapes.Replace(text(s)) }
func code(s string) string { return "`" + codeEscapes.Replace(s) + "`" }
