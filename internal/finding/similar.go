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
			key.places, key.terms = p.places(), p.terms()
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

// places writes the locations of a problem on both sides.
func (p Problem) places() string {
	var b strings.Builder
	for _, side := range [][]Location{p.Locations(), p.References()} {
		for _, l := range side {
			fmt.Fprintf(&b, "%s\x00%s\x00%d\x00", l.Attribute, l.Key, l.Index)
		}
		b.WriteByte('\x01')
	}
	return b.String()
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
	all := []string{
		strconv.Itoa(int(m.Relation)), limits(m.Limits),
		strconv.FormatBool(m.Rule.Scope == policy.ScopeNode), strconv.FormatBool(m.Local), strconv.FormatBool(m.DuringUpgrade),
	}
	if c := m.Condition; c != nil {
		all = append(all, c.Subject.String(), c.Reference.String())
	}
	if q := m.Rule.Requirement; q != nil {
		all = append(all, q.When.String(), q.Require.String())
	}
	return strings.Join(all, "/")
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
	all := []string{limits(r.Limits), limit(r.MaxOlderDuringUpgrade), fmt.Sprint(r.ComparesPatch()), string(r.Scope)}
	for _, c := range r.Conditions {
		all = append(all, c.Subject.String(), c.Reference.String(), limits(c.Limits))
	}
	if q := r.Requirement; q != nil {
		all = append(all, q.When.String(), q.Require.String())
	}
	return strings.Join(all, "/")
}

func limits(l policy.Limits) string { return limit(l.MaxNewer) + "/" + limit(l.MaxOlder) }

func limit(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}
