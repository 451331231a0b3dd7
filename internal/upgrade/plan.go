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
	// Follow moves node pools after every step of the control plane.
	Follow Strategy = "follow"
)

// Request asks for a plan.
type Request struct {
	Policy   *policy.Policy
	Cluster  skew.Cluster // what runs now
	Target   version.Version
	Strategy Strategy
	// Available lists the versions that can be had. Each stage then uses the
	// newest one of its minor; of equal ones, the last. Empty for any version.
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
	// Feasible says that there is a way; if not, there are no stages.
	Feasible bool
	// Findings is what breaks the policy now and, where there is no way, what
	// is in it.
	Findings []finding.Finding
	Stages   []Stage
	// Next is the cluster after the first stage, or as it is.
	Next skew.Cluster
	// ControlPlaneSteps counts the stages that move API servers.
	ControlPlaneSteps int
	// NodePoolRollouts counts, over all node pools, how often each moves.
	NodePoolRollouts int
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
	small := compute(r, 1)
	most := r.maxMinorsPerStep()
	if most < 2 {
		return small
	}
	large := compute(r, most)
	if large.Feasible && (!small.Feasible || large.NodePoolRollouts <= small.NodePoolRollouts) {
		return large
	}
	return small
}

// compute plans with steps of at most some minors for the API servers.
func compute(r Request, minorsPerStep int) Plan {
	s := reduced(r, minorsPerStep)
	brokenNow, _ := finding.Waive(errorsOf(skew.Evaluate(r.Policy, r.Cluster)), r.Waivers, r.Day)
	s, feasible := s.moveControlPlane()
	if feasible {
		s, feasible = s.moveNodes()
	}
	plan := Plan{Feasible: feasible, Findings: append(brokenNow, s.blockers...)}
	finding.Sort(plan.Findings)
	if feasible {
		plan.Stages = s.stages
	}
	for _, stage := range plan.Stages {
		plan.NodePoolRollouts += stage.rollouts
		if stage.controlPlaneStep {
			plan.ControlPlaneSteps++
		}
	}
	plan.Next = r.after(plan.Stages)
	return plan
}

// maxMinorsPerStep is how many minors the policy lets an API server move at once on
// the way to the target.
func (r Request) maxMinorsPerStep() int {
	api := skew.APIServer
	up := r.Target.Minor().Compare(r.Cluster.Newest(api).Minor()) >= 0
	most := MaxPath
	for _, rule := range r.Policy.StepRulesFor(api) {
		limit := rule.MaxUpgrade
		if !up {
			limit = rule.MaxDowngrade
		}
		if limit != nil {
			most = min(most, *limit)
		}
	}
	return most
}
