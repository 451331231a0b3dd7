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

// Move is a group of instances of one component that make the same change at the
// same time.
type Move struct {
	Stage     int // from 1; moves within a stage can run in any order
	Component string
	Locations []finding.Location
	Change
	Notes []string // what to do or to check, one sentence each
}

// graph orders the moves of a step. Its nodes are moves, its edges say which move
// has to come first.
type graph struct {
	policy *policy.Policy
	sites  *skew.Sites[Change]
	siteOf map[*skew.Site[Change]]*site
	nodes  []*move // in the order of the sites
	moves  map[member]*move
	// transient lists the violations that every order of the moves leads to.
	transient []transientViolation
}

// move is a node of the graph: a component that moves at a site. A component that is
// declared for the whole cluster is one node, whose member is the component at any
// of its sites.
type move struct {
	member
	Change
	before []edge // to the moves that have to come earlier
	// part is the part of the cluster that an ApplyOrder moves together.
	part part
	// group is the move that represents the strongly connected component of the graph
	// that this move belongs to.
	group *move
	stage int
}

func (n *move) locations() []finding.Location { return n.site.locations(n.component) }

// edge leads to a move that has to come earlier. If the edge is not strict, the two
// can also move together.
type edge struct {
	to     *move
	strict bool
	rule   *policy.PairRule
	// subject and reference are the two moves in their roles under the rule.
	subject, reference *move
	// violated is the combination that violates the rule if the moves happen in the
	// reverse order.
	violated violatedPair
}

// violatedPair is a pair of versions that violates a rule. The rule can have the
// limits that apply during an upgrade.
type violatedPair struct {
	rule               *policy.PairRule
	subject, reference version.Version
}

// transientViolation is a pair that satisfies the rule before and after the step but
// violates its stricter limits while the reference is upgraded: neither the old nor
// the new version of the subject is allowed beside the new reference.
type transientViolation struct {
	rule            *policy.PairRule // with the limits that apply during an upgrade
	subject         *site
	subjectChange   Change
	reference       *site
	referenceChange Change
}

// newGraph returns the graph of a step. Refused moves have no edges.
func newGraph(p *policy.Policy, sites []*site, refused map[member]bool) *graph {
	g := &graph{policy: p, moves: map[member]*move{}, siteOf: map[*skew.Site[Change]]*site{}}
	g.addMoves(sites)
	for _, r := range p.PairRules {
		if r.Severity == policy.SeverityError {
			g.addEdges(r, refused)
		}
	}
	g.condense()
	return g
}

// addMoves adds a node for each move.
func (g *graph) addMoves(sites []*site) {
	clusterWide := map[string]*move{}
	var all []*skew.Site[Change]
	for _, s := range sites {
		all = append(all, &s.Site)
		g.siteOf[&s.Site] = s
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
}

// addEdges adds the edges of a rule. It checks the combinations in which only one
// side of a pair has moved. Pairs with a refused move are ignored.
func (g *graph) addEdges(r *policy.PairRule, refused map[member]bool) {
	duringUpgrade := r.DuringUpgrade()
	for _, s := range g.sites.With(r.Subject) {
		at := member{g.siteOf[s], r.Subject}
		subject := g.moves[at]
		subjectChange, _ := s.State(r.Subject)
		for other, referenceChange := range g.sites.References(r, s) {
			reference := g.moves[member{g.siteOf[other], r.Reference}]
			if reference == nil || reference == subject || refused[reference.member] || refused[at] {
				continue
			}
			c := pairChange{rule: r, ruleAfterMove: r, subject: subjectChange, reference: referenceChange}
			if referenceChange.Upgrades() {
				c.ruleAfterMove = duringUpgrade
			}
			if c.violatedAfter() && !c.violatedBefore() {
				continue // skew.Evaluate reports the combination after the step
			}
			oldViolates, newViolates := c.oldSubjectViolates(), c.newSubjectViolates()
			if oldViolates && newViolates {
				// With an unknown version before the step, the pair may have been worse
				// before, so that the step repairs it.
				if !subjectChange.fromUnknown {
					g.transient = append(g.transient, transientViolation{c.ruleAfterMove, g.siteOf[s], subjectChange, g.siteOf[other], referenceChange})
				}
				continue
			}
			if subject == nil {
				continue
			}
			sameNode := r.Scope == policy.ScopeNode && !s.Member(r.Subject).ClusterWide && !other.Member(r.Reference).ClusterWide
			strict := !sameNode && (!g.siteOf[s].managed || !g.siteOf[other].managed)
			if oldViolates {
				violated := violatedPair{c.ruleAfterMove, subjectChange.From, referenceChange.To}
				reference.before = append(reference.before, edge{subject, strict, r, subject, reference, violated})
			}
			if c.subjectFirstViolates() {
				violated := violatedPair{r, subjectChange.To, referenceChange.From}
				subject.before = append(subject.before, edge{reference, strict, r, subject, reference, violated})
			} else if newViolates {
				violated := violatedPair{c.ruleAfterMove, subjectChange.To, referenceChange.To}
				subject.before = append(subject.before, edge{reference, strict, r, subject, reference, violated})
			}
		}
	}
}

// pairChange is what a step does to a pair of instances that a rule relates.
type pairChange struct {
	rule *policy.PairRule
	// ruleAfterMove is the rule with the limits that apply once the reference has
	// moved: those during an upgrade if the reference is upgraded.
	ruleAfterMove      *policy.PairRule
	subject, reference Change
}

func (c pairChange) violatedBefore() bool { return violates(c.rule, c.subject.From, c.reference.From) }

func (c pairChange) violatedAfter() bool { return violates(c.rule, c.subject.To, c.reference.To) }

// oldSubjectViolates reports whether the pair violates the rule if the reference
// moves while the subject still has its old version.
func (c pairChange) oldSubjectViolates() bool {
	return c.worse(c.ruleAfterMove, c.subject.From, c.reference.To)
}

// newSubjectViolates reports whether the pair violates the rule if the reference
// moves when the subject already has its new version.
func (c pairChange) newSubjectViolates() bool {
	return c.worse(c.ruleAfterMove, c.subject.To, c.reference.To)
}

// subjectFirstViolates reports whether the pair violates the rule if the subject
// moves while the reference still has its old version.
func (c pairChange) subjectFirstViolates() bool {
	return c.worse(c.rule, c.subject.To, c.reference.From)
}

// worse reports whether two versions violate a rule by more than the pair does
// before the step and by more than it does after the step. A pair that already
// violates a rule must not prevent the step that repairs it.
//
// r can have the limits during an upgrade. Before the step, the reference is not being
// upgraded, so the normal limits apply, as in relatedPair.worse. After the step, the
// limits of r apply too: skew.Evaluate already reports that the pair still violates
// the rule.
func (c pairChange) worse(r *policy.PairRule, subject, reference version.Version) bool {
	if !violates(r, subject, reference) {
		return false
	}
	now := skew.ExcessOf(r, subject, reference)
	return (!c.violatedBefore() || now.Worse(skew.ExcessOf(c.rule, c.subject.From, c.reference.From))) &&
		(!c.violatedAfter() || now.Worse(skew.ExcessOf(r, c.subject.To, c.reference.To)))
}

// violates reports whether two versions violate a rule. An absent instance violates
// nothing.
func violates(r *policy.PairRule, subject, reference version.Version) bool {
	return !subject.IsZero() && !reference.IsZero() && skew.Check(r, subject, reference) != finding.Within
}

// condense finds the groups of moves that have to come before each other, and
// assigns a stage to each group. It uses Tarjan's algorithm for strongly connected
// components, which completes a group after all groups that come before it.
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

// order lists the moves, sorted by stage.
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

// conflicts reports the violations that no order of the moves avoids: transient
// violations, and groups with strict edges. For a group, it reports each pair of
// moves that have to come before each other or, without such a pair, one edge of a
// longer cycle.
func (g *graph) conflicts() []finding.Finding {
	type key struct{ rule, fromSubject, toSubject, fromReference, toReference string }
	var groups group.Map[key, []edge]
	report := func(e edge) {
		edges := groups.GetOrCreate(key{e.rule.ID, e.subject.From.String(), e.subject.To.String(), e.reference.From.String(), e.reference.To.String()}, func() []edge { return nil })
		*edges = append(*edges, e)
	}

	cycles := map[*move]edge{} // the first strict edge of each group
	contradicted := map[*move]bool{}
	for _, n := range g.nodes {
		for _, e := range n.before {
			if !e.strict || e.to.group != n.group {
				continue
			}
			if contradicts(e, n) {
				contradicted[n.group] = true
				report(e)
			} else if _, known := cycles[n.group]; !known {
				cycles[n.group] = e
			}
		}
	}
	for _, n := range g.nodes {
		if e, ok := cycles[n.group]; ok && !contradicted[n.group] {
			report(e)
		}
	}
	findings := g.transientFindings()
	for _, edges := range groups.All {
		findings = append(findings, g.conflict(edges))
	}
	for i := range findings {
		f := &findings[i]
		f.Subject.Locations, f.Reference.Locations = tidy(f.Subject.Locations), tidy(f.Reference.Locations)
	}
	return findings
}

// conflict returns the finding about edges of one rule between moves from and to the
// same versions.
func (g *graph) conflict(edges []edge) finding.Finding {
	e, subjects := edges[0], map[*move]bool{}
	f := finding.Finding{
		RuleID: e.rule.ID, Severity: e.rule.Severity, Source: e.rule.Source,
		Subject:   finding.Side{Component: e.subject.component, Version: e.subject.To},
		Reference: finding.Side{Component: e.reference.component, Version: e.reference.To},
	}
	for _, e := range edges {
		f.Subject.Locations = append(f.Subject.Locations, e.subject.locations()...)
		f.Reference.Locations = append(f.Reference.Locations, e.reference.locations()...)
		subjects[e.subject] = true
	}
	f.Allowed = g.via(subjects)
	f.Cause = &finding.StepOrder{Rule: e.rule, FromSubject: e.subject.From, FromReference: e.reference.From, Via: f.Allowed}
	return f
}

// contradicts reports whether the rule of an edge of n also requires n to come
// before e.to.
func contradicts(e edge, n *move) bool {
	return slices.ContainsFunc(e.to.before, func(back edge) bool { return back.to == n && back.rule == e.rule })
}

// via returns the minors at which all of the moves can stop halfway. They are allowed
// beside the versions of all related instances before and after the step.
func (g *graph) via(moves map[*move]bool) finding.Window {
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
			for other, reference := range g.sites.References(r, s) {
				if moves[g.moves[member{g.siteOf[s], r.Subject}]] {
					add(r, reference, false)
				}
				if moves[g.moves[member{g.siteOf[other], r.Reference}]] {
					add(r, subject, true)
				}
			}
		}
	}
	return skew.WindowOf(bounds)
}

// transientFindings reports the transient violations.
func (g *graph) transientFindings() []finding.Finding {
	type key struct{ rule, subject, reference string }
	var groups group.Map[key, []transientViolation]
	for _, t := range g.transient {
		violations := groups.GetOrCreate(key{t.rule.ID, t.subjectChange.To.String(), t.referenceChange.To.String()}, func() []transientViolation { return nil })
		*violations = append(*violations, t)
	}
	var findings []finding.Finding
	for _, violations := range groups.All {
		findings = append(findings, transientFinding(violations))
	}
	return findings
}

// transientFinding returns the finding about violations of one rule by the same versions.
func transientFinding(violations []transientViolation) finding.Finding {
	t := violations[0]
	subject, reference := t.subjectChange.To, t.referenceChange.To
	limits, condition := t.rule.LimitsFor(subject, reference)
	f := finding.Finding{
		RuleID: t.rule.ID, Severity: t.rule.Severity, Source: t.rule.Source,
		Subject:   finding.Side{Component: t.rule.Subject, Version: subject},
		Reference: finding.Side{Component: t.rule.Reference, Version: reference},
		Cause: &finding.Mismatch{
			Rule: t.rule, Relation: skew.Check(t.rule, subject, reference), Limits: limits, Condition: condition, DuringUpgrade: true,
			ReferenceAllowed: skew.WindowOf([]skew.Bound{{Rule: t.rule, Other: subject, OtherIsSubject: true}}),
		},
	}
	var bounds []skew.Bound
	for _, t := range violations {
		f.Subject.Locations = append(f.Subject.Locations, t.subject.locations(t.rule.Subject)...)
		f.Reference.Locations = append(f.Reference.Locations, t.reference.locations(t.rule.Reference)...)
		bounds = append(bounds, skew.Bound{Rule: t.rule, Other: reference}, skew.Bound{Rule: t.rule, Other: t.referenceChange.From})
	}
	f.Allowed = skew.WindowOf(bounds)
	return f
}
