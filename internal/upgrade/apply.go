// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// ApplyOrder is the order in which a configuration applies the moves of the control
// plane and those of node pools. Clients and further components move at any time.
type ApplyOrder string

// The orders. The zero value is ControlPlaneFirst.
const (
	// ControlPlaneFirst moves node pools after all of the control plane. A pool that
	// goes runs until then.
	ControlPlaneFirst ApplyOrder = "control_plane_first"
	// NodePoolsFirst moves node pools, those that come and go included, before any of
	// the control plane.
	NodePoolsFirst ApplyOrder = "node_pools_first"
	// Unordered moves control-plane instances and node pools in any order, each as a
	// whole.
	Unordered ApplyOrder = "unordered"
	// Any leaves it to somebody else to find a sound order.
	Any ApplyOrder = "any"
)

// ApplyOrders is in the order in which messages list them.
var ApplyOrders = []ApplyOrder{ControlPlaneFirst, NodePoolsFirst, Unordered, Any}

// part is a part of the cluster that moves before or after another one.
type part int

const (
	free part = iota // moves whenever it suits
	controlPlane
	nodePools
)

func partOf(a finding.Attribute) part {
	switch a {
	case finding.ControlPlaneVersion, finding.ControlPlane:
		return controlPlane
	case finding.NodePools, finding.KubeProxy:
		return nodePools
	case finding.Kubectl, finding.Components, finding.AdmissionWebhooks:
	}
	return free
}

// mayPut reports whether the order lets a move of a part come before another. It says
// nothing of moves that only the rules order: those of one instance or pool and,
// unless everything moves in any order, those of one part.
func (o ApplyOrder) mayPut(n, before *move) bool {
	switch o {
	case NodePoolsFirst:
		return n.part == nodePools && before.part == controlPlane
	case Unordered:
		return !n.movesWith(before)
	case Any:
		return false
	case ControlPlaneFirst:
	}
	return n.part == controlPlane && before.part == nodePools
}

// movesWith reports whether two moves belong to one instance or pool, or to what
// moves as one across the cluster.
func (n *move) movesWith(other *move) bool {
	if n == other || n.clusterWide() || other.clusterWide() {
		return n == other
	}
	return n.site == other.site || n.site.unit && other.site.unit
}

func (n *move) clusterWide() bool { return n.site.Member(n.component).ClusterWide }

// violation is two moves that a declared order may take the wrong way round.
type violation struct {
	first, then *move
	// edge is what makes first come before then, or before through, a free move that
	// has to come before then.
	edge    edge
	through *move
}

// violations lists what goes wrong in the worst order that the declared one leaves
// open: the declared order is further edges of the graph, and each that closes a
// circle with the rules' own is a violation. Moves that go wrong in every order are
// left to conflicts.
func (g *graph) violations(o ApplyOrder) []violation {
	var all []violation
	for _, then := range g.nodes {
		if then.part == free {
			continue
		}
		seen := map[*move]bool{}
		var visit func(n *move)
		visit = func(n *move) {
			for _, e := range n.before {
				switch {
				case e.to.part == free:
					if !seen[e.to] {
						seen[e.to] = true
						visit(e.to)
					}
				case e.to.group != then.group && o.mayPut(then, e.to):
					v := violation{first: e.to, then: then, edge: e}
					if n != then {
						v.through = n
					}
					all = append(all, v)
				}
			}
		}
		visit(then)
	}
	return all
}

// misordered reports what the declared order breaks on the way.
func (g *graph) misordered(o ApplyOrder) []finding.Finding {
	violations := g.violations(o)
	if len(violations) == 0 {
		return nil
	}
	instead := g.soundOrder()
	type key struct {
		rule, subject, reference, component, from, to, along string
		whole, after                                         bool
	}
	type found struct {
		finding.Finding
		cause *finding.ApplyOrder
	}
	var groups group.Map[key, found]
	for _, v := range violations {
		otherwise := v.edge.otherwise
		first, along := g.told(v.first)
		spelled := ""
		for _, other := range along {
			spelled += other.Component + other.To.String()
		}
		after, _ := v.first.earlier()
		k := key{
			v.edge.rule.ID, otherwise.subject.String(), otherwise.reference.String(),
			first.Component, first.From.String(), first.To.String(), spelled, first.Whole, after != nil,
		}
		f := groups.GetOrCreate(k, func() found {
			f, mismatch := otherwise.finding(v.edge)
			cause := &finding.ApplyOrder{OnTheWay: mismatch, Declared: string(o), Instead: string(instead), First: first, Along: along}
			cause.Then, _ = g.told(v.then)
			if v.through != nil {
				cause.Through = v.through.component
			}
			if after != nil {
				told, _ := g.told(after)
				cause.After = &told
			}
			f.Cause = cause
			return found{f, cause}
		})
		f.Subject.Locations = append(f.Subject.Locations, v.edge.subject.locations()...)
		f.Reference.Locations = append(f.Reference.Locations, v.edge.reference.locations()...)
		f.cause.First.Locations = append(f.cause.First.Locations, v.first.locations()...)
		// Where there are several, one says enough.
		f.cause.Then.Locations = append(f.cause.Then.Locations, v.then.locationsOf(f.cause.Then)...)
		if after != nil {
			f.cause.After.Locations = append(f.cause.After.Locations, after.locationsOf(*f.cause.After)...)
		}
	}
	findings := make([]finding.Finding, 0, len(groups.All))
	for _, f := range groups.All {
		lists := []*[]finding.Location{&f.Subject.Locations, &f.Reference.Locations, &f.cause.First.Locations, &f.cause.Then.Locations}
		if f.cause.After != nil {
			lists = append(lists, &f.cause.After.Locations)
		}
		for _, l := range lists {
			*l = tidy(*l)
		}
		findings = append(findings, f.Finding)
	}
	return findings
}

// locationsOf returns where the move is, provided that it is the one that is told.
func (n *move) locationsOf(told finding.Move) []finding.Location {
	if n.component != told.Component || n.From.String() != told.From.String() || n.To.String() != told.To.String() {
		return nil
	}
	return n.locations()
}

// finding is what there is to say of a combination that breaks the rule of an edge.
func (p pair) finding(e edge) (finding.Finding, *finding.Mismatch) {
	limits, condition := p.rule.LimitsFor(p.subject, p.reference)
	bounds := []skew.Bound{{Rule: p.rule, Other: p.reference}}
	for _, end := range []skew.Bound{{Rule: e.rule, Other: e.reference.From}, {Rule: e.rule, Other: e.reference.To}} {
		if !end.Other.IsZero() {
			bounds = append(bounds, end)
		}
	}
	f := finding.Finding{
		RuleID: e.rule.ID, Severity: e.rule.Severity, Source: e.rule.Source,
		Subject:   finding.Side{Component: e.subject.component, Version: p.subject},
		Reference: finding.Side{Component: e.reference.component, Version: p.reference},
		Allowed:   skew.WindowOf(bounds),
	}
	return f, &finding.Mismatch{
		Rule: p.rule, Relation: skew.Judge(p.rule, p.subject, p.reference), Limits: limits, Condition: condition,
		DuringUpgrade:    p.rule != e.rule,
		ReferenceAllowed: skew.WindowOf([]skew.Bound{{Rule: p.rule, Other: p.subject, OtherIsSubject: true}}),
	}
}

// soundOrder returns an order without violations, "" if there is none.
func (g *graph) soundOrder() ApplyOrder {
	for _, o := range []ApplyOrder{ControlPlaneFirst, NodePoolsFirst} {
		if len(g.violations(o)) == 0 {
			return o
		}
	}
	return ""
}

// told is a move as a finding has it, without the locations, and the other moves at
// its place that go with it: all of them, where nothing elsewhere has to come before
// one, or those that have to come before it.
func (g *graph) told(n *move) (told finding.Move, along []finding.Move) {
	told = finding.Move{Component: n.component, From: n.From, To: n.To, ToUnknown: n.ToUnknown, Whole: true}
	if n.clusterWide() {
		return told, nil
	}
	var others []*move
	elsewhere := false
	for _, m := range n.site.Members {
		other := g.moves[member{n.site, m.Component}]
		if other == nil || other == n || m.ClusterWide {
			continue
		}
		before, _ := other.earlier()
		elsewhere = elsewhere || before != nil
		told.Whole = told.Whole && before == nil && other.To.Normalized() == n.To.Normalized()
		others = append(others, other)
	}
	if told.Whole {
		return told, nil
	}
	if elsewhere {
		_, others = n.earlier()
	}
	for _, other := range others {
		along = append(along, finding.Move{Component: other.component, From: other.From, To: other.To, ToUnknown: other.ToUnknown})
	}
	return told, along
}

// earlier returns what has to come before n: the nearest move elsewhere, nil if
// there is none, and the moves at its own place.
func (n *move) earlier() (elsewhere *move, here []*move) {
	seen := map[*move]bool{n: true}
	for queue := []*move{n}; len(queue) > 0; queue = queue[1:] {
		for _, e := range queue[0].before {
			if seen[e.to] {
				continue
			}
			seen[e.to] = true
			switch {
			case e.to.movesWith(n):
				here = append(here, e.to)
			case elsewhere == nil:
				elsewhere = e.to
			}
			queue = append(queue, e.to)
		}
	}
	return elsewhere, here
}

// part is what a component at the site belongs to.
func (s *site) part(component string) part {
	if s.Member(component).ClusterWide {
		return nodePools
	}
	return partOf(s.location.Attribute)
}
