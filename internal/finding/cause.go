// SPDX-License-Identifier: MPL-2.0

package finding

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Cause is what happened. The set is closed: only this package can add to it, and
// the linter checks that a switch over causes handles every one.
//
//sumtype:decl
type Cause interface {
	// OfStep reports whether the finding is about a step, that is, depends on the
	// versions before.
	OfStep() bool
	// identify adds to the key of a finding what distinguishes problems of this cause.
	identify(f Finding, k *problemKey)
	// terms describes what the rule of a finding requires, regardless of the component.
	terms(f Finding) string
}

// Violation is the cause of a finding on a rule that the declared versions, or the step to
// them, violate. All other causes are advice, or about a plan.
//
//sumtype:decl
type Violation interface {
	Cause
	violation()
}

func (*Mismatch) violation()   {}
func (*StepLimit) violation()  {}
func (*StepOrder) violation()  {}
func (*ApplyOrder) violation() {}

// ofVersions and ofStep are embedded in the causes of findings on a combination and on a
// step. Most of the former have nothing to add to a key.
type (
	ofVersions struct{}
	ofStep     struct{}
)

// OfStep implements Cause.
func (ofVersions) OfStep() bool { return false }

// OfStep implements Cause.
func (ofStep) OfStep() bool { return true }

func (ofVersions) identify(Finding, *problemKey) {}

// Relation is the relation of a subject to its reference under a rule.
type Relation int

// The relations.
const (
	Within       Relation = iota // the rule allows the pair
	TooOld                       // the subject is older by more than MaxOlder minors
	TooNew                       // the subject is newer by more than MaxNewer minors
	Incomparable                 // the majors differ
	Unmet                        // the reference does not meet a requirement
)

// Mismatch is the cause of a finding on a combination.
type Mismatch struct {
	Rule     *policy.PairRule
	Relation Relation
	Limits   policy.Limits
	// Condition is the condition that sets the limits, nil if the rule itself does.
	Condition *policy.Condition
	// Local says that the subject only connects to the reference on its own
	// instance.
	Local bool
	// DuringUpgrade says that the limits only apply while the reference moves.
	DuringUpgrade bool
}

// StepLimit is the cause of a finding on a move that a step rule does not
// allow.
type StepLimit struct {
	ofStep
	Rule   *policy.StepRule
	Limits policy.StepLimits // of this move
	// Comparable is false if the major changes.
	Comparable bool
	Back       bool
	// Patch says that only the patch goes back.
	Patch bool
	// InTotal says that the steps of a plan go back too far in total, although each
	// one is allowed.
	InTotal bool
	// Through lists the minors to go through one after another, including the last
	// one. It is empty for downgrades and across majors, and if the rule allows no way
	// to the last one.
	Through []version.Minor
}

// StepOrder is the cause of a finding on two moves that wait for each other:
// each would break the rule if it went first.
type StepOrder struct {
	ofStep
	Rule *policy.PairRule
	// From holds the versions before the step.
	FromSubject, FromReference version.Version
	// First is how the rule is violated if the subject or the reference moves first. If it is
	// not, other rules forbid that order.
	SubjectFirst, ReferenceFirst Relation
}

// ApplyOrder is the cause of a finding on an intermediate combination that results
// from the order in which a configuration applies its changes. Another order would
// avoid it.
type ApplyOrder struct {
	ofStep
	// Intermediate is how the intermediate combination violates the rule.
	Intermediate *Mismatch
	// Declared is the value of apply_order. Instead is a value that would avoid
	// such findings, "" if every value causes them.
	Declared, Instead string
	// First is the move that has to come first, in a separate apply. Then is the
	// move that it has to precede.
	First, Then Move
	// Applies lists the separate applies that have to come before the rest of the step,
	// each with its moves. They are the same for all findings on a step.
	Applies [][]Move
	// Through is a component that has to move between the two, "" if the rule
	// relates them directly.
	Through string
}

// Change is a change of a version. From is zero if the instance is added, To is zero if it
// is removed.
type Change struct {
	From, To version.Version
	// ToUnknown says that To is zero because the version is not known yet.
	ToUnknown bool
}

// Moves reports whether the version changes, or the minor that it emulates.
func (c Change) Moves() bool { return !c.From.Same(c.To) }

// MovesMinor reports whether an existing instance moves to a different minor.
func (c Change) MovesMinor() bool {
	return !c.From.IsZero() && !c.To.IsZero() && c.From.Minor() != c.To.Minor()
}

// Upgrades reports whether an existing instance moves to a newer minor.
func (c Change) Upgrades() bool {
	return !c.From.IsZero() && c.To.Minor().Compare(c.From.Minor()) > 0
}

// Move is a change of a component at some locations.
type Move struct {
	Component string
	Change
	Locations []Location
	// Whole says that everything that moves at the locations moves to the same
	// version.
	Whole bool
}

// NotAvailable is the cause of a finding on a plan that would have to go through a
// minor without an available version.
type NotAvailable struct {
	ofVersions
	Minor version.Minor
	// NodePools says that the versions are limited to those for node pools.
	NodePools bool
}

// Held is the cause of a finding on something that stops a plan because the plan does not
// move it: a held node pool, or a component that is not part of Kubernetes.
type Held struct {
	ofVersions
	// Stops is the subject or the reference of the finding: the side that the plan does not
	// move. Allowed holds the minors at which it would not stop the plan here.
	Stops   Side
	Allowed Window
	// Limit is the newest version that the node pools may get, zero if it is not a limit
	// that stops them.
	Limit version.Version
	// Next is how the pair would violate the rule if the plan went on.
	Next *Mismatch
	// Reached is the version that the control plane reaches. Target is the version
	// that was requested.
	Reached, Target version.Version
	// Rollouts is the number of additional node pool rollouts needed to reach the
	// target, -1 if no pool is held or if the target cannot be reached anyway.
	Rollouts int
}

// EndOfLife is the cause of a finding on a minor whose support ends soon or has
// ended.
type EndOfLife struct {
	ofVersions
	// Standard is the end of standard support, or of all support if there is no extended
	// support. Extended is the end of support that costs extra or has to be enabled. Its
	// date is zero on platforms without it.
	Standard, Extended SupportEnd
	// ReadFrom names the third party that the dates were read from, "" if they were
	// read at their source.
	ReadFrom string
	// Supported is the oldest newer minor that stays in standard support, zero if
	// unknown.
	Supported version.Version
	Reason    string
}

// SupportEnd is the day on which a kind of support ends.
type SupportEnd struct {
	Date    releases.Date
	Days    int // days left, negative after the end
	Planned bool
}

// LatestPatch is the cause of a finding on an upgrade that does not start from the
// newest known patch of its minor.
type LatestPatch struct {
	ofStep
	Latest version.Version
	Reason string
}

// Prerelease is the cause of a finding on a pre-release in use.
type Prerelease struct {
	ofVersions
	Reason string
}

// Webhook is the cause of a finding on a webhook that may miss requests.
type Webhook struct {
	ofStep
	MatchPolicy string // "" if not declared
	From        version.Version
	Reason      string
}

// NextMinor is the cause of a finding on a node that blocks the next control-plane
// minor.
type NextMinor struct {
	ofVersions
	Reason string
}

// MinorMove is the cause of a finding on a move to another minor.
type MinorMove struct {
	ofStep
	From version.Version
	Note string
}

// NotOffered is the cause of a finding on a version that a step sets or adds although
// the platform does not offer it.
type NotOffered struct {
	ofStep
	// From is the version before the step, zero if the instance is added.
	From version.Version
	// NoStart says that every instance counts as added, because no versions before the
	// step are known.
	NoStart bool
	// AnotherCluster says that no versions are known because the cluster is not the one
	// that was checked before.
	AnotherCluster bool
	// List is the attribute that lists the offered versions.
	List string
	// Newest is the newest offered version of the same minor, zero if there is none.
	// Older and Newer are then the nearest offered minors on each side, zero if there
	// is none.
	Newest, Older, Newer version.Version
	Reason               string
}

// OfStep reports whether the limits only apply while the reference moves.
func (m *Mismatch) OfStep() bool { return m.DuringUpgrade }
