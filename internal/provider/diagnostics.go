// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
)

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
	if more := d.more[diag.SeverityError]; len(more) > 0 {
		all := report.More("errors", maxShown, more, by)
		all.Remedy += repair + hint
		d.diags.Append(errorAt(path.Empty(), all))
	}
	if more := d.more[diag.SeverityWarning]; len(more) > 0 {
		all := report.More("warnings", maxShown, more, by)
		all.Remedy += repair
		d.diags.Append(warningAt(path.Empty(), all))
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

// problemDiagnostics turns problems into diagnostics, each at its first location. It leaves
// out findings of severity info. The note of a finding is added to the detail, and the hint
// to each error. The last line of the detail is always the rule.
func problemDiagnostics(problems []finding.Problem, enforcementLevel string, note func(finding.Finding) string, hint string) diag.Diagnostics {
	var d limitedDiagnostics
	for _, p := range problems {
		f, at := p.Findings[0], pathOf(p.Locations()[0])
		rules := strings.Join(p.RuleIDs(), " and ")
		switch {
		case f.IsUnwaivedError() && enforcementLevel != advisory:
			d.add(rules, diag.SeverityError, func() diag.Diagnostic { return errorAt(at, report.Diagnostic(p, note(f), hint)) })
		case f.Severity != policy.SeverityInfo:
			d.add(rules, diag.SeverityWarning, func() diag.Diagnostic {
				described := report.Diagnostic(p, note(f))
				if f.WaivedBy != nil {
					described.Summary = "Waived: " + described.Summary
				}
				return warningAt(at, described)
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
func waiverDiagnostics(in *input, unmatched []string) diag.Diagnostics {
	if len(in.Waivers) == 0 {
		return nil // without naming all locations
	}
	known := map[string]bool{}
	for _, p := range in.Cluster.Places {
		known[p.Location.String()] = true
	}
	for name := range in.Cluster.Webhooks {
		known[finding.AtKey(finding.AdmissionWebhooks, name).String()] = true
	}
	var d limitedDiagnostics
	for _, w := range in.Waivers {
		at := path.Root("waivers").AtMapKey(w.Name)
		_, isUnmatched := slices.BinarySearch(unmatched, w.Name)
		isUnknown := func(l string) bool { return !known[l] }
		switch {
		case w.ExpiredOn(in.Day):
			d.add("Waiver expired", diag.SeverityWarning, func() diag.Diagnostic { return warningAt(at, report.ExpiredWaiver(w)) })
		case isUnmatched && len(in.unknown) == 0:
			kind := "Waiver does not match any finding"
			if slices.ContainsFunc(w.Locations, isUnknown) {
				kind = "Waiver names unknown location"
			}
			d.add(kind, diag.SeverityWarning, func() diag.Diagnostic { return warningAt(at, report.UnmatchedWaiver(w, known)) })
		}
	}
	return d.finish("kind", "", "")
}

// uncheckedDiagnostics warns of components without rules, of lists of offered versions
// without any element, and of a control plane whose step is not checked.
func uncheckedDiagnostics(in *input) (diags diag.Diagnostics) {
	diags.Append(otherComponentDiagnostics(in.Policy, in.Cluster)...)
	for _, name := range in.empty {
		diags.Append(warningAt(path.Root(name), report.EmptyList(name)))
	}
	if in.withoutStart {
		diags.Append(warningAt(path.Root("observed"), report.WithoutStart()))
	}
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
				return warningAt(pathOf(place.Location), report.MisspelledComponent(p, place.Location, meant))
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
		diags.Append(warningAt(pathOf(at), report.WithoutRules(p, others, at)))
	}
	return diags
}

// errorAt returns an error at a path. If the path is empty, it is about everything.
func errorAt(at path.Path, d report.Description) diag.Diagnostic {
	return located(at, diag.NewErrorDiagnostic(d.Summary, d.Detail()))
}

// warningAt is errorAt for a warning.
func warningAt(at path.Path, d report.Description) diag.Diagnostic {
	return located(at, diag.NewWarningDiagnostic(d.Summary, d.Detail()))
}

func located(at path.Path, d diag.Diagnostic) diag.Diagnostic {
	if len(at.Steps()) == 0 {
		return d
	}
	return diag.WithPath(at, d)
}
