// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// assignApplies sets the apply of each stage for a module that applies changes of its
// control plane first. Consecutive stages share an apply if they fit into one. states
// holds the state before each stage and the one after the last.
func assignApplies(stages []Stage, states []state) (applies int) {
	first := 0 // the first stage of the apply
	for i := range stages {
		if i == 0 || !fitOneApply(stages[first:i+1], states[first], states[i+1]) {
			first = i
			applies++
		}
		stages[i].Apply = applies
	}
	return applies
}

// fitOneApply reports whether one apply can take several stages. They must not move
// the control plane after node pools, and together they must be a step that satisfies
// the policy.
func fitOneApply(stages []Stage, from, to state) bool {
	nodePools := false
	for _, s := range stages {
		if nodePools && s.Kind == KindControlPlane {
			return false
		}
		nodePools = nodePools || s.Kind == KindNodePools
	}
	return len(from.unwaivedErrors(step.Check(from.Policy, from.cluster(), to.cluster(), step.ControlPlaneFirst).Findings)) == 0
}
