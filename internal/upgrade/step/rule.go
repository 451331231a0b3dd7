// SPDX-License-Identifier: MPL-2.0

package step

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Exceeded reports whether a move exceeds a limit of a step rule, and which.
func Exceeded(r *policy.StepRule, from, to version.Version) (limit finding.StepLimit, exceeded bool) {
	minors, countable := to.Minor().Skew(from.Minor())
	limits := r.LimitsFor(from, to)
	limit = finding.StepLimit{Rule: r, Limits: limits, Comparable: countable, Back: countable && minors < 0}
	if minors == 0 && countable && r.KeepsPatch(limits) {
		before, declaredBefore := from.Patch()
		after, declaredAfter := to.Patch()
		limit.Back, limit.Patch = true, true
		return limit, declaredBefore && declaredAfter && after < before
	}
	return limit, !countable || limits.MaxUpgrade != nil && minors > *limits.MaxUpgrade || limits.MaxDowngrade != nil && -minors > *limits.MaxDowngrade
}

// ExceededInTotal reports whether the moves of a plan together exceed the limit on
// downgrades of a step rule.
func ExceededInTotal(r *policy.StepRule, from, to version.Version) (limit finding.StepLimit, exceeded bool) {
	back, _ := from.Minor().Skew(to.Minor())
	return finding.StepLimit{Rule: r, Comparable: true, Back: true, InTotal: true}, r.MaxDowngradeTotal != nil && back > *r.MaxDowngradeTotal
}

// Allows reports whether all rules allow a move.
func Allows(rules []*policy.StepRule, from, to version.Version) bool {
	return !slices.ContainsFunc(rules, func(r *policy.StepRule) bool { _, exceeded := Exceeded(r, from, to); return exceeded })
}

// NewFinding returns the finding that a move exceeds a limit. The caller adds the locations.
func NewFinding(limit finding.StepLimit, from, to version.Version) finding.Finding {
	r := limit.Rule
	f := finding.Finding{
		RuleID: r.ID, Severity: r.Severity, Source: r.Source,
		Subject:   finding.Side{Component: r.Component, Version: to},
		Reference: finding.Side{Component: r.Component, Version: from},
		Cause:     &limit,
	}
	if limit.InTotal {
		oldest := from.Minor().Add(-*r.MaxDowngradeTotal)
		f.Allowed = finding.Window{Minimum: &oldest}
		return f
	}
	if limit.Comparable && !limit.Back {
		limit.Through = path([]*policy.StepRule{r}, from.Minor(), to.Minor())
	}
	f.Allowed = allowedNext(r, from).Written(from.Numbering())
	return f
}

// allowedNext returns the minors that a rule allows next.
func allowedNext(r *policy.StepRule, now version.Version) finding.Window {
	w := skew.WindowOf([]skew.Bound{{Rule: r.PairRule(), Other: now, OtherIsSubject: true}})
	if _, declared := now.Patch(); declared && r.KeepsPatch(r.LimitsFor(now, now)) {
		w.FullyAllowed = &finding.Range{From: now.Binary()}
		if w.Maximum != nil {
			w.FullyAllowed.Below = w.Maximum.Add(1).Version()
		}
	}
	return w
}

// MaxPath is the maximum number of minors in a Path.
const MaxPath = 100

// Path lists the minors that a component goes through in an upgrade, including the
// last one, in as few and as large steps as the policy allows. Without a step rule, a
// component upgrades in one step. The path is empty if to is not newer than from or
// if the policy allows no way to it, and ends after MaxPath minors.
func Path(p *policy.Policy, component string, from, to version.Minor) []version.Minor {
	return path(p.StepRulesFor(component), from, to)
}

func path(rules []*policy.StepRule, from, to version.Minor) []version.Minor {
	if last := from.Add(MaxPath); to.Compare(last) > 0 {
		to = last
	}
	distance, _ := to.Skew(from)
	steps := Steps(rules, to, distance, version.Minor.Version)
	var minors []version.Minor
	for at := distance; at > 0 && steps[at] != Unreachable; {
		now, next := to.Add(-at).Version(), 0
		for steps[next] != steps[at]-1 || !Allows(rules, now, to.Add(-next).Version()) {
			next++
		}
		at = next
		minors = append(minors, to.Add(-at))
	}
	return minors
}

// Unreachable is the number of steps to a minor to which the rules allow no way.
const Unreachable = -1

// Steps returns the number of steps that rules require to get to a minor, by distance
// from it. A negative distance is that of newer minors, which go back. at returns the
// version of a minor that steps use.
func Steps(rules []*policy.StepRule, to version.Minor, distance int, at func(version.Minor) version.Version) []int {
	direction := 1
	if distance < 0 {
		direction, distance = -1, -distance
	}
	steps := make([]int, distance+1)
	for away := 1; away <= distance; away++ {
		steps[away] = Unreachable
		from := at(to.Add(-away * direction))
		for next := range away {
			if steps[next] == Unreachable || steps[away] != Unreachable && steps[next]+1 >= steps[away] {
				continue
			}
			if Allows(rules, from, at(to.Add(-next*direction))) {
				steps[away] = steps[next] + 1
			}
		}
	}
	return steps
}
