package finding

import (
	"math"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// Waiver is a finding that the user accepts: of a rule, somewhere, for a reason
// and perhaps for a time.
type Waiver struct {
	Name   string
	RuleID string
	// Locations are spelled as Location.String does; none means everywhere.
	Locations []string
	Reason    string
	// Expires is the last day on which the waiver counts; the zero Date if it
	// never expires.
	Expires releases.Date
}

// ExpiredOn reports whether the waiver has expired on a day.
func (w Waiver) ExpiredOn(day releases.Date) bool {
	return !w.Expires.IsZero() && day.Compare(w.Expires) > 0
}

// Waive marks the findings that waivers accept on a day. A finding becomes two if
// only some of its locations are accepted. Findings come back in the order of Sort,
// with the names of the waivers that match no finding; an expired one is never among
// them. On the zero Date no waiver has expired.
func Waive(findings []Finding, waivers []Waiver, day releases.Date) (all []Finding, unmatched []string) {
	waivers = slices.DeleteFunc(slices.Clone(waivers), func(w Waiver) bool { return w.ExpiredOn(day) })
	slices.SortFunc(waivers, func(a, b Waiver) int { return strings.Compare(a.Name, b.Name) })
	var rules group.Map[string, coverage]
	for i, w := range waivers {
		rules.GetOrCreate(w.RuleID, func() coverage { return coverage{nobody, map[string]int{}} }).add(i, w)
	}

	matched := make([]bool, len(waivers))
	for _, f := range findings {
		c := rules.GetOrCreate(f.RuleID, func() coverage { return coverage{nobody, nil} })
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
			if by := owners[i]; by != nobody {
				part.WaivedBy, matched[by] = &waivers[by], true
			}
			all = append(all, part)
		}
	}
	for i, w := range waivers {
		if !matched[i] {
			unmatched = append(unmatched, w.Name)
		}
	}
	Sort(all)
	return all, unmatched
}

// nobody is the index of no waiver: it comes after all of them.
const nobody = math.MaxInt

// coverage is what the waivers of one rule accept: of those that name the same
// location, the first one counts.
type coverage struct {
	everywhere int
	somewhere  map[string]int
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
	if i, ok := c.somewhere[l.String()]; ok {
		return min(i, c.everywhere)
	}
	return c.everywhere
}
