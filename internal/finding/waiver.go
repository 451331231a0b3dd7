// SPDX-License-Identifier: MPL-2.0

package finding

import (
	"math"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// Waiver accepts the findings of a rule, at some or all locations, for a reason and
// possibly until a date.
type Waiver struct {
	Name   string
	RuleID string
	// Locations have the form of Location.String. Empty means everywhere.
	Locations []string
	Reason    string
	// Expires is the last day of the waiver, zero if it does not expire.
	Expires releases.Date
}

// ExpiredOn reports whether the waiver has expired on a day.
func (w Waiver) ExpiredOn(day releases.Date) bool {
	return !w.Expires.IsZero() && day.Compare(w.Expires) > 0
}

// Waive marks the findings that waivers accept on a day. A finding is split if only
// some of its locations are accepted. Waive returns the findings, sorted, and the
// names of waivers that match no finding, without expired ones. On the zero Date,
// no waiver has expired.
func Waive(findings []Finding, waivers []Waiver, day releases.Date) (all []Finding, unmatched []string) {
	waivers = slices.DeleteFunc(slices.Clone(waivers), func(w Waiver) bool { return w.ExpiredOn(day) })
	slices.SortFunc(waivers, func(a, b Waiver) int { return strings.Compare(a.Name, b.Name) })
	var rules group.Map[string, coverage]
	for i, w := range waivers {
		rules.GetOrCreate(w.RuleID, func() coverage { return coverage{noWaiver, map[string]int{}, map[string]bool{}} }).add(i, w)
	}

	for _, f := range findings {
		c := rules.GetOrCreate(f.RuleID, func() coverage { return coverage{everywhere: noWaiver} })
		var parts group.Map[int, []Location]
		var owners []int
		for _, l := range f.Subject.Locations {
			by := c.at(l)
			part := parts.GetOrCreate(by, func() []Location { owners = append(owners, by); return nil })
			*part = append(*part, l)
		}
		for i, locations := range parts.All {
			part := f
			part.Subject.Locations = locations
			if by := owners[i]; by != noWaiver {
				part.WaivedBy = &waivers[by]
			}
			all = append(all, part)
		}
	}
	for _, w := range waivers {
		// A waiver of the same findings as another one matches them, too.
		if c := rules.GetOrCreate(w.RuleID, nil); !c.matches(w) {
			unmatched = append(unmatched, w.Name)
		}
	}
	Sort(all)
	return all, unmatched
}

// noWaiver means that no waiver applies. It is greater than any index of a waiver.
const noWaiver = math.MaxInt

// coverage maps locations to the waivers of a rule. If several waivers name the
// same location, the first one applies.
type coverage struct {
	everywhere int
	somewhere  map[string]int
	// found holds the locations of findings.
	found map[string]bool
}

func (c *coverage) add(i int, w Waiver) {
	if len(w.Locations) == 0 {
		c.everywhere = min(c.everywhere, i)
	}
	for _, l := range w.Locations {
		if _, taken := c.somewhere[l]; !taken {
			c.somewhere[l] = i
		}
	}
}

// at returns the waiver that accepts a finding at a location.
func (c *coverage) at(l Location) int {
	if c.found == nil {
		return noWaiver // no waiver names the rule
	}
	at := l.String()
	c.found[at] = true
	if i, ok := c.somewhere[at]; ok {
		return min(i, c.everywhere)
	}
	return c.everywhere
}

// matches reports whether there is a finding at one of the locations of a waiver.
func (c *coverage) matches(w Waiver) bool {
	if len(w.Locations) == 0 {
		return len(c.found) > 0
	}
	return slices.ContainsFunc(w.Locations, func(l string) bool { return c.found[l] })
}
