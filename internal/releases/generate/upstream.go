// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases/field"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"sigs.k8s.io/yaml"
)

// scheduleFile is schedule.yaml: the minors that still get patches.
// https://github.com/kubernetes/website/blob/main/data/releases/schedule.yaml
type scheduleFile struct {
	Schedules []struct {
		Release                  field.String `json:"release"`
		ReleaseDate              field.String `json:"releaseDate"`
		MaintenanceModeStartDate field.String `json:"maintenanceModeStartDate"`
		EndOfLifeDate            field.String `json:"endOfLifeDate"`
		Next                     any          `json:"next"` // not released yet; can be a text
		PreviousPatches          []struct {
			Release            field.String `json:"release"`
			CherryPickDeadline any          `json:"cherryPickDeadline"`
			TargetDate         any          `json:"targetDate"`
			Note               any          `json:"note"`
		} `json:"previousPatches"`
	} `json:"schedules"`
	UpcomingReleases any `json:"upcoming_releases"` // not specific to a minor
}

// eolFile is eol.yaml: the minors that have ended.
// https://github.com/kubernetes/website/blob/main/data/releases/eol.yaml
type eolFile struct {
	Branches []struct {
		Release           field.String `json:"release"`
		FinalPatchRelease field.String `json:"finalPatchRelease"`
		EndOfLifeDate     field.String `json:"endOfLifeDate"`
		Note              any          `json:"note"`
	} `json:"branches"`
}

// parseSchedule parses schedule.yaml. Its end-of-life dates are plans. Unknown
// fields are errors, because they may change the meaning of others.
func parseSchedule(name string, text []byte) ([]releases.Release, error) {
	var f scheduleFile
	if err := yaml.UnmarshalStrict(text, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var scheduled []releases.Release
	var problems field.Problems
	seen := map[version.Minor]bool{}
	for i, s := range f.Schedules {
		m, place := parseMinor(&problems, fmt.Sprintf("%s, schedule %d", name, i+1), s.Release)
		if seen[m] {
			problems.Add(place, "it is listed twice")
		}
		seen[m] = m != version.Minor{}
		r := releases.Release{
			Minor:            m,
			ReleaseDate:      field.Parse(&problems, place+", releaseDate", s.ReleaseDate, releases.ParseDate),
			MaintenanceStart: field.Parse(&problems, place+", maintenanceModeStartDate", s.MaintenanceModeStartDate, releases.ParseDate),
			EndOfLife:        field.Parse(&problems, place+", endOfLifeDate", s.EndOfLifeDate, releases.ParseDate),
			EndOfLifePlanned: true,
		}
		for j, p := range s.PreviousPatches {
			r.LatestPatch = newest(r.LatestPatch, parsePatch(&problems, fmt.Sprintf("%s, previous patch %d", place, j+1), p.Release, m))
		}
		scheduled = append(scheduled, r)
	}
	if len(f.Schedules) == 0 {
		problems.Add(name, "it has no schedules")
	}
	return scheduled, errors.Join(problems...)
}

// parseEndOfLife parses eol.yaml. A minor can be listed more than once, if it got patches
// after its end of life. The last date applies.
func parseEndOfLife(name string, text []byte) ([]releases.Release, error) {
	var f eolFile
	if err := yaml.UnmarshalStrict(text, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var problems field.Problems
	var ended []releases.Release
	index := map[version.Minor]int{}
	for i, b := range f.Branches {
		m, place := parseMinor(&problems, fmt.Sprintf("%s, branch %d", name, i+1), b.Release)
		day := field.Parse(&problems, place+", endOfLifeDate", b.EndOfLifeDate, releases.ParseDate)
		if day.IsZero() {
			problems.Add(place, "a day in endOfLifeDate is required")
		}
		patch := parsePatch(&problems, place+", finalPatchRelease", b.FinalPatchRelease, m)
		k, ok := index[m]
		if !ok {
			k = len(ended)
			index[m] = k
			ended = append(ended, releases.Release{Minor: m})
		}
		r := &ended[k]
		if r.EndOfLife.Compare(day) < 0 {
			r.EndOfLife = day
		}
		r.LatestPatch = newest(r.LatestPatch, patch)
	}
	if len(f.Branches) == 0 {
		problems.Add(name, "it has no branches")
	}
	return ended, errors.Join(problems...)
}

// parseMinor parses the minor of an entry, and adds it to the name of the entry.
func parseMinor(problems *field.Problems, entry string, s field.String) (m version.Minor, place string) {
	before := len(*problems)
	m = field.Parse(problems, entry+", release", s, field.Minor)
	switch {
	case m != version.Minor{}:
		return m, fmt.Sprintf("%s (%s)", entry, m)
	case len(*problems) == before:
		problems.Add(entry, "release is required")
	}
	return m, entry
}

// parsePatch parses a patch release of a minor.
func parsePatch(problems *field.Problems, place string, s field.String, m version.Minor) version.Version {
	patch := field.Parse(problems, place, s, field.Patch)
	if !patch.IsZero() && m != (version.Minor{}) && patch.Minor() != m {
		problems.Add(place, "%s is not a patch of %s", patch, m)
	}
	return patch
}
