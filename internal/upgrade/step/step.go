// SPDX-License-Identifier: MPL-2.0

package step

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Result is the result of Check.
type Result struct {
	Findings []finding.Finding
	// Order lists the moves in an order in which every intermediate combination
	// satisfies the policy. It does not depend on the declared order. It is empty if
	// no such order exists or nothing moves.
	Order []Ordered
}

// Check checks the step between two combinations whose moves are applied in the
// given order. It does not check the combinations themselves: skew.Findings does.
func Check(p *policy.Policy, from, to skew.Cluster, order ApplyOrder) Result {
	order = cmp.Or(order, ControlPlaneFirst)
	sites := changes(from, to)
	limits, refused := checkLimits(p, sites, from)
	graph := newGraph(p, sites)
	conflicts := graph.conflicts()
	result := Result{Findings: slices.Concat(limits, conflicts, graph.applyOrderFindings(order))}
	for i := range result.Findings {
		f := &result.Findings[i]
		f.Subject.Locations, f.Reference.Locations = finding.Distinct(f.Subject.Locations), finding.Distinct(f.Reference.Locations)
	}
	if !refused && len(conflicts) == 0 {
		result.Order = graph.order()
	}
	finding.Sort(result.Findings)
	return result
}

// checkLimits applies the step rules. Moves that a rule refuses have to change anyway, so
// the order of the step ignores them.
func checkLimits(p *policy.Policy, sites []*site, from skew.Cluster) (findings []finding.Finding, refused bool) {
	type key struct{ rule, from, to string }
	var groups group.Map[key, finding.Finding]
	for _, r := range p.StepRules {
		newest := from.Newest(r.Component)
		for n := range nodesOf(sites) {
			change := n.Change
			if n.component != r.Component || change.To.IsZero() {
				continue
			}
			if n.joins() {
				change.From = newest
			}
			if change.From.IsZero() {
				continue
			}
			cause := exceededLimit(r, change)
			if cause == nil {
				continue
			}
			if r.Severity == policy.SeverityError {
				n.refused, refused = true, true
			}
			f := groups.GetOrCreate(key{r.ID, change.From.String(), change.To.String()}, func() finding.Finding {
				return finding.Finding{
					RuleID: r.ID, Severity: r.Severity, Source: r.Source,
					Subject:   finding.Side{Component: r.Component, Version: change.To},
					Reference: finding.Side{Component: r.Component, Version: change.From},
					Allowed:   allowedNext(r, change.From).Written(change.From.Numbering()),
					Cause:     cause,
				}
			})
			f.Subject.Locations = append(f.Subject.Locations, n.locations()...)
		}
	}
	return groups.All, refused
}

// exceededLimit returns the limit that a move exceeds, nil if the rule allows it.
func exceededLimit(r *policy.StepRule, c finding.Change) *finding.StepLimit {
	limit := &finding.StepLimit{Rule: r, Limits: r.LimitsFor(c.From, c.To), Comparable: true}
	switch checkStep(r, c.From, c.To) {
	case withinStep:
		return nil
	case otherMajor:
		limit.Comparable = false
	case tooFarUp:
		limit.Through = path([]*policy.StepRule{r}, c.From.Minor(), c.To.Minor())
	case tooFarBack:
		limit.Back = true
	case olderPatch:
		limit.Back, limit.Patch = true, true
	}
	return limit
}

// stepRelation is the relation of a move to a step rule.
type stepRelation int

const (
	withinStep stepRelation = iota
	otherMajor
	tooFarUp
	tooFarBack
	olderPatch // of the same minor
)

// checkStep returns the relation of a move to a step rule.
func checkStep(r *policy.StepRule, from, to version.Version) stepRelation {
	minors, countable := to.Minor().Skew(from.Minor())
	limits := r.LimitsFor(from, to)
	switch {
	case !countable:
		return otherMajor
	case limits.MaxUpgrade != nil && minors > *limits.MaxUpgrade:
		return tooFarUp
	case limits.MaxDowngrade != nil && -minors > *limits.MaxDowngrade:
		return tooFarBack
	case minors == 0 && r.KeepsPatch(limits):
		before, declaredBefore := from.Patch()
		after, declaredAfter := to.Patch()
		if declaredBefore && declaredAfter && after < before {
			return olderPatch
		}
	}
	return withinStep
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

// Allows reports whether all rules allow a move.
func Allows(rules []*policy.StepRule, from, to version.Version) bool {
	return !slices.ContainsFunc(rules, func(r *policy.StepRule) bool { return checkStep(r, from, to) != withinStep })
}
