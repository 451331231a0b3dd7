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
	minor := p.Findings[0].Subject.Version.Binary().Shown()
	end, next := agree(p, "its end of life", "their end of life"), c.Standard
	ends := supportSentence("Support for "+minor, c.Standard)
	if !c.Extended.Date.IsZero() {
		end = "the end of standard support"
		ends = sentences(supportSentence("Standard support for "+minor, c.Standard), supportSentence("Extended support", c.Extended))
		if c.Standard.Days < 0 {
			end, next = "the end of extended support", c.Extended
		}
	}
	if c.ReadFrom != "" {
		ends = sentences(ends, "The dates are as quoted by "+c.ReadFrom+".")
	}
	reached, on, until := "reached", " on", " until"
	if next.Days >= 0 {
		reached = agree(p, "reaches", "reach")
	}
	if next.Planned {
		on, until = ", planned for", ", planned to end on"
	}
	what := fmt.Sprintf("%s %s%s %s", reached, end, on, next.Date)
	if c.Standard.Days < 0 && next.Days >= 0 {
		what = fmt.Sprintf("%s in extended support%s %s", agree(p, "is", "are"), until, next.Date)
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

// supportSentence says when a kind of support ends or has ended.
func supportSentence(kind string, end finding.SupportEnd) string {
	left := "today"
	if end.Days > 0 {
		left = count(end.Days, "day") + " left"
	}
	switch {
	case end.Days < 0 && end.Planned:
		return fmt.Sprintf("%s was planned to end on %s.", kind, end.Date)
	case end.Days < 0:
		return fmt.Sprintf("%s ended on %s.", kind, end.Date)
	case end.Planned:
		return fmt.Sprintf("%s is planned to end on %s (%s).", kind, end.Date, left)
	}
	return fmt.Sprintf("%s ends on %s (%s).", kind, end.Date, left)
}
