// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// relatedPair is two instances that a rule relates, whatever their versions are.
type relatedPair struct {
	rule, during       *policy.PairRule // during: as it counts while the reference is upgraded
	subject, reference int
	// mostNewer is how many minors newer than the reference the subject may be by
	// any of the limits of the rule; nil is without limit.
	mostNewer *int
}

// mostNewer is the widest of the limits of a rule.
func mostNewer(r *policy.PairRule) *int {
	most := r.MaxNewer
	for _, c := range r.Conditions {
		if most != nil && c.MaxNewer != nil && *c.MaxNewer > *most {
			most = c.MaxNewer
		}
	}
	return most
}

// newestToTry is the newest minor that a unit could have beside the API servers:
// beyond it, moves need not be tried.
func (s state) newestToTry(u unit) version.Minor {
	newest := s.Target.Minor()
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			other := s.instances[p.reference].unit
			if p.subject != i || p.mostNewer == nil || other == noUnit || s.units[other].role != apiServer || other == u.index {
				continue
			}
			limit := s.versions[p.reference].Minor().Add(*p.mostNewer)
			if s.versions[i].Minor().Compare(limit) <= 0 { // else it is too new already
				newest = older(newest, limit)
			}
		}
	}
	return newest
}

// other is the end of the pair that is not i.
func (p relatedPair) other(i int) int {
	if p.subject == i {
		return p.reference
	}
	return p.subject
}

// relate finds the pairs of all instances.
func (p *problem) relate() {
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
	at := func(site *skew.Site[version.Version], component string) int {
		return first[index[site]] + slices.IndexFunc(site.Members, func(m skew.Member[version.Version]) bool { return m.Component == component })
	}
	for _, r := range p.Policy.PairRules {
		if r.Severity != policy.SeverityError {
			continue
		}
		during, most := r.DuringUpgrade(), mostNewer(r)
		for _, site := range sites.With(r.Subject) {
			subject := at(site, r.Subject)
			if p.waived.accept(r.ID, p.instances[subject].at) {
				continue
			}
			for other := range sites.References(r, site) {
				related := relatedPair{r, during, subject, at(other, r.Reference), most}
				if p.instances[related.reference].unit == p.instances[subject].unit && p.instances[subject].component == p.instances[related.reference].component && p.instances[subject].unit != noUnit {
					continue // one kube-proxy for the whole cluster
				}
				p.instances[subject].pairs = append(p.instances[subject].pairs, related)
				p.instances[related.reference].pairs = append(p.instances[related.reference].pairs, related)
			}
		}
	}
}

// worse reports whether a pair is worse after a change than before.
func (p relatedPair) worse(before, after func(instance int) version.Version) bool {
	return p.judge(before(p.reference), after(p.subject), after(p.reference)).Worse(skew.Exceeds(p.rule, before(p.subject), before(p.reference)))
}

// judge judges a pair after its reference has moved.
func (p relatedPair) judge(referenceBefore, subject, reference version.Version) skew.Excess {
	if p.during != p.rule && reference.Minor().Compare(referenceBefore.Minor()) > 0 {
		return skew.Exceeds(p.during, subject, reference)
	}
	return skew.Exceeds(p.rule, subject, reference)
}

// worsePairs returns the pairs that some moves make worse, in whatever order
// they happen.
func (s state) worsePairs(moves []unitMove) []relatedPair {
	after := s.apply(moves)
	var worse []relatedPair
	for _, m := range moves {
		for _, i := range m.instances {
			for _, p := range s.instances[i].pairs {
				again := i == p.reference && after.at(p.subject) != s.at(p.subject) // told from the other end
				if !again && s.anyOrderWorse(p, after, m.index) {
					worse = append(worse, p)
				}
			}
		}
	}
	return worse
}

// anyOrderWorse also asks about the moment at which one of two units has moved.
func (s state) anyOrderWorse(p relatedPair, after state, mover int) bool {
	if p.worse(s.at, after.at) {
		return true
	}
	subject, reference := s.at(p.subject), s.at(p.reference)
	newSubject, newReference := after.at(p.subject), after.at(p.reference)
	if newSubject == subject || newReference == reference || s.instances[p.subject].unit == mover && s.instances[p.reference].unit == mover {
		return false
	}
	before := skew.Exceeds(p.rule, subject, reference)
	return p.judge(reference, subject, newReference).Worse(before) || p.judge(reference, newSubject, reference).Worse(before)
}

// keeps reports whether a move makes no pair worse. Other units are left out if
// asked for, but for API servers: what these may become if they move, too.
func (s state) keeps(m unitMove, alone bool) bool {
	for _, i := range m.instances {
		for _, p := range s.instances[i].pairs {
			if alone && s.isOther(p.other(i), m.unit) {
				continue
			}
			if p.worse(s.at, s.afterMove(m)) {
				return false
			}
		}
	}
	return true
}

// afterMove is the version of an instance after one move.
func (s state) afterMove(m unitMove) func(instance int) version.Version {
	return func(i int) version.Version {
		if s.instances[i].unit == m.index && (len(m.instances) == len(m.unit.instances) || slices.Contains(m.instances, i)) {
			return m.to
		}
		return s.versions[i]
	}
}

// leavesRoomFor is the condition that a unit, once it has moved, makes no pair worse
// when some others move.
func leavesRoomFor(others []unitMove) condition {
	to := map[int]version.Version{}
	for _, m := range others {
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

// isOther reports whether an instance belongs to another unit, and is no API
// server.
func (s state) isOther(i int, u unit) bool {
	other := s.instances[i].unit
	return other != noUnit && other != u.index && s.units[other].role != apiServer
}

// broken reports whether a unit breaks the policy.
func (s state) broken(u unit) bool {
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			if skew.Judge(p.rule, s.versions[p.subject], s.versions[p.reference]) != finding.Within {
				return true
			}
		}
	}
	return false
}
