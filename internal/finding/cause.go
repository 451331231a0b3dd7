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
type Cause interface{ cause() }

func (*Mismatch) cause()     {}
func (*StepLimit) cause()    {}
func (*StepOrder) cause()    {}
func (*ApplyOrder) cause()   {}
func (*NotAvailable) cause() {}
func (*Held) cause()         {}
func (*EndOfLife) cause()    {}
func (*LatestPatch) cause()  {}
func (*Prerelease) cause()   {}
func (*Webhook) cause()      {}
func (*NextMinor) cause()    {}
func (*MinorMove) cause()    {}

// Relation is how a subject stands to its reference under a rule.
type Relation int

// The relations.
const (
	Within       Relation = iota // the limits
	TooOld                       // more minors behind than MaxOlder
	TooNew                       // more minors ahead than MaxNewer
	Incomparable                 // of another major: there is no skew to count
	Unmet                        // requirement: the reference is not what the subject needs
)

// Mismatch is the cause of a finding on a combination.
type Mismatch struct {
	Rule     *policy.PairRule
	Relation Relation
	Limits   policy.Limits
	// Condition is where the limits come from, nil if from the rule itself.
	Condition *policy.Condition
	// Local says that the subject reaches only the reference on its own instance.
	Local bool
	// DuringUpgrade says that the limits count only while the reference moves.
	DuringUpgrade bool
	// ReferenceAllowed is the minors of the reference with which the subject
	// could stay as it is.
	ReferenceAllowed Window
}

// StepLimit is the cause of a finding on a move that a step rule does not
// allow.
type StepLimit struct {
	Rule *policy.StepRule
	// Comparable is false when the move crosses majors.
	Comparable bool
	Back       bool
	// Patch says that it goes back by a patch only.
	Patch bool
	// InAll says that it is not one step that goes back too far, but all of a plan.
	InAll bool
	// Through is the minors to go through one after another, the last one
	// included. It is empty on the way back, and across majors.
	Through []version.Minor
}

// StepOrder is the cause of a finding on two moves that wait for each other:
// each would break the rule if it went first.
type StepOrder struct {
	Rule *policy.PairRule
	// From is the versions before the step.
	FromSubject, FromReference version.Version
	// Via is the minors at which the subject can wait while everything it
	// is compared with moves. It is empty where one stop is not enough.
	Via Window
}

// ApplyOrder is the cause of a finding on a combination that a configuration runs
// through because of the order in which it applies its changes. Another order would
// avoid it.
type ApplyOrder struct {
	// OnTheWay is how the combination breaks the rule.
	OnTheWay *Mismatch
	// Declared is the order, as apply_order spells it. Instead is one that would bring
	// no such finding, "" if there is none.
	Declared, Instead string
	// First is the move that has to come first, in an apply of its own, and Then is
	// what it has to come before.
	First, Then Move
	// Along is the other moves at the locations of First that go with it, unless that
	// is whole.
	Along []Move
	// Through is a component that has to move between the two, "" if the rule
	// relates them directly.
	Through string
	// After is a move elsewhere that has to come before First, nil if there is none.
	After *Move
}

// Move is a change of the version of one component at some locations. From is the
// zero version for what appears, To for what disappears.
type Move struct {
	Component string
	From, To  version.Version
	// ToUnknown says that To is the zero version because it is not known yet.
	ToUnknown bool
	Locations []Location
	// Whole says that everything that moves at the locations moves along, and to the
	// same version.
	Whole bool
}

// NotAvailable is the cause of a finding on a plan that would have to go through
// a minor of which no version can be had.
type NotAvailable struct {
	Minor version.Minor
}

// Held is the cause of a finding on a node pool that stops a plan because it must
// not move.
type Held struct {
	// Next is how it would break the rule beside the reference, if the control plane
	// went on.
	Next *Mismatch
	// Reached is how far the control plane gets, and Target is where it was to go.
	Reached, Target version.Version
	// Rollouts is how many more rollouts of node pools the whole way would take; -1
	// if there is none even if nothing is held.
	Rollouts int
}

// EndOfLife is the cause of a finding on a minor whose support ends, or has.
type EndOfLife struct {
	Date    releases.Date // of standard support, or of all of it if there is no other
	Days    int           // left, negative when it is over
	Planned bool
	// Extended is the end of support that costs extra or has to be asked for, the
	// zero date if there is none, and ExtendedDays how many days of it are left.
	Extended     releases.Date
	ExtendedDays int
	// Supported is the oldest newer minor that stays in standard support, the zero
	// version if none is known.
	Supported version.Version
	Reason    string
}

// LatestPatch is the cause of a finding on a minor that is left from an
// older patch than the newest one known.
type LatestPatch struct {
	Latest version.Version
	Reason string
}

// Prerelease is the cause of a finding on a pre-release in use.
type Prerelease struct{ Reason string }

// Webhook is the cause of a finding on a webhook that may miss requests.
type Webhook struct {
	MatchPolicy string // "" if it is not declared
	From        version.Version
	Reason      string
}

// NextMinor is the cause of a finding on a node that will be in the way.
type NextMinor struct {
	Next   version.Minor
	Reason string
}

// MinorMove is the cause of a finding on a move to another minor.
type MinorMove struct {
	From version.Version
	Note string
}

// OfStep reports whether a finding is about a step, and so depends on what ran
// before.
func (f Finding) OfStep() bool {
	switch cause := f.Cause.(type) {
	case *Mismatch:
		return cause.DuringUpgrade
	case *StepLimit, *StepOrder, *ApplyOrder, *LatestPatch, *Webhook, *MinorMove:
		return true
	case *NotAvailable, *Held, *EndOfLife, *Prerelease, *NextMinor:
	}
	return false
}
