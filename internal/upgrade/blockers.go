// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"iter"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// errorsCausedBy returns the unwaived errors that moves add or make worse. The result is
// not nil.
func (s state) errorsCausedBy(moves []unitMove) []finding.Finding {
	after := s.apply(moves)
	worse := brokenPairs{}
	for p := range s.changedPairs(moves, after) {
		if p.worse(s.instanceVersion, after.instanceVersion) {
			worse[brokenPair{p.rule.ID, s.instances[p.subject].location, s.instances[p.reference].location}] = true
		}
	}
	caused := slices.DeleteFunc(after.errors(), func(f finding.Finding) bool { return !worse.has(f) })
	return append(caused, s.unwaivedErrors(step.Check(s.Policy, s.cluster(), after.cluster(), step.Any).Findings)...)
}

// errors returns the unwaived errors of the state.
func (s state) errors() []finding.Finding {
	return s.unwaivedErrors(skew.Findings(s.Policy, s.cluster()))
}

// unwaivedErrors returns the errors that no waiver accepts.
func (p *planner) unwaivedErrors(findings []finding.Finding) []finding.Finding {
	findings, _ = p.waived.Waive(findings)
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return !f.IsUnwaivedError() })
}

// brokenPairs is a set of pairs of instances that errors are about.
type brokenPairs map[brokenPair]bool

type brokenPair struct {
	rule               string
	subject, reference finding.Location
}

// pairsOf yields the pairs that a finding is about.
func pairsOf(f finding.Finding) iter.Seq[brokenPair] {
	return func(yield func(brokenPair) bool) {
		for _, s := range f.Subject.Locations {
			for _, r := range f.Reference.Locations {
				if !yield(brokenPair{f.RuleID, s, r}) {
					return
				}
			}
		}
	}
}

// has reports whether a finding is about one of the pairs.
func (b brokenPairs) has(f finding.Finding) bool {
	for p := range pairsOf(f) {
		if b[p] {
			return true
		}
	}
	return false
}

// mustNotMove reports whether a plan does not move what is declared at a location: a
// held node pool, one that stops at its limit, or a component that is not part of
// Kubernetes.
func (p *planner) mustNotMove(l finding.Location) bool {
	return p.isHeld(l) || !p.limitOf(l).IsZero() || l.Attribute == finding.Components
}

// involvesFixed reports whether an error is about something that a plan does not move.
func (p *planner) involvesFixed(f finding.Finding) bool {
	return slices.ContainsFunc(f.Subject.Locations, p.mustNotMove) || slices.ContainsFunc(f.Reference.Locations, p.mustNotMove)
}

// stopsAtFixed reports whether a plan stops only because of what it does not move. Then
// its stages lead as far as that allows.
func (p *planner) stopsAtFixed(blockers []finding.Finding) bool {
	return len(blockers) > 0 && !slices.ContainsFunc(blockers, func(f finding.Finding) bool { return !p.involvesFixed(f) })
}

// movable reports whether a plan can move one side of an error before the API servers.
func movable(f finding.Finding) bool {
	for _, side := range []finding.Side{f.Subject, f.Reference} {
		for _, l := range side.Locations {
			if l.Attribute != finding.ControlPlaneVersion && side.Component != skew.APIServer {
				return true
			}
		}
	}
	return false
}

// fixedFindings turns the errors that stop a plan into findings on what it does not
// move.
func (s state) fixedFindings(blockers []finding.Finding, rollouts int) []finding.Finding {
	more := -1
	if complete, ok := s.rolloutsWithoutHolds(); ok {
		more = complete - rollouts
	}
	reached := s.Target
	for _, u := range s.unitsOf(apiServer) {
		if v := s.version(u); compare(v, reached) < 0 {
			reached = v
		}
	}
	isFree := func(l finding.Location) bool { return !s.mustNotMove(l) }
	var findings []finding.Finding
	for _, f := range blockers {
		next, ok := f.Cause.(*finding.Mismatch)
		if !ok {
			continue
		}
		// Places that can move are not the reason.
		stops, allowed := &f.Subject, f.Allowed
		if !slices.ContainsFunc(f.Subject.Locations, s.mustNotMove) {
			stops, allowed = &f.Reference, skew.AllowedReferences(next.Rule, f.Subject.Version).Written(f.Reference.Version.Numbering())
		}
		// Pools with different limits need different changes.
		var limits group.Map[string, []finding.Location]
		for _, l := range slices.DeleteFunc(slices.Clone(stops.Locations), isFree) {
			same := limits.GetOrCreate(s.limitUnlessHeld(l).String(), func() []finding.Location { return nil })
			*same = append(*same, l)
		}
		for _, locations := range limits.All {
			stops.Locations = locations
			f.Cause = &finding.Held{Stops: *stops, Limit: s.limitUnlessHeld(locations[0]), Allowed: allowed, Next: next, Reached: reached, Target: s.Target, Rollouts: more}
			findings = append(findings, f)
		}
	}
	return findings
}

// limitUnlessHeld returns the limit that stops a node pool, zero if held_node_pools does.
func (p *planner) limitUnlessHeld(l finding.Location) version.Version {
	if p.isHeld(l) {
		return version.Version{}
	}
	return p.limitOf(l)
}

// rolloutsWithoutHolds returns the number of rollouts that the target needs if no node
// pool is held or limited. ok is false if none is, or if the target cannot be reached
// anyway.
func (r Request) rolloutsWithoutHolds() (rollouts int, ok bool) {
	if len(r.Held) == 0 && len(r.Limits) == 0 {
		return 0, false
	}
	r.Held, r.Limits = nil, nil
	return newState(r).rolloutsToTarget()
}
