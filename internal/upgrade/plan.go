// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Strategy decides when node pools move.
type Strategy string

// The strategies.
const (
	// FewestRollouts moves a node pool only when it blocks the control plane, and
	// then as far as the policy allows. At the end, it moves all pools to the target.
	FewestRollouts Strategy = "fewest_rollouts"
	// RequiredOnly works like FewestRollouts without the moves at the end. A node pool
	// that blocks nothing keeps its version.
	RequiredOnly Strategy = "required_only"
	// Follow moves node pools after every step of the control plane.
	Follow Strategy = "follow"
)

// Request is the input of a plan.
type Request struct {
	Policy   *policy.Policy
	Cluster  skew.Cluster // what runs now
	Target   version.Version
	Strategy Strategy
	// Held names the node pools that must not move.
	Held []string
	// Limits holds the newest version that a node pool may get, by name. All patches of
	// a minor count as that minor. A pool that runs a newer version is held. A plan is
	// complete even if a limit keeps a pool from the target.
	Limits map[string]version.Version
	// Available lists the versions that stages can use. A stage uses the newest one of
	// its minor that the policy allows. If the list is empty, any version can be used.
	Available []version.Version
	// AvailableNodes is used for node pools instead of Available, if it is not empty.
	AvailableNodes []version.Version
	// Calendar has the newest known patch of each minor. It can be nil.
	Calendar *releases.Calendar
	// Waivers accept findings on Day. A plan does not repair or avoid violations that
	// are accepted.
	Waivers []finding.Waiver
	Day     releases.Date
}

// Plan is a sequence of stages from the running versions to the target.
type Plan struct {
	// Feasible says that the plan reaches the target. If it does not, there are no
	// stages, unless the reason is something that the plan does not move: a held node
	// pool, or a component that is not part of Kubernetes. Then the stages lead as far
	// as they can.
	Feasible bool
	// Findings holds the errors of the running versions and, if the plan does not
	// reach the target, the reasons.
	Findings []finding.Finding
	Stages   []Stage
	// Next is the cluster after the first stage. It is the unchanged cluster if there
	// are no stages, and empty if the plan is not feasible for another reason than what
	// it does not move.
	Next skew.Cluster
	// ControlPlaneSteps is the number of stages that move API servers.
	ControlPlaneSteps int
	// NodePoolRollouts is the sum of the moves of all node pools.
	NodePoolRollouts int
	// Applies is the number of applies that a module needs if it changes its control
	// plane first and combines as many stages as possible.
	Applies int

	states []state // before each stage and after the last
}

// After returns the cluster after the given number of stages.
func (p Plan) After(stages int) skew.Cluster { return p.states[stages].wholeCluster() }

// Kind is the part of the cluster that a stage moves.
type Kind string

// The kinds of stages.
const (
	KindControlPlane Kind = "control_plane"
	KindNodePools    Kind = "node_pools"
	KindClients      Kind = "clients"
)

// Stage is a set of moves to one version that can run in any order. Stages run one
// after another.
type Stage struct {
	Kind       Kind
	Components []string
	Locations  []finding.Location
	From       []version.Version // oldest first, without duplicates
	To         version.Version
	// Repairs says that the stage resolves an error, at one of its locations at least.
	Repairs bool
	// MoveNotes are the notes of the policy on the moves. It is empty for moves within
	// a minor.
	MoveNotes []*policy.Advisory
	// NewestBefore is the newest available or known patch of the minor that API servers
	// leave, if it is newer than their version. Otherwise it is zero.
	NewestBefore version.Version
	// Apply is the number of the apply that the stage belongs to, from 1. See
	// Plan.Applies.
	Apply int

	controlPlaneStep bool // moves API servers
	rollouts         int  // number of node pools that move
}

// Drain reports whether the nodes have to be drained before the stage.
func (s Stage) Drain() bool {
	return slices.ContainsFunc(s.MoveNotes, func(n *policy.Advisory) bool { return n.Drain })
}

// RollsBack reports whether the target is an older minor than that of the newest API server.
func (r Request) RollsBack() bool {
	return r.Cluster.Newest(skew.APIServer).Minor().Compare(r.Target.Minor()) > 0
}

// maxStages is the maximum number of stages of a plan. It exceeds what any plan of
// MaxPath minors needs, and guarantees that planning ends.
const maxStages = 100 * step.MaxPath

// Compute plans the stages to a target. It takes the limits from the pair rules of
// the policy only. Node pools move as late as possible, and then as far as possible.
//
// This results in the fewest rollouts. A node that is allowed beside two versions of
// an API server is also allowed beside the versions between them, so small steps of
// the control plane never cost an additional rollout. Larger steps are taken if the
// policy allows them and they do not cost one either.
func Compute(r Request) Plan {
	start := newState(r)
	plan := Plan{states: []state{start}}
	plan.Findings, _ = start.waived.Waive(onlyErrors(skew.Findings(r.Policy, r.Cluster)))
	stages, states, last := start.stages()
	end := states[len(states)-1]
	if !last.blocked() {
		last.blockers = start.totalDowngradeErrors(end)
	}
	plan.Feasible = !last.blocked() && len(last.moves) == 0
	stopsAtFixed := start.stopsAtFixed(last.blockers)
	if plan.Feasible || stopsAtFixed {
		plan.Stages, plan.states = stages, states
		for _, stage := range stages {
			plan.NodePoolRollouts += stage.rollouts
			if stage.controlPlaneStep {
				plan.ControlPlaneSteps++
			}
		}
		plan.Applies = assignApplies(stages, states)
		plan.Next = plan.After(min(1, len(stages)))
	}
	reasons := last.blockers
	if len(reasons) > 0 {
		known := brokenPairs{} // these are findings already
		for _, f := range start.errors() {
			for p := range pairsOf(f) {
				known[p] = true
			}
		}
		reasons = slices.DeleteFunc(reasons, known.has)
	}
	if stopsAtFixed {
		reasons = end.fixedFindings(reasons, plan.NodePoolRollouts)
	}
	for i := range reasons {
		reasons[i].Planned = true
	}
	plan.Findings = append(plan.Findings, reasons...)
	finding.Sort(plan.Findings)
	return plan
}

// stages makes decisions until there are no more moves. It returns the stages, the
// state before each stage and after the last, and the last decision.
func (s state) stages() (stages []Stage, states []state, last decision) {
	states = []state{s}
	for range maxStages {
		if last = s.next(); len(last.moves) == 0 {
			break
		}
		batch := s.batch(last.moves)
		after := s.apply(batch)
		stages, states = append(stages, s.newStage(batch, after)), append(states, after)
		s = after
	}
	return stages, states, last
}

// rolloutsToTarget returns the number of rollouts of a plan to the target. ok is false
// if the plan does not reach it.
func (s state) rolloutsToTarget() (rollouts int, ok bool) {
	stages, states, last := s.stages()
	for _, stage := range stages {
		rollouts += stage.rollouts
	}
	ok = !last.blocked() && len(last.moves) == 0 && len(s.totalDowngradeErrors(states[len(states)-1])) == 0
	return rollouts, ok
}
