// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func describeStepLimit(p finding.Problem, c *finding.StepLimit) Description {
	f := p.Findings[0]
	names, from, to := subjects(p), f.Reference.Version, f.Subject.Version
	switch {
	case !c.Comparable:
		note, policyRemedy := otherNumbers(p)
		return Description{
			Summary: fmt.Sprintf("%s cannot go from %s to %s in one step", names, from.Shown(), to.Shown()),
			Message: sentences(changes(p)+", a different major version. Steps are only defined within one major version.", note),
			Remedy:  cmp.Or(policyRemedy, remedies(p), fmt.Sprintf("Keep %s at major version %d.", instances(p), from.Minor().Major)),
		}
	case c.Back:
		return describeStepBack(p, c)
	}
	d := Description{
		Summary: fmt.Sprintf("%s cannot go from %s to %s in one step", names, from.Shown(), to.Shown()),
		Remedy:  fmt.Sprintf("Go through %s, one apply each.", list(each(c.Through, from.Numbering().Show))),
	}
	most := *c.Limits.MaxUpgrade
	limit := stepClause("upgraded", most)
	switch conditional := len(c.Rule.Conditions) > 0; {
	case conditional && most == 0:
		limit = fmt.Sprintf("cannot be upgraded from %s to %s in one step. Allowed here: %s", from.Shown(), to.Shown(), Window(f.Allowed))
	case conditional:
		limit = fmt.Sprintf("can be upgraded by at most %s in this step. Allowed here: %s", minors(most), Window(f.Allowed))
	case most > 0:
		limit += ". Allowed here: up to " + f.Allowed.Show(f.Allowed.Maximum)
	}
	if len(c.Through) == 0 {
		d.Remedy = keep(p, from.Shown())
	}
	if all := f.Remedies(); len(all) > 0 {
		r := all[0]
		d.Remedy = keepOrSet(p, r) + "."
		rest := slices.DeleteFunc(slices.Clone(c.Through), func(m version.Minor) bool { return m.Compare(r.Nearest()) <= 0 })
		if r.Nearest() != from.Minor() && len(rest) > 0 {
			r.Kept = false // the versions move further later
			then := fmt.Sprintf("go through %s, one apply each", list(each(rest, from.Numbering().Show)))
			if len(rest) == 1 {
				then = fmt.Sprintf("go to %s in the next one", from.Numbering().Show(rest[0]))
			}
			d.Remedy = fmt.Sprintf("%s in this apply, then %s.", keepOrSet(p, r), then)
		}
	}
	d.Message = sentences(fmt.Sprintf("%s, %s in one step.", changes(p), minors(f.Distance())),
		fmt.Sprintf("%s %s.", upperFirst(a(p)), limit), c.Rule.Reason, lostZero(from), lostZero(to))
	return d
}

// describeStepBack describes a move to an older minor or patch.
func describeStepBack(p finding.Problem, c *finding.StepLimit) Description {
	f := p.Findings[0]
	from, to, spell := f.Reference.Version, f.Subject.Version, version.Version.Shown
	limit := rollbackClause(c.Limits.MaxDowngrade, c.Rule.MaxDowngradeTotal)
	if c.Patch {
		spell, limit = version.Version.String, "cannot be rolled back, not even to an older patch"
	}
	d := Description{
		Summary: fmt.Sprintf("%s cannot go back from %s to %s", subjects(p), spell(from), spell(to)),
		Message: sentences(changes(p)+".", fmt.Sprintf("%s %s.", upperFirst(a(p)), limit), c.Rule.DowngradeReason, lostZero(to)),
		Remedy:  keep(p, spell(from)+" or later"),
	}
	if c.InTotal { // the user asked to go back, but not that far
		what := instances(p)
		if f.Planned {
			what = targetVersion
		}
		d.Remedy = fmt.Sprintf("Set %s to %s or later.", what, f.Allowed.Show(f.Allowed.Minimum))
	}
	if all := f.Remedies(); len(all) > 0 {
		d.Remedy = keepOrSet(p, all[0]) + "."
	}
	return d
}

// targetVersion is the attribute that says where a plan goes. The attributes of the cluster
// say what runs before it.
const targetVersion = "target_version"

// keep asks for versions at which what a step moves does not go too far.
func keep(p finding.Problem, versions string) string {
	if p.Findings[0].Planned {
		return fmt.Sprintf("Set %s to %s.", targetVersion, versions)
	}
	return fmt.Sprintf("Keep %s at %s.", instances(p), versions)
}

// canSplit reports whether a change can be made in several steps of a minor each.
func canSplit(c finding.Change) bool {
	n, sameMajor := c.To.Minor().Skew(c.From.Minor())
	return !sameMajor || n < -1 || n > 1
}

func describeStepOrder(p finding.Problem, c *finding.StepOrder) Description {
	f := p.Findings[0]
	subject := finding.Change{From: c.FromSubject, To: f.Subject.Version}
	reference := finding.Change{From: c.FromReference, To: f.Reference.Version}
	s, r := subjects(p), f.Reference.Component

	spell := version.Version.Shown
	if !subject.MovesMinor() || !reference.MovesMinor() {
		spell = version.Version.String // a patch makes the difference
	}
	var d Description
	switch to := spell(subject.To); {
	case s == r && to == spell(reference.To) && spell(subject.From) == spell(reference.From):
		d.Summary = fmt.Sprintf("%s instances cannot move from %s to %s in one step", s, spell(subject.From), to)
	case to == spell(reference.To):
		d.Summary = fmt.Sprintf("%s %s and %s %s cannot %s move to %s in one step", s, spell(subject.From), r, spell(reference.From), agree(p, "both", "all"), to)
	default:
		d.Summary = fmt.Sprintf("%s cannot move from %s to %s in the same step as %s from %s to %s",
			s, spell(subject.From), to, r, spell(reference.From), spell(reference.To))
	}
	// In a cycle of moves that wait for each other, the rule only forbids one
	// order. Other rules forbid the other one.
	forbids := func(relation finding.Relation, subject, reference version.Version, first, second string) string {
		if relation == finding.Within {
			return fmt.Sprintf("because of other rules, %s cannot move before %s", first, second)
		}
		return fmt.Sprintf("%s %s %s not allowed with %s %s", s, spell(subject), agree(p, "is", "are"), r, spell(reference))
	}
	d.Message = fmt.Sprintf("%s. Neither can move first: %s, and %s.", bothChanges(p, reference),
		forbids(c.SubjectFirst, subject.To, reference.From, s, r), forbids(c.ReferenceFirst, subject.From, reference.To, r, s))
	components := s
	if s != r {
		components += " and " + r
	}
	d.Remedy = fmt.Sprintf("Split the step: change %s by fewer minor versions per apply.", components)
	if !canSplit(subject) && !canSplit(reference) {
		d.Remedy = fmt.Sprintf("Change the rules, because no order of these moves satisfies all of them, or waive %s for this step.", listAll(p.RuleIDs()))
	}
	if all := f.Remedies(); len(all) > 0 {
		others := ""
		if len(all[0].Minors) > 1 {
			others = fmt.Sprintf(" (%s to %s work)", all[0].Show(all[0].Minors[0]), all[0].Show(all[0].Minors[len(all[0].Minors)-1]))
		}
		d.Remedy = fmt.Sprintf("%s in this apply%s, and make the rest of the change in the next one.", keepOrSet(p, all[0]), others)
	}
	return d
}

// bothChanges describes the moves on both sides of a step order, together if they
// are at the same locations.
func bothChanges(p finding.Problem, reference finding.Change) string {
	component, from, to := p.Findings[0].Reference.Component, reference.From.String(), reference.To.String()
	for _, other := range p.Findings[1:] {
		if c, ok := other.Cause.(*finding.StepOrder); !ok || c.FromReference.String() != from || other.Reference.Version.String() != to {
			from, to = reference.From.Shown(), reference.To.Shown()
			break
		}
	}
	if slices.Equal(p.Locations(), p.References()) {
		if component == p.Findings[0].Subject.Component {
			return changes(p) // instances of one component that cannot move past each other
		}
		return fmt.Sprintf("%s and %s from %s to %s", changes(p), component, from, to)
	}
	return fmt.Sprintf("%s while %s", changes(p), moveSentence(tenseOf(p), p.References(), component, from, to))
}

func describeNotAvailable(p finding.Problem, c *finding.NotAvailable) Description {
	f := p.Findings[0]
	minor := f.Subject.Version.Numbering().Show(c.Minor)
	list, without := "available_versions", "to plan with any version"
	if c.NodePools {
		list, without = "available_node_versions", "to plan with available_versions"
	}
	return Description{
		Summary: fmt.Sprintf("%s %s is not available", f.Subject.Component, minor),
		Message: fmt.Sprintf("Upgrading %s from %s to %s goes through %s, but %s lists no %s version.",
			instances(p), f.Reference.Version, f.Subject.Version, minor, list, minor),
		Remedy: fmt.Sprintf("Add a %s version to %s, or remove %s %s.", minor, list, list, without),
	}
}

// changes describes the moves of the subjects of a problem. If the versions differ, it
// only names the minors.
func changes(p finding.Problem) string {
	f := p.Findings[0]
	before := func(f finding.Finding) version.Version {
		if c, ok := f.Cause.(*finding.StepOrder); ok {
			return c.FromSubject
		}
		if c, ok := f.Cause.(*finding.MinorMove); ok {
			return c.From
		}
		return f.Reference.Version
	}
	from, to := before(f).String(), f.Subject.Version.String()
	for _, other := range p.Findings[1:] {
		if before(other).String() != from || other.Subject.Version.String() != to {
			return moveSentence(tenseOf(p), p.Locations(), subjects(p), before(f).Shown(), f.Subject.Version.Shown())
		}
	}
	return moveSentence(tenseOf(p), p.Locations(), subjects(p), from, to)
}

// moveSentence describes a move of components at some locations.
func moveSentence(t tense, locations []finding.Location, components, from, to string) string {
	return fmt.Sprintf("%s %s %s from %s to %s", Locations(locations), t.of(form(len(locations), "moves", "move"), "move"), components, from, to)
}
