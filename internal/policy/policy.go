// Package policy holds version skew policies: named sets of rules, as data.
//
// A policy judges nothing by itself. Package skew applies its pair rules to
// instances, package upgrade its step rules to moves; neither knows a rule or a
// component by name. What Kubernetes itself says is builtin/kubernetes.yaml,
// after https://kubernetes.io/releases/version-skew-policy/; what platforms add
// are the files beside it, each of which extends it, as policies of users do.
package policy

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Policy is a named set of rules, with everything it inherits. Rules of each
// kind are in the order of their ids. A policy does not change.
type Policy struct {
	Name        string
	Title       string
	Description string // sentences
	Source      string // URL
	ReadOn      string // day on which Source was read, YYYY-MM-DD
	BasedOn     string // the name of the policy it was made from, "" if none
	PairRules   []*PairRule
	StepRules   []*StepRule
	Advisories  []*Advisory
	NotCovered  []*NotCovered
	// Scheme is how users of the platform write versions, nil for the numbers of
	// Kubernetes.
	Scheme *version.Scheme
	// HiddenComponents are those that the platform moves by itself, so that no table
	// needs them.
	HiddenComponents []string
	// Included is the names of the add-on packs whose rules were added.
	Included []string
	// Releases is what the platform supports, oldest first: the only dates that
	// count, and a minor without one has none. It is nil, not empty, where the
	// platform runs upstream's releases and their dates hold.
	Releases []*Release

	resolved document
}

// PairRule is a predicate over two instances that run side by side. A skew rule
// limits how many minors they may differ; a requirement rule asks for a version
// of the reference where the subject has some version.
type PairRule struct {
	ID        string
	Subject   string // the component the rule limits
	Reference string // the component it is held against
	Scope     Scope
	Limits
	// ComparePatch also refuses a newer patch where the subject is at the
	// newest minor that is allowed, if both declare one.
	ComparePatch bool
	// Conditions replace limits for some versions. The first one that holds
	// counts.
	Conditions []Condition
	// MaxOlderDuringUpgrade is a stricter MaxOlder, in minors, while the
	// reference moves to a newer minor; nil if there is none.
	MaxOlderDuringUpgrade *int
	// Requirement makes this a requirement rule, without limits.
	Requirement *Requirement
	Notes
}

// Notes is what every rule says of itself.
type Notes struct {
	Severity Severity `json:"severity,omitempty"`
	Source   string   `json:"source,omitempty"`  // URL
	ReadOn   string   `json:"read_on,omitempty"` // day on which the source was read, YYYY-MM-DD
	Reason   string   `json:"reason,omitempty"`  // a sentence
	// OtherReading is what other sources of the same platform say instead.
	OtherReading string `json:"other_reading,omitempty"`
}

// Limits is how many minors a subject may differ from its reference; nil is
// without limit.
type Limits struct {
	MaxNewer *int `json:"max_newer,omitempty"`
	MaxOlder *int `json:"max_older,omitempty"`
}

// Condition replaces the limits it names where both constraints hold; an empty
// constraint always does.
type Condition struct {
	Subject   version.Constraint `json:"subject,omitzero"`
	Reference version.Constraint `json:"reference,omitzero"`
	Limits
}

// Requirement asks for a reference in Require where the subject is in When.
type Requirement struct {
	When    version.Constraint
	Require version.Constraint
}

// LimitsFor returns the limits between two versions, and the condition they
// come from, or nil.
func (r *PairRule) LimitsFor(subject, reference version.Version) (Limits, *Condition) {
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if !c.Subject.Contains(subject) || !c.Reference.Contains(reference) {
			continue
		}
		limits := r.Limits
		if c.MaxNewer != nil {
			limits.MaxNewer = c.MaxNewer
		}
		if c.MaxOlder != nil {
			limits.MaxOlder = c.MaxOlder
		}
		return limits, c
	}
	return r.Limits, nil
}

// DuringUpgrade is the rule as it counts while the reference moves to a newer
// minor.
func (r *PairRule) DuringUpgrade() *PairRule {
	if r.MaxOlderDuringUpgrade == nil {
		return r
	}
	stricter := *r
	stricter.MaxOlder = atMost(r.MaxOlder, r.MaxOlderDuringUpgrade)
	stricter.Conditions = slices.Clone(r.Conditions)
	for i := range stricter.Conditions {
		if c := &stricter.Conditions[i]; c.MaxOlder != nil {
			c.MaxOlder = atMost(c.MaxOlder, r.MaxOlderDuringUpgrade)
		}
	}
	return &stricter
}

// DuringUpgrade is the policy as it counts while API servers and other
// references move to newer minors.
func (p *Policy) DuringUpgrade() *Policy {
	stricter := *p
	stricter.PairRules = make([]*PairRule, len(p.PairRules))
	for i, r := range p.PairRules {
		stricter.PairRules[i] = r.DuringUpgrade()
	}
	return &stricter
}

// atMost returns the smaller of two limits; nil is without limit.
func atMost(limit, bound *int) *int {
	switch {
	case limit == nil:
		return bound
	case bound == nil:
		return limit
	}
	n := min(*limit, *bound)
	return &n
}

// StepRule limits how many minors an instance may move in one step; nil is
// without limit.
type StepRule struct {
	ID           string `json:"-"`
	Component    string `json:"component,omitempty"`
	MaxUpgrade   *int   `json:"max_upgrade,omitempty"`
	MaxDowngrade *int   `json:"max_downgrade,omitempty"`
	// MaxDowngradeTotal is how many minors an instance may go back in all, in
	// however many steps, from the newest version that it has run.
	MaxDowngradeTotal *int `json:"max_downgrade_total,omitempty"`
	// ComparePatch says that an older patch of the same minor is a way back, too,
	// where MaxDowngrade is 0 and both versions declare a patch; nil for no.
	ComparePatch *bool `json:"compare_patch,omitempty"`
	// DowngradeReason is what to say on MaxDowngrade, in sentences.
	DowngradeReason string `json:"downgrade_reason,omitempty"`
	Notes
}

// KeepsPatch reports whether a component may not even go back to an older patch.
func (r *StepRule) KeepsPatch() bool {
	return r.ComparePatch != nil && *r.ComparePatch && r.MaxDowngrade != nil && *r.MaxDowngrade == 0
}

// Advisory is what to mind beyond the limits. By default none is an error.
type Advisory struct {
	ID    string `json:"-"`
	Check Check  `json:"check,omitempty"`
	// Components is what it looks at; empty for all.
	Components []string `json:"components,omitempty"`
	// Days is how long before a day the advisory begins, for CheckEndOfLife.
	Days int `json:"days,omitempty"`
	// Note is what to mind, for CheckMinorMove: a sentence.
	Note string `json:"note,omitempty"`
	// Drain says that nodes are to be drained first, for CheckMinorMove.
	Drain bool `json:"drain,omitempty"`
	Notes
}

// Covers reports whether the advisory looks at a component.
func (a *Advisory) Covers(component string) bool {
	return len(a.Components) == 0 || slices.Contains(a.Components, component)
}

// Check is what an advisory looks for.
type Check string

// The checks.
const (
	CheckEndOfLife   Check = "end_of_life"          // of the minor, reached or near
	CheckLatestPatch Check = "latest_patch"         // a newer one is known before the minor is left
	CheckPrerelease  Check = "pre_release"          // one is in use
	CheckWebhooks    Check = "webhook_match_policy" // other than Equivalent when the component moves to another minor
	CheckNextMinor   Check = "blocks_next_minor"    // of the control plane
	CheckMinorMove   Check = "minor_move"           // the component moves to another minor
)

// Checks is in the order in which messages list them.
var Checks = []Check{CheckEndOfLife, CheckLatestPatch, CheckPrerelease, CheckWebhooks, CheckNextMinor, CheckMinorMove}

// NotCovered is a rule of a platform that a policy can't say.
type NotCovered struct {
	ID     string `json:"-"`
	What   string `json:"what"`              // a sentence
	Source string `json:"source"`            // URL
	ReadOn string `json:"read_on,omitempty"` // day on which the source was read, YYYY-MM-DD
}

// Scope says which instances of its reference a subject is held against.
type Scope string

// The scopes of a skew rule.
const (
	ScopeCluster  Scope = "cluster"  // all of the cluster
	ScopeEndpoint Scope = "endpoint" // those the subject can reach
	ScopeNode     Scope = "node"     // those on the same node
)

// Severity is the weight of a finding.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Severities and Scopes are in the order in which messages list them.
var (
	Severities = []Severity{SeverityError, SeverityWarning, SeverityInfo}
	Scopes     = []Scope{ScopeCluster, ScopeEndpoint, ScopeNode}
)

// Rank orders severities: 0 is the worst.
func (s Severity) Rank() int { return slices.Index(Severities, s) }

// Components lists the components that some rule names, each once, in
// alphabetical order.
func (p *Policy) Components() []string {
	var names []string
	for _, r := range p.PairRules {
		names = append(names, r.Subject, r.Reference)
	}
	for _, r := range p.StepRules {
		names = append(names, r.Component)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// MovedComponents lists the components that some rule names and that users of the
// platform move themselves, in alphabetical order.
func (p *Policy) MovedComponents() []string {
	return slices.DeleteFunc(p.Components(), func(name string) bool { return slices.Contains(p.HiddenComponents, name) })
}

// RuleIDs lists the ids of all rules and advisories in alphabetical order.
func (p *Policy) RuleIDs() []string {
	var ids []string
	for _, r := range p.PairRules {
		ids = append(ids, r.ID)
	}
	for _, r := range p.StepRules {
		ids = append(ids, r.ID)
	}
	for _, a := range p.Advisories {
		ids = append(ids, a.ID)
	}
	slices.Sort(ids)
	return ids
}

// NotesFor returns what to mind when a component moves to another minor.
func (p *Policy) NotesFor(component string) []*Advisory {
	var notes []*Advisory
	for _, a := range p.Advisories {
		if a.Check == CheckMinorMove && a.Covers(component) {
			notes = append(notes, a)
		}
	}
	return notes
}

// StepRulesFor returns the step rules of a component that count as errors.
func (p *Policy) StepRulesFor(component string) []*StepRule {
	var rules []*StepRule
	for _, r := range p.StepRules {
		if r.Component == component && r.Severity == SeverityError {
			rules = append(rules, r)
		}
	}
	return rules
}
