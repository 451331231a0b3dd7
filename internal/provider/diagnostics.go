package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// destroyHint is for a plan that is refused although nothing changes. Before
// they destroy, both CLIs plan as usual, and do not let a provider know why.
const destroyHint = "\n\nIf this is a destroy: run it with -refresh=false, which leaves out the usual plan that comes before it."

// maxDrawn is how many errors, and how many warnings, of one origin are drawn.
// Nobody reads more, and both CLIs take minutes to draw thousands.
const maxDrawn = 100

// drawing is the diagnostics of one origin: those beyond maxDrawn are counted by
// their kind.
type drawing struct {
	diags diag.Diagnostics
	n     map[diag.Severity]int
	more  map[diag.Severity]map[string]int
}

func (d *drawing) add(kind string, severity diag.Severity, draw func() diag.Diagnostic) {
	if d.n == nil {
		d.n = map[diag.Severity]int{}
		d.more = map[diag.Severity]map[string]int{diag.SeverityError: {}, diag.SeverityWarning: {}}
	}
	if d.n[severity]++; d.n[severity] > maxDrawn {
		d.more[severity][kind]++
		return
	}
	d.diags = append(d.diags, draw())
}

// finish says how many more there are, in one diagnostic that weighs as much as
// they do; kinds is what they are counted by, and hint what every error ends on.
func (d *drawing) finish(kinds, repair, hint string) diag.Diagnostics {
	detail := func(severity diag.Severity) string {
		var counts []string
		for _, kind := range sortedKeys(d.more[severity]) {
			counts = append(counts, fmt.Sprintf("%s: %d", kind, d.more[severity][kind]))
		}
		return fmt.Sprintf("Only the first %d are shown. The others are of these %s: %s.\n\n"+
			"To repair: begin with those that are shown; the rest often goes with them.%s", maxDrawn, kinds, strings.Join(counts, ", "), repair)
	}
	if n := d.n[diag.SeverityError] - maxDrawn; n > 0 {
		d.diags.AddError(fmt.Sprintf("More errors: %d", n), detail(diag.SeverityError)+hint)
	}
	if n := d.n[diag.SeverityWarning] - maxDrawn; n > 0 {
		d.diags.AddWarning(fmt.Sprintf("More warnings: %d", n), detail(diag.SeverityWarning))
	}
	return d.diags
}

// limited draws what is wrong with a configuration, by the summaries.
func limited(diags diag.Diagnostics) diag.Diagnostics {
	var d drawing
	for _, one := range diags {
		d.add(one.Summary(), one.Severity(), func() diag.Diagnostic { return one })
	}
	return d.finish("kinds", "", "")
}

// findingDiagnostics turns findings into diagnostics, each at the first
// location it is about. What is merely information is no diagnostic. The hint
// is added to every error.
func findingDiagnostics(findings []finding.Finding, enforcementLevel, hint string) diag.Diagnostics {
	var d drawing
	for _, f := range findings {
		at := path.Empty()
		if len(f.Subject.Locations) > 0 {
			at = pathOf(f.Subject.Locations[0])
		}
		switch {
		case f.IsUnwaivedError() && enforcementLevel != advisory:
			d.add(f.RuleID, diag.SeverityError, func() diag.Diagnostic {
				return diag.NewAttributeErrorDiagnostic(at, report.Describe(f).Summary, report.Detail(f)+hint)
			})
		case f.Severity != policy.SeverityInfo:
			d.add(f.RuleID, diag.SeverityWarning, func() diag.Diagnostic {
				summary := report.Describe(f).Summary
				if f.WaivedBy != nil {
					summary = "Waived: " + summary
				}
				return diag.NewAttributeWarningDiagnostic(at, summary, report.Detail(f))
			})
		}
	}
	return d.finish("rules", " The findings of a versionskew_evaluation are all of them.", hint)
}

// waiverDiagnostics warns of waivers that do nothing: one that has expired, and
// one that matches no finding, unless something is not known yet that it may be
// there for.
func waiverDiagnostics(in *input, unmatched []string, day releases.Date) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, w := range in.waivers {
		at := path.Root("waivers").AtMapKey(w.Name)
		switch {
		case w.ExpiredOn(day):
			diags.AddAttributeWarning(at, "Expired waiver",
				fmt.Sprintf("The waiver %q of the rule %s expired on %s, and waives nothing any more.\n\nTo repair: mend what it was there for and remove it, or give it a later day.", w.Name, w.RuleID, w.Expires))
		case slices.Contains(unmatched, w.Name) && len(in.unknown) == 0:
			diags.AddAttributeWarning(at, "Waiver without a finding",
				fmt.Sprintf("The waiver %q of the rule %s matches no finding.\n\nTo repair: remove it, or check its locations: they are spelled as findings spell them, such as node_pools[\"gpu\"].", w.Name, w.RuleID))
		}
	}
	return limited(diags)
}

// unknownDiagnostics names what could not be judged at plan time.
func unknownDiagnostics(unknown []string) diag.Diagnostics {
	var diags diag.Diagnostics
	if more := len(unknown) - maxDrawn; more > 0 {
		unknown = append(slices.Clip(unknown[:maxDrawn]), fmt.Sprintf("and %d more", more))
	}
	if len(unknown) > 0 {
		diags.AddWarning("Not everything could be judged at plan time",
			fmt.Sprintf("Known only after apply, and judged then: %s. Everything else has been judged.", strings.Join(unknown, ", ")))
	}
	return diags
}

// unjudgedDiagnostics warns of further components that no rule of the policy
// names: one is easily misspelled, and then never judged.
func unjudgedDiagnostics(p *policy.Policy, c skew.Cluster) diag.Diagnostics {
	var d drawing
	judged := p.Components()
	for _, place := range c.Places {
		if name := place.Location.Key; place.Location.Attribute == finding.Components && !slices.Contains(judged, name) {
			judged = append(judged, name) // once is enough
			d.add("No rule", diag.SeverityWarning, func() diag.Diagnostic {
				return diag.NewAttributeWarningDiagnostic(pathOf(place.Location), fmt.Sprintf("No rule on %s", name),
					fmt.Sprintf("The policy %s has no rule on a component of the name %q, so its versions are not judged.\n\n"+
						"To repair: check the spelling. The policy knows %s.", p.Name, name, strings.Join(p.Components(), ", ")))
			})
		}
	}
	return d.finish("kinds", "", "")
}
