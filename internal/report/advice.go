package report

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

func describeEndOfLife(f finding.Finding, c *finding.EndOfLife) Description {
	component, v := f.Subject.Component, f.Subject.Version
	planned := ""
	if c.Planned {
		planned = ", as planned"
	}
	d := Description{
		Summary: fmt.Sprintf("%s %s reached its end of life on %s", component, v.Minor(), c.Date),
		Message: fmt.Sprintf("%s, which was in support until %s%s.", runs(f.Subject), c.Date, planned),
		Remedy:  fmt.Sprintf("Upgrade to %s or later.", v.Minor().Add(1)),
		Advice:  true,
	}
	if c.Days >= 0 {
		d.Summary = fmt.Sprintf("%s %s reaches its end of life on %s", component, v.Minor(), c.Date)
		d.Message = fmt.Sprintf("%s, which is in support until %s%s: %s.", runs(f.Subject), c.Date, planned, daysLeft(c.Days))
	}
	d.Message = sentences(d.Message, c.Reason)
	return d
}

func describeLatestPatch(f finding.Finding, c *finding.LatestPatch) Description {
	component, v := f.Subject.Component, f.Subject.Version
	return Description{
		Summary: fmt.Sprintf("%s %s is not the newest patch before the upgrade", component, v),
		Message: sentences(fmt.Sprintf("%s %s %s from %s to another minor; the newest patch known of %s is %s.",
			Locations(f.Subject.Locations), verb(f.Subject.Locations, "moves", "move"), component, v, v.Minor(), c.Latest), c.Reason),
		Remedy: fmt.Sprintf("Go to %s first.", c.Latest),
		Advice: true,
	}
}

func describePrerelease(f finding.Finding, c *finding.Prerelease) Description {
	return Description{
		Summary: fmt.Sprintf("%s %s is a pre-release", f.Subject.Component, f.Subject.Version),
		Message: sentences(runs(f.Subject)+".", c.Reason),
		Remedy:  fmt.Sprintf("Use a release of %s, unless this is a test.", f.Subject.Version.Minor()),
		Advice:  true,
	}
}

func describeWebhook(f finding.Finding, c *finding.Webhook) Description {
	what := "declares no match_policy"
	if c.MatchPolicy != "" {
		what = fmt.Sprintf("matches with %q", c.MatchPolicy)
	}
	component, v := f.Subject.Component, f.Subject.Version
	return Description{
		Summary: fmt.Sprintf("An admission webhook may miss requests to %s %s", component, v.Minor()),
		Message: sentences(fmt.Sprintf("%s %s while %s moves from %s to %s.", Locations(f.Subject.Locations), what, component, c.From, v), c.Reason),
		Remedy:  "Set its matchPolicy to Equivalent, or make sure that its rules list every version it has to see.",
		Advice:  true,
	}
}

func describeNextMinor(f finding.Finding, c *finding.NextMinor) Description {
	d := Description{
		Summary: fmt.Sprintf("%s %s would keep the control plane from %s", f.Subject.Component, f.Subject.Version.Minor(), c.Next),
		Message: sentences(fmt.Sprintf("%s, which may not run beside %s %s: %s would do.", runs(f.Subject), f.Reference.Component, c.Next, Window(f.Allowed)), c.Reason),
		Remedy:  fmt.Sprintf("Upgrade %s before the control plane moves on", instances(f.Subject)),
		Advice:  true,
	}
	if f.Allowed.Minimum != nil {
		d.Remedy += fmt.Sprintf(", to %s or later", f.Allowed.Minimum)
	}
	d.Remedy += "."
	return d
}

func describeMinorMove(f finding.Finding, c *finding.MinorMove) Description {
	component, v := f.Subject.Component, f.Subject.Version
	return Description{
		Summary: fmt.Sprintf("%s moves from %s to %s", component, c.From.Minor(), v.Minor()),
		Message: fmt.Sprintf("%s %s %s from %s to %s.", Locations(f.Subject.Locations), verb(f.Subject.Locations, "moves", "move"), component, c.From, v),
		Remedy:  c.Note,
		Advice:  true,
	}
}

// runs says where one side of a finding runs, and at which version.
func runs(s finding.Side) string {
	return fmt.Sprintf("%s %s %s %s", Locations(s.Locations), verb(s.Locations, "runs", "run"), s.Component, s.Version)
}

func daysLeft(n int) string {
	if n == 0 {
		return "today is the last day"
	}
	return count(n, "day") + " left"
}
