// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"
	"strconv"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Change is what a step does to one instance. From is the zero version for an
// instance that appears, To for one that disappears.
type Change struct {
	From, To version.Version
	// ToUnknown says that To is the zero version because it is not known yet.
	ToUnknown bool
	// fromUnknown says that From is To because it is not known yet.
	fromUnknown bool
}

// startAt sets what the instance runs before the step.
func (c *Change) startAt(v version.Version) {
	c.From, c.fromUnknown = v, v.IsZero()
	if c.fromUnknown {
		c.From = c.To
	}
}

// Moves reports whether the version is another one after the step.
func (c Change) Moves() bool { return c.From.Normalized() != c.To.Normalized() }

// MovesMinor reports whether an instance that stays gets another minor.
func (c Change) MovesMinor() bool {
	return !c.From.IsZero() && !c.To.IsZero() && c.From.Minor() != c.To.Minor()
}

// Upgrades reports whether an instance that stays gets a newer minor.
func (c Change) Upgrades() bool {
	return !c.From.IsZero() && c.To.Minor().Compare(c.From.Minor()) > 0
}

// MinorMoves lists the instances that a step takes to another minor, those of
// one component that make the same move together.
func MinorMoves(from, to skew.Cluster) []Move {
	type key struct{ component, from, to string }
	var moves group.Map[key, Move]
	for _, s := range changes(from, to) {
		for _, m := range s.Members {
			if !m.State.MovesMinor() {
				continue
			}
			move := moves.GetOrCreate(key{m.Component, m.State.From.String(), m.State.To.String()}, func() Move {
				return Move{Component: m.Component, Change: m.State}
			})
			move.Locations = append(move.Locations, s.locations(m.Component)...)
		}
	}
	for i := range moves.All {
		moves.All[i].Locations = tidy(moves.All[i].Locations)
	}
	return moves.All
}

// site is some locations at which a step does the same. Two of them are enough
// to see how any number treat each other, so larger groups are represented by
// two members, which share everywhere, the locations of all.
type site struct {
	skew.Site[Change]
	location   finding.Location
	everywhere *[]finding.Location
	// unit says that the platform moves what runs here as one.
	unit bool
}

// changes matches two combinations location by location.
func changes(from, to skew.Cluster) []*site {
	type group struct {
		members    int
		everywhere []finding.Location
	}
	groups := map[string]*group{}
	var sites []*site
	var key []byte
	for _, p := range align(from, to) {
		key = p.appendKey(key[:0])
		g := groups[string(key)]
		if g == nil {
			g = &group{}
			groups[string(key)] = g
		}
		if g.members < 2 {
			g.members++
			p.everywhere = &g.everywhere
			sites = append(sites, p)
		}
		g.everywhere = append(g.everywhere, p.location)
	}
	return sites
}

// appendKey appends what tells the site from others that a step treats otherwise.
func (s *site) appendKey(key []byte) []byte {
	flag := func(b bool) { key = strconv.AppendBool(key, b) }
	text := func(t string) { key = append(append(key, t...), 0) }
	flag(s.Local)
	flag(s.unit)
	key = append(key, byte(partOf(s.location.Attribute)))
	for _, m := range s.Members {
		text(m.Component)
		text(m.State.From.String())
		text(m.State.To.String())
		flag(m.State.ToUnknown)
		flag(m.State.fromUnknown)
		flag(m.ClusterWide)
	}
	return key
}

// align lists every location of either combination with what changes there.
// Where one side declares a managed control plane and the other spells its
// instances out, the managed one stands for each of them.
//
// Nothing is refused because of a version that is not known yet. What ran before
// at an unknown version is taken to stay as it will be, and to have run beside
// everything else: whether it moves, and whether it was broken before, is open. What
// runs at an unknown version later runs at the known one until it moves.
func align(from, to skew.Cluster) []*site {
	var places []*site
	byLocation := map[finding.Location]*site{}
	managedTo := slices.ContainsFunc(to.Places, func(p skew.Place) bool { return p.Location.Attribute == finding.ControlPlaneVersion })

	place := func(p skew.Place, other skew.Cluster, set func(*Change, version.Version)) {
		for _, i := range p.Instances {
			for _, where := range counterparts(p.Location, i.Component, other) {
				shown := where
				if managedTo && where.InControlPlane() {
					shown = finding.AtAttribute(finding.ControlPlaneVersion)
				}
				s := byLocation[where]
				if s == nil {
					s = &site{location: shown, unit: shown.Attribute == finding.ControlPlaneVersion}
					s.Local = to.LocalEndpoint && shown.InControlPlane()
					byLocation[where] = s
					places = append(places, s)
				}
				m := s.Member(i.Component)
				if m == nil {
					s.Members = append(s.Members, skew.Member[Change]{Component: i.Component, State: Change{ToUnknown: to.Partial}, ClusterWide: true})
					m = &s.Members[len(s.Members)-1]
				}
				set(&m.State, i.Version)
				m.ClusterWide = m.ClusterWide && i.ClusterWide
			}
		}
	}
	for _, p := range to.Places {
		place(p, from, func(c *Change, v version.Version) { c.To, c.ToUnknown = v, v.IsZero() })
	}
	for _, p := range from.Places {
		place(p, to, (*Change).startAt)
	}
	if from.Partial {
		for _, s := range places {
			for i := range s.Members {
				if c := &s.Members[i].State; c.From.IsZero() {
					c.startAt(version.Version{})
				}
			}
		}
	}
	// What is declared for the whole cluster also runs where the rest of a place
	// is not there yet, or no longer.
	clusterWide := map[string]Change{}
	for _, s := range places {
		for i := range s.Members {
			m := &s.Members[i]
			if !m.ClusterWide {
				continue
			}
			c, seen := clusterWide[m.Component]
			if !seen {
				v, declared := to.ClusterWide(m.Component)
				c.To, c.ToUnknown = v, v.IsZero() && (declared || to.Partial)
				if v, declared := from.ClusterWide(m.Component); declared {
					c.startAt(v)
				}
				clusterWide[m.Component] = c
			}
			m.State = c
		}
	}
	return places
}

// locations is where a component of the site is declared.
func (s *site) locations(component string) []finding.Location {
	if s.Member(component).ClusterWide {
		return []finding.Location{finding.AtAttribute(finding.KubeProxy)}
	}
	return *s.everywhere
}

// counterparts returns where the other side declares what runs at l: l itself,
// or, for a managed control plane, every instance that spells the component out.
func counterparts(l finding.Location, component string, other skew.Cluster) []finding.Location {
	if l.Attribute == finding.ControlPlaneVersion {
		var spelled []finding.Location
		for _, p := range other.Places {
			if _, ok := p.Version(component); ok && p.Location.Attribute == finding.ControlPlane {
				spelled = append(spelled, p.Location)
			}
		}
		if len(spelled) > 0 {
			return spelled
		}
	}
	return []finding.Location{l}
}
