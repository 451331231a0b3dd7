package upgrade

import (
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// unit is components of one place that move together.
type unit struct {
	place      int // index in the cluster
	components []string
	role       role
}

type role int

const (
	apiServer  role = iota
	controller      // follows the API servers it can reach
	node            // moves when it must, and is at the target in the end
	lagging         // kube-proxy at another minor than its kubelet: moves when it must
	client          // moves when it must
)

// reduced keeps two of all places that are alike, and finds the units.
func reduced(r Request, minorsPerStep int) state {
	s := state{Request: r, minorsPerStep: minorsPerStep, cluster: skew.Cluster{LocalEndpoint: r.Cluster.LocalEndpoint}}
	groups := map[string][]int{}
	for _, p := range r.Cluster.Places {
		var key strings.Builder
		key.WriteString(string(p.Location.Attribute))
		for _, i := range p.Instances {
			key.WriteString("\x00" + i.Component + "\x00" + i.Version.String())
		}
		group := groups[key.String()]
		if len(group) < 2 {
			group = append(group, len(s.cluster.Places))
			groups[key.String()] = group
			s.cluster.Places = append(s.cluster.Places, skew.Place{Location: p.Location, Instances: slices.Clone(p.Instances)})
			s.alike = append(s.alike, nil)
		}
		last := group[len(group)-1] // stands for all that follow
		s.alike[last] = append(s.alike[last], p.Location)
	}
	for i, p := range s.cluster.Places {
		s.units = append(s.units, unitsOf(i, p)...)
	}
	return s
}

// unitsOf tells what moves together at a place.
func unitsOf(index int, p skew.Place) []unit {
	var units []unit
	add := func(r role, components ...string) {
		units = append(units, unit{index, components, r})
	}
	switch p.Location.Attribute {
	case finding.ControlPlaneVersion:
		add(apiServer, skew.ControlPlaneComponents...)
	case finding.Kubectl:
		add(client, p.Instances[0].Component)
	case finding.ControlPlane, finding.NodePools:
		var nodes []skew.Instance
		for _, i := range p.Instances {
			switch slices.Index(skew.ControlPlaneComponents, i.Component) {
			case 0:
				add(apiServer, i.Component)
			case -1:
				nodes = append(nodes, i)
			default:
				add(controller, i.Component)
			}
		}
		// The first component of a node leads; those at its minor go with it.
		var together []string
		for _, i := range nodes {
			if i.Version.Minor() == nodes[0].Version.Minor() {
				together = append(together, i.Component)
			} else {
				add(lagging, i.Component)
			}
		}
		if len(together) > 0 {
			add(node, together...)
		}
	}
	return units
}
