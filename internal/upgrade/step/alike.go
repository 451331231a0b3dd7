// SPDX-License-Identifier: MPL-2.0

package step

import (
	"iter"
	"slices"
	"strconv"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// representatives returns at most two of all sites that are alike. They are enough to check
// the moves of all of them against each other. Sites are alike if the rules treat their moves
// the same way: if they have the same minors, unless a rule distinguishes patches.
func representatives(p *policy.Policy, sites []*site) []*site {
	patchesMatter := slices.ContainsFunc(p.PairRules, func(r *policy.PairRule) bool {
		return r.Severity == policy.SeverityError && r.DistinguishesPatches()
	})
	kept := skew.Representatives(len(sites), func(i int, key []byte) []byte {
		if patchesMatter {
			return strconv.AppendInt(key, int64(i), 10)
		}
		return sites[i].appendMinors(key)
	})
	all, buffer := make([]*site, len(kept)), make([]*site, 0, len(sites))
	for i, k := range kept {
		all[i] = sites[k.Index]
		if k.Index != k.Alike[0] {
			continue
		}
		first := len(buffer)
		for _, index := range k.Alike {
			buffer = append(buffer, sites[index])
		}
		for _, s := range buffer[first:] {
			s.alike = slices.Clip(buffer[first:])
		}
	}
	return all
}

// appendMinors appends a key that is the same for all sites whose moves the rules treat the
// same way, if they do not distinguish patches.
func (s *site) appendMinors(key []byte) []byte {
	key = s.appendKey(key, func(key []byte, v version.Version) []byte {
		m := v.Minor()
		if n := v.Numbering(); !n.IsKubernetes() {
			key = append(key, n.Show(m)...)
		}
		return strconv.AppendInt(append(strconv.AppendInt(key, int64(m.Major), 10), '.'), int64(m.Minor), 10)
	})
	for _, m := range s.Members {
		n := m.State
		for _, is := range []bool{n.From.IsZero(), n.To.IsZero(), n.Moves(), n.refused} {
			key = strconv.AppendBool(key, is)
		}
		if n.joins() { // step rules compare it with the others
			key = append(key, n.To.String()...)
		}
		key = append(key, 0)
	}
	return key
}

// representative returns the node that stands for a node in the graph.
func (n *node) representative() *node {
	if n.clusterWide {
		return n
	}
	s := n.site
	if s != s.alike[min(1, len(s.alike)-1)] {
		s = s.alike[0]
	}
	r, _ := s.State(n.component)
	return r
}

// represented lists the nodes that a node in the graph stands for.
func (n *node) represented() []*node {
	return slices.DeleteFunc(n.alike(), func(other *node) bool { return other.representative() != n })
}

// alike lists the nodes that the rules treat like n, and n.
func (n *node) alike() []*node {
	if n.clusterWide {
		return []*node{n}
	}
	all := make([]*node, len(n.site.alike))
	for i, s := range n.site.alike {
		all[i], _ = s.State(n.component)
	}
	return all
}

// at yields the breaches that an edge of the representative of a node stands for.
func (e edge) at(n *node) iter.Seq[breach] {
	return func(yield func(breach) bool) {
		from := e.subject
		if from == e.to {
			from = e.reference
		}
		with := func(to *node) breach {
			if e.to == e.subject {
				return e.between(to, n)
			}
			return e.between(n, to)
		}
		switch {
		case from.site == e.to.site:
			to, _ := n.site.State(e.to.component)
			yield(with(to))
			return
		case from.site.alike[0] != e.to.site.alike[0] && e.to.site != e.to.site.alike[0]:
			return // the edge to the other representative stands for all
		}
		for _, to := range e.to.alike() {
			if to.site != n.site && !yield(with(to)) {
				return
			}
		}
	}
}

// between returns the breach by two nodes that its own nodes stand for.
func (b breach) between(subject, reference *node) breach {
	b.subject, b.reference = subject, reference
	b.Subject, b.Reference = subject.Change, reference.Change
	return b
}
