// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// PairSentence states a skew rule or a requirement rule.
func PairSentence(r *policy.PairRule) string {
	if r.Requirement != nil {
		return requirementSentence([]string{r.Subject}, r)
	}
	s := r.Subject + " " + limitClause(r.Limits, func(determiner string) string { return referenceOf(r, determiner) })
	if r.ComparesPatch() {
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
		when := []string{conditionOn(r.Subject, c.Subject), conditionOn(r.Reference, c.Reference)}
		s += fmt.Sprintf("; %s if %s", limits, joinTexts(when, " and "))
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
		must := "must satisfy"
		if _, _, isRange := minorRange(r.Requirement.Require); isRange {
			must = "must be"
		}
		return fmt.Sprintf("%s %s %s.", r.Reference, must, constraintText(r.Requirement.Require))
	}
	return fmt.Sprintf("%s %s %s.", constrained(listAll(subjects), r.Requirement.When), form(len(subjects), "requires", "require"), constrained(r.Reference, r.Requirement.Require))
}

// constraintText formats a constraint: "1.28" or "1.28 to 1.31" if it is a range of minors,
// otherwise as it is written.
func constraintText(c version.Constraint) string {
	first, last, isRange := minorRange(c)
	switch {
	case !isRange:
		return c.String()
	case first == last:
		return first.String()
	}
	return fmt.Sprintf("%s to %s", first, last)
}

// constrained appends a constraint to a name: "kubelet < 1.25", "kubelet 1.28 to 1.31",
// or, if it cannot be written as a range of minors, "kubelet (>= 1.28, < 1.31.2)".
func constrained(name string, c version.Constraint) string {
	s := constraintText(c)
	if strings.Contains(s, ",") {
		s = "(" + s + ")"
	}
	return strings.TrimSuffix(name+" "+s, " ")
}

// conditionOn states that a component satisfies a constraint. It returns "" if all versions
// do.
func conditionOn(component string, c version.Constraint) string {
	if c.String() == "" {
		return ""
	}
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
	if differs(c.MaxOlder, r.MaxOlder) && differs(c.MaxNewer, r.MaxNewer) && *c.MaxOlder == *c.MaxNewer && *c.MaxOlder > 0 {
		return fmt.Sprintf("at most %d", *c.MaxOlder)
	}
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
	up, down, conjunction := "can skip minor versions", rollbackClause(r.MaxDowngrade, r.MaxDowngradeTotal), "and"
	if r.MaxUpgrade != nil {
		up = stepClause("upgraded", *r.MaxUpgrade)
	}
	switch back, total := r.MaxDowngrade, r.MaxDowngradeTotal; {
	case r.KeepsPatch(r.StepLimits):
		down += ", not even to an older patch"
	case total != nil && back != nil && *back > 0 && *back < *total:
		down += fmt.Sprintf(" and at most %s in total", minors(*total))
	}
	if strings.HasPrefix(up, "can ") && strings.HasPrefix(down, "cannot ") {
		conjunction = "but"
	}
	return fmt.Sprintf("%s %s, %s %s%s.", r.Component, up, conjunction, down, stepExceptions(r))
}

// rollbackClause states how far a component can be rolled back in a step or, if that is a
// stricter limit, in total. nil means no limit.
func rollbackClause(perStep, total *int) string {
	switch {
	case total != nil && (perStep == nil || *perStep > 0 && *total <= *perStep):
		return fmt.Sprintf("can be rolled back by at most %s in total", minors(*total))
	case perStep == nil:
		return "can be rolled back to any minor version"
	}
	return stepClause("rolled back", *perStep)
}

// stepClause states how far a component can be upgraded or rolled back in a step.
func stepClause(way string, most int) string {
	if most == 0 {
		return "cannot be " + way
	}
	return fmt.Sprintf("can be %s by at most %s per step", way, minors(most))
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
	case !isRange:
		return constrained("a version", c)
	case first == last:
		return first.String()
	}
	return "any of " + constraintText(c)
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
		return fmt.Sprintf("Gives advice if %s moves to another minor version: %s", component, a.Note)
	}
	return ""
}
