// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// trials checks clusters to which a possible remedy has been applied.
type trials struct {
	in Input
	// reduced is in with at most two of all places that change alike. Two are enough to
	// check their instances against each other.
	reduced  Input
	problems []finding.Problem
	// before holds the violations of the declared versions.
	before map[violation]existing
	// adjacent is the control-plane minor that the problems block. It is zero if the
	// problems are about the declared versions.
	adjacent version.Version
	// minors lists all minors from the oldest to the newest in use, before and after
	// the step.
	minors []version.Minor
	// running holds the versions before the step. No remedy goes below them, because
	// nobody has asked to roll back. It is empty if there is no step, or if the
	// problems block the previous minor. A managed control plane has the versions of all
	// instances that it replaces.
	running map[placement][]version.Version
	// start matches the declared placements with those before the step.
	start baseline
	// declared holds the declared versions.
	declared map[placement]version.Version
	// verdicts holds the results of earlier trials, because different candidates often
	// lead to the same cluster.
	verdicts map[string]verdict
	// cost is about how many pairs of instances a trial compares.
	cost int
	// agreed is the cluster after the remedies of the problems before.
	agreed skew.Cluster
	// budget is about how many pairs of instances all further trials may compare.
	budget int
}

// maxCompared is the number of pairs of instances that a search for remedies may compare.
// It is enough for hundreds of problems in clusters of usual size. The problems after
// that only get a direction, so that a search takes at most about a second.
const maxCompared = 1_000_000

// existing says by how much a known violation exceeds its limit at most, and holds the
// indexes of the problems that it belongs to.
type existing struct {
	worst    skew.Excess
	problems []int
}

// collect returns violations with what each of them exceeds at most.
func collect(found iter.Seq2[violation, skew.Excess]) map[violation]existing {
	known := map[violation]existing{}
	for v, e := range found {
		if e.Worse(known[v].worst) {
			known[v] = existing{worst: e}
		}
	}
	return known
}

// verdict is the result of a trial: for each problem, whether a part of it remains. It is nil
// if the change does not work, because it causes a new violation, or makes one worse.
type verdict []bool

// removes reports whether the change works, and removes all problems that another one does.
func (v verdict) removes(other verdict) bool {
	for i, remains := range v {
		if remains && !other[i] {
			return false
		}
	}
	return v != nil
}

func newTrials(in Input, problems []finding.Problem, adjacent version.Version) *trials {
	t := &trials{in: in, reduced: reduce(in, problems), problems: problems, adjacent: adjacent, declared: versions(in.Cluster), verdicts: map[string]verdict{}, budget: maxCompared}
	var used []version.Minor
	for _, v := range t.declared {
		used = append(used, v.Minor())
	}
	if in.Observed != nil {
		t.start, t.running = newBaseline(*in.Observed, in.Cluster), map[placement][]version.Version{}
		for i, v := range versions(*in.Observed) {
			i = t.start.placement(i)
			t.running[i] = append(t.running[i], v)
			used = append(used, v.Minor())
		}
	}
	if t.isAdjacent() {
		used = append(used, adjacent.Minor()) // may be newer than all API servers
		if !t.onward() {
			t.running = nil
		}
	}
	t.minors, t.agreed = filled(used), t.reduced.Cluster
	t.cost = compared(t.reduced)
	if t.isAdjacent() {
		t.cost += compared(controlPlaneMove(t.reduced, t.adjacent))
	}
	t.before = collect(t.violations(t.reduced))
	for i, p := range problems {
		for _, f := range p.Findings {
			for o := range f.Occurrences() {
				v := violationOf(f, o)
				v.adjacent = t.isAdjacent()
				if b, known := t.before[v]; known { // not at a place that reduce has removed
					b.problems = append(b.problems, i)
					t.before[v] = b
				}
			}
		}
	}
	return t
}

// compared estimates how many pairs of instances are compared to check an input.
func compared(in Input) int {
	instances := map[string]int{}
	for _, i := range in.Cluster.Instances() {
		instances[i.Component]++
	}
	n := len(in.Cluster.Places) + len(in.Offered.ControlPlane.Versions) + len(in.Offered.NodePools.Versions)
	for _, r := range in.Policy.PairRules {
		pairs := instances[r.Subject]
		if r.Scope != policy.ScopeNode {
			pairs *= instances[r.Reference]
		}
		n += pairs * (1 + len(r.Conditions))
	}
	if in.Observed != nil {
		n *= 4 // also combinations during the step
	}
	return n
}

// isAdjacent reports whether the problems are about the adjacent control-plane minor.
func (t *trials) isAdjacent() bool { return !t.adjacent.IsZero() }

// onward reports whether the adjacent minor is the next one.
func (t *trials) onward() bool { return t.adjacent.Compare(t.in.Cluster.Newest(skew.APIServer)) > 0 }

// reduce keeps at most two of all places that have the same versions before and after
// the step and belong to the same problems.
func reduce(in Input, problems []finding.Problem) Input {
	problemsAt := map[finding.Location][]int{}
	for i, p := range problems {
		for _, l := range p.Locations() {
			problemsAt[l] = append(problemsAt[l], i)
		}
		for _, l := range p.References() {
			problemsAt[l] = append(problemsAt[l], -i-1)
		}
	}
	observed := map[finding.Location]skew.Place{}
	if in.Observed != nil {
		for _, p := range in.Observed.Places {
			observed[p.Location] = p
		}
	}
	all := in.Cluster.Places
	in.Cluster.Places = nil
	removed := map[finding.Location]bool{}
	for _, kept := range skew.Representatives(len(all), func(i int, key []byte) []byte {
		at := all[i].Location
		return fmt.Append(observed[at].AppendInstances(all[i].AppendInstances(key)), at.Attribute, problemsAt[at])
	}) {
		in.Cluster.Places = append(in.Cluster.Places, all[kept.Index])
		for _, other := range kept.Alike[min(2, len(kept.Alike)):] {
			removed[all[other].Location] = true
		}
	}
	if in.Observed != nil && len(removed) > 0 {
		before := *in.Observed
		before.Places = slices.DeleteFunc(slices.Clone(before.Places), func(p skew.Place) bool { return removed[p.Location] })
		in.Observed = &before
	}
	return in
}

// filled sorts minors, and adds those between them unless a gap is wide.
func filled(used []version.Minor) []version.Minor {
	var all []version.Minor
	slices.SortFunc(used, version.Minor.Compare)
	used = slices.Compact(used)
	for i, m := range used {
		if i > 0 {
			if gap, same := m.Skew(used[i-1]); same && gap <= policy.MaxLimit {
				for between := used[i-1].Add(1); between != m; between = between.Add(1) {
					all = append(all, between)
				}
			}
		}
		all = append(all, m)
	}
	return all
}

// versions returns the known versions of all instances of a cluster.
func versions(c skew.Cluster) map[placement]version.Version {
	all := map[placement]version.Version{}
	for p, i := range c.Instances() {
		if !i.Version.IsZero() {
			all[placement{p.At(i), i.Component}] = i.Version
		}
	}
	return all
}

// violations yields the violations of an input and, if the problems are about the adjacent
// minor, of the step to it.
func (t *trials) violations(in Input) iter.Seq2[violation, skew.Excess] {
	return func(yield func(violation, skew.Excess) bool) {
		for v, e := range in.violations() {
			if !yield(v, e) {
				return
			}
		}
		if t.isAdjacent() {
			for v, e := range controlPlaneMove(in, t.adjacent).violations() {
				v.adjacent = true
				if !yield(v, e) {
					return
				}
			}
		}
	}
}

// check checks other versions. It returns nil, too, if the budget is used up.
func (t *trials) check(c skew.Cluster) verdict {
	var b strings.Builder
	for _, i := range c.Instances() {
		b.WriteString(i.Version.String() + " ")
	}
	v, known := t.verdicts[b.String()]
	cost := t.cost
	if known {
		cost = len(c.Places)
	}
	if t.budget -= cost; t.budget < 0 {
		return nil
	}
	if !known {
		in := t.reduced
		in.Cluster = c
		v = t.verdict(t.violations(in), t.before)
		t.verdicts[b.String()] = v
	}
	return v
}

// verdict compares violations with those that are known, up to the first that is new or worse.
func (t *trials) verdict(found iter.Seq2[violation, skew.Excess], known map[violation]existing) verdict {
	remaining := make(verdict, len(t.problems))
	for v, e := range found {
		if e.Worse(known[v].worst) {
			return nil
		}
		for _, i := range known[v].problems {
			remaining[i] = true
		}
	}
	return remaining
}

// try checks a change of some instances to a version. It works if it has only the given
// drawback, removes the problem and causes no new violation.
func (s *search) try(changed []placement, to version.Version, d finding.Drawback) (v verdict) {
	switch {
	case len(changed) == 0 || s.rollsBack(changed, to):
	case d == finding.OwnApply:
		v = s.trySeparateApply(changed, to)
	case s.drawback(changed, to) == d:
		after := changedTo(s.reduced.Cluster, changed, to)
		if _, ok := s.first.Cause.(*finding.StepOrder); ok && !s.isAdjacent() && !slices.ContainsFunc(step.Moves(*s.in.Observed, after), movesMinor) {
			return nil // to skip the step is not a remedy
		}
		v = s.check(after)
	}
	if v == nil || v[s.index] {
		return nil
	}
	return v
}

// agrees reports whether a change also works after the remedies of the problems before.
func (s *search) agrees(changed []placement, to version.Version) bool {
	v := s.check(changedTo(s.agreed, changed, to))
	return v != nil && !v[s.index]
}

// movesMinor reports whether a move adds an instance, or changes its minor.
func movesMinor(m finding.Move) bool { return !m.To.IsZero() && (m.From.IsZero() || m.MovesMinor()) }

// drawback returns the drawback of a change within the step. There, the policy says what may
// move, and rollsBack what runs. Without a step, the declared versions may already run.
func (s *search) drawback(changed []placement, to version.Version) finding.Drawback {
	if s.in.Observed != nil && !s.isAdjacent() {
		return finding.NoDrawback
	}
	_, added := s.first.Cause.(*finding.NotOffered) // what is not offered does not run
	for _, i := range changed {
		minors, same := to.Minor().Skew(s.declared[i].Minor())
		if minors < 0 && i.component == skew.APIServer && !s.isAdjacent() {
			return finding.LastResort
		}
		if !same || added {
			continue
		}
		for _, rule := range s.in.Policy.StepRulesFor(i.component) {
			if limit, exceeded := step.Exceeded(rule, s.declared[i], s.declared[i].Numbering().Version(to.Minor())); exceeded && !limit.Back {
				return finding.Stepwise
			}
		}
	}
	return finding.NoDrawback
}

// trySeparateApply checks an upgrade that is made in an apply of its own, before the step.
// It works if that apply causes no new violation, and if the step that follows removes the
// problem and causes none either.
func (s *search) trySeparateApply(changed []placement, to version.Version) verdict {
	if _, ok := s.first.Cause.(*finding.Mismatch); !ok || s.in.Observed == nil || s.isAdjacent() {
		return nil
	}
	if slices.ContainsFunc(changed, func(i placement) bool { return !s.upgrades(i, to) }) {
		return nil
	}
	if s.budget -= 2 * s.cost; s.budget < 0 {
		return nil
	}
	known := collect(violationsIn(s.in.Policy, *s.reduced.Observed))
	between := changedTo(*s.reduced.Observed, changed, to)
	first, then := s.reduced, s.reduced
	first.Cluster = between
	then.Observed, then.Cluster = &between, changedTo(s.reduced.Cluster, changed, to)
	if s.verdict(first.violations(), known) == nil {
		return nil
	}
	return s.verdict(then.violations(), s.before)
}

// versionsBefore returns the versions that an instance has before the step: several if it is
// a managed control plane that replaces instances.
func (t *trials) versionsBefore(i placement) []version.Version {
	return t.running[t.start.placement(i)]
}

// upgrades reports whether an instance runs before the step, and a version upgrades it.
func (t *trials) upgrades(i placement, to version.Version) bool {
	replaced := t.start.managedDiffers && i.location.InControlPlane()
	running := t.versionsBefore(i)
	return !replaced && len(running) > 0 && distance(to, running[0]) > 0
}

// rollsBack reports whether a change takes an instance below the version that it runs.
func (t *trials) rollsBack(changed []placement, to version.Version) bool {
	return slices.ContainsFunc(changed, func(i placement) bool {
		return slices.ContainsFunc(t.versionsBefore(i), func(v version.Version) bool { return distance(to, v) < 0 })
	})
}

// keepsRunning reports whether all instances of a change already run the version.
func (t *trials) keepsRunning(changed []placement, to version.Version) bool {
	return !slices.ContainsFunc(changed, func(i placement) bool {
		running := t.versionsBefore(i)
		return len(running) == 0 || slices.ContainsFunc(running, func(v version.Version) bool { return distance(to, v) != 0 })
	})
}

// changedTo returns a cluster in which some instances have another version.
func changedTo(c skew.Cluster, changed []placement, to version.Version) skew.Cluster {
	moves := map[placement]bool{}
	for _, i := range changed {
		moves[i] = true
	}
	c.Places = slices.Clone(c.Places)
	for i, p := range c.Places {
		own := false // whether the instances are a copy
		for j, running := range p.Instances {
			if moves[placement{p.At(running), running.Component}] {
				if !own {
					c.Places[i].Instances, own = slices.Clone(p.Instances), true
				}
				c.Places[i].Instances[j].Version = to
			}
		}
	}
	return c
}
