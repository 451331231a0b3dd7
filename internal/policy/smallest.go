// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"encoding/json"
	"maps"
	"slices"
)

// JSON returns the smallest document that Parse turns into the same policy again: the
// built-in policy that it extends and built-in packs by name, and what differs from
// them. A policy that does not extend a built-in one is complete, as in ResolvedJSON.
func (p *Policy) JSON() string {
	if d, ok := p.smallest(); ok {
		return marshaled(d)
	}
	return p.ResolvedJSON()
}

// ResolvedJSON returns the policy with everything it inherits. Parse turns it into the
// same policy again, also in a release with other built-in policies.
func (p *Policy) ResolvedJSON() string { return marshaled(p.resolved) }

func marshaled(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a bug: every field can be marshaled
	}
	return string(text)
}

// smallest returns the document of JSON. ok is false if the policy does not extend a
// built-in one, or cannot be written as an extension of it: an inherited field can be
// replaced, but not removed.
func (p *Policy) smallest() (own document, ok bool) {
	base, err := Builtin(p.builtin)
	if err != nil {
		return own, false
	}
	own.Extends = p.builtin
	if p == base {
		return own, true
	}
	for _, name := range p.Included {
		if slices.Contains(base.Included, name) {
			continue
		}
		if _, err := Addon(name); err == nil {
			own.Include = append(own.Include, name)
		} else {
			own.Included = p.Included
		}
	}
	from, _ := own.including(base.inherited())
	whole := p.resolved
	own.Name = unlessSame(whole.Name, customName)
	own.Title = unlessSame(whole.Title, from.Title)
	own.Description = unlessSame(whole.Description, from.Description)
	own.Citation = unlessSame(whole.Citation, from.Citation)
	own.VersionScheme = unlessSame(whole.VersionScheme, from.VersionScheme)
	if !slices.Equal(whole.HiddenComponents, from.HiddenComponents) {
		own.HiddenComponents = whole.HiddenComponents
	}
	own.SkewRules = changes(whole.SkewRules, from.SkewRules, (*PairRule).over)
	own.StepRules = changes(whole.StepRules, from.StepRules, (*StepRule).over)
	own.RequirementRules = changes(whole.RequirementRules, from.RequirementRules, (*requirementRule).over)
	own.Advisories = changes(whole.Advisories, from.Advisories, (*Advisory).over)
	own.NotCovered = changes(whole.NotCovered, from.NotCovered, replace)
	own.Releases = changes(whole.Releases, from.Releases, (*Release).over)
	for _, id := range from.ruleIDs() {
		if len(whole.sectionsWith(id)) == 0 {
			own.DisabledRules = append(own.DisabledRules, id)
		}
	}
	again := own.over(from)
	again.BasedOn = p.builtin
	return own, same(&again, &whole)
}

// unlessSame returns a value, or the zero value if it is the inherited one.
func unlessSame[T comparable](value, inherited T) (own T) {
	if value != inherited {
		own = value
	}
	return own
}

// changes returns the rules that overlay needs to turn parents into rules.
func changes[R any](rules, parents map[string]*R, over func(child, parent *R) *R) map[string]*R {
	if rules == nil || parents == nil {
		return rules
	}
	out := map[string]*R{}
	for id, rule := range rules {
		switch parent := parents[id]; {
		case parent == nil:
			out[id] = rule
		case !same(rule, parent):
			out[id] = change(rule, parent, over)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// change returns a rule with as few fields as possible that changes parent to rule. It
// returns the whole rule if there is none.
func change[R any](rule, parent *R, over func(child, parent *R) *R) *R {
	fields := map[string]json.RawMessage{}
	unmarshal(marshaled(rule), &fields)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		less := maps.Clone(fields)
		delete(less, name)
		var child R
		unmarshal(marshaled(less), &child)
		if same(over(&child, parent), rule) {
			fields = less
		}
	}
	var child R
	unmarshal(marshaled(fields), &child)
	return &child
}

// unmarshal decodes what marshaled has encoded.
func unmarshal(text string, into any) {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		panic(err) // a bug: every field can be read back
	}
}
