// SPDX-License-Identifier: MPL-2.0

package step

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// ApplyOrder is the order in which a configuration applies the moves of the control
// plane and of node pools. Custom components move with the node pools, because in nearly
// every module the add-ons depend on the cluster. Clients can move at any time.
type ApplyOrder string

// The orders. The zero value is ControlPlaneFirst.
const (
	// ControlPlaneFirst moves, creates and deletes node pools after all moves of the
	// control plane.
	ControlPlaneFirst ApplyOrder = "control_plane_first"
	// NodePoolsFirst moves, creates and deletes node pools before any move of the
	// control plane.
	NodePoolsFirst ApplyOrder = "node_pools_first"
	// Unordered moves control-plane instances and node pools in any order, but each
	// instance and each pool as a whole.
	Unordered ApplyOrder = "unordered"
	// Any assumes that the moves happen in an order that satisfies the policy, if such
	// an order exists.
	Any ApplyOrder = "any"
)

// ApplyOrders lists the orders as messages do.
var ApplyOrders = []ApplyOrder{ControlPlaneFirst, NodePoolsFirst, Unordered, Any}

// part is a part of the cluster whose moves an ApplyOrder orders.
type part int

const (
	free part = iota // moves at any time
	controlPlane
	nodePools // and everything else that is installed on the cluster
)

func partOf(a finding.Attribute) part {
	switch a {
	case finding.ControlPlaneVersion, finding.ControlPlane:
		return controlPlane
	case finding.NodePools, finding.KubeProxy, finding.Components:
		return nodePools
	case finding.Kubectl, finding.AdmissionWebhooks:
	}
	return free
}

// part returns the part that the node belongs to.
func (n *node) part() part {
	if n.clusterWide {
		return nodePools
	}
	return partOf(n.site.location.Attribute)
}

// allowsBefore reports whether the order can put a move before another one, neither of
// which is free. It is false for moves that only rules order: those of one instance or pool and, except in
// Unordered, those of one part.
func (o ApplyOrder) allowsBefore(n, other *node) bool {
	switch o {
	case NodePoolsFirst:
		return n.part() == nodePools && other.part() == controlPlane
	case Unordered:
		return !n.movesWith(other)
	case Any:
		return false
	case ControlPlaneFirst:
	}
	return n.part() == controlPlane && other.part() == nodePools
}

// movesWith reports whether two moves always happen together: in one instance or
// pool, in a managed control plane, or of one cluster-wide component.
func (n *node) movesWith(other *node) bool {
	if n == other || n.clusterWide || other.clusterWide {
		return n == other
	}
	return n.site == other.site || n.site.managed && other.site.managed
}

// inversion is a pair of moves that a declared order can put in the wrong order.
type inversion struct {
	first, then *node
	// edge requires first to come before then or, if through is not nil, before
	// through.
	edge edge
	// through is a free move that has to come after first and before then.
	through *node
}

// inversions lists the pairs of moves that can be in the wrong order. The declared
// order adds edges to the graph. Each of them that closes a cycle with edges of
// rules is an inversion. Moves that have no right order are left to conflicts.
func (g *graph) inversions(o ApplyOrder) []inversion {
	var all []inversion
	for _, then := range g.nodes {
		if then.part() == free {
			continue
		}
		seen := map[*node]bool{}
		var visit func(n *node)
		visit = func(n *node) {
			for _, e := range n.before {
				switch {
				case e.to.part() == free:
					if !seen[e.to] {
						seen[e.to] = true
						visit(e.to)
					}
				case e.to.group != then.group && o.allowsBefore(then, e.to):
					inv := inversion{first: e.to, then: then, edge: e}
					if n != then {
						inv.through = n
					}
					all = append(all, inv)
				}
			}
		}
		visit(then)
	}
	return all
}

// applyOrderFindings reports the violations that the declared order can lead to.
func (g *graph) applyOrderFindings(o ApplyOrder) []finding.Finding {
	inversions := g.inversions(o)
	if len(inversions) == 0 {
		return nil
	}
	instead, applies := g.orderWithoutInversions(), g.applies(o).before(inversions)
	type key struct{ rule, subject, reference, component, from, to string }
	type found struct {
		finding.Finding
		cause *finding.ApplyOrder
	}
	var groups group.Map[key, found]
	for _, inv := range inversions {
		violated := inv.edge.violated
		k := key{
			inv.edge.rule.ID, violated.subject.String(), violated.reference.String(),
			inv.first.component, inv.first.From.String(), inv.first.To.String(),
		}
		f := groups.GetOrCreate(k, func() found {
			f, mismatch := violated.finding(inv.edge)
			cause := &finding.ApplyOrder{
				Intermediate: mismatch, Declared: string(o), Instead: string(instead),
				First: inv.first.described(), Then: inv.then.described(), Applies: applies,
			}
			cause.Then.Whole = inv.then.whole(func(*node) bool { return true })
			if inv.through != nil {
				cause.Through = inv.through.component
			}
			f.Cause = cause
			return found{f, cause}
		})
		f.Subject.Locations = append(f.Subject.Locations, inv.edge.subject.locations()...)
		f.Reference.Locations = append(f.Reference.Locations, inv.edge.reference.locations()...)
		f.cause.First.Locations = append(f.cause.First.Locations, inv.first.locations()...)
		// The finding names only one change, even if moves with other versions follow.
		f.cause.Then.Locations = append(f.cause.Then.Locations, inv.then.locationsIf(f.cause.Then)...)
	}
	findings := make([]finding.Finding, 0, len(groups.All))
	for _, f := range groups.All {
		for _, l := range []*[]finding.Location{&f.Subject.Locations, &f.Reference.Locations, &f.cause.First.Locations, &f.cause.Then.Locations} {
			*l = finding.Distinct(*l)
		}
		findings = append(findings, f.Finding)
	}
	return findings
}

// locationsIf returns the locations of the move if it makes the described change.
func (n *node) locationsIf(described finding.Move) []finding.Location {
	if n.component != described.Component || n.From.String() != described.From.String() || n.To.String() != described.To.String() {
		return nil
	}
	return n.locations()
}

// finding returns the finding on a pair that violates the rule of an edge. The
// caller sets the cause, of which the mismatch is a part.
func (p violatedPair) finding(e edge) (finding.Finding, *finding.Mismatch) {
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
		Rule: p.rule, Relation: skew.Check(p.rule, p.subject, p.reference), Limits: limits, Condition: condition,
		DuringUpgrade: p.rule != e.rule,
	}
}

// orderWithoutInversions returns an order without inversions, "" if there is none.
func (g *graph) orderWithoutInversions() ApplyOrder {
	for _, o := range []ApplyOrder{ControlPlaneFirst, NodePoolsFirst} {
		if len(g.inversions(o)) == 0 {
			return o
		}
	}
	return ""
}
