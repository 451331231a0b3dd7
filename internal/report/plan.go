// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// StageNotes lists what to know before a stage, a sentence each.
func StageNotes(s upgrade.Stage) []string {
	notes := []string{}
	if s.Repairs {
		notes = append(notes, "Repairs a violation of the policy.")
	}
	if !s.NewestBefore.IsZero() {
		notes = append(notes, fmt.Sprintf("Upgrade to %s, the newest patch of this minor version, first.", s.NewestBefore))
	}
	notes = append(notes, emulationNotes(s.From, s.To)...)
	for _, n := range s.MoveNotes {
		notes = append(notes, n.Note)
	}
	return notes
}

// MoveNotes lists what to know before a move of a step, a sentence each.
func MoveNotes(m upgrade.Move) []string {
	return append(emulationNotes([]version.Version{m.From}, m.To), m.Notes...)
}

// emulationNotes says what becomes of an emulated version when API servers move. The
// versions beside it name the binary.
func emulationNotes(from []version.Version, to version.Version) []string {
	if emulated, ok := to.Emulated(); ok {
		return []string{fmt.Sprintf("Set the emulated version to %s.", emulated)}
	}
	for _, v := range from {
		if emulated, ok := v.Emulated(); ok && !to.IsZero() {
			return []string{fmt.Sprintf("Stop emulating %s.", emulated)}
		}
	}
	return []string{}
}

// subject names what a stage changes.
func subject(s upgrade.Stage) string {
	switch {
	case s.Locations[0].Attribute == finding.ControlPlaneVersion:
		return "control plane"
	case s.Locations[0].Attribute == finding.KubeProxy:
		return "cluster-wide kube-proxy"
	case s.Kind == upgrade.KindClients:
		return Locations(s.Locations)
	}
	return fmt.Sprintf("%s of %s", list(s.Components), names(s.Locations))
}

// names lists locations of maps without the attribute that they share.
func names(locations []finding.Location) string {
	words := make([]string, len(locations))
	for i, l := range locations {
		words[i] = l.Key
		if l.Key == "" {
			words[i] = l.String()
		}
	}
	return list(words)
}

// versions names the versions of a stage, before and after.
func versions(s upgrade.Stage) string {
	return fmt.Sprintf("%s to %s", list(stringsOf(s.From)), s.To)
}

// PlanMarkdown writes a plan as a page: the verdict, what blocks it or is repaired
// first, the stages, and their diagram.
func PlanMarkdown(r upgrade.Request, p upgrade.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Upgrade to %s: %s\n\n", r.Target, planVerdict(p))
	fmt.Fprintf(&b, "Planned with the policy %s.\n", link(r.Policy.Name, r.Policy.Source))

	if len(p.Findings) > 0 {
		heading := "What blocks the way to the target"
		if p.Feasible {
			heading = "What violates the policy now"
		}
		fmt.Fprintf(&b, "\n### %s\n\n", heading)
		for _, problem := range finding.Problems(p.Findings) {
			f, d := problem.Findings[0], DescribeProblem(problem)
			fmt.Fprintf(&b, "- **%s.** %s %s (%s)\n", text(d.Summary), text(d.Message), text(d.Remedy), link(f.RuleID, f.Source))
		}
	}
	if len(p.Stages) == 0 {
		return b.String()
	}
	b.WriteString("\n### Stages\n\nComplete one stage before you start the next. Moves within a stage can run in any order.\n\n")
	stageTable(&b, p)
	fmt.Fprintf(&b, "\n```mermaid\n%s```\n", Mermaid(p))
	return b.String()
}

// stageTable writes the stages of a plan as a table, and their notes, each once,
// below it.
func stageTable(b *strings.Builder, p upgrade.Plan) {
	var notes []string
	header := []string{"Stage", "What", "From", "To", "Drain", "Notes"}
	applies := p.Applies < len(p.Stages)
	if applies {
		header = append(header, "Apply")
	}
	table(b, header, len(p.Stages), func(i int) []string {
		s := p.Stages[i]
		drain := ""
		if s.Drain() {
			drain = "yes"
		}
		var numbers []string
		for _, note := range StageNotes(s) {
			n := slices.Index(notes, note)
			if n < 0 {
				n = len(notes)
				notes = append(notes, note)
			}
			numbers = append(numbers, fmt.Sprint(n+1))
		}
		row := []string{fmt.Sprint(i + 1), cell(subject(s)), cell(list(stringsOf(s.From))), cell(s.To.String()), drain, strings.Join(numbers, ", ")}
		if applies {
			row = append(row, fmt.Sprint(s.Apply))
		}
		return row
	})
	if applies {
		b.WriteString("\nA module whose node pools wait for the control plane can complete stages with the same number in the Apply column in one apply.\n")
	}
	if len(notes) > 0 {
		b.WriteString("\nNotes:\n\n")
	}
	for i, note := range notes {
		fmt.Fprintf(b, "%d. %s\n", i+1, text(note))
	}
}

func planVerdict(p upgrade.Plan) string {
	switch {
	case !p.Feasible && len(p.Next.Places) == 0:
		return "not possible"
	case !p.Feasible:
		return fmt.Sprintf("stopped by held node pools after %s", count(len(p.Stages), "stage"))
	case len(p.Stages) == 0:
		return "nothing to do"
	}
	return fmt.Sprintf("%s, %s, %s", count(len(p.Stages), "stage"), count(p.ControlPlaneSteps, "control-plane step"), count(p.NodePoolRollouts, "node pool rollout"))
}

// Mermaid draws a plan as a flowchart in the language of https://mermaid.js.org,
// without a fence around it.
func Mermaid(p upgrade.Plan) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	if len(p.Stages) == 0 {
		label := "nothing to do"
		if !p.Feasible {
			label = "not possible"
		}
		fmt.Fprintf(&b, "  none([%q])\n", label)
		return b.String()
	}
	for i, s := range p.Stages {
		label := fmt.Sprintf("%d. %s<br/>%s", i+1, diagramText(subject(s)), diagramText(versions(s)))
		if s.Drain() {
			label += "<br/>drain first"
		}
		open, end := "[", "]"
		if s.Kind == upgrade.KindControlPlane {
			open, end = "[[", "]]"
		}
		fmt.Fprintf(&b, "  s%d%s\"%s\"%s\n", i+1, open, label, end)
	}
	for i := 1; i < len(p.Stages); i++ {
		fmt.Fprintf(&b, "  s%d --> s%d\n", i, i+1)
	}
	return b.String()
}

// diagramEscapes keeps what users name from being markup in a label: Mermaid
// has entity codes for that.
var diagramEscapes = strings.NewReplacer(`"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;", "`", "#96;", "\n", " ", "\r", " ", ";", "#59;")

func diagramText(s string) string { return diagramEscapes.Replace(s) }

// describeHeld describes node pools that stop a plan because they are held.
func describeHeld(p finding.Problem, c *finding.Held) Description {
	locations := p.Locations()
	subject := p.Findings[0].Subject
	next := finding.Problem{Findings: []finding.Finding{p.Findings[0]}}
	next.Findings[0].Cause = c.Next
	d := Description{
		Summary: fmt.Sprintf("Held node pools stop the control plane at %s", c.Reached),
		Message: sentences(fmt.Sprintf("held_node_pools keeps %s at %s %s.", Locations(locations), subject.Component, subject.Version), describeMismatch(next, c.Next).Message),
		Remedy:  fmt.Sprintf("Remove %s from held_node_pools, or set target_version to %s.", names(locations), c.Reached.Minor()),
	}
	if c.Rollouts >= 0 {
		d.Remedy = fmt.Sprintf("Remove %s from held_node_pools, or set target_version to %s. Reaching %s takes %s.",
			names(locations), c.Reached.Minor(), c.Target, count(c.Rollouts, "more node pool rollout"))
	}
	return d
}
