// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// AdjacentMinor is the control-plane minor after or before the current one.
type AdjacentMinor struct {
	Version version.Version // the minor, in the numbering of the control plane
	// Blockers are the unwaived errors of a step in which only the control plane moves
	// to that minor. It is empty if the control plane can move there.
	Blockers []finding.Problem
}

// previousMinor returns the control-plane minor before the current one. It is nil if
// the policy does not allow an API server to roll back by a minor.
func previousMinor(in Input) *AdjacentMinor {
	for _, r := range in.Policy.StepRulesFor(skew.APIServer) {
		if most := r.LargestMove(true); most != nil && *most < 1 {
			return nil
		}
	}
	return adjacentMinor(in, -1)
}

// adjacentMinor checks the step in which the control plane moves from its newest API
// server by the given number of minors. It is nil if no API server is declared.
func adjacentMinor(in Input, minors int) *AdjacentMinor {
	newest := in.Cluster.Newest(skew.APIServer)
	if newest.IsZero() || newest.Minor().Minor+minors < 0 {
		return nil
	}
	a := &AdjacentMinor{Version: newest.Numbering().Version(newest.Minor().Add(minors))}
	step := controlPlaneMove(in, a.Version)
	combination, ofStep := checkRules(step)
	findings := slices.Concat(combination, ofStep.Findings, checkOffered(step))
	findings, _ = finding.NewWaivers(in.Waivers, in.Day).Waive(findings)
	findings = slices.DeleteFunc(findings, func(f finding.Finding) bool { return !f.IsUnwaivedError() })
	a.Blockers = problems(in, findings, a.Version)
	return a
}

// controlPlaneMove returns the step in which only the control plane moves, to the given
// version.
func controlPlaneMove(in Input, to version.Version) Input {
	c := in.Cluster
	moved := skew.Cluster{LocalEndpoint: c.LocalEndpoint}
	for _, place := range c.Places {
		instances := place.Instances
		if place.Location.InControlPlane() {
			instances = slices.Clone(instances)
			for i := range instances {
				if slices.Contains(skew.ControlPlaneComponents, instances[i].Component) {
					instances[i].Version = to
				}
			}
		}
		moved.Places = append(moved.Places, skew.Place{Location: place.Location, Instances: instances})
	}
	return Input{Policy: in.Policy, Cluster: moved, Observed: &c, ApplyOrder: step.Any, Offered: in.Offered}
}
