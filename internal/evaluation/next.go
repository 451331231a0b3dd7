// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Next is the outlook on the next control-plane minor, or on the previous one.
type Next struct {
	Version version.Version // the minor, in the numbers of the control plane
	// Blockers is the unwaived errors of the step in which the control plane
	// moves there and everything else stays; empty if it can go.
	Blockers []finding.Finding
}

// outlook judges the step in which the control plane alone moves on from its
// newest API server, by some minors. It is nil when no API server is declared.
func outlook(in Input, minors int) *Next {
	newest := in.Cluster.Newest(skew.APIServer)
	if newest.IsZero() || newest.Minor().Minor+minors < 0 {
		return nil
	}
	next := &Next{Version: newest.Numbering().Version(newest.Minor().Add(minors))}
	findings := judgeNext(in, next.Version)
	findings, _ = finding.Waive(findings, in.Waivers, in.Day)
	findings = slices.DeleteFunc(findings, func(f finding.Finding) bool { return !f.IsUnwaivedError() })
	next.Blockers = withRemedies(findings, func() *trials { return newTrials(in, findings, next.Version) })
	return next
}

// judgeNext judges the step in which the control plane alone moves to a minor.
func judgeNext(in Input, to version.Version) []finding.Finding {
	c := in.Cluster
	moved := skew.Cluster{LocalEndpoint: c.LocalEndpoint}
	for _, place := range c.Places {
		instances := slices.Clone(place.Instances)
		for i := range instances {
			if place.Location.InControlPlane() && slices.Contains(skew.ControlPlaneComponents, instances[i].Component) {
				instances[i].Version = to
			}
		}
		moved.Places = append(moved.Places, skew.Place{Location: place.Location, Instances: instances})
	}
	findings, _ := judge(Input{Policy: in.Policy, Cluster: moved, Observed: &c, ApplyOrder: upgrade.Any})
	return findings
}

// wayBack is the outlook on the previous control-plane minor. It is nil where the
// policy lets no API server go back a minor.
func wayBack(in Input) *Next {
	for _, r := range in.Policy.StepRulesFor(skew.APIServer) {
		if r.Severity == policy.SeverityError && r.MaxDowngrade != nil && *r.MaxDowngrade < 1 {
			return nil
		}
	}
	return outlook(in, -1)
}
