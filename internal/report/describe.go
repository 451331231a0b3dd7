// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

// Description describes to users what is wrong: a problem of the declared versions, an
// invalid input, or something that is not checked.
type Description struct {
	// Summary says what is wrong and where, with the versions. It is a clause
	// without a full stop.
	Summary string
	// Message gives the locations, the allowed versions and the reason, in
	// sentences.
	Message string
	// Remedy says how to repair the problem, in sentences. "" if nothing has to be said.
	Remedy string
}

// Detail returns the body of a diagnostic without findings.
func (d Description) Detail() string {
	switch {
	case d.Remedy == "":
		return d.Message
	case d.Message == "":
		return toRepair(d.Remedy)
	}
	return d.Message + "\n\n" + toRepair(d.Remedy)
}

func toRepair(remedy string) string { return "To repair: " + lowerFirst(remedy) }

// Describe describes a single finding.
func Describe(f finding.Finding) Description {
	return DescribeProblem(finding.Problem{Findings: []finding.Finding{f}})
}

// DescribeProblem describes findings with the same cause. The linter checks that
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
	case *finding.NotOffered:
		d = describeNotOffered(p, c)
	}
	if stages := repairedBy(p); stages != "" {
		d.Remedy = stages
	}
	d.Summary += fmt.Sprintf(" (%s)", Places(p))
	d.Message = sentences(d.Message, consequences(p))
	return d
}

// repairedBy names the stages of a plan that repair a problem. It returns "" if a part of
// the problem remains.
func repairedBy(p finding.Problem) string {
	var stages []int
	for _, f := range p.Findings {
		if f.RepairedBy == 0 {
			return ""
		}
		stages = append(stages, f.RepairedBy)
	}
	slices.Sort(stages)
	stages = slices.Compact(stages)
	words := make([]string, len(stages))
	for i, n := range stages {
		words[i] = strconv.Itoa(n)
	}
	if len(stages) == 1 {
		return fmt.Sprintf("Stage %s of the plan repairs this.", words[0])
	}
	return fmt.Sprintf("Stages %s of the plan repair this.", listAll(words))
}

// Places names the locations of a problem in the way its summary does.
func Places(p finding.Problem) string { return places(headline(p)) }

// headline lists the locations for the summary. If the problem is between instances
// of one component, it includes both sides.
func headline(p finding.Problem) []finding.Location {
	f := p.Findings[0]
	if held := heldSides(p); len(held) > 0 {
		return held.locations()
	}
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

// Blockers returns one line per problem that blocks a possible move, with its
// remedy.
func Blockers(problems []finding.Problem) []string {
	lines := []string{}
	for _, p := range problems {
		d := DescribeProblem(p)
		lines = append(lines, fmt.Sprintf("%s. %s", d.Summary, cmp.Or(remedyClauses(p, "roll back %s to %s"), d.Remedy)))
	}
	return lines
}

// Diagnostic describes a problem for a diagnostic. The message is its whole body: message,
// waiver, remedy, notes and rules. The last paragraph has a line "Rule ID: URL" for each
// rule, so that programs can read it. The URL is missing if the rule has no source.
func Diagnostic(p finding.Problem, notes ...string) Description {
	f, d := p.Findings[0], DescribeProblem(p)
	paragraphs := []string{d.Message}
	if f.WaivedBy != nil {
		paragraphs = append(paragraphs, waiverSentence(f.WaivedBy))
	}
	paragraphs = append(paragraphs, toRepair(d.Remedy))
	for _, note := range notes {
		if note != "" {
			paragraphs = append(paragraphs, note)
		}
	}
	var rules []string
	for _, r := range p.Rules() {
		line := "Rule " + r.ID
		if r.Source != "" {
			line += ": " + r.Source
		}
		rules = append(rules, line)
	}
	return Description{Summary: d.Summary, Message: strings.Join(append(paragraphs, strings.Join(rules, "\n")), "\n\n")}
}

// ruleLinks links the rules of a problem in Markdown.
func ruleLinks(p finding.Problem) string {
	var links []string
	for _, r := range p.Rules() {
		links = append(links, link(r.ID, r.Source))
	}
	return strings.Join(links, ", ")
}

// consequences counts the violations that follow from a problem.
func consequences(p finding.Problem) string {
	if len(p.Consequences) == 0 {
		return ""
	}
	what, follow := "1 more violation", "follows"
	if n := len(p.Consequences); n > 1 {
		what, follow = fmt.Sprintf("%d more violations", n), "follow"
	}
	return fmt.Sprintf("%s %s from this, because no version is allowed for %s.", what, follow, listOr(finding.Problem{Findings: p.Consequences}.Components()))
}
