// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Strategy is when node pools move.
type Strategy string

// The strategies.
const (
	// FewestRollouts moves a node pool only when it would fall out of what the
	// policy allows, and then as far as it may, and once more in the end.
	FewestRollouts Strategy = "fewest_rollouts"
	// RequiredOnly is FewestRollouts without the move in the end: a node pool that
	// nothing forces to move stays as it is.
	RequiredOnly Strategy = "required_only"
	// Follow moves node pools after every step of the control plane.
	Follow Strategy = "follow"
)

// Request asks for a plan.
type Request struct {
	Policy   *policy.Policy
	Cluster  skew.Cluster // what runs now
	Target   version.Version
	Strategy Strategy
	// Held names the node pools that must not move.
	Held []string
	// Available lists the versions that are available. Each stage then uses the
	// newest one of its minor that the policy allows there. Empty for any version.
	Available []version.Version
	// Calendar tells the newest known patch of a minor; nil if nobody does.
	Calendar *releases.Calendar
	// Waivers accept findings on Day. What is accepted need not be repaired, and
	// stands in nobody's way.
	Waivers []finding.Waiver
	Day     releases.Date
}

// Plan is the way from what runs now to a target.
type Plan struct {
	// Feasible says that the plan reaches the target. If it does not, there are
	// stages only where a node pool that is held stops it: as far as that lets it.
	Feasible bool
	// Findings is what breaks the policy now and, if the plan does not reach the
	// target, why not.
	Findings []finding.Finding
	Stages   []Stage
	// Next is the cluster after the first stage, or as it is if there is none. It is
	// empty if there is no way at all.
	Next skew.Cluster
	// ControlPlaneSteps counts the stages that move API servers.
	ControlPlaneSteps int
	// NodePoolRollouts counts, over all node pools, how often each moves.
	NodePoolRollouts int
	// Applies counts the applies that a module needs which changes its control
	// plane first, and takes as many stages at once as that allows.
	Applies int
}

// Kind is what a stage moves.
type Kind string

// The kinds of stages.
const (
	KindControlPlane Kind = "control_plane"
	KindNodePools    Kind = "node_pools"
	KindClients      Kind = "clients"
)

// Stage is moves to one version that need no order among themselves. Stages
// are done one after another.
type Stage struct {
	Kind       Kind
	Components []string
	Locations  []finding.Location
	From       []version.Version // each once, oldest first
	To         version.Version
	// Repairs says that the stage mends what breaks the policy now.
	Repairs bool
	// MoveNotes is what to mind; empty for a move within a minor.
	MoveNotes []*policy.Advisory
	// NewestBefore is the newest version available or known of the minor that
	// API servers leave, where that is newer than what runs; otherwise zero.
	NewestBefore version.Version
	// Apply is the apply that the stage belongs to, from 1: see Plan.Applies.
	Apply int

	controlPlaneStep bool // moves API servers
	rollouts         int  // node pools that move
}

// Drain reports whether the nodes are to be drained before the stage.
func (s Stage) Drain() bool {
	return slices.ContainsFunc(s.MoveNotes, func(n *policy.Advisory) bool { return n.Drain })
}

// Compute plans the way to a target. It knows the limits from the policy's
// pairs alone: everything moves as late as it may, and then as far as it may.
//
// That is the fewest rollouts a node pool can have. What a pool may run beside
// two versions of an API server it may run beside those in between, so that
// small steps of the control plane never cost a rollout. Larger ones are taken
// where the policy has them and they cost none either.
func Compute(r Request) Plan {
	s := newState(r)
	plan := Plan{}
	plan.Findings, _ = finding.Waive(errorsOf(skew.Evaluate(r.Policy, r.Cluster)), r.Waivers, r.Day)
	states := []state{s}
	last, errors := decision{}, s.errors()
	for range maxStages {
		if last = s.next(); len(last.moves) == 0 {
			break
		}
		batch := s.batch(last.moves)
		after := s.apply(batch)
		stage, left := s.stage(batch), after.errors()
		stage.Repairs = left < errors
		plan.Stages = append(plan.Stages, stage)
		states = append(states, after)
		s, errors = after, left
	}
	if !last.blocked() {
		last.blockers = states[0].beyondTotal(s)
	}
	plan.Feasible = !last.blocked() && len(last.moves) == 0
	for i := range last.blockers {
		last.blockers[i].Planned = true
	}
	if !plan.Feasible && !last.held {
		plan.Findings = append(plan.Findings, last.blockers...)
		finding.Sort(plan.Findings)
		plan.Stages = nil
		return plan
	}
	for _, stage := range plan.Stages {
		plan.NodePoolRollouts += stage.rollouts
		if stage.controlPlaneStep {
			plan.ControlPlaneSteps++
		}
	}
	plan.Applies = numberApplies(plan.Stages, states)
	plan.Next = r.after(plan.Stages)
	if last.held {
		plan.Findings = append(plan.Findings, r.stoppedByHeld(last.blockers, s, plan.NodePoolRollouts)...)
	}
	finding.Sort(plan.Findings)
	return plan
}

// stoppedByHeld says of what speaks against going on who stops it, and what it
// would cost if it did not.
func (r Request) stoppedByHeld(blockers []finding.Finding, end state, rollouts int) []finding.Finding {
	r.Held = nil
	more := -1
	if whole := Compute(r); whole.Feasible {
		more = whole.NodePoolRollouts - rollouts
	}
	reached := r.Target
	for _, u := range end.with(apiServer) {
		if v := end.version(u); compare(v, reached) < 0 {
			reached = v
		}
	}
	var stopped []finding.Finding
	for _, f := range blockers {
		// Others could make way if these did.
		f.Subject.Locations = slices.DeleteFunc(slices.Clone(f.Subject.Locations), func(l finding.Location) bool { return !end.holds(l) })
		next, ok := f.Cause.(*finding.Mismatch)
		if !ok || len(f.Subject.Locations) == 0 {
			continue
		}
		f.Cause = &finding.Held{Next: next, Reached: reached, Target: r.Target, Rollouts: more}
		stopped = append(stopped, f)
	}
	return stopped
}

// maxStages bounds a plan: more than anybody needs for MaxPath minors.
const maxStages = 100 * MaxPath
