// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// trials judges remedies before they are proposed.
type trials struct {
	in Input
	// reduced has two of all places that are alike, which is enough to see how
	// any number treat each other.
	reduced  Input
	before   violations
	problems []finding.Problem
	// next is the control-plane minor that the problems block; zero if they are
	// about the declared versions.
	next version.Version
	// minors is every minor from the oldest to the newest in use, before the
	// step and after it.
	minors []version.Minor
	// running is what runs before the step. No remedy goes below it: the way back is
	// a change that nobody has asked for. It is empty where there is no step, and
	// where the way back is what is asked about.
	running map[target]version.Version
	// judged is what is known of clusters that have been tried: many candidates of
	// several problems come to the same.
	judged map[string]verdict
}

// verdict is what breaks the policy in a cluster, as far as it was looked for: the
// search ends where something is new.
type verdict struct {
	violations violations
	nothingNew bool
}

func newTrials(in Input, findings []finding.Finding, next version.Version) *trials {
	problems := slices.DeleteFunc(finding.Group(findings), func(p finding.Problem) bool { return !isRepairable(p.Findings[0]) })
	t := &trials{in: in, reduced: reduce(in, problems), problems: problems, next: next, minors: minorsBetween(in), judged: map[string]verdict{}}
	if !next.IsZero() {
		t.minors = append(t.minors, next.Minor()) // newer than all API servers
		slices.SortFunc(t.minors, version.Minor.Compare)
		t.minors = slices.Compact(t.minors)
	}
	if in.Observed != nil && (next.IsZero() || next.Compare(in.Cluster.Newest(skew.APIServer)) > 0) {
		t.running = versions(*in.Observed)
	}
	t.before = violations{}
	for findings, next := range t.judgements(t.reduced.Cluster) {
		t.before.add(findings, next)
	}
	return t
}

// judgements yields what breaks the policy in another cluster than the declared
// one, the cheapest to find first, and whether it is on the way to the next minor.
func (t *trials) judgements(c skew.Cluster) iter.Seq2[[]finding.Finding, bool] {
	return func(yield func([]finding.Finding, bool) bool) {
		in := t.reduced
		in.Cluster = c
		if !yield(skew.Violations(in.Policy, c), false) {
			return
		}
		if in.Observed != nil && !yield(upgrade.Evaluate(in.Policy, *in.Observed, c, in.ApplyOrder).Findings, false) {
			return
		}
		if !t.next.IsZero() {
			yield(judgeNext(in, t.next), true)
		}
	}
}

// reduce keeps two of all places that are alike, before the step and after it, and
// are part of the same problems.
func reduce(in Input, problems []finding.Problem) Input {
	partOf := map[finding.Location]string{}
	for i, p := range problems {
		for _, l := range p.Locations() {
			partOf[l] += strconv.Itoa(i) + " "
		}
		for _, l := range p.References() {
			partOf[l] += "-" + strconv.Itoa(i) + " "
		}
	}
	observed := map[finding.Location]skew.Place{}
	if in.Observed != nil {
		for _, p := range in.Observed.Places {
			observed[p.Location] = p
		}
	}
	var key strings.Builder
	write := func(p skew.Place) {
		for _, i := range p.Instances {
			key.WriteString("\x00" + i.Component + "\x00" + i.Version.String())
			if i.ClusterWide {
				key.WriteString("\x00cluster-wide")
			}
		}
		key.WriteString("\x01")
	}
	counts := map[string]int{}
	left := map[finding.Location]bool{}
	var kept []skew.Place
	for _, p := range in.Cluster.Places {
		key.Reset()
		key.WriteString(string(p.Location.Attribute) + "\x01" + partOf[p.Location] + "\x01")
		write(p)
		write(observed[p.Location])
		if counts[key.String()]++; counts[key.String()] > 2 {
			left[p.Location] = true
			continue
		}
		kept = append(kept, p)
	}
	in.Cluster.Places = kept
	if in.Observed != nil && len(left) > 0 {
		before := *in.Observed
		before.Places = slices.DeleteFunc(slices.Clone(before.Places), func(p skew.Place) bool { return left[p.Location] })
		in.Observed = &before
	}
	return in
}

// minorsBetween lists every minor from the oldest to the newest version of a
// cluster, before the step and after it.
func minorsBetween(in Input) []version.Minor {
	var used []version.Minor
	add := func(c skew.Cluster) {
		for _, p := range c.Places {
			for _, i := range p.Instances {
				if !i.Version.IsZero() {
					used = append(used, i.Version.Minor())
				}
			}
		}
	}
	add(in.Cluster)
	if in.Observed != nil {
		add(*in.Observed)
	}
	slices.SortFunc(used, version.Minor.Compare)
	used = slices.Compact(used)
	var all []version.Minor
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

// candidate is a change to try: of some instances, to one of some minors.
type candidate struct {
	// includes selects the instances.
	includes selection
	// upgrade moves those that are older than the minor; otherwise those that
	// are newer go back to it, or stay there.
	upgrade bool
	minors  []version.Minor // the nearest to what is declared first
	// exact is the version in place of a minor where patches count; else zero.
	exact version.Version
}

// selection selects instances of a cluster.
type selection func(skew.Place, skew.Instance) bool

// maxTried bounds how many minors are tried for a candidate.
const maxTried = 16

// firstThatWorks returns the first of some candidates that removes the problem and
// brings no new one, and how far it may go.
func (s *search) firstThatWorks(candidates []candidate, try func(finding.Remedy, version.Minor) (violations, bool)) (outcome, bool) {
	for _, c := range candidates {
		for i, m := range c.minors[:min(len(c.minors), maxTried)] {
			change := c.remedy(s.reduced.Cluster, m)
			after, ok := try(change, m)
			if !ok {
				continue
			}
			r := c.remedy(s.in.Cluster, m)
			r.Minors = []version.Minor{m}
			for _, next := range c.minors[i+1:] {
				further, ok := try(change, next)
				if !ok || !c.exact.IsZero() {
					r.Limited = true
					break
				}
				r.Minors = append(r.Minors, next)
				after = maps.Clone(after)
				maps.Copy(after, further)
			}
			slices.SortFunc(r.Minors, version.Minor.Compare)
			if !r.Upgrade && s.goesBack(r, r.Minors[0].Add(-1)) {
				r.Limited = true
			}
			r.Kept = s.keeps(r)
			return outcome{r, after}, true
		}
	}
	return outcome{}, false
}

// try judges a remedy: the problem has to be gone, and nothing new may be there.
func (s *search) try(r finding.Remedy, m version.Minor) (after violations, ok bool) {
	if len(r.Targets) == 0 || s.goesBack(r, m) {
		return nil, false
	}
	c := apply(s.reduced.Cluster, r, m)
	if _, ok := s.first.Cause.(*finding.StepOrder); ok && s.next.IsZero() && !moves(*s.in.Observed, c) {
		return nil, false // leaving everything as it is repairs every step
	}
	v := s.judge(c)
	return v.violations, v.nothingNew && v.violations.noneOf(s.problem, !s.next.IsZero())
}

// judge judges a cluster in place of the declared one.
func (t *trials) judge(c skew.Cluster) verdict {
	var key strings.Builder
	for _, p := range c.Places {
		for _, i := range p.Instances {
			key.WriteString(i.Version.String() + " ")
		}
	}
	if v, known := t.judged[key.String()]; known {
		return v
	}
	v := verdict{violations{}, true}
	for findings, next := range t.judgements(c) {
		v.violations.add(findings, next)
		if v.nothingNew = v.violations.within(t.before); !v.nothingNew {
			break
		}
	}
	t.judged[key.String()] = v
	return v
}

// tryEarlier judges a remedy that is made in an apply of its own, before the step:
// that apply may break nothing that is not broken before it, and the step that
// follows has to be as try asks.
func (s *search) tryEarlier(r finding.Remedy, m version.Minor) (after violations, ok bool) {
	if len(r.Targets) == 0 || s.goesBack(r, m) {
		return nil, false
	}
	for i := range targets(r) {
		if v, runs := s.running[i]; !runs || v.Minor().Compare(m) >= 0 {
			return nil, false // nothing that an earlier apply could change
		}
	}
	in := s.reduced
	from := *in.Observed
	between, c := apply(from, r, m), apply(in.Cluster, r, m)
	after = violations{}
	after.add(skew.Evaluate(in.Policy, c), false)
	if !after.within(s.before) || !after.noneOf(s.problem, false) {
		return nil, false
	}
	known, first := violations{}, violations{}
	known.add(skew.Evaluate(in.Policy, from), false)
	first.add(skew.Evaluate(in.Policy, between), false)
	if !first.within(known) {
		return nil, false
	}
	first.add(upgrade.Evaluate(in.Policy, from, between, in.ApplyOrder).Findings, false)
	after.add(upgrade.Evaluate(in.Policy, between, c, in.ApplyOrder).Findings, false)
	return after, first.within(known) && after.within(s.before) && after.noneOf(s.problem, false)
}

// goesBack reports whether a remedy leaves anything at an older minor than runs, or
// at an older version where patches count.
func (s *search) goesBack(r finding.Remedy, m version.Minor) bool {
	for i := range targets(r) {
		v, runs := s.running[i]
		if runs && (m.Compare(v.Minor()) < 0 || !r.Version.IsZero() && r.Version.Compare(v) < 0) {
			return true
		}
	}
	return false
}

// keeps reports whether the nearest version of a remedy is what runs.
func (s *search) keeps(r finding.Remedy) bool {
	for i := range targets(r) {
		v, runs := s.running[i]
		if !runs || v.Minor() != r.Nearest() || !r.Version.IsZero() && r.Version.Compare(v) != 0 {
			return false
		}
	}
	return true
}

// remedy is what a candidate changes in a cluster on the way to a minor.
func (c candidate) remedy(cluster skew.Cluster, m version.Minor) finding.Remedy {
	var locations group.Map[finding.Location, finding.Target]
	var numbers version.Numbering
	for _, p := range cluster.Places {
		for _, i := range p.Instances {
			if i.Version.IsZero() || !c.includes(p, i) {
				continue
			}
			direction := m.Compare(i.Version.Minor())
			if !c.exact.IsZero() {
				direction = c.exact.Compare(i.Version)
			}
			if direction == 0 || (direction > 0) != c.upgrade {
				continue
			}
			if numbers.IsKubernetes() {
				numbers = i.Version.Numbering()
			}
			l := p.At(i)
			t := locations.GetOrCreate(l, func() finding.Target { return finding.Target{Locations: []finding.Location{l}} })
			if !slices.Contains(t.Components, i.Component) {
				t.Components = append(t.Components, i.Component)
			}
		}
	}
	slices.SortFunc(locations.All, func(a, b finding.Target) int { return a.Locations[0].Compare(b.Locations[0]) })
	var targets group.Map[string, finding.Target]
	for _, t := range locations.All {
		key := string(t.Locations[0].Attribute) + " " + strings.Join(t.Components, " ")
		all := targets.GetOrCreate(key, func() finding.Target { return finding.Target{Components: t.Components} })
		all.Locations = append(all.Locations, t.Locations...)
	}
	return finding.Remedy{Targets: targets.All, Upgrade: c.upgrade, Version: c.exact, Numbers: numbers}
}

// moves reports whether anything is declared at another minor than before.
func moves(from, to skew.Cluster) bool {
	before := versions(from)
	for _, p := range to.Places {
		for _, i := range p.Instances {
			if v, known := before[target{p.At(i), i.Component}]; !known || v.Minor() != i.Version.Minor() {
				return true
			}
		}
	}
	return false
}
