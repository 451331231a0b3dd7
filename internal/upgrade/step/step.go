// SPDX-License-Identifier: MPL-2.0

package step

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// Result is the result of Check.
type Result struct {
	Findings []finding.Finding
	graph    *graph // nil if no order of the moves exists
}

// Order lists the moves in an order in which every intermediate combination satisfies the
// policy. It does not depend on the declared order. It is empty if no such order exists or
// nothing moves.
func (r Result) Order() []Ordered {
	if r.graph == nil {
		return nil
	}
	return r.graph.order()
}

// Check checks the step between two combinations whose moves are applied in the
// given order. It does not check the combinations themselves: skew.Findings does.
func Check(p *policy.Policy, from, to skew.Cluster, order ApplyOrder) Result {
	order = cmp.Or(order, ControlPlaneFirst)
	sites := changes(from, to)
	limits, refused := checkLimits(p, sites, from)
	graph := newGraph(p, sites)
	conflicts := graph.conflicts()
	result := Result{Findings: slices.Concat(limits, conflicts, graph.applyOrderFindings(order))}
	for i := range result.Findings {
		f := &result.Findings[i]
		f.Subject.Locations, f.Reference.Locations = finding.Distinct(f.Subject.Locations), finding.Distinct(f.Reference.Locations)
	}
	if !refused && len(conflicts) == 0 {
		result.graph = graph
	}
	finding.Sort(result.Findings)
	return result
}

// checkLimits applies the step rules. Moves that a rule refuses have to change anyway, so
// the order of the step ignores them.
func checkLimits(p *policy.Policy, sites []*site, from skew.Cluster) (findings []finding.Finding, refused bool) {
	type key struct{ rule, from, to string }
	var groups group.Map[key, finding.Finding]
	for _, r := range p.StepRules {
		newest := from.Newest(r.Component)
		for n := range nodesOf(sites) {
			change := n.Change
			if n.component != r.Component || change.To.IsZero() {
				continue
			}
			if n.joins() {
				change.From = newest
			}
			if change.From.IsZero() {
				continue
			}
			limit, exceeded := Exceeded(r, change.From, change.To)
			if !exceeded {
				continue
			}
			if r.Severity == policy.SeverityError {
				n.refused, refused = true, true
			}
			f := groups.GetOrCreate(key{r.ID, change.From.String(), change.To.String()}, func() finding.Finding {
				return NewFinding(limit, change.From, change.To)
			})
			f.Subject.Locations = append(f.Subject.Locations, n.locations()...)
		}
	}
	return groups.All, refused
}
