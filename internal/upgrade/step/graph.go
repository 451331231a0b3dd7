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
	// all are the nodes that move, in the order of the sites. nodes are those that stand for
	// them, between which there are edges.
	all, nodes []*node
	// transient lists the breaches that every order of the moves leads to: pairs that satisfy
	// a rule before and after the step but violate its stricter limits while the reference is
	// upgraded. Neither the old nor the new version of the subject is allowed beside the new
	// reference.
	transient []breach
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
	breach // if the moves happen in the reverse order
}

// breach is a combination during a step that violates a rule.
type breach struct {
	skew.PairChange
	subject, reference           *node // in their roles under the rule
	subjectMoved, referenceMoved bool
}

func (b breach) subjectVersion() version.Version   { return at(b.Subject, b.subjectMoved) }
func (b breach) referenceVersion() version.Version { return at(b.Reference, b.referenceMoved) }

func at(c finding.Change, moved bool) version.Version {
	if moved {
		return c.To
	}
	return c.From
}

// newGraph returns the graph of a step.
func newGraph(p *policy.Policy, sites []*site) *graph {
	kept := representatives(p, sites)
	all := make([]*skew.Site[*node], len(kept))
	for i, s := range kept {
		all[i] = &s.Site
	}
	g := &graph{policy: p, sites: skew.NewSites(all), stops: map[*node]finding.Window{}}
	for n := range nodesOf(sites) {
		if !n.Moves() {
			continue
		}
		g.all = append(g.all, n)
		if n == n.representative() {
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
	for pair := range g.sites.Pairs(r) {
		subject, reference := pair.Subject, pair.Reference
		if !reference.Moves() || reference == subject || subject.refused || reference.refused {
			continue
		}
		c := skew.PairChange{Rule: r, DuringUpgrade: duringUpgrade, Subject: subject.Change, Reference: reference.Change}
		if c.Caused() {
			continue // skew.Findings reports the combination after the step
		}
		after := func(subjectMoved, referenceMoved bool) breach {
			return breach{c, subject, reference, subjectMoved, referenceMoved}
		}
		referenceFirst, late := c.ReferenceFirst(), c.Breaks(subject.To, reference.To)
		if referenceFirst && late {
			// With an unknown version before the step, the pair may have been worse
			// before, so that the step repairs it.
			if !subject.fromUnknown {
				g.transient = append(g.transient, after(true, true))
			}
			continue
		}
		if !subject.Moves() {
			continue
		}
		strict := !subject.canMoveWith(reference, r)
		if referenceFirst {
			reference.before = append(reference.before, edge{subject, strict, after(false, true)})
		}
		if c.SubjectFirst() {
			subject.before = append(subject.before, edge{reference, strict, after(true, false)})
		} else if late {
			subject.before = append(subject.before, edge{reference, strict, after(true, true)})
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
	for _, n := range g.all {
		n.stage = n.representative().stage
	}
	moves := combined(slices.Values(g.all))
	for i, m := range moves {
		if m.MovesMinor() {
			for _, note := range g.policy.NotesFor(m.Component) {
				moves[i].Notes = append(moves[i].Notes, note.Note)
			}
		}
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
	var groups group.Map[key, []breach]
	report := func(b breach) {
		written := version.Version.String
		if len(groups.All) >= maxConflicts {
			written = func(v version.Version) string { return v.Minor().String() }
		}
		k := key{b.Rule.ID, written(b.Subject.From), written(b.Subject.To), written(b.Reference.From), written(b.Reference.To)}
		breaches := groups.GetOrCreate(k, func() []breach { return nil })
		*breaches = append(*breaches, b)
	}

	type wait struct {
		node, earlier *node
		rule          *policy.PairRule
	}
	waits := map[wait]bool{} // of the edges within groups
	for _, n := range g.nodes {
		for _, e := range n.before {
			if e.to.group == n.group {
				waits[wait{n, e.to, e.Rule}] = true
			}
		}
	}
	cycles := map[*node]edge{} // the first strict edge of each group
	contradicted := map[*node]bool{}
	reported := map[*edge]bool{} // those of which all nodes are in findings without patches
	for _, n := range g.all {
		r := n.representative()
		for i := range r.before {
			e := &r.before[i]
			if !e.strict || e.to.group != r.group {
				continue
			}
			if !waits[wait{e.to, r, e.Rule}] {
				if _, known := cycles[r.group]; !known {
					cycles[r.group] = *e
				}
				continue
			}
			contradicted[r.group] = true
			full := len(groups.All) >= maxConflicts
			for b := range e.at(n) {
				if report(b); reported[e] {
					break
				}
			}
			reported[e] = full
		}
	}
	for _, n := range g.nodes {
		if e, ok := cycles[n.group]; ok && !contradicted[n.group] {
			report(e.breach)
		}
	}
	findings := g.transientFindings()
	for _, breaches := range groups.All {
		findings = append(findings, g.conflict(breaches))
	}
	return findings
}

// conflict returns the finding about moves from and to the same versions that have to come
// before each other.
func (g *graph) conflict(breaches []breach) finding.Finding {
	b, subjects := breaches[0], map[*node]bool{}
	f, _ := skew.NewFinding(b.Rule, b.subject.To, b.reference.To)
	addLocations(&f, breaches)
	for _, b := range breaches {
		subjects[b.subject.representative()] = true
	}
	f.Allowed = g.via(subjects)
	f.Cause = &finding.StepOrder{
		Rule: b.Rule, FromSubject: b.subject.From, FromReference: b.reference.From,
		SubjectFirst:   skew.Check(b.RuleBeside(b.reference.From), b.subject.To, b.reference.From),
		ReferenceFirst: skew.Check(b.RuleBeside(b.reference.To), b.subject.From, b.reference.To),
	}
	return f
}

func addLocations(f *finding.Finding, breaches []breach) {
	for _, b := range breaches {
		f.Subject.Locations = append(f.Subject.Locations, b.subject.locations()...)
		f.Reference.Locations = append(f.Reference.Locations, b.reference.locations()...)
	}
}

// breachFinding returns the finding about breaches of a rule by the same versions. The
// subject is allowed to have versions that also suit the reference before and after the step.
func breachFinding(breaches []breach) (finding.Finding, *finding.Mismatch) {
	b := breaches[0]
	f, cause := skew.NewFinding(b.RuleBeside(b.referenceVersion()), b.subjectVersion(), b.referenceVersion())
	cause.DuringUpgrade = cause.Rule != b.Rule
	addLocations(&f, breaches)
	var bounds skew.Bounds
	for _, b := range breaches {
		bounds.Add(skew.Bound{Rule: cause.Rule, Other: b.referenceVersion()})
		bounds.Add(skew.Bound{Rule: b.Rule, Other: b.reference.From})
		bounds.Add(skew.Bound{Rule: b.Rule, Other: b.reference.To})
	}
	f.Allowed = bounds.Window()
	return f, cause
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

// transientFindings reports the transient breaches.
func (g *graph) transientFindings() []finding.Finding {
	type key struct{ rule, subject, reference string }
	var groups group.Map[key, []breach]
	for _, representative := range g.transient {
		for _, n := range representative.subject.represented() {
			for b := range (edge{to: representative.reference, breach: representative}).at(n) {
				breaches := groups.GetOrCreate(key{b.Rule.ID, b.subject.To.String(), b.reference.To.String()}, func() []breach { return nil })
				*breaches = append(*breaches, b)
			}
		}
	}
	var findings []finding.Finding
	for _, breaches := range groups.All {
		f, _ := breachFinding(breaches)
		findings = append(findings, f)
	}
	return findings
}
