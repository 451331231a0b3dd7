package report

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
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
		d.Summary = fmt.Sprintf("%s %s would need %s %s, not %s", subject.Component, subject.Version, reference.Component, m.Rule.Requirement.Require, reference.Version)
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

	first := firstOf(p)
	if c.After == nil {
		d.Remedy = fmt.Sprintf("%s in an apply of its own first, then apply the rest.", upperFirst(moveClause(first, c.Whole)))
		if len(first.Locations) > 1 {
			d.Remedy = fmt.Sprintf("%s in an apply of their own first, then apply the rest.", upperFirst(moveClause(first, c.Whole)))
		}
	} else {
		d.Remedy = fmt.Sprintf("Use three applies: %s, then %s, then apply the rest.", moveClause(*c.After, false), moveClause(first, c.Whole))
	}
	if c.Instead != "" {
		d.Remedy += fmt.Sprintf(" If this configuration %s, set apply_order = %q.", instead(c.Instead), c.Instead)
	}
	return d
}

// firstOf is the move that has to come first, wherever the findings of a problem ask
// for it.
func firstOf(p finding.Problem) finding.Move {
	var first finding.Move
	for _, f := range p.Findings {
		c, ok := f.Cause.(*finding.ApplyOrder)
		if !ok {
			continue
		}
		locations := append(slices.Clone(first.Locations), c.First.Locations...)
		first = c.First
		slices.SortFunc(locations, finding.Location.Compare)
		first.Locations = slices.Compact(locations)
	}
	return first
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
func moveClause(m finding.Move, whole bool) string {
	what := Locations(m.Locations)
	if !whole && m.Locations[0].Key != "" {
		what = fmt.Sprintf("the %s of %s", m.Component, what)
	}
	switch {
	case m.To.IsZero():
		return "remove " + what
	case m.From.IsZero():
		return fmt.Sprintf("add %s at %s", what, m.To)
	}
	return fmt.Sprintf("move %s to %s", what, m.To)
}
