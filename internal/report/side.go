// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// sides contains the same side, subject or reference, of several findings.
type sides []finding.Side

func subjectsOf(p finding.Problem) sides {
	return each(p.Findings, func(f finding.Finding) finding.Side { return f.Subject })
}

func referencesOf(p finding.Problem) sides {
	return each(p.Findings, func(f finding.Finding) finding.Side { return f.Reference })
}

// placed is a version at a location.
type placed struct {
	location finding.Location
	version  version.Version
}

// placed lists the locations of the sides in order, each once, with the first version there.
func (s sides) placed() []placed {
	var found group.Map[finding.Location, placed]
	for _, side := range s {
		for _, l := range side.Locations {
			found.GetOrCreate(l, func() placed { return placed{l, side.Version} })
		}
	}
	slices.SortFunc(found.All, func(a, b placed) int { return a.location.Compare(b.location) })
	return found.All
}

// locations lists the locations of the sides in order, each once.
func (s sides) locations() []finding.Location {
	var all []finding.Location
	for _, side := range s {
		all = append(all, side.Locations...)
	}
	return finding.Distinct(all)
}

// versions lists the versions of the sides, oldest first, each once.
func (s sides) versions() []string {
	all := each(s, func(side finding.Side) version.Version { return side.Version })
	slices.SortFunc(all, version.Version.Compare)
	return slices.Compact(Strings(all))
}

// byComponent splits the sides by component, in order.
func (s sides) byComponent() []sides {
	var components group.Map[string, sides]
	for _, side := range s {
		one := components.GetOrCreate(side.Component, func() sides { return nil })
		*one = append(*one, side)
	}
	return components.All
}

// run returns a clause such as `node_pools["a"] runs kubelet 1.31.2`. If the
// locations of a single component have different versions, each location is followed
// by its version.
func (s sides) run(t tense) string {
	if len(s.byComponent()) > 1 || len(s.versions()) == 1 {
		locations := s.locations()
		return fmt.Sprintf("%s %s %s", Locations(locations), t.of(form(len(locations), "runs", "run"), "run"), s.what())
	}
	words := each(s.placed(), func(p placed) string { return fmt.Sprintf("%s (%s)", p.location, p.version) })
	return fmt.Sprintf("%s %s %s", list(words), t.of("run", "run"), s.what())
}

// what names the components and their versions, as in "kubelet and kube-proxy 1.31.2".
// If a component has several versions, it only names the minor.
func (s sides) what() string {
	components := s.byComponent()
	names := listAll(each(components, func(one sides) string { return one[0].Component }))
	switch {
	case len(s.versions()) == 1:
		return fmt.Sprintf("%s %s", names, s[0].Version)
	case slices.ContainsFunc(components, func(one sides) bool { return len(one.versions()) > 1 }):
		return fmt.Sprintf("%s %s", names, s[0].Version.Shown())
	}
	return listAll(each(components, func(one sides) string { return fmt.Sprintf("%s %s", one[0].Component, one[0].Version) }))
}

// named returns a phrase such as `kube-apiserver 1.31.2 (control_plane["a"])`.
func (s sides) named() string {
	return fmt.Sprintf("%s %s (%s)", s[0].Component, list(s.versions()), Locations(s.locations()))
}

// byVersion lists the versions of a component with their locations, oldest first.
func (s sides) byVersion() string {
	var groups group.Map[string, finding.Side]
	for _, p := range s.placed() {
		g := groups.GetOrCreate(p.version.String(), func() finding.Side { return finding.Side{Version: p.version} })
		g.Locations = append(g.Locations, p.location)
	}
	slices.SortFunc(groups.All, func(a, b finding.Side) int { return a.Version.Compare(b.Version) })
	return list(each(groups.All, func(g finding.Side) string { return fmt.Sprintf("%s (%s)", g.Version, Locations(g.Locations)) }))
}

// subjects names the components of a problem, as in "kubelet and kube-proxy".
func subjects(p finding.Problem) string { return listAll(p.Components()) }

// is returns "is", "are" or "would be" for the components of a problem.
func is(p finding.Problem, t tense) string { return t.of(agree(p, "is", "are"), "be") }

// agree returns the form of a verb for the number of components of a problem.
func agree(p finding.Problem, singular, plural string) string {
	return form(len(p.Components()), singular, plural)
}

// instances names the instances that a problem is about.
func instances(p finding.Problem) string {
	return target(finding.Target{Components: p.Components(), Locations: p.Locations()})
}

// target names what a remedy changes: an attribute with a single version, or
// components at locations.
func target(t finding.Target) string {
	where := Locations(t.Locations)
	if l := t.Locations[0]; l.Key == "" || l.Index >= 0 {
		return where
	}
	return fmt.Sprintf("the %s of %s", listAll(t.Components), where)
}
