// SPDX-License-Identifier: MPL-2.0

package step

import (
	"cmp"
	"iter"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// applies splits a step into several applies, each of which the declared order can take
// without an inversion.
type applies struct {
	*graph
	order ApplyOrder
	// earliest is the first apply, from 0, in which the moves of a group are possible.
	earliest map[*node]int
}

func (g *graph) applies(o ApplyOrder) *applies {
	a := &applies{graph: g, order: o, earliest: map[*node]int{}}
	byStage := slices.SortedStableFunc(slices.Values(g.nodes), func(n, m *node) int { return cmp.Compare(n.stage, m.stage) })
	// One pass is enough, unless a managed control plane, which moves as a whole, has to
	// wait for something that waits for one of its components.
	for range maxApplies {
		changed := false
		for _, n := range byStage {
			at := a.earliestOf(n)
			for m := range n.asOne() {
				at = max(at, a.earliest[m.group])
			}
			for m := range n.asOne() {
				changed = changed || a.earliest[m.group] < at
				a.earliest[m.group] = at
			}
		}
		if !changed {
			break
		}
	}
	return a
}

// maxApplies is the maximum number of applies that a step is split into.
const maxApplies = 10

// asOne yields the moves that always happen at the same time as a move, and the move
// itself.
func (n *node) asOne() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if !yield(n) || !n.site.managed || n.clusterWide {
			return
		}
		for _, m := range n.site.Members {
			if other := m.State; other != n && other.Moves() && !yield(other) {
				return
			}
		}
	}
}

// earliestOf returns the first apply in which a move is possible, if all that have to come
// earlier are in the first apply that is possible for them.
func (a *applies) earliestOf(n *node) int {
	first := 0
	seen := map[*node]bool{}
	var visit func(*node)
	visit = func(m *node) {
		for _, e := range m.before {
			if seen[e.to] || e.to.group == n.group {
				continue
			}
			seen[e.to] = true
			at := a.earliest[e.to.group]
			switch {
			case e.to.part() == free:
				visit(e.to)
			case n.part() != free && a.order.allowsBefore(n, e.to):
				at++
			}
			first = max(first, at)
		}
	}
	visit(n)
	return first
}

// before returns the applies that have to come before the rest of the step, each with its
// moves, so that no inversion is left in any of them or in the rest.
func (a *applies) before(inversions []inversion) [][]finding.Move {
	in, last := map[*node]int{}, 0 // the apply of each move
	for _, inv := range inversions {
		a.require(inv.first, in)
		last = max(last, a.earliest[inv.first.group])
	}
	for _, n := range a.nodes {
		if at, ok := in[n]; ok {
			a.takeAlong(n, at, in)
		}
	}
	all := make([][]finding.Move, last+1)
	for i := range all {
		a.addJoining(i, in)
		all[i] = a.movesOf(i, in)
	}
	return all
}

// require adds a move and all that have to come before it.
func (a *applies) require(n *node, in map[*node]int) {
	if _, known := in[n]; known {
		return
	}
	in[n] = a.earliest[n.group]
	for m := range n.asOne() {
		a.require(m, in)
	}
	for _, e := range n.before {
		a.require(e.to, in)
	}
}

// takeAlong adds the other moves of an instance or pool that need nothing else to come
// before them, because most tools move an instance or pool as a whole.
func (a *applies) takeAlong(n *node, at int, in map[*node]int) {
	if n.clusterWide {
		return
	}
	for _, m := range n.site.Members {
		other := m.State
		if _, known := in[other]; known || !other.Moves() || other.clusterWide {
			continue
		}
		if with := map[*node]bool{}; a.needsOnly(other, in, with) {
			for one := range with {
				in[one] = max(at, a.earliest[one.group])
			}
		}
	}
}

// needsOnly reports whether everything that has to come before a move is among the given
// moves or at its own place. It collects the latter, and the move itself.
func (a *applies) needsOnly(n *node, in map[*node]int, with map[*node]bool) bool {
	with[n] = true
	for _, e := range n.before {
		if _, known := in[e.to]; known || with[e.to] {
			continue
		}
		if !e.to.movesWith(n) || !a.needsOnly(e.to, in, with) {
			return false
		}
	}
	return true
}

// addJoining adds the instances to an apply that could not join the others of their
// component after it, because that would be a downgrade from the newest of them.
func (a *applies) addJoining(apply int, in map[*node]int) {
	for changed := true; changed; {
		changed = false
		for _, n := range a.nodes {
			if at, known := in[n]; known && at <= apply || !n.joins() || n.To.IsZero() || n.refused {
				continue
			}
			c := n.Change
			c.From = a.newestAfter(apply, n.component, in)
			if c.From.IsZero() || Allows(a.policy.StepRulesFor(n.component), c.From, c.To) {
				continue
			}
			with := map[*node]int{}
			a.require(n, with)
			for m := range with {
				if at, known := in[m]; !known || at > apply {
					in[m], changed = apply, true
				}
			}
		}
	}
}

// newestAfter returns the newest version of a component after some applies.
func (a *applies) newestAfter(apply int, component string, in map[*node]int) version.Version {
	var newest version.Version
	for _, s := range a.sites.With(component) {
		r, _ := s.State(component)
		at, moved := in[r]
		for _, n := range r.represented() {
			v := n.From
			if moved && at <= apply {
				v = n.To
			}
			if v.Compare(newest) > 0 {
				newest = v
			}
		}
	}
	return newest
}

// movesOf describes the moves of an apply.
func (a *applies) movesOf(apply int, in map[*node]int) []finding.Move {
	type key struct {
		component, from, to string
		whole               bool
	}
	var moves group.Map[key, finding.Move]
	for _, n := range a.all {
		if at, ok := in[n.representative()]; !ok || at != apply {
			continue
		}
		m := n.described()
		m.Whole = n.whole(func(other *node) bool { at, ok := in[other.representative()]; return ok && at == apply })
		k := key{m.Component, m.From.String(), m.To.String(), m.Whole}
		if m.Whole {
			if first := n.site.firstMove(); first != n && !n.clusterWide {
				continue // the place is named once
			}
			k.component = ""
		}
		move := moves.GetOrCreate(k, func() finding.Move { return m })
		move.Locations = append(move.Locations, n.locations()...)
	}
	for i := range moves.All {
		moves.All[i].Locations = finding.Distinct(moves.All[i].Locations)
	}
	return moves.All
}

// firstMove returns the first component of the site that moves on its own.
func (s *site) firstMove() *node {
	for _, m := range s.Members {
		if n := m.State; n.Moves() && !n.clusterWide {
			return n
		}
	}
	return nil
}

// described returns a move for a finding, without its locations.
func (n *node) described() finding.Move {
	return finding.Move{Component: n.component, Change: n.Change}
}

// whole reports whether everything that moves at the place of a node is among the given
// moves, and goes to the same version. If the node is added or removed, so is the place.
func (n *node) whole(among func(*node) bool) bool {
	if n.clusterWide {
		return true
	}
	for _, m := range n.site.Members {
		other := m.State
		switch {
		case other.clusterWide:
		case !other.Moves():
			if n.To.IsZero() || n.From.IsZero() {
				return false
			}
		case !among(other) || !other.To.Same(n.To):
			return false
		}
	}
	return true
}

// joins reports whether the step adds an instance that joins others of its component, and
// uses the data that they have stored. A new node pool starts empty.
func (n *node) joins() bool {
	return n.From.IsZero() && !n.clusterWide && n.site.location.Attribute != finding.NodePools
}
