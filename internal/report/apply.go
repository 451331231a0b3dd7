// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// describeApplyOrder describes a combination that runs only because of the order in
// which a configuration applies its changes.
func describeApplyOrder(p finding.Problem, c *finding.ApplyOrder) Description {
	f := p.Findings[0]
	subject, reference, m := f.Subject, f.Reference, c.OnTheWay
	beside := fmt.Sprintf("%s %s", reference.Component, reference.Version)
	var d Description
	switch distance, _ := subject.Version.Minor().Skew(reference.Version.Minor()); {
	case m.Relation == finding.Unmet:
		d.Summary = fmt.Sprintf("%s %s needs %s %s, and would run beside %s", subject.Component, subject.Version, reference.Component, m.Rule.Requirement.Require, reference.Version)
	case m.Relation == finding.Incomparable:
		d.Summary = fmt.Sprintf("%s %s would run beside %s %s", subject.Component, subject.Version.Shown(), reference.Component, reference.Version.Shown())
	case m.Relation == finding.TooNew && distance == *m.Limits.MaxNewer: // by a patch
		d.Summary = fmt.Sprintf("%s %s would be too new for %s", subject.Component, subject.Version, beside)
	case m.Relation == finding.TooNew:
		d.Summary = fmt.Sprintf("%s %s would be too new for %s %s", subject.Component, subject.Version.Shown(), reference.Component, reference.Version.Shown())
	default:
		d.Summary = fmt.Sprintf("%s %s would be too old for %s %s", subject.Component, subject.Version.Shown(), reference.Component, reference.Version.Shown())
	}
	d.Summary += " during the apply"

	limits := ""
	if m.Rule.Requirement != nil {
		limits = PairSentence(m.Rule)
	} else {
		limits = limitSentence(f, m)
	}
	through := ""
	if c.Through != "" {
		through = fmt.Sprintf("Other rules make %s move before %s.", c.Through, c.Then.Component)
	}
	reason := m.Rule.Reason
	if m.Relation == finding.Incomparable {
		reason = ""
	}
	d.Message = sentences(fmt.Sprintf("%s would run %s %s beside %s during the apply, because %s (apply_order = %q).",
		Locations(p.Locations()), subject.Component, list(subjectsOf(p).versions()), referencesOf(p).named(), orderClause(c.Declared), c.Declared),
		through, limits, reason)

	clauses, its := firstClauses(p)
	if c.After == nil {
		d.Remedy = fmt.Sprintf("%s in an apply of %s own first, then apply the rest.", upperFirst(list(clauses)), its)
	} else {
		d.Remedy = fmt.Sprintf("Use three applies: %s, then %s, then apply the rest.", moveClause(*c.After), list(clauses))
	}
	if c.Instead != "" {
		d.Remedy += fmt.Sprintf(" If this configuration %s, set apply_order = %q.", instead(c.Instead), c.Instead)
	}
	return d
}

// firstClauses asks for the moves that have to come first, wherever the findings of
// a problem ask for them, and says whose apply that is.
func firstClauses(p finding.Problem) (clauses []string, its string) {
	type key struct {
		component, to string
		whole         bool
	}
	var moves group.Map[key, finding.Move]
	var everywhere []finding.Location
	for _, f := range p.Findings {
		c, ok := f.Cause.(*finding.ApplyOrder)
		if !ok {
			continue
		}
		everywhere = append(everywhere, c.First.Locations...)
		for _, m := range append([]finding.Move{c.First}, c.Along...) {
			move := moves.GetOrCreate(key{m.Component, m.To.String(), m.Whole}, func() finding.Move {
				first := m
				first.Locations = nil
				return first
			})
			move.Locations = append(move.Locations, c.First.Locations...)
		}
	}
	slices.SortStableFunc(moves.All, func(a, b finding.Move) int { return strings.Compare(a.Component, b.Component) })
	for _, m := range moves.All {
		m.Locations = sorted(m.Locations)
		clauses = append(clauses, moveClause(m))
	}
	return clauses, verb(sorted(everywhere), "its", "their")
}

// sorted returns locations in order, each once.
func sorted(locations []finding.Location) []finding.Location {
	slices.SortFunc(locations, finding.Location.Compare)
	return slices.Compact(locations)
}

// orderClause says in which order a configuration is applied.
func orderClause(order string) string {
	switch upgrade.ApplyOrder(order) {
	case upgrade.NodePoolsFirst:
		return "node pools move before the control plane"
	case upgrade.Unordered:
		return "control-plane instances and node pools may move in any order"
	case upgrade.Any, upgrade.ControlPlaneFirst:
	}
	return "the control plane moves before the node pools"
}

// instead says what a configuration does for which another order is to be declared.
func instead(order string) string {
	if upgrade.ApplyOrder(order) == upgrade.NodePoolsFirst {
		return "applies node pools first"
	}
	return "applies the control plane first"
}

// moveClause asks for a move: of a whole place, or of one component there.
func moveClause(m finding.Move) string {
	what := Locations(m.Locations)
	if !m.Whole && m.Locations[0].Attribute != finding.ControlPlaneVersion {
		what = fmt.Sprintf("the %s of %s", m.Component, what)
	}
	switch {
	case m.ToUnknown:
		return "move " + what
	case m.To.IsZero():
		return "remove " + what
	case m.From.IsZero():
		return fmt.Sprintf("add %s at %s", what, m.To)
	}
	return fmt.Sprintf("move %s to %s", what, m.To)
}
