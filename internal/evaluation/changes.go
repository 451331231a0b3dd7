// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// Changes separates the problems of an input: added are those that the step from the
// observed combination causes or makes worse, existing are the others. A finding
// exists before the step if the rule was violated at the same location, and is worse
// if it exceeds its limit by more. A finding that is added at only some of its
// locations is split in two.
//
// A finding about the step itself is always added. A finding exists if the version
// before the step is unknown, or if nothing is observed.
func Changes(in Input, problems []finding.Problem) (addedProblems, existingProblems []finding.Problem) {
	if in.Observed == nil {
		return nil, problems
	}
	before := newBaseline(*in.Observed, in.Cluster)
	for _, f := range Check(Input{Policy: in.Policy, Cluster: *in.Observed, Day: in.Day}).Findings() {
		for _, l := range f.Subject.Locations {
			for _, at := range before.earlier.instances(f, l) {
				if before.now != nil && len(before.now) == 0 {
					at.location = l // no node pool runs it any more
				}
				o := before.occurrence(f.RuleID, at)
				before.excesses[o] = append(before.excesses[o], excess(f))
			}
		}
	}
	var added, existing []finding.Finding
	for _, f := range finding.Findings(problems) {
		addedPart, existingPart := f, f
		addedPart.Subject.Locations, existingPart.Subject.Locations = nil, nil
		existed := before.existed(f)
		for _, l := range f.Subject.Locations {
			if existed(l) {
				existingPart.Subject.Locations = append(existingPart.Subject.Locations, l)
			} else {
				addedPart.Subject.Locations = append(addedPart.Subject.Locations, l)
			}
		}
		if len(addedPart.Subject.Locations) > 0 {
			added = append(added, addedPart)
		}
		if len(existingPart.Subject.Locations) > 0 {
			existing = append(existing, existingPart)
		}
	}
	finding.Sort(added)
	finding.Sort(existing)
	return finding.Problems(added), finding.Problems(existing)
}

// baseline is the state before a step that findings are compared with.
type baseline struct {
	excesses map[finding.Occurrence][]skew.Excess
	// unknown has an entry for each instance, which is true if its version is unknown.
	unknown map[placement]bool
	partial bool
	// managedDiffers says that only one of the two combinations declares a managed
	// control plane.
	managedDiffers bool
	// earlier and now are where the component of the whole cluster runs.
	earlier, now clusterWide
}

// clusterWide lists the node pools that run the component of the whole cluster. It is nil
// if the cluster declares none.
type clusterWide []finding.Location

func newClusterWide(c skew.Cluster) (pools clusterWide) {
	for p, i := range c.Instances() {
		switch {
		case i.ClusterWide && p.Location.Attribute == finding.NodePools:
			pools = append(pools, p.Location)
		case i.ClusterWide && pools == nil:
			pools = clusterWide{}
		}
	}
	return pools
}

// instances lists the instances that a finding is about at a location. A component of the
// whole cluster runs on several node pools, and a rule within a node is only about those
// that the finding names as the reference.
func (pools clusterWide) instances(f finding.Finding, l finding.Location) []placement {
	if l.Attribute != finding.KubeProxy || len(pools) == 0 {
		return []placement{{l, f.Subject.Component}}
	}
	m, ok := f.Cause.(*finding.Mismatch)
	within := ok && m.Rule.Scope == policy.ScopeNode
	references := map[finding.Location]bool{}
	for _, at := range f.Reference.Locations {
		references[at] = true
	}
	var all []placement
	for _, pool := range pools {
		if !within || references[pool] {
			all = append(all, placement{pool, f.Subject.Component})
		}
	}
	return all
}

// placement is a component at a location.
type placement struct {
	location  finding.Location
	component string
}

func newBaseline(before, after skew.Cluster) baseline {
	b := baseline{
		excesses: map[finding.Occurrence][]skew.Excess{}, unknown: map[placement]bool{}, partial: before.Partial,
		managedDiffers: managed(before) != managed(after), earlier: newClusterWide(before), now: newClusterWide(after),
	}
	for p, i := range before.Instances() {
		at := b.placement(placement{p.Location, i.Component})
		b.unknown[at] = b.unknown[at] || i.Version.IsZero()
	}
	return b
}

// managed reports whether a cluster declares a managed control plane.
func managed(c skew.Cluster) bool {
	return slices.ContainsFunc(c.Places, func(p skew.Place) bool { return p.Location.Attribute == finding.ControlPlaneVersion })
}

// placement returns a placement with which that of the other combination is compared. If only
// one of the two declares a managed control plane, all instances there are the same.
func (b baseline) placement(at placement) placement {
	if b.managedDiffers && at.location.InControlPlane() {
		at.location = finding.AtAttribute(finding.ControlPlaneVersion)
	}
	return at
}

// occurrence returns the rule that an instance violates, with its placement.
func (b baseline) occurrence(rule string, at placement) finding.Occurrence {
	at = b.placement(at)
	return finding.Occurrence{RuleID: rule, Component: at.component, Location: at.location}
}

// existed returns a function that reports whether a finding existed at a location
// before the step, or may have. At a component of the whole cluster, it existed if it did
// on each node pool.
func (b baseline) existed(f finding.Finding) func(finding.Location) bool {
	now := excess(f)
	referenceUnknown := slices.ContainsFunc(f.Reference.Locations, func(l finding.Location) bool { return b.isUnknown(placement{l, f.Reference.Component}) })
	existed := func(at placement) bool {
		return b.isUnknown(at) || slices.ContainsFunc(b.excesses[b.occurrence(f.RuleID, at)], func(was skew.Excess) bool { return !now.Worse(was) })
	}
	return func(l finding.Location) bool {
		return !f.Cause.OfStep() && (referenceUnknown || existed(placement{l, f.Subject.Component}) ||
			!slices.ContainsFunc(b.now.instances(f, l), func(at placement) bool { return !existed(at) }))
	}
}

// isUnknown reports whether the version of an instance before the step is unknown.
func (b baseline) isUnknown(at placement) bool {
	unknown, declared := b.unknown[b.placement(at)]
	return unknown || !declared && b.partial
}

// excess returns by how much a finding exceeds its limit, or a number that grows with it. It
// is 0 if nothing can be counted.
func excess(f finding.Finding) skew.Excess {
	if m, ok := f.Cause.(*finding.Mismatch); ok {
		return skew.ExcessOf(m.Rule, f.Subject.Version, f.Reference.Version)
	}
	if c, ok := f.Cause.(*finding.EndOfLife); ok {
		return skew.Excess{Relation: finding.TooOld, Minors: -c.Standard.Days}
	}
	e := skew.Excess{Relation: finding.TooOld}
	if c, ok := f.Cause.(*finding.StepLimit); ok {
		e.Minors = f.Distance()
		if c.Back {
			e.Relation = finding.TooNew // the version before the step is
		}
	}
	return e
}
