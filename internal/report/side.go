// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// places names locations for a headline: two at most, or the first and how many
// more.
func places(locations []finding.Location) string {
	if len(locations) > 2 {
		return fmt.Sprintf("%s and %d more", locations[0], len(locations)-1)
	}
	return Locations(locations)
}

// sides is one end of all findings of a problem.
type sides []finding.Side

func subjectsOf(p finding.Problem) sides {
	all := make(sides, len(p.Findings))
	for i, f := range p.Findings {
		all[i] = f.Subject
	}
	return all
}

func referencesOf(p finding.Problem) sides {
	all := make(sides, len(p.Findings))
	for i, f := range p.Findings {
		all[i] = f.Reference
	}
	return all
}

// at is one place of a side, and what runs there.
type at struct {
	location finding.Location
	version  version.Version
}

// all lists the places of the sides in order, each once.
func (s sides) all() []at {
	var places group.Map[finding.Location, at]
	for _, side := range s {
		for _, l := range side.Locations {
			places.GetOrCreate(l, func() at { return at{l, side.Version} })
		}
	}
	slices.SortFunc(places.All, func(a, b at) int { return a.location.Compare(b.location) })
	return places.All
}

// versions lists the versions of the sides, oldest first, each once.
func (s sides) versions() []string {
	var all []version.Version
	for _, side := range s {
		all = append(all, side.Version)
	}
	slices.SortFunc(all, version.Version.Compare)
	return slices.Compact(stringsOf(all))
}

// run says what runs where, as in `node_pools["a"] runs kubelet 1.31.2`. Where
// versions differ, each place has its own.
func (s sides) run(t tense) string {
	where := s.all()
	component := s[0].Component
	versions := s.versions()
	if len(versions) == 1 {
		locations := make([]finding.Location, len(where))
		for i, w := range where {
			locations[i] = w.location
		}
		return fmt.Sprintf("%s %s %s %s", Locations(locations), t.of(verb(locations, "runs", "run"), "run"), component, versions[0])
	}
	words := make([]string, len(where))
	for i, w := range where {
		words[i] = fmt.Sprintf("%s (%s)", w.location, w.version)
	}
	return fmt.Sprintf("%s %s %s %s", list(words), t.of("run", "run"), component, s[0].Version.Shown())
}

// named names what runs, and where, as in `kube-apiserver 1.31.2 (control_plane["a"])`.
func (s sides) named() string {
	var locations []finding.Location
	for _, w := range s.all() {
		locations = append(locations, w.location)
	}
	return fmt.Sprintf("%s %s (%s)", s[0].Component, list(s.versions()), Locations(locations))
}

// byVersion names the versions of a component and where each runs, oldest first.
func (s sides) byVersion() string {
	type placed struct {
		version   version.Version
		locations []finding.Location
	}
	var groups group.Map[string, placed]
	for _, w := range s.all() {
		g := groups.GetOrCreate(w.version.String(), func() placed { return placed{version: w.version} })
		g.locations = append(g.locations, w.location)
	}
	slices.SortFunc(groups.All, func(a, b placed) int { return a.version.Compare(b.version) })
	words := make([]string, len(groups.All))
	for i, g := range groups.All {
		words[i] = fmt.Sprintf("%s (%s)", g.version, Locations(g.locations))
	}
	return list(words)
}

// instances names the instances of one side.
func instances(component string, locations []finding.Location) string {
	return target(finding.Target{Components: []string{component}, Locations: locations})
}

// target names what a remedy changes: the attribute where it holds one version, or
// the components of a place.
func target(t finding.Target) string {
	where := Locations(t.Locations)
	if l := t.Locations[0]; l.Key == "" || l.Index >= 0 {
		return where
	}
	return fmt.Sprintf("the %s of %s", listAll(t.Components), where)
}
