package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Change is what a step does to one instance. From is the zero version for an
// instance that appears, To for one that disappears.
type Change struct {
	From, To version.Version
}

// Moves reports whether the version is another one after the step.
func (c Change) Moves() bool { return c.From.Normalized() != c.To.Normalized() }

// MovesMinor reports whether an instance that stays gets another minor.
func (c Change) MovesMinor() bool {
	return !c.From.IsZero() && !c.To.IsZero() && c.From.Minor() != c.To.Minor()
}

// MinorMoves lists the instances that a step takes to another minor, those of
// one component that make the same move together.
func MinorMoves(from, to skew.Cluster) []Move {
	type key struct{ component, from, to string }
	var moves skew.Groups[key, Move]
	for _, s := range changes(from, to) {
		for _, m := range s.Members {
			if !m.State.MovesMinor() {
				continue
			}
			move := moves.Of(key{m.Component, m.State.From.String(), m.State.To.String()}, func() Move {
				return Move{Component: m.Component, Change: m.State}
			})
			move.Locations = append(move.Locations, s.everywhere...)
		}
	}
	for i := range moves.All {
		moves.All[i].Locations = tidy(moves.All[i].Locations)
	}
	return moves.All
}

// site is some locations at which a step does the same. Two of them are enough
// to see how any number treat each other, so larger groups are represented by
// two members; everywhere holds the locations of all.
type site struct {
	skew.Site[Change]
	everywhere []skew.Location
	// unit says that the platform moves what runs here as one.
	unit bool
}

// changes matches two combinations location by location.
func changes(from, to skew.Cluster) []*site {
	places := align(from, to)
	groups := map[string][]*site{}
	var sites []*site
	for _, p := range places {
		key := fmt.Sprint(p.Local, p.unit)
		for _, m := range p.Members {
			key += fmt.Sprintf("\x00%s\x00%s\x00%s", m.Component, m.State.From, m.State.To)
		}
		group := groups[key]
		if len(group) < 2 {
			group = append(group, p)
			groups[key] = group
			sites = append(sites, p)
		}
		group[0].everywhere = append(group[0].everywhere, p.Locations[0])
	}
	for _, group := range groups {
		group[0].everywhere = tidy(group[0].everywhere)
		for _, s := range group[1:] {
			s.everywhere = group[0].everywhere
		}
	}
	return sites
}

// align lists every location of either combination with what changes there.
// Where one side declares a managed control plane and the other spells its
// instances out, the managed one stands for each of them.
//
// A version that is not known yet counts as none. That never refuses a step:
// what only comes, or only goes, waits for others or others for it, but never
// both.
func align(from, to skew.Cluster) []*site {
	var places []*site
	byLocation := map[skew.Location]*site{}
	managedTo := slices.ContainsFunc(to.Places, func(p skew.Place) bool { return p.Location.Attribute == skew.ControlPlaneVersion })

	place := func(p skew.Place, other skew.Cluster, set func(*Change, version.Version)) {
		for _, i := range p.Instances {
			for _, where := range counterparts(p.Location, i.Component, other) {
				shown := where
				if managedTo && where.InControlPlane() {
					shown = skew.AtAttribute(skew.ControlPlaneVersion)
				}
				s := byLocation[where]
				if s == nil {
					s = &site{unit: shown.Attribute == skew.ControlPlaneVersion}
					s.Locations = []skew.Location{shown}
					s.Local = to.LocalEndpoint && shown.InControlPlane()
					byLocation[where] = s
					places = append(places, s)
				}
				set(s.change(i.Component), i.Version)
			}
		}
	}
	for _, p := range to.Places {
		place(p, from, func(c *Change, v version.Version) { c.To = v })
	}
	for _, p := range from.Places {
		place(p, to, func(c *Change, v version.Version) { c.From = v })
	}

	for _, s := range places {
		slices.SortFunc(s.Members, func(a, b skew.Member[Change]) int { return strings.Compare(a.Component, b.Component) })
	}
	return places
}

// change returns the change of a component at the site, a new one if need be.
func (s *site) change(component string) *Change {
	for i := range s.Members {
		if s.Members[i].Component == component {
			return &s.Members[i].State
		}
	}
	s.Members = append(s.Members, skew.Member[Change]{Component: component})
	return &s.Members[len(s.Members)-1].State
}

// counterparts returns where the other side declares what runs at l: l itself,
// or, for a managed control plane, every instance that spells the component out.
func counterparts(l skew.Location, component string, other skew.Cluster) []skew.Location {
	if l.Attribute == skew.ControlPlaneVersion {
		var spelled []skew.Location
		for _, p := range other.Places {
			if _, ok := p.Version(component); ok && p.Location.Attribute == skew.ControlPlane {
				spelled = append(spelled, p.Location)
			}
		}
		if len(spelled) > 0 {
			return spelled
		}
	}
	return []skew.Location{l}
}
