// SPDX-License-Identifier: MPL-2.0

package finding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

// mergeSimilar merges problems that only differ in the rule and the component, such as
// those of the controllers of one control-plane instance. They have the same cause and
// the same remedy.
func mergeSimilar(problems []Problem) []Problem {
	type similar struct {
		problemKey
		places, terms string
	}
	keys := make([]problemKey, len(problems))
	count := make(map[problemKey]int, len(problems))
	for i, p := range problems {
		keys[i] = p.Findings[0].problemKey()
		keys[i].rule, keys[i].component, keys[i].move = "", "", ""
		count[keys[i]]++
	}
	var joined group.Map[similar, []Problem]
	for i, p := range problems {
		key := similar{problemKey: keys[i]}
		if count[keys[i]] > 1 {
			key.places, key.terms = fmt.Sprint(p.Locations(), p.References()), p.terms()
		}
		parts := joined.GetOrCreate(key, func() []Problem { return nil })
		*parts = append(*parts, p)
	}
	all := make([]Problem, len(joined.All))
	for i, parts := range joined.All {
		if all[i] = parts[0]; len(parts) == 1 {
			continue
		}
		slices.SortStableFunc(parts, func(a, b Problem) int {
			return policy.CompareComponents(a.Findings[0].Subject.Component, b.Findings[0].Subject.Component)
		})
		all[i].Findings = nil
		for _, p := range parts {
			all[i].Findings = append(all[i].Findings, p.Findings...)
		}
	}
	return all
}

// terms describes what the rules of a problem require, regardless of the component.
func (p Problem) terms() string {
	var all []string
	for _, f := range p.Findings {
		all = append(all, f.Cause.terms(f))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "\x00")
}

// exact describes the versions of a finding, for causes that depend on patches.
func (f Finding) exact() string {
	return fmt.Sprint(f.Subject.Version, f.Subject.Locations, f.Reference.Version)
}

// allowed describes the versions that a finding allows.
func (f Finding) allowed() string {
	allowed := f.Allowed.Constraint()
	for _, m := range f.Allowed.Except {
		allowed += " except " + m.String()
	}
	return allowed
}

func (m *Mismatch) terms(f Finding) string {
	if m.Rule.ComparesPatch() {
		return f.exact() + f.allowed() + m.limits()
	}
	return f.allowed() + m.limits()
}

func (c *StepLimit) terms(f Finding) string {
	if c.Patch {
		return f.exact()
	}
	return fmt.Sprint(f.allowed(), limit(c.Limits.MaxUpgrade), limit(c.Limits.MaxDowngrade), limit(c.Rule.MaxDowngradeTotal), c.Comparable, c.Back, c.InTotal, c.Through)
}

func (c *StepOrder) terms(f Finding) string {
	terms := ruleTerms(c.Rule) + f.allowed()
	if c.FromSubject.Minor() == f.Subject.Version.Minor() || c.FromReference.Minor() == f.Reference.Version.Minor() {
		return fmt.Sprint(terms, f.exact(), c.FromSubject, c.FromReference) // a patch makes the difference
	}
	return terms
}

func (c *ApplyOrder) terms(f Finding) string {
	allowed := f.allowed()
	if c.Intermediate.Rule.ComparesPatch() {
		allowed += f.exact()
	}
	return fmt.Sprint(allowed, c.Intermediate.limits(), c.Declared, c.Instead, c.Then.terms(), c.Then.Locations, c.Through)
}

func (c *Held) terms(f Finding) string {
	return fmt.Sprint(f.allowed(), c.Next.limits(), c.Reached, c.Target, c.Rollouts)
}

func (c *EndOfLife) terms(f Finding) string {
	return fmt.Sprint(f.Subject.Version.Binary().Minor(), *c)
}

func (c *NextMinor) terms(f Finding) string { return f.allowed() + c.Reason }
func (c *MinorMove) terms(Finding) string   { return c.Note }
func (*Webhook) terms(Finding) string       { return "" }
func (*LatestPatch) terms(f Finding) string { return f.exact() }
func (*Prerelease) terms(f Finding) string  { return f.exact() }
func (*NotOffered) terms(f Finding) string  { return f.exact() }

func (c *NotAvailable) terms(f Finding) string { return fmt.Sprint(f.Subject.Component, c.NodePools) }

// limits describes what the rule of a mismatch requires.
func (m *Mismatch) limits() string {
	terms := fmt.Sprintf("%d/%s/%t/%t/%t", m.Relation, limits(m.Limits), m.Rule.Scope == policy.ScopeNode, m.Local, m.DuringUpgrade)
	if c := m.Condition; c != nil {
		terms += fmt.Sprintf("/%s/%s", c.Subject, c.Reference)
	}
	return terms + requirement(m.Rule)
}

func (m Move) terms() string {
	component := m.Component
	if m.Whole {
		component = ""
	}
	return fmt.Sprint(component, m.From, m.To, m.ToUnknown)
}

// ruleTerms describes what a rule requires, regardless of the component.
func ruleTerms(r *policy.PairRule) string {
	terms := fmt.Sprintf("%s/%s/%t/%s", limits(r.Limits), limit(r.MaxOlderDuringUpgrade), r.ComparesPatch(), r.Scope)
	for _, c := range r.Conditions {
		terms += fmt.Sprintf("/%s/%s/%s", c.Subject, c.Reference, limits(c.Limits))
	}
	return terms + requirement(r)
}

func requirement(r *policy.PairRule) string {
	if r.Requirement == nil {
		return ""
	}
	return fmt.Sprintf("/%s/%s", r.Requirement.When, r.Requirement.Require)
}

func limits(l policy.Limits) string { return limit(l.MaxNewer) + "/" + limit(l.MaxOlder) }

func limit(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}
