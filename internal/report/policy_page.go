// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// docs is the address of the documentation. Pages can be anywhere, so their links are
// absolute.
const docs = "https://registry.terraform.io/providers/versionskew/versionskew/latest/docs/"

// PolicyMarkdown formats a policy as a page: the allowed versions, its own rules and
// advisories, the support dates, and what it does not cover. What it inherits from a
// built-in policy is a link.
func PolicyMarkdown(p *policy.Policy, allowed evaluation.AllowedTable) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Policy %s\n\n", text(p.Name))
	base, err := policy.Builtin(p.BasedOn)
	basedOn, heading := fmt.Sprintf("[%s](%sguides/policy-%s)", p.BasedOn, docs, p.BasedOn), "What differs from "+p.BasedOn
	if err != nil {
		base, basedOn, heading = &policy.Policy{}, code(p.BasedOn), "Rules" // there is no other page to refer to
	}
	if p.Title != "" {
		fmt.Fprintf(&b, "Version skew rules for %s", link(p.Title, p.Source))
		if p.BasedOn != "" {
			fmt.Fprintf(&b, ", based on the policy %s", basedOn)
		}
		b.WriteString(".\n\n")
	}
	packs := p.BuiltinPacks()
	if len(p.Included) > 0 {
		names := each(p.Included, func(name string) string {
			if slices.ContainsFunc(packs, func(pack *policy.Policy) bool { return pack.Name == name }) {
				return fmt.Sprintf("[%s](%sguides/addons#%s)", text(name), docs, strings.ReplaceAll(name, "/", ""))
			}
			return text(name)
		})
		fmt.Fprintf(&b, "Includes the add-on %s %s.\n\n", form(len(names), "pack", "packs"), listAll(names))
	}
	if p.Description != "" {
		fmt.Fprintf(&b, "%s\n\n", text(p.Description))
	}
	if len(allowed.Rows) > 0 {
		b.WriteString("### Allowed versions\n\nThe minor versions that components can have next to each control plane. `any`: no rule limits them.\n\n")
		b.WriteString(AllowedMarkdown(allowed))
		b.WriteString("\n")
	}
	var rules strings.Builder
	writeRules(&rules, p, base)
	writeAdvisories(&rules, p, base)
	if rules.Len() > 0 {
		fmt.Fprintf(&b, "### %s\n\nViolations are errors, unless a severity is given.\n\n%s", heading, rules.String())
	}
	releaseTable(&b, p.Releases)
	writeNotCovered(&b, p, base, packs)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// writeNotCovered lists what a policy does not cover. What its base or a pack lists is a
// link.
func writeNotCovered(b *strings.Builder, p, base *policy.Policy, packs []*policy.Policy) {
	lists := func(other *policy.Policy, n *policy.NotCovered) bool {
		return slices.ContainsFunc(other.NotCovered, func(m *policy.NotCovered) bool { return m.What == n.What })
	}
	var items strings.Builder
	sameAsBase := false
	for _, n := range p.NotCovered {
		switch {
		case lists(base, n):
			sameAsBase = true
		case !slices.ContainsFunc(packs, func(pack *policy.Policy) bool { return lists(pack, n) }):
			fmt.Fprintf(&items, "- %s%s\n", text(n.What), parenthesis(n.Citation))
		}
	}
	if sameAsBase {
		fmt.Fprintf(&items, "- What [%s](%sguides/policy-%s#not-covered) does not cover.\n", base.Name, docs, base.Name)
	}
	if items.Len() > 0 {
		fmt.Fprintf(b, "### Not covered\n\n%s\n", items.String())
	}
}

// parenthesis cites a source after a sentence.
func parenthesis(c policy.Citation) string {
	if s := sourceCell(c); s != "" {
		return " (" + s + ")"
	}
	return ""
}

// writeRules writes the rules that a policy adds or changes: first those that compare
// components by themselves, then compatibility tables. Rules of packs are left out.
func writeRules(b *strings.Builder, p, base *policy.Policy) {
	inherited := map[string]string{} // the sentences of the base
	var missing []string
	for _, r := range base.PairRules {
		inherited[r.ID] = PairSentence(r)
	}
	for _, r := range base.StepRules {
		inherited[r.ID] = StepSentence(r)
	}
	for _, id := range base.RuleIDs() {
		if !slices.Contains(p.RuleIDs(), id) {
			missing = append(missing, code(id))
		}
	}
	item := func(id, sentence string, n policy.Notes) {
		if sentence == inherited[id] {
			sentence = "Same limits."
		}
		fmt.Fprintf(b, "- %s%s: %s\n", code(id), severityNote(n.Severity), sentences(text(sentence), text(n.Reason), otherReading(n))+parenthesis(n.Citation))
	}
	var tables group.Map[string, []*policy.PairRule]
	for _, r := range slices.SortedStableFunc(slices.Values(p.PairRules), newestRowFirst) {
		switch {
		case p.Inherits(r.ID):
		case r.Requirement != nil && r.Requirement.When.String() != "":
			rows := tables.GetOrCreate(r.Subject, func() []*policy.PairRule { return nil })
			*rows = append(*rows, r)
		default:
			item(r.ID, PairSentence(r), r.Notes)
		}
	}
	for _, rows := range tables.All {
		if len(rows) < minTable {
			for _, r := range rows {
				item(r.ID, PairSentence(r), r.Notes)
			}
		}
	}
	for _, r := range p.StepRules {
		if !p.Inherits(r.ID) {
			item(r.ID, StepSentence(r), r.Notes)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(b, "- Without %s.\n", listAll(missing))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	for _, rows := range tables.All {
		if len(rows) >= minTable {
			compatibilityTable(b, rows)
		}
	}
}

// minTable is the number of requirement rules of a component that become a table.
const minTable = 3

// compatibilityTable writes requirement rules of one component as a table, with a row for
// each of its versions and a column for each component that they require.
func compatibilityTable(b *strings.Builder, rules []*policy.PairRule) {
	var columns []string
	var rows group.Map[string, []*policy.PairRule]
	var others strings.Builder
	for _, r := range rules {
		if !slices.Contains(columns, r.Reference) {
			columns = append(columns, r.Reference)
		}
		row := rows.GetOrCreate(constraintText(r.Requirement.When), func() []*policy.PairRule { return nil })
		*row = append(*row, r)
		if other := otherReading(r.Notes); other != "" {
			fmt.Fprintf(&others, "- %s: %s\n", code(r.ID), other)
		}
	}
	slices.Sort(columns)
	subject, severity := rules[0].Subject, rules[0].Severity
	same := !slices.ContainsFunc(rules, func(r *policy.PairRule) bool { return r.Severity != severity })
	kind, note := "a rule", severityNote
	if same {
		note = func(policy.Severity) string { return "" }
	}
	if same && severity != policy.SeverityError {
		kind = "a rule of severity " + code(string(severity))
	}
	fmt.Fprintf(b, "What each %s version requires. Each cell is %s, with an ID such as %s.\n\n", text(subject), kind, code(rules[0].ID))
	table(b, slices.Concat([]string{cell(subject)}, each(columns, cell), []string{"Source"}), len(rows.All), func(i int) []string {
		row := rows.All[i]
		out := []string{cell(constraintText(row[0].Requirement.When))}
		var sources []string
		for _, component := range columns {
			var required []string
			for _, r := range row {
				if r.Reference == component {
					required = append(required, constraintText(r.Requirement.Require)+note(r.Severity))
				}
			}
			out = append(out, cell(strings.Join(required, ", ")))
		}
		for _, r := range row {
			if s := sourceCell(r.Citation); !slices.Contains(sources, s) {
				sources = append(sources, s)
			}
		}
		return append(out, strings.Join(sources, ", "))
	})
	b.WriteString("\n")
	if others.Len() > 0 {
		b.WriteString(others.String() + "\n")
	}
}

// severityNote marks a severity other than error.
func severityNote(s policy.Severity) string {
	if s == policy.SeverityError {
		return ""
	}
	return fmt.Sprintf(" (%s)", s)
}

func otherReading(n policy.Notes) string {
	if n.OtherReading == "" {
		return ""
	}
	return "Other sources differ: " + text(n.OtherReading)
}

// writeAdvisories writes the advisories that a policy adds or changes.
func writeAdvisories(b *strings.Builder, p, base *policy.Policy) {
	own := slices.DeleteFunc(slices.Clone(p.Advisories), func(a *policy.Advisory) bool { return p.Inherits(a.ID) })
	if len(own) == 0 {
		return
	}
	if base.Name == "" {
		b.WriteString("### Advisories\n\nChecks beyond the version limits.\n\n")
	}
	for _, a := range own {
		s := sentences(text(AdvisorySentence(a)), text(a.Reason))
		fmt.Fprintf(b, "- %s (%s): %s%s\n", code(a.ID), a.Severity, s, parenthesis(a.Citation))
	}
	b.WriteString("\n")
}

// shownReleases is the number of releases whose support dates a page shows, the newest.
const shownReleases = 8

// releaseTable writes the support dates of a platform, if there are any.
func releaseTable(b *strings.Builder, all []*policy.Release) {
	if len(all) == 0 {
		return
	}
	older := len(all) - min(len(all), shownReleases)
	all = all[older:]
	b.WriteString("### Support dates\n\nThe last day of support. Findings about the end of life only use these dates.\n\n")
	heading := []string{"Minor version", "End of life", "End of extended support", "Source"}
	extended := slices.ContainsFunc(all, func(r *policy.Release) bool { return r.EndOfExtendedSupport.String() != "" })
	if !extended {
		heading = slices.Delete(heading, 2, 3)
	}
	table(b, heading, len(all), func(i int) []string {
		r := all[i]
		row := []string{cell(r.Version.Shown()), plannedDate(r.EndOfLife, r.EndOfLifePlanned)}
		if extended {
			row = append(row, plannedDate(r.EndOfExtendedSupport, r.EndOfExtendedSupportPlanned))
		}
		return append(row, sourceCell(r.Citation))
	})
	if older > 0 {
		fmt.Fprintf(b, "\nThe policy also has the dates of %s.\n", count(older, "older minor version"))
	}
	b.WriteString("\n")
}

// plannedDate marks a planned date.
func plannedDate(d releases.Date, planned bool) string {
	if planned {
		return d.String() + " (planned)"
	}
	return d.String()
}

// sourceCell links a source, and says when and from whom it was read.
func sourceCell(c policy.Citation) string {
	if c.Source == "" {
		return ""
	}
	s := link("source", c.Source)
	if c.MovedFrom != "" {
		s += ", formerly " + link("here", c.MovedFrom)
	}
	if c.ReadOn != "" || c.ReadFrom != "" {
		s += ", read"
	}
	if c.ReadOn != "" {
		s += " " + cell(c.ReadOn)
	}
	if c.ReadFrom != "" {
		s += " from " + cell(c.ReadFrom)
	}
	return s
}

// newestRowFirst orders requirement rules after skew rules, and those that form a
// compatibility table by their versions, the newest first.
func newestRowFirst(a, b *policy.PairRule) int {
	switch {
	case a.Requirement == nil && b.Requirement == nil:
		return 0
	case a.Requirement == nil:
		return -1
	case b.Requirement == nil:
		return 1
	}
	newer := slices.CompareFunc(a.Requirement.When.Minors(), b.Requirement.When.Minors(), version.Minor.Compare)
	return cmp.Or(strings.Compare(a.Subject, b.Subject), -newer, strings.Compare(a.Reference, b.Reference))
}

// AllowedMarkdown formats allowed versions as a table with a row for each control plane.
// Components that always have the same versions share a column.
func AllowedMarkdown(t evaluation.AllowedTable) string {
	type column struct {
		components []string
		windows    []finding.Window
	}
	var columns group.Map[string, column]
	for i, component := range t.Components {
		windows := each(t.Rows, func(row evaluation.AllowedRow) finding.Window { return row.Windows[i] })
		key := strings.Join(each(windows, Window), "\x00")
		if component == skew.APIServer {
			component = "another " + component
		}
		c := columns.GetOrCreate(key, func() column { return column{windows: windows} })
		c.components = append(c.components, cell(component))
	}
	heading := each(columns.All, func(c column) string { return strings.Join(c.components, ", ") })
	var b strings.Builder
	table(&b, slices.Insert(heading, 0, "Control plane"), len(t.Rows), func(i int) []string {
		cells := each(columns.All, func(c column) string { return Window(c.windows[i]) })
		return slices.Insert(cells, 0, cell(t.Rows[i].ControlPlane.Shown()))
	})
	return b.String()
}
