// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// planner holds everything that stays the same during a plan. Many places with the
// same declarations and versions are represented by two of them. These always move
// together, and two are enough to check their instances against each other.
type planner struct {
	Request
	// rollback says that the control plane goes back to an older minor.
	rollback bool
	// maxMinors is the maximum number of minors that API servers move in one step.
	maxMinors int
	heldNames map[string]bool
	// notOffered is the rule of findings on minors without an available version.
	notOffered finding.Rule
	available  map[version.Minor][]version.Version
	// availableNodes is as available, for node pools.
	availableNodes map[version.Minor][]version.Version
	places         []skew.Place // with the initial versions
	// represented lists the places of the cluster that each place represents.
	represented [][]int
	instances   []member
	units       []unit
	byRole      map[role][]unit
	known       *table // of the state that asked for one last
	waived      *finding.Waivers
}

// member is a component at a place.
type member struct {
	place     int
	component string
	location  finding.Location // where it is declared
	stepRules []*policy.StepRule
	pairs     []relatedPair
	unit      int // index in planner.units, noUnit if the plan does not move it
}

const noUnit = -1

// unit is a group of instances that move together.
type unit struct {
	index     int
	instances []int
	role      role
	place     int
	held      bool // a node pool that must not move
	// related lists the roles of the other units that rules relate it to, API servers apart.
	related []role
	// limit is the newest version of a node pool, zero if it can reach the target.
	limit version.Version
}

type role int

// The roles. If units of several roles can move, those of the first role move first.
const (
	apiServer        role = iota
	controller            // a control-plane component that connects to API servers
	controlPlaneNode      // kubelet and kube-proxy of a control-plane instance
	nodePool              // kubelet and kube-proxy of a node pool
	clusterKubeProxy      // the kube-proxy declared for the whole cluster
	client                // moves only if required
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

// newState returns the state in which a plan starts.
func newState(r Request) state {
	p := &planner{Request: r, waived: finding.NewWaivers(r.Waivers, r.Day), available: byMinor(r.Available), availableNodes: byMinor(r.AvailableNodes)}
	p.rollback = r.RollsBack()
	p.maxMinors = r.maxMinorsPerStep(p.rollback)
	p.heldNames = make(map[string]bool, len(r.Held))
	for _, name := range r.Held {
		p.heldNames[name] = true
	}
	p.notOffered = finding.Rule{ID: "not-offered", Source: r.Policy.Source} // if the policy disables it
	for _, a := range r.Policy.Advisories {
		if a.Check == policy.CheckNotOffered {
			p.notOffered = finding.Rule{ID: a.ID, Source: a.Source}
		}
	}
	p.addRepresentatives()
	s := state{planner: p}
	for i, place := range p.places {
		s.versions = append(s.versions, p.addPlace(i, place)...)
	}
	p.findPairs()
	p.byRole = map[role][]unit{}
	for i := range p.units {
		u := &p.units[i]
		u.related = s.relatedRoles(*u)
		p.byRole[u.role] = append(p.byRole[u.role], *u)
	}
	return s
}

// addRepresentatives adds at most two of all places that a plan treats the same way.
func (p *planner) addRepresentatives() {
	all := p.Cluster.Places
	for _, kept := range skew.Representatives(len(all), func(i int, key []byte) []byte {
		at := all[i].Location
		return fmt.Append(all[i].AppendInstances(key), at.Attribute, p.waived.Key(at), p.isHeld(at), p.limitOf(at))
	}) {
		represented := kept.Alike[1:] // the second place represents all further ones
		if kept.Index == kept.Alike[0] {
			represented = kept.Alike[:1]
		}
		p.places, p.represented = append(p.places, all[kept.Index]), append(p.represented, represented)
	}
}

// isHeld reports whether a location is a held node pool.
func (p *planner) isHeld(l finding.Location) bool {
	return l.Attribute == finding.NodePools && p.heldNames[l.Key]
}

// limitOf returns the newest version that a node pool may get, zero if it can reach the
// target. Limits only count on the way up.
func (p *planner) limitOf(l finding.Location) version.Version {
	limit, ok := p.Limits[l.Key]
	if !ok || l.Attribute != finding.NodePools || p.rollback {
		return version.Version{}
	}
	_, exact := p.Target.Patch()
	if _, limited := limit.Patch(); exceeds(p.Target, limit) || limited && !exact && p.Target.Minor() == limit.Minor() {
		return limit
	}
	return version.Version{}
}

// exceeds reports whether a version is newer than a limit. Without a patch, the limit is
// the newest patch of its minor.
func exceeds(v, limit version.Version) bool {
	if v.Minor() != limit.Minor() {
		return v.Minor().Compare(limit.Minor()) > 0
	}
	_, exact := limit.Patch()
	return exact && compare(v, limit) > 0
}

// addPlace adds the instances of a place and their units. It returns the versions of the
// instances.
func (p *planner) addPlace(index int, place skew.Place) []version.Version {
	var versions []version.Version
	byRole := map[role]int{} // index of the unit of this place
	for _, i := range place.Instances {
		n := len(p.instances)
		p.instances = append(p.instances, member{place: index, component: i.Component, location: place.At(i), unit: noUnit})
		versions = append(versions, i.Version)
		in := &p.instances[n]
		for _, r := range p.Policy.StepRulesFor(i.Component) {
			if p.waived.Accepting(r.ID, in.location) == nil {
				in.stepRules = append(in.stepRules, r)
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
			p.units = append(p.units, unit{index: u, role: r, place: index})
			if r == nodePool { // and not the cluster-wide kube-proxy that runs on it
				p.units[u].held, p.units[u].limit = p.isHeld(place.Location), p.limitOf(place.Location)
			}
			byRole[r] = u
		}
		in.unit = u
		p.units[u].instances = append(p.units[u].instances, n)
		if limit := p.units[u].limit; !limit.IsZero() && exceeds(i.Version, limit) {
			p.units[u].held = true // the limit does not ask to roll back
		}
	}
	return versions
}

// roleOf returns the role of an instance. ok is false if a plan does not move it.
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
