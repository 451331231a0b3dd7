// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// describeApplyOrder describes a combination that only runs because of the order in
// which a configuration applies its changes.
func describeApplyOrder(p finding.Problem, c *finding.ApplyOrder) Description {
	f := p.Findings[0]
	subject, reference, m := f.Subject.Version, f.Reference, c.Intermediate
	names := subjects(p)
	var d Description
	switch m.Relation {
	case finding.Unmet:
		d.Summary = fmt.Sprintf("%s %s %s %s %s, but would run with %s", names, subject, agree(p, "requires", "require"), reference.Component, m.Rule.Requirement.Require, reference.Version)
	case finding.Incomparable:
		d.Summary = fmt.Sprintf("%s %s would run with %s %s", names, subject.Shown(), reference.Component, reference.Version.Shown())
	case finding.Within, finding.TooOld, finding.TooNew:
		d.Summary = tooFar(p, m, true)
	}
	d.Summary += " partway through this apply"

	through := ""
	if c.Through != "" {
		through = fmt.Sprintf("Other rules require %s to move before %s.", c.Through, c.Then.Component)
	}
	run := subjectsOf(p).run(true)
	if step.ApplyOrder(c.Declared) == step.Unordered {
		run = strings.Replace(run, " would run ", " could run ", 1)
	}
	d.Message = sentences(fmt.Sprintf("%s (apply_order = %q), so %s with %s for part of the apply.",
		upperFirst(orderClause(c)), c.Declared, run, referencesOf(p).named()), through, limitSentence(p, m), reasons(p))

	applies := each(c.Applies, movesClause)
	if len(applies) == 1 {
		d.Remedy = fmt.Sprintf("%s in a separate apply first, then apply the rest.", upperFirst(applies[0]))
	} else {
		d.Remedy = fmt.Sprintf("Use %s applies: %s, then apply the rest.", number(len(applies)+1), strings.Join(applies, ", then "))
	}
	if c.Instead != "" {
		d.Remedy += fmt.Sprintf(" If this configuration %s, set apply_order = %q.", instead(c.Instead), c.Instead)
	}
	return d
}

// number writes a small number as a word.
func number(n int) string {
	words := []string{"three", "four", "five", "six", "seven", "eight", "nine"}
	if i := n - 3; i < len(words) {
		return words[i]
	}
	return strconv.Itoa(n)
}

// movesClause asks for the moves of an apply, at most five of them by name.
func movesClause(moves []finding.Move) string {
	type key struct {
		component, to string
		whole         bool
	}
	var merged group.Map[key, finding.Move]
	for _, m := range moves {
		k := key{m.Component, m.To.String(), m.Whole}
		if m.Whole {
			k.component = ""
		}
		move := merged.GetOrCreate(k, func() finding.Move {
			first := m
			first.Locations = nil
			return first
		})
		move.Locations = append(move.Locations, m.Locations...)
	}
	slices.SortStableFunc(merged.All, func(a, b finding.Move) int { return policy.CompareComponents(a.Component, b.Component) })
	return list(each(merged.All, moveClause))
}

// orderClause describes the order in which a configuration applies its changes. It only
// mentions components if one of them moves.
func orderClause(c *finding.ApplyOrder) string {
	isComponent := func(l finding.Location) bool { return l.Attribute == finding.Components }
	others, mixed := "node pools", "control-plane instances and node pools"
	if slices.ContainsFunc(c.First.Locations, isComponent) || slices.ContainsFunc(c.Then.Locations, isComponent) {
		others, mixed = "node pools and components", "control-plane instances, node pools and components"
	}
	switch step.ApplyOrder(c.Declared) {
	case step.NodePoolsFirst:
		return others + " move before the control plane"
	case step.Unordered:
		return mixed + " can move in any order"
	case step.Any, step.ControlPlaneFirst:
	}
	return "the control plane moves before the " + others
}

// instead describes a configuration that should declare another order.
func instead(order string) string {
	if step.ApplyOrder(order) == step.NodePoolsFirst {
		return "applies node pools first"
	}
	return "applies the control plane first"
}

// moveClause asks for a move of all components at some locations, or of one.
func moveClause(m finding.Move) string {
	what := Locations(finding.Distinct(m.Locations))
	if !m.Whole && m.Locations[0].Attribute != finding.ControlPlaneVersion {
		what = fmt.Sprintf("the %s of %s", m.Component, what)
	}
	switch {
	case m.ToUnknown:
		return "move " + what
	case m.To.IsZero():
		return "remove " + what
	case m.From.IsZero():
		return fmt.Sprintf("add %s at %s", what, m.To)
	case m.To.Compare(m.From) > 0:
		return fmt.Sprintf("upgrade %s to %s", what, m.To)
	}
	return fmt.Sprintf("roll back %s to %s", what, m.To)
}
