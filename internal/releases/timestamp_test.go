// SPDX-License-Identifier: MPL-2.0

package releases_test

import (
	"testing"
	"time"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"pgregory.net/rapid"
)

// TestDateOf checks that the date of a time in any time zone is its date in UTC, and
// equals the parsed date.
func TestDateOf(t *testing.T) {
	for _, tt := range []struct{ at, want string }{
		{"2026-11-20T00:00:00Z", "2026-11-20"},
		{"2026-11-20T23:59:59.999999999Z", "2026-11-20"},
		{"2026-11-20T23:30:00-02:00", "2026-11-21"},
		{"2026-11-21T00:30:00+02:00", "2026-11-20"},
		{"2024-02-29T12:00:00+09:00", "2024-02-29"},
		{"1969-12-31T23:59:59Z", "1969-12-31"},
	} {
		at, err := time.Parse(time.RFC3339, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := releases.DateOf(at); got != day(t, tt.want) {
			t.Errorf("%s is on %s, want %s", tt.at, got, tt.want)
		}
	}
	now := time.Now() // with a monotonic clock reading, which a Date must not keep
	if got, want := releases.DateOf(now), day(t, now.UTC().Format(time.DateOnly)); got != want {
		t.Errorf("today is %#v, want %#v", got, want)
	}
}

// TestParseDateOrTime checks that the date of a timestamp, as returned by clouds, is its
// date in UTC.
func TestParseDateOrTime(t *testing.T) {
	for s, want := range map[string]string{
		"2026-07-29":                "2026-07-29",
		"2026-07-29T00:00:00Z":      "2026-07-29",
		"2026-07-29T23:30:00-02:00": "2026-07-30",
		"2026-07-30T00:30:00+01:00": "2026-07-29",
	} {
		if got, err := releases.ParseDateOrTime(s); err != nil || got != day(t, want) {
			t.Errorf("%s is %s (error %v), want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "tomorrow", "2026-07-29 00:00:00", "2026-07-29T24:00:00Z", "1899-12-31T00:00:00Z"} {
		if got, err := releases.ParseDateOrTime(s); err == nil {
			t.Errorf("%q is %s, want an error", s, got)
		}
	}
}

// TestTimesOfDay checks that every second of a day in UTC has the same date, with DateOf
// and with ParseDateOrTime.
func TestTimesOfDay(t *testing.T) {
	first := day(t, "1900-01-01")
	days := rapid.IntRange(0, first.DaysUntil(day(t, "9999-12-30")))
	rapid.Check(t, func(t *rapid.T) {
		d := addDays(first, days.Draw(t, "day"))
		midnight, err := time.Parse(time.DateOnly, d.String())
		if err != nil {
			t.Fatal(err)
		}
		at := midnight.Add(time.Duration(rapid.IntRange(0, 24*60*60-1).Draw(t, "second")) * time.Second)
		at = at.In(time.FixedZone("", 60*rapid.IntRange(-12*60, 14*60).Draw(t, "offset")))
		if got := releases.DateOf(at); got != d {
			t.Fatalf("%s is on %s, want %s", at, got, d)
		}
		if got, err := releases.ParseDateOrTime(at.Format(time.RFC3339)); err != nil || got != d {
			t.Fatalf("%s is read as %s (error %v), want %s", at, got, err, d)
		}
	})
}
