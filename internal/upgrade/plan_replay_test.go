// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// checkWalk replays a plan. No stage, and no single move within one, may cause a new
// violation. Each stage must be an accepted step. After the last one, everything must
// be at the target.
func checkWalk(t interface {
	Helper()
	Errorf(format string, args ...any)
}, r upgrade.Request, plan upgrade.Plan) {
	t.Helper()
	brokenBefore := map[string]bool{}
	for _, f := range skew.Findings(r.Policy, r.Cluster) {
		brokenBefore[f.RuleID] = true
	}
	check := func(c skew.Cluster, when string) {
		for _, f := range skew.Findings(r.Policy, c) {
			if f.Severity == policy.SeverityError && !brokenBefore[f.RuleID] {
				t.Errorf("%s, %s %s violates %s beside %s", when, f.Subject.Component, f.Subject.Version, f.RuleID, f.Reference.Version)
			}
		}
	}
	now := r.Cluster
	steps, rollouts := 0, 0
	for number, stage := range plan.Stages {
		next := skew.Cluster{LocalEndpoint: now.LocalEndpoint}
		for _, p := range now.Places {
			instances := slices.Clone(p.Instances)
			for i := range instances {
				if slices.Contains(stage.Locations, p.At(instances[i])) && slices.Contains(stage.Components, instances[i].Component) {
					instances[i].Version = stage.To
				}
			}
			next.Places = append(next.Places, skew.Place{Location: p.Location, Instances: instances})
		}
		for i := range now.Places {
			if stage.Locations[0].Attribute == finding.KubeProxy {
				break // the cluster-wide kube-proxy is one move
			}
			half := skew.Cluster{LocalEndpoint: now.LocalEndpoint, Places: slices.Concat(next.Places[:i], now.Places[i:])}
			check(half, fmt.Sprintf("in the middle of stage %d", number+1))
		}
		check(next, fmt.Sprintf("after stage %d", number+1))
		checkStage(t, r.Policy, stage, now, next)
		if slices.Contains(stage.Components, "kube-apiserver") {
			steps++
		}
		for _, p := range now.Places {
			if p.Location.Attribute == finding.NodePools && slices.Contains(stage.Locations, p.Location) {
				rollouts++
			}
		}
		for _, f := range step.Check(r.Policy, now, next, step.Any).Findings {
			if f.Severity == policy.SeverityError {
				t.Errorf("stage %d is refused by %s", number+1, f.RuleID)
			}
		}
		if number == 0 && !slices.EqualFunc(plan.Next.Places, next.Places, func(a, b skew.Place) bool {
			return a.Location == b.Location && slices.EqualFunc(a.Instances, b.Instances, func(x, y skew.Instance) bool {
				return x.Component == y.Component && x.Version.String() == y.Version.String()
			})
		}) {
			t.Errorf("next is %v, want the cluster after the first stage, %v", plan.Next, next)
		}
		now = next
	}
	if steps != plan.ControlPlaneSteps || rollouts != plan.NodePoolRollouts {
		t.Errorf("the plan has %d steps and %d rollouts, counted %d and %d", plan.ControlPlaneSteps, plan.NodePoolRollouts, steps, rollouts)
	}
	if !plan.Feasible && len(plan.Stages) == 0 && len(plan.Next.Places) > 0 {
		t.Errorf("not feasible, but next is %v", plan.Next)
	}
	if plan.Feasible && len(plan.Stages) == 0 && !slices.EqualFunc(plan.Next.Places, r.Cluster.Places, func(a, b skew.Place) bool { return a.Location == b.Location }) {
		t.Errorf("nothing moves, but next is %v", plan.Next)
	}
	if !plan.Feasible {
		return
	}
	if r.Cluster.Newest(skew.APIServer).Minor().Compare(r.Target.Minor()) > 0 {
		return // a rollback does not upgrade what is older than the target
	}
	if left := skew.Findings(r.Policy, now); len(left) > 0 {
		t.Errorf("after the last stage, %s is violated", left[0].RuleID)
	}
	for _, p := range now.Places {
		for _, i := range p.Instances {
			mustArrive := p.Location.InControlPlane() || p.Location.Attribute == finding.NodePools && r.Strategy != upgrade.RequiredOnly
			if mustArrive && i.Version.Minor() != r.Target.Minor() {
				t.Errorf("after the last stage, %s of %s is at %s", i.Component, p.Location, i.Version)
			}
		}
	}
}

// checkStage compares the fields of a stage with the clusters before and after it.
func checkStage(t interface {
	Helper()
	Errorf(format string, args ...any)
}, p *policy.Policy, stage upgrade.Stage, before, after skew.Cluster) {
	t.Helper()
	from, notes := map[string]bool{}, map[*policy.Advisory]bool{}
	for i, place := range before.Places {
		kind := upgrade.KindNodePools
		switch {
		case place.Location.InControlPlane():
			kind = upgrade.KindControlPlane
		case place.Location.Attribute == finding.Kubectl:
			kind = upgrade.KindClients
		}
		moves := false
		location := place.Location
		for j, instance := range place.Instances {
			a, b := instance.Version, after.Places[i].Instances[j].Version
			if a.String() == b.String() {
				continue
			}
			moves, location = true, place.At(instance)
			from[a.String()] = true
			if a.Minor() != b.Minor() {
				for _, n := range p.NotesFor(instance.Component) {
					notes[n] = true
				}
			}
		}
		if moves && kind != stage.Kind {
			t.Errorf("a stage of kind %s moves %s", stage.Kind, place.Location)
		}
		if moves != slices.Contains(stage.Locations, location) {
			t.Errorf("a stage has locations %v, but %s moves: %t", stage.Locations, location, moves)
		}
	}
	for _, v := range stage.From {
		delete(from, v.String())
	}
	duplicate := len(stage.MoveNotes) > len(notes)
	for _, n := range stage.MoveNotes {
		delete(notes, n)
	}
	if len(from) > 0 || len(notes) > 0 || duplicate || !slices.IsSortedFunc(stage.From, version.Version.Compare) {
		t.Errorf("a stage has versions %v and notes %v, without %v and %v; duplicate notes: %t", stage.From, stage.MoveNotes, from, notes, duplicate)
	}
	// A location violates a rule, or violates it beside another location. The latter are
	// some too many: not every instance of a finding relates to each of the others.
	type violation struct {
		finding.Occurrence
		beside finding.Location
	}
	errors := func(c skew.Cluster) map[violation]bool {
		all := map[violation]bool{}
		for _, f := range skew.Findings(p, c) {
			for o := range f.Occurrences() {
				for _, l := range append(f.Reference.Locations, finding.Location{}) {
					all[violation{o, l}] = f.Severity == policy.SeverityError
				}
			}
		}
		return all
	}
	resolved, left := errors(before), errors(after)
	maps.DeleteFunc(resolved, func(v violation, isError bool) bool { return !isError || left[v] })
	entirely := maps.Clone(resolved)
	maps.DeleteFunc(entirely, func(v violation, _ bool) bool { return v.beside != finding.Location{} })
	if stage.Repairs && len(resolved) == 0 || !stage.Repairs && len(entirely) > 0 {
		t.Errorf("a stage repairs: %t, but resolves %v, and entirely %v", stage.Repairs, resolved, entirely)
	}
}
