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

// Move is instances of one component that make the same change at the same
// time.
type Move struct {
	Stage     int // from 1; moves of one stage need no order among themselves
	Component string
	Locations []finding.Location
	Change
	Notes []string // what to mind, a sentence each
}

// move is a node of the graph: one component that moves, at one site or, if it is
// declared for the whole cluster, at all of them. Then the member is any of these.
type move struct {
	member
	Change
	before []edge // what must move earlier
	// part is the part of the cluster that a declared order orders.
	part part
	// group is the move that stands for all that wait for each other.
	group *move
	stage int
}

func (n *move) locations() []finding.Location { return n.site.locations(n.component) }

// edge says that a move must come before another one, or, unless strict, no
// later than it.
type edge struct {
	to     *move
	strict bool
	rule   *policy.PairRule
	// subject and reference are the two moves as the rule sees them.
	subject, reference *move
	// otherwise is what runs side by side in the other order.
	otherwise pair
}

// pair is two versions that break a rule, which may be a rule as it counts during
// an upgrade.
type pair struct {
	rule               *policy.PairRule
	subject, reference version.Version
}

type graph struct {
	policy *policy.Policy
	sites  *skew.Sites[Change]
	nodes  []*move // in the order of the sites
	moves  map[member]*move
	owner  map[*skew.Site[Change]]*site
	late   []late
}

// late is a pair that keeps to a rule before and after the step, but not to
// what it asks for while the reference moves: the subject is too old for that
// at either end.
type late struct {
	rule            *policy.PairRule // as it counts during an upgrade
	subject         *site
	subjectChange   Change
	reference       *site
	referenceChange Change
}

// newGraph asks, for every pair of instances that a rule relates, which of the
// two combinations on the way would break it: subject first, or reference
// first. What is broken at the start may be so on the way, as long as it is never
// further from its limit than there, or in the end. Pairs with a refused move are
// left out, and so are those that are broken at the end alone: the combination is
// refused.
func newGraph(p *policy.Policy, sites []*site, refused map[member]bool) *graph {
	g := &graph{policy: p, moves: map[member]*move{}, owner: map[*skew.Site[Change]]*site{}}
	clusterWide := map[string]*move{}
	var all []*skew.Site[Change]
	for _, s := range sites {
		all = append(all, &s.Site)
		g.owner[&s.Site] = s
		for _, m := range s.Members {
			if !m.State.Moves() {
				continue
			}
			at := member{s, m.Component}
			n := clusterWide[m.Component]
			if n == nil || !m.ClusterWide {
				n = &move{member: at, Change: m.State, part: s.part(m.Component)}
				g.nodes = append(g.nodes, n)
			}
			if m.ClusterWide {
				clusterWide[m.Component] = n
			}
			g.moves[at] = n
		}
	}

	g.sites = skew.NewSites(all)

	for _, r := range p.PairRules {
		if r.Severity == policy.SeverityError {
			g.relate(r, refused)
		}
	}
	g.condense()
	return g
}

// relate adds the edges of one rule.
func (g *graph) relate(r *policy.PairRule, refused map[member]bool) {
	duringUpgrade := r.DuringUpgrade()
	for _, s := range g.sites.With(r.Subject) {
		at := member{g.owner[s], r.Subject}
		subject := g.moves[at]
		from, _ := s.State(r.Subject)
		for where, reached := range g.sites.References(r, s) {
			reference := g.moves[member{g.owner[where], r.Reference}]
			if reference == nil || reference == subject || refused[reference.member] || refused[at] {
				continue
			}
			atStart, atEnd := breaks(r, from.From, reached.From), breaks(r, from.To, reached.To)
			if atEnd && !atStart {
				continue
			}
			beside := r
			if reached.Upgrades() {
				beside = duringUpgrade
			}
			// What counts during an upgrade is asked of what runs beside the new
			// reference when that moves: the old subject, or the new one.
			worse := func(r *policy.PairRule, subject, reference version.Version) bool {
				if !breaks(r, subject, reference) {
					return false
				}
				now := skew.Exceeds(r, subject, reference)
				return (!atStart || now.Worse(skew.Exceeds(r, from.From, reached.From))) &&
					(!atEnd || now.Worse(skew.Exceeds(r, from.To, reached.To)))
			}
			tooLate := worse(beside, from.From, reached.To)
			tooEarly := worse(beside, from.To, reached.To)
			if tooLate && tooEarly {
				if from.fromUnknown {
					continue // it may be further from the limit now, and the step a repair
				}
				g.late = append(g.late, late{beside, g.owner[s], from, g.owner[where], reached})
				continue
			}
			if subject == nil {
				continue
			}
			together := r.Scope == policy.ScopeNode && !s.Member(r.Subject).ClusterWide && !where.Member(r.Reference).ClusterWide
			strict := !together && (!g.owner[s].unit || !g.owner[where].unit)
			if tooLate {
				otherwise := pair{beside, from.From, reached.To}
				reference.before = append(reference.before, edge{subject, strict, r, subject, reference, otherwise})
			}
			if worse(r, from.To, reached.From) {
				otherwise := pair{r, from.To, reached.From}
				subject.before = append(subject.before, edge{reference, strict, r, subject, reference, otherwise})
			} else if tooEarly {
				otherwise := pair{beside, from.To, reached.To}
				subject.before = append(subject.before, edge{reference, strict, r, subject, reference, otherwise})
			}
		}
	}
}

// breaks reports whether two versions may not run side by side. An instance
// that is absent breaks nothing.
func breaks(r *policy.PairRule, subject, reference version.Version) bool {
	return !subject.IsZero() && !reference.IsZero() && skew.Judge(r, subject, reference) != finding.Within
}

// condense groups moves that wait for each other, by Tarjan's algorithm for
// strongly connected components, and gives each group its stage. The algorithm
// finishes a group after all that come before it.
func (g *graph) condense() {
	index, low := map[*move]int{}, map[*move]int{}
	var stack []*move
	var visit func(n *move)
	visit = func(n *move) {
		low[n] = len(index)
		index[n] = low[n]
		stack = append(stack, n)
		for _, e := range n.before {
			if _, seen := index[e.to]; !seen {
				visit(e.to)
				low[n] = min(low[n], low[e.to])
			} else if e.to.group == nil { // on the stack
				low[n] = min(low[n], index[e.to])
			}
		}
		if low[n] != index[n] {
			return
		}
		at := slices.Index(stack, n)
		members := stack[at:]
		stage := 1
		for _, m := range members {
			m.group = n
		}
		for _, m := range members {
			for _, e := range m.before {
				if e.to.group != n {
					stage = max(stage, e.to.stage+1)
				}
			}
		}
		for _, m := range members {
			m.stage = stage
		}
		stack = stack[:at]
	}
	for _, n := range g.nodes {
		if _, seen := index[n]; !seen {
			visit(n)
		}
	}
}

// conflicts reports the groups that cannot move as one: a pair of moves each of
// which must come first or, where there is no such pair, a longer circle.
func (g *graph) conflicts() []finding.Finding {
	type key struct{ rule, fromSubject, toSubject, fromReference, toReference string }
	var groups group.Map[key, finding.Finding]
	report := func(e edge) {
		f := groups.GetOrCreate(key{e.rule.ID, e.subject.From.String(), e.subject.To.String(), e.reference.From.String(), e.reference.To.String()}, func() finding.Finding {
			via := g.via(e.subject)
			return finding.Finding{
				RuleID: e.rule.ID, Severity: e.rule.Severity, Source: e.rule.Source,
				Subject:   finding.Side{Component: e.subject.component, Version: e.subject.To},
				Reference: finding.Side{Component: e.reference.component, Version: e.reference.To},
				Allowed:   via,
				Cause:     &finding.StepOrder{Rule: e.rule, FromSubject: e.subject.From, FromReference: e.reference.From, Via: via},
			}
		})
		f.Subject.Locations = append(f.Subject.Locations, e.subject.locations()...)
		f.Reference.Locations = append(f.Reference.Locations, e.reference.locations()...)
	}

	circles := map[*move]edge{}
	contradicted := map[*move]bool{}
	for _, n := range g.nodes {
		for _, e := range n.before {
			if !e.strict || e.to.group != n.group {
				continue
			}
			if contradicts(e, n) {
				contradicted[n.group] = true
				report(e)
			} else if _, known := circles[n.group]; !known {
				circles[n.group] = e
			}
		}
	}
	for _, n := range g.nodes {
		if e, ok := circles[n.group]; ok && !contradicted[n.group] {
			report(e)
		}
	}
	findings := append(g.lateness(), groups.All...)
	for i := range findings {
		f := &findings[i]
		f.Subject.Locations, f.Reference.Locations = tidy(f.Subject.Locations), tidy(f.Reference.Locations)
	}
	return findings
}

// lateness reports the pairs that are late.
func (g *graph) lateness() []finding.Finding {
	type key struct{ rule, subject, reference string }
	var findings group.Map[key, finding.Finding]
	for _, l := range g.late {
		subject, reference := l.subjectChange.To, l.referenceChange.To
		f := findings.GetOrCreate(key{l.rule.ID, subject.String(), reference.String()}, func() finding.Finding {
			limits, condition := l.rule.LimitsFor(subject, reference)
			return finding.Finding{
				RuleID: l.rule.ID, Severity: l.rule.Severity, Source: l.rule.Source,
				Subject:   finding.Side{Component: l.rule.Subject, Version: subject},
				Reference: finding.Side{Component: l.rule.Reference, Version: reference},
				Allowed:   skew.WindowOf([]skew.Bound{{Rule: l.rule, Other: reference}, {Rule: l.rule, Other: l.referenceChange.From}}),
				Cause: &finding.Mismatch{
					Rule: l.rule, Relation: skew.Judge(l.rule, subject, reference), Limits: limits, Condition: condition, DuringUpgrade: true,
					ReferenceAllowed: skew.WindowOf([]skew.Bound{{Rule: l.rule, Other: subject, OtherIsSubject: true}}),
				},
			}
		})
		f.Subject.Locations = append(f.Subject.Locations, l.subject.locations(l.rule.Subject)...)
		f.Reference.Locations = append(f.Reference.Locations, l.reference.locations(l.rule.Reference)...)
	}
	return findings.All
}

// contradicts reports whether the same rule also wants n before e.to.
func contradicts(e edge, n *move) bool {
	return slices.ContainsFunc(e.to.before, func(back edge) bool { return back.to == n && back.rule == e.rule })
}

// via returns the minors at which a move can stop while all it is paired with
// are at either end of theirs.
func (g *graph) via(n *move) finding.Window {
	var bounds []skew.Bound
	add := func(r *policy.PairRule, c Change, otherIsSubject bool) {
		for _, v := range []version.Version{c.From, c.To} {
			if !v.IsZero() {
				bounds = append(bounds, skew.Bound{Rule: r, Other: v, OtherIsSubject: otherIsSubject})
			}
		}
		if !otherIsSubject && c.Upgrades() {
			bounds = append(bounds, skew.Bound{Rule: r.DuringUpgrade(), Other: c.To})
		}
	}
	for _, r := range g.policy.PairRules {
		if r.Severity != policy.SeverityError {
			continue
		}
		for _, s := range g.sites.With(r.Subject) {
			subject, _ := s.State(r.Subject)
			for where, reference := range g.sites.References(r, s) {
				if g.moves[member{g.owner[s], r.Subject}] == n {
					add(r, reference, false)
				}
				if g.moves[member{g.owner[where], r.Reference}] == n {
					add(r, subject, true)
				}
			}
		}
	}
	return skew.WindowOf(bounds)
}

// moves lists the moves stage by stage.
func (g *graph) order() []Move {
	type key struct {
		stage               int
		component, from, to string
	}
	var groups group.Map[key, Move]
	for _, n := range g.nodes {
		move := groups.GetOrCreate(key{n.stage, n.component, n.From.String(), n.To.String()}, func() Move {
			m := Move{Stage: n.stage, Component: n.component, Change: n.Change}
			if n.MovesMinor() {
				for _, note := range g.policy.NotesFor(n.component) {
					m.Notes = append(m.Notes, note.Note)
				}
			}
			return m
		})
		move.Locations = append(move.Locations, n.locations()...)
	}
	moves := groups.All
	for i := range moves {
		moves[i].Locations = tidy(moves[i].Locations)
	}
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(
			cmp.Compare(a.Stage, b.Stage),
			slices.CompareFunc(a.Locations, b.Locations, finding.Location.Compare),
			cmp.Compare(a.Component, b.Component),
			a.From.Compare(b.From),
			a.To.Compare(b.To),
		)
	})
	return moves
}
