// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Offered lists the versions that a platform offers for new API servers and node pools.
type Offered struct{ ControlPlane, NodePools OfferedList }

// OfferedList is a list of offered versions. Nothing is checked against an empty list.
type OfferedList struct {
	// Attribute is the attribute that holds the list.
	Attribute string
	Versions  []version.Version
}

// listFor returns the list that a component at a location has to be in. It is empty for
// everything that the platform does not install by itself.
func (o Offered) listFor(component string, l finding.Location) OfferedList {
	switch {
	case l.Attribute == finding.NodePools:
		return o.NodePools
	case l.InControlPlane() && component == skew.APIServer:
		return o.ControlPlane
	}
	return OfferedList{}
}

// checkOffered applies the advisories about offered versions.
func checkOffered(in Input) []finding.Finding {
	var findings []finding.Finding
	for _, advisory := range in.Policy.Advisories {
		if advisory.Check == policy.CheckNotOffered {
			findings = append(findings, notOffered(in, advisory)...)
		}
	}
	return findings
}

// notOffered reports versions that the step sets or adds although the platform does not
// offer them. A version that only becomes less precise does not move.
func notOffered(in Input, advisory *policy.Advisory) []finding.Finding {
	if len(in.Offered.ControlPlane.Versions) == 0 && len(in.Offered.NodePools.Versions) == 0 {
		return nil
	}
	var before skew.Cluster
	if in.Observed != nil {
		before = *in.Observed
	}
	byMinor := map[string]map[version.Minor][]version.Version{}
	for _, list := range []OfferedList{in.Offered.ControlPlane, in.Offered.NodePools} {
		byMinor[list.Attribute] = minorsOf(list.Versions)
	}
	var findings []finding.Finding
	for _, m := range step.Moves(before, in.Cluster) {
		if m.To.IsZero() || !advisory.Covers(m.Component) || m.To.Includes(m.From) {
			continue
		}
		// Locations with the same list share a finding.
		var lists group.Map[string, []finding.Location]
		for _, l := range m.Locations {
			if list := in.Offered.listFor(m.Component, l); len(list.Versions) > 0 {
				at := lists.GetOrCreate(list.Attribute, func() []finding.Location { return nil })
				*at = append(*at, l)
			}
		}
		for _, locations := range lists.All {
			list := in.Offered.listFor(m.Component, locations[0])
			minors := byMinor[list.Attribute]
			offered := minors[m.To.Binary().Minor()]
			if slices.ContainsFunc(offered, m.To.Matches) {
				continue
			}
			cause := &finding.NotOffered{From: m.From, NoStart: in.Observed == nil, AnotherCluster: in.AnotherCluster, List: list.Attribute, Reason: advisory.Reason}
			cause.Newest = newestOf(offered)
			if cause.Newest.IsZero() {
				cause.Older, cause.Newer = nearest(minors, m.To.Binary())
			}
			findings = append(findings, newFinding(advisory, finding.Side{Component: m.Component, Version: m.To, Locations: locations}, cause))
		}
	}
	return findings
}

// minorsOf groups versions by minor.
func minorsOf(versions []version.Version) map[version.Minor][]version.Version {
	minors := map[version.Minor][]version.Version{}
	for _, v := range versions {
		minors[v.Minor()] = append(minors[v.Minor()], v)
	}
	return minors
}

// newestOf returns the newest of several versions, zero without any. Of builds without an
// order, the last one counts as the newest.
func newestOf(versions []version.Version) version.Version {
	var newest version.Version
	for _, v := range versions {
		if order(v, newest) >= 0 {
			newest = v
		}
	}
	return newest
}

// order compares versions and, within a patch, builds. Builds without an order are equal.
func order(v, w version.Version) int {
	builds, _ := version.CompareBuilds(v, w)
	return cmp.Or(v.Compare(w), builds)
}

// nearest returns the nearest older and newer minors of the same major, in the numbering
// of v. They are zero if there is none.
func nearest(minors map[version.Minor][]version.Version, v version.Version) (older, newer version.Version) {
	for m := range minors {
		n, same := m.Skew(v.Minor())
		shown := v.Numbering().Version(m)
		switch {
		case !same:
		case n < 0 && shown.Compare(older) > 0:
			older = shown
		case n > 0 && (newer.IsZero() || shown.Compare(newer) < 0):
			newer = shown
		}
	}
	return older, newer
}
