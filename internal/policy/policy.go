// Package policy holds version skew policies: named sets of rules, as data.
//
// A policy judges nothing by itself. Package skew applies its skew rules to
// pairs of instances, package upgrade its step rules to moves; neither knows a
// rule or a component by name. What Kubernetes itself says is
// builtin/kubernetes.yaml, after
// https://kubernetes.io/releases/version-skew-policy/.
package policy

import "github.com/versionskew/terraform-provider-versionskew/internal/version"

// Policy is a named set of rules. Rules of each kind are in the order of their
// ids.
type Policy struct {
	Name      string
	Title     string
	Source    string // URL
	SkewRules []*SkewRule
	StepRules []*StepRule
	MoveNotes []*MoveNote
}

// SkewRule limits how far the versions of two instances that run side by side
// may differ.
type SkewRule struct {
	ID        string `json:"-"`
	Subject   string `json:"subject"`   // the component the rule limits
	Reference string `json:"reference"` // the component it is held against
	Scope     Scope  `json:"scope"`
	Limits
	// Conditions replace limits for some versions. The first one that holds
	// counts.
	Conditions []Condition `json:"conditions,omitempty"`
	Severity   Severity    `json:"severity,omitempty"`
	Source     string      `json:"source,omitempty"` // URL
	Reason     string      `json:"reason,omitempty"` // a sentence
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

// LimitsFor returns the limits between two versions, and the condition they
// come from, or nil.
func (r *SkewRule) LimitsFor(subject, reference version.Version) (Limits, *Condition) {
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

// StepRule limits how many minors an instance may move in one step; nil is
// without limit.
type StepRule struct {
	ID           string   `json:"-"`
	Component    string   `json:"component"`
	MaxUpgrade   *int     `json:"max_upgrade,omitempty"`
	MaxDowngrade *int     `json:"max_downgrade,omitempty"`
	Severity     Severity `json:"severity,omitempty"`
	Source       string   `json:"source,omitempty"` // URL
	Reason       string   `json:"reason,omitempty"` // a sentence on MaxUpgrade
	// DowngradeReason is what to say on MaxDowngrade.
	DowngradeReason string `json:"downgrade_reason,omitempty"`
}

// MoveNote is what to mind when a component moves to another minor.
type MoveNote struct {
	ID        string `json:"-"`
	Component string `json:"component"`
	Note      string `json:"note"`   // a sentence
	Source    string `json:"source"` // URL
	// Drain says that the nodes are to be drained before the move.
	Drain bool `json:"drain,omitempty"`
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

// severities and scopes are in the order in which messages list them.
var (
	severities = []Severity{SeverityError, SeverityWarning, SeverityInfo}
	scopes     = []Scope{ScopeCluster, ScopeEndpoint, ScopeNode}
)

// Rank orders severities: 0 is the worst.
func (s Severity) Rank() int {
	for i, known := range severities {
		if s == known {
			return i
		}
	}
	return len(severities)
}

// Components lists the components that some rule names, each once, in
// alphabetical order.
func (p *Policy) Components() []string {
	names := map[string]bool{}
	for _, r := range p.SkewRules {
		names[r.Subject], names[r.Reference] = true, true
	}
	for _, r := range p.StepRules {
		names[r.Component] = true
	}
	return sortedKeys(names)
}

// NotesFor returns what to mind when a component moves to another minor.
func (p *Policy) NotesFor(component string) []*MoveNote {
	var notes []*MoveNote
	for _, n := range p.MoveNotes {
		if n.Component == component {
			notes = append(notes, n)
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
