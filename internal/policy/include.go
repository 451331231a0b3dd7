// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// AddonPrefix starts the names of the built-in add-on packs.
const AddonPrefix = "addons/"

// including adds the rules of packs to a base. A pack only adds rules and
// advisories: dates and version schemes belong to the policy of a platform.
func (d document) including(base document) (document, []Mistake) {
	var mistakes []Mistake
	out := base
	for i, reference := range d.Include {
		at := []string{"include", fmt.Sprint(i)}
		pack, err := readPack(reference)
		if err != nil {
			mistakes = append(mistakes, out.overridden(at, mistakesUnder(at, err))...)
			continue
		}
		name := cmp.Or(pack.Name, "custom")
		add := func(id string) {
			mistakes = append(mistakes, Mistake{At: at, Text: fmt.Sprintf("rule %q of %s is already defined differently in %s", id, name, cmp.Or(out.Name, "this policy")), Repair: "Rename it, include only one of them, or set the rule in this policy instead"})
		}
		out.SkewRules = added(out.SkewRules, pack.SkewRules, add)
		out.StepRules = added(out.StepRules, pack.StepRules, add)
		out.RequirementRules = added(out.RequirementRules, pack.RequirementRules, add)
		out.Advisories = added(out.Advisories, pack.Advisories, add)
		out.NotCovered = added(out.NotCovered, pack.NotCovered, func(string) {})
		if !slices.Contains(out.Included, name) {
			out.Included = append(slices.Clip(out.Included), name)
		}
	}
	return out, mistakes
}

// overridden replaces the mistakes in a pack at a path that are about rules of the
// document, because a pack cannot change them.
func (d document) overridden(at []string, mistakes []Mistake) []Mistake {
	var out []Mistake
	for _, m := range mistakes {
		if rule := m.At[len(at):]; len(rule) >= 2 && slices.Contains(d.sectionsWith(rule[1]), rule[0]) {
			m = Mistake{
				At: under(at, rule[:2]...), Text: fmt.Sprintf("include only adds rules, and policy %s has this rule already", d.Name),
				Repair: fmt.Sprintf("Set it in %s of the policy that includes this one", rule[0]),
			}
		}
		if len(out) == 0 || !slices.Equal(m.At, out[len(out)-1].At) || m.Text != out[len(out)-1].Text {
			out = append(out, m)
		}
	}
	return out
}

// inherited returns what other policies inherit. They do not list what a built-in policy
// does not cover, because its page does.
func (p *Policy) inherited() document {
	d := p.resolved
	if builtin, err := Builtin(p.builtin); err == nil && builtin == p {
		d.NotCovered = nil
	}
	return d
}

// readPack reads a built-in pack or a policy in JSON. From a policy, it only takes
// the rules that differ from the built-in policy it was made from.
func readPack(reference string) (document, error) {
	if !strings.HasPrefix(strings.TrimSpace(reference), "{") {
		p, err := Addon(reference)
		if err != nil {
			return document{}, err
		}
		return p.resolved, nil
	}
	p, err := Parse(reference)
	if err != nil {
		return document{}, err
	}
	pack := p.resolved
	if base, err := Builtin(p.BasedOn); err == nil {
		pack.SkewRules = without(pack.SkewRules, base.resolved.SkewRules)
		pack.StepRules = without(pack.StepRules, base.resolved.StepRules)
		pack.RequirementRules = without(pack.RequirementRules, base.resolved.RequirementRules)
		pack.Advisories = without(pack.Advisories, base.resolved.Advisories)
	}
	return pack, nil
}

// added merges two sets of rules, and reports the IDs that both define differently.
func added[R any](to, rules map[string]*R, differs func(id string)) map[string]*R {
	if len(rules) == 0 {
		return to
	}
	out := maps.Clone(to)
	if out == nil {
		out = map[string]*R{}
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		if there := out[id]; there != nil && !same(there, rules[id]) {
			differs(id)
			continue
		}
		out[id] = rules[id]
	}
	return out
}

// without returns the rules that are not in another set, or differ there.
func without[R any](rules, other map[string]*R) map[string]*R {
	out := maps.Clone(rules)
	maps.DeleteFunc(out, func(id string, _ *R) bool { return unchanged(rules, other, id) })
	return out
}

// same reports whether two rules have the same JSON. Constraints contain functions,
// which Go cannot compare.
func same[R any](a, b *R) bool {
	if a == b {
		return true
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// Inherits reports whether a rule is unchanged from the built-in policy that this one was
// made from, or from a built-in pack that it includes.
func (p *Policy) Inherits(ruleID string) bool {
	var from []*Policy
	if base, err := Builtin(p.BasedOn); err == nil {
		from = append(from, base)
	}
	return slices.ContainsFunc(append(from, p.BuiltinPacks()...), func(other *Policy) bool {
		own, inherited := p.resolved, other.resolved
		return unchanged(own.SkewRules, inherited.SkewRules, ruleID) || unchanged(own.StepRules, inherited.StepRules, ruleID) ||
			unchanged(own.RequirementRules, inherited.RequirementRules, ruleID) || unchanged(own.Advisories, inherited.Advisories, ruleID)
	})
}

// BuiltinPacks returns the built-in packs that the policy includes.
func (p *Policy) BuiltinPacks() []*Policy {
	var packs []*Policy
	for _, name := range p.Included {
		if pack, err := Addon(name); err == nil {
			packs = append(packs, pack)
		}
	}
	return packs
}

// unchanged reports whether two sets have the same rule with an ID.
func unchanged[R any](rules, other map[string]*R, id string) bool {
	return rules[id] != nil && other[id] != nil && same(rules[id], other[id])
}
