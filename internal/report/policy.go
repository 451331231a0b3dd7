// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// PairSentence states a rule on instances that run side by side.
func PairSentence(r *policy.PairRule) string {
	if r.Requirement != nil {
		return requirementSentence([]string{r.Subject}, r)
	}
	s := upperFirst(a(r.Subject)) + " " + limitClause(r.MaxNewer, r.MaxOlder, func(determiner string) string { return referenceOf(r, determiner) })
	if r.ComparePatch {
		s += ", patches included"
	}
	for _, c := range r.Conditions {
		var when []string
		if c.Subject.String() != "" {
			when = append(when, constrained(r.Subject, c.Subject))
		}
		if c.Reference.String() != "" {
			when = append(when, constrained(r.Reference, c.Reference))
		}
		var limits []string
		if differs(c.MaxOlder, r.MaxOlder) {
			limits = append(limits, exception(*c.MaxOlder, "older"))
		}
		if differs(c.MaxNewer, r.MaxNewer) {
			limits = append(limits, exception(*c.MaxNewer, "newer"))
		}
		if len(limits) == 0 {
			continue // the same as the limit of the rule
		}
		s += fmt.Sprintf("; if %s: %s", strings.Join(when, " and "), listAll(limits))
	}
	if r.MaxOlderDuringUpgrade != nil {
		s += fmt.Sprintf("; while %s is being upgraded: %s", r.Reference, exception(*r.MaxOlderDuringUpgrade, "older"))
	}
	return s + "."
}

// requirementSentence states a requirement rule for some components.
func requirementSentence(components []string, r *policy.PairRule) string {
	return fmt.Sprintf("For %s, %s is required.", constrained(listAll(components), r.Requirement.When), constrained(r.Reference, r.Requirement.Require))
}

// constrained appends a constraint to a name. A constraint with a comma is in
// parentheses.
func constrained(name string, c version.Constraint) string {
	s := c.String()
	switch {
	case s == "":
		return name
	case strings.Contains(s, ","):
		return fmt.Sprintf("%s (%s)", name, s)
	}
	return name + " " + s
}

// exception states the limit of a condition, as in "at most 2 older".
func exception(n int, direction string) string {
	if n == 0 {
		return "never " + direction
	}
	return fmt.Sprintf("at most %d %s", n, direction)
}

// differs reports whether a condition sets a limit that differs from that of its
// rule.
func differs(limit, usual *int) bool {
	return limit != nil && (usual == nil || *limit != *usual)
}

// referenceOf names what the subject of a rule is compared with, after "any" or
// "every".
func referenceOf(r *policy.PairRule, determiner string) string {
	switch {
	case r.Subject == r.Reference:
		return determiner + " other " + r.Reference
	case r.Scope == policy.ScopeNode:
		return "the " + r.Reference + " on the same node"
	case r.Scope == policy.ScopeEndpoint:
		return determiner + " " + r.Reference + " that it can reach"
	}
	return determiner + " " + r.Reference
}

// StepSentence states a rule on moves.
func StepSentence(r *policy.StepRule) string {
	move := func(n *int, way string) string {
		switch {
		case n == nil:
			return fmt.Sprintf("can be %s by any number of minor versions per step", way)
		case *n == 0:
			return "cannot be " + way
		}
		return fmt.Sprintf("can be %s by at most %s per step", way, minors(*n))
	}
	total := ""
	if r.KeepsPatch() {
		total = ", not even to an older patch"
	}
	if r.MaxDowngradeTotal != nil {
		total = fmt.Sprintf(", and by at most %s in total", minors(*r.MaxDowngradeTotal))
	}
	return fmt.Sprintf("%s %s, and %s%s.", upperFirst(a(r.Component)), move(r.MaxUpgrade, "upgraded"), move(r.MaxDowngrade, "rolled back"), total)
}

// AdvisorySentence says what an advisory checks.
func AdvisorySentence(a *policy.Advisory) string {
	of := ""
	if len(a.Components) > 0 {
		of = " of " + listAll(a.Components)
	}
	switch a.Check {
	case policy.CheckEndOfLife:
		return fmt.Sprintf("End of life%s, starting %s in advance.", of, count(a.Days, "day"))
	case policy.CheckLatestPatch:
		return fmt.Sprintf("Upgrade%s to another minor version from a patch that is not the newest known one.", of)
	case policy.CheckPrerelease:
		return fmt.Sprintf("Pre-release%s in use.", of)
	case policy.CheckWebhooks:
		return fmt.Sprintf("Admission webhook without matchPolicy Equivalent during an upgrade%s to another minor version.", of)
	case policy.CheckNextMinor:
		return fmt.Sprintf("Instance%s that blocks upgrading the control plane to the next minor version.", of)
	case policy.CheckMinorMove:
	}
	return fmt.Sprintf("Change%s to another minor version: %s", of, a.Note)
}

// PolicyMarkdown formats a policy as a page. It starts with what is specific to the
// policy: its own rules, the allowed versions for each control-plane minor, the
// support dates, and what it does not cover. Inherited rules and advisories follow.
func PolicyMarkdown(p *policy.Policy, allowed evaluation.AllowedTable) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Policy %s\n\n", text(p.Name))
	if p.Title != "" {
		fmt.Fprintf(&b, "For %s.", link(p.Title, p.Source))
		if p.BasedOn != "" {
			fmt.Fprintf(&b, " Based on the policy %s.", text(p.BasedOn))
		}
		b.WriteString("\n\n")
	}
	if len(p.Included) > 0 {
		fmt.Fprintf(&b, "Includes %s.\n\n", text(listAll(p.Included)))
	}
	if p.Description != "" {
		fmt.Fprintf(&b, "%s\n\n", text(p.Description))
	}

	own, inherited := rules(p)
	heading := "Rules"
	if len(inherited) > 0 {
		heading = "Added and changed rules"
	}
	ruleTable(&b, heading, own)

	if len(allowed.Rows) > 0 {
		b.WriteString("### Allowed versions\n\nThe versions that each component may have if all API servers run the same minor version. " +
			"`any` means that no rule limits the component.\n\n")
		b.WriteString(AllowedMarkdown(allowed))
		b.WriteString("\n")
	}
	releaseTable(&b, p.Releases)
	if len(p.NotCovered) > 0 {
		b.WriteString("### Not covered\n\nPlatform rules that this policy cannot express:\n\n")
		for _, n := range p.NotCovered {
			fmt.Fprintf(&b, "- %s (%s)\n", text(n.What), link("source", n.Source))
		}
		b.WriteString("\n")
	}
	ruleTable(&b, "Rules inherited from "+p.BasedOn, inherited)
	if len(p.Advisories) > 0 {
		b.WriteString("### Advisories\n\nChecks beyond the version limits. An advisory fails a plan only if its severity is `error`.\n\n")
		table(&b, []string{"ID", "What it checks", "Severity", "Why", "Source"}, len(p.Advisories), func(i int) []string {
			a := p.Advisories[i]
			return []string{code(a.ID), cell(AdvisorySentence(a)), string(a.Severity), cell(a.Reason), link("source", a.Source)}
		})
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// releaseTable writes the support dates of a platform, if there are any.
func releaseTable(b *strings.Builder, releases []*policy.Release) {
	if len(releases) == 0 {
		return
	}
	b.WriteString("### Support dates\n\nThe last day of support for each minor version. End-of-life findings use only these dates.\n\n")
	table(b, []string{"Minor version", "End of life", "End of extended support", "Source"}, len(releases), func(i int) []string {
		r := releases[i]
		return []string{cell(r.Version.Shown()), r.EndOfLife.String(), r.EndOfExtendedSupport.String(), sourceCell(r.Source, r.ReadOn)}
	})
	b.WriteString("\n")
}

// sourceCell links a source, with the date on which it was read.
func sourceCell(source, readOn string) string {
	switch {
	case source == "":
		return ""
	case readOn == "":
		return link("source", source)
	}
	return link("source", source) + ", read " + cell(readOn)
}

// ruleRow is a row of a table of rules.
type ruleRow struct {
	id, sentence string
	notes        policy.Notes
}

// rules lists the rules of a policy: its own, and those that are unchanged from the
// built-in policy it was made from.
func rules(p *policy.Policy) (own, inherited []ruleRow) {
	add := func(id, sentence string, notes policy.Notes) {
		if p.Inherits(id) {
			inherited = append(inherited, ruleRow{id, sentence, notes})
		} else {
			own = append(own, ruleRow{id, sentence, notes})
		}
	}
	for _, r := range p.PairRules {
		add(r.ID, PairSentence(r), r.Notes)
	}
	for _, r := range p.StepRules {
		add(r.ID, StepSentence(r), r.Notes)
	}
	return own, inherited
}

// ruleTable writes rules under a heading, if there are any.
func ruleTable(b *strings.Builder, heading string, rows []ruleRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "### %s\n\n", text(heading))
	table(b, []string{"Rule", "What it requires", "Severity", "Why", "Source"}, len(rows), func(i int) []string {
		n := rows[i].notes
		why := n.Reason
		if n.OtherReading != "" {
			why = sentences(why, "Other sources: "+n.OtherReading)
		}
		return []string{code(rows[i].id), cell(rows[i].sentence), string(n.Severity), cell(why), sourceCell(n.Source, n.ReadOn)}
	})
	b.WriteString("\n")
}

// AllowedMarkdown formats allowed versions as a table with a row for each control
// plane and a column for each component.
func AllowedMarkdown(t evaluation.AllowedTable) string {
	var b strings.Builder
	heading := []string{"Control plane"}
	for _, component := range t.Components {
		if component == skew.APIServer {
			component = "another " + component
		}
		heading = append(heading, cell(component))
	}
	table(&b, heading, len(t.Rows), func(i int) []string {
		cells := []string{cell(t.Rows[i].ControlPlane.Shown())}
		for _, w := range t.Rows[i].Windows {
			cells = append(cells, Window(w))
		}
		return cells
	})
	return b.String()
}

// LimitedComponents lists the components of a policy other than the API server.
func LimitedComponents(p *policy.Policy) []string {
	return slices.DeleteFunc(p.Components(), func(component string) bool { return component == skew.APIServer })
}
