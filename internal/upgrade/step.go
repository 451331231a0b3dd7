// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Step is the result of checking a step.
type Step struct {
	Findings []finding.Finding
	// Order lists the moves in an order in which every intermediate combination
	// satisfies the policy. It does not depend on the declared order. It is empty if
	// no such order exists or nothing moves.
	Order []Move
}

// Evaluate checks the step between two combinations whose moves are applied in the
// given order. It does not check the combinations themselves: skew.Evaluate does.
func Evaluate(p *policy.Policy, from, to skew.Cluster, order ApplyOrder) Step {
	order = cmp.Or(order, ControlPlaneFirst)
	sites := changes(from, to)
	findings, refused := checkLimits(p, sites, from)
	graph := newGraph(p, sites, refused)
	conflicts := graph.conflicts()
	step := Step{Findings: slices.Concat(findings, conflicts, graph.applyOrderFindings(order))}
	if len(refused) == 0 && len(conflicts) == 0 {
		step.Order = graph.order()
	}
	finding.Sort(step.Findings)
	return step
}

// member identifies a component at a site.
type member struct {
	site      *site
	component string
}

// checkLimits applies the step rules. It also returns the members whose move is
// refused. Their moves have to change anyway, so the order of the step ignores them.
func checkLimits(p *policy.Policy, sites []*site, from skew.Cluster) ([]finding.Finding, map[member]bool) {
	refused := map[member]bool{}
	type key struct{ rule, from, to string }
	var groups group.Map[key, finding.Finding]
	for _, r := range p.StepRules {
		newest := from.Newest(r.Component)
		for _, s := range sites {
			change, _ := s.State(r.Component)
			if change.To.IsZero() {
				continue
			}
			// A new instance joins instances that already run, and uses the data that
			// they have stored. So it counts as an upgrade from the newest of them. A
			// new node pool starts empty, at any version.
			if change.From.IsZero() && s.location.Attribute != finding.NodePools && s.location.Attribute != finding.KubeProxy {
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
				refused[member{s, r.Component}] = true
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
			f.Subject.Locations = append(f.Subject.Locations, s.locations(r.Component)...)
		}
	}
	findings := groups.All
	for i := range findings {
		findings[i].Subject.Locations = tidy(findings[i].Subject.Locations)
	}
	return findings, refused
}

// exceededLimit returns the limit that a move exceeds, nil if the rule allows it.
func exceededLimit(r *policy.StepRule, c Change) *finding.StepLimit {
	switch checkStep(r, c.From, c.To) {
	case otherMajor:
		return &finding.StepLimit{Rule: r}
	case tooFarUp:
		return &finding.StepLimit{Rule: r, Comparable: true, Through: path(c.From.Minor(), c.To.Minor(), *r.MaxUpgrade)}
	case tooFarBack:
		return &finding.StepLimit{Rule: r, Comparable: true, Back: true}
	case olderPatch:
		return &finding.StepLimit{Rule: r, Comparable: true, Back: true, Patch: true}
	case withinStep:
	}
	return nil
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
	switch {
	case !countable:
		return otherMajor
	case r.MaxUpgrade != nil && minors > *r.MaxUpgrade:
		return tooFarUp
	case r.MaxDowngrade != nil && -minors > *r.MaxDowngrade:
		return tooFarBack
	case minors == 0 && r.KeepsPatch():
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
	from := now.Minor()
	w := finding.Window{Major: &from.Major}
	if r.MaxDowngrade != nil {
		m := from.Add(-*r.MaxDowngrade)
		w.Minimum = &m
	}
	if r.MaxUpgrade != nil {
		m := from.Add(*r.MaxUpgrade)
		w.Maximum = &m
	}
	if w.Minimum != nil && w.Maximum != nil {
		for m := *w.Minimum; m.Compare(*w.Maximum) <= 0; m = m.Add(1) {
			w.Minors = append(w.Minors, m)
		}
	}
	if _, declared := now.Patch(); declared && r.KeepsPatch() {
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
// last one, in the largest steps that the policy allows. Without a step rule, a
// component upgrades in one step. The path is empty if to is not newer than from or
// if the policy allows no upgrade, and ends after MaxPath minors.
func Path(p *policy.Policy, component string, from, to version.Minor) []version.Minor {
	maxStep := MaxPath
	for _, r := range p.StepRulesFor(component) {
		if r.MaxUpgrade != nil {
			maxStep = min(maxStep, *r.MaxUpgrade)
		}
	}
	return path(from, to, maxStep)
}

func path(from, to version.Minor, maxStep int) []version.Minor {
	var minors []version.Minor
	for m := from; maxStep > 0 && m.Compare(to) < 0 && len(minors) < MaxPath; minors = append(minors, m) {
		m = older(m.Add(maxStep), to)
	}
	return minors
}

// tidy sorts locations and removes duplicates, in place.
func tidy(locations []finding.Location) []finding.Location {
	slices.SortFunc(locations, finding.Location.Compare)
	return slices.Compact(locations)
}
