// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// problem is what a plan has to solve: everything that stays the same while the
// cluster moves. The cluster is reduced: of places that are alike it holds two,
// which is enough to see how any number treat each other, and which always move
// together.
type problem struct {
	Request
	// back says that the control plane goes back to an older minor.
	back bool
	// maxMinors is how many minors API servers may move at once.
	maxMinors int
	// regular says that they do so wherever they can.
	regular   bool
	heldNames map[string]bool
	available map[version.Minor][]version.Version
	places    []skew.Place // with the versions at the start
	// alike is all the locations that a place stands for.
	alike     [][]finding.Location
	instances []instance
	units     []unit
	byRole    map[role][]unit
	waived    waivers
}

// instance is one component of one place.
type instance struct {
	place     int
	component string
	at        finding.Location // where it is declared
	steps     []*policy.StepRule
	pairs     []relatedPair
	unit      int // index of the unit that it belongs to; noUnit if nothing moves it
}

const noUnit = -1

// unit is instances that move together.
type unit struct {
	index     int
	instances []int
	role      role
	place     int
	held      bool // must not move
}

type role int

// The roles, in the order in which they move at the same distance from the
// target.
const (
	apiServer        role = iota
	controller            // follows the API servers it can reach
	controlPlaneNode      // kubelet and kube-proxy of a control-plane instance
	nodePool              // kubelet and kube-proxy of a node pool
	clusterKubeProxy      // the kube-proxy that is declared for the whole cluster
	client                // moves only when it must
)

func (r role) kind() Kind {
	switch r {
	case apiServer, controller, controlPlaneNode:
		return KindControlPlane
	case client:
		return KindClients
	}
	return KindNodePools
}

// newState reduces a cluster to what a plan has to look at, and is the state that
// the plan starts in.
func newState(r Request) state {
	p := &problem{Request: r, waived: newWaivers(r), available: r.availableByMinor()}
	p.back = r.Cluster.Newest(skew.APIServer).Minor().Compare(r.Target.Minor()) > 0
	p.maxMinors = r.maxMinorsPerStep(p.back)
	p.heldNames = make(map[string]bool, len(r.Held))
	for _, name := range r.Held {
		p.heldNames[name] = true
	}
	groups := map[string][]int{}
	var key strings.Builder
	for _, place := range r.Cluster.Places {
		key.Reset()
		key.WriteString(string(place.Location.Attribute))
		key.WriteString(p.waived.key(place.Location))
		if p.holds(place.Location) {
			key.WriteString("\x00held")
		}
		for _, i := range place.Instances {
			key.WriteString("\x00" + i.Component + "\x00" + i.Version.String())
			if i.ClusterWide {
				key.WriteString("\x00")
			}
		}
		group := groups[key.String()]
		if len(group) < 2 {
			group = append(group, len(p.places))
			groups[key.String()] = group
			p.places = append(p.places, place)
			p.alike = append(p.alike, nil)
		}
		last := group[len(group)-1] // stands for all that follow
		p.alike[last] = append(p.alike[last], place.Location)
	}
	s := state{problem: p}
	for i, place := range p.places {
		s.versions = append(s.versions, p.addPlace(i, place)...)
	}
	p.byRole = map[role][]unit{}
	for _, unit := range p.units {
		p.byRole[unit.role] = append(p.byRole[unit.role], unit)
	}
	p.relate()
	return s
}

// holds reports whether what runs somewhere must not move.
func (p *problem) holds(l finding.Location) bool {
	return l.Attribute == finding.NodePools && p.heldNames[l.Key]
}

// addPlace adds the instances of a place, in their order, and the units that they
// make up. It returns their versions.
func (p *problem) addPlace(index int, place skew.Place) []version.Version {
	var versions []version.Version
	byRole := map[role]int{} // the unit of this place that has a role
	for _, i := range place.Instances {
		n := len(p.instances)
		p.instances = append(p.instances, instance{place: index, component: i.Component, at: place.At(i), unit: noUnit})
		versions = append(versions, i.Version)
		in := &p.instances[n]
		for _, r := range p.Policy.StepRulesFor(i.Component) {
			if r.Severity == policy.SeverityError && !p.waived.accept(r.ID, in.at) {
				in.steps = append(in.steps, r)
			}
		}
		r, moves := roleOf(place.Location.Attribute, i)
		if !moves {
			continue
		}
		u, known := byRole[r]
		if r == clusterKubeProxy {
			u = slices.IndexFunc(p.units, func(u unit) bool { return u.role == clusterKubeProxy })
			known = u >= 0
		}
		if !known || r == controller || r == apiServer && place.Location.Attribute == finding.ControlPlane {
			u = len(p.units)
			p.units = append(p.units, unit{index: u, role: r, place: index, held: r == nodePool && p.holds(place.Location)})
			byRole[r] = u
		}
		in.unit = u
		p.units[u].instances = append(p.units[u].instances, n)
	}
	return versions
}

// roleOf tells what an instance is to a plan; ok is false for what nothing moves.
func roleOf(at finding.Attribute, i skew.Instance) (r role, ok bool) {
	switch {
	case i.ClusterWide:
		return clusterKubeProxy, true
	case at == finding.ControlPlaneVersion, at == finding.ControlPlane && i.Component == skew.APIServer:
		return apiServer, true
	case at == finding.ControlPlane && slices.Contains(skew.ControlPlaneComponents, i.Component):
		return controller, true
	case at == finding.ControlPlane:
		return controlPlaneNode, true
	case at == finding.NodePools:
		return nodePool, true
	case at == finding.Kubectl:
		return client, true
	}
	return 0, false
}

// waivers is the findings that are accepted on the day of a plan.
type waivers struct {
	everywhere map[string]bool            // by rule
	somewhere  map[string]map[string]bool // by rule and location
	byLocation map[string]string
}

func newWaivers(r Request) waivers {
	w := waivers{map[string]bool{}, map[string]map[string]bool{}, map[string]string{}}
	for i, waiver := range r.Waivers {
		if waiver.ExpiredOn(r.Day) {
			continue
		}
		if len(waiver.Locations) == 0 {
			w.everywhere[waiver.RuleID] = true
			continue
		}
		if w.somewhere[waiver.RuleID] == nil {
			w.somewhere[waiver.RuleID] = map[string]bool{}
		}
		for _, l := range waiver.Locations {
			w.somewhere[waiver.RuleID][l] = true
			w.byLocation[l] += fmt.Sprint("\x00", i)
		}
	}
	return w
}

// key tells places apart that waivers treat differently.
func (w waivers) key(l finding.Location) string {
	if len(w.byLocation) == 0 {
		return ""
	}
	return w.byLocation[l.String()]
}

// accept reports whether what a rule finds somewhere is accepted.
func (w waivers) accept(rule string, l finding.Location) bool {
	return w.everywhere[rule] || len(w.somewhere[rule]) > 0 && w.somewhere[rule][l.String()]
}
