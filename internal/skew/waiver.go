package skew

import (
	"slices"
	"strings"
)

// Waiver is a finding that the user accepts: of a rule, somewhere, for a reason
// and perhaps for a time.
type Waiver struct {
	Name   string
	RuleID string
	// Locations are spelled as Location.String does; none means everywhere.
	Locations []string
	Reason    string
	// Expires is the last day on which the waiver counts, as YYYY-MM-DD, or "".
	Expires string
}

// ExpiredOn reports whether a waiver counts no more on a day, YYYY-MM-DD.
func (w Waiver) ExpiredOn(day string) bool { return w.Expires != "" && day > w.Expires }

// Waive marks the findings that waivers accept on a day. A finding of which only
// some locations are accepted becomes two. It changes nothing else, and returns
// the names of the waivers that match no finding; an expired one is never among
// them.
func Waive(findings []Finding, waivers []Waiver, day string) (all []Finding, unmatched []string) {
	waivers = slices.Clone(waivers)
	slices.SortFunc(waivers, func(a, b Waiver) int { return strings.Compare(a.Name, b.Name) })
	for _, w := range waivers {
		if w.ExpiredOn(day) {
			continue
		}
		matched := false
		var next []Finding
		for _, f := range findings {
			in, out := w.split(f)
			if f.WaivedBy != nil || len(in) == 0 || f.RuleID != w.RuleID {
				next = append(next, f)
				continue
			}
			matched = true
			if len(out) > 0 {
				rest := f
				rest.Subject.Locations = out
				next = append(next, rest)
			}
			f.Subject.Locations, f.WaivedBy = in, &w
			next = append(next, f)
		}
		findings = next
		if !matched {
			unmatched = append(unmatched, w.Name)
		}
	}
	Sort(findings)
	return findings, unmatched
}

// split divides the locations of a finding into those inside and outside of the
// waiver.
func (w Waiver) split(f Finding) (in, out []Location) {
	for _, l := range f.Subject.Locations {
		if len(w.Locations) == 0 || slices.Contains(w.Locations, l.String()) {
			in = append(in, l)
		} else {
			out = append(out, l)
		}
	}
	return in, out
}
