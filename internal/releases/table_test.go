// SPDX-License-Identifier: MPL-2.0

package releases_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestEmbedded checks that the table is complete and has no contradictions.
func TestEmbedded(t *testing.T) {
	c := releases.Embedded()
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	all := c.Releases()
	if len(all) < 38 {
		t.Fatalf("%d minors, want all from 1.0 to 1.37 at least", len(all))
	}
	for i, r := range all {
		if want := (version.Minor{Major: 1, Minor: i}); r.Minor != want {
			t.Errorf("row %d is %s, want %s", i, r.Minor, want)
		}
		// A new minor may not have a patch yet.
		if r.ReleaseDate.IsZero() || r.LatestPatch.IsZero() && i < 38 {
			t.Errorf("%s has no release date or no patch: %+v", r.Minor, r)
		}
		if i > 0 && r.ReleaseDate.Compare(all[i-1].ReleaseDate) <= 0 {
			t.Errorf("%s was released on %s, not after %s", r.Minor, r.ReleaseDate, all[i-1].ReleaseDate)
		}
		if r.ReleaseDatePlanned {
			continue // its other dates are unknown
		}
		if unpublished := i < 2; r.EndOfLife.IsZero() != unpublished {
			t.Errorf("%s ends on %q", r.Minor, r.EndOfLife)
		}
		if i <= 34 && r.EndOfLifePlanned {
			t.Errorf("the end of life of %s has passed, so it is not planned", r.Minor)
		}
		if without := i < 18; r.MaintenanceStart.IsZero() != without {
			t.Errorf("%s goes into maintenance on %q", r.Minor, r.MaintenanceStart)
		}
	}
}

// TestSupportWindows checks how long minors are supported: about nine months at first,
// and at least fourteen since 1.19. See
// https://kubernetes.io/releases/patch-releases/#support-period
func TestSupportWindows(t *testing.T) {
	for _, r := range releases.Embedded().Releases() {
		if r.EndOfLife.IsZero() {
			continue
		}
		var least, most int // days
		switch n := r.Minor.Minor; {
		case n <= 4:
			least, most = 120, 225 // before the policy: 1.3 was supported for four months
		case n <= 16:
			least, most = 240, 350
		case n <= 18:
			least, most = 400, 450 // during the change to the longer period
		default:
			least, most = 425, 495 // 1.22 got a late patch
		}
		if n := r.ReleaseDate.DaysUntil(r.EndOfLife); n < least || n > most {
			t.Errorf("%s was supported for %d days, from %s to %s; want %d to %d", r.Minor, n, r.ReleaseDate, r.EndOfLife, least, most)
		}
	}
}

func TestTableSources(t *testing.T) {
	text, err := os.ReadFile("table.yaml")
	if err != nil {
		t.Fatal(err)
	}
	table, err := releases.ParseTable(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Sources) == 0 {
		t.Error("the table has no sources")
	}
	if !slices.ContainsFunc(table.Rows, func(r releases.Row) bool { return r.Note != "" }) {
		t.Error("the table has no notes")
	}
	for _, s := range table.Sources {
		if !strings.HasPrefix(s.URL, "https://") || s.Gives == "" || s.AsOf.Compare(s.Read) > 0 {
			t.Errorf("source %+v", s)
		}
	}
}

func TestParseTableErrors(t *testing.T) {
	row := func(fields string) string { return `releases: [{minor: "1.30"` + fields + `}]` }
	for text, want := range map[string]string{
		`releases: []`:                         "it has no releases",
		``:                                     "it has no releases",
		`releases: [{minor: 1.30}]`:            "1.3 is not a string; put it in quotes",
		`releases: [{minor: 1}]`:               "1 is not a string",
		`releases: [{minor: "1.30.1"}]`:        `"1.30.1" is not a minor`,
		`releases: [{minor: "v1.30"}]`:         `"v1.30" is not a minor`,
		`releases: [{minor: "1.x"}]`:           `"1.x" is not a version`,
		`releases: [{latest_patch: "1.30.1"}]`: "release 1: minor is required",
		`releases: [{minor: "1.3"}, {minor: "1.4"}, {minor: "1.3"}]`:         "release 1.3: it is listed twice",
		row(`, eol: "2025-06-28"`):                                           `unknown field "eol"`,
		row(`, latest_patch: "1.30.1", latest_patch: "1.30.2"`):              "latest_patch",
		row(`, latest_patch: 1.30`):                                          "1.30, latest_patch: 1.3 is not a string",
		row(`, latest_patch: "1.30"`):                                        `"1.30" is not a patch`,
		row(`, latest_patch: "1.30.0-rc.1"`):                                 "is not a patch",
		row(`, latest_patch: "v1.30.1"`):                                     "is not a patch",
		row(`, latest_patch: "1.31.1"`):                                      "1.30: 1.31.1 is not a patch of it",
		row(`, end_of_life: true`):                                           "true is not a string",
		row(`, end_of_life: "2025-02-29"`):                                   "1.30, end_of_life: \"2025-02-29\" is not a date",
		row(`, end_of_life: "2024-04-16", release_date: "2024-04-17"`):       "1.30: the end of life is on 2024-04-16, before the release on 2024-04-17",
		row(`, end_of_life: "2025-06-28", maintenance_start: "2025-06-29"`):  "before maintenance starts",
		row(`, maintenance_start: "2024-04-16", release_date: "2024-04-17"`): "maintenance starts on 2024-04-16, before the release",
		`releases: [{minor: "1.2", release_date: "2024-04-16"}, {minor: "1.1", release_date: "2024-04-17"}]`:               "1.2: released on 2024-04-16, before 1.1 on 2024-04-17",
		`releases: [{minor: "1.3", end_of_life: "2024-04-16"}, {minor: "1.2"}, {minor: "1.1", end_of_life: "2024-04-17"}]`: "1.3: the end of life is on 2024-04-16, before the one of 1.1",
		`{sources: [{name: "a", url: "b"}], releases: [{minor: "1.3"}]}`:                                                   "source 1: name, url and read are required",
		`{sources: [{name: "a", read: "2026-01-01"}], releases: [{minor: "1.3"}]}`:                                         "source 1: name, url and read are required",
		`{sources: [{url: "b", read: "2026-01-01"}], releases: [{minor: "1.3"}]}`:                                          "source 1: name, url and read are required",
		`{sources: [{name: "a", url: "b", read: 2026}], releases: [{minor: "1.3"}]}`:                                       "source 1, read: 2026 is not a string",
		`releases: {`: "release table",
	} {
		if _, err := releases.ParseTable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want it to contain %s", text, err, want)
		}
	}
}

func TestParseTableReportsAllProblems(t *testing.T) {
	_, err := releases.ParseTable([]byte(`releases: [
		{minor: 1.30, release_date: "soon"},
		{minor: "1.29", latest_patch: "1.28.3"},
		{minor: "1.28", release_date: "never"}]`))
	for _, want := range []string{"1.3 is not a string", `"soon"`, "1.29: 1.28.3", `1.28, release_date: "never"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want it to contain %s", err, want)
		}
	}
}

// TestPlannedRelease checks that a planned release becomes unknown on its date, not
// supported.
func TestPlannedRelease(t *testing.T) {
	planned := releases.Release{Minor: version.Minor{Major: 1, Minor: 99}, ReleaseDate: day(t, "2090-01-02"), ReleaseDatePlanned: true}
	c := releases.Embedded().With(planned)
	for on, want := range map[string]releases.Status{"2090-01-01": releases.StatusUnreleased, "2090-01-02": releases.StatusUnknown} {
		if got := c.Status(planned.Minor, day(t, on)); got != want {
			t.Errorf("on %s, it is %s, want %s", on, got, want)
		}
	}
	planned.ReleaseDatePlanned = false
	if got := c.With(planned).Status(planned.Minor, day(t, "2090-01-02")); got != releases.StatusSupported {
		t.Errorf("released, it is %s", got)
	}
}
