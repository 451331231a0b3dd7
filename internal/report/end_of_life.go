// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

// describeEndOfLife names the end of support that comes next, or the last one if all
// have passed. Extended support, if any, follows standard support.
func describeEndOfLife(p finding.Problem, c *finding.EndOfLife) Description {
	f := p.Findings[0]
	minor := f.Subject.Version.Binary().Shown()
	support := func(what string, on fmt.Stringer, days int) string {
		switch {
		case days < 0:
			return fmt.Sprintf("%s ended on %s.", what, on)
		case c.Planned:
			return fmt.Sprintf("%s is planned to end on %s (%s).", what, on, daysLeft(days))
		}
		return fmt.Sprintf("%s ends on %s (%s).", what, on, daysLeft(days))
	}
	end, date, days, ends := agree(p, "its end of life", "their end of life"), c.Date, c.Days, support("Support for "+minor, c.Date, c.Days)
	if !c.Extended.IsZero() {
		end, ends = "the end of standard support", support("Standard support for "+minor, c.Date, c.Days)+" "+support("Extended support", c.Extended, c.ExtendedDays)
		if c.Days < 0 {
			end, date, days = "the end of extended support", c.Extended, c.ExtendedDays
		}
	}
	reached := "reached"
	if days >= 0 {
		reached = agree(p, "reaches", "reach")
	}
	d := Description{
		Summary: fmt.Sprintf("%s %s %s %s on %s", subjects(p), minor, reached, end, date),
		Message: sentences(subjectsOf(p).run(tenseOf(p))+".", ends, c.Reason),
		Remedy:  "Plan the upgrade to a supported minor version.",
		Advice:  true,
	}
	if !c.Supported.IsZero() {
		d.Remedy = fmt.Sprintf("Plan the upgrade to %s or later.", c.Supported.Shown())
	}
	return d
}
