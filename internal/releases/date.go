// SPDX-License-Identifier: MPL-2.0

package releases

import (
	"fmt"
	"time"
)

// Date is a calendar date without a time or a time zone. The zero value is not a
// date, and is before every date. Dates can be compared with ==.
type Date struct {
	midnight time.Time // in UTC, where every day has 24 hours
}

// firstDate is the first of all dates. Earlier ones are most likely mistakes.
var firstDate = Date{time.Date(1900, time.January, 1, 0, 0, 0, 0, time.UTC)}

const secondsPerDay = 24 * 60 * 60

// ParseDate parses an ISO 8601 calendar date such as "2026-11-20", between
// 1900-01-01 and 9999-12-31. The error names the string.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		if at, err := time.Parse(time.RFC3339, s); err == nil {
			return Date{}, fmt.Errorf("%q is a time, not a date. Did you mean %q?", s, at.UTC().Format(time.DateOnly))
		}
		return Date{}, fmt.Errorf(`%q is not a date. Write YYYY-MM-DD, such as "2026-11-20"`, s)
	}
	d := Date{t}
	if d.Compare(firstDate) < 0 {
		return Date{}, fmt.Errorf("%q is too early. Write a date from %s on", s, firstDate)
	}
	return d, nil
}

// DateOf returns the date of a time in UTC.
func DateOf(t time.Time) Date { return Date{t.UTC().Truncate(secondsPerDay * time.Second)} }

// ParseDateOrTime parses a date like ParseDate, or an RFC 3339 timestamp, of which
// it returns the date in UTC.
func ParseDateOrTime(s string) (Date, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		s = t.UTC().Format(time.DateOnly)
	}
	return ParseDate(s)
}

// UnmarshalText parses a date like ParseDateOrTime.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDateOrTime(string(text))
	return err
}

// MarshalText returns the date as YYYY-MM-DD.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String returns the date in the form "2026-11-20", or "" for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.midnight.Format(time.DateOnly)
}

// IsZero reports whether d is the zero Date.
func (d Date) IsZero() bool { return d.midnight.IsZero() }

// Compare returns -1 if d is before e, 0 if they are equal, and 1 if d is after e.
func (d Date) Compare(e Date) int { return d.midnight.Compare(e.midnight) }

// DaysUntil returns the number of days from d to other, negative if other is before
// d. The result is meaningless if either is zero.
func (d Date) DaysUntil(other Date) int {
	// time.Time.Sub is limited to 292 years.
	return int((other.midnight.Unix() - d.midnight.Unix()) / secondsPerDay)
}
