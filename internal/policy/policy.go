// SPDX-License-Identifier: MPL-2.0

// Package policy holds version skew policies: named sets of rules, as data.
//
// Package skew applies pair rules to instances, and package upgrade applies step rules
// to moves. Neither depends on the name of a rule or a component.
// builtin/kubernetes.yaml contains the upstream policy,
// https://kubernetes.io/releases/version-skew-policy/. The files next to it contain
// the policies of platforms, which extend it in the same way as custom policies do.
package policy

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Policy is an immutable, named set of rules, including everything it inherits.
// Rules of each kind are sorted by ID.
type Policy struct {
	Name        string
	Title       string
	Description string // sentences
	Citation
	BasedOn    string // name of the policy that it extends, or ""
	PairRules  []*PairRule
	StepRules  []*StepRule
	Advisories []*Advisory
	NotCovered []*NotCovered
	// Scheme is the version scheme of the platform, nil for Kubernetes versions.
	Scheme *version.Scheme
	// HiddenComponents are upgraded by the platform, so tables leave them out.
	HiddenComponents []string
	// Included lists the add-on packs whose rules were added.
	Included []string
	// Releases are the support dates of the platform, oldest minor first. Minors
	// that are not listed have no dates. Releases is nil, not empty, if the
	// upstream dates apply.
	Releases []*Release

	resolved document
	// builtin is the built-in policy that it is or extends, "" if it is complete.
	builtin string
}

// PairRule is a predicate over two instances that run side by side. A skew rule
// limits by how many minors they may differ. A requirement rule requires certain
// versions of the reference for certain versions of the subject.
type PairRule struct {
	ID        string `json:"-"`
	Subject   string `json:"subject,omitempty"`   // component that the rule limits
	Reference string `json:"reference,omitempty"` // component that it is compared with
	Scope     Scope  `json:"scope,omitempty"`
	Limits
	// ComparePatch also rejects a newer patch if the subject is at the newest
	// allowed minor and both declare a patch. nil means no.
	ComparePatch *bool `json:"compare_patch,omitempty"`
	// Conditions replace limits for some versions. The first one that matches
	// applies.
	Conditions []Condition `json:"conditions,omitzero"`
	// MaxOlderDuringUpgrade is a stricter MaxOlder, in minors, that applies while
	// the reference moves to a newer minor. nil means that MaxOlder always applies.
	MaxOlderDuringUpgrade *int `json:"max_older_during_upgrade,omitempty"`
	// Requirement is set for a requirement rule, which has no limits.
	Requirement *Requirement `json:"-"`
	Notes
}

// Notes holds the fields that every rule has.
type Notes struct {
	Severity Severity `json:"severity,omitempty"`
	Citation
	Reason string `json:"reason,omitempty"` // a sentence
	// OtherReading describes other sources of the same platform that differ.
	OtherReading string `json:"other_reading,omitempty"`
}

// Limits are the maximum differences between a subject and its reference, in
// minors. nil means no limit.
type Limits struct {
	MaxNewer *int `json:"max_newer,omitempty"`
	MaxOlder *int `json:"max_older,omitempty"`
}

// Condition replaces the limits that it sets if both constraints match. An empty
// constraint always matches.
type Condition struct {
	Subject   version.Constraint `json:"subject,omitzero"`
	Reference version.Constraint `json:"reference,omitzero"`
	Limits
}

func (c Condition) matches(subject, reference version.Version) bool {
	return c.Subject.Contains(subject) && c.Reference.Contains(reference)
}

// tighten limits what the condition sets to the given limits. nil means no limit.
func (c *Condition) tighten(newer, older *int) {
	c.MaxNewer, c.MaxOlder = tighter(c.MaxNewer, newer), tighter(c.MaxOlder, older)
}

// Requirement requires a reference in Require if the subject is in When. With
// ScopeSelf, When allows every version.
type Requirement struct {
	When    version.Constraint
	Require version.Constraint
}

// ComparesPatch reports whether the rule compares patches.
func (r *PairRule) ComparesPatch() bool { return r.ComparePatch != nil && *r.ComparePatch }

// DistinguishesPatches reports whether the rule can treat two patches of a minor
// differently.
func (r *PairRule) DistinguishesPatches() bool {
	named := func(a, b version.Constraint) bool { return len(a.Patches()) > 0 || len(b.Patches()) > 0 }
	return r.ComparesPatch() || r.Requirement != nil && named(r.Requirement.When, r.Requirement.Require) ||
		slices.ContainsFunc(r.Conditions, func(c Condition) bool { return named(c.Subject, c.Reference) })
}

// LimitsFor returns the limits between two versions, and the condition that sets
// them. The condition is nil if the limits are those of the rule itself.
func (r *PairRule) LimitsFor(subject, reference version.Version) (Limits, *Condition) {
	c := firstMatch(r.Conditions, subject, reference)
	if c == nil {
		return r.Limits, nil
	}
	return Limits{cmp.Or(c.MaxNewer, r.MaxNewer), cmp.Or(c.MaxOlder, r.MaxOlder)}, c
}

// firstMatch returns the first condition that two versions match, nil if there is none.
func firstMatch[C interface {
	matches(a, b version.Version) bool
}](conditions []C, a, b version.Version) *C {
	if i := slices.IndexFunc(conditions, func(c C) bool { return c.matches(a, b) }); i >= 0 {
		return &conditions[i]
	}
	return nil
}

// tightened returns copies of conditions, changed by a function.
func tightened[C any](conditions []C, tighten func(*C)) []C {
	conditions = slices.Clone(conditions)
	for i := range conditions {
		tighten(&conditions[i])
	}
	return conditions
}

// DuringUpgrade returns the rule as it applies while the reference moves to a newer
// minor.
func (r *PairRule) DuringUpgrade() *PairRule {
	if r.MaxOlderDuringUpgrade == nil {
		return r
	}
	stricter := *r
	stricter.MaxOlder = atMost(r.MaxOlder, r.MaxOlderDuringUpgrade)
	stricter.Conditions = tightened(r.Conditions, func(c *Condition) { c.tighten(nil, r.MaxOlderDuringUpgrade) })
	return &stricter
}

// atMost returns the smaller of two limits. nil means no limit.
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

// tighter returns a limit that a condition sets, but at most bound. nil means that the
// condition does not set the limit.
func tighter(limit, bound *int) *int {
	if limit == nil {
		return nil
	}
	return atMost(limit, bound)
}

// StepRule limits how many minors an instance may move in one step.
type StepRule struct {
	ID        string `json:"-"`
	Component string `json:"component,omitempty"`
	StepLimits
	// MaxDowngradeTotal limits how many minors an instance may go back in total, over
	// any number of steps, from the newest version that it has run.
	MaxDowngradeTotal *int `json:"max_downgrade_total,omitempty"`
	// ComparePatch says that moving to an older patch of the same minor also counts
	// as a downgrade if MaxDowngrade is 0 and both versions declare a patch. nil
	// means no.
	ComparePatch *bool `json:"compare_patch,omitempty"`
	// Conditions replace limits for some moves. The first one that matches applies.
	Conditions []StepCondition `json:"conditions,omitzero"`
	// DowngradeReason explains MaxDowngrade, in sentences.
	DowngradeReason string `json:"downgrade_reason,omitempty"`
	Notes
}

// StepLimits are the maximum numbers of minors of a move. nil means no limit.
type StepLimits struct {
	MaxUpgrade   *int `json:"max_upgrade,omitempty"`
	MaxDowngrade *int `json:"max_downgrade,omitempty"`
}

// StepCondition replaces the limits that it sets if both constraints match. An empty
// constraint always matches.
type StepCondition struct {
	From version.Constraint `json:"from,omitzero"`
	To   version.Constraint `json:"to,omitzero"`
	StepLimits
}

func (c StepCondition) matches(from, to version.Version) bool {
	return c.From.Contains(from) && c.To.Contains(to)
}

// tighten limits what the condition sets to the given limits. nil means no limit.
func (c *StepCondition) tighten(up, down *int) {
	c.MaxUpgrade, c.MaxDowngrade = tighter(c.MaxUpgrade, up), tighter(c.MaxDowngrade, down)
}

// LimitsFor returns the limits of a move.
func (r *StepRule) LimitsFor(from, to version.Version) StepLimits {
	c := firstMatch(r.Conditions, from, to)
	if c == nil {
		return r.StepLimits
	}
	return StepLimits{cmp.Or(c.MaxUpgrade, r.MaxUpgrade), cmp.Or(c.MaxDowngrade, r.MaxDowngrade)}
}

// PairRule returns the limits as a rule for the versions of an instance before and after
// a move. The version after the move is the reference.
func (r *StepRule) PairRule() *PairRule {
	pair := &PairRule{ID: r.ID, Subject: r.Component, Reference: r.Component, Limits: Limits{MaxNewer: r.MaxDowngrade, MaxOlder: r.MaxUpgrade}}
	for _, c := range r.Conditions {
		pair.Conditions = append(pair.Conditions, Condition{c.From, c.To, Limits{MaxNewer: c.MaxDowngrade, MaxOlder: c.MaxUpgrade}})
	}
	return pair
}

// LargestMove returns the largest limit on upgrades, or on downgrades if back is set. nil
// means that some moves have no limit.
func (r *StepRule) LargestMove(back bool) *int {
	limit := func(l StepLimits) *int {
		if back {
			return l.MaxDowngrade
		}
		return l.MaxUpgrade
	}
	largest := limit(r.StepLimits)
	for _, c := range r.Conditions {
		if n := limit(c.StepLimits); n != nil && largest != nil && *n > *largest {
			largest = n
		}
	}
	return largest
}

// KeepsPatch reports whether a component with the given limits cannot even go back to an
// older patch.
func (r *StepRule) KeepsPatch(limits StepLimits) bool {
	return r.ComparePatch != nil && *r.ComparePatch && limits.MaxDowngrade != nil && *limits.MaxDowngrade == 0
}

// Advisory is a check beyond the limits. By default, its findings are not errors.
type Advisory struct {
	ID    string `json:"-"`
	Check Check  `json:"check,omitempty"`
	// Components are the components it checks, empty for all.
	Components []string `json:"components,omitzero"`
	// Days is how many days in advance CheckEndOfLife warns.
	Days int `json:"days,omitempty"`
	// Note is the advice of CheckMinorMove, a sentence.
	Note string `json:"note,omitempty"`
	// Drain says for CheckMinorMove that nodes have to be drained first.
	Drain bool `json:"drain,omitempty"`
	Notes
}

// Covers reports whether the advisory checks a component.
func (a *Advisory) Covers(component string) bool {
	return len(a.Components) == 0 || slices.Contains(a.Components, component)
}

// Check is what an advisory checks.
type Check string

// The checks.
const (
	CheckEndOfLife   Check = "end_of_life"          // a minor that has reached its end of life, or soon will
	CheckLatestPatch Check = "latest_patch"         // an upgrade that does not start from the newest known patch
	CheckPrerelease  Check = "pre_release"          // a pre-release in use
	CheckWebhooks    Check = "webhook_match_policy" // a match policy other than Equivalent during a move to another minor
	CheckNextMinor   Check = "blocks_next_minor"    // a version that blocks the next control-plane minor
	CheckMinorMove   Check = "minor_move"           // a move to another minor
	CheckNotOffered  Check = "not_offered"          // a move to a version that the platform does not offer
)

// Checks lists all checks in the order that messages use.
var Checks = []Check{CheckEndOfLife, CheckLatestPatch, CheckPrerelease, CheckWebhooks, CheckNextMinor, CheckMinorMove, CheckNotOffered}

// NotCovered is a rule of a platform that a policy cannot express.
type NotCovered struct {
	ID   string `json:"-"`
	What string `json:"what"` // a sentence
	Citation
}

// Scope is the set of references that a subject is compared with.
type Scope string

// The scopes of a skew rule.
const (
	ScopeCluster  Scope = "cluster"  // all of the cluster
	ScopeEndpoint Scope = "endpoint" // those the subject can reach
	ScopeNode     Scope = "node"     // those on the same node
	// ScopeSelf is the scope of requirement rules that always hold. Such a rule
	// compares each instance with itself.
	ScopeSelf Scope = "self"
)

// Severity is the severity of a finding.
type Severity string

// The severities, most severe first.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Severities and Scopes are in the order that messages use.
var (
	Severities = []Severity{SeverityError, SeverityWarning, SeverityInfo}
	Scopes     = []Scope{ScopeCluster, ScopeEndpoint, ScopeNode}
)

// Rank orders severities. The most severe one has rank 0.
func (s Severity) Rank() int { return slices.Index(Severities, s) }

// Components lists the components in the rules of the policy, in alphabetical order.
func (p *Policy) Components() []string {
	names := make([]string, 0, 2*len(p.PairRules)+len(p.StepRules))
	for _, r := range p.PairRules {
		names = append(names, r.Subject, r.Reference)
	}
	for _, r := range p.StepRules {
		names = append(names, r.Component)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CompareComponents orders components for lists in texts: first those of Kubernetes,
// from the control plane to the client, then all others in alphabetical order.
func CompareComponents(a, b string) int {
	rank := func(component string) int {
		if i := slices.Index(knownComponents, component); i >= 0 {
			return i
		}
		return len(knownComponents)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// MovedComponents lists the components that users of the platform upgrade
// themselves, in alphabetical order.
func (p *Policy) MovedComponents() []string {
	return slices.DeleteFunc(p.Components(), func(name string) bool { return slices.Contains(p.HiddenComponents, name) })
}

// RuleIDs lists the IDs of all rules and advisories in alphabetical order.
func (p *Policy) RuleIDs() []string { return p.resolved.ruleIDs() }

// NotesFor returns the advisories for a component that moves to another minor.
func (p *Policy) NotesFor(component string) []*Advisory {
	var notes []*Advisory
	for _, a := range p.Advisories {
		if a.Check == CheckMinorMove && a.Covers(component) {
			notes = append(notes, a)
		}
	}
	return notes
}

// StepRulesFor returns the step rules of a component with severity error.
func (p *Policy) StepRulesFor(component string) []*StepRule {
	var rules []*StepRule
	for _, r := range p.StepRules {
		if r.Component == component && r.Severity == SeverityError {
			rules = append(rules, r)
		}
	}
	return rules
}
