// SPDX-License-Identifier: MPL-2.0

// Package upgrade judges steps: the change from one combination to another.
//
// A step is refused when a component moves further than a step rule allows, or
// when no order of single moves keeps every combination on the way sound. The
// order asks the pair predicate of package skew about instances half of which
// have moved, and knows no component, no rule and no direction: that an API
// server goes before its kubelets on the way up, and after them on the way
// down, follows.
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

// Step is what is to be said of a change from one combination to another.
type Step struct {
	Findings []finding.Finding
	// Order is the moves in an order that keeps every combination on the way
	// sound, whatever the declared one is; empty when there is none, or nothing
	// moves.
	Order []Move
}

// MaxPath bounds the minors of a Path.
const MaxPath = 100

// Path lists the minors that a component goes through on the way up, the last
// one included, as the step rules of a policy allow; without such a rule that
// is one step. It is empty when nothing newer is asked for, or the policy allows
// no upgrade, and is cut off after MaxPath minors.
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

// Evaluate judges the step between two combinations, applied in some order. The
// combinations themselves are package skew's to judge.
func Evaluate(p *policy.Policy, from, to skew.Cluster, order ApplyOrder) Step {
	order = cmp.Or(order, ControlPlaneFirst)
	sites := changes(from, to)
	findings, refused := judgeLimits(p, sites, from)
	graph := newGraph(p, sites, refused)
	conflicts := graph.conflicts()
	step := Step{Findings: slices.Concat(findings, conflicts, graph.misordered(order))}
	if len(refused) == 0 && len(conflicts) == 0 {
		step.Order = graph.order()
	}
	finding.Sort(step.Findings)
	return step
}

// member names one component of one site.
type member struct {
	site      *site
	component string
}

// judgeLimits applies the step rules. It also returns the members whose move is
// refused: they have to be planned anew, so that what else they would break on
// the way is of no interest.
func judgeLimits(p *policy.Policy, sites []*site, from skew.Cluster) ([]finding.Finding, map[member]bool) {
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
			// A new instance joins those that run, and what they store; a new
			// node pool is made at its version, and moves from nowhere.
			if change.From.IsZero() && s.location.Attribute != finding.NodePools && s.location.Attribute != finding.KubeProxy {
				change.From = newest
			}
			if change.From.IsZero() {
				continue
			}
			cause := judgeMove(r, change)
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
					Allowed:   reach(r, change.From).Written(change.From.Numbering()),
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

// judgeMove returns why a rule refuses a move, or nil.
func judgeMove(r *policy.StepRule, c Change) *finding.StepLimit {
	switch relate(r, c.From, c.To) {
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

// stepRelation is how a move stands to a step rule.
type stepRelation int

const (
	withinStep stepRelation = iota
	otherMajor
	tooFarUp
	tooFarBack
	olderPatch // of the same minor
)

// relate is the one predicate over a move and a step rule.
func relate(r *policy.StepRule, from, to version.Version) stepRelation {
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

// reach is the minors that a rule allows next.
func reach(r *policy.StepRule, now version.Version) finding.Window {
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
		w.Certain = &finding.Range{From: now.Binary()}
		if w.Maximum != nil {
			w.Certain.Below = w.Maximum.Add(1).Version()
		}
	}
	return w
}

// tidy brings locations into order, each once.
func tidy(locations []finding.Location) []finding.Location {
	slices.SortFunc(locations, finding.Location.Compare)
	return slices.Compact(locations)
}
