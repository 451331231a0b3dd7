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
		Summary: fmt.Sprintf("%s %s %s not the newest patch of %s", subjects(p), f.Subject.Version, is(p, tenseOf(p)), minor),
		Message: sentences(fmt.Sprintf("%s before this change to another minor version.", subjectsOf(p).run(tenseOf(p))),
			fmt.Sprintf("The newest known patch of %s is %s.", minor, c.Latest), c.Reason),
		Remedy: fmt.Sprintf("Upgrade to %s, the newest known patch of this minor version, first.", c.Latest),
	}
}

func describePrerelease(p finding.Problem, c *finding.Prerelease) Description {
	f := p.Findings[0]
	return Description{
		Summary: fmt.Sprintf("%s %s %s", subjects(p), f.Subject.Version, agree(p, "is a pre-release", "are pre-releases")),
		Message: sentences(subjectsOf(p).run(tenseOf(p))+".", c.Reason),
		Remedy:  fmt.Sprintf("Use a release of %s, unless this is a test cluster.", f.Subject.Version.Shown()),
	}
}

func describeWebhook(p finding.Problem, c *finding.Webhook) Description {
	f := p.Findings[0]
	locations := p.Locations()
	matches := form(len(locations), "does not set match_policy", "do not set match_policy")
	if c.MatchPolicy != "" {
		matches = fmt.Sprintf("%s match_policy = %q", form(len(locations), "sets", "set"), c.MatchPolicy)
	}
	component, v := subjects(p), f.Subject.Version
	return Description{
		Summary: fmt.Sprintf("%s may miss requests to %s %s", form(len(locations), "An admission webhook", "Admission webhooks"), component, v.Shown()),
		Message: sentences(fmt.Sprintf("%s %s, and %s %s from %s to %s.", Locations(locations), matches, component, agree(p, "moves", "move"), c.From, v), c.Reason),
		Remedy: form(len(locations),
			"Set matchPolicy to Equivalent on the webhook, or check that its rules list every API version that it has to handle.",
			"Set matchPolicy to Equivalent on the webhooks, or check that their rules list every API version that they have to handle."),
	}
}

func describeNextMinor(p finding.Problem, c *finding.NextMinor) Description {
	f := p.Findings[0]
	reference := fmt.Sprintf("%s %s", f.Reference.Component, f.Reference.Version.Shown())
	what, to := instances(p), ""
	if all := f.Remedies(); len(all) > 0 {
		what, to = targets(all[0]), " to "+remedyVersions(all[0])
	} else if f.Allowed.Minimum != nil {
		to = fmt.Sprintf(" to %s or later", f.Allowed.Show(f.Allowed.Minimum))
	}
	return Description{
		Summary: fmt.Sprintf("%s %s %s upgrading the control plane to %s", subjects(p), f.Subject.Version.Shown(), agree(p, "blocks", "block"), f.Reference.Version.Shown()),
		Message: sentences(subjectsOf(p).run(tenseOf(p))+".", fmt.Sprintf("Allowed with %s: %s.", reference, Window(f.Allowed)), c.Reason),
		Remedy:  fmt.Sprintf("Upgrade %s%s before you upgrade the control plane.", what, to),
	}
}

func describeMinorMove(p finding.Problem, c *finding.MinorMove) Description {
	return Description{
		Summary: fmt.Sprintf("%s %s from %s to %s", subjects(p), agree(p, "moves", "move"), c.From.Shown(), p.Findings[0].Subject.Version.Shown()),
		Message: changes(p) + ".",
		Remedy:  c.Note,
	}
}
