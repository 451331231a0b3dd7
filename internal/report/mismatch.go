// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

func describeMismatch(p finding.Problem, m *finding.Mismatch) Description {
	f := p.Findings[0]
	distance, _ := f.Subject.Version.Minor().Skew(f.Reference.Version.Minor())
	switch {
	case m.Relation == finding.Unmet:
		return describeUnmet(p, m)
	case m.Relation == finding.TooNew && distance == *m.Limits.MaxNewer:
		return describePatch(p, m)
	case f.Subject.Component == f.Reference.Component && m.Relation != finding.Incomparable:
		return describeSpread(p, m)
	}
	subject := fmt.Sprintf("%s %s", subjects(p), f.Subject.Version.Shown())
	reference := fmt.Sprintf("%s %s", f.Reference.Component, f.Reference.Version.Shown())
	var d Description
	var relation string
	reason := reasons(p)
	switch m.Relation {
	case finding.TooOld:
		d.Summary = fmt.Sprintf("%s %s too old for %s", subject, is(p), reference)
		if m.DuringUpgrade {
			d.Summary = fmt.Sprintf("%s %s too old for the upgrade of %s to %s", subject, is(p), f.Reference.Component, f.Reference.Version.Shown())
		}
		relation = minors(-distance) + " behind"
	case finding.TooNew:
		d.Summary = fmt.Sprintf("%s %s too new for %s", subject, is(p), reference)
		relation = minors(distance) + " ahead of"
	case finding.Incomparable:
		d.Summary = fmt.Sprintf("%s cannot be compared with %s", subject, reference)
		relation, reason = "a different major version than", ""
	case finding.Unmet, finding.Within:
	}
	note, policyRemedy := otherNumbers(p)
	d.Message = sentences(
		fmt.Sprintf("%s, %s %s.", subjectsOf(p).run(tenseOf(p)), relation, referencesOf(p).named()),
		limitSentence(p, m), reason, lostZero(f.Subject.Version), lostZero(f.Reference.Version), note)
	d.Remedy = cmp.Or(policyRemedy, remedies(p), towards(p, m))
	return d
}

// otherNumbers points out that a version is probably a release of a distribution, and asks for
// a policy that uses its release numbers. Both texts are "" for other versions.
func otherNumbers(p finding.Problem) (message, remedy string) {
	v, scheme := p.Findings[0].PossibleRelease()
	if scheme == nil {
		return "", ""
	}
	var others []string
	for _, name := range policy.BuiltinNamesWithScheme(scheme) {
		if name != scheme.Name() {
			others = append(others, strconv.Quote(name))
		}
	}
	also := ""
	if len(others) > 0 {
		also = fmt.Sprintf(" (or %s on those platforms)", listOr(others))
	}
	return fmt.Sprintf("%s looks like a release of %s, which runs Kubernetes %s. The policy expects Kubernetes versions.", v, scheme.Title(), v.Minor()),
		fmt.Sprintf("Set policy = %q%s. %s then counts as Kubernetes %s.", scheme.Name(), also, v, v.Minor())
}

// describeSpread describes instances of one component that are too far apart.
func describeSpread(p finding.Problem, m *finding.Mismatch) Description {
	f := p.Findings[0]
	distance, _ := f.Reference.Version.Minor().Skew(f.Subject.Version.Minor())
	message := fmt.Sprintf("%s, %s behind %s.", subjectsOf(p).run(tenseOf(p)), minors(distance), referencesOf(p).named())
	if len(p.Findings) > 1 {
		message = fmt.Sprintf("The %s versions %s %s, up to %s apart.", f.Subject.Component, tenseOf(p).of("are", "be"),
			append(subjectsOf(p), referencesOf(p)...).byVersion(), minors(max(distance, -distance)))
	}
	return Description{
		Summary: fmt.Sprintf("%s %s and %s %s too far apart", f.Subject.Component, f.Subject.Version.Shown(), f.Reference.Version.Shown(), tenseOf(p).of("are", "be")),
		Message: sentences(message, limitSentence(p, m), reasons(p), lostZero(f.Subject.Version), lostZero(f.Reference.Version)),
		Remedy:  cmp.Or(remedies(p), towards(p, m)),
	}
}

// describePatch describes a patch that is too new under a rule that compares
// patches.
func describePatch(p finding.Problem, m *finding.Mismatch) Description {
	f := p.Findings[0]
	return Description{
		Summary: fmt.Sprintf("%s %s %s too new for %s %s", subjects(p), f.Subject.Version, is(p), f.Reference.Component, f.Reference.Version),
		Message: sentences(fmt.Sprintf("%s, a newer patch than %s.", subjectsOf(p).run(tenseOf(p)), referencesOf(p).named()),
			limitSentence(p, m), "Patches are compared too.", reasons(p)),
		Remedy: cmp.Or(remedies(p), fmt.Sprintf("Set %s to the patch of %s or an earlier one.", instances(p), f.Reference.Component)),
	}
}

// describeUnmet describes a requirement that is not met.
func describeUnmet(p finding.Problem, m *finding.Mismatch) Description {
	f, q := p.Findings[0], m.Rule.Requirement
	if m.Rule.Scope == policy.ScopeSelf {
		return Description{
			Summary: fmt.Sprintf("%s %s does not satisfy %s", f.Subject.Component, f.Subject.Version, q.Require),
			Message: sentences(subjectsOf(p).run(tenseOf(p))+".", requirementSentence(nil, m.Rule), reasons(p)),
			Remedy:  cmp.Or(remedies(p), fmt.Sprintf("Change %s to a version that satisfies %s. If that takes several applies, waive %s until the last one.", instances(p), q.Require, p.Findings[0].RuleID)),
		}
	}
	return Description{
		Summary: fmt.Sprintf("%s %s %s %s %s, not %s", subjects(p), f.Subject.Version, tenseOf(p).of(agree(p, "requires", "require"), "require"), f.Reference.Component, q.Require, f.Reference.Version),
		Message: sentences(fmt.Sprintf("%s with %s.", subjectsOf(p).run(tenseOf(p)), referencesOf(p).named()), requirementSentence(p.Components(), m.Rule), reasons(p)),
		Remedy: cmp.Or(remedies(p), fmt.Sprintf("Change %s to a version that satisfies %s, or %s to one without this requirement.",
			target(finding.Target{Components: []string{f.Reference.Component}, Locations: p.References()}), q.Require, instances(p))),
	}
}

// reasons returns the reasons of the rules that a problem is about, each once.
func reasons(p finding.Problem) string {
	var all []string
	for _, f := range p.Findings {
		m, ok := f.Cause.(*finding.Mismatch)
		if c, ordered := f.Cause.(*finding.ApplyOrder); ordered {
			m, ok = c.Intermediate, true
		}
		if ok && !slices.Contains(all, m.Rule.Reason) {
			all = append(all, m.Rule.Reason)
		}
	}
	return sentences(all...)
}

// towards says in which direction to change versions if no single change is known to
// repair the problem.
func towards(p finding.Problem, m *finding.Mismatch) string {
	f := p.Findings[0]
	now := f.Subject.Version.Minor()
	var s string
	switch {
	case m.Relation == finding.Incomparable:
		return fmt.Sprintf("Use the same major version for %s and %s.", instances(p), f.Reference.Component)
	case f.Allowed.Empty:
		return fmt.Sprintf("Bring the versions of %s closer together first.", f.Reference.Component)
	case m.Relation == finding.TooOld && f.Allowed.Minimum != nil && f.Allowed.Minimum.Compare(now) > 0:
		s = fmt.Sprintf("Upgrade %s to %s or later", instances(p), f.Allowed.Show(f.Allowed.Minimum))
	case m.Relation == finding.TooNew && f.Allowed.Maximum != nil && f.Allowed.Maximum.Compare(now) < 0:
		s = fmt.Sprintf("Set %s to %s or earlier", instances(p), f.Allowed.Show(f.Allowed.Maximum))
	default: // versions on both sides of this one are allowed
		s = fmt.Sprintf("Change %s to an allowed version", instances(p))
	}
	if f.RemediesTried() {
		return s + ", and make the changes that the other findings ask for."
	}
	return s + "."
}

// limitSentence states the limits of a problem, and which versions they allow.
func limitSentence(p finding.Problem, m *finding.Mismatch) string {
	if m.Relation == finding.Incomparable {
		return "Version skew is only defined within one major version."
	}
	f := p.Findings[0]
	var condition policy.Condition
	if m.Condition != nil {
		condition = *m.Condition
	}
	subject := constrained(a(listOr(p.Components())), condition.Subject)
	if m.DuringUpgrade {
		subject = fmt.Sprintf("while %s is being upgraded, %s", f.Reference.Component, subject)
	}
	limit := limitClause(m.Limits.MaxNewer, m.Limits.MaxOlder, func(determiner string) string { return constrained(comparedWith(m, determiner), condition.Reference) })
	allowed := Window(f.Allowed)
	if f.Allowed.Empty {
		allowed = fmt.Sprintf("none, because the %s versions are too far apart", f.Reference.Component)
	}
	return fmt.Sprintf("%s %s. Allowed here: %s.", upperFirst(subject), limit, allowed)
}

// comparedWith names what the subject of a finding is compared with, after "any" or
// "every".
func comparedWith(m *finding.Mismatch, determiner string) string {
	switch {
	case m.Local:
		return "the " + m.Rule.Reference + " on the same instance"
	case m.Rule.Scope == policy.ScopeEndpoint:
		return determiner + " " + m.Rule.Reference
	}
	return referenceOf(m.Rule, determiner)
}

// limitClause states limits in minors. nil means no limit. reference names the
// reference after "any" or "every".
func limitClause(newer, older *int, reference func(determiner string) string) string {
	other := reference("any")
	switch {
	case newer == nil && older == nil:
		return "may differ from " + other + " by any number of minor versions"
	case newer == nil && *older == 0:
		return "must not be older than " + other
	case newer == nil:
		return fmt.Sprintf("may be at most %s older than %s", minors(*older), other)
	case older == nil && *newer == 0:
		return "must not be newer than " + other
	case older == nil:
		return fmt.Sprintf("may be at most %s newer than %s", minors(*newer), other)
	case *newer == 0 && *older == 0:
		return "must have the same minor version as " + reference("every")
	case *newer == *older:
		return fmt.Sprintf("may be at most %s older or newer than %s", minors(*older), other)
	case *newer == 0:
		return fmt.Sprintf("may be at most %s older than %s, and never newer", minors(*older), other)
	case *older == 0:
		return fmt.Sprintf("may be at most %s newer than %s, and never older", minors(*newer), other)
	}
	return fmt.Sprintf("may be at most %s older and at most %s newer than %s", minors(*older), minors(*newer), other)
}
