// SPDX-License-Identifier: MPL-2.0

package step

import (
	"iter"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
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

// represented yields the inversions that those of representatives stand for.
func (g *graph) represented(inversions []inversion) iter.Seq[inversion] {
	return func(yield func(inversion) bool) {
		byThen := map[*node][]inversion{}
		for _, inv := range inversions {
			byThen[inv.then] = append(byThen[inv.then], inv)
		}
		for _, then := range g.all {
			for _, inv := range byThen[then.representative()] {
				waiting := []*node{then}
				if inv.through != nil {
					waiting = inv.through.represented()
				}
				for _, n := range waiting {
					for b := range inv.edge.at(n) {
						one := inversion{first: b.subject, then: then, edge: edge{breach: b}, through: inv.through}
						if inv.edge.to == inv.edge.reference {
							one.first = b.reference
						}
						if !yield(one) {
							return
						}
					}
				}
			}
		}
	}
}

// applyOrderFindings reports the violations that the declared order can lead to.
func (g *graph) applyOrderFindings(o ApplyOrder) []finding.Finding {
	inversions := g.inversions(o)
	if len(inversions) == 0 {
		return nil
	}
	instead, applies := g.orderWithoutInversions(), g.applies(o).before(inversions)
	type key struct{ rule, subject, reference, component, from, to string }
	var groups group.Map[key, []inversion]
	for inv := range g.represented(inversions) {
		e := inv.edge
		same := groups.GetOrCreate(key{
			e.Rule.ID, e.subjectVersion().String(), e.referenceVersion().String(), inv.first.component, inv.first.From.String(), inv.first.To.String(),
		}, func() []inversion { return nil })
		*same = append(*same, inv)
	}
	findings := make([]finding.Finding, len(groups.All))
	for i, same := range groups.All {
		inv := same[0]
		cause := &finding.ApplyOrder{Declared: string(o), Instead: string(instead), First: inv.first.described(), Then: inv.then.described(), Applies: applies}
		cause.Then.Whole = inv.then.whole(func(*node) bool { return true })
		if inv.through != nil {
			cause.Through = inv.through.component
		}
		var breaches []breach
		for _, inv := range same {
			breaches = append(breaches, inv.edge.breach)
			cause.First.Locations = append(cause.First.Locations, inv.first.locations()...)
			// The finding names only one change, even if moves with other versions follow.
			cause.Then.Locations = append(cause.Then.Locations, inv.then.locationsIf(cause.Then)...)
		}
		cause.First.Locations, cause.Then.Locations = finding.Distinct(cause.First.Locations), finding.Distinct(cause.Then.Locations)
		findings[i], cause.Intermediate = breachFinding(breaches)
		findings[i].Cause = cause
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

// orderWithoutInversions returns an order without inversions, "" if there is none.
func (g *graph) orderWithoutInversions() ApplyOrder {
	for _, o := range []ApplyOrder{ControlPlaneFirst, NodePoolsFirst} {
		if len(g.inversions(o)) == 0 {
			return o
		}
	}
	return ""
}
