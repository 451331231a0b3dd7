// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

const embedded = "../table.yaml"

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// generate runs the command on files with the given contents, and returns the table
// afterwards.
func generate(t *testing.T, schedule, eol, table string, args ...string) (after, output string, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"schedule.yaml": schedule, "eol.yaml": eol, "table.yaml": table} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-"+strings.TrimSuffix(name, ".yaml"), path)
	}
	var out bytes.Buffer
	err = run(args, &out)
	return read(t, filepath.Join(dir, "table.yaml")), out.String(), err
}

func fixtures(t *testing.T) (schedule, eol, table string) {
	t.Helper()
	return read(t, "testdata/schedule.yaml"), read(t, "testdata/eol.yaml"), read(t, "testdata/table.yaml")
}

// TestUpdate updates a table in which 1.30 is new, 1.29 has other dates, a newer patch
// and a planned end that has passed, 1.28 and 1.26 have ended, the published end of 1.27
// stays, 1.31 is only planned, and 1.1 is in neither file.
func TestUpdate(t *testing.T) {
	schedule, eol, table := fixtures(t)
	got, output, err := generate(t, schedule, eol, table, "-read", "2025-06-01")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(header+read(t, "testdata/updated.yaml"), got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(output, "is updated") {
		t.Errorf("output %q", output)
	}

	again, output, err := generate(t, schedule, eol, got)
	if err != nil || !strings.Contains(output, "is up to date") {
		t.Errorf("second run: output %q, error %v", output, err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("second run: %s", diff)
	}
}

// TestUpdateIsReproducible checks that files with the data of the embedded table do not
// change a byte of it.
func TestUpdateIsReproducible(t *testing.T) {
	before := read(t, embedded)
	table, err := releases.ParseTable([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	var schedule, eol strings.Builder
	schedule.WriteString("schedules:\n")
	eol.WriteString("branches:\n")
	scheduled, ended := 0, 0
	for _, r := range table.Rows {
		switch {
		case r.EndOfLifePlanned:
			scheduled++
			fmt.Fprintf(&schedule, "- {release: %q, releaseDate: %q, maintenanceModeStartDate: %q, endOfLifeDate: %q, previousPatches: [{release: %s}]}\n",
				r.Minor, r.ReleaseDate, r.MaintenanceStart, r.EndOfLife, r.LatestPatch)
		case !r.EndOfLife.IsZero():
			ended++
			fmt.Fprintf(&eol, "- {release: %q, endOfLifeDate: %q, finalPatchRelease: %s}\n", r.Minor, r.EndOfLife, r.LatestPatch)
		}
	}
	if scheduled == 0 || ended == 0 {
		t.Fatalf("%d minors are scheduled, %d have ended", scheduled, ended)
	}
	after, output, err := generate(t, schedule.String(), eol.String(), before)
	if err != nil || !strings.Contains(output, "is up to date") {
		t.Errorf("output %q, error %v", output, err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}

	// Without the scheduled minors, the update adds the same rows again.
	table.Rows = slices.DeleteFunc(table.Rows, func(r releases.Row) bool { return r.EndOfLifePlanned })
	after, _, err = generate(t, schedule.String(), eol.String(), string(format(table)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("without the scheduled minors: %s", diff)
	}
}

// TestInvalidFiles checks that all problems are reported with their places, and that the
// table does not change.
func TestInvalidFiles(t *testing.T) {
	schedule, eol, table := fixtures(t)
	replace := func(text, old, replacement string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("the fixture has no %q", old)
		}
		return strings.Replace(text, old, replacement, 1)
	}
	for _, tt := range []struct {
		name                 string
		schedule, eol, table string
		args                 []string
		want                 []string
	}{
		{
			name:     "unquoted minors, in all files at once",
			schedule: replace(schedule, `"1.30"`, "1.30"), eol: replace(eol, `"1.28"`, "1.20"), table: replace(table, `"1.27"`, "1.10"),
			want: []string{
				"schedule.yaml, schedule 1, release: 1.3 is not a string; put it in quotes",
				"eol.yaml, branch 1, release: 1.2 is not a string; put it in quotes",
				"release table, release 4, minor: 1.1 is not a string; put it in quotes",
			},
		},
		{
			name:     "several problems in one file",
			schedule: replace(replace(replace(schedule, `"2025-08-28"`, `"2025-02-30"`), "1.29.10", "1.30.10"), `"1.28"`, `"1.29"`), eol: eol, table: table,
			want: []string{
				`schedule 1 (1.30), endOfLifeDate: "2025-02-30" is not a date`,
				"schedule 2 (1.29), previous patch 2: 1.30.10 is not a patch of 1.29",
				"schedule 3 (1.29): it is listed twice",
			},
		},
		{
			name:     "bad ends of life",
			schedule: schedule, eol: replace(replace(replace(eol, `"2024-10-22"`, `""`), "1.26.15", "latest"), `"1.26"`, "null"), table: table,
			want: []string{"branch 1 (1.28): a day in endOfLifeDate is required", `branch 2, finalPatchRelease: "latest" is not a version`, "branch 2: release is required"},
		},
		{name: "empty files", schedule: "", eol: "---\n", table: table, want: []string{"it has no schedules", "it has no branches"}},
		{name: "unknown fields", schedule: replace(schedule, "releaseDate", "released"), eol: replace(eol, "note", "notes"), table: table, want: []string{`unknown field "released"`, `unknown field "notes"`}},
		{name: "swapped files", schedule: eol, eol: schedule, table: table, want: []string{`unknown field "branches"`, `unknown field "schedules"`}},
		{
			// schedule.yaml had this wrong year for some months.
			name:     "dates that contradict the table",
			schedule: replace(schedule, `"2023-08-15"`, `"2024-08-15"`), eol: eol, table: table,
			want: []string{"the updated table would be wrong", "1.29: released on 2023-12-13, before 1.28 on 2024-08-15"},
		},
		{name: "no day", schedule: schedule, eol: eol, table: table, args: []string{"-read", "today"}, want: []string{`-read: "today" is not a date`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, _, err := generate(t, tt.schedule, tt.eol, tt.table, tt.args...)
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v; want it to contain %s", err, want)
				}
			}
			if after != tt.table {
				t.Error("the table was written")
			}
		})
	}
}

// TestInvalidArguments checks that invalid arguments do not change the table.
func TestInvalidArguments(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"-schedule", "testdata/schedule.yaml", "-eol", "testdata/eol.yaml"},
		{"-schedule", "testdata/schedule.yaml", "-eol", "testdata/eol.yaml", "-table", "testdata/missing.yaml"},
		{"-schedule", "testdata/missing.yaml", "-eol", "testdata/eol.yaml", "-table", "testdata/table.yaml"},
		{"-schedule", "testdata/schedule.yaml", "-eol", "testdata/eol.yaml", "-table", "testdata/table.yaml", "more"},
		{"-color"},
	} {
		before := read(t, "testdata/table.yaml")
		if err := run(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q: no error", args)
		}
		if read(t, "testdata/table.yaml") != before {
			t.Errorf("%q: the table was written", args)
		}
	}
}
