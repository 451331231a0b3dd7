package releases

import (
	"fmt"
	"time"
)

// Date is a day of the calendar, without a time of day or a zone. The zero
// value is no day at all, and before every other. Dates can be compared with
// ==.
type Date struct {
	midnight time.Time // in UTC, where every day has 24 hours
}

// firstDate and lastDate bound every Date that is not zero: what is outside can
// only be a mistake, and every day is written with four digits of the year.
var (
	firstDate = known("1900-01-01")
	lastDate  = known("9999-12-31")
)

const secondsPerDay = 24 * 60 * 60

// known is a day that the program names.
func known(s string) Date {
	midnight, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return Date{midnight}
}

// ParseDate reads a day such as "2026-11-20", the calendar date of ISO 8601,
// between 1900-01-01 and 9999-12-31. The error names the string.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		if at, err := time.Parse(time.RFC3339, s); err == nil {
			return Date{}, fmt.Errorf("%q is a time, not a day. Did you mean %q?", s, at.UTC().Format(time.DateOnly))
		}
		return Date{}, fmt.Errorf(`%q is not a day of the calendar. Write year-month-day, such as "2026-11-20".`, s)
	}
	d := Date{t}
	if d.Compare(firstDate) < 0 {
		return Date{}, fmt.Errorf("%q is before %s.", s, firstDate)
	}
	return d, nil
}

// DateOf returns the day of a time in UTC.
func DateOf(t time.Time) Date { return Date{t.UTC().Truncate(secondsPerDay * time.Second)} }

// ParseDateOrTime reads what ParseDate reads, or an RFC 3339 timestamp, of which it
// returns the day in UTC.
func ParseDateOrTime(s string) (Date, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		s = t.UTC().Format(time.DateOnly)
	}
	return ParseDate(s)
}

// String returns the day as in "2026-11-20", or "" for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.midnight.Format(time.DateOnly)
}

// IsZero reports whether d is no day.
func (d Date) IsZero() bool { return d.midnight.IsZero() }

// Compare returns -1 when d is before e, 0 when they are the same day, and 1
// when d is after e.
func (d Date) Compare(e Date) int { return d.midnight.Compare(e.midnight) }

// AddDays returns the day n days later (earlier, when n is negative), but none
// outside the bounds of ParseDate. The zero Date stays zero.
func (d Date) AddDays(n int) Date {
	if d.IsZero() {
		return d
	}
	n = min(max(n, d.DaysUntil(firstDate)), d.DaysUntil(lastDate))
	return Date{d.midnight.AddDate(0, 0, n)}
}

// DaysUntil counts the days from d to other: 1 when other is the day after,
// negative when other is before d. It means nothing where either is zero.
func (d Date) DaysUntil(other Date) int {
	// Not by time.Time.Sub, which ends at 292 years.
	return int((other.midnight.Unix() - d.midnight.Unix()) / secondsPerDay)
}
