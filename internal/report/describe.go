// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

// Description is a problem in words.
type Description struct {
	// Summary says what is wrong, with both versions, and where: a clause
	// without a full stop.
	Summary string
	// Message says where it is wrong, what is allowed, and why: sentences.
	Message string
	// Remedy says how to repair it: sentences.
	Remedy string
	// Advice says that no limit is broken.
	Advice bool
}

// Describe puts a finding into words.
func Describe(f finding.Finding) Description {
	return DescribeProblem(finding.Problem{Findings: []finding.Finding{f}})
}

// DescribeProblem puts findings with one cause into words. The linter checks that
// every cause has a case.
func DescribeProblem(p finding.Problem) (d Description) {
	f := p.Findings[0]
	switch c := f.Cause.(type) {
	case *finding.Mismatch:
		d = describeMismatch(p, c)
	case *finding.StepLimit:
		d = describeStepLimit(p, c)
	case *finding.StepOrder:
		d = describeStepOrder(p, c)
	case *finding.ApplyOrder:
		d = describeApplyOrder(p, c)
	case *finding.NotAvailable:
		d = describeNotAvailable(f, c)
	case *finding.Held:
		d = describeHeld(p, c)
	case *finding.EndOfLife:
		d = describeEndOfLife(p, c)
	case *finding.LatestPatch:
		d = describeLatestPatch(p, c)
	case *finding.Prerelease:
		d = describePrerelease(p, c)
	case *finding.Webhook:
		d = describeWebhook(p, c)
	case *finding.NextMinor:
		d = describeNextMinor(p, c)
	case *finding.MinorMove:
		d = describeMinorMove(p, c)
	}
	d.Summary += fmt.Sprintf(" (%s)", Places(p))
	d.Message = sentences(d.Message, consequences(p))
	return d
}

// Places names the locations of a problem as its summary does.
func Places(p finding.Problem) string { return places(headline(p)) }

// headline lists the locations that a headline names: those of both sides where the
// problem is between instances of one component.
func headline(p finding.Problem) []finding.Location {
	f := p.Findings[0]
	if _, ok := f.Cause.(*finding.Mismatch); !ok || f.Subject.Component != f.Reference.Component {
		return p.Locations()
	}
	locations := slices.Clone(f.Subject.Locations)
	for _, l := range append(slices.Clone(f.Reference.Locations), append(p.Locations(), p.References()...)...) {
		if !slices.Contains(locations, l) {
			locations = append(locations, l)
		}
	}
	return locations
}

// Blockers says in a line each what blocks a move that has not been declared yet,
// and how to clear it.
func Blockers(findings []finding.Finding) []string {
	lines := []string{}
	for _, p := range finding.Problems(findings) {
		d := DescribeProblem(p)
		lines = append(lines, fmt.Sprintf("%s. %s", d.Summary, orElse(remedyClauses(p, "roll back %s to %s"), func() string { return d.Remedy })))
	}
	return lines
}

// Detail is the body of a diagnostic: message, waiver, remedy, notes, and the rule.
// Its last line is always "Rule ID: URL", without the URL where the rule names no
// source, so that programs can read it.
func Detail(p finding.Problem, notes ...string) string {
	f, d := p.Findings[0], DescribeProblem(p)
	label := "To repair"
	if d.Advice {
		label = "What to do"
	}
	paragraphs := []string{d.Message}
	if f.WaivedBy != nil {
		paragraphs = append(paragraphs, waiverSentence(f.WaivedBy))
	}
	paragraphs = append(paragraphs, label+": "+lowerFirst(d.Remedy))
	for _, note := range notes {
		if note != "" {
			paragraphs = append(paragraphs, note)
		}
	}
	rule := "Rule " + f.RuleID
	if f.Source != "" {
		rule += ": " + f.Source
	}
	return strings.Join(append(paragraphs, rule), "\n\n")
}

// waiverSentence says why a finding is accepted, and until when.
func waiverSentence(w *finding.Waiver) string {
	until := ""
	if !w.Expires.IsZero() {
		until = " until " + w.Expires.String()
	}
	return fmt.Sprintf("Waived%s by %q: %s", until, w.Name, w.Reason)
}

// consequences counts what follows from a problem.
func consequences(p finding.Problem) string {
	if len(p.Consequences) == 0 {
		return ""
	}
	var components []string
	seen := map[string]bool{}
	for _, f := range p.Consequences {
		if !seen[f.Subject.Component] {
			seen[f.Subject.Component] = true
			components = append(components, f.Subject.Component)
		}
	}
	what, follow := "1 more violation", "follows"
	if n := len(p.Consequences); n > 1 {
		what, follow = fmt.Sprintf("%d more violations", n), "follow"
	}
	return fmt.Sprintf("%s %s from this, because no version is allowed beside all of these: %s.", what, follow, listAll(components))
}
