// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func describeStepLimit(p finding.Problem, c *finding.StepLimit) Description {
	f := p.Findings[0]
	component, from, to := f.Subject.Component, f.Reference.Version, f.Subject.Version
	distance, _ := to.Minor().Skew(from.Minor())
	what := instances(component, p.Locations())
	switch {
	case !c.Comparable:
		return Description{
			Summary: fmt.Sprintf("%s cannot go from %s to %s in one step", component, from.Shown(), to.Shown()),
			Message: fmt.Sprintf("%s, a different major version. Steps are counted in minor versions of one major version.", changes(p)),
			Remedy:  orElse(remedies(p), func() string { return fmt.Sprintf("Keep %s at major version %d.", what, from.Minor().Major) }),
		}
	case c.Back:
		rule := fmt.Sprintf("%s cannot be rolled back.", upperFirst(a(component)))
		if c.Patch {
			return Description{
				Summary: fmt.Sprintf("%s cannot go back from %s to %s", component, from, to),
				Message: sentences(changes(p)+".", fmt.Sprintf("%s cannot be rolled back, not even to an older patch.", upperFirst(a(component))), c.Rule.DowngradeReason),
				Remedy:  fmt.Sprintf("Keep %s at %s or later.", what, from),
			}
		}
		if c.InAll {
			rule = fmt.Sprintf("%s can be rolled back by at most %s in all.", upperFirst(a(component)), minors(*c.Rule.MaxDowngradeTotal))
		} else if *c.Rule.MaxDowngrade > 0 {
			rule = fmt.Sprintf("%s can be rolled back by at most %s per step.", upperFirst(a(component)), minors(*c.Rule.MaxDowngrade))
		}
		d := Description{
			Summary: fmt.Sprintf("%s cannot go back from %s to %s", component, from.Shown(), to.Shown()),
			Message: sentences(changes(p)+".", rule, c.Rule.DowngradeReason, lostZero(to)),
			Remedy:  fmt.Sprintf("Keep %s at %s or later.", what, from.Shown()),
		}
		if c.InAll { // the way back is what is asked for
			d.Remedy = fmt.Sprintf("Set %s to %s or later.", what, f.Allowed.Show(f.Allowed.Minimum))
		}
		if all := f.Remedies(); len(all) > 0 {
			d.Remedy = keepOrSet(all[0]) + "."
		}
		return d
	}
	d := Description{
		Summary: fmt.Sprintf("%s cannot go from %s to %s in one step", component, from.Shown(), to.Shown()),
		Remedy:  fmt.Sprintf("Go through %s, one apply each.", list(shown(c.Through, from.Numbering()))),
	}
	limit := fmt.Sprintf("can be upgraded by at most %s per step: to %s here", minors(*c.Rule.MaxUpgrade), f.Allowed.Show(f.Allowed.Maximum))
	if *c.Rule.MaxUpgrade == 0 {
		limit = "cannot be upgraded"
		d.Remedy = fmt.Sprintf("Keep %s at %s.", what, from.Shown())
	}
	if all := f.Remedies(); len(all) > 0 {
		r := all[0]
		d.Remedy = keepOrSet(r) + "."
		if rest := after(c.Through, r.Nearest()); r.Nearest() != from.Minor() && len(rest) > 0 {
			d.Remedy = fmt.Sprintf("Set %s to %s in this apply, then go through %s, one apply each.", targets(r), r.Show(r.Nearest()), list(shown(rest, from.Numbering())))
			if len(rest) == 1 {
				d.Remedy = fmt.Sprintf("Set %s to %s in this apply, then go to %s in the next one.", targets(r), r.Show(r.Nearest()), from.Numbering().Show(rest[0]))
			}
		}
	}
	d.Message = sentences(fmt.Sprintf("%s, %s in one step.", changes(p), minors(distance)),
		fmt.Sprintf("%s %s.", upperFirst(a(component)), limit), c.Rule.Reason, lostZero(from), lostZero(to))
	return d
}

// after lists the minors beyond one.
func after(minors []version.Minor, m version.Minor) []version.Minor {
	return slices.DeleteFunc(slices.Clone(minors), func(n version.Minor) bool { return n.Compare(m) <= 0 })
}

func describeStepOrder(p finding.Problem, c *finding.StepOrder) Description {
	f := p.Findings[0]
	subject := upgrade.Change{From: c.FromSubject, To: f.Subject.Version}
	reference := upgrade.Change{From: c.FromReference, To: f.Reference.Version}
	s, r := f.Subject.Component, f.Reference.Component

	spell := func(v version.Version) string { return v.Shown() }
	if !subject.MovesMinor() || !reference.MovesMinor() {
		spell = version.Version.String // a patch makes the difference
	}
	var d Description
	if to := spell(subject.To); to == spell(reference.To) {
		d.Summary = fmt.Sprintf("%s %s and %s %s cannot both move to %s in one step", s, spell(subject.From), r, spell(reference.From), to)
	} else {
		d.Summary = fmt.Sprintf("%s from %s to %s and %s from %s to %s are not possible in one step",
			s, spell(subject.From), to, r, spell(reference.From), spell(reference.To))
	}
	// Of moves that wait for each other in a circle the rule forbids one order
	// only, and others forbid the other.
	apart := func(rule *policy.PairRule, subject, reference version.Version, first, second string) string {
		if skew.Judge(rule, subject, reference) == finding.Within {
			return fmt.Sprintf("other rules make %s wait for %s", second, first)
		}
		return fmt.Sprintf("%s %s is not allowed beside %s %s, so %s would have to move first", s, spell(subject), r, spell(reference), first)
	}
	during := c.Rule
	if reference.Upgrades() {
		during = during.DuringUpgrade()
	}
	d.Message = fmt.Sprintf("%s while %s. Neither order works: %s; %s.",
		changes(p), moveSentence(tenseOf(p), f.Reference.Locations, r, reference.From.String(), reference.To.String()),
		apart(during, subject.From, reference.To, s, r), apart(c.Rule, subject.To, reference.From, r, s))
	d.Remedy = fmt.Sprintf("Split the step: change %s and %s by fewer minor versions per apply.", s, r)
	if all := f.Remedies(); len(all) > 0 {
		others := ""
		if len(all[0].Minors) > 1 {
			others = fmt.Sprintf(" (%s to %s work)", all[0].Show(all[0].Minors[0]), all[0].Show(all[0].Minors[len(all[0].Minors)-1]))
		}
		d.Remedy = fmt.Sprintf("%s in this apply%s, and make the rest of the change in the next one.", keepOrSet(all[0]), others)
	}
	return d
}

func describeNotAvailable(f finding.Finding, c *finding.NotAvailable) Description {
	minor := f.Subject.Version.Numbering().Show(c.Minor)
	return Description{
		Summary: fmt.Sprintf("%s %s is not available", f.Subject.Component, minor),
		Message: fmt.Sprintf("Upgrading %s from %s to %s goes through %s, but available_versions lists no %s version.",
			instances(f.Subject.Component, f.Subject.Locations), f.Reference.Version, f.Subject.Version, minor, minor),
		Remedy: fmt.Sprintf("Add a %s version to available_versions, or remove available_versions to plan with any version.", minor),
	}
}

// changes says what the subject of a step changes, and where. Where versions differ,
// their minors have to do.
func changes(p finding.Problem) string {
	f := p.Findings[0]
	from := f.Reference.Version
	if c, ok := f.Cause.(*finding.StepOrder); ok {
		from = c.FromSubject
	}
	if len(p.Findings) == 1 {
		return moveSentence(tenseOf(p), f.Subject.Locations, f.Subject.Component, from.String(), f.Subject.Version.String())
	}
	return moveSentence(tenseOf(p), p.Locations(), f.Subject.Component, from.Shown(), f.Subject.Version.Shown())
}

// moveSentence says what moves, and where.
func moveSentence(t tense, locations []finding.Location, component, from, to string) string {
	return fmt.Sprintf("%s %s %s from %s to %s", Locations(locations), t.of(verb(locations, "moves", "move"), "move"), component, from, to)
}
