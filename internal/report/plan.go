// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// StageNotes lists what users have to know before a stage, in sentences.
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

// MoveNotes lists what users have to know before a move of a step, in sentences.
func MoveNotes(m step.Ordered) []string {
	return append(emulationNotes([]version.Version{m.From}, m.To), m.Notes...)
}

// emulationNotes says how the emulated version changes when API servers move. The
// versions of a stage are those of the binary.
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

// stageSubject names what a stage changes.
func stageSubject(s upgrade.Stage) string {
	switch {
	case s.Locations[0].Attribute == finding.ControlPlaneVersion:
		return "control plane"
	case s.Locations[0].Attribute == finding.KubeProxy:
		return "cluster-wide kube-proxy"
	case s.Kind == upgrade.KindClients:
		return Locations(s.Locations)
	}
	names := each(s.Locations, func(l finding.Location) string { return cmp.Or(l.Key, l.String()) })
	return fmt.Sprintf("%s of %s", list(s.Components), list(names))
}

// PlanMarkdown formats a plan as a page for reviewers: the verdict, what blocks it or what
// it repairs first, and the stages. Details are folded away.
func PlanMarkdown(r upgrade.Request, p evaluation.Planned) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s to %s: %s\n\n", planVerb(r), r.Target, planVerdict(p.Plan))
	switch named := link(r.Policy.Name, r.Policy.Source); {
	case !p.Feasible && len(p.Stages) > 0:
		fmt.Fprintf(&b, "%s The plan goes as far as the policy %s allows. Complete one stage before you start the next.\n", iconOf(policy.SeverityWarning), named)
	case !p.Feasible:
		fmt.Fprintf(&b, "%s No plan reaches this version under the policy %s.\n", iconOf(policy.SeverityError), named)
	case len(p.Stages) > 0:
		fmt.Fprintf(&b, "%s The policy %s allows every combination of versions on the way. Complete one stage before you start the next.%s\n", iconOK, named, staysBehind(r, p.After(len(p.Stages))))
	default:
		fmt.Fprintf(&b, "%s Nothing has to change.\n", iconOK)
	}
	writeProblems(&b, r.Policy, p.Problems)
	if len(p.Stages) > 0 {
		b.WriteString("\n")
		stageTable(&b, p.Plan)
	}
	return b.String()
}

// planVerb says in which direction a plan goes.
func planVerb(r upgrade.Request) string {
	if r.RollsBack() {
		return "Roll back"
	}
	return "Upgrade"
}

// staysBehind is a sentence, after a space, about the node pools that are not at the target
// after the last stage, because they are held or limited or do not have to move. It is
// empty without any.
func staysBehind(r upgrade.Request, end skew.Cluster) string {
	var pools []string
	for _, place := range end.Places {
		behind := func(in skew.Instance) bool { return !in.Version.IsZero() && in.Version.Minor() != r.Target.Minor() }
		if i := slices.IndexFunc(place.Instances, behind); i >= 0 && place.Location.Attribute == finding.NodePools {
			pools = append(pools, fmt.Sprintf("%s at %s", place.Location.Key, place.Instances[i].Version))
		}
	}
	if len(pools) == 0 {
		return ""
	}
	return fmt.Sprintf(" The plan leaves %s.", text(list(pools)))
}

// stageTable writes the stages of a plan as a table, followed by their notes.
func stageTable(b *strings.Builder, p upgrade.Plan) {
	var notes numberedNotes
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
		row := []string{fmt.Sprint(i + 1), cell(stageSubject(s)), cell(list(Strings(s.From))), cell(s.To.String()), drain, notes.numbers(StageNotes(s))}
		if applies {
			row = append(row, fmt.Sprint(s.Apply))
		}
		return row
	})
	if len(notes) == 0 && !applies {
		return
	}
	folded(b, "Notes", func() {
		if applies {
			b.WriteString("If a module upgrades the control plane before the node pools, a single apply can complete all stages with the same number in the Apply column.\n\n")
		}
		notes.write(b)
	})
}

func planVerdict(p upgrade.Plan) string {
	switch {
	case !p.Feasible && len(p.Next.Places) == 0:
		return "not possible"
	case !p.Feasible:
		return fmt.Sprintf("stopped by %s after %s", whatStops(p), count(len(p.Stages), "stage"))
	case len(p.Stages) == 0:
		return "nothing to do"
	}
	return fmt.Sprintf("%s, %s, %s", count(len(p.Stages), "stage"), count(p.ControlPlaneSteps, "control-plane step"), count(p.NodePoolRollouts, "node pool rollout"))
}

// Mermaid returns a flowchart of a plan in the syntax of https://mermaid.js.org,
// without a code fence.
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
		moves := fmt.Sprintf("%s to %s", list(Strings(s.From)), s.To)
		label := fmt.Sprintf("%d. %s<br/>%s", i+1, diagramEscapes.Replace(stageSubject(s)), diagramEscapes.Replace(moves))
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

// diagramEscapes keeps names chosen by users from being read as markup in a label.
// It uses the entity codes of Mermaid.
var diagramEscapes = strings.NewReplacer(`"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;", "`", "#96;", "\n", " ", "\r", " ", ";", "#59;")

// describeHeld describes what stops a plan because the plan does not move it: held node
// pools, or components.
func describeHeld(p finding.Problem, c *finding.Held) Description {
	next := finding.Problem{Findings: slices.Clone(p.Findings)}
	for i, f := range p.Findings {
		if held, ok := f.Cause.(*finding.Held); ok {
			next.Findings[i].Cause = held.Next
		}
	}
	stops := "the control plane at " + c.Reached.String()
	otherwise := fmt.Sprintf(", or set target_version to %s", c.Reached.Minor())
	if c.Reached.Minor() == c.Target.Minor() {
		stops, otherwise = "the plan before everything is at "+c.Target.String(), ""
	}
	fixed := heldSides(p)
	locations := fixed.locations()
	where, allowed := Locations(locations), "a version that satisfies "+c.Allowed.Constraint()
	pools := list(each(locations, func(l finding.Location) string { return strconv.Quote(l.Key) }))
	var d Description
	switch violated := describeMismatch(next, c.Next).Message; {
	case locations[0].Attribute != finding.NodePools:
		d = Description{
			fmt.Sprintf("%s stops %s", fixed.what(), stops),
			sentences(violated, "A plan does not move components."),
			fmt.Sprintf("Change %s to %s%s.", where, allowed, otherwise),
		}
		if c.Allowed.Constraint() == (finding.Window{Empty: true}).Constraint() {
			d.Remedy = fmt.Sprintf("Change %s%s. No version of it is allowed here as long as the others stay as they are.", where, otherwise)
		}
	case c.Limit.IsZero():
		d = Description{
			fmt.Sprintf("%s %s", form(len(locations), "A held node pool stops", "Held node pools stop"), stops),
			sentences(fmt.Sprintf("held_node_pools keeps %s at %s.", where, fixed.what()), violated),
			fmt.Sprintf("Remove %s from held_node_pools%s.", pools, otherwise),
		}
	default:
		if c.Allowed.Minimum != nil && c.Allowed.FullyAllowed == nil {
			allowed = c.Allowed.Show(c.Allowed.Minimum) + " or later"
		}
		d = Description{
			fmt.Sprintf("%s limited to %s %s %s", form(len(locations), "A node pool", "Node pools"), c.Limit, form(len(locations), "stops", "stop"), stops),
			sentences(fmt.Sprintf("max_node_pool_versions limits %s to %s.", where, c.Limit), violated),
			fmt.Sprintf("Raise the limit of %s in max_node_pool_versions to %s%s.", pools, allowed, otherwise),
		}
	}
	if c.Rollouts >= 0 {
		d.Remedy += fmt.Sprintf(" Reaching %s takes %s.", c.Target, count(c.Rollouts, "more node pool rollout"))
	}
	return d
}

// whatStops names what keeps a plan with stages from its target: held or limited node
// pools, components or, if the stages only leave violations that exist already, these.
func whatStops(p upgrade.Plan) string {
	var what []string
	for _, f := range p.Findings {
		held, ok := f.Cause.(*finding.Held)
		switch {
		case !ok:
		case held.Stops.Locations[0].Attribute != finding.NodePools:
			what = append(what, "components")
		case held.Limit.IsZero():
			what = append(what, "held node pools")
		default:
			what = append(what, "limited node pools")
		}
	}
	if len(what) == 0 {
		return "existing violations"
	}
	slices.Sort(what)
	slices.Reverse(what) // node pools first
	return listAll(slices.Compact(what))
}

// heldSides returns what a plan does not move, of each finding of a problem.
func heldSides(p finding.Problem) sides {
	var all sides
	for _, f := range p.Findings {
		if held, ok := f.Cause.(*finding.Held); ok {
			all = append(all, held.Stops)
		}
	}
	return all
}

// NotReached warns of a plan that does not reach its target, because the configuration may
// not check feasible.
func NotReached(r upgrade.Request, p evaluation.Planned) Description {
	problems := p.Problems
	d := Description{Summary: fmt.Sprintf("No upgrade path to %s", r.Target)}
	if len(problems) > 0 {
		d.Summary += ": " + DescribeProblem(problems[0]).Summary
	}
	why := []string{"next is null, so arguments that are wired to it fail and nothing is upgraded."}
	if len(p.Next.Places) > 0 {
		where := ""
		if i := slices.IndexFunc(problems, func(p finding.Problem) bool { return len(heldSides(p)) > 0 }); i >= 0 {
			where = places(problems[i])
		}
		stops := whatStops(p.Plan)
		d.Summary = summary(fmt.Sprintf("%s keep the cluster from reaching %s", capitalized(stops), r.Target), where, "")
		why = []string{fmt.Sprintf("The stages and next go as far as the %s allow.", stops)}
	}
	for i, problem := range problems {
		described := Diagnostic(problem)
		if i > 0 || len(p.Next.Places) > 0 {
			why = append(why, described.Summary+".")
		}
		why = append(why, described.Message)
	}
	d.Message = strings.Join(why, "\n\n")
	return d
}

// TargetTooFar describes a target that is more minors away than a plan covers.
func TargetTooFar(target, running version.Version, minors int) Description {
	return Description{
		summary(fmt.Sprintf("Target %s is too far from kube-apiserver %s", target, running), "target_version", ""),
		fmt.Sprintf("target_version is %d minor versions away from kube-apiserver %s. A plan covers at most %d.", minors, running, step.MaxPath),
		"Check target_version and the version of the control plane for typos.",
	}
}

// MissingNodePoolName describes a null in place of the name of a node pool.
func MissingNodePoolName(where string) Description {
	return Description{summary("Missing node pool name", where, ""), where + " is null.", "Set it to the name of a node pool, or remove it."}
}

// UnknownNodePool describes the name of a node pool that is not declared.
func UnknownNodePool(where, name string, declared []string) Description {
	return Description{
		summary(fmt.Sprintf("Unknown node pool %q", name), where, suggest.Question(name, declared)),
		fmt.Sprintf("node_pools does not have %q. Declared node pools: %s.", name, cmp.Or(upTo(maxListed, declared), "none")),
		fmt.Sprintf("Change %s to the name of a declared node pool, or remove it.", where),
	}
}
