package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// PairSentence states a rule on instances that run side by side.
func PairSentence(r *policy.PairRule) string {
	if q := r.Requirement; q != nil {
		when := r.Subject
		if s := q.When.String(); s != "" {
			when += " " + s
		}
		return fmt.Sprintf("%s needs %s %s.", upperFirst(when), r.Reference, q.Require)
	}
	reference := referenceOf(r)
	s := upperFirst(a(r.Subject)) + " " + limitClause(r.MaxNewer, r.MaxOlder, reference)
	if r.ComparePatch {
		s += ", patches included"
	}
	for _, c := range r.Conditions {
		var when []string
		if text := c.Subject.String(); text != "" {
			when = append(when, r.Subject+" "+text)
		}
		if text := c.Reference.String(); text != "" {
			when = append(when, r.Reference+" "+text)
		}
		var limits []string
		if c.MaxOlder != nil {
			limits = append(limits, fmt.Sprintf("%d older", *c.MaxOlder))
		}
		if c.MaxNewer != nil {
			limits = append(limits, fmt.Sprintf("%d newer", *c.MaxNewer))
		}
		s += fmt.Sprintf("; %s: %s", strings.Join(when, " beside "), strings.Join(limits, ", "))
	}
	if r.MaxOlderDuringUpgrade != nil {
		s += fmt.Sprintf("; while %s is being upgraded: %d older", r.Reference, *r.MaxOlderDuringUpgrade)
	}
	return s + "."
}

// referenceOf names what the subject of a rule is held against.
func referenceOf(r *policy.PairRule) string {
	switch {
	case r.Subject == r.Reference:
		return "any other " + r.Reference
	case r.Scope == policy.ScopeNode:
		return "the " + r.Reference + " on its node"
	case r.Scope == policy.ScopeEndpoint:
		return "every " + r.Reference + " it can reach"
	}
	return "every " + r.Reference
}

// StepSentence states a rule on moves.
func StepSentence(r *policy.StepRule) string {
	limit := func(n *int) string {
		switch {
		case n == nil:
			return "any number of minor versions"
		case *n == 0:
			return "no minor version"
		}
		return "at most " + minors(*n)
	}
	return fmt.Sprintf("%s moves up %s per step, and back %s.", upperFirst(a(r.Component)), limit(r.MaxUpgrade), limit(r.MaxDowngrade))
}

// AdvisorySentence says what an advisory looks for.
func AdvisorySentence(a *policy.Advisory) string {
	of := ""
	if len(a.Components) > 0 {
		of = " of " + listAll(a.Components)
	}
	switch a.Check {
	case policy.CheckEndOfLife:
		return fmt.Sprintf("The end of life%s, from %s before.", of, count(a.Days, "day"))
	case policy.CheckLatestPatch:
		return fmt.Sprintf("A minor%s that is left from an older patch than the newest one known.", of)
	case policy.CheckPrerelease:
		return fmt.Sprintf("A pre-release%s in use.", of)
	case policy.CheckWebhooks:
		return fmt.Sprintf("An admission webhook without matchPolicy Equivalent at a minor move%s.", of)
	case policy.CheckNextMinor:
		return fmt.Sprintf("An instance%s that would keep the control plane from its next minor.", of)
	}
	return fmt.Sprintf("A minor move%s: %s", of, a.Note)
}

// PolicyMarkdown writes a policy as a page: its rules, what it does not cover,
// and what each component may be beside control planes of some minors.
func PolicyMarkdown(p *policy.Policy, controlPlanes []version.Minor) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Policy %s\n\n", p.Name)
	if p.Title != "" && p.Source != "" {
		fmt.Fprintf(&b, "[%s](%s)\n\n", text(p.Title), p.Source)
	}
	if p.Description != "" {
		fmt.Fprintf(&b, "%s\n\n", text(p.Description))
	}
	if p.BasedOn != "" {
		fmt.Fprintf(&b, "Made from the policy %s.\n\n", text(p.BasedOn))
	}
	b.WriteString("### Rules\n\n")
	var rows [][]string
	row := func(id, sentence string, n policy.Notes) {
		why := n.Reason
		if n.OtherReading != "" {
			why = sentences(why, "Other sources: "+n.OtherReading)
		}
		source := ""
		if n.Source != "" {
			source = fmt.Sprintf("[source](%s)", n.Source)
			if n.ReadOn != "" {
				source += ", read " + n.ReadOn
			}
		}
		rows = append(rows, []string{"`" + id + "`", cell(sentence), string(n.Severity), cell(why), source})
	}
	for _, r := range p.PairRules {
		row(r.ID, PairSentence(r), r.Notes)
	}
	for _, r := range p.StepRules {
		row(r.ID, StepSentence(r), r.Notes)
	}
	table(&b, []string{"Rule", "What it says", "Severity", "Why", "Source"}, len(rows), func(i int) []string { return rows[i] })

	if len(p.Advisories) > 0 {
		b.WriteString("\n### Advice\n\n")
		table(&b, []string{"Id", "What it looks for", "Severity", "Why", "Source"}, len(p.Advisories), func(i int) []string {
			a := p.Advisories[i]
			return []string{"`" + a.ID + "`", cell(AdvisorySentence(a)), string(a.Severity), cell(a.Reason), fmt.Sprintf("[source](%s)", a.Source)}
		})
	}
	if len(p.NotCovered) > 0 {
		b.WriteString("\n### Not covered\n\nWhat the platform says beyond this policy:\n\n")
		for _, n := range p.NotCovered {
			fmt.Fprintf(&b, "- %s ([source](%s))\n", text(n.What), n.Source)
		}
	}
	if len(controlPlanes) > 0 {
		b.WriteString("\n### Allowed versions\n\nWhat each component may be beside a control plane all of whose API servers are at one minor.\n\n")
		b.WriteString(allowedTable(p, controlPlanes))
	}
	return b.String()
}

// allowedTable has a row for every component, and a column for every minor of
// the control plane.
func allowedTable(p *policy.Policy, controlPlanes []version.Minor) string {
	var b strings.Builder
	heading := []string{"Component"}
	for _, m := range controlPlanes {
		heading = append(heading, fmt.Sprintf("%s %s", skew.ControlPlaneComponents[0], m))
	}
	components := besideComponents(p)
	table(&b, heading, len(components), func(i int) []string {
		cells := []string{cell(components[i])}
		for _, m := range controlPlanes {
			cells = append(cells, Window(beside(p, m, components[i])))
		}
		return cells
	})
	return b.String()
}

// besideComponents lists the components that a policy limits beside an API
// server.
func besideComponents(p *policy.Policy) []string {
	return slices.DeleteFunc(p.Components(), func(component string) bool { return component == skew.ControlPlaneComponents[0] })
}

// beside is what a component may be beside a control plane all of whose API
// servers are at one minor.
func beside(p *policy.Policy, controlPlane version.Minor, component string) skew.Window {
	api := skew.ControlPlaneComponents[0]
	return skew.Beside(p, skew.Cluster{Places: []skew.Place{{
		Location:  skew.AtKey(skew.ControlPlane, api),
		Instances: []skew.Instance{{Component: api, Version: controlPlane.Version()}},
	}}}, component)
}
