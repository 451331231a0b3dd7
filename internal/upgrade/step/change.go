// SPDX-License-Identifier: MPL-2.0

package step

import (
	"iter"
	"slices"
	"strconv"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// setFrom sets the version before the step. The zero version means unknown.
func (n *node) setFrom(v version.Version) {
	n.From, n.fromUnknown = v, v.IsZero()
	if n.fromUnknown {
		n.From = n.To
	}
}

// Moves lists the moves of a step, including instances that it adds and removes.
// Instances of one component that make the same move are combined.
func Moves(from, to skew.Cluster) []finding.Move {
	var moves []finding.Move
	for _, m := range combined(nodesOf(changes(from, to))) {
		moves = append(moves, m.Move)
	}
	return moves
}

// combined lists the moves of nodes. Those of one component that make the same move in the
// same stage are combined.
func combined(nodes iter.Seq[*node]) []Ordered {
	type key struct {
		stage               int
		component, from, to string
	}
	var moves group.Map[key, Ordered]
	for n := range nodes {
		if n.Moves() {
			m := moves.GetOrCreate(key{n.stage, n.component, n.From.String(), n.To.String()}, func() Ordered {
				return Ordered{Stage: n.stage, Move: n.described()}
			})
			m.Locations = append(m.Locations, n.locations()...)
		}
	}
	for i := range moves.All {
		moves.All[i].Locations = finding.Distinct(moves.All[i].Locations)
	}
	return moves.All
}

// site is one or more locations at which a step makes the same changes. Many such
// locations are represented by two sites.
type site struct {
	skew.Site[*node]
	location finding.Location
	// represented lists the locations of all sites with the same changes.
	represented []finding.Location
	// alike lists all sites whose moves the rules treat the same way: see representatives.
	alike []*site
	// managed says that this is a managed control plane, which the platform moves as
	// a whole.
	managed bool
}

// nodesOf yields the nodes of all sites, each once.
func nodesOf(sites []*site) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, s := range sites {
			for _, m := range s.Members {
				if n := m.State; n.site == s && !yield(n) {
					return
				}
			}
		}
	}
}

// changes returns the sites of a step.
func changes(from, to skew.Cluster) []*site {
	all := align(from, to)
	kept := skew.Representatives(len(all), func(i int, key []byte) []byte {
		return all[i].appendKey(key, func(key []byte, v version.Version) []byte { return append(key, v.String()...) })
	})
	sites := make([]*site, len(kept))
	for i, k := range kept {
		sites[i] = all[k.Index]
		first := all[k.Alike[0]]
		if first.represented == nil {
			first.represented = make([]finding.Location, len(k.Alike))
			for n, same := range k.Alike {
				first.represented[n] = all[same].location
			}
		}
		sites[i].represented = first.represented
	}
	return sites
}

// appendKey appends a key that is the same for all sites with the same changes between
// versions, which write appends.
func (s *site) appendKey(key []byte, write func([]byte, version.Version) []byte) []byte {
	flag := func(b bool) { key = strconv.AppendBool(key, b) }
	text := func(t string) { key = append(append(key, t...), 0) }
	flag(s.Local)
	flag(s.managed)
	key = append(key, byte(partOf(s.location.Attribute)))
	for _, m := range s.Members {
		text(m.Component)
		key = append(write(append(write(key, m.State.From), 0), m.State.To), 0)
		flag(m.State.ToUnknown)
		flag(m.State.fromUnknown)
		flag(m.State.clusterWide)
	}
	return key
}

// align matches two combinations and returns a site for each location of either. If
// one combination declares a managed control plane and the other its instances, the
// managed one is matched with each instance.
//
// An unknown version never causes a finding. If the version before the step is
// unknown, it is assumed to be the version after it, and to have been allowed beside
// all others. An instance whose version after the step is unknown keeps its known
// version until it moves.
func align(from, to skew.Cluster) []*site {
	var sites []*site
	byLocation := map[finding.Location]*site{}
	managedTo := slices.ContainsFunc(to.Places, func(p skew.Place) bool { return p.Location.Attribute == finding.ControlPlaneVersion })

	add := func(p skew.Place, other skew.Cluster, set func(*node, version.Version)) {
		for _, i := range p.Instances {
			for _, where := range counterparts(p.Location, i.Component, other) {
				shown := where
				if managedTo && where.InControlPlane() {
					shown = finding.AtAttribute(finding.ControlPlaneVersion)
				}
				s := byLocation[where]
				if s == nil {
					s = &site{location: shown, managed: shown.Attribute == finding.ControlPlaneVersion}
					s.Local = to.LocalEndpoint && shown.InControlPlane()
					byLocation[where] = s
					sites = append(sites, s)
				}
				n, ok := s.State(i.Component)
				if !ok {
					n = &node{site: s, component: i.Component, Change: finding.Change{ToUnknown: to.Partial}, clusterWide: true}
					s.Members = append(s.Members, skew.Member[*node]{Component: i.Component, State: n})
				}
				set(n, i.Version)
				n.clusterWide = n.clusterWide && i.ClusterWide
			}
		}
	}
	for _, p := range to.Places {
		add(p, from, func(n *node, v version.Version) { n.To, n.ToUnknown = v, v.IsZero() })
	}
	for _, p := range from.Places {
		add(p, to, (*node).setFrom)
	}
	if from.Partial {
		for n := range nodesOf(sites) {
			if n.From.IsZero() {
				n.setFrom(version.Version{})
			}
		}
	}
	alignClusterWide(sites, from, to)
	return sites
}

// counterparts returns the locations at which the other combination declares a
// component at l. This is l itself, except for a managed control plane: if the other
// combination declares instances with the component, it is all of these.
func counterparts(l finding.Location, component string, other skew.Cluster) []finding.Location {
	if l.Attribute == finding.ControlPlaneVersion {
		var instances []finding.Location
		for _, p := range other.Places {
			if _, ok := p.Version(component); ok && p.Location.Attribute == finding.ControlPlane {
				instances = append(instances, p.Location)
			}
		}
		if len(instances) > 0 {
			return instances
		}
	}
	return []finding.Location{l}
}

// alignClusterWide gives each cluster-wide component one node for all sites. It also runs
// on node pools that the step adds or removes.
func alignClusterWide(sites []*site, from, to skew.Cluster) {
	known := map[string]*node{}
	for _, s := range sites {
		for i := range s.Members {
			n := s.Members[i].State
			if !n.clusterWide {
				continue
			}
			if known[n.component] == nil {
				v, declared := to.ClusterWide(n.component)
				n.Change = finding.Change{To: v, ToUnknown: v.IsZero() && (declared || to.Partial)}
				if v, declared := from.ClusterWide(n.component); declared {
					n.setFrom(v)
				}
				known[n.component] = n
			}
			s.Members[i].State = known[n.component]
		}
	}
}
