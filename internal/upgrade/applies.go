// SPDX-License-Identifier: MPL-2.0

package upgrade

// numberApplies tells which apply each stage belongs to, in a module that applies
// its changes to the control plane first: consecutive stages share one if they
// are in that order and make up a step that is sound in it. states is what
// the plan goes through, from the start to the end.
func numberApplies(stages []Stage, states []state) (applies int) {
	first := 0 // stage of the apply
	for i := range stages {
		if i == 0 || !oneApply(stages[first:i+1], states[first], states[i+1]) {
			first = i
			applies++
		}
		stages[i].Apply = applies
	}
	return applies
}

// oneApply reports whether one apply can take some stages.
func oneApply(stages []Stage, from, to state) bool {
	nodePools := false
	for _, s := range stages {
		if nodePools && s.Kind == KindControlPlane {
			return false
		}
		nodePools = nodePools || s.Kind == KindNodePools
	}
	return len(from.errorsIn(Evaluate(from.Policy, from.cluster(), to.cluster(), ControlPlaneFirst).Findings)) == 0
}
