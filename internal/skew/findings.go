// SPDX-License-Identifier: MPL-2.0

package skew

import (
	"iter"
	"maps"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Findings checks a combination against the pair rules of a policy. Violations of a
// rule by the same two versions are one finding.
func Findings(p *policy.Policy, c Cluster) []finding.Finding {
	sites := c.Sites()
	var findings []finding.Finding
	for _, r := range p.PairRules {
		findings = append(findings, c.check(r, sites)...)
	}
	finding.Sort(findings)
	return findings
}

// Violation is a rule that an instance violates, the way in which it does, and by how much.
type Violation struct {
	Rule *policy.PairRule
	Excess
	Location finding.Location // of the subject
}

// Violations yields what Findings reports, again for an instance that also exceeds a limit by
// more. It is for callers that check many combinations.
func Violations(p *policy.Policy, c Cluster) iter.Seq[Violation] {
	return func(yield func(Violation) bool) {
		sites := c.Sites()
		for _, r := range p.PairRules {
			var worst map[finding.Relation]Excess
			var at *Site[version.Version]
			for pair := range sites.Pairs(r) {
				if pair.SubjectAt != at {
					at, worst = pair.SubjectAt, map[finding.Relation]Excess{}
				}
				if ViolatedBy(r, pair.Subject, pair.Reference) == finding.Within {
					continue
				}
				e := ExcessOf(r, pair.Subject, pair.Reference)
				if !e.Worse(worst[e.Relation]) {
					continue
				}
				worst[e.Relation] = e
				for _, l := range (siteSet{at: {}}).locations(c, r.Subject) {
					if !yield(Violation{r, e, l}) {
						return
					}
				}
			}
		}
	}
}

// ViolatedBy works like Check. It is Within if a version is not known, or if the violation
// is already reported for the other one of two instances of the same component: the older
// one.
func ViolatedBy(r *policy.PairRule, subject, reference version.Version) finding.Relation {
	if subject.IsZero() || reference.IsZero() {
		return finding.Within
	}
	relation := Check(r, subject, reference)
	if relation != finding.Within && r.Subject == r.Reference && subject.Minor().Compare(reference.Minor()) > 0 && Check(r, reference, subject) != finding.Within {
		return finding.Within
	}
	return relation
}

// pairKey identifies the pairs that share a finding. See maxPairs.
type pairKey struct {
	subject, reference string
	relation           finding.Relation
}

// windows caches the allowed windows of a rule by the versions of the references and, for
// single sites, by the site, because thousands of findings can share one.
type windows struct {
	byReferences map[string]finding.Window
	bySite       map[*Site[version.Version]]finding.Window
}

// of returns the minors that the rule allows the subjects at some sites.
func (w windows) of(r *policy.PairRule, sites *Sites[version.Version], at siteSet) finding.Window {
	if len(at) > 1 {
		return w.ofAll(r, sites, at)
	}
	var window finding.Window
	for site := range at {
		known := false
		if window, known = w.bySite[site]; !known {
			window = w.ofAll(r, sites, at)
			w.bySite[site] = window
		}
	}
	return window
}

func (w windows) ofAll(r *policy.PairRule, sites *Sites[version.Version], at siteSet) finding.Window {
	var key []byte
	var reached []version.Version
	for site := range sites.movingWith(at, r.Subject) {
		for other, reference := range sites.References(r, site) {
			if _, moves := at[other]; moves && r.Subject == r.Reference && Check(r, reference, reference) == finding.Within {
				continue // all instances of the component move together
			}
			reached = append(reached, reference)
			key = append(append(key, reference.String()...), "\x00"...)
		}
	}
	window, known := w.byReferences[string(key)]
	if !known {
		var bounds Bounds
		for _, reference := range reached {
			bounds.Add(Bound{Rule: r, Other: reference}) // skips unknown versions
		}
		window = WindowOf(bounds.list)
		w.byReferences[string(key)] = window
	}
	return window
}

// mismatch collects the sites of a finding.
type mismatch struct {
	subject, reference version.Version
	subjects           siteSet
	references         siteSet
}

// maxPairs is the maximum number of pairs of versions for which a rule has a finding each.
// There can be as many as the product of the patches in use. As many further findings are
// shared by pairs with the same minors. After them, all pairs of a minor of the subject
// that are violated in the same way share a finding, which names the worst reference.
const maxPairs = 1000

func (c Cluster) check(r *policy.PairRule, sites *Sites[version.Version]) []finding.Finding {
	var found group.Map[pairKey, mismatch]
	for at := range sites.Pairs(r) {
		relation := ViolatedBy(r, at.Subject, at.Reference)
		if relation == finding.Within {
			continue
		}
		key := pairKey{subject: at.Subject.String(), reference: at.Reference.String()}
		switch n := len(found.All); {
		case n >= 2*maxPairs:
			key = pairKey{subject: at.Subject.Minor().String(), relation: relation}
		case n >= maxPairs:
			key = pairKey{subject: at.Subject.Minor().String(), reference: at.Reference.Minor().String()}
		}
		m := found.GetOrCreate(key, func() mismatch {
			return mismatch{at.Subject, at.Reference, siteSet{}, siteSet{}}
		})
		m.subjects[at.SubjectAt] = struct{}{}
		if at.Reference.Minor() != m.reference.Minor() {
			if !ExcessOf(r, at.Subject, at.Reference).Worse(ExcessOf(r, m.subject, m.reference)) {
				continue
			}
			m.reference, m.references = at.Reference, siteSet{}
		}
		m.references[at.ReferenceAt] = struct{}{}
	}

	findings, allowed := make([]finding.Finding, 0, len(found.All)), windows{map[string]finding.Window{}, map[*Site[version.Version]]finding.Window{}}
	for _, m := range found.All {
		f := m.finding(r, c)
		f.Allowed = allowed.of(r, sites, m.subjects).Written(m.subject.Numbering())
		findings = append(findings, f)
	}
	return findings
}

func (m *mismatch) finding(r *policy.PairRule, c Cluster) finding.Finding {
	f, cause := NewFinding(r, m.subject, m.reference)
	f.Subject.Locations, f.Reference.Locations = m.subjects.locations(c, r.Subject), m.references.locations(c, r.Reference)
	cause.Local = r.Scope == policy.ScopeEndpoint
	for site := range m.subjects {
		_, both := site.State(r.Reference)
		cause.Local = cause.Local && site.Local && both
	}
	return f
}

// NewFinding returns the finding that a rule does not allow two versions side by side, and
// its cause. The caller adds the locations and the allowed versions.
func NewFinding(r *policy.PairRule, subject, reference version.Version) (finding.Finding, *finding.Mismatch) {
	limits, condition := r.LimitsFor(subject, reference)
	cause := &finding.Mismatch{Rule: r, Relation: Check(r, subject, reference), Limits: limits, Condition: condition}
	return finding.Finding{
		RuleID:    r.ID,
		Severity:  r.Severity,
		Source:    r.Source,
		Subject:   finding.Side{Component: r.Subject, Version: subject},
		Reference: finding.Side{Component: r.Reference, Version: reference},
		Cause:     cause,
	}, cause
}

// siteSet is a set of sites of a combination.
type siteSet map[*Site[version.Version]]struct{}

// movingWith adds all sites with the cluster-wide version of a component to a set,
// if the set contains one of them.
func (s *Sites[S]) movingWith(some map[*Site[S]]struct{}, component string) map[*Site[S]]struct{} {
	clusterWide := false
	for site := range some {
		clusterWide = clusterWide || site.Member(component).ClusterWide
	}
	if !clusterWide {
		return some
	}
	all := maps.Clone(some)
	for _, site := range s.With(component) {
		if site.Member(component).ClusterWide {
			all[site] = struct{}{}
		}
	}
	return all
}

// locations lists the locations at which the component is declared for the sites,
// in order.
func (s siteSet) locations(c Cluster, component string) []finding.Location {
	var n int
	for site := range s {
		n += len(site.places)
	}
	all := make([]finding.Location, 0, n)
	for site := range s {
		if site.Member(component).ClusterWide {
			all = append(all, at(finding.Location{}, true))
			continue
		}
		for _, i := range site.places {
			all = append(all, c.Places[i].Location)
		}
	}
	return finding.Distinct(all)
}

// Compares reports whether a rule of the policy relates two instances with known
// versions, that is, whether there is anything to check.
func Compares(p *policy.Policy, c Cluster) bool {
	sites := c.Sites()
	for _, r := range p.PairRules {
		for pair := range sites.Pairs(r) {
			if !pair.Subject.IsZero() && !pair.Reference.IsZero() {
				return true
			}
		}
	}
	return false
}
