// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Markdown formats a result as a page for reviewers: the verdict, what is wrong and how to
// repair it, and the next control-plane version. Details are folded away.
func Markdown(r evaluation.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Version skew: %s\n\n", Verdict(r))
	unwaived, _ := r.Count()
	switch p := link(r.Policy.Name, r.Policy.Source); {
	case !r.Supported():
		fmt.Fprintf(&b, "%s The policy %s does not allow these versions.\n", iconOf(policy.SeverityError), p)
	case unwaived[policy.SeverityWarning] > 0:
		fmt.Fprintf(&b, "%s The policy %s allows these versions, with warnings.\n", iconOf(policy.SeverityWarning), p)
	default:
		fmt.Fprintf(&b, "%s The policy %s allows these versions.\n", iconOK, p)
	}
	writeProblems(&b, r.Policy, r.Problems)
	if r.Next != nil {
		fmt.Fprintf(&b, "\n**Next control-plane version:** %s", r.Next.Version.Shown())
		if len(r.Next.Blockers) == 0 {
			b.WriteString(", which nothing blocks.\n")
		} else {
			b.WriteString(", blocked for now:\n\n")
		}
		for _, line := range Blockers(r.Next.Blockers) {
			fmt.Fprintf(&b, "- %s\n", text(line))
		}
	}
	folded(&b, "Allowed versions", func() {
		b.WriteString("The versions that each component may have if all others stay unchanged.\n\n")
		components := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Allowed)), func(c string) bool { return slices.Contains(r.Policy.HiddenComponents, c) })
		versions := declaredVersions(r.Cluster)
		table(&b, []string{"Component", "Declared", "Allowed"}, len(components), func(i int) []string {
			return []string{cell(components[i]), cell(cmp.Or(list(Strings(versions[components[i]])), "-")), Window(r.Allowed[components[i]])}
		})
	})
	// The platform upgrades hidden components together with the API servers.
	order := slices.DeleteFunc(slices.Clone(r.Order), func(m step.Ordered) bool {
		return m.Component != skew.APIServer && slices.Contains(r.Policy.HiddenComponents, m.Component)
	})
	if len(order) > 0 {
		folded(&b, "Upgrade order", func() {
			var notes numberedNotes
			table(&b, []string{"Stage", "Component", "Where", "From", "To", "Notes"}, len(order), func(i int) []string {
				m := order[i]
				return []string{fmt.Sprint(m.Stage), cell(m.Component), cell(Locations(m.Locations)), cell(cmp.Or(m.From.String(), "-")), cell(cmp.Or(m.To.String(), "-")), notes.numbers(MoveNotes(m))}
			})
			if len(notes) > 0 {
				b.WriteString("\nNotes:\n\n")
			}
			notes.write(&b)
		})
	}
	return b.String()
}

// iconOK marks what needs no attention.
const iconOK = "✅"

func iconOf(s policy.Severity) string {
	switch s {
	case policy.SeverityError:
		return "❌"
	case policy.SeverityWarning:
		return "⚠️"
	case policy.SeverityInfo:
	}
	return "ℹ️"
}

// folded writes a section that a reader has to open.
func folded(b *strings.Builder, summary string, content func()) {
	fmt.Fprintf(b, "\n<details>\n<summary>%s</summary>\n\n", summary)
	content()
	b.WriteString("\n</details>\n")
}

// writeProblems lists problems with their remedies, and folds away why they are problems.
// Advice is only in the folded part. Built-in rules are links to their entries in the
// documentation and, in the folded part, to their sources.
func writeProblems(b *strings.Builder, p *policy.Policy, problems []finding.Problem) {
	if len(problems) == 0 {
		return
	}
	b.WriteString("\n")
	source := func(r finding.Rule) string { return r.Source }
	entry := func(r finding.Rule) string {
		if isBuiltinRule(p, r.ID) {
			return docs + "guides/troubleshooting#" + r.ID
		}
		return r.Source
	}
	var why strings.Builder
	for _, problem := range problems {
		f, d := problem.Findings[0], DescribeProblem(problem)
		icon, remedy := iconOf(f.Severity), d.Remedy
		switch {
		case f.WaivedBy != nil:
			icon, remedy = "🔕", waiverSentence(f.WaivedBy)
		case f.RepairedBy > 0:
			icon = iconOf(policy.SeverityWarning)
		}
		if f.Severity == policy.SeverityInfo && f.WaivedBy == nil {
			d.Message = sentences(d.Message, remedy)
		} else {
			fmt.Fprintf(b, "- %s **%s.** %s (%s)\n", icon, text(d.Summary), text(remedy), ruleLinks(problem, entry))
		}
		fmt.Fprintf(&why, "- %s %s (%s)\n", icon, text(d.Message), ruleLinks(problem, source))
	}
	folded(b, "Why", func() { b.WriteString(why.String()) })
}

// ruleLinks links the rules of a problem.
func ruleLinks(p finding.Problem, url func(finding.Rule) string) string {
	return strings.Join(each(p.Rules(), func(r finding.Rule) string { return link(r.ID, url(r)) }), ", ")
}

// isBuiltinRule reports whether a rule comes from a built-in policy, which may set other
// limits for it.
func isBuiltinRule(p *policy.Policy, id string) bool {
	for _, name := range []string{p.Name, p.BasedOn} {
		if base, err := policy.Builtin(name); err == nil && slices.Contains(base.RuleIDs(), id) {
			return true
		}
	}
	return false
}

// numberedNotes are notes on the rows of a table, each once.
type numberedNotes []string

// numbers returns the numbers of notes, and adds those that are new.
func (n *numberedNotes) numbers(notes []string) string {
	var numbers []string
	for _, note := range notes {
		i := slices.Index(*n, note)
		if i < 0 {
			i = len(*n)
			*n = append(*n, note)
		}
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	return strings.Join(numbers, ", ")
}

func (n *numberedNotes) write(b *strings.Builder) {
	for i, note := range *n {
		fmt.Fprintf(b, "%d. %s\n", i+1, text(note))
	}
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
	known := map[[2]string]bool{}
	for _, in := range c.Instances() {
		if named := [2]string{in.Component, in.Version.String()}; !in.Version.IsZero() && !known[named] {
			known[named] = true
			declared[in.Component] = append(declared[in.Component], in.Version)
		}
	}
	for _, versions := range declared {
		slices.SortFunc(versions, func(a, b version.Version) int {
			return cmp.Or(a.Compare(b), strings.Compare(a.String(), b.String()))
		})
	}
	return declared
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

func text(s string) string {
	if !strings.ContainsAny(s, "<`*]\n\r") {
		return s // a Replacer of texts takes much longer
	}
	return textEscapes.Replace(s)
}

func cell(s string) string { return cellEscapes.Replace(text(s)) }
func code(s string) string { return "`" + codeEscapes.Replace(s) + "`" }
