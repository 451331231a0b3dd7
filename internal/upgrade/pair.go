// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"iter"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// relatedPair is a pair of instances that a rule relates, with any versions. For a rule
// about single instances, both are the same.
type relatedPair struct {
	rule *policy.PairRule
	// duringUpgrade is the rule with the limits that apply while the reference is
	// upgraded.
	duringUpgrade      *policy.PairRule
	subject, reference int // indexes in planner.instances
}

// findPairs adds the pairs of all instances.
func (p *planner) findPairs() {
	cluster := skew.Cluster{Places: p.places, LocalEndpoint: p.Cluster.LocalEndpoint}
	sites := cluster.SitesByPlace()
	first := make([]int, len(p.places)) // the first instance of each place
	index := map[*skew.Site[version.Version]]int{}
	for i := len(p.instances) - 1; i >= 0; i-- {
		first[p.instances[i].place] = i
	}
	for i, site := range sites.All {
		index[site] = i
	}
	instanceAt := func(site *skew.Site[version.Version], component string) int {
		return first[index[site]] + slices.IndexFunc(site.Members, func(m skew.Member[version.Version]) bool { return m.Component == component })
	}
	for _, r := range p.Policy.PairRules {
		if r.Severity != policy.SeverityError {
			continue
		}
		duringUpgrade := r.DuringUpgrade()
		for at := range sites.Pairs(r) {
			subject, reference := instanceAt(at.SubjectAt, r.Subject), instanceAt(at.ReferenceAt, r.Reference)
			if p.waived.Accepting(r.ID, p.instances[subject].location) != nil || subject != reference && p.sameClusterWide(subject, reference) {
				continue
			}
			pair := relatedPair{r, duringUpgrade, subject, reference}
			p.instances[subject].pairs = append(p.instances[subject].pairs, pair)
			if subject != reference {
				p.instances[reference].pairs = append(p.instances[reference].pairs, pair)
			}
		}
	}
}

// sameClusterWide reports whether two instances are the same component, declared once
// for the whole cluster.
func (p *planner) sameClusterWide(i, j int) bool {
	a, b := p.instances[i], p.instances[j]
	return a.unit == b.unit && a.component == b.component && a.unit != noUnit
}

// other returns the instance of the pair that is not i.
func (p relatedPair) other(i int) int {
	if p.subject == i {
		return p.reference
	}
	return p.subject
}

// change returns a change of versions of the pair.
func (p relatedPair) change(before, after func(instance int) version.Version) skew.PairChange {
	return skew.PairChange{
		Rule: p.rule, DuringUpgrade: p.duringUpgrade,
		Subject:   finding.Change{From: before(p.subject), To: after(p.subject)},
		Reference: finding.Change{From: before(p.reference), To: after(p.reference)},
	}
}

// worse reports whether a change of versions makes the pair worse.
func (p relatedPair) worse(before, after func(instance int) version.Version) bool {
	return p.change(before, after).Worse()
}

// becomesTooNew reports whether a change of versions makes the subject too new: either
// with a newer patch of the same minor, or with an upgrade that leaves it too new.
// Platforms refuse such a move even if it does not exceed the limit by more than before.
func (p relatedPair) becomesTooNew(before, after func(instance int) version.Version) bool {
	subject, reference := after(p.subject), after(p.reference)
	if skew.Check(p.rule, subject, reference) != finding.TooNew {
		return false
	}
	return subject.Minor() == reference.Minor() || compare(before(p.subject), subject) < 0
}

// makesNoPairWorse reports whether a move makes no pair worse and no instance too new.
// With alone, it ignores pairs with other units, except for API servers.
func (s state) makesNoPairWorse(m unitMove, alone bool) bool {
	after := s.afterMove(m)
	for _, i := range m.instances {
		for _, p := range s.instances[i].pairs {
			if alone && s.isOtherUnit(p.other(i), m.unit) {
				continue
			}
			if p.worse(s.instanceVersion, after) || p.subject == i && p.becomesTooNew(s.instanceVersion, after) {
				return false
			}
		}
	}
	return true
}

// isOtherUnit reports whether an instance belongs to another unit that is not an API
// server.
func (s state) isOtherUnit(i int, u unit) bool {
	other := s.instances[i].unit
	return other != noUnit && other != u.index && s.units[other].role != apiServer
}

// relatedRoles returns the roles of the other units that rules relate a unit to, API servers
// apart.
func (s state) relatedRoles(u unit) []role {
	var roles []role
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			if other := p.other(i); s.isOtherUnit(other, u) && !slices.Contains(roles, s.units[s.instances[other].unit].role) {
				roles = append(roles, s.units[s.instances[other].unit].role)
			}
		}
	}
	return roles
}

// afterMove returns a function that returns the version of an instance after a move.
func (s state) afterMove(m unitMove) func(instance int) version.Version {
	return func(i int) version.Version {
		if s.instances[i].unit == m.index && (len(m.instances) == len(m.unit.instances) || slices.Contains(m.instances, i)) {
			return m.to
		}
		return s.versions[i]
	}
}

// worsePairs returns the pairs that moves make worse in at least one of their orders.
func (s state) worsePairs(moves []unitMove) []relatedPair {
	after := s.apply(moves)
	var worse []relatedPair
	for p, mover := range s.changedPairs(moves, after) {
		if s.worseInAnyOrder(p, after, mover) {
			worse = append(worse, p)
		}
	}
	return worse
}

// changedPairs yields the pairs of the instances that move, and the unit that moves. If both
// instances move, it yields the pair with its subject.
func (s state) changedPairs(moves []unitMove, after state) iter.Seq2[relatedPair, int] {
	return func(yield func(relatedPair, int) bool) {
		for _, m := range moves {
			for _, i := range m.instances {
				for _, p := range s.instances[i].pairs {
					if subjectMoves := after.versions[p.subject] != s.versions[p.subject]; (i == p.subject || !subjectMoves) && !yield(p, m.index) {
						return
					}
				}
			}
		}
	}
}

// worseInAnyOrder reports whether a pair is worse in another state or, if its instances
// belong to different units that both move, when only one of them has moved.
func (s state) worseInAnyOrder(p relatedPair, after state, mover int) bool {
	c := p.change(s.instanceVersion, after.instanceVersion)
	if c.Worse() {
		return true
	}
	together := s.instances[p.subject].unit == mover && s.instances[p.reference].unit == mover
	return c.Subject.From != c.Subject.To && c.Reference.From != c.Reference.To && !together && (c.ReferenceFirst() || c.SubjectFirst())
}

// staysCompatibleWith returns the condition that after the move of a unit, later moves
// of others make no pair with it worse.
func staysCompatibleWith(later []unitMove) condition {
	to := map[int]version.Version{}
	for _, m := range later {
		for _, i := range m.instances {
			to[i] = m.to
		}
	}
	return func(s state, m unitMove) bool {
		now := s.afterMove(m)
		then := func(i int) version.Version {
			if v, moves := to[i]; moves {
				return v
			}
			return now(i)
		}
		for _, i := range m.unit.instances {
			for _, p := range s.instances[i].pairs {
				if _, moves := to[p.other(i)]; moves && p.worse(now, then) {
					return false
				}
			}
		}
		return true
	}
}

// violatesRule reports whether a unit violates a rule.
func (s state) violatesRule(u unit) bool {
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			if s.check(p) != finding.Within {
				return true
			}
		}
	}
	return false
}
