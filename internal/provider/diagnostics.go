package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
)

// destroyHint is for a plan that is refused although nothing changes. Before
// they destroy, both CLIs plan as usual, and do not let a provider know why.
const destroyHint = "If this is a destroy: run it with -refresh=false, which leaves out the usual plan that comes before it."

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

// findingDiagnostics turns findings into diagnostics: one for each problem, at the
// first location it is about. What is merely information is no diagnostic. A note is
// added to the detail of each, and the hint to every error; the rule stays the last
// line.
func findingDiagnostics(findings []finding.Finding, enforcementLevel string, note func(finding.Finding) string, hint string) diag.Diagnostics {
	var d drawing
	for _, p := range finding.Problems(findings) {
		f := p.Findings[0]
		at := path.Empty()
		if locations := p.Locations(); len(locations) > 0 {
			at = pathOf(locations[0])
		}
		switch {
		case f.IsUnwaivedError() && enforcementLevel != advisory:
			d.add(f.RuleID, diag.SeverityError, func() diag.Diagnostic {
				return diag.NewAttributeErrorDiagnostic(at, report.DescribeProblem(p).Summary, report.Detail(p, note(f), hint))
			})
		case f.Severity != policy.SeverityInfo:
			d.add(f.RuleID, diag.SeverityWarning, func() diag.Diagnostic {
				summary := report.DescribeProblem(p).Summary
				if f.WaivedBy != nil {
					summary = "Waived: " + summary
				}
				return diag.NewAttributeWarningDiagnostic(at, summary, report.Detail(p, note(f)))
			})
		}
	}
	if hint != "" {
		hint = "\n\n" + hint
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
				fmt.Sprintf("Waiver %q of rule %s expired on %s and is no longer applied.\n\nTo repair: fix what it covered and remove it, or set a later date in expires.", w.Name, w.RuleID, w.Expires))
		case slices.Contains(unmatched, w.Name) && len(in.unknown) == 0:
			diags.AddAttributeWarning(at, "Waiver without a finding",
				fmt.Sprintf("Waiver %q of rule %s does not match any finding.%s\n\nTo repair: remove it, or check its locations. Write them as findings do, such as node_pools[\"gpu\"].", w.Name, w.RuleID, unknownLocations(w, in.cluster)))
		}
	}
	return limited(diags)
}

// unknownLocations names the locations of a waiver that the cluster does not have,
// and what they may have been meant to be.
func unknownLocations(w finding.Waiver, c skew.Cluster) string {
	var known []string
	for _, p := range c.Places {
		known = append(known, p.Location.String())
	}
	for name := range c.Webhooks {
		known = append(known, finding.AtKey(finding.AdmissionWebhooks, name).String())
	}
	slices.Sort(known)
	text := ""
	for _, l := range w.Locations {
		if !slices.Contains(known, l) {
			text += fmt.Sprintf(" Unknown location %s.", l)
			if meant := suggest.Name(l, known); meant != "" {
				text += fmt.Sprintf(" Did you mean %s?", meant)
			}
		}
	}
	return text
}

// unknownWarning says what is judged at apply because it is not known yet, and
// whether anything has been judged by now.
func unknownWarning(unknown []string, undecided []finding.Finding, judged string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(unknown) == 0 {
		return diags
	}
	detail := fmt.Sprintf("Known only after apply, and judged then: %s. %s", named(unknown), judged)
	if len(undecided) > 0 {
		var errors []string
		for _, f := range undecided {
			errors = append(errors, fmt.Sprintf("%s: rule %s", report.Describe(f).Summary, f.RuleID))
		}
		detail += fmt.Sprintf("\n\nWhether a waiver accepts these errors is not known yet, so they are reported at apply unless one does: %s.", named(errors))
	}
	diags.AddWarning("Not everything could be judged at plan time", detail)
	return diags
}

// named lists things, as many as anybody reads.
func named(all []string) string {
	if more := len(all) - maxDrawn; more > 0 {
		all = append(slices.Clip(all[:maxDrawn]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// few names the first five things, and counts the others.
func few(all []string) string {
	if more := len(all) - 5; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:5], ", "), more)
	}
	return strings.Join(all, ", ")
}

// orNone lists names, or says that there are none.
func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return named(names)
}

// first names the first thing, and counts the others.
func first(all []string) string {
	if more := len(all) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", all[0], more)
	}
	return all[0]
}

// What an unknown value leaves to be judged by now.
const (
	restJudged    = "Everything else has been judged."
	nothingJudged = "Nothing could be judged in this plan."
)

// silentWarning names what sets no version.
func silentWarning(silent []string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(silent) > 0 {
		diags.AddWarning("Not judged: no version is set",
			fmt.Sprintf("All versions of these are null, so they are not judged: %s.\n\n"+
				"If the platform decides the version, set it to what the platform will run. Otherwise nothing warns you when these fall behind.", named(silent)))
	}
	return diags
}

// unjudgedWarning says that there is nothing to judge.
func unjudgedWarning(c skew.Cluster) diag.Diagnostics {
	var diags diag.Diagnostics
	what := "The versions that are set have nothing to be compared with: no rule of the policy relates two of them."
	if !slices.ContainsFunc(c.Places, func(p skew.Place) bool { return len(p.Instances) > 0 }) {
		what = "No version is set."
	}
	diags.AddWarning("Nothing is judged", what+" This plan passes without a check.\n\n"+
		"To repair: set control_plane_version, or control_plane, and node_pools to the versions that this configuration applies.")
	return diags
}

// furtherDiagnostics warns of further components that no rule of the policy names: a
// name that resembles a known one is easily misspelled, and then never judged.
// The others are named together.
func furtherDiagnostics(p *policy.Policy, c skew.Cluster) diag.Diagnostics {
	var d drawing
	known := p.Components()
	var others []string
	var first path.Path
	seen := map[string]bool{}
	for _, place := range c.Places {
		name := place.Location.Key
		if place.Location.Attribute != finding.Components || seen[name] || slices.Contains(known, name) {
			continue
		}
		seen[name] = true
		if meant := suggest.Name(name, known); meant != "" {
			d.add("Unknown component", diag.SeverityWarning, func() diag.Diagnostic {
				return diag.NewAttributeWarningDiagnostic(pathOf(place.Location), fmt.Sprintf("Unknown component %q. Did you mean %q?", name, meant),
					fmt.Sprintf("The policy %s has no rule on %s, so its versions are not judged.\n\nTo repair: rename it to %s if that is what runs here.", p.Name, name, meant))
			})
			continue
		}
		if len(others) == 0 {
			first = pathOf(place.Location)
		}
		others = append(others, name)
	}
	diags := d.finish("kinds", "", "")
	if len(others) > 0 {
		diags.AddAttributeWarning(first, "No rule on "+few(others),
			fmt.Sprintf("The policy %s has no rule on %s, so their versions are not judged. It knows %s.\n\n"+
				"To repair: add rules for them in a versionskew_policy, or remove them from components.", p.Name, named(others), strings.Join(known, ", ")))
	}
	return diags
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
