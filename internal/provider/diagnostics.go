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

// destroyHint is added to errors of a plan without changes. Before a destroy, both
// CLIs make an ordinary plan, which the provider cannot tell from any other.
const destroyHint = "To destroy instead, run with -refresh=false, which skips the ordinary plan before a destroy."

// maxShown is the largest number of errors, and of warnings, that one source of
// diagnostics shows. Both CLIs take minutes to show thousands.
const maxShown = 100

// limitedDiagnostics collects up to maxShown diagnostics of each severity, and counts
// the others by kind.
type limitedDiagnostics struct {
	diags diag.Diagnostics
	n     map[diag.Severity]int
	more  map[diag.Severity]map[string]int
}

// add adds a diagnostic. It only calls newDiagnostic if the diagnostic is shown.
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

// finish returns the diagnostics. If there are more than are shown, it adds one for each
// severity that counts the others by kind, such as "rule". repair is appended to what
// to do, and hint to an error.
func (d *limitedDiagnostics) finish(by, repair, hint string) diag.Diagnostics {
	detail := func(severity diag.Severity) string {
		var counts []string
		for _, kind := range sortedKeys(d.more[severity]) {
			counts = append(counts, fmt.Sprintf("%s: %d", kind, d.more[severity][kind]))
		}
		return fmt.Sprintf("Only the first %d are shown. Number of the others by %s: %s.\n\n"+
			"To repair: start with those that are shown. Fixing them often fixes others.%s", maxShown, by, strings.Join(counts, ", "), repair)
	}
	if n := d.n[diag.SeverityError] - maxShown; n > 0 {
		d.diags.AddError(fmt.Sprintf("More errors: %d", n), detail(diag.SeverityError)+hint)
	}
	if n := d.n[diag.SeverityWarning] - maxShown; n > 0 {
		d.diags.AddWarning(fmt.Sprintf("More warnings: %d", n), detail(diag.SeverityWarning))
	}
	return d.diags
}

// limited returns at most maxShown diagnostics of each severity. It counts the others by
// their summaries.
func limited(diags diag.Diagnostics) diag.Diagnostics {
	var d limitedDiagnostics
	for _, one := range diags {
		d.add(kindOf(one), one.Severity(), func() diag.Diagnostic { return one })
	}
	return d.finish("kind", "", "")
}

// quotedPattern matches a value in the first line of a diagnostic.
var quotedPattern = regexp.MustCompile(` ?"[^"]*"`)

// kindOf returns the first line of a diagnostic without its place and values.
func kindOf(d diag.Diagnostic) string {
	kind, _, _ := strings.Cut(d.Summary(), " (")
	return quotedPattern.ReplaceAllString(kind, "")
}

// findingDiagnostics turns findings into diagnostics, one for each problem, at its first
// location. It leaves out findings of severity info. The note of a finding is added to
// the detail, and the hint to each error. The last line of the detail is always the
// rule.
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
	return d.finish("rule", " To list all of them, read findings of a versionskew_evaluation data source.", hint)
}

// waiverDiagnostics warns of expired waivers, and of waivers that match no finding. It
// does not warn of the latter while something is unknown, which they may match later.
func waiverDiagnostics(in *input, unmatched []string, day releases.Date) diag.Diagnostics {
	known := map[string]bool{}
	for _, p := range in.cluster.Places {
		known[p.Location.String()] = true
	}
	for name := range in.cluster.Webhooks {
		known[finding.AtKey(finding.AdmissionWebhooks, name).String()] = true
	}
	var d limitedDiagnostics
	for _, w := range in.waivers {
		at := path.Root("waivers").AtMapKey(w.Name)
		_, isUnmatched := slices.BinarySearch(unmatched, w.Name)
		unknown := slices.IndexFunc(w.Locations, func(l string) bool { return !known[l] })
		switch {
		case w.ExpiredOn(day):
			d.add("Waiver expired", diag.SeverityWarning, func() diag.Diagnostic {
				return diag.NewAttributeWarningDiagnostic(at, fmt.Sprintf("Waiver %q expired on %s", w.Name, w.Expires),
					fmt.Sprintf("Waiver %q of rule %s expired on %s and is no longer applied.\n\nTo repair: fix the findings that it covered and remove it, or set expires to a later date.", w.Name, w.RuleID, w.Expires))
			})
		case !isUnmatched || len(in.unknown) > 0:
		case unknown >= 0:
			d.add("Waiver names unknown location", diag.SeverityWarning, func() diag.Diagnostic { return unknownLocation(at, w, unknown, known) })
		default:
			d.add("Waiver does not match any finding", diag.SeverityWarning, func() diag.Diagnostic {
				return diag.NewAttributeWarningDiagnostic(at, fmt.Sprintf("Waiver %q does not match any finding", w.Name),
					fmt.Sprintf("Waiver %q of rule %s does not match any finding.\n\nTo repair: remove it, or correct its rule.", w.Name, w.RuleID))
			})
		}
	}
	return d.finish("kind", "", "")
}

// unknownLocation warns of a waiver that matches no finding and names locations that the
// cluster does not have, the first one at an index.
func unknownLocation(at path.Path, w finding.Waiver, index int, known map[string]bool) diag.Diagnostic {
	names := sortedKeys(known)
	detail := fmt.Sprintf("Waiver %q of rule %s does not match any finding.", w.Name, w.RuleID)
	var questions []string
	for _, l := range w.Locations {
		if known[l] || len(questions) == maxLocations {
			continue
		}
		question := ""
		if meant := meantLocation(l, names); meant != "" {
			question = fmt.Sprintf(" Did you mean %s?", meant)
		}
		questions = append(questions, question)
		detail += fmt.Sprintf(" Unknown location %s.%s", l, question)
	}
	return diag.NewAttributeWarningDiagnostic(at,
		headline(fmt.Sprintf("Waiver %q names unknown location %s", w.Name, w.Locations[index]), fmt.Sprintf("waivers[%q].locations[%d]", w.Name, index), questions[0]),
		detail+"\n\nTo repair: write locations as in a finding, such as node_pools[\"gpu\"], or remove the waiver.")
}

// maxLocations is how many unknown locations of a waiver a diagnostic names.
const maxLocations = 5

// meantLocation guesses which location was meant by one that is misspelled, written with
// other punctuation, or too short or too long. It returns "" if there is no match or
// more than one.
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

// unknownWarning lists the unknown values, which are checked at apply. checked states what
// this plan has checked.
func unknownWarning(unknown []string, undecided []finding.Finding, checked string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(unknown) == 0 {
		return diags
	}
	detail := fmt.Sprintf("These values are known only after apply and are checked then: %s. %s", named(unknown), checked)
	if len(undecided) > 0 {
		var errors []string
		for _, f := range undecided {
			errors = append(errors, fmt.Sprintf("%s: rule %s", report.Describe(f).Summary, f.RuleID))
		}
		detail += fmt.Sprintf("\n\nThese errors are reported at apply, unless a waiver that is not fully known yet accepts them: %s.", named(errors))
	}
	summary := "Not everything could be checked at plan time"
	if checked == nothingChecked {
		summary = "Nothing could be checked at plan time"
	}
	diags.AddWarning(headline(summary, first(unknown), ""), detail)
	return diags
}

// named lists the first maxShown names and counts the others.
func named(all []string) string {
	if more := len(all) - maxShown; more > 0 {
		all = append(slices.Clip(all[:maxShown]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// few lists the first five names and counts the others.
func few(all []string) string {
	if more := len(all) - 5; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:5], ", "), more)
	}
	return strings.Join(all, ", ")
}

// orNone lists names, or returns "none" for an empty list.
func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return named(names)
}

// first returns the first name and counts the others.
func first(all []string) string {
	if more := len(all) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", all[0], more)
	}
	return all[0]
}

// What a plan with unknown values has checked.
const (
	restChecked    = "Everything else has been checked."
	nothingChecked = "Nothing could be checked in this plan."
)

// unsetWarning warns of node pools and instances that do not set any version.
func unsetWarning(unset []string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(unset) > 0 {
		diags.AddWarning(headline("Not checked: no version is set", first(unset), ""),
			fmt.Sprintf("All versions are null, so these are not checked: %s.\n\n"+
				"To repair: set the version that will run, even if the platform chooses it. Otherwise no plan warns you when it falls behind. "+
				"If you did set a version, check the name of its attribute. A node pool takes kubelet and kube_proxy. An instance of control_plane takes version, or one attribute for each component. The CLI silently drops other attributes.", named(unset)))
	}
	return diags
}

// emptyListWarning warns of lists of offered versions without any element.
func emptyListWarning(empty []string) (diags diag.Diagnostics) {
	for _, name := range empty {
		diags.AddAttributeWarning(path.Root(name), fmt.Sprintf("Not checked: %s is empty", name),
			fmt.Sprintf("%s has no elements, so it is not checked whether the platform offers the declared versions.\n\n"+
				"To repair: check the filters and the region of the data source that lists the versions, or remove %s.", name, name))
	}
	return diags
}

// nothingCheckedWarning warns that no rule applies to the declared versions.
func nothingCheckedWarning(c skew.Cluster) diag.Diagnostics {
	var diags diag.Diagnostics
	summary, what := "Nothing is checked: no two versions can be compared", "No rule of the policy compares any two of the versions that are set."
	if !slices.ContainsFunc(c.Places, func(p skew.Place) bool { return len(p.Instances) > 0 }) {
		summary, what = "Nothing is checked: no version is set", "No version is set."
	}
	diags.AddWarning(summary, what+" This plan passes without any check.\n\n"+
		"To repair: set control_plane_version (or control_plane) and node_pools to the versions that this configuration applies.")
	return diags
}

// otherComponentDiagnostics warns of elements of components for which the policy has no
// rule. A name that resembles a known one gets its own warning, because it may be
// misspelled. The others share one.
func otherComponentDiagnostics(p *policy.Policy, c skew.Cluster) diag.Diagnostics {
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
					fmt.Sprintf("Policy %s has no rule for %s, so its versions are not checked.\n\nTo repair: rename it to %s if that is the component that runs.", p.Name, name, meant))
			})
			continue
		}
		if len(others) == 0 {
			at = place.Location
		}
		others = append(others, name)
	}
	diags := d.finish("kind", "", "")
	if len(others) > 0 {
		repair := "add rules or include an add-on pack in a versionskew_policy data source, or remove the versions from components"
		var packs []string
		for _, name := range others {
			packs = append(packs, policy.AddonsFor(name)...)
		}
		slices.Sort(packs)
		if packs = slices.Compact(packs); len(packs) > 0 {
			repair = fmt.Sprintf("include %s in a versionskew_policy data source. Add rules for other components, or remove their versions from components", named(packs))
		}
		diags.AddAttributeWarning(pathOf(at), headline("No rule for "+few(others), at.String(), ""),
			fmt.Sprintf("Policy %s has no rule for %s. These versions are not checked. The policy has rules for %s.\n\n"+
				"To repair: %s.", p.Name, named(others), strings.Join(known, ", "), repair))
	}
	return diags
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
