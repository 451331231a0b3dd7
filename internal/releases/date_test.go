// SPDX-License-Identifier: MPL-2.0

package releases_test

import (
	"strings"
	"testing"

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

func TestAddDays(t *testing.T) {
	for _, tt := range []struct {
		from string
		n    int
		want string
	}{
		{"2024-02-28", 1, "2024-02-29"},
		{"2024-02-29", 1, "2024-03-01"},
		{"2024-03-01", -1, "2024-02-29"},
		{"2024-02-29", 366, "2025-03-01"},
		{"2025-02-28", 1, "2025-03-01"},
		{"2028-02-28", 1, "2028-02-29"},
		{"2028-02-29", 1, "2028-03-01"},
		{"2026-12-31", 1, "2027-01-01"},
		{"2027-01-01", -1, "2026-12-31"},
		{"2026-11-20", 0, "2026-11-20"},
		{"9999-12-31", 1, "9999-12-31"},
		{"1900-01-01", -1, "1900-01-01"},
		{"2026-11-20", 1 << 62, "9999-12-31"},
		{"2026-11-20", -1 << 62, "1900-01-01"},
	} {
		if got := day(t, tt.from).AddDays(tt.n); got != day(t, tt.want) {
			t.Errorf("%s + %d days = %s, want %s", tt.from, tt.n, got, tt.want)
		}
	}
	if n := day(t, "1900-01-01").DaysUntil(day(t, "9999-12-31")); n != 2958463 {
		t.Errorf("%d days in total, want 2958463", n)
	}
}

func TestZeroDate(t *testing.T) {
	var zero releases.Date
	if !zero.IsZero() || zero.String() != "" || !zero.AddDays(1).IsZero() || zero.Compare(day(t, "1900-01-01")) != -1 {
		t.Errorf("the zero Date is %q, and the next day %q", zero, zero.AddDays(1))
	}
}

// TestDateArithmetic checks that DaysUntil, AddDays, Compare and String agree.
func TestDateArithmetic(t *testing.T) {
	first := day(t, "1900-01-01")
	days := rapid.IntRange(0, first.DaysUntil(day(t, "9999-12-31")))
	rapid.Check(t, func(t *rapid.T) {
		i, j := days.Draw(t, "i"), days.Draw(t, "j")
		d, e := first.AddDays(i), first.AddDays(j)
		if n := d.DaysUntil(e); n != j-i || d.AddDays(n) != e || e.DaysUntil(d) != -n {
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
