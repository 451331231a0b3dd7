// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// describeMismatch describes a combination that a rule does not allow.
func describeMismatch(p finding.Problem, m *finding.Mismatch) Description {
	f, t := p.Findings[0], tenseOf(p)
	names, subject := subjects(p), f.Subject.Version
	component, reference := f.Reference.Component, f.Reference.Version
	distance := fmt.Sprintf(", %s behind", minors(f.Distance()))
	if m.Relation == finding.TooNew {
		distance = fmt.Sprintf(", %s ahead of", minors(f.Distance()))
	}
	run, rule := subjectsOf(p).run(t), limitSentence(p, m)
	beside := func(relation string) string { return fmt.Sprintf("%s%s %s.", run, relation, referencesOf(p).named()) }
	var d Description
	switch {
	case m.Rule.Scope == policy.ScopeSelf:
		d.Summary = fmt.Sprintf("%s %s does not satisfy %s", names, subject, m.Rule.Requirement.Require)
		d.Message = run + "."
	case m.Relation == finding.Unmet:
		d.Summary = fmt.Sprintf("%s %s %s %s %s, not %s", names, subject, t.of(agree(p, "requires", "require"), "require"), component, m.Rule.Requirement.Require, reference)
		d.Message = beside(" with")
	case m.Relation == finding.Incomparable:
		d.Summary = fmt.Sprintf("%s %s cannot be compared with %s %s", names, subject.Shown(), component, reference.Shown())
		d.Message = beside(", a different major version than")
	case byPatch(f, m):
		d.Summary = tooFar(p, m, t)
		d.Message = beside(", a newer patch than")
		rule += " Patches are compared too."
	case f.Subject.Component == component:
		d.Summary = fmt.Sprintf("%s %s and %s %s too far apart", component, subject.Shown(), reference.Shown(), t.of("are", "be"))
		d.Message = beside(distance)
		if len(p.Findings) > 1 {
			d.Message = fmt.Sprintf("The %s versions %s %s, up to %s apart.", component, t.of("are", "be"), append(subjectsOf(p), referencesOf(p)...).byVersion(), minors(f.Distance()))
		}
	case m.Relation == finding.TooOld && m.DuringUpgrade:
		d.Summary = fmt.Sprintf("%s %s %s too old for the upgrade of %s to %s", names, subject.Shown(), is(p, t), component, reference.Shown())
		d.Message = beside(distance)
	default:
		d.Summary = tooFar(p, m, t)
		d.Message = beside(distance)
	}
	note, policyRemedy := otherNumbers(p)
	if m.Relation != finding.Unmet {
		note = sentences(lostZero(subject), lostZero(reference), note)
	}
	d.Message = sentences(d.Message, rule, reasons(p), note)
	d.Remedy = cmp.Or(policyRemedy, remedies(p), towards(p, m))
	return d
}

// tooFar says that a subject is too old or too new for its reference. It names patches only
// if they make the difference.
func tooFar(p finding.Problem, m *finding.Mismatch, t tense) string {
	f, spell, age := p.Findings[0], version.Version.Shown, "old"
	if byPatch(f, m) {
		spell = version.Version.String
	}
	if m.Relation == finding.TooNew {
		age = "new"
	}
	return fmt.Sprintf("%s %s %s too %s for %s %s", subjects(p), spell(f.Subject.Version), is(p, t), age, f.Reference.Component, spell(f.Reference.Version))
}

// byPatch reports whether a subject is too new only because of its patch.
func byPatch(f finding.Finding, m *finding.Mismatch) bool {
	distance, _ := f.Subject.Version.Minor().Skew(f.Reference.Version.Minor())
	return m.Relation == finding.TooNew && distance == *m.Limits.MaxNewer
}

// otherNumbers points out that a version is probably a release of a distribution, and asks for
// a policy that uses its release numbers. Both texts are "" for other versions.
func otherNumbers(p finding.Problem) (message, remedy string) {
	v, scheme := p.Findings[0].PossibleRelease()
	if scheme == nil {
		return "", ""
	}
	also := ""
	others := slices.DeleteFunc(policy.BuiltinNamesWithScheme(scheme), func(name string) bool { return name == scheme.Name() })
	if len(others) > 0 {
		also = fmt.Sprintf(" (or %s on those platforms)", listOr(each(others, strconv.Quote)))
	}
	return fmt.Sprintf("%s looks like a release of %s, which runs Kubernetes %s. The policy expects Kubernetes versions.", v, scheme.Title(), v.Minor()),
		fmt.Sprintf("Set policy = %q%s. %s then counts as Kubernetes %s.", scheme.Name(), also, v, v.Minor())
}

// reasons returns the reasons of the rules that a problem is about, each once. They do not
// explain why different majors cannot be compared.
func reasons(p finding.Problem) string {
	var all []string
	for _, f := range p.Findings {
		m, ok := f.Cause.(*finding.Mismatch)
		if c, ordered := f.Cause.(*finding.ApplyOrder); ordered {
			m, ok = c.Intermediate, true
		}
		if ok && m.Relation != finding.Incomparable && !slices.Contains(all, m.Rule.Reason) {
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
	case m.Rule.Scope == policy.ScopeSelf:
		return fmt.Sprintf("Change %s to a version that satisfies %s. If that takes several applies, waive %s until the last one.", instances(p), m.Rule.Requirement.Require, f.RuleID)
	case m.Relation == finding.Unmet:
		reference := target(finding.Target{Components: []string{f.Reference.Component}, Locations: p.References()})
		return fmt.Sprintf("Change %s to a version that satisfies %s, or %s to one without this requirement.", reference, m.Rule.Requirement.Require, instances(p))
	case byPatch(f, m):
		return fmt.Sprintf("Set %s to the patch of %s or an earlier one.", instances(p), f.Reference.Component)
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

// limitSentence states the rule of a problem and, if it limits the skew, which versions it
// allows.
func limitSentence(p finding.Problem, m *finding.Mismatch) string {
	switch m.Relation {
	case finding.Unmet:
		return requirementSentence(p.Components(), m.Rule)
	case finding.Incomparable:
		return "Version skew is only defined within one major version."
	case finding.Within, finding.TooOld, finding.TooNew:
	}
	f := p.Findings[0]
	var condition policy.Condition
	if m.Condition != nil {
		condition = *m.Condition
	}
	subject := constrained(a(p), condition.Subject)
	if m.DuringUpgrade {
		subject = fmt.Sprintf("while %s is being upgraded, %s", f.Reference.Component, subject)
	}
	limit := limitClause(m.Limits, func(determiner string) string { return constrained(comparedWith(m, determiner), condition.Reference) })
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

// limitClause states limits in minors. reference names the reference after "any" or
// "every".
func limitClause(limits policy.Limits, reference func(determiner string) string) string {
	newer, older, other := limits.MaxNewer, limits.MaxOlder, reference("any")
	oneSided := func(n int, direction string) string {
		if n == 0 {
			return fmt.Sprintf("must not be %s than %s", direction, other)
		}
		return fmt.Sprintf("may be at most %s %s than %s", minors(n), direction, other)
	}
	switch {
	case newer == nil && older == nil:
		return fmt.Sprintf("may differ from %s by any number of minor versions", other)
	case newer == nil:
		return oneSided(*older, "older")
	case older == nil:
		return oneSided(*newer, "newer")
	case *newer == 0 && *older == 0:
		return "must have the same minor version as " + reference("every")
	case *newer == *older:
		return oneSided(*older, "older or newer")
	case *newer == 0:
		return oneSided(*older, "older") + ", and never newer"
	case *older == 0:
		return oneSided(*newer, "newer") + ", and never older"
	}
	return fmt.Sprintf("may be at most %s older and at most %s newer than %s", minors(*older), minors(*newer), other)
}
