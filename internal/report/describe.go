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
	if d.Remedy == "" {
		return d.Message
	}
	return paragraphs(d.Message, toRepair(d.Remedy))
}

func toRepair(remedy string) string { return "To repair: " + lowerFirst(remedy) }

// Describe describes a single finding.
func Describe(f finding.Finding) Description {
	return DescribeProblem(finding.Problem{Findings: []finding.Finding{f}})
}

// DescribeProblem describes findings with the same cause. The linter checks that
// every cause has a case.
func DescribeProblem(p finding.Problem) (d Description) {
	switch c := p.Findings[0].Cause.(type) {
	case *finding.Mismatch:
		d = describeMismatch(p, c)
	case *finding.StepLimit:
		d = describeStepLimit(p, c)
	case *finding.StepOrder:
		d = describeStepOrder(p, c)
	case *finding.ApplyOrder:
		d = describeApplyOrder(p, c)
	case *finding.NotAvailable:
		d = describeNotAvailable(p, c)
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
	d.Summary = summary(d.Summary, places(p), "")
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
	n := len(stages)
	return fmt.Sprintf("%s %s of the plan %s this.", form(n, "Stage", "Stages"), listAll(each(stages, strconv.Itoa)), form(n, "repairs", "repair"))
}

// places names the locations of a problem in its summary: up to two of them, or the first
// one and how many more.
func places(p finding.Problem) string {
	locations := headline(p)
	if len(locations) > 2 {
		return fmt.Sprintf("%s and %d more", locations[0], len(locations)-1)
	}
	return Locations(locations)
}

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
	var locations []finding.Location
	for _, l := range slices.Concat(f.Subject.Locations, f.Reference.Locations, p.Locations(), p.References()) {
		if !slices.Contains(locations, l) {
			locations = append(locations, l)
		}
	}
	return locations
}

// Blockers returns one line per problem that blocks a possible move, with its
// remedy.
func Blockers(problems []finding.Problem) []string {
	return each(problems, func(p finding.Problem) string {
		d := DescribeProblem(p)
		return fmt.Sprintf("%s. %s", d.Summary, cmp.Or(remedyClauses(p, "roll back %s to %s"), d.Remedy))
	})
}

// Diagnostic describes a problem for a diagnostic. The message is its whole body: message,
// waiver, remedy, notes and rules. The last paragraph has a line "Rule ID: URL" for each
// rule, so that programs can read it. The URL is missing if the rule has no source.
func Diagnostic(p finding.Problem, notes ...string) Description {
	d, waived := DescribeProblem(p), ""
	if w := p.Findings[0].WaivedBy; w != nil {
		waived = waiverSentence(w)
	}
	rules := each(p.Rules(), func(r finding.Rule) string {
		if r.Source == "" {
			return "Rule " + r.ID
		}
		return fmt.Sprintf("Rule %s: %s", r.ID, r.Source)
	})
	return Description{
		Summary: d.Summary,
		Message: paragraphs(d.Message, waived, toRepair(d.Remedy), paragraphs(notes...), strings.Join(rules, "\n")),
	}
}

// consequences counts the violations that follow from a problem.
func consequences(p finding.Problem) string {
	n := len(p.Consequences)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s from this, because no version is allowed for %s.",
		count(n, "more violation"), form(n, "follows", "follow"), listOr(finding.Problem{Findings: p.Consequences}.Components()))
}
