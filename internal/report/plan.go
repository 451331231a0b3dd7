package report

import (
	"fmt"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// StageNotes says what to mind in a stage, a sentence each.
func StageNotes(s upgrade.Stage) []string {
	notes := []string{}
	if s.Repairs {
		notes = append(notes, "Repairs what breaks the policy now.")
	}
	if !s.NewestBefore.IsZero() {
		notes = append(notes, fmt.Sprintf("Be on the newest patch of a minor before you leave it: %s is one.", s.NewestBefore))
	}
	for _, n := range s.MoveNotes {
		notes = append(notes, n.Note)
	}
	return notes
}

// what names what a stage moves.
func what(s upgrade.Stage) string {
	switch {
	case s.Locations[0].Attribute == finding.ControlPlaneVersion:
		return "control plane"
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

// change tells the versions of a stage.
func change(s upgrade.Stage) string {
	return fmt.Sprintf("%s to %s", list(stringsOf(s.From)), s.To)
}

// PlanMarkdown writes a plan as a page: the verdict, what is in the way or to be
// repaired, the stages, and their diagram.
func PlanMarkdown(r upgrade.Request, p upgrade.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Upgrade to %s: %s\n\n", r.Target, planVerdict(p))
	fmt.Fprintf(&b, "Planned by the policy %s.\n", link(r.Policy.Name, r.Policy.Source))

	if len(p.Findings) > 0 {
		heading := "What is in the way"
		if p.Feasible {
			heading = "What breaks the policy now"
		}
		fmt.Fprintf(&b, "\n### %s\n\n", heading)
		for _, f := range p.Findings {
			d := Describe(f)
			fmt.Fprintf(&b, "- **%s.** %s %s (%s)\n", text(d.Summary), text(d.Message), text(d.Remedy), link(f.RuleID, f.Source))
		}
	}
	if len(p.Stages) == 0 {
		return b.String()
	}
	b.WriteString("\n### Stages\n\nOne after another; the moves of a stage need no order among themselves.\n\n")
	table(&b, []string{"", "What", "From", "To", "Drain", "Notes"}, len(p.Stages), func(i int) []string {
		s := p.Stages[i]
		drain := ""
		if s.Drain() {
			drain = "yes"
		}
		return []string{fmt.Sprint(i + 1), cell(what(s)), cell(list(stringsOf(s.From))), cell(s.To.String()), drain, cell(strings.Join(StageNotes(s), " "))}
	})
	fmt.Fprintf(&b, "\n```mermaid\n%s```\n", Mermaid(p))
	return b.String()
}

func planVerdict(p upgrade.Plan) string {
	switch {
	case !p.Feasible:
		return "not possible"
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
		label := fmt.Sprintf("%d. %s<br/>%s", i+1, diagramText(what(s)), diagramText(change(s)))
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
