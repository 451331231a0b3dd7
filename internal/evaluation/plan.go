// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Planned is a plan with the problems that it repairs or that stop it.
type Planned struct {
	upgrade.Plan
	Problems []finding.Problem
}

// Plan plans an upgrade. If the request has no calendar, it uses the embedded one. A
// finding that a stage repairs has the number of the stage.
func Plan(r upgrade.Request) Planned {
	if r.Calendar == nil {
		r.Calendar = releases.Embedded()
	}
	plan := upgrade.Compute(r)
	markRepairs(r.Policy, &plan)
	p := Planned{plan, problems(Input{Policy: r.Policy, Cluster: r.Cluster}, plan.Findings, version.Version{})}
	p.Findings = finding.Findings(p.Problems)
	return p
}

// markRepairs sets RepairedBy of the findings of a plan. Stages never bring a violation back.
func markRepairs(p *policy.Policy, plan *upgrade.Plan) {
	open := map[int][]violation{}   // by finding
	lastLeft := map[violation]int{} // the last stage after which a violation is left
	for i, f := range plan.Findings {
		if _, mismatch := f.Cause.(*finding.Mismatch); !mismatch || f.Planned || !f.IsUnwaivedError() {
			continue
		}
		for o := range f.Occurrences() {
			v := violationOf(f, o)
			open[i], lastLeft[v] = append(open[i], v), 0
		}
	}
	anyLeft := len(open) > 0
	for n := 1; n <= len(plan.Stages) && anyLeft; n++ {
		anyLeft = false
		for v := range violationsIn(p, plan.After(n)) {
			if _, reported := lastLeft[v]; reported {
				lastLeft[v], anyLeft = n, true
			}
		}
	}
	for i, violations := range open {
		last := 0
		for _, v := range violations {
			last = max(last, lastLeft[v])
		}
		if last < len(plan.Stages) {
			plan.Findings[i].RepairedBy = last + 1
		}
	}
}

// ControlPlanePath lists the minors that API servers go through in an upgrade,
// including the last one. See step.Path.
func ControlPlanePath(p *policy.Policy, from, to version.Minor) []version.Minor {
	return step.Path(p, skew.APIServer, from, to)
}

// AllowedWith returns the minors that an instance of a component may have in a cluster
// that contains only the given API servers.
func AllowedWith(p *policy.Policy, component string, apiServers ...version.Version) finding.Window {
	return skew.AllowedWith(p, onlyAPIServers(apiServers), component)
}

// IsAllowedWith reports whether an instance of a component may have a version in a
// cluster that contains only the given API servers. Unlike AllowedWith, it considers
// patches.
func IsAllowedWith(p *policy.Policy, component string, v version.Version, apiServers ...version.Version) bool {
	return skew.Allows(p, onlyAPIServers(apiServers), component, v)
}

func onlyAPIServers(versions []version.Version) skew.Cluster {
	var c skew.Cluster
	for i, v := range versions {
		c.Places = append(c.Places, skew.Place{
			Location:  finding.AtIndex(finding.Components, skew.APIServer, i),
			Instances: []skew.Instance{{Component: skew.APIServer, Version: v}},
		})
	}
	return c
}
