package report

import (
	"fmt"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Description is a finding in words.
type Description struct {
	Summary string // what is wrong, with both versions: a clause
	Message string // where it is, what is allowed and why: sentences
	Remedy  string // how to repair it: a sentence
	// Advice says that no limit is broken.
	Advice bool
}

// Describe puts a finding into words. The linter checks that every cause has a case.
func Describe(f finding.Finding) (d Description) {
	switch cause := f.Cause.(type) {
	case *finding.Mismatch:
		d = describeMismatch(f, cause)
	case *finding.StepLimit:
		d = describeStepLimit(f, cause)
	case *finding.StepOrder:
		d = describeStepOrder(f, cause)
	case *finding.ApplyOrder:
		d = describeApplyOrder(f, cause)
	case *finding.NotAvailable:
		d = describeNotAvailable(f, cause)
	case *finding.EndOfLife:
		d = describeEndOfLife(f, cause)
	case *finding.LatestPatch:
		d = describeLatestPatch(f, cause)
	case *finding.Prerelease:
		d = describePrerelease(f, cause)
	case *finding.Webhook:
		d = describeWebhook(f, cause)
	case *finding.NextMinor:
		d = describeNextMinor(f, cause)
	case *finding.MinorMove:
		d = describeMinorMove(f, cause)
	}
	return d
}

// Blocker says in a line who stands in the way of a move that has not been
// declared yet, and what would clear it.
func Blocker(f finding.Finding) string {
	d := Describe(f)
	return fmt.Sprintf("%s: %s. %s", Locations(f.Subject.Locations), d.Summary, d.Remedy)
}

// Detail is the body of a diagnostic: message, remedy, rule and URL and, where
// the finding is waived, why.
func Detail(f finding.Finding) string {
	d := Describe(f)
	what := "To repair"
	if d.Advice {
		what = "What to do"
	}
	detail := fmt.Sprintf("%s\n\n%s: %s\n\nRule %s", d.Message, what, lowerFirst(d.Remedy), f.RuleID)
	if f.Source != "" { // A rule of the user's may have none.
		detail += ": " + f.Source
	}
	if f.WaivedBy != nil {
		detail += "\n\n" + waiverSentence(f.WaivedBy)
	}
	return detail
}

// waiverSentence says why a finding is accepted, and until when.
func waiverSentence(w *finding.Waiver) string {
	until := ""
	if !w.Expires.IsZero() {
		until = " until " + w.Expires.String()
	}
	return fmt.Sprintf("Waived%s by %q: %s", until, w.Name, w.Reason)
}

func describeMismatch(f finding.Finding, m *finding.Mismatch) Description {
	subject, reference := f.Subject, f.Reference
	self := subject.Component == reference.Component
	distance, _ := subject.Version.Minor().Skew(reference.Version.Minor())

	if m.Relation == finding.Unmet {
		return describeUnmet(f, m)
	}
	var d Description
	var relation, advice string
	theOne := instances(subject)
	if m.Relation == finding.TooNew && distance == *m.Limits.MaxNewer {
		return describePatch(f, m)
	}
	switch m.Relation {
	case finding.TooOld:
		d.Summary = fmt.Sprintf("%s %s is too old for %s %s", subject.Component, subject.Version.Minor(), reference.Component, reference.Version.Minor())
		relation = minors(-distance) + " behind"
		advice = "Upgrade " + theOne
		if f.Allowed.Minimum != nil {
			advice += fmt.Sprintf(" to %s or later", f.Allowed.Minimum)
		}
		// Farther than the next minor is no advice for the same step.
		if keep := m.ReferenceAllowed.Maximum; keep != nil && *keep == reference.Version.Minor().Add(-1) {
			advice += fmt.Sprintf(", or keep %s at %s", other(self, reference.Component), keep)
		}
	case finding.TooNew:
		d.Summary = fmt.Sprintf("%s %s is too new for %s %s", subject.Component, subject.Version.Minor(), reference.Component, reference.Version.Minor())
		relation = minors(distance) + " ahead of"
		advice = "Keep " + theOne
		if f.Allowed.Maximum != nil {
			advice += fmt.Sprintf(" at %s or earlier", f.Allowed.Maximum)
		}
		if raise := m.ReferenceAllowed.Minimum; raise != nil && *raise == reference.Version.Minor().Add(1) {
			advice += fmt.Sprintf(", or upgrade %s to %s first", other(self, reference.Component), raise)
		}
	case finding.Incomparable:
		d.Summary = fmt.Sprintf("%s %s cannot be compared with %s %s", subject.Component, subject.Version.Minor(), reference.Component, reference.Version.Minor())
		relation = "of another major version than"
		advice = fmt.Sprintf("Declare %s and %s with the same major version", theOne, other(self, reference.Component))
	}
	if self {
		d.Summary = fmt.Sprintf("%s %s and %s are too far apart", subject.Component, subject.Version.Minor(), reference.Version.Minor())
	}
	if f.Allowed.Empty && m.Relation != finding.Incomparable {
		advice = fmt.Sprintf("Bring %s closer together first", other(false, reference.Component))
	}

	d.Message = fmt.Sprintf("%s %s %s %s, %s %s %s (%s). %s",
		Locations(subject.Locations), verb(subject.Locations, "runs", "run"), subject.Component, subject.Version,
		relation, reference.Component, reference.Version, Locations(reference.Locations), limitSentence(f, m))
	reason := m.Rule.Reason
	if m.Relation == finding.Incomparable {
		reason = ""
	}
	d.Message = sentences(d.Message, reason, lostZero(subject.Version), lostZero(reference.Version))
	d.Remedy = advice + "."
	return d
}

// describePatch describes a patch that is too new, where patches count.
func describePatch(f finding.Finding, m *finding.Mismatch) Description {
	subject, reference := f.Subject, f.Reference
	return Description{
		Summary: fmt.Sprintf("%s %s is too new for %s %s", subject.Component, subject.Version, reference.Component, reference.Version),
		Message: sentences(fmt.Sprintf("%s %s %s %s, a newer patch than %s %s (%s). %s Patches count too.",
			Locations(subject.Locations), verb(subject.Locations, "runs", "run"), subject.Component, subject.Version,
			reference.Component, reference.Version, Locations(reference.Locations), limitSentence(f, m)), m.Rule.Reason),
		Remedy: fmt.Sprintf("Keep %s at a patch that %s has already, or upgrade %s first.", instances(subject), reference.Component, reference.Component),
	}
}

// describeUnmet describes a requirement that is not met.
func describeUnmet(f finding.Finding, m *finding.Mismatch) Description {
	subject, reference, q := f.Subject, f.Reference, m.Rule.Requirement
	return Description{
		Summary: fmt.Sprintf("%s %s needs %s %s, not %s", subject.Component, subject.Version, reference.Component, q.Require, reference.Version),
		Message: sentences(fmt.Sprintf("%s %s %s %s beside %s %s (%s). %s",
			Locations(subject.Locations), verb(subject.Locations, "runs", "run"), subject.Component, subject.Version,
			reference.Component, reference.Version, Locations(reference.Locations), PairSentence(m.Rule)), m.Rule.Reason),
		Remedy: fmt.Sprintf("Move %s to %s, or %s to a version that does not need it.", instances(reference), q.Require, instances(subject)),
	}
}

// instances names the instances of one side.
func instances(side finding.Side) string {
	where := Locations(side.Locations)
	if side.Locations[0].Index >= 0 {
		return where // an element of a list is the instance itself
	}
	return fmt.Sprintf("the %s of %s", side.Component, where)
}

// other names the reference in an advice.
func other(self bool, component string) string {
	if self {
		return "the other " + component
	}
	return component
}

// limitSentence states the rule and what it comes to here.
func limitSentence(f finding.Finding, m *finding.Mismatch) string {
	if m.Relation == finding.Incomparable {
		return "Version skew counts minor versions within one major version, so nothing can be said about these two."
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
		return sentence + "; here these differ so much among themselves that no version fits beside all of them."
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

func describeStepLimit(f finding.Finding, c *finding.StepLimit) Description {
	component, from, to := f.Subject.Component, f.Reference.Version, f.Subject.Version
	where := Locations(f.Subject.Locations)
	moves := verb(f.Subject.Locations, "moves", "move")
	distance, _ := to.Minor().Skew(from.Minor())

	switch {
	case !c.Comparable:
		return Description{
			Summary: fmt.Sprintf("%s cannot go from %s to %s in one step", component, from.Minor(), to.Minor()),
			Message: fmt.Sprintf("%s %s %s from %s to %s, another major version. Steps are counted in minor versions within one major version, so nothing can be said about this one.", where, moves, component, from, to),
			Remedy:  fmt.Sprintf("Keep %s at major version %d.", component, from.Minor().Major),
		}
	case c.Back:
		d := Description{
			Summary: fmt.Sprintf("%s cannot go back from %s to %s", component, from.Minor(), to.Minor()),
			Message: fmt.Sprintf("%s %s %s from %s back to %s. %s may not go back", where, moves, component, from, to, upperFirst(a(component))),
			Remedy:  fmt.Sprintf("Keep %s at %s or later.", component, f.Allowed.Minimum),
		}
		if *c.Rule.MaxDowngrade > 0 {
			d.Message += fmt.Sprintf(" more than %s per step", minors(*c.Rule.MaxDowngrade))
		}
		d.Message = sentences(d.Message+".", c.Rule.DowngradeReason, lostZero(to))
		return d
	}
	d := Description{
		Summary: fmt.Sprintf("%s cannot go from %s to %s in one step", component, from.Minor(), to.Minor()),
		Remedy:  fmt.Sprintf("Go through %s, each in an apply of its own, and let the rest of the cluster follow where its own limits ask for it.", listAll(stringsOf(c.Through))),
	}
	limit := fmt.Sprintf("may move up at most %s per step, to %s here", minors(*c.Rule.MaxUpgrade), f.Allowed.Maximum)
	if *c.Rule.MaxUpgrade == 0 {
		limit = "may not move up"
		d.Remedy = fmt.Sprintf("Keep %s at %s.", component, from.Minor())
	}
	d.Message = sentences(fmt.Sprintf("%s %s %s from %s to %s, %s in one step. %s %s.",
		where, moves, component, from, to, minors(distance), upperFirst(a(component)), limit),
		c.Rule.Reason, lostZero(from), lostZero(to))
	return d
}

func describeStepOrder(f finding.Finding, c *finding.StepOrder) Description {
	subject := upgrade.Change{From: c.FromSubject, To: f.Subject.Version}
	reference := upgrade.Change{From: c.FromReference, To: f.Reference.Version}
	s, r := f.Subject.Component, f.Reference.Component

	spell := func(v version.Version) string { return v.Minor().String() }
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
			return fmt.Sprintf("by other rules, %s has to wait for %s", second, first)
		}
		return fmt.Sprintf("%s %s cannot run beside %s %s, so %s would have to move first", s, spell(subject), r, spell(reference), first)
	}
	beside := c.Rule
	if reference.Upgrades() {
		beside = beside.DuringUpgrade()
	}
	d.Message = fmt.Sprintf("%s while %s. Whichever goes first, what runs in between breaks the policy: %s; %s.",
		changeSentence(f.Subject, subject), changeSentence(f.Reference, reference),
		apart(beside, subject.From, reference.To, s, r), apart(c.Rule, subject.To, reference.From, r, s))
	d.Remedy = fmt.Sprintf("Split the step: move %s and %s by fewer minor versions at a time.", s, r)
	if via := c.Via; via.Maximum != nil {
		d.Remedy = fmt.Sprintf("Move %s to %s first, in an apply of its own", instances(f.Subject), via.Maximum)
		if len(via.Minors) > 1 {
			d.Remedy += fmt.Sprintf(" (%s would do)", Window(via))
		}
		d.Remedy += ", then take the rest of the step."
	}
	return d
}

func describeNotAvailable(f finding.Finding, c *finding.NotAvailable) Description {
	return Description{
		Summary: fmt.Sprintf("%s %s is not available", f.Subject.Component, c.Minor),
		Message: fmt.Sprintf("The way of %s from %s to %s leads through %s, of which available_versions lists no version.",
			instances(f.Subject), f.Reference.Version, f.Subject.Version, c.Minor),
		Remedy: fmt.Sprintf("Add a version of %s to available_versions, or leave that out to plan with any version.", c.Minor),
	}
}

// changeSentence tells one change, and where it happens.
func changeSentence(side finding.Side, c upgrade.Change) string {
	return fmt.Sprintf("%s %s %s from %s to %s", Locations(side.Locations), verb(side.Locations, "moves", "move"), side.Component, c.From, c.To)
}

// lostZero warns of a version that looks like a number which was not quoted:
// 1.30 without quotes is 1.3.
func lostZero(v version.Version) string {
	_, hasPatch := v.Patch()
	if m := v.Minor(); m.Minor == 0 || m.Minor > 9 || hasPatch {
		return ""
	}
	return fmt.Sprintf("If %s was meant to be %s0, quote it: a number loses its last zero.", v, v)
}

// sentences joins sentences, leaving out empty ones.
func sentences(all ...string) string {
	var some []string
	for _, s := range all {
		if s != "" {
			some = append(some, s)
		}
	}
	return strings.Join(some, " ")
}
