package report

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

// describeEndOfLife tells of the support that ends next, or ended last: after
// standard support that is extended support, where there is any.
func describeEndOfLife(f finding.Finding, c *finding.EndOfLife) Description {
	what := fmt.Sprintf("%s %s", f.Subject.Component, f.Subject.Version.Binary().Shown())
	end, days, left := "its end of life", c.Days, ""
	date, planned := c.Date, ""
	if c.Planned {
		planned = ", as planned"
	}
	if !c.Extended.IsZero() {
		end = "the end of standard support"
		left = fmt.Sprintf(" Extended support ends on %s.", c.Extended)
		if c.Days < 0 {
			end, date, days, left = "the end of extended support", c.Extended, c.ExtendedDays, fmt.Sprintf(" Standard support ended on %s.", c.Date)
		}
	}
	d := Description{
		Summary: fmt.Sprintf("%s reached %s on %s", what, end, date),
		Message: fmt.Sprintf("%s, which was in support until %s%s.", runs(f.Subject), date, planned),
		Remedy:  "Upgrade to a minor version in support.",
		Advice:  true,
	}
	if days >= 0 {
		d.Summary = fmt.Sprintf("%s reaches %s on %s", what, end, date)
		d.Message = fmt.Sprintf("%s, which is in support until %s%s: %s.", runs(f.Subject), date, planned, daysLeft(days))
	}
	if !c.Supported.IsZero() {
		d.Remedy = fmt.Sprintf("Upgrade to %s or later.", c.Supported.Shown())
	}
	d.Message = sentences(d.Message+left, c.Reason)
	return d
}
