package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// destroyHint is for a plan that is refused although nothing changes. Before
// they destroy, both CLIs plan as usual, and do not let a provider know why.
const destroyHint = "\n\nIf this is a destroy: run it with -refresh=false, which leaves out the usual plan that comes before it."

// maxDrawn is how many errors, and how many warnings, findings are drawn as. Nobody
// reads more, and both CLIs take minutes to draw thousands.
const maxDrawn = 100

// findingDiagnostics turns findings into diagnostics, each at the first
// location it is about. What is merely information is no diagnostic. The hint
// is added to every error. Those beyond maxDrawn are counted in one more, which
// weighs as much as they do.
func findingDiagnostics(findings []skew.Finding, enforcementLevel, hint string) diag.Diagnostics {
	var diags diag.Diagnostics
	drawn := map[diag.Severity]int{}
	more := map[diag.Severity]map[string]int{diag.SeverityError: {}, diag.SeverityWarning: {}}
	for _, f := range findings {
		severity := diag.SeverityWarning
		switch {
		case f.Stands() && enforcementLevel != advisory:
			severity = diag.SeverityError
		case f.Severity == policy.SeverityInfo:
			continue
		}
		if drawn[severity]++; drawn[severity] > maxDrawn {
			more[severity][f.RuleID]++
			continue
		}
		at := path.Empty()
		if len(f.Subject.Locations) > 0 {
			at = pathOf(f.Subject.Locations[0])
		}
		if severity == diag.SeverityError {
			diags.AddAttributeError(at, report.Summary(f), report.Detail(f)+hint)
			continue
		}
		summary := report.Summary(f)
		if f.WaivedBy != nil {
			summary = "Waived: " + summary
		}
		diags.AddAttributeWarning(at, summary, report.Detail(f))
	}
	if n := drawn[diag.SeverityError] - maxDrawn; n > 0 {
		diags.AddError(fmt.Sprintf("More errors: %d", n), moreDetail(more[diag.SeverityError])+hint)
	}
	if n := drawn[diag.SeverityWarning] - maxDrawn; n > 0 {
		diags.AddWarning(fmt.Sprintf("More warnings: %d", n), moreDetail(more[diag.SeverityWarning]))
	}
	return diags
}

// moreDetail counts findings that are not drawn, by their rules.
func moreDetail(rules map[string]int) string {
	var counts []string
	for _, rule := range sortedKeys(rules) {
		counts = append(counts, fmt.Sprintf("%s: %d", rule, rules[rule]))
	}
	return fmt.Sprintf("Only the first %d are shown. The others are of these rules: %s.\n\n"+
		"To repair: begin with those that are shown; the rest often goes with them. The findings of a versionskew_evaluation are all of them.", maxDrawn, strings.Join(counts, ", "))
}

// waiverDiagnostics warns of waivers that do nothing: one that has expired, and
// one that matches no finding, unless something is not known yet that it may be
// there for.
func waiverDiagnostics(in *input, unmatched []string, day string) diag.Diagnostics {
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
	return diags
}

// unknownDiagnostics names what could not be judged at plan time.
func unknownDiagnostics(unknown []string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(unknown) > 0 {
		diags.AddWarning("Not everything could be judged at plan time",
			fmt.Sprintf("Known only after apply, and judged then: %s. Everything else has been judged.", strings.Join(unknown, ", ")))
	}
	return diags
}

// unjudgedDiagnostics warns of further components that no rule of the policy
// names: one is easily misspelled, and then never judged.
func unjudgedDiagnostics(p *policy.Policy, c skew.Cluster) diag.Diagnostics {
	var diags diag.Diagnostics
	judged := p.Components()
	for _, place := range c.Places {
		if name := place.Location.Key; place.Location.Attribute == skew.Components && !slices.Contains(judged, name) {
			judged = append(judged, name) // once is enough
			diags.AddAttributeWarning(pathOf(place.Location), fmt.Sprintf("No rule on %s", name),
				fmt.Sprintf("The policy %s has no rule on a component of the name %q, so its versions are not judged.\n\n"+
					"To repair: check the spelling. The policy knows %s.", p.Name, name, strings.Join(p.Components(), ", ")))
		}
	}
	return diags
}
