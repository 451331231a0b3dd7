// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Release holds the support dates of a minor on a platform. End dates are the last
// day of support. A zero date is unknown. The Planned flags say that a date is a plan
// or an estimate.
type Release struct {
	// Version is the minor, in the numbering of the platform.
	Version version.Version `json:"-"`
	// ReleaseDate is the first day on which the platform offers the minor.
	ReleaseDate        releases.Date `json:"release_date,omitzero"`
	ReleaseDatePlanned bool          `json:"release_date_planned,omitempty"`
	// EndOfLife is the last day of standard support.
	EndOfLife        releases.Date `json:"end_of_life,omitzero"`
	EndOfLifePlanned bool          `json:"end_of_life_planned,omitempty"`
	// EndOfExtendedSupport is the last day of support that costs extra or has to be
	// enabled, such as the long-term support of AKS.
	EndOfExtendedSupport        releases.Date `json:"end_of_extended_support,omitzero"`
	EndOfExtendedSupportPlanned bool          `json:"end_of_extended_support_planned,omitempty"`
	Citation
}

// Minor returns the Kubernetes minor of the release.
func (r *Release) Minor() version.Minor { return r.Version.Minor() }

// InSupport reports whether the release is available and in standard support on a
// day and for the given number of days after it. Without an end of life, support
// does not end.
func (r *Release) InSupport(day releases.Date, days int) bool {
	return r.ReleaseDate.Compare(day) <= 0 && (r.EndOfLife.IsZero() || day.DaysUntil(r.EndOfLife) >= days)
}

// InExtendedSupport reports whether standard support has ended on a day, but
// extended support has not.
func (r *Release) InExtendedSupport(day releases.Date) bool {
	return !r.InSupport(day, 0) && r.ReleaseDate.Compare(day) <= 0 && day.Compare(r.EndOfExtendedSupport) <= 0
}

// ReleaseOf returns the release of the minor of a version, nil if the policy has no
// dates for it. If two releases share the minor, it returns the one in the
// numbering of the version.
func (p *Policy) ReleaseOf(v version.Version) *Release {
	var found *Release
	for _, r := range p.Releases {
		if r.Minor() != v.Minor() {
			continue
		}
		if r.Version.PatchesComparable(v) {
			return r
		}
		found = r
	}
	return found
}

func (r *Release) over(parent *Release) *Release {
	out := *parent
	changed := false
	// A date that is set here is only planned if that is set here, too.
	replace := func(to *releases.Date, planned *bool, date releases.Date, datePlanned bool) {
		if !date.IsZero() {
			changed = changed || *to != date
			*to, *planned = date, false
		}
		*planned = *planned || datePlanned
	}
	replace(&out.ReleaseDate, &out.ReleaseDatePlanned, r.ReleaseDate, r.ReleaseDatePlanned)
	replace(&out.EndOfLife, &out.EndOfLifePlanned, r.EndOfLife, r.EndOfLifePlanned)
	replace(&out.EndOfExtendedSupport, &out.EndOfExtendedSupportPlanned, r.EndOfExtendedSupport, r.EndOfExtendedSupportPlanned)
	if changed { // the inherited source does not state the dates
		out.Citation = Citation{}
	}
	out.Citation = cmp.Or(r.Citation, out.Citation)
	return &out
}

// releases converts the dates of a platform to a list, oldest minor first. It is
// nil only if the policy has no releases, so that the upstream dates apply.
func (c *compiler) releases(written map[string]*Release, scheme *version.Scheme) []*Release {
	if written == nil {
		return nil
	}
	all := make([]*Release, 0, len(written))
	for _, name := range slices.Sorted(maps.Keys(written)) {
		at, r := []string{"releases", name}, written[name]
		v, err := scheme.Parse(name)
		if err != nil || v.Numbering().Version(v.Minor()).String() != name {
			c.complain(at, fmt.Sprintf("%q is not a minor version", name), `Use keys such as "1.33"`)
			continue
		}
		ordered := func(before, after releases.Date, field, text string) {
			if !before.IsZero() && !after.IsZero() && after.Compare(before) < 0 {
				c.complain(under(at, field), fmt.Sprintf("%s is before %s on %s", after, text, before), "Correct one of the dates")
			}
		}
		ordered(r.ReleaseDate, r.EndOfLife, "end_of_life", "the release")
		ordered(r.ReleaseDate, r.EndOfExtendedSupport, "end_of_extended_support", "the release")
		ordered(r.EndOfLife, r.EndOfExtendedSupport, "end_of_extended_support", "the end of life")
		planned := func(flag bool, date releases.Date, field string) {
			if flag && date.IsZero() {
				c.complain(under(at, field+"_planned"), field+" is not set", "Set it, or remove "+field+"_planned")
			}
		}
		planned(r.ReleaseDatePlanned, r.ReleaseDate, "release_date")
		planned(r.EndOfLifePlanned, r.EndOfLife, "end_of_life")
		planned(r.EndOfExtendedSupportPlanned, r.EndOfExtendedSupport, "end_of_extended_support")
		release := *r
		release.Version = v
		all = append(all, &release)
	}
	slices.SortFunc(all, func(a, b *Release) int { return a.Version.Compare(b.Version) })
	return all
}
