// SPDX-License-Identifier: MPL-2.0

package releases_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

func minor(n int) version.Minor { return version.Minor{Major: 1, Minor: n} }

func describe(rs ...releases.Release) []string {
	var lines []string
	for _, r := range rs {
		lines = append(lines, fmt.Sprintf("%s: %s, %s, %s %t, %s", r.Minor, r.ReleaseDate, r.MaintenanceStart, r.EndOfLife, r.EndOfLifePlanned, r.LatestPatch))
	}
	return lines
}

// TestStatus checks the embedded calendar on fixed days. When a published end of life
// differs from the planned one, change it here too.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		minor int
		day   string
		want  releases.Status
	}{
		{37, "2026-08-25", releases.StatusUnreleased},
		{37, "2026-08-26", releases.StatusSupported},
		{37, "2026-11-20", releases.StatusSupported},
		{37, "2027-08-27", releases.StatusSupported},
		{37, "2027-08-28", releases.StatusMaintenance},
		{37, "2027-10-27", releases.StatusMaintenance},
		{37, "2027-10-28", releases.StatusMaintenance},
		{37, "2027-10-29", releases.StatusEndOfLife},
		{36, "2026-04-21", releases.StatusUnreleased},
		{36, "2026-04-22", releases.StatusSupported},
		{36, "2026-11-20", releases.StatusSupported},
		{36, "2027-04-27", releases.StatusSupported},
		{36, "2027-04-28", releases.StatusMaintenance},
		{36, "2027-06-27", releases.StatusMaintenance},
		{36, "2027-06-28", releases.StatusMaintenance},
		{36, "2027-06-29", releases.StatusEndOfLife},
		{35, "2026-11-20", releases.StatusSupported},
		{35, "2026-12-27", releases.StatusSupported},
		{35, "2026-12-28", releases.StatusMaintenance},
		{35, "2027-02-27", releases.StatusMaintenance},
		{35, "2027-02-28", releases.StatusMaintenance},
		{35, "2027-03-01", releases.StatusEndOfLife},
		{34, "2026-10-26", releases.StatusMaintenance},
		{34, "2026-10-27", releases.StatusMaintenance},
		{34, "2026-10-28", releases.StatusEndOfLife},

		// Leap days.
		{26, "2024-02-28", releases.StatusMaintenance},
		{26, "2024-02-29", releases.StatusEndOfLife},
		{27, "2024-02-29", releases.StatusSupported},
		{37, "2028-02-29", releases.StatusEndOfLife},

		// No maintenance before 1.18.
		{17, "2019-12-08", releases.StatusUnreleased},
		{17, "2019-12-09", releases.StatusSupported},
		{17, "2021-01-13", releases.StatusSupported},
		{17, "2021-01-14", releases.StatusEndOfLife},

		// No end of life is published, but that of 1.2 is 2016-10-23.
		{0, "2015-07-09", releases.StatusUnreleased},
		{0, "2015-07-10", releases.StatusSupported},
		{1, "2016-10-23", releases.StatusSupported},
		{0, "2016-10-23", releases.StatusSupported},
		{0, "2016-10-24", releases.StatusEndOfLife},
		{1, "2016-10-24", releases.StatusEndOfLife},
		{1, "2026-11-20", releases.StatusEndOfLife},

		// Minors that are not in the table are unknown on any day.
		{99, "1900-01-01", releases.StatusUnknown},
		{99, "2026-11-20", releases.StatusUnknown},
		{99, "9999-12-31", releases.StatusUnknown},
	} {
		if got := releases.Embedded().Status(minor(tt.minor), day(t, tt.day)); got != tt.want {
			t.Errorf("1.%d on %s is %s, want %s", tt.minor, tt.day, got, tt.want)
		}
	}
	if got := releases.Embedded().Status(version.Minor{Major: 2}, day(t, "2026-11-20")); got != releases.StatusUnknown {
		t.Errorf("2.0 is %s", got)
	}
}

// TestStatusOfPartialRows checks rows in which dates are missing.
func TestStatusOfPartialRows(t *testing.T) {
	released, maintained, ended := day(t, "2024-02-28"), day(t, "2024-02-29"), day(t, "2024-03-01")
	for _, tt := range []struct {
		name string
		row  releases.Release
		want string // on the day before, the three days, and the day after
	}{
		{"nothing", releases.Release{}, "unknown unknown unknown unknown unknown"},
		{"release", releases.Release{ReleaseDate: released}, "unreleased supported supported supported supported"},
		{"maintenance", releases.Release{MaintenanceStart: maintained}, "unknown unknown maintenance maintenance maintenance"},
		{"end", releases.Release{EndOfLife: ended}, "unknown unknown unknown unknown end_of_life"},
		{"no end", releases.Release{ReleaseDate: released, MaintenanceStart: maintained}, "unreleased supported maintenance maintenance maintenance"},
		{"all", releases.Release{ReleaseDate: released, MaintenanceStart: maintained, EndOfLife: ended}, "unreleased supported maintenance maintenance end_of_life"},
	} {
		tt.row.Minor = minor(5)
		c := new(releases.Calendar).With(tt.row, releases.Release{Minor: minor(6), ReleaseDate: ended})
		var got []string
		for n := -1; n <= 3; n++ {
			got = append(got, string(c.Status(minor(5), addDays(released, n))))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestStatusWithoutEndOfLife checks that the end of life of a newer minor only ends
// minors without one, and that of an older minor ends no other minor.
func TestStatusWithoutEndOfLife(t *testing.T) {
	c := new(releases.Calendar).With(
		releases.Release{Minor: minor(4), ReleaseDate: day(t, "2020-01-01"), EndOfLife: day(t, "2030-01-01")},
		releases.Release{Minor: minor(5), ReleaseDate: day(t, "2020-01-01"), EndOfLife: day(t, "2021-01-01")},
		releases.Release{Minor: minor(6), ReleaseDate: day(t, "2020-01-01")},
		releases.Release{Minor: minor(7)},
	)
	for n, want := range map[int]releases.Status{4: releases.StatusSupported, 5: releases.StatusEndOfLife, 6: releases.StatusSupported} {
		if got := c.Status(minor(n), day(t, "2025-01-01")); got != want {
			t.Errorf("1.%d is %s, want %s", n, got, want)
		}
	}
	if m, ok := c.Latest(day(t, "2025-01-01")); !ok || m != minor(6) {
		t.Errorf("the latest is %s, want 1.6, because 1.7 has no release date", m)
	}
	if err := c.With(releases.Release{Minor: minor(4), EndOfLife: day(t, "2021-01-01")}).Check(); err != nil {
		t.Errorf("two minors with the same end of life: %v", err)
	}
}

// TestSupportedAndLatest checks days until long after the end of the table. When a
// published date differs from the planned one, change it here too.
func TestSupportedAndLatest(t *testing.T) {
	for _, tt := range []struct{ day, supported, latest string }{
		{"2015-07-09", "[]", "none"},
		{"2015-07-10", "[1.0]", "1.0"},
		{"2024-02-28", "[1.26 1.27 1.28 1.29]", "1.29"},
		{"2024-02-29", "[1.27 1.28 1.29]", "1.29"},
		{"2026-08-25", "[1.34 1.35 1.36]", "1.36"},
		{"2026-08-26", "[1.34 1.35 1.36 1.37]", "1.37"},
		{"2026-10-27", "[1.34 1.35 1.36 1.37]", "1.37"},
		{"2026-11-20", "[1.35 1.36 1.37]", "1.37"},
		{"2026-12-16", "[1.35 1.36 1.37]", "1.37"}, // 1.38 is only planned for it
		{"2027-02-28", "[1.35 1.36 1.37]", "1.37"},
		{"2027-03-01", "[1.36 1.37]", "1.37"},
		{"2027-10-28", "[1.37]", "1.37"},
		{"2027-10-29", "[]", "1.37"},
		{"2028-02-29", "[]", "1.37"},
		{"9999-12-31", "[]", "1.37"},
	} {
		d, latest := day(t, tt.day), "none"
		if m, ok := releases.Embedded().Latest(d); ok {
			latest = m.String()
		}
		if got := fmt.Sprint(releases.Embedded().Supported(d)); got != tt.supported || latest != tt.latest {
			t.Errorf("%s: %s are supported and the latest is %s; want %s and %s", tt.day, got, latest, tt.supported, tt.latest)
		}
	}
}

// TestWith corrects and adds releases.
func TestWith(t *testing.T) {
	release := func(n int, released, maintained, ended string, planned bool, patch string) releases.Release {
		r := releases.Release{Minor: minor(n), EndOfLifePlanned: planned}
		for s, d := range map[string]*releases.Date{released: &r.ReleaseDate, maintained: &r.MaintenanceStart, ended: &r.EndOfLife} {
			if s != "" {
				*d = day(t, s)
			}
		}
		if patch != "" {
			v, err := version.Parse(patch)
			if err != nil {
				t.Fatal(err)
			}
			r.LatestPatch = v
		}
		return r
	}
	c := new(releases.Calendar).With(
		release(36, "2026-04-22", "2027-04-28", "2027-06-28", true, "1.36.6"),
		release(34, "2025-08-27", "2026-08-27", "2026-10-27", true, "1.34.13"),
		release(35, "2025-12-17", "2026-12-28", "2027-02-28", true, "1.35.10"),
	)
	before := describe(c.Releases()...)

	corrected := c.With(
		release(34, "", "", "2026-11-10", false, ""),
		release(34, "", "", "", true, "1.34.14"), // a mark without a date has no effect
		release(38, "2026-12-16", "", "2028-02-28", true, ""),
		release(36, "2026-04-23", "2027-04-29", "", false, ""),
	)
	if diff := cmp.Diff([]string{
		"1.34: 2025-08-27, 2026-08-27, 2026-11-10 false, 1.34.14",
		"1.35: 2025-12-17, 2026-12-28, 2027-02-28 true, 1.35.10",
		"1.36: 2026-04-23, 2027-04-29, 2027-06-28 true, 1.36.6",
		"1.38: 2026-12-16, , 2028-02-28 true, ",
	}, describe(corrected.Releases()...)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, describe(c.Releases()...)); diff != "" {
		t.Errorf("With changed its receiver: %s", diff)
	}
	if r, ok := c.Lookup(minor(38)); ok {
		t.Errorf("1.38 is %+v before it is added", r)
	}
	for _, tt := range []struct {
		minor int
		day   string
		want  releases.Status
	}{
		{34, "2026-11-10", releases.StatusMaintenance},
		{34, "2026-11-11", releases.StatusEndOfLife},
		{33, "2026-11-11", releases.StatusUnknown}, // older than all known minors
		{37, "2026-11-10", releases.StatusUnknown}, // between two known minors
		{38, "2026-12-15", releases.StatusUnreleased},
		{38, "2026-12-16", releases.StatusSupported},
	} {
		if got := corrected.Status(minor(tt.minor), day(t, tt.day)); got != tt.want {
			t.Errorf("1.%d on %s is %s, want %s", tt.minor, tt.day, got, tt.want)
		}
	}
	if err := corrected.Check(); err != nil {
		t.Error(err)
	}
	if err := corrected.With(releases.Release{Minor: minor(37)}, release(38, "2026-04-22", "", "", false, "1.37.1")).Check(); err == nil ||
		!strings.Contains(err.Error(), "1.38: released on 2026-04-22, before 1.36") || !strings.Contains(err.Error(), "1.37.1 is not a patch of it") {
		t.Errorf("error %v; want both problems of 1.38", err)
	}

	// Changing the returned slice does not change the calendar.
	corrected.Releases()[0] = releases.Release{}
	if r, ok := corrected.Lookup(minor(34)); !ok || r.LatestPatch.String() != "1.34.14" {
		t.Errorf("1.34 is %+v", r)
	}
}

// TestWithOrder adds releases in any order.
func TestWithOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.IntRange(0, 50)).Draw(t, "minors")
		c := new(releases.Calendar)
		for _, n := range numbers {
			c = c.With(releases.Release{Minor: minor(n)})
		}
		for _, n := range numbers {
			if r, ok := c.Lookup(minor(n)); !ok || r.Minor != minor(n) {
				t.Fatalf("1.%d is %+v, %t", n, r, ok)
			}
		}
		all := c.Releases()
		for i := range all {
			if i > 0 && all[i-1].Minor.Compare(all[i].Minor) >= 0 {
				t.Fatalf("%s is followed by %s", all[i-1].Minor, all[i].Minor)
			}
		}
	})
}

// TestStatusNeverGoesBack checks that the status of a minor only advances over time.
func TestStatusNeverGoesBack(t *testing.T) {
	rank := map[releases.Status]int{
		releases.StatusUnreleased: 0, releases.StatusSupported: 1, releases.StatusMaintenance: 2, releases.StatusEndOfLife: 3,
	}
	c, first := releases.Embedded(), day(t, "2015-01-01")
	rapid.Check(t, func(t *rapid.T) {
		m := minor(rapid.IntRange(0, 37).Draw(t, "minor"))
		d := addDays(first, rapid.IntRange(0, 5000).Draw(t, "day"))
		later := addDays(d, rapid.IntRange(0, 1000).Draw(t, "days later"))
		before, ok := rank[c.Status(m, d)]
		after, ok2 := rank[c.Status(m, later)]
		if !ok || !ok2 || before > after {
			t.Fatalf("%s is %s on %s and %s on %s", m, c.Status(m, d), d, c.Status(m, later), later)
		}
	})
}
