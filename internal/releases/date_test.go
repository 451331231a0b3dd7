// SPDX-License-Identifier: MPL-2.0

package releases_test

import (
	"strings"
	"testing"
	"time"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"pgregory.net/rapid"
)

func day(t interface {
	Helper()
	Fatal(...any)
}, s string) releases.Date {
	t.Helper()
	d, err := releases.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParseDate(t *testing.T) {
	for _, s := range []string{"1900-01-01", "2024-02-29", "2028-02-29", "2000-02-29", "2026-11-20", "9999-12-31"} {
		if d := day(t, s); d.String() != s || d.IsZero() {
			t.Errorf("ParseDate(%q) = %q", s, d)
		}
	}
	for _, s := range []string{
		"", "2026", "2026-11", "2026-11-31", "2025-02-29", "1900-02-29", "2100-02-29", "2026-00-10", "2026-13-01", "2026-01-00",
		"26-11-20", "2026-1-2", "2026/11/20", "20.11.2026", "20261120", " 2026-11-20", "2026-11-20 ", "2026-11-20T00:00:00Z",
		"10000-01-01", "-2026-11-20", "1899-12-31", "0001-01-01", "today",
	} {
		d, err := releases.ParseDate(s)
		if err == nil || !strings.Contains(err.Error(), `"`+s+`"`) || !d.IsZero() {
			t.Errorf("ParseDate(%q) = %q, %v; want an error with the input", s, d, err)
		}
	}
}

// addDays returns the date n days later.
func addDays(d releases.Date, n int) releases.Date {
	midnight, _ := time.Parse(time.DateOnly, d.String())
	return releases.DateOf(midnight.AddDate(0, 0, n))
}

func TestZeroDate(t *testing.T) {
	var zero releases.Date
	if !zero.IsZero() || zero.String() != "" || zero.Compare(day(t, "1900-01-01")) != -1 {
		t.Errorf("the zero Date is %q", zero)
	}
}

// TestDateArithmetic checks that DaysUntil, Compare and String agree.
func TestDateArithmetic(t *testing.T) {
	first := day(t, "1900-01-01")
	if n := first.DaysUntil(day(t, "9999-12-31")); n != 2958463 {
		t.Errorf("%d days in total, want 2958463", n)
	}
	days := rapid.IntRange(0, 2958463)
	rapid.Check(t, func(t *rapid.T) {
		i, j := days.Draw(t, "i"), days.Draw(t, "j")
		d, e := addDays(first, i), addDays(first, j)
		if n := d.DaysUntil(e); n != j-i || addDays(d, n) != e || e.DaysUntil(d) != -n {
			t.Fatalf("%s is %d days from %s, want %d", e, n, d, j-i)
		}
		if c := d.Compare(e); c < 0 != (i < j) || c > 0 != (i > j) || c == 0 != (d == e) {
			t.Fatalf("%s.Compare(%s) = %d", d, e, c)
		}
		if parsed := day(t, d.String()); parsed != d {
			t.Fatalf("%s is parsed as %s", d, parsed)
		}
	})
}
