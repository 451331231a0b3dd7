// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// assignApplies sets the apply of each stage for a module that applies changes of its
// control plane first. Consecutive stages share an apply if they fit into one. states
// holds the state before each stage and the one after the last.
func assignApplies(stages []Stage, states []state) (applies int) {
	first := 0 // the first stage of the apply
	before := states[0].cluster()
	from := before // the cluster before the apply
	for i := range stages {
		after := states[i+1].cluster()
		if i == 0 || !states[0].fitOneApply(stages[first:i+1], from, after) {
			first, from = i, before
			applies++
		}
		stages[i].Apply, before = applies, after
	}
	return applies
}

// fitOneApply reports whether one apply can take several stages. They must not move
// the control plane after node pools, and together they must be a step that satisfies
// the policy.
func (p *planner) fitOneApply(stages []Stage, from, to skew.Cluster) bool {
	nodePools := false
	for _, s := range stages {
		if nodePools && s.Kind == KindControlPlane {
			return false
		}
		nodePools = nodePools || s.Kind == KindNodePools
	}
	return len(p.unwaivedErrors(step.Check(p.Policy, from, to, step.ControlPlaneFirst).Findings)) == 0
}
