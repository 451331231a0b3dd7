// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"

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
	subject := fmt.Sprintf("%s %s", f.Subject.Component, f.Subject.Version.Shown())
	reference := fmt.Sprintf("%s %s", f.Reference.Component, f.Reference.Version.Shown())
	var d Description
	var relation string
	t := tenseOf(p)
	reason := m.Rule.Reason
	switch m.Relation {
	case finding.TooOld:
		d.Summary = fmt.Sprintf("%s %s too old for %s", subject, t.is(), reference)
		if m.DuringUpgrade {
			d.Summary = fmt.Sprintf("%s %s too old for the upgrade to %s", subject, t.is(), reference)
		}
		relation = minors(-distance) + " behind"
	case finding.TooNew:
		d.Summary = fmt.Sprintf("%s %s too new for %s", subject, t.is(), reference)
		relation = minors(distance) + " ahead of"
	case finding.Incomparable:
		d.Summary = fmt.Sprintf("%s cannot be compared with %s", subject, reference)
		relation, reason = "a different major version than", ""
	case finding.Unmet, finding.Within:
	}
	d.Message = sentences(
		fmt.Sprintf("%s, %s %s.", subjectsOf(p).run(tenseOf(p)), relation, referencesOf(p).named()),
		limitSentence(f, m), reason, lostZero(f.Subject.Version), lostZero(f.Reference.Version))
	d.Remedy = orElse(remedies(p), func() string { return towards(p, m) })
	return d
}

// describeSpread describes instances of one component that are too far apart.
func describeSpread(p finding.Problem, m *finding.Mismatch) Description {
	f := p.Findings[0]
	distance, _ := f.Reference.Version.Minor().Skew(f.Subject.Version.Minor())
	message := fmt.Sprintf("%s, %s behind %s.", subjectsOf(p).run(tenseOf(p)), minors(distance), referencesOf(p).named())
	if len(p.Findings) > 1 {
		message = fmt.Sprintf("%s %s at %s, up to %s apart.", f.Subject.Component, tenseOf(p).of("runs", "run"), append(subjectsOf(p), referencesOf(p)...).byVersion(), minors(max(distance, -distance)))
	}
	return Description{
		Summary: fmt.Sprintf("%s %s and %s %s too far apart", f.Subject.Component, f.Subject.Version.Shown(), f.Reference.Version.Shown(), tenseOf(p).of("are", "be")),
		Message: sentences(message, limitSentence(f, m), m.Rule.Reason, lostZero(f.Subject.Version), lostZero(f.Reference.Version)),
		Remedy:  orElse(remedies(p), func() string { return towards(p, m) }),
	}
}

// describePatch describes a patch that is too new, where patches count.
func describePatch(p finding.Problem, m *finding.Mismatch) Description {
	f := p.Findings[0]
	return Description{
		Summary: fmt.Sprintf("%s %s %s too new for %s %s", f.Subject.Component, f.Subject.Version, tenseOf(p).is(), f.Reference.Component, f.Reference.Version),
		Message: sentences(fmt.Sprintf("%s, a newer patch than %s.", subjectsOf(p).run(tenseOf(p)), referencesOf(p).named()),
			limitSentence(f, m), "Patches count too.", m.Rule.Reason),
		Remedy: orElse(remedies(p), func() string {
			return fmt.Sprintf("Set %s to a patch that %s has already.", instances(f.Subject.Component, p.Locations()), f.Reference.Component)
		}),
	}
}

// describeUnmet describes a requirement that is not met.
func describeUnmet(p finding.Problem, m *finding.Mismatch) Description {
	f, q := p.Findings[0], m.Rule.Requirement
	return Description{
		Summary: fmt.Sprintf("%s %s %s %s %s, not %s", f.Subject.Component, f.Subject.Version, tenseOf(p).of("needs", "need"), f.Reference.Component, q.Require, f.Reference.Version),
		Message: sentences(fmt.Sprintf("%s beside %s.", subjectsOf(p).run(tenseOf(p)), referencesOf(p).named()), PairSentence(m.Rule), m.Rule.Reason),
		Remedy: orElse(remedies(p), func() string {
			return fmt.Sprintf("Change %s to a version that satisfies %s, or %s to one that does not need it.",
				instances(f.Reference.Component, p.References()), q.Require, instances(f.Subject.Component, p.Locations()))
		}),
	}
}

// towards says in which direction to change versions, where no remedy is known that
// works by itself.
func towards(p finding.Problem, m *finding.Mismatch) string {
	f := p.Findings[0]
	subject := instances(f.Subject.Component, p.Locations())
	now := f.Subject.Version.Minor()
	var s string
	switch {
	case m.Relation == finding.Incomparable:
		return fmt.Sprintf("Use the same major version for %s and %s.", subject, f.Reference.Component)
	case f.Allowed.Empty:
		return fmt.Sprintf("Bring the versions of %s closer together first.", f.Reference.Component)
	case m.Relation == finding.TooOld && f.Allowed.Minimum != nil && f.Allowed.Minimum.Compare(now) > 0:
		s = fmt.Sprintf("Upgrade %s to %s or later", subject, f.Allowed.Show(f.Allowed.Minimum))
	case m.Relation == finding.TooNew && f.Allowed.Maximum != nil && f.Allowed.Maximum.Compare(now) < 0:
		s = fmt.Sprintf("Set %s to %s or earlier", subject, f.Allowed.Show(f.Allowed.Maximum))
	default: // versions on both sides of this one are allowed
		s = fmt.Sprintf("Bring %s to an allowed version", subject)
	}
	if f.RemediesTried() {
		return s + ", together with the changes that the other findings ask for."
	}
	return s + "."
}

// limitSentence states the rule and what it comes to here.
func limitSentence(f finding.Finding, m *finding.Mismatch) string {
	if m.Relation == finding.Incomparable {
		return "Version skew is counted in minor versions of one major version."
	}
	subject := a(f.Subject.Component)
	if m.Condition != nil && m.Condition.Subject.String() != "" {
		subject += " " + m.Condition.Subject.String()
	}
	reference := comparedWith(m)
	if m.Condition != nil && m.Condition.Reference.String() != "" {
		reference += " " + m.Condition.Reference.String()
	}
	if m.DuringUpgrade {
		subject = fmt.Sprintf("while %s is being upgraded, %s", f.Reference.Component, subject)
	}
	sentence := upperFirst(subject) + " " + limitClause(m.Limits.MaxNewer, m.Limits.MaxOlder, reference)
	if f.Allowed.Empty {
		return sentence + ". These versions are too far apart: no version is allowed beside all of them."
	}
	return fmt.Sprintf("%s: %s here.", sentence, Window(f.Allowed))
}

// comparedWith names what a subject is compared with here.
func comparedWith(m *finding.Mismatch) string {
	switch {
	case m.Local:
		return "the " + m.Rule.Reference + " on its own instance"
	case m.Rule.Scope == policy.ScopeEndpoint:
		return "every " + m.Rule.Reference
	}
	return referenceOf(m.Rule)
}

// limitClause states limits in minors; nil is without limit.
func limitClause(newer, older *int, reference string) string {
	switch {
	case newer == nil && older == nil:
		return "may have any version beside " + reference
	case newer == nil && *older == 0:
		return "may never be older than " + reference
	case newer == nil:
		return fmt.Sprintf("may be at most %s older than %s", minors(*older), reference)
	case older == nil && *newer == 0:
		return "may never be newer than " + reference
	case older == nil:
		return fmt.Sprintf("may be at most %s newer than %s", minors(*newer), reference)
	case *newer == 0 && *older == 0:
		return "must have the same minor version as " + reference
	case *newer == *older:
		return fmt.Sprintf("may be at most %s older or newer than %s", minors(*older), reference)
	case *newer == 0:
		return fmt.Sprintf("may be at most %s older than %s and never newer", minors(*older), reference)
	case *older == 0:
		return fmt.Sprintf("may be at most %s newer than %s and never older", minors(*newer), reference)
	}
	return fmt.Sprintf("may be at most %s older and at most %s newer than %s", minors(*older), minors(*newer), reference)
}
