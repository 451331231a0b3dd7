package upgrade

import (
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
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

// relocation is a unit and where it goes: to the zero version if the minor can't
// be had.
type relocation struct {
	unit
	minor version.Minor
	to    version.Version
}

// relocate moves a unit to the version to use of a minor.
func (w *walker) relocate(u unit, m version.Minor) relocation {
	return relocation{u, m, w.pick(m, w.now)}
}

// reduce keeps two of all places that are alike, and finds the units.
func (w *walker) reduce() {
	w.now = skew.Cluster{LocalEndpoint: w.Cluster.LocalEndpoint}
	groups := map[string][]int{}
	for _, p := range w.Cluster.Places {
		var key strings.Builder
		key.WriteString(string(p.Location.Attribute))
		for _, i := range p.Instances {
			key.WriteString("\x00" + i.Component + "\x00" + i.Version.String())
		}
		group := groups[key.String()]
		if len(group) < 2 {
			group = append(group, len(w.now.Places))
			groups[key.String()] = group
			w.now.Places = append(w.now.Places, skew.Place{Location: p.Location, Instances: slices.Clone(p.Instances)})
			w.alike = append(w.alike, nil)
		}
		last := group[len(group)-1] // stands for all that follow
		w.alike[last] = append(w.alike[last], p.Location)
	}
	for i, p := range w.now.Places {
		w.units = append(w.units, unitsOf(i, p)...)
	}
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

// version is that of the unit's leading component; the others are at the same
// minor, unless they were joined to be mended together.
func (w *walker) version(u unit) version.Version {
	v, _ := w.now.Places[u.place].Version(u.components[0])
	return v
}

// all reports whether something holds for every version of a unit.
func (w *walker) all(u unit, holds func(version.Version) bool) bool {
	for _, component := range u.components {
		if v, _ := w.now.Places[u.place].Version(component); !holds(v) {
			return false
		}
	}
	return true
}

// arrived reports whether a unit is at the target.
func (w *walker) arrived(u unit) bool { return w.all(u, w.reached) }

// fits reports whether a unit is within a window.
func (w *walker) fits(u unit, in finding.Window) bool {
	return w.all(u, func(v version.Version) bool { return in.Contains(v.Minor()) })
}

// with is the cluster after some moves.
func (w *walker) with(moves []relocation) skew.Cluster {
	c := skew.Cluster{LocalEndpoint: w.now.LocalEndpoint, Places: slices.Clone(w.now.Places)}
	for _, m := range moves {
		place := &c.Places[m.place]
		place.Instances = moved(place.Instances, m.components, m.to)
	}
	return c
}

func moved(instances []skew.Instance, components []string, to version.Version) []skew.Instance {
	instances = slices.Clone(instances)
	for i := range instances {
		if slices.Contains(components, instances[i].Component) {
			instances[i].Version = to
		}
	}
	return instances
}

// scene is a cluster with its sites, of which places are asked.
type scene struct {
	policy *policy.Policy
	sites  *skew.Sites[version.Version]
}

func (w *walker) scene(c skew.Cluster) scene { return scene{w.Policy, c.SitesByPlace()} }

// window is the minors a unit may have in all of some scenes.
func window(u unit, scenes ...scene) finding.Window {
	var bounds []skew.Bound
	for _, s := range scenes {
		for _, component := range u.components {
			bounds = append(bounds, skew.BoundsAt(s.policy, s.sites, s.sites.All[u.place], component, u.components)...)
		}
	}
	return skew.WindowOf(bounds)
}

// goal is how far a unit gets on its way to the target in one move: within a
// window, and no further than its step rules allow. ok is false if it can't
// come any nearer.
func (w *walker) goal(u unit, in finding.Window) (m version.Minor, ok bool) {
	from := w.version(u).Minor()
	m = w.Target.Minor()
	if in.Empty || from.Major != m.Major {
		return version.Minor{}, false
	}
	if in.Minimum != nil {
		m = newer(m, *in.Minimum)
	}
	if in.Maximum != nil {
		m = older(m, *in.Maximum)
	}
	for _, component := range u.components {
		for _, rule := range w.Policy.StepRulesFor(component) {
			if rule.MaxUpgrade != nil {
				m = older(m, from.Add(*rule.MaxUpgrade))
			}
			if rule.MaxDowngrade != nil {
				m = newer(m, from.Add(-*rule.MaxDowngrade))
			}
		}
	}
	return m, !w.all(u, func(v version.Version) bool { return v.Minor() == m })
}

// distance is how many minors there are from m to the target.
func (w *walker) distance(m version.Minor) int {
	skew, _ := m.Skew(w.Target.Minor())
	return max(skew, -skew)
}

// older returns the older of two minors.
func older(a, b version.Minor) version.Minor {
	return slices.MinFunc([]version.Minor{a, b}, version.Minor.Compare)
}

// newer returns the newer of two minors.
func newer(a, b version.Minor) version.Minor {
	return slices.MaxFunc([]version.Minor{a, b}, version.Minor.Compare)
}
