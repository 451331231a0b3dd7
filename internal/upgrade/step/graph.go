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

// Ordered is a move and its place in the order of a step.
type Ordered struct {
	Stage int // from 1; moves within a stage can run in any order
	finding.Move
	Notes []string // what to do or to check, one sentence each
}

// graph orders the moves of a step. Its edges say which move has to come first.
type graph struct {
	policy *policy.Policy
	sites  *skew.Sites[*node]
	nodes  []*node // those that move, in the order of the sites
	// transient lists the violations that every order of the moves leads to.
	transient []transientViolation
	stops     map[*node]finding.Window // the results of via for single moves
}

// node is a component at a site, and its change. A component that is declared for the
// whole cluster is one node, which belongs to the first of its sites.
type node struct {
	site      *site
	component string
	finding.Change
	// fromUnknown says that the version before the step is not known yet. From is then
	// the same as To.
	fromUnknown bool
	// clusterWide is as in skew.Instance.
	clusterWide bool
	// refused says that a step rule does not allow the move. Such a node has no edges.
	refused bool
	before  []edge // to the moves that have to come earlier
	// group is the node that represents the strongly connected component of the graph
	// that this node belongs to.
	group *node
	stage int
}

// locations returns the locations at which the component is declared.
func (n *node) locations() []finding.Location {
	if n.clusterWide {
		return []finding.Location{finding.AtAttribute(finding.KubeProxy)}
	}
	return n.site.represented
}

// edge leads to a move that has to come earlier. If the edge is not strict, the two
// can also move together.
type edge struct {
	to     *node
	strict bool
	rule   *policy.PairRule
	// subject and reference are the two moves in their roles under the rule.
	subject, reference *node
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
	rule               *policy.PairRule // with the limits that apply during an upgrade
	subject, reference *node
}

// newGraph returns the graph of a step.
func newGraph(p *policy.Policy, sites []*site) *graph {
	all := make([]*skew.Site[*node], len(sites))
	for i, s := range sites {
		all[i] = &s.Site
	}
	g := &graph{policy: p, sites: skew.NewSites(all), stops: map[*node]finding.Window{}}
	for n := range nodesOf(sites) {
		if n.Moves() {
			g.nodes = append(g.nodes, n)
		}
	}
	for _, r := range p.PairRules {
		if r.Severity == policy.SeverityError {
			g.addEdges(r)
		}
	}
	g.condense()
	return g
}

// addEdges adds the edges of a rule. It checks the combinations in which only one
// side of a pair has moved. Pairs with a refused move are ignored.
func (g *graph) addEdges(r *policy.PairRule) {
	duringUpgrade := r.DuringUpgrade()
	for _, s := range g.sites.With(r.Subject) {
		subject, _ := s.State(r.Subject)
		if subject.refused {
			continue
		}
		for _, reference := range g.sites.References(r, s) {
			if !reference.Moves() || reference == subject || reference.refused {
				continue
			}
			c := skew.PairChange{Rule: r, DuringUpgrade: duringUpgrade, Subject: subject.Change, Reference: reference.Change}
			if c.Caused() {
				continue // skew.Findings reports the combination after the step
			}
			afterMove := c.RuleBeside(reference.To)
			referenceFirst, after := c.ReferenceFirst(), c.Breaks(subject.To, reference.To)
			if referenceFirst && after {
				// With an unknown version before the step, the pair may have been worse
				// before, so that the step repairs it.
				if !subject.fromUnknown {
					g.transient = append(g.transient, transientViolation{afterMove, subject, reference})
				}
				continue
			}
			if !subject.Moves() {
				continue
			}
			strict := !subject.canMoveWith(reference, r)
			wait := func(n, earlier *node, rule *policy.PairRule, subjectVersion, referenceVersion version.Version) {
				n.before = append(n.before, edge{earlier, strict, r, subject, reference, violatedPair{rule, subjectVersion, referenceVersion}})
			}
			if referenceFirst {
				wait(reference, subject, afterMove, subject.From, reference.To)
			}
			if c.SubjectFirst() {
				wait(subject, reference, r, subject.To, reference.From)
			} else if after {
				wait(subject, reference, afterMove, subject.To, reference.To)
			}
		}
	}
}

// canMoveWith reports whether two components that a rule relates can move at the same
// time: those of a managed control plane, those of one node, such as a kubelet and a
// kube-proxy, and those at one place if the rule has scope node.
func (n *node) canMoveWith(other *node, r *policy.PairRule) bool {
	switch {
	case n.clusterWide || other.clusterWide:
		return false
	case r.Scope == policy.ScopeNode || n.site.managed && other.site.managed:
		return true
	}
	return n.site == other.site && !slices.Contains(skew.ControlPlaneComponents, n.component) && !slices.Contains(skew.ControlPlaneComponents, other.component)
}

// condense finds the groups of moves that have to come before each other, and
// assigns a stage to each group. It uses Tarjan's algorithm for strongly connected
// components, which completes a group after all groups that come before it.
func (g *graph) condense() {
	index, low := map[*node]int{}, map[*node]int{}
	var stack []*node
	var visit func(n *node)
	visit = func(n *node) {
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
func (g *graph) order() []Ordered {
	type key struct {
		stage               int
		component, from, to string
	}
	var groups group.Map[key, Ordered]
	for _, n := range g.nodes {
		move := groups.GetOrCreate(key{n.stage, n.component, n.From.String(), n.To.String()}, func() Ordered {
			m := Ordered{Stage: n.stage, Move: finding.Move{Component: n.component, Change: n.Change}}
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
		moves[i].Locations = finding.Distinct(moves[i].Locations)
	}
	slices.SortFunc(moves, func(a, b Ordered) int {
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

// maxConflicts is the maximum number of pairs of moves that conflicts distinguishes by
// the patches of their versions. Users do not read more, and there can be as many as the
// product of the patches in use.
const maxConflicts = 500

// conflicts reports the violations that no order of the moves avoids: transient
// violations, and groups with strict edges. For a group, it reports each pair of
// moves that have to come before each other or, without such a pair, one edge of a
// longer cycle.
func (g *graph) conflicts() []finding.Finding {
	type key struct{ rule, fromSubject, toSubject, fromReference, toReference string }
	var groups group.Map[key, []edge]
	report := func(e edge) {
		written := version.Version.String
		if len(groups.All) >= maxConflicts {
			written = func(v version.Version) string { return v.Minor().String() }
		}
		k := key{e.rule.ID, written(e.subject.From), written(e.subject.To), written(e.reference.From), written(e.reference.To)}
		edges := groups.GetOrCreate(k, func() []edge { return nil })
		*edges = append(*edges, e)
	}

	type wait struct {
		node, earlier *node
		rule          *policy.PairRule
	}
	waits := map[wait]bool{} // of the edges within groups
	for _, n := range g.nodes {
		for _, e := range n.before {
			if e.to.group == n.group {
				waits[wait{n, e.to, e.rule}] = true
			}
		}
	}
	cycles := map[*node]edge{} // the first strict edge of each group
	contradicted := map[*node]bool{}
	for _, n := range g.nodes {
		for _, e := range n.before {
			if !e.strict || e.to.group != n.group {
				continue
			}
			if waits[wait{e.to, n, e.rule}] {
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
		f.Subject.Locations, f.Reference.Locations = finding.Distinct(f.Subject.Locations), finding.Distinct(f.Reference.Locations)
	}
	return findings
}

// conflict returns the finding about edges of one rule between moves from and to the
// same versions.
func (g *graph) conflict(edges []edge) finding.Finding {
	e, subjects := edges[0], map[*node]bool{}
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

// via returns the minors at which all of the moves can stop halfway. They are allowed
// beside the versions of all related instances before and after the step.
func (g *graph) via(moves map[*node]bool) finding.Window {
	single := len(moves) == 1
	if single {
		for n := range moves {
			if w, known := g.stops[n]; known {
				return w
			}
		}
	}
	var bounds skew.Bounds
	add := func(r, during *policy.PairRule, c finding.Change, otherIsSubject bool) {
		for _, v := range []version.Version{c.From, c.To} {
			bounds.Add(skew.Bound{Rule: r, Other: v, OtherIsSubject: otherIsSubject})
		}
		if !otherIsSubject && c.Upgrades() {
			bounds.Add(skew.Bound{Rule: during, Other: c.To})
		}
	}
	for _, r := range g.policy.PairRules {
		if r.Severity != policy.SeverityError {
			continue
		}
		during := r.DuringUpgrade()
		for n := range moves {
			for _, s := range g.sites.With(n.component) {
				if at, _ := s.State(n.component); at != n {
					continue
				}
				if n.component == r.Subject {
					for _, reference := range g.sites.References(r, s) {
						add(r, during, reference.Change, false)
					}
				}
				if n.component == r.Reference {
					for _, subject := range g.sites.Subjects(r, s) {
						add(r, during, subject.Change, true)
					}
				}
			}
		}
	}
	w := bounds.Window()
	for n := range moves {
		if single {
			g.stops[n] = w
		}
	}
	return w
}

// transientFindings reports the transient violations.
func (g *graph) transientFindings() []finding.Finding {
	type key struct{ rule, subject, reference string }
	var groups group.Map[key, []transientViolation]
	for _, t := range g.transient {
		violations := groups.GetOrCreate(key{t.rule.ID, t.subject.To.String(), t.reference.To.String()}, func() []transientViolation { return nil })
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
	subject, reference := t.subject.To, t.reference.To
	limits, condition := t.rule.LimitsFor(subject, reference)
	f := finding.Finding{
		RuleID: t.rule.ID, Severity: t.rule.Severity, Source: t.rule.Source,
		Subject:   finding.Side{Component: t.rule.Subject, Version: subject},
		Reference: finding.Side{Component: t.rule.Reference, Version: reference},
		Cause: &finding.Mismatch{
			Rule: t.rule, Relation: skew.Check(t.rule, subject, reference), Limits: limits, Condition: condition, DuringUpgrade: true,
		},
	}
	var bounds []skew.Bound
	for _, t := range violations {
		f.Subject.Locations = append(f.Subject.Locations, t.subject.locations()...)
		f.Reference.Locations = append(f.Reference.Locations, t.reference.locations()...)
		bounds = append(bounds, skew.Bound{Rule: t.rule, Other: reference}, skew.Bound{Rule: t.rule, Other: t.reference.From})
	}
	f.Allowed = skew.WindowOf(bounds)
	return f
}
