// Package releases is the release calendar of Kubernetes: when each minor was
// released, went into maintenance and reached its end of life, and so what is
// supported on a given day.
//
// The calendar that comes with the program is table.yaml, with the public
// sources that it was read from. A caller may correct it or add to it. Nothing
// here knows what day it is: every question names its day. And support is
// always a matter of dates, never of a count such as "the newest three": a
// table always is older than the day it is asked for, and what it lacks is
// unknown, not unsupported.
package releases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Release is what is known of one minor release. Dates are inclusive: see
// Calendar.Status.
type Release struct {
	Minor version.Minor
	// ReleaseDate is the day of the first release; zero when not known.
	ReleaseDate Date
	// ReleaseDatePlanned says that ReleaseDate is a plan.
	ReleaseDatePlanned bool
	// MaintenanceStart is the first day on which only critical fixes are made;
	// zero when not known, as for the minors before 1.18.
	// https://kubernetes.io/releases/patch-releases/#support-period
	MaintenanceStart Date
	// EndOfLife is the last day of support; zero when not known.
	EndOfLife Date
	// EndOfLifePlanned says that EndOfLife is a plan. When the day comes, the
	// Kubernetes project publishes a date that may be some weeks off.
	EndOfLifePlanned bool
	// LatestPatch is the newest patch release that is known, not the newest
	// there is; zero when none is.
	LatestPatch version.Version
}

// Calendar is a set of releases. It never changes. The zero value is empty.
type Calendar struct {
	releases []Release // oldest first
}

// With returns a calendar with additional releases. One of a minor that c has
// corrects it: every field counts that is not zero, and the marks of a plan count
// along with their dates. One of another minor is added. Of two of the same
// minor the later counts. c does not change. Nothing is checked: see Check.
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

// Lookup returns the release of a minor; ok is false when the calendar lacks
// it.
func (c *Calendar) Lookup(m version.Minor) (r Release, ok bool) {
	i, found := search(c.releases, m)
	if !found {
		return Release{}, false
	}
	return c.releases[i], true
}

// Releases returns all releases, oldest first. The caller may change the slice.
func (c *Calendar) Releases() []Release { return slices.Clone(c.releases) }

// Check says what cannot be true of a calendar, all of it together, or returns
// nil: a minor that enters maintenance or ends before it is released, or ends
// before it enters maintenance; a minor that is released, or ends, before an
// older one; a patch of another minor.
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

// search finds a minor in releases, or the place where it belongs.
func search(releases []Release, m version.Minor) (i int, found bool) {
	return slices.BinarySearchFunc(releases, m, func(r Release, m version.Minor) int {
		return r.Minor.Compare(m)
	})
}
