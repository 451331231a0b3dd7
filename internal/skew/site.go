// SPDX-License-Identifier: MPL-2.0

package skew

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Site is one or more places where the same components run in the same state. Rules
// are applied to sites, so the work grows with the number of distinct states, not
// with the number of places. A state is a version in a combination, and a change of
// version in a step.
type Site[S any] struct {
	Members []Member[S]
	Local   bool // see Cluster.LocalEndpoint
	// places are the indexes of the places that Sites merged into the site.
	places []int
}

// Member is a component of a site and its state.
type Member[S any] struct {
	Component string
	State     S
	// ClusterWide is as in Instance.
	ClusterWide bool
}

// Member returns a component of the site, or nil if it does not run there.
func (s *Site[S]) Member(component string) *Member[S] {
	for i := range s.Members {
		if s.Members[i].Component == component {
			return &s.Members[i]
		}
	}
	return nil
}

// State returns the state of a component at the site.
func (s *Site[S]) State(component string) (state S, ok bool) {
	if m := s.Member(component); m != nil {
		return m.State, true
	}
	return state, false
}

// Sites holds the sites of a cluster, indexed by component.
type Sites[S any] struct {
	All         []*Site[S]
	byComponent map[string][]*Site[S]
}

// NewSites indexes sites.
func NewSites[S any](all []*Site[S]) *Sites[S] {
	sites := &Sites[S]{byComponent: map[string][]*Site[S]{}}
	for _, s := range all {
		sites.add(s)
	}
	return sites
}

func (s *Sites[S]) add(site *Site[S]) {
	s.All = append(s.All, site)
	for _, m := range site.Members {
		s.byComponent[m.Component] = append(s.byComponent[m.Component], site)
	}
}

// With returns the sites where a component runs.
func (s *Sites[S]) With(component string) []*Site[S] { return s.byComponent[component] }

// References yields the references that a rule compares the subject of a site with,
// and their sites. This can include the site itself, if subject and reference
// differ or the site has several places. No other code interprets scopes, except for
// Subjects, its inverse.
func (s *Sites[S]) References(r *policy.PairRule, site *Site[S]) iter.Seq2[*Site[S], S] {
	return func(yield func(*Site[S], S) bool) {
		if s.onlyHere(r, site) {
			if own, here := site.State(r.Reference); here && !others(r) {
				yield(site, own)
			}
			return
		}
		for _, other := range s.With(r.Reference) {
			if others(r) && other == site && len(site.places) < 2 {
				continue // the only instance at the site
			}
			state, _ := other.State(r.Reference)
			if !yield(other, state) {
				return
			}
		}
	}
}

// Pair is a subject and a reference that a rule compares, and their sites.
type Pair[S any] struct {
	Subject, Reference     S
	SubjectAt, ReferenceAt *Site[S]
}

// Pairs yields all pairs that a rule compares, one subject after another.
func (s *Sites[S]) Pairs(r *policy.PairRule) iter.Seq[Pair[S]] {
	return func(yield func(Pair[S]) bool) {
		for _, site := range s.With(r.Subject) {
			subject, _ := site.State(r.Subject)
			for other, reference := range s.References(r, site) {
				if !yield(Pair[S]{subject, reference, site, other}) {
					return
				}
			}
		}
	}
}

// Subjects yields the subjects that a rule compares with the reference of a site, and
// their sites.
func (s *Sites[S]) Subjects(r *policy.PairRule, site *Site[S]) iter.Seq2[*Site[S], S] {
	return func(yield func(*Site[S], S) bool) {
		for _, other := range s.With(r.Subject) {
			switch {
			case other != site && s.onlyHere(r, other):
				continue
			case others(r) && other == site && (len(site.places) < 2 || s.onlyHere(r, site)):
				continue
			}
			state, _ := other.State(r.Subject)
			if !yield(other, state) {
				return
			}
		}
	}
}

// others reports whether a rule compares instances of a component with the other ones.
func others(r *policy.PairRule) bool {
	return r.Subject == r.Reference && r.Scope != policy.ScopeSelf
}

// onlyHere reports whether a rule only compares the subject of a site with a reference
// at the same site.
func (s *Sites[S]) onlyHere(r *policy.PairRule, site *Site[S]) bool {
	return r.Scope == policy.ScopeNode || r.Scope == policy.ScopeSelf || r.Scope == policy.ScopeEndpoint && site.Local && r.Subject != r.Reference && site.Member(r.Reference) != nil
}

// SitesByPlace returns one site for each place, in the same order.
func (c Cluster) SitesByPlace() *Sites[version.Version] {
	sites := make([]*Site[version.Version], 0, len(c.Places))
	for _, p := range c.Places {
		sites = append(sites, c.site(p))
	}
	return NewSites(sites)
}

// site returns the site of a place, without its index.
func (c Cluster) site(p Place) *Site[version.Version] {
	s := &Site[version.Version]{Local: c.local(p.Location), Members: make([]Member[version.Version], 0, len(p.Instances))}
	for _, i := range p.Instances {
		s.Members = append(s.Members, Member[version.Version]{i.Component, i.Version, i.ClusterWide})
	}
	return s
}

// Sites merges the places of a cluster that have the same instances.
func (c Cluster) Sites() *Sites[version.Version] {
	groups := alike(len(c.Places), func(i int, key []byte) []byte {
		return c.Places[i].AppendInstances(strconv.AppendBool(key, c.local(c.Places[i].Location)))
	})
	sites := make([]*Site[version.Version], len(groups))
	for i, places := range groups {
		sites[i] = c.site(c.Places[places[0]])
		sites[i].places = places
	}
	return NewSites(sites)
}

// AppendInstances appends a text that is the same for all places with the same instances.
func (p Place) AppendInstances(text []byte) []byte {
	for _, i := range p.Instances {
		text = append(append(text, i.Component...), 0)
		text = strconv.AppendBool(append(append(text, i.Version.String()...), 0), i.ClusterWide)
	}
	return append(text, 0)
}

// Representative is an element that stands for all elements that are alike.
type Representative struct {
	Index int
	Alike []int // the indexes of all of them, including its own
}

// Representatives keeps at most two of all elements with the same key, in order. Two are
// enough to check elements that are alike against each other.
func Representatives(n int, appendKey func(i int, key []byte) []byte) []Representative {
	groups := alike(n, appendKey)
	kept := make([]Representative, 0, min(n, 2*len(groups)))
	for _, group := range groups {
		for _, i := range group[:min(2, len(group))] {
			kept = append(kept, Representative{i, group})
		}
	}
	slices.SortFunc(kept, func(a, b Representative) int { return cmp.Compare(a.Index, b.Index) })
	return kept
}

// alike groups the indexes of elements by key.
func alike(n int, appendKey func(i int, key []byte) []byte) [][]int {
	index := map[string]int{}
	var key []byte
	of, sizes := make([]int, n), make([]int, 0, min(n, 32)) // the group of each element, and the size of each group
	for i := range n {
		key = appendKey(i, key[:0])
		g, known := index[string(key)]
		if !known {
			g = len(sizes)
			index[string(key)] = g
			sizes = append(sizes, 0)
		}
		of[i] = g
		sizes[g]++
	}
	// The groups share one buffer, because there may be thousands of elements.
	groups, buffer := make([][]int, len(sizes)), make([]int, n)
	for g, size := range sizes {
		groups[g], buffer = buffer[:0:size], buffer[size:]
	}
	for i, g := range of {
		groups[g] = append(groups[g], i)
	}
	return groups
}
