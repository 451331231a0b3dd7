// SPDX-License-Identifier: MPL-2.0

package finding

import (
	"slices"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// Waiver accepts the findings of a rule, at some or all locations, for a reason and
// possibly until a date.
type Waiver struct {
	Name string
	// RuleID is the rule whose findings are accepted. Empty means any.
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

// Waivers holds the waivers that have not expired, indexed.
type Waivers struct {
	all   []Waiver // by name
	rules map[string]bool
	first map[place]int     // the first waiver of a rule at a location
	keys  map[string]string // by location, if a waiver names it
}

// place is what a waiver names: a rule, or "" for any, and a location, or "" for everywhere.
type place struct{ rule, location string }

// NewWaivers indexes the waivers that have not expired on a day. On the zero Date, none has.
func NewWaivers(waivers []Waiver, day releases.Date) *Waivers {
	waivers = slices.DeleteFunc(slices.Clone(waivers), func(w Waiver) bool { return w.ExpiredOn(day) })
	slices.SortFunc(waivers, func(a, b Waiver) int { return strings.Compare(a.Name, b.Name) })
	indexed := &Waivers{waivers, map[string]bool{}, map[place]int{}, map[string]string{}}
	for i, w := range waivers {
		indexed.rules[w.RuleID] = true
		for _, l := range w.everywhere() {
			if _, taken := indexed.first[place{w.RuleID, l}]; !taken {
				indexed.first[place{w.RuleID, l}] = i
			}
		}
		for _, l := range w.Locations {
			indexed.keys[l] += strconv.Itoa(i) + " "
		}
	}
	return indexed
}

// everywhere returns the locations of a waiver, "" if it names none.
func (w Waiver) everywhere() []string {
	if len(w.Locations) == 0 {
		return []string{""}
	}
	return w.Locations
}

// Key returns a key that is the same for all locations that the same waivers name.
func (w *Waivers) Key(l Location) string {
	if len(w.keys) == 0 {
		return ""
	}
	return w.keys[l.String()]
}

// Accepting returns the first waiver that accepts findings of a rule at a location, or nil.
func (w *Waivers) Accepting(rule string, l Location) *Waiver {
	if !w.covers(rule) {
		return nil
	}
	return w.accepting(rule, l.String())
}

// covers reports whether a waiver accepts findings of a rule somewhere.
func (w *Waivers) covers(rule string) bool { return w.rules[rule] || w.rules[""] }

func (w *Waivers) accepting(rule, location string) *Waiver {
	first := len(w.all)
	for _, rule := range [...]string{rule, ""} {
		for _, location := range [...]string{location, ""} {
			if i, named := w.first[place{rule, location}]; named {
				first = min(first, i)
			}
		}
	}
	if first == len(w.all) {
		return nil
	}
	return &w.all[first]
}

// Waive marks the findings that waivers accept. A finding is split if only some of its
// locations are accepted. Waive returns the findings, sorted, and the names of the waivers
// that match no finding.
func (w *Waivers) Waive(findings []Finding) (all []Finding, unmatched []string) {
	found := map[place]bool{}
	all = make([]Finding, 0, len(findings))
	for _, f := range findings {
		if !w.covers(f.RuleID) {
			all = append(all, f)
			continue
		}
		var parts group.Map[*Waiver, Finding]
		found[place{f.RuleID, ""}], found[place{"", ""}] = true, true
		for _, l := range f.Subject.Locations {
			at := l.String()
			found[place{f.RuleID, at}], found[place{"", at}] = true, true
			by := w.accepting(f.RuleID, at)
			part := parts.GetOrCreate(by, func() Finding {
				part := f
				part.Subject.Locations, part.WaivedBy = nil, by
				return part
			})
			part.Subject.Locations = append(part.Subject.Locations, l)
		}
		all = append(all, parts.All...)
	}
	for _, waiver := range w.all {
		// A waiver of the same findings as another one matches them, too.
		if !slices.ContainsFunc(waiver.everywhere(), func(l string) bool { return found[place{waiver.RuleID, l}] }) {
			unmatched = append(unmatched, waiver.Name)
		}
	}
	Sort(all)
	return all, unmatched
}
