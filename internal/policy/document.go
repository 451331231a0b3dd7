// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// MaxLimit is the largest limit in a policy, in minors. Larger ones are most likely
// mistakes, and the bound keeps lists of allowed versions short.
const MaxLimit = 100

// MaxName is the largest number of characters of a rule ID or the name of a component.
const MaxName = 200

// IsTooLong reports whether a name has more than MaxName characters.
func IsTooLong(name string) bool { return utf8.RuneCountInString(name) > MaxName }

// document is a policy in YAML or JSON. If it extends another policy, a rule with the
// ID of an inherited rule overrides the fields that it sets. Null and missing fields
// are inherited.
type document struct {
	Schema      string `json:"$schema,omitempty"` // only for editors
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Citation
	Extends          string                      `json:"extends,omitempty"`  // built-in policy
	BasedOn          string                      `json:"based_on,omitempty"` // the policy that this one was made from; informational
	SkewRules        map[string]*PairRule        `json:"skew_rules,omitempty"`
	StepRules        map[string]*StepRule        `json:"step_rules,omitempty"`
	RequirementRules map[string]*requirementRule `json:"requirement_rules,omitempty"`
	Advisories       map[string]*Advisory        `json:"advisories,omitempty"`
	NotCovered       map[string]*NotCovered      `json:"not_covered,omitempty"`
	DisabledRules    []string                    `json:"disabled_rules,omitempty"`
	VersionScheme    string                      `json:"version_scheme,omitempty"`
	HiddenComponents []string                    `json:"hidden_components,omitzero"`
	Include          []string                    `json:"include,omitempty"`  // add-on packs: built-in ones by name, others as JSON
	Included         []string                    `json:"included,omitempty"` // packs whose rules the policy contains; informational
	// Releases are the dates of the platform. If the map is empty, no dates are
	// known. If it is missing, the upstream dates apply.
	Releases map[string]*Release `json:"releases,omitzero"`
}

type requirementRule struct {
	When    *componentVersions `json:"when,omitempty"` // nil if the rule always holds
	Require componentVersions  `json:"require,omitzero"`
	Notes
}

type componentVersions struct {
	Component string             `json:"component,omitempty"`
	Version   version.Constraint `json:"version,omitzero"`
}

// customName is the name of a policy that does not set one.
const customName = "custom"

// over applies the document to a base, to which the packs that the document
// includes have already been added.
func (d document) over(base document) document {
	out := base
	out.BasedOn = base.Name
	out.Name = cmp.Or(d.Name, customName)
	out.Title = cmp.Or(d.Title, base.Title)
	out.Description = cmp.Or(d.Description, base.Description)
	out.Citation = cmp.Or(d.Citation, base.Citation)
	out.VersionScheme = cmp.Or(d.VersionScheme, base.VersionScheme)
	if d.HiddenComponents != nil {
		out.HiddenComponents = d.HiddenComponents
	}
	out.SkewRules = overlay(base.SkewRules, d.SkewRules, (*PairRule).over)
	out.StepRules = overlay(base.StepRules, d.StepRules, (*StepRule).over)
	out.RequirementRules = overlay(base.RequirementRules, d.RequirementRules, (*requirementRule).over)
	out.Advisories = overlay(base.Advisories, d.Advisories, (*Advisory).over)
	out.NotCovered = overlay(base.NotCovered, d.NotCovered, replace)
	out.Releases = overlay(base.Releases, d.Releases, (*Release).over)
	out.Included = slices.Clip(d.Included)
	for _, name := range base.Included {
		if !slices.Contains(d.Included, name) {
			out.Included = append(out.Included, name)
		}
	}
	for _, id := range d.DisabledRules {
		delete(out.SkewRules, id)
		delete(out.StepRules, id)
		delete(out.RequirementRules, id)
		delete(out.Advisories, id)
	}
	return out
}

// replace is the over function of what is inherited as a whole.
func replace[R any](child, _ *R) *R { return child }

// overlay merges two sets of rules. A rule in both sets is the child applied to the
// parent.
func overlay[R any](parents, children map[string]*R, over func(child, parent *R) *R) map[string]*R {
	out := maps.Clone(parents)
	if out == nil && children != nil {
		out = map[string]*R{}
	}
	for id, child := range children {
		if parent := parents[id]; parent != nil {
			child = over(child, parent)
		}
		out[id] = child
	}
	return out
}

// inherit returns a rule with the fields that child sets, and otherwise those of its parent.
// Notes have rules of their own: see Notes.over.
func inherit[R any](child, parent *R) R {
	out := *child
	inheritFields(reflect.ValueOf(&out).Elem(), reflect.ValueOf(parent).Elem())
	return out
}

func inheritFields(to, from reflect.Value) {
	for i := range to.NumField() {
		switch {
		case to.Type().Field(i).Anonymous:
			inheritFields(to.Field(i), from.Field(i))
		case to.Field(i).IsZero():
			to.Field(i).Set(from.Field(i))
		}
	}
}

func (r *PairRule) over(parent *PairRule) *PairRule {
	out := inherit(r, parent)
	out.Notes = r.Notes.over(parent.Notes, changed(r.MaxNewer, parent.MaxNewer), changed(r.MaxOlder, parent.MaxOlder),
		changed(r.ComparePatch, parent.ComparePatch), changed(r.MaxOlderDuringUpgrade, parent.MaxOlderDuringUpgrade), r.Conditions != nil)
	if r.Conditions == nil { // inherited conditions never loosen a limit that is set here
		out.Conditions = tightened(parent.Conditions, func(c *Condition) { c.tighten(inRange(r.MaxNewer), inRange(r.MaxOlder)) })
	}
	return &out
}

func (r *StepRule) over(parent *StepRule) *StepRule {
	out := inherit(r, parent)
	if r.Conditions == nil {
		out.Conditions = tightened(parent.Conditions, func(c *StepCondition) { c.tighten(inRange(r.MaxUpgrade), inRange(r.MaxDowngrade)) })
	}
	back := []bool{
		changed(r.MaxDowngrade, parent.MaxDowngrade), changed(r.MaxDowngradeTotal, parent.MaxDowngradeTotal), changed(r.ComparePatch, parent.ComparePatch),
		r.Conditions != nil,
	}
	if r.Source == "" && slices.Contains(back, true) {
		out.DowngradeReason = r.DowngradeReason
	}
	out.Notes = r.Notes.over(parent.Notes, append(back, changed(r.MaxUpgrade, parent.MaxUpgrade))...)
	return &out
}

func (r *requirementRule) over(parent *requirementRule) *requirementRule {
	out := *parent
	var whenChanged, requireChanged bool
	if r.When != nil {
		when := componentVersions{}
		if parent.When != nil {
			when = *parent.When
		}
		whenChanged = when.replace(*r.When)
		out.When = &when
	}
	requireChanged = out.Require.replace(r.Require)
	out.Notes = r.Notes.over(parent.Notes, whenChanged, requireChanged)
	return &out
}

// replace replaces the fields that are given, and reports whether the versions change.
func (v *componentVersions) replace(given componentVersions) bool {
	before := v.Version.String()
	v.Component = cmp.Or(given.Component, v.Component)
	if given.Version.String() != "" {
		v.Version = given.Version
	}
	return v.Version.String() != before
}

func (a *Advisory) over(parent *Advisory) *Advisory {
	out := inherit(a, parent)
	out.Notes = a.Notes.over(parent.Notes)
	return &out
}

// over returns the notes of a rule that changes an inherited one. If a limit
// changes and no source is given, the inherited source and reason no longer apply.
func (n Notes) over(parent Notes, limitChanged ...bool) Notes {
	if n.Source == "" && slices.Contains(limitChanged, true) {
		parent = Notes{Severity: parent.Severity}
	}
	out := inherit(&n, &parent)
	out.Citation = cmp.Or(n.Citation, parent.Citation) // as a whole
	return out
}

// changed reports whether a limit is set and differs from the inherited one.
func changed[T comparable](given, inherited *T) bool {
	return given != nil && (inherited == nil || *given != *inherited)
}

// unknownIDs reports IDs of rules to disable or change that do not exist in the base.
// It removes rules that change nothing from the document.
func (d document) unknownIDs(base document) []Mistake {
	known := base.ruleIDs()
	name := "the policy"
	if base.Name != "" {
		name = "policy " + base.Name
	}
	var mistakes []Mistake
	for i, id := range d.DisabledRules {
		switch at, in := []string{"disabled_rules", fmt.Sprint(i)}, d.sectionsWith(id); {
		case IsTooLong(id):
			mistakes = append(mistakes, tooLong(at))
		case len(in) > 0:
			mistakes = append(mistakes, Mistake{At: at, Text: fmt.Sprintf("%q is also in %s", id, in[0]), Repair: "Remove it from one of the two"})
		case !slices.Contains(known, id):
			mistakes = append(mistakes, unknownName(at, fmt.Sprintf("%s has no rule %q to disable", name, id), id, known, "its rules"))
		}
	}
	if base.Name == "" {
		return mistakes // without a base, all rules are new
	}
	// A rule that changes an inherited one needs fewer fields than a new one. If
	// the ID matches no inherited rule, it is probably misspelled.
	misspelled := func(section, id, needs string, own bool) bool {
		at := []string{section, id}
		switch in := base.sectionsWith(id); {
		case slices.Contains(in, section):
			return false
		case len(in) > 0 && own:
			mistakes = append(mistakes, Mistake{At: at, Text: fmt.Sprintf("%s uses this ID in %s", name, in[0]), Repair: "Choose another ID"})
		case len(in) > 0:
			mistakes = append(mistakes, Mistake{At: at, Text: fmt.Sprintf("%s uses this ID in %s", name, in[0]), Repair: "Move it to " + in[0]})
		case own:
			return false
		case section == "advisories":
			mistakes = append(mistakes, unknownName(at, name+" has no advisory with this ID", id, slices.Sorted(maps.Keys(base.Advisories)), "its advisories"))
		default:
			mistakes = append(mistakes, Mistake{at, name + " has no rule with this ID", suggest.Name(id, known), fmt.Sprintf("Correct the ID, or set %s to add a rule", needs)})
		}
		return true
	}
	maps.DeleteFunc(d.SkewRules, func(id string, r *PairRule) bool {
		return misspelled("skew_rules", id, "subject, reference and scope", r.Subject != "" || r.Reference != "" || r.Scope != "")
	})
	maps.DeleteFunc(d.StepRules, func(id string, r *StepRule) bool {
		return misspelled("step_rules", id, "component", r.Component != "")
	})
	maps.DeleteFunc(d.RequirementRules, func(id string, r *requirementRule) bool {
		return misspelled("requirement_rules", id, "require", r.When != nil && r.When.Component != "" || r.Require.Component != "")
	})
	maps.DeleteFunc(d.Advisories, func(id string, a *Advisory) bool {
		return misspelled("advisories", id, "", a.Check != "")
	})
	slices.SortFunc(mistakes, func(a, b Mistake) int { return strings.Compare(a.String(), b.String()) })
	return mistakes
}

// ruleIDs lists the IDs of all rules and advisories in alphabetical order.
func (d document) ruleIDs() []string {
	ids := slices.Sorted(maps.Keys(d.SkewRules))
	ids = slices.AppendSeq(ids, maps.Keys(d.StepRules))
	ids = slices.AppendSeq(ids, maps.Keys(d.RequirementRules))
	ids = slices.AppendSeq(ids, maps.Keys(d.Advisories))
	slices.Sort(ids)
	return ids
}

// sectionsWith lists the sections that contain an ID.
func (d document) sectionsWith(id string) []string {
	var sections []string
	add := func(section string, has bool) {
		if has {
			sections = append(sections, section)
		}
	}
	add("skew_rules", d.SkewRules[id] != nil)
	add("requirement_rules", d.RequirementRules[id] != nil)
	add("step_rules", d.StepRules[id] != nil)
	add("advisories", d.Advisories[id] != nil)
	return sections
}

// compile turns a document with all inherited rules into a policy, and reports all
// mistakes of its rules.
func (d document) compile() (*Policy, []Mistake) {
	var c compiler
	p := &Policy{Name: d.Name, Title: d.Title, Description: d.Description, Citation: d.Citation, BasedOn: d.BasedOn, resolved: d}
	for _, id := range slices.Sorted(maps.Keys(d.SkewRules)) {
		p.PairRules = append(p.PairRules, c.skewRule([]string{"skew_rules", id}, id, d.SkewRules[id]))
	}
	for _, id := range slices.Sorted(maps.Keys(d.RequirementRules)) {
		p.PairRules = append(p.PairRules, c.requirementRule([]string{"requirement_rules", id}, id, d.RequirementRules[id]))
	}
	slices.SortFunc(p.PairRules, func(a, b *PairRule) int { return strings.Compare(a.ID, b.ID) })
	for _, id := range slices.Sorted(maps.Keys(d.StepRules)) {
		p.StepRules = append(p.StepRules, c.stepRule([]string{"step_rules", id}, id, d.StepRules[id]))
	}
	for _, id := range slices.Sorted(maps.Keys(d.Advisories)) {
		p.Advisories = append(p.Advisories, c.advisory([]string{"advisories", id}, id, d.Advisories[id]))
	}
	p.Included, p.HiddenComponents = d.Included, d.HiddenComponents
	for i, name := range d.HiddenComponents {
		c.component([]string{"hidden_components", fmt.Sprint(i)}, name)
	}
	if scheme, known := version.SchemeNamed(d.VersionScheme); known {
		p.Scheme = scheme
	} else if d.VersionScheme != "" {
		unknown(&c, []string{"version_scheme"}, "version scheme", d.VersionScheme, version.SchemeNames())
	}
	p.Releases = c.releases(d.Releases, p.Scheme)
	for _, id := range slices.Sorted(maps.Keys(d.NotCovered)) {
		n := *d.NotCovered[id]
		n.ID = id
		p.NotCovered = append(p.NotCovered, &n)
	}
	for _, id := range d.ruleIDs() {
		// Each ID that is in several sections is in ruleIDs several times.
		if in := d.sectionsWith(id); len(in) > 1 && !slices.ContainsFunc(c.mistakes, func(p Mistake) bool { return slices.Equal(p.At, []string{in[1], id}) }) {
			c.complain([]string{in[1], id}, "this ID is also in "+in[0], "Rename one of the two rules")
		}
	}
	return p, c.mistakes
}

// placedComponents are the components that the instances of a control plane and node
// pools declare, so that they share a node. All others have no node.
var placedComponents = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "cloud-controller-manager", "kubelet", "kube-proxy"}

// knownComponents are the components of Kubernetes, in the order in which texts list
// them. A misspelled component is compared with these names.
var knownComponents = append(slices.Clone(placedComponents), "kubectl", "kubeadm")

// compiler collects mistakes with their paths.
type compiler struct {
	mistakes []Mistake
}

func (c *compiler) complain(at []string, text, repair string) {
	c.mistakes = append(c.mistakes, Mistake{At: at, Text: text, Repair: repair})
}

// unknown reports a value that is not one of the known values.
func unknown[S ~string](c *compiler, at []string, what string, value S, known []S) {
	c.mistakes = append(c.mistakes, Mistake{at, fmt.Sprintf("unknown %s %q", what, value), suggest.Name(string(value), known), "Use one of " + suggest.Quoted(known)})
}

// under appends names to a path.
func under(at []string, names ...string) []string { return slices.Concat(at, names) }

// component reports a component name that is missing, too long or misspelled. It returns
// whether the name is valid.
func (c *compiler) component(at []string, name string) (valid bool) {
	switch {
	case name == "":
		c.complain(at, "missing component name", `Write one such as "kubelet" or "kube-apiserver"`)
		return false
	case IsTooLong(name):
		c.mistakes = append(c.mistakes, tooLong(at))
		return false
	}
	for _, known := range knownComponents {
		if distance := levenshtein.Distance(name, known, nil); distance > 0 && distance <= 2 {
			c.mistakes = append(c.mistakes, Mistake{at, fmt.Sprintf("unknown component %q", name), known, fmt.Sprintf("Write %q, or a name that differs in more than two letters", known)})
			return false
		}
	}
	return true
}

// inRange returns a limit, or nil if it is out of range. An invalid limit is then not
// also reported for the inherited conditions that it would tighten.
func inRange(limit *int) *int {
	if limit != nil && (*limit < 0 || *limit > MaxLimit) {
		return nil
	}
	return limit
}

// scope reports a scope that is missing or unknown, or in which a rule never applies. named
// is true if the names of the components are valid.
func (c *compiler) scope(at []string, r *PairRule, named bool) {
	placed := slices.Contains(placedComponents, r.Subject) && slices.Contains(placedComponents, r.Reference)
	switch {
	case r.Scope == "" && placed:
		c.complain(at, "missing scope", fmt.Sprintf("Set it to %q (every %s), %q (those that %s connects to) or %q (the one on the same node)", ScopeCluster, r.Reference, ScopeEndpoint, r.Subject, ScopeNode))
	case r.Scope == "":
		c.complain(at, "missing scope", fmt.Sprintf("Set it to %q", ScopeCluster))
	case !slices.Contains(Scopes, r.Scope):
		unknown(c, at, "scope", r.Scope, Scopes)
	case r.Scope != ScopeNode || !named:
	case r.Subject == r.Reference:
		c.complain(at, fmt.Sprintf("no node has two versions of %s, so the rule never applies", r.Subject), fmt.Sprintf("Use %q", ScopeCluster))
	case !placed:
		c.complain(at, fmt.Sprintf("no node declares both %s and %s, so the rule never applies", r.Subject, r.Reference),
			fmt.Sprintf("Use %q. Only %s are declared for a node", ScopeCluster, strings.Join(placedComponents, ", ")))
	}
}

// limits reports limits that are out of range. It returns whether any limit is set.
func (c *compiler) limits(at []string, limits map[string]*int) (set bool) {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		n := limits[name]
		set = set || n != nil
		if n != inRange(n) {
			c.outOfRange(under(at, name), "limits", *n, MaxLimit)
		}
	}
	return set
}

func (c *compiler) outOfRange(at []string, what string, n, largest int) {
	c.complain(at, fmt.Sprintf("%d is out of range: %s must be between 0 and %d", n, what, largest), fmt.Sprintf("Use a number from 0 to %d", largest))
}

func (c *compiler) notes(at []string, n *Notes) {
	if n.Severity == "" {
		n.Severity = SeverityError
	}
	if !slices.Contains(Severities, n.Severity) {
		unknown(c, under(at, "severity"), "severity", n.Severity, Severities)
	}
}

func (c *compiler) skewRule(at []string, id string, r *PairRule) *PairRule {
	named := c.component(under(at, "subject"), r.Subject)
	named = c.component(under(at, "reference"), r.Reference) && named
	c.scope(under(at, "scope"), r, named)
	limited := c.limits(at, map[string]*int{"max_newer": r.MaxNewer, "max_older": r.MaxOlder, "max_older_during_upgrade": r.MaxOlderDuringUpgrade})
	for i, condition := range r.Conditions {
		limited = c.limits(under(at, "conditions", fmt.Sprint(i)), map[string]*int{"max_newer": condition.MaxNewer, "max_older": condition.MaxOlder}) || limited
	}
	if !limited {
		c.complain(at, "a rule without limits never applies", "Set max_newer, max_older or both to a number of minor versions")
	}
	rule := *r
	rule.ID = id
	c.notes(at, &rule.Notes)
	return &rule
}

func (c *compiler) requirementRule(at []string, id string, r *requirementRule) *PairRule {
	c.component(under(at, "require", "component"), r.Require.Component)
	if r.When != nil && r.When.Component == r.Require.Component && r.When.Component != "" {
		c.complain(under(at, "require", "component"), fmt.Sprintf("%q requires a version of itself", r.Require.Component), "Name another component, or remove when if the rule always holds")
	}
	if r.Require.Version.String() == "" {
		c.complain(under(at, "require", "version"), "missing version constraint", `Write one such as ">= 1.16"`)
	}
	rule := &PairRule{
		ID: id, Subject: r.Require.Component, Reference: r.Require.Component, Scope: ScopeSelf,
		Requirement: &Requirement{Require: r.Require.Version}, Notes: r.Notes,
	}
	if r.When != nil {
		c.component(under(at, "when", "component"), r.When.Component)
		rule.Subject, rule.Scope, rule.Requirement.When = r.When.Component, ScopeCluster, r.When.Version
	}
	c.notes(at, &rule.Notes)
	return rule
}

func (c *compiler) stepRule(at []string, id string, r *StepRule) *StepRule {
	c.component(under(at, "component"), r.Component)
	limited := c.limits(at, map[string]*int{"max_upgrade": r.MaxUpgrade, "max_downgrade": r.MaxDowngrade, "max_downgrade_total": r.MaxDowngradeTotal})
	for i, condition := range r.Conditions {
		limited = c.limits(under(at, "conditions", fmt.Sprint(i)), map[string]*int{"max_upgrade": condition.MaxUpgrade, "max_downgrade": condition.MaxDowngrade}) || limited
	}
	if !limited {
		c.complain(at, "a rule without limits never applies", "Set max_upgrade, max_downgrade or both to a number of minor versions")
	}
	rule := *r
	rule.ID = id
	c.notes(at, &rule.Notes)
	return &rule
}

// maxDays is the largest Advisory.Days.
const maxDays = 3650

func (c *compiler) advisory(at []string, id string, a *Advisory) *Advisory {
	for i, component := range a.Components {
		c.component(under(at, "components", fmt.Sprint(i)), component)
	}
	if !slices.Contains(Checks, a.Check) {
		unknown(c, under(at, "check"), "check", a.Check, Checks)
	}
	if a.Days < 0 || a.Days > maxDays {
		c.outOfRange(under(at, "days"), "days", a.Days, maxDays)
	}
	if a.Check == CheckMinorMove && a.Note == "" {
		c.complain(under(at, "note"), "missing note", fmt.Sprintf("Write the advice of the check %s as a sentence", CheckMinorMove))
	}
	advisory := *a
	advisory.ID = id
	if advisory.Severity == "" {
		advisory.Severity = SeverityWarning
	}
	c.notes(at, &advisory.Notes)
	return &advisory
}
