// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// PairSentence states a skew rule or a requirement rule.
func PairSentence(r *policy.PairRule) string {
	if r.Requirement != nil {
		return requirementSentence([]string{r.Subject}, r)
	}
	s := r.Subject + " " + limitClause(r.MaxNewer, r.MaxOlder, func(determiner string) string { return referenceOf(r, determiner) })
	if r.ComparePatch {
		s += patchClause(r.Limits)
	}
	var minors minorExceptions
	for _, c := range r.Conditions {
		limits := exceptions(r, c)
		if limits == "" {
			continue // the same as the limit of the rule
		}
		if c.Subject.String() == "" && minors.add(limits, r.Reference+" is", c.Reference) {
			continue
		}
		s += minors.flush()
		var when []string
		if c.Subject.String() != "" {
			when = append(when, conditionOn(r.Subject, c.Subject))
		}
		if c.Reference.String() != "" {
			when = append(when, conditionOn(r.Reference, c.Reference))
		}
		s += fmt.Sprintf("; %s if %s", limits, strings.Join(when, " and "))
	}
	s += minors.flush()
	if r.MaxOlderDuringUpgrade != nil {
		s += fmt.Sprintf("; %s while %s is being upgraded", exception(*r.MaxOlderDuringUpgrade, "older"), r.Reference)
	}
	return s + "."
}

// minorExceptions collects exceptions for single minors, to list the minors with the
// same exception together.
type minorExceptions struct {
	all group.Map[string, []string]
}

// add adds an exception for the minor of a constraint. It is false if the constraint is
// not a single minor.
func (e *minorExceptions) add(limits, when string, c version.Constraint) bool {
	first, last, ok := minorRange(c)
	if !ok || first != last {
		return false
	}
	clause := fmt.Sprintf("; %s if %s", limits, when)
	listed := e.all.GetOrCreate(clause, func() []string { return []string{clause} })
	*listed = append(*listed, first.String())
	return true
}

// flush returns the exceptions as clauses of a sentence, and forgets them.
func (e *minorExceptions) flush() string {
	s := ""
	for _, listed := range e.all.All {
		s += listed[0] + " " + listOr(listed[1:])
	}
	e.all = group.Map[string, []string]{}
	return s
}

// patchClause continues the sentence of a skew rule that compares patches.
func patchClause(limits policy.Limits) string {
	switch {
	case limits.MaxNewer == nil || *limits.MaxNewer > 0:
		return ", patches included"
	case limits.MaxOlder != nil && *limits.MaxOlder == 0:
		return " and no newer patch"
	}
	return ", not even by a patch"
}

// requirementSentence states a requirement rule for the given subjects.
func requirementSentence(subjects []string, r *policy.PairRule) string {
	if r.Scope == policy.ScopeSelf {
		if _, _, isRange := minorRange(r.Requirement.Require); isRange {
			return constrained(r.Reference+" must be", r.Requirement.Require) + "."
		}
		return fmt.Sprintf("%s must satisfy %s.", r.Reference, r.Requirement.Require)
	}
	verb := "requires"
	if len(subjects) > 1 {
		verb = "require"
	}
	return fmt.Sprintf("%s %s %s.", constrained(listAll(subjects), r.Requirement.When), verb, constrained(r.Reference, r.Requirement.Require))
}

// constrained appends a constraint to a name: "kubelet < 1.25", "kubelet 1.28 to 1.31",
// or, if it cannot be written as a range of minors, "kubelet (>= 1.28, < 1.31.2)".
func constrained(name string, c version.Constraint) string {
	s := c.String()
	first, last, isRange := minorRange(c)
	switch {
	case isRange && first == last:
		return fmt.Sprintf("%s %s", name, first)
	case isRange:
		return fmt.Sprintf("%s %s to %s", name, first, last)
	case s == "":
		return name
	case strings.Contains(s, ","):
		return fmt.Sprintf("%s (%s)", name, s)
	}
	return name + " " + s
}

// conditionOn states that a component satisfies a constraint.
func conditionOn(component string, c version.Constraint) string {
	if _, _, isRange := minorRange(c); isRange {
		component += " is"
	}
	return constrained(component, c)
}

// minorRange returns the first and the last minor of a constraint such as
// ">= 1.28, < 1.32". ok is false for any other constraint.
func minorRange(c version.Constraint) (first, last version.Minor, ok bool) {
	m := c.Minors()
	if len(m) != 2 || c.String() != fmt.Sprintf(">= %s, < %s", m[0], m[1]) {
		return version.Minor{}, version.Minor{}, false
	}
	n, sameMajor := m[1].Skew(m[0])
	return m[0], m[1].Add(-1), sameMajor && n > 0
}

// exceptions states the limits of a condition that differ from those of its rule, or
// returns "" if none do.
func exceptions(r *policy.PairRule, c policy.Condition) string {
	var limits []string
	if differs(c.MaxOlder, r.MaxOlder) {
		limits = append(limits, exception(*c.MaxOlder, "older"))
	}
	if differs(c.MaxNewer, r.MaxNewer) {
		limits = append(limits, exception(*c.MaxNewer, "newer"))
	}
	return listAll(limits)
}

// exception states a limit that replaces the usual one, as in "at most 2 older".
func exception(n int, direction string) string {
	if n == 0 {
		return "never " + direction
	}
	return fmt.Sprintf("at most %d %s", n, direction)
}

// differs reports whether a condition sets a limit other than the usual one.
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

// StepSentence states a step rule.
func StepSentence(r *policy.StepRule) string {
	limit := func(n *int, way string) string {
		switch {
		case n == nil:
			return fmt.Sprintf("can be %s by any number of minor versions per step", way)
		case *n == 0:
			return "cannot be " + way
		}
		return fmt.Sprintf("can be %s by at most %s per step", way, minors(*n))
	}
	down := limit(r.MaxDowngrade, "rolled back")
	switch total := r.MaxDowngradeTotal; {
	case r.KeepsPatch(r.StepLimits):
		down += ", not even to an older patch"
	case total == nil || r.MaxDowngrade != nil && *r.MaxDowngrade == 0:
	case r.MaxDowngrade == nil || *total <= *r.MaxDowngrade:
		down = fmt.Sprintf("can be rolled back by at most %s in total", minors(*total))
	default:
		down += fmt.Sprintf(" and at most %s in total", minors(*total))
	}
	return fmt.Sprintf("%s %s, and %s%s.", r.Component, limit(r.MaxUpgrade, "upgraded"), down, stepExceptions(r))
}

// stepExceptions states the conditions of a step rule.
func stepExceptions(r *policy.StepRule) string {
	s := ""
	var minors minorExceptions
	for _, c := range r.Conditions {
		var all []string
		for way, n := range map[string]*int{"upgraded": c.MaxUpgrade, "rolled back": c.MaxDowngrade} {
			switch {
			case n == nil:
			case *n == 0:
				all = append(all, "never "+way)
			default:
				all = append(all, fmt.Sprintf("%s by at most %d", way, *n))
			}
		}
		slices.Sort(all)
		limits := listAll(all)
		from, to := c.From.String(), c.To.String()
		switch {
		case limits == "":
			continue
		case to == "" && minors.add(limits, "it moves from", c.From), from == "" && minors.add(limits, "it moves to", c.To):
			continue
		}
		s += minors.flush() + "; " + limits
		if from != "" || to != "" {
			s += " if it moves"
		}
		if from != "" {
			s += " from " + versionsIn(c.From)
		}
		if to != "" {
			s += " to " + versionsIn(c.To)
		}
	}
	return s + minors.flush()
}

// versionsIn names the versions that a constraint allows.
func versionsIn(c version.Constraint) string {
	first, last, isRange := minorRange(c)
	switch {
	case isRange && first == last:
		return first.String()
	case isRange:
		return fmt.Sprintf("any of %s to %s", first, last)
	}
	return constrained("a version", c)
}

// AdvisorySentence describes what an advisory reports.
func AdvisorySentence(a *policy.Advisory) string {
	component, of, versions := "a component", "", "versions"
	if len(a.Components) > 0 {
		component = listOr(a.Components)
		of, versions = " of "+component, listAll(a.Components)+" versions"
	}
	switch a.Check {
	case policy.CheckEndOfLife:
		if a.Days == 0 {
			return fmt.Sprintf("Reports %s that are past their end of life.", versions)
		}
		return fmt.Sprintf("Reports %s that are past their end of life, or will be within %s.", versions, count(a.Days, "day"))
	case policy.CheckLatestPatch:
		return fmt.Sprintf("Reports an upgrade of %s to another minor version that does not start from the newest known patch.", component)
	case policy.CheckPrerelease:
		return fmt.Sprintf("Reports pre-releases%s.", of)
	case policy.CheckWebhooks:
		return fmt.Sprintf("Reports admission webhooks without matchPolicy Equivalent if %s moves to another minor version.", component)
	case policy.CheckNextMinor:
		return fmt.Sprintf("Reports %s that block upgrading the control plane to the next minor version.", versions)
	case policy.CheckNotOffered:
		return fmt.Sprintf("Reports %s that a step sets or adds although available_versions or available_node_versions does not list them.", versions)
	case policy.CheckMinorMove:
	}
	return fmt.Sprintf("Gives advice if %s moves to another minor version: %s", component, a.Note)
}

// PolicyMarkdown formats a policy as a page. What is specific to the policy comes
// first: its own rules, the allowed versions for each control-plane minor, the support
// dates, and what it does not cover. Inherited rules and advisories follow.
func PolicyMarkdown(p *policy.Policy, allowed evaluation.AllowedTable) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Policy %s\n\n", text(p.Name))
	if p.Title != "" {
		fmt.Fprintf(&b, "Version skew rules for %s", link(p.Title, p.Source))
		if p.BasedOn != "" {
			fmt.Fprintf(&b, ", based on the policy %s", code(p.BasedOn))
		}
		b.WriteString(".\n\n")
	}
	if n := len(p.Included); n > 0 {
		packs := "pack"
		if n > 1 {
			packs = "packs"
		}
		fmt.Fprintf(&b, "Includes the add-on %s %s.\n\n", packs, text(listAll(p.Included)))
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
		b.WriteString("### Allowed versions\n\nThe minor versions that each component can have if the API servers run the one in the first column. " +
			"`any` means that no rule limits the component.\n\n")
		b.WriteString(AllowedMarkdown(allowed))
		b.WriteString("\n")
	}
	releaseTable(&b, p.Releases)
	if len(p.NotCovered) > 0 {
		b.WriteString("### Not covered\n\nThis policy does not check the following:\n\n")
		for _, n := range p.NotCovered {
			fmt.Fprintf(&b, "- %s (%s)\n", text(n.What), sourceCell(n.Citation))
		}
		b.WriteString("\n")
	}
	ruleTable(&b, "Rules inherited from "+p.BasedOn, inherited)
	if len(p.Advisories) > 0 {
		b.WriteString("### Advisories\n\nAdvisories are checks beyond the version limits. They only fail a plan if their severity is `error`.\n\n")
		table(&b, []string{"ID", "What it does", "Severity", "Why", "Source"}, len(p.Advisories), func(i int) []string {
			a := p.Advisories[i]
			return []string{code(a.ID), cell(AdvisorySentence(a)), string(a.Severity), cell(a.Reason), link("source", a.Source)}
		})
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// releaseTable writes the support dates of a platform, if there are any.
func releaseTable(b *strings.Builder, all []*policy.Release) {
	if len(all) == 0 {
		return
	}
	b.WriteString("### Support dates\n\nThe last day on which each minor version is supported. Findings about the end of life only use these dates.\n\n")
	table(b, []string{"Minor version", "End of life", "End of extended support", "Source"}, len(all), func(i int) []string {
		r := all[i]
		return []string{
			cell(r.Version.Shown()), plannedDate(r.EndOfLife, r.EndOfLifePlanned), plannedDate(r.EndOfExtendedSupport, r.EndOfExtendedSupportPlanned),
			sourceCell(r.Citation),
		}
	})
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

// ruleRow is a row of a table of rules.
type ruleRow struct {
	id, sentence string
	notes        policy.Notes
}

// rules lists the rules that a policy adds or changes, and those that it inherits
// unchanged from a built-in policy.
func rules(p *policy.Policy) (own, inherited []ruleRow) {
	add := func(id, sentence string, notes policy.Notes) {
		if p.Inherits(id) {
			inherited = append(inherited, ruleRow{id, sentence, notes})
		} else {
			own = append(own, ruleRow{id, sentence, notes})
		}
	}
	for _, r := range slices.SortedStableFunc(slices.Values(p.PairRules), newestRowFirst) {
		add(r.ID, PairSentence(r), r.Notes)
	}
	for _, r := range p.StepRules {
		add(r.ID, StepSentence(r), r.Notes)
	}
	return own, inherited
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
			why = sentences(why, "Other sources differ: "+n.OtherReading)
		}
		return []string{code(rows[i].id), cell(rows[i].sentence), string(n.Severity), cell(why), sourceCell(n.Citation)}
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
