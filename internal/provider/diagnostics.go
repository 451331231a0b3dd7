// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// maxShown is how many errors, and how many warnings, of one origin are shown.
// Nobody reads more, and both CLIs take minutes to show thousands.
const maxShown = 100

// limitedDiagnostics is the diagnostics of one origin: those beyond maxShown are
// counted by their kind.
type limitedDiagnostics struct {
	diags diag.Diagnostics
	n     map[diag.Severity]int
	more  map[diag.Severity]map[string]int
}

// add adds what is made only if it is shown.
func (d *limitedDiagnostics) add(kind string, severity diag.Severity, newDiagnostic func() diag.Diagnostic) {
	if d.n == nil {
		d.n = map[diag.Severity]int{}
		d.more = map[diag.Severity]map[string]int{diag.SeverityError: {}, diag.SeverityWarning: {}}
	}
	if d.n[severity]++; d.n[severity] > maxShown {
		d.more[severity][kind]++
		return
	}
	d.diags = append(d.diags, newDiagnostic())
}

// finish says how many more there are, in one diagnostic that weighs as much as
// they do; kinds is what they are counted by, and hint what every error ends on.
func (d *limitedDiagnostics) finish(kinds, repair, hint string) diag.Diagnostics {
	detail := func(severity diag.Severity) string {
		var counts []string
		for _, kind := range sortedKeys(d.more[severity]) {
			counts = append(counts, fmt.Sprintf("%s: %d", kind, d.more[severity][kind]))
		}
		return fmt.Sprintf("Only the first %d are shown. The others are of these %s: %s.\n\n"+
			"To repair: begin with those that are shown; the rest often goes with them.%s", maxShown, kinds, strings.Join(counts, ", "), repair)
	}
	if n := d.n[diag.SeverityError] - maxShown; n > 0 {
		d.diags.AddError(fmt.Sprintf("More errors: %d", n), detail(diag.SeverityError)+hint)
	}
	if n := d.n[diag.SeverityWarning] - maxShown; n > 0 {
		d.diags.AddWarning(fmt.Sprintf("More warnings: %d", n), detail(diag.SeverityWarning))
	}
	return d.diags
}

// limited shows what is wrong with a configuration, counted by the summaries.
func limited(diags diag.Diagnostics) diag.Diagnostics {
	var d limitedDiagnostics
	for _, one := range diags {
		d.add(kindOf(one), one.Severity(), func() diag.Diagnostic { return one })
	}
	return d.finish("kinds", "", "")
}

// quotedPattern is a value in the first line of a diagnostic.
var quotedPattern = regexp.MustCompile(` ?"[^"]*"`)

// kindOf is what a diagnostic is counted by: its first line without the place and
// the values.
func kindOf(d diag.Diagnostic) string {
	kind, _, _ := strings.Cut(d.Summary(), " (")
	return quotedPattern.ReplaceAllString(kind, "")
}

// findingDiagnostics turns findings into diagnostics: one for each problem, at the
// first location it is about. What is merely information is no diagnostic. A note is
// added to the detail of each, and the hint to every error; the rule stays the last
// line.
func findingDiagnostics(findings []finding.Finding, enforcementLevel string, note func(finding.Finding) string, hint string) diag.Diagnostics {
	var d limitedDiagnostics
	for _, p := range finding.Problems(findings) {
		f := p.Findings[0]
		at := path.Empty()
		if locations := p.Locations(); len(locations) > 0 {
			at = pathOf(locations[0])
		}
		rules := strings.Join(p.RuleIDs(), " and ")
		switch {
		case f.IsUnwaivedError() && enforcementLevel != advisory:
			d.add(rules, diag.SeverityError, func() diag.Diagnostic {
				return diag.NewAttributeErrorDiagnostic(at, report.DescribeProblem(p).Summary, report.Detail(p, note(f), hint))
			})
		case f.Severity != policy.SeverityInfo:
			d.add(rules, diag.SeverityWarning, func() diag.Diagnostic {
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
			diags.AddAttributeWarning(at, fmt.Sprintf("Waiver %q expired on %s", w.Name, w.Expires),
				fmt.Sprintf("Waiver %q of rule %s expired on %s and is no longer applied.\n\nTo repair: fix what it covered and remove it, or set a later date in expires.", w.Name, w.RuleID, w.Expires))
		case slices.Contains(unmatched, w.Name) && len(in.unknown) == 0:
			diags.Append(unmatchedWaiver(at, w, in.cluster))
		}
	}
	return limited(diags)
}

// unmatchedWaiver warns of a waiver that matches no finding. Where it names a location
// that the cluster does not have, that is why.
func unmatchedWaiver(at path.Path, w finding.Waiver, c skew.Cluster) diag.Diagnostic {
	var known []string
	for _, p := range c.Places {
		known = append(known, p.Location.String())
	}
	for name := range c.Webhooks {
		known = append(known, finding.AtKey(finding.AdmissionWebhooks, name).String())
	}
	slices.Sort(known)
	summary := fmt.Sprintf("Waiver %q does not match any finding", w.Name)
	detail := fmt.Sprintf("Waiver %q of rule %s does not match any finding.", w.Name, w.RuleID)
	repair := "remove it."
	for i, l := range w.Locations {
		if slices.Contains(known, l) {
			continue
		}
		question := ""
		if meant := meantLocation(l, known); meant != "" {
			question = fmt.Sprintf(" Did you mean %s?", meant)
		}
		if repair == "remove it." {
			summary = headline(fmt.Sprintf("Waiver %q names unknown location %s", w.Name, l), fmt.Sprintf("waivers[%q].locations[%d]", w.Name, i), question)
		}
		detail += fmt.Sprintf(" Unknown location %s.%s", l, question)
		repair = "write each location as findings do, such as node_pools[\"gpu\"], or remove the waiver."
	}
	return diag.NewAttributeWarningDiagnostic(at, summary, detail+"\n\nTo repair: "+repair)
}

// meantLocation guesses which location was meant by another spelling: one that is
// misspelled, written with other punctuation, or with more or less around the name.
// It returns "" where none was, or several may have been.
func meantLocation(l string, known []string) string {
	if meant := suggest.Name(l, known); meant != "" {
		return meant
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	var meant []string
	for _, k := range known {
		_, name, _ := strings.Cut(k, "[")
		if written := letters(l); written != "" && (written == letters(k) || written == letters(name) || strings.Contains(l, k)) {
			meant = append(meant, k)
		}
	}
	if len(meant) != 1 {
		return ""
	}
	return meant[0]
}

// unknownWarning says what is checked at apply because it is not known yet, and
// whether anything has been checked by now.
func unknownWarning(unknown []string, undecided []finding.Finding, checked string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(unknown) == 0 {
		return diags
	}
	detail := fmt.Sprintf("Known only after apply, and checked then: %s. %s", named(unknown), checked)
	if len(undecided) > 0 {
		var errors []string
		for _, f := range undecided {
			errors = append(errors, fmt.Sprintf("%s: rule %s", report.Describe(f).Summary, f.RuleID))
		}
		detail += fmt.Sprintf("\n\nWhether a waiver accepts these errors is not known yet, so they are reported at apply unless one does: %s.", named(errors))
	}
	diags.AddWarning(headline("Not everything could be checked at plan time", first(unknown), ""), detail)
	return diags
}

// named lists things, as many as anybody reads.
func named(all []string) string {
	if more := len(all) - maxShown; more > 0 {
		all = append(slices.Clip(all[:maxShown]), fmt.Sprintf("and %d more", more))
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

// orNone joins names, or returns "none" if the list is empty.
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

// What an unknown value leaves to be checked by now.
const (
	restJudged    = "Everything else has been checked."
	nothingJudged = "Nothing could be checked in this plan."
)

// silentWarning names what sets no version.
func silentWarning(silent []string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(silent) > 0 {
		diags.AddWarning(headline("Not checked: no version is set", first(silent), ""),
			fmt.Sprintf("All versions of these are null, so they are not checked: %s.\n\n"+
				"If the platform decides the version, set it to what the platform will run. Otherwise nothing warns you when these fall behind. "+
				"If you did set one, check the name of the attribute: a node pool takes kubelet and kube_proxy, and the CLI drops attributes of an object that the provider does not know.", named(silent)))
	}
	return diags
}

// unjudgedWarning says that there is nothing to judge.
func unjudgedWarning(c skew.Cluster) diag.Diagnostics {
	var diags diag.Diagnostics
	summary, what := "Nothing is checked: no two versions can be compared", "The versions that are set have nothing to be compared with: no rule of the policy relates two of them."
	if !slices.ContainsFunc(c.Places, func(p skew.Place) bool { return len(p.Instances) > 0 }) {
		summary, what = "Nothing is checked: no version is set", "No version is set."
	}
	diags.AddWarning(summary, what+" This plan passes without a check.\n\n"+
		"To repair: set control_plane_version, or control_plane, and node_pools to the versions that this configuration applies.")
	return diags
}

// furtherDiagnostics warns of further components that no rule of the policy names: a
// name that resembles a known one is easily misspelled, and then never checked.
// The others are named together.
func furtherDiagnostics(p *policy.Policy, c skew.Cluster) diag.Diagnostics {
	var d limitedDiagnostics
	known := p.Components()
	var others []string
	var at finding.Location
	seen := map[string]bool{}
	for _, place := range c.Places {
		name := place.Location.Key
		if place.Location.Attribute != finding.Components || seen[name] || slices.Contains(known, name) {
			continue
		}
		seen[name] = true
		if meant := suggest.Name(name, known); meant != "" {
			d.add("Unknown component", diag.SeverityWarning, func() diag.Diagnostic {
				return diag.NewAttributeWarningDiagnostic(pathOf(place.Location), headline(fmt.Sprintf("Unknown component %q", name), place.Location.String(), didYouMean(meant)),
					fmt.Sprintf("The policy %s has no rule on %s, so its versions are not checked.\n\nTo repair: rename it to %s if that is what runs here.", p.Name, name, meant))
			})
			continue
		}
		if len(others) == 0 {
			at = place.Location
		}
		others = append(others, name)
	}
	diags := d.finish("kinds", "", "")
	if len(others) > 0 {
		diags.AddAttributeWarning(pathOf(at), headline("No rule on "+few(others), at.String(), ""),
			fmt.Sprintf("The policy %s has no rule on %s, so their versions are not checked. It knows %s.\n\n"+
				"To repair: add rules for them in a versionskew_policy, or remove them from components.", p.Name, named(others), strings.Join(known, ", ")))
	}
	return diags
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
