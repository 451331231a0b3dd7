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
	// Waivers accept findings on Day, which is written YYYY-MM-DD. What is
	// accepted need not be repaired, and stands in nobody's way.
	Waivers []finding.Waiver
	Day     string
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
	small := walk(r, 1)
	stride := r.maxStride()
	if stride < 2 {
		return small
	}
	large := walk(r, stride)
	if large.Feasible && (!small.Feasible || large.NodePoolRollouts <= small.NodePoolRollouts) {
		return large
	}
	return small
}

// maxStride is how many minors the policy lets an API server move at once on
// the way to the target.
func (r Request) maxStride() int {
	api := skew.APIServer
	up := r.Target.Minor().Compare(r.Cluster.Newest(api).Minor()) >= 0
	stride := MaxPath
	for _, rule := range r.Policy.StepRulesFor(api) {
		limit := rule.MaxUpgrade
		if !up {
			limit = rule.MaxDowngrade
		}
		if limit != nil {
			stride = min(stride, *limit)
		}
	}
	return stride
}

// pick returns the version to use of a minor, beside API servers that run
// already. It is the zero version where none is available.
func (r Request) pick(m version.Minor, now skew.Cluster) version.Version {
	_, exact := r.Target.Patch()
	if m == r.Target.Minor() && (exact || len(r.Available) == 0) {
		return r.Target
	}
	if len(r.Available) > 0 {
		return newestOf(r.Available, m)
	}
	for _, p := range now.Places {
		if v, _ := p.Version(skew.APIServer); v.Minor() == m {
			return v
		}
	}
	return m.Version()
}

// newestOf returns the newest version of a minor; of equal ones, the last,
// for builds have no order but that of the list.
func newestOf(versions []version.Version, m version.Minor) version.Version {
	var newest version.Version
	for _, v := range versions {
		if v.Minor() == m && v.Compare(newest) >= 0 {
			newest = v
		}
	}
	return newest
}

// newestPatch returns the newest version of a minor that is available or, where
// any version may be had, known; or the zero version.
func (r Request) newestPatch(m version.Minor) version.Version {
	if len(r.Available) > 0 || r.Calendar == nil {
		return newestOf(r.Available, m)
	}
	release, _ := r.Calendar.Lookup(m)
	return release.LatestPatch
}

// reached reports whether a version is good enough for the target: of its
// minor, and not older. A build is part of the target if it names one. Of a target
// that names no patch, a pre-release will do where nothing newer can be had.
func (r Request) reached(v version.Version) bool {
	if v.Minor() != r.Target.Minor() {
		return false
	}
	if _, exact := r.Target.Patch(); !exact && len(r.Available) > 0 && newestOf(r.Available, v.Minor()).Compare(v) <= 0 {
		return true
	}
	c := v.Compare(r.Target)
	return c > 0 || c == 0 && (r.Target.Build() == "" || v.Normalized() == r.Target.Normalized())
}
