// SPDX-License-Identifier: MPL-2.0

package releases

import "github.com/versionskew/terraform-provider-versionskew/internal/version"

// Status is the support status of a minor release on a given day.
type Status string

// The statuses, in the order in which a minor goes through them. Support and
// maintenance are defined in
// https://kubernetes.io/releases/patch-releases/#support-period
const (
	StatusUnreleased  Status = "unreleased"
	StatusSupported   Status = "supported"
	StatusMaintenance Status = "maintenance" // still supported, with critical fixes only
	StatusEndOfLife   Status = "end_of_life"
	// StatusUnknown is the status of a minor without the necessary dates.
	StatusUnknown Status = "unknown"
)

// Status returns the status of a minor on a day. A minor is released on its release
// date, in maintenance from its MaintenanceStart, still supported on its EndOfLife,
// and out of support from the day after.
//
// A minor without a known end of life has reached it once a newer minor is past its
// own. Newer minors alone do not end the support of a minor. The status is unknown
// for a minor that is not in the calendar, for a minor without a release date until
// another of its dates is reached, and for a minor whose planned release date has
// passed.
func (c *Calendar) Status(m version.Minor, day Date) Status {
	r, ok := c.Lookup(m)
	switch {
	case !ok:
		return StatusUnknown
	case day.Compare(r.ReleaseDate) < 0:
		return StatusUnreleased
	case r.pastEndOfLife(day), r.EndOfLife.IsZero() && c.newerPastEndOfLife(m, day):
		return StatusEndOfLife
	case !r.MaintenanceStart.IsZero() && r.MaintenanceStart.Compare(day) <= 0:
		return StatusMaintenance
	case r.ReleaseDate.IsZero(), r.ReleaseDatePlanned:
		return StatusUnknown
	}
	return StatusSupported
}

// Supported lists the minors that are supported or in maintenance on a day, oldest
// first.
func (c *Calendar) Supported(day Date) []version.Minor {
	var minors []version.Minor
	for _, r := range c.releases {
		if s := c.Status(r.Minor, day); s == StatusSupported || s == StatusMaintenance {
			minors = append(minors, r.Minor)
		}
	}
	return minors
}

// Latest returns the newest minor that is released on a day. ok is false if there
// is none. Minors without a release date, or with a planned one, do not count.
func (c *Calendar) Latest(day Date) (m version.Minor, ok bool) {
	for _, r := range c.releases {
		if !r.ReleaseDate.IsZero() && !r.ReleaseDatePlanned && r.ReleaseDate.Compare(day) <= 0 {
			m, ok = r.Minor, true
		}
	}
	return m, ok
}

func (r Release) pastEndOfLife(day Date) bool {
	return !r.EndOfLife.IsZero() && r.EndOfLife.Compare(day) < 0
}

func (c *Calendar) newerPastEndOfLife(m version.Minor, day Date) bool {
	for _, r := range c.releases {
		if r.Minor.Compare(m) > 0 && r.pastEndOfLife(day) {
			return true
		}
	}
	return false
}
