// SPDX-License-Identifier: MPL-2.0

package main

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// update returns the table with the data of the two files, newest minor first. A
// published end of life overrides a planned one, in whichever file or table it is.
// Patches only go up, because a final patch in eol.yaml may have been followed by
// another one. A non-zero day is the date on which the files were read: an end of
// life before it is no longer a plan.
func update(table *releases.Table, scheduled, ended []releases.Release, day releases.Date) *releases.Table {
	notes := map[version.Minor]string{}
	for _, row := range table.Rows {
		notes[row.Minor] = row.Note
	}

	calendar := table.Calendar()
	for _, r := range slices.Concat(scheduled, ended) {
		old, _ := calendar.Lookup(r.Minor)
		if published := !old.EndOfLife.IsZero() && !old.EndOfLifePlanned; published && r.EndOfLifePlanned {
			r.EndOfLife = releases.Date{}
		}
		r.LatestPatch = newest(old.LatestPatch, r.LatestPatch)
		if r.EndOfLife.IsZero() {
			r.EndOfLifePlanned = false // no date to mark
		}
		calendar = calendar.With(r)
	}

	updated := &releases.Table{Sources: slices.Clone(table.Sources)}
	for i := range updated.Sources {
		s := &updated.Sources[i]
		if fromFile := s.Name == "schedule.yaml" || s.Name == "eol.yaml"; fromFile && !day.IsZero() {
			s.Read, s.AsOf = day, releases.Date{}
		}
	}
	for _, r := range slices.Backward(calendar.Releases()) {
		if r.EndOfLife.Compare(day) < 0 {
			r.EndOfLifePlanned = false
		}
		updated.Rows = append(updated.Rows, releases.Row{Release: r, Note: notes[r.Minor]})
	}
	return updated
}

func newest(a, b version.Version) version.Version {
	if a.Compare(b) < 0 {
		return b
	}
	return a
}
