// SPDX-License-Identifier: MPL-2.0

package releases

import (
	_ "embed" // for table.yaml
	"errors"
	"fmt"
	"sync"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases/field"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"sigs.k8s.io/yaml"
)

//go:embed table.yaml
var embeddedTable []byte

// embedded parses the table once. An invalid embedded table is a bug that the tests
// of this package find.
var embedded = sync.OnceValue(func() *Calendar {
	t, err := ParseTable(embeddedTable)
	if err != nil {
		panic("releases: " + err.Error())
	}
	return t.Calendar()
})

// Embedded returns the built-in calendar, table.yaml: all minors from 1.0 to the
// newest one when its sources were read. It panics only if the table is invalid.
func Embedded() *Calendar { return embedded() }

// Table is a calendar as it is stored, with its sources.
type Table struct {
	Sources []Source
	Rows    []Row // newest first
}

// Source is a public document that dates of the table are taken from.
type Source struct {
	Name  string
	URL   string
	Read  Date   // the day it was read
	AsOf  Date   // the day of the copy that was read, zero if it was current
	From  string // the third party that quotes it, "" if it was read itself
	Gives string // the data that the table takes from it
}

// Row is a release with a note about its dates.
type Row struct {
	Release
	Note string // sentences, or ""
}

// tableFile is the table in YAML.
type tableFile struct {
	Sources []struct {
		Name  field.String `json:"name"`
		URL   field.String `json:"url"`
		Read  field.String `json:"read"`
		AsOf  field.String `json:"as_of"`
		From  field.String `json:"read_from"`
		Gives field.String `json:"gives"`
	} `json:"sources"`
	Releases []struct {
		Minor              field.String `json:"minor"`
		ReleaseDate        field.String `json:"release_date"`
		ReleaseDatePlanned bool         `json:"release_date_planned"`
		MaintenanceStart   field.String `json:"maintenance_start"`
		EndOfLife          field.String `json:"end_of_life"`
		EndOfLifePlanned   bool         `json:"end_of_life_planned"`
		LatestPatch        field.String `json:"latest_patch"`
		Note               field.String `json:"note"`
	} `json:"releases"`
}

// ParseTable parses a table in the format of table.yaml. Unknown and repeated
// fields are errors, and so are the contradictions that Calendar.Check finds. All
// invalid values are reported together.
func ParseTable(text []byte) (*Table, error) {
	var f tableFile
	if err := yaml.UnmarshalStrict(text, &f); err != nil {
		return nil, fmt.Errorf("release table: %w", err)
	}

	var t Table
	var problems field.Problems
	for i, s := range f.Sources {
		place := fmt.Sprintf("release table, source %d", i+1)
		source := Source{
			Name:  field.Parse(&problems, place+", name", s.Name, field.Text),
			URL:   field.Parse(&problems, place+", url", s.URL, field.Text),
			Read:  field.Parse(&problems, place+", read", s.Read, ParseDate),
			AsOf:  field.Parse(&problems, place+", as_of", s.AsOf, ParseDate),
			From:  field.Parse(&problems, place+", read_from", s.From, field.Text),
			Gives: field.Parse(&problems, place+", gives", s.Gives, field.Text),
		}
		if source.Name == "" || source.URL == "" || source.Read.IsZero() {
			problems.Add(place, "name, url and read are required")
		}
		t.Sources = append(t.Sources, source)
	}

	seen := map[version.Minor]bool{}
	for i, r := range f.Releases {
		place := fmt.Sprintf("release table, release %d", i+1)
		bad := len(problems)
		row := Row{Release: Release{Minor: field.Parse(&problems, place+", minor", r.Minor, field.Minor)}}
		switch m := row.Minor; {
		case m != version.Minor{}:
			place = "release table, release " + m.String()
			if seen[m] {
				problems.Add(place, "it is listed twice")
			}
			seen[m] = true
		case len(problems) == bad:
			problems.Add(place, "minor is required")
		}
		row.ReleaseDate = field.Parse(&problems, place+", release_date", r.ReleaseDate, ParseDate)
		row.MaintenanceStart = field.Parse(&problems, place+", maintenance_start", r.MaintenanceStart, ParseDate)
		row.EndOfLife = field.Parse(&problems, place+", end_of_life", r.EndOfLife, ParseDate)
		row.ReleaseDatePlanned, row.EndOfLifePlanned = r.ReleaseDatePlanned, r.EndOfLifePlanned
		row.LatestPatch = field.Parse(&problems, place+", latest_patch", r.LatestPatch, field.Patch)
		row.Note = field.Parse(&problems, place+", note", r.Note, field.Text)
		if row.Minor != (version.Minor{}) {
			t.Rows = append(t.Rows, row)
		}
	}
	if len(f.Releases) == 0 {
		problems.Add("release table", "it has no releases")
	}
	if err := t.Calendar().Check(); err != nil {
		problems.Add("release table", "%w", err)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &t, nil
}

// Calendar returns the releases of the table as a calendar.
func (t *Table) Calendar() *Calendar {
	releases := make([]Release, len(t.Rows))
	for i, row := range t.Rows {
		releases[i] = row.Release
	}
	return new(Calendar).With(releases...)
}
