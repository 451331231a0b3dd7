// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

// describeEndOfLife names the end of support that comes next, or the last one if all
// have passed. Extended support, if any, follows standard support, and a summary says that
// it has begun.
func describeEndOfLife(p finding.Problem, c *finding.EndOfLife) Description {
	f := p.Findings[0]
	minor := f.Subject.Version.Binary().Shown()
	support := func(what string, on fmt.Stringer, days int, planned bool) string {
		switch {
		case days < 0 && planned:
			return fmt.Sprintf("%s was planned to end on %s.", what, on)
		case days < 0:
			return fmt.Sprintf("%s ended on %s.", what, on)
		case planned:
			return fmt.Sprintf("%s is planned to end on %s (%s).", what, on, daysLeft(days))
		}
		return fmt.Sprintf("%s ends on %s (%s).", what, on, daysLeft(days))
	}
	end, date, days, planned := agree(p, "its end of life", "their end of life"), c.Date, c.Days, c.Planned
	ends := support("Support for "+minor, c.Date, c.Days, c.Planned)
	if !c.Extended.IsZero() {
		end, ends = "the end of standard support", sentences(support("Standard support for "+minor, c.Date, c.Days, c.Planned), support("Extended support", c.Extended, c.ExtendedDays, c.ExtendedPlanned))
		if c.Days < 0 {
			end, date, days, planned = "the end of extended support", c.Extended, c.ExtendedDays, c.ExtendedPlanned
		}
	}
	on := " on "
	if planned {
		on = ", planned for "
	}
	if c.ReadFrom != "" {
		ends = sentences(ends, "The dates are as quoted by "+c.ReadFrom+".")
	}
	reached := "reached"
	if days >= 0 {
		reached = agree(p, "reaches", "reach")
	}
	what := fmt.Sprintf("%s %s%s%s", reached, end, on, date)
	if c.Days < 0 && days >= 0 {
		until := " until "
		if planned {
			until = ", planned to end on "
		}
		what = fmt.Sprintf("%s in extended support%s%s", agree(p, "is", "are"), until, date)
	}
	d := Description{
		Summary: fmt.Sprintf("%s %s %s", subjects(p), minor, what),
		Message: sentences(subjectsOf(p).run(tenseOf(p))+".", ends, c.Reason),
		Remedy:  "Plan the upgrade to a supported minor version.",
	}
	if !c.Supported.IsZero() {
		d.Remedy = fmt.Sprintf("Plan the upgrade to %s or later.", c.Supported.Shown())
	}
	return d
}

// daysLeft counts days, as in "3 days left".
func daysLeft(n int) string {
	if n == 0 {
		return "today"
	}
	return count(n, "day") + " left"
}
