// SPDX-License-Identifier: MPL-2.0

// Package releases is the Kubernetes release calendar: when each minor was released,
// entered maintenance and reached its end of life, and which minors are supported on
// a given day.
//
// The built-in calendar is table.yaml, which names its public sources. Callers can
// correct and extend it. The package does not read the clock: callers pass the day.
// Support depends on dates, never on a count such as "the newest three", because the
// table is always older than the day it is used on. Minors that are not in the table
// are unknown, not unsupported.
package releases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Release holds what is known about a minor release. Dates are inclusive: see
// Calendar.Status.
type Release struct {
	Minor version.Minor
	// ReleaseDate is the date of the first release, zero if unknown.
	ReleaseDate Date
	// ReleaseDatePlanned says that ReleaseDate is a plan.
	ReleaseDatePlanned bool
	// MaintenanceStart is the first day of the maintenance period, in which only
	// critical fixes are made. It is zero if unknown, as for minors before 1.18.
	// https://kubernetes.io/releases/patch-releases/#support-period
	MaintenanceStart Date
	// EndOfLife is the last day of support, zero if unknown.
	EndOfLife Date
	// EndOfLifePlanned says that EndOfLife is a plan. The final date can differ by a
	// few weeks.
	EndOfLifePlanned bool
	// LatestPatch is the newest known patch release, zero if unknown. There may be
	// newer ones.
	LatestPatch version.Version
}

// Calendar is an immutable set of releases. The zero value is empty.
type Calendar struct {
	releases []Release // oldest first
}

// With returns a calendar with additional releases. A release of a minor that c
// contains corrects it: non-zero fields replace those in c, and the Planned flags
// are replaced together with their dates. Other releases are added. If two have the
// same minor, the later one wins. The result is not validated: see Check.
func (c *Calendar) With(additional ...Release) *Calendar {
	releases := slices.Clone(c.releases)
	for _, a := range additional {
		i, found := search(releases, a.Minor)
		if !found {
			releases = slices.Insert(releases, i, Release{Minor: a.Minor})
		}
		r := &releases[i]
		if !a.ReleaseDate.IsZero() {
			r.ReleaseDate, r.ReleaseDatePlanned = a.ReleaseDate, a.ReleaseDatePlanned
		}
		if !a.MaintenanceStart.IsZero() {
			r.MaintenanceStart = a.MaintenanceStart
		}
		if !a.EndOfLife.IsZero() {
			r.EndOfLife, r.EndOfLifePlanned = a.EndOfLife, a.EndOfLifePlanned
		}
		if !a.LatestPatch.IsZero() {
			r.LatestPatch = a.LatestPatch
		}
	}
	return &Calendar{releases}
}

// Lookup returns the release of a minor. ok is false if the calendar does not
// contain it.
func (c *Calendar) Lookup(m version.Minor) (r Release, ok bool) {
	i, found := search(c.releases, m)
	if !found {
		return Release{}, false
	}
	return c.releases[i], true
}

// Releases returns all releases, oldest first. The caller may change the slice.
func (c *Calendar) Releases() []Release { return slices.Clone(c.releases) }

// Check returns all contradictions in a calendar, or nil: a minor that enters
// maintenance or reaches its end of life before its release, or its end of life
// before maintenance; a minor with an earlier release or end of life than an older
// one; a patch of another minor.
func (c *Calendar) Check() error {
	var problems []error
	var released, ended Release // the newest so far of which the date is known
	for _, r := range c.releases {
		ordered := func(before, after Date, format string, args ...any) {
			if !after.IsZero() && after.Compare(before) < 0 { // no date is before all others
				problems = append(problems, fmt.Errorf("%s: %s", r.Minor, fmt.Sprintf(format, args...)))
			}
		}
		ordered(r.ReleaseDate, r.MaintenanceStart, "maintenance starts on %s, before the release on %s", r.MaintenanceStart, r.ReleaseDate)
		ordered(r.ReleaseDate, r.EndOfLife, "the end of life is on %s, before the release on %s", r.EndOfLife, r.ReleaseDate)
		ordered(r.MaintenanceStart, r.EndOfLife, "the end of life is on %s, before maintenance starts on %s", r.EndOfLife, r.MaintenanceStart)
		ordered(released.ReleaseDate, r.ReleaseDate, "released on %s, before %s on %s", r.ReleaseDate, released.Minor, released.ReleaseDate)
		ordered(ended.EndOfLife, r.EndOfLife, "the end of life is on %s, before the one of %s on %s", r.EndOfLife, ended.Minor, ended.EndOfLife)
		if p := r.LatestPatch; !p.IsZero() && p.Minor() != r.Minor {
			problems = append(problems, fmt.Errorf("%s: %s is not a patch of it", r.Minor, p))
		}
		if !r.ReleaseDate.IsZero() {
			released = r
		}
		if !r.EndOfLife.IsZero() {
			ended = r
		}
	}
	return errors.Join(problems...)
}

// search finds a minor in releases, or the index where it would be inserted.
func search(releases []Release, m version.Minor) (i int, found bool) {
	return slices.BinarySearchFunc(releases, m, func(r Release, m version.Minor) int {
		return r.Minor.Compare(m)
	})
}
