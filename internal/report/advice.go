// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

func describeLatestPatch(p finding.Problem, c *finding.LatestPatch) Description {
	f := p.Findings[0]
	minor := f.Subject.Version.Shown()
	return Description{
		Summary: fmt.Sprintf("%s %s is not the newest patch of %s before the upgrade", f.Subject.Component, f.Subject.Version, minor),
		Message: sentences(fmt.Sprintf("%s before this change to another minor version.", subjectsOf(p).run(tenseOf(p))),
			fmt.Sprintf("The newest known patch of %s is %s.", minor, c.Latest), c.Reason),
		Remedy: fmt.Sprintf("Upgrade to %s, the newest known patch of this minor version, first.", c.Latest),
		Advice: true,
	}
}

func describePrerelease(p finding.Problem, c *finding.Prerelease) Description {
	f := p.Findings[0]
	return Description{
		Summary: fmt.Sprintf("%s %s is a pre-release", f.Subject.Component, f.Subject.Version),
		Message: sentences(subjectsOf(p).run(tenseOf(p))+".", c.Reason),
		Remedy:  fmt.Sprintf("Use a release of %s, unless this is a test cluster.", f.Subject.Version.Shown()),
		Advice:  true,
	}
}

func describeWebhook(p finding.Problem, c *finding.Webhook) Description {
	f := p.Findings[0]
	locations := p.Locations()
	matches := "sets no match_policy"
	if len(locations) > 1 {
		matches = "set no match_policy"
	}
	if c.MatchPolicy != "" {
		matches = fmt.Sprintf("%s match_policy = %q", verb(locations, "sets", "set"), c.MatchPolicy)
	}
	component, v := f.Subject.Component, f.Subject.Version
	return Description{
		Summary: fmt.Sprintf("%s may miss requests to %s %s", verb(locations, "An admission webhook", "Admission webhooks"), component, v.Shown()),
		Message: sentences(fmt.Sprintf("%s %s, and %s moves from %s to %s.", Locations(locations), matches, component, c.From, v), c.Reason),
		Remedy:  "Set matchPolicy to Equivalent on the webhook, or check that its rules list every resource version that it has to see.",
		Advice:  true,
	}
}

func describeNextMinor(p finding.Problem, c *finding.NextMinor) Description {
	f := p.Findings[0]
	d := Description{
		Summary: fmt.Sprintf("%s %s blocks upgrading the control plane to %s", f.Subject.Component, f.Subject.Version.Shown(), f.Reference.Version.Shown()),
		Message: sentences(subjectsOf(p).run(tenseOf(p))+".",
			fmt.Sprintf("Beside %s %s, %s may be %s.", f.Reference.Component, f.Reference.Version.Shown(), a(f.Subject.Component), Window(f.Allowed)), c.Reason),
		Remedy: fmt.Sprintf("Upgrade %s before you upgrade the control plane.", instances(f.Subject.Component, p.Locations())),
		Advice: true,
	}
	if all := f.Remedies(); len(all) > 0 {
		d.Remedy = fmt.Sprintf("Upgrade %s to %s before you upgrade the control plane.", targets(all[0]), remedyVersions(all[0]))
	} else if f.Allowed.Minimum != nil {
		d.Remedy = fmt.Sprintf("Upgrade %s to %s or later before you upgrade the control plane.", instances(f.Subject.Component, p.Locations()), f.Allowed.Show(f.Allowed.Minimum))
	}
	return d
}

func describeMinorMove(p finding.Problem, c *finding.MinorMove) Description {
	f := p.Findings[0]
	from, to := c.From.String(), f.Subject.Version.String()
	if len(p.Findings) > 1 {
		from, to = c.From.Shown(), f.Subject.Version.Shown()
	}
	return Description{
		Summary: fmt.Sprintf("%s moves from %s to %s", f.Subject.Component, c.From.Shown(), f.Subject.Version.Shown()),
		Message: moveSentence(tenseOf(p), p.Locations(), f.Subject.Component, from, to) + ".",
		Remedy:  c.Note,
		Advice:  true,
	}
}

func daysLeft(n int) string {
	if n == 0 {
		return "today"
	}
	return count(n, "day") + " left"
}
