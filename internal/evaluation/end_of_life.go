// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"cmp"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// endOfLife warns of minors whose support ends, or has, by the dates of the platform
// if the policy has any, and otherwise by those of upstream.
func (a advisor) endOfLife(advisory *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, side := range a.sides(advisory, func(v version.Version) bool { return a.supportOf(v).ends(a.Day, advisory.Days) }) {
		running := side.Version.Binary()
		s := a.supportOf(running)
		cause := &finding.EndOfLife{
			Date: s.EndOfLife, Days: a.Day.DaysUntil(s.EndOfLife), Planned: s.planned,
			Supported: a.supportedAfter(running, advisory.Days), Reason: advisory.Reason,
		}
		if !s.EndOfExtendedSupport.IsZero() {
			cause.Extended, cause.ExtendedDays = s.EndOfExtendedSupport, a.Day.DaysUntil(s.EndOfExtendedSupport)
		}
		f := newFinding(advisory, side, cause)
		if a.Policy.Releases != nil {
			f.Source = cmp.Or(s.Source, a.Policy.Source) // upstream has other dates
		}
		findings = append(findings, f)
	}
	return findings
}

// support is how long a minor is supported.
type support struct {
	policy.Release
	planned bool
}

// ends reports whether support ends within some days, or has ended.
func (s support) ends(day releases.Date, days int) bool {
	return !s.EndOfLife.IsZero() && day.DaysUntil(s.EndOfLife) <= days
}

// supportOf returns how long the minor of what runs is supported. Without dates, it
// is the zero support.
func (a advisor) supportOf(v version.Version) support {
	v = v.Binary()
	if a.Policy.Releases == nil {
		r, _ := a.calendar.Lookup(v.Minor())
		return support{upstream(r), r.EndOfLifePlanned}
	}
	r := a.Policy.ReleaseOf(v)
	if r == nil {
		return support{}
	}
	s := support{*r, false}
	if s.EndOfLife.IsZero() { // all support there is costs extra
		s.EndOfLife, s.EndOfExtendedSupport = s.EndOfExtendedSupport, releases.Date{}
	}
	return s
}

// upstream is a release of Kubernetes as a platform has it.
func upstream(r releases.Release) policy.Release {
	return policy.Release{Version: r.Minor.Version(), ReleaseDate: r.ReleaseDate, EndOfLife: r.EndOfLife}
}

// supportedAfter returns the oldest newer minor that is in standard support for some
// days more, or else at all, in the numbers of the version; the zero version if none
// is known.
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

// SupportedMinors lists the minors in support on a day, extended support included,
// oldest first: those of the platform, or of upstream where the policy has no dates.
func SupportedMinors(p *policy.Policy, day releases.Date, c *releases.Calendar) []version.Minor {
	var minors []version.Minor
	for _, r := range p.Releases {
		n := len(minors)
		dated := !r.EndOfLife.IsZero() || !r.EndOfExtendedSupport.IsZero()
		if dated && (r.InSupport(day, 0) || r.InExtendedSupport(day)) && (n == 0 || minors[n-1] != r.Minor()) {
			minors = append(minors, r.Minor())
		}
	}
	if minors == nil {
		return calendar(c).Supported(day)
	}
	return minors
}
