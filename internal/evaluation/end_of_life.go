// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"cmp"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// endOfLife reports instances whose minor has reached, or will soon reach, its end of
// life. It uses the dates of the platform if the policy has any, otherwise those of
// upstream.
func (a advisor) endOfLife(advisory *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, side := range a.sides(advisory, func(v version.Version) bool { return a.endsWithin(v, advisory.Days) }) {
		running := side.Version.Binary()
		s := a.supportOf(running)
		f := newFinding(advisory, side, &finding.EndOfLife{
			Standard:  finding.SupportEnd{Date: s.EndOfLife, Days: a.Day.DaysUntil(s.EndOfLife), Planned: s.EndOfLifePlanned},
			Extended:  finding.SupportEnd{Date: s.EndOfExtendedSupport, Days: a.Day.DaysUntil(s.EndOfExtendedSupport), Planned: s.EndOfExtendedSupportPlanned},
			Supported: a.supportedAfter(running, advisory.Days), ReadFrom: s.ReadFrom, Reason: advisory.Reason,
		})
		if a.Policy.Releases != nil {
			f.Source = cmp.Or(s.Source, a.Policy.Source) // the source of the advisory is about upstream
		}
		findings = append(findings, f)
	}
	return findings
}

// endsWithin reports whether the support of a version's minor has ended or ends within
// the given number of days.
func (a advisor) endsWithin(v version.Version, days int) bool {
	s := a.supportOf(v)
	return !s.EndOfLife.IsZero() && a.Day.DaysUntil(s.EndOfLife) <= days
}

// supportOf returns the dates of a version's minor. They are zero if they are unknown.
func (a advisor) supportOf(v version.Version) policy.Release {
	v = v.Binary()
	if a.Policy.Releases == nil {
		r, _ := a.calendar.Lookup(v.Minor())
		return upstream(r)
	}
	r := a.Policy.ReleaseOf(v)
	if r == nil {
		return policy.Release{}
	}
	s := *r
	if s.EndOfLife.IsZero() { // only extended support
		s.EndOfLife, s.EndOfLifePlanned = s.EndOfExtendedSupport, s.EndOfExtendedSupportPlanned
		s.EndOfExtendedSupport, s.EndOfExtendedSupportPlanned = releases.Date{}, false
	}
	return s
}

// upstream converts a release of Kubernetes to a release of a platform.
func upstream(r releases.Release) policy.Release {
	return policy.Release{
		Version:     r.Minor.Version(),
		ReleaseDate: r.ReleaseDate, ReleaseDatePlanned: r.ReleaseDatePlanned,
		EndOfLife: r.EndOfLife, EndOfLifePlanned: r.EndOfLifePlanned,
	}
}

// supportedAfter returns the oldest newer minor that stays in standard support for more
// than the given number of days. Otherwise it returns the oldest newer one in
// standard support, and the zero version if none is known.
func (a advisor) supportedAfter(v version.Version, days int) version.Version {
	var all []policy.Release
	for _, r := range a.Policy.Releases {
		all = append(all, *r)
	}
	if a.Policy.Releases == nil {
		for _, r := range a.calendar.Releases() {
			if !r.ReleaseDate.IsZero() {
				all = append(all, upstream(r))
			}
		}
	}
	for _, left := range []int{days + 1, 0} {
		for _, r := range all {
			if r.Minor().Compare(v.Minor()) > 0 && !r.EndOfLife.IsZero() && r.InSupport(a.Day, left) {
				return v.Numbering().Version(r.Minor())
			}
		}
	}
	return version.Version{}
}

// SupportedMinors lists the minors in standard or extended support on a day, oldest
// first. If the policy has dates on which support ends, it uses only these, and the list
// can be empty. Otherwise, nothing is known about the platform, and it uses the dates of
// upstream.
func SupportedMinors(p *policy.Policy, day releases.Date) []version.Minor {
	var minors []version.Minor
	dated := false
	for _, r := range p.Releases {
		if r.EndOfLife.IsZero() && r.EndOfExtendedSupport.IsZero() {
			continue
		}
		dated = true
		if n := len(minors); (r.InSupport(day, 0) || r.InExtendedSupport(day)) && (n == 0 || minors[n-1] != r.Minor()) {
			minors = append(minors, r.Minor())
		}
	}
	if !dated {
		return releases.Embedded().Supported(day)
	}
	return minors
}
