package skew

import (
	"math"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Bound is one instance that limits another: the other end of a pair.
type Bound struct {
	Rule *policy.PairRule
	// Other is the version at the other end, which is the reference of the
	// rule, or its subject if OtherIsSubject.
	Other          version.Version
	OtherIsSubject bool
}

// boundSet holds bounds, each once.
type boundSet struct {
	list []Bound
	seen map[boundKey]struct{}
}

type boundKey struct {
	rule, other    string
	otherIsSubject bool
}

// add adds a bound, unless its other end has no version yet.
func (s *boundSet) add(b Bound) {
	key := boundKey{b.Rule.ID, b.Other.String(), b.OtherIsSubject}
	if _, known := s.seen[key]; known || b.Other.IsZero() {
		return
	}
	if s.seen == nil {
		s.seen = map[boundKey]struct{}{}
	}
	s.seen[key] = struct{}{}
	s.list = append(s.list, b)
}

// allows asks the pair predicate.
func (b Bound) allows(v version.Version) bool {
	if b.OtherIsSubject {
		return Judge(b.Rule, b.Other, v) == finding.Within
	}
	return Judge(b.Rule, v, b.Other) == finding.Within
}

// edges yields the minors at and around which what the bound allows may change,
// and that of the other end, for a rule that has no edge.
func (b Bound) edges(yield func(version.Minor)) {
	yield(b.Other.Minor())
	b.limited(b.Rule.Limits, yield)
	for _, c := range b.Rule.Conditions {
		b.limited(c.Limits, yield)
		b.named(c.Subject, c.Reference, yield)
	}
	if q := b.Rule.Requirement; q != nil {
		b.named(q.When, q.Require, yield)
	}
}

// limited yields how far limits go.
func (b Bound) limited(limits policy.Limits, yield func(version.Minor)) {
	newer, older := limits.MaxNewer, limits.MaxOlder
	if b.OtherIsSubject {
		newer, older = older, newer
	}
	if newer != nil {
		yield(b.Other.Minor().Add(*newer))
	}
	if older != nil {
		yield(b.Other.Minor().Add(-*older))
	}
}

// named yields the minors that constraints name on this end.
func (b Bound) named(subject, reference version.Constraint, yield func(version.Minor)) {
	constraint := subject
	if b.OtherIsSubject {
		constraint = reference
	}
	for _, m := range constraint.Minors() {
		yield(m)
	}
}

// longestGap is how many minors in a row a window lists.
const longestGap = policy.MaxLimit

// endless stands for the last minor of a major, which nobody knows. It bounds
// nothing.
const endless = math.MaxInt32

// WindowOf returns the minors that all bounds allow.
func WindowOf(bounds []Bound) finding.Window { return windowNear(bounds, nil) }

// windowNear is WindowOf. Where what is allowed has gaps, the constraint of the
// window speaks of the part that holds some minor.
func windowNear(bounds []Bound, near *version.Minor) finding.Window {
	if len(bounds) == 0 {
		return finding.Window{}
	}
	major := majorOf(bounds)
	points := landmarks(bounds, major)
	allowed := make([]bool, len(points))
	for i, m := range points {
		allowed[i] = allAllow(bounds, m.Version())
	}
	w := windowAt(points, allowed, major)
	w.Numbers = numbersOf(bounds)
	w.Certain = certain(bounds, points, allowed, major, near, w)
	return w
}

// windowAt is the window in which some of its landmarks are allowed.
func windowAt(points []version.Minor, allowed []bool, major *int) finding.Window {
	first, last := slices.Index(allowed, true), len(points)-1
	if first < 0 {
		return finding.Window{Empty: true}
	}
	for !allowed[last] {
		last--
	}
	w := finding.Window{Major: major}
	if first > 0 || major != nil && points[0].Minor == 0 {
		w.Minimum = &points[first]
	}
	if last < len(points)-1 && points[last].Minor != endless {
		w.Maximum = &points[last]
	} else {
		last = len(points) - 1
	}
	endsKnown := w.Minimum != nil && w.Maximum != nil
	list := func(m version.Minor, in bool) {
		switch {
		case m.Minor == endless:
		case !in:
			w.Except = append(w.Except, m)
		case endsKnown:
			w.Minors = append(w.Minors, m)
		}
	}
	wide := false
	for i := first; i < last; i++ {
		list(points[i], allowed[i])
		if gap, same := points[i+1].Skew(points[i]); !same || gap > longestGap {
			if allowed[i] {
				wide = true
			}
			continue
		}
		for m := points[i].Add(1); m != points[i+1]; m = m.Add(1) {
			list(m, allowed[i])
		}
	}
	list(points[last], allowed[last])
	if wide {
		w.Minors = nil
	}
	return w
}

// numbersOf returns what the other ends of limits are written in. Requirements relate
// components that count in numbers of their own.
func numbersOf(bounds []Bound) version.Numbering {
	for _, b := range bounds {
		if n := b.Other.Numbering(); b.Rule.Requirement == nil && !n.IsKubernetes() {
			return n
		}
	}
	return version.Numbering{}
}

// majorOf returns the major that bounds count minors in, nil if none does. Where
// there are several, nothing is allowed in any.
func majorOf(bounds []Bound) *int {
	for _, b := range bounds {
		if b.Rule.Requirement == nil {
			major := b.Other.Minor().Major
			return &major
		}
	}
	return nil
}

// landmarks lists the minors around the edges of bounds, oldest first: of one
// major, if it is given. Those between two of them are like the older one, and
// those beyond the first and the last like these.
func landmarks(bounds []Bound, major *int) []version.Minor {
	around := make([]version.Minor, 0, 16*len(bounds))
	add := func(m version.Minor) {
		if major == nil || m.Major == *major {
			around = append(around, m)
		}
	}
	for _, b := range bounds {
		b.edges(func(m version.Minor) {
			add(m.Add(-1))
			add(m)
			add(m.Add(1))
			if m.Major > 0 {
				add(version.Minor{Major: m.Major - 1, Minor: endless})
			}
		})
	}
	slices.SortFunc(around, version.Minor.Compare)
	return slices.Compact(around)
}

func allAllow(bounds []Bound, v version.Version) bool {
	for _, b := range bounds {
		if !b.allows(v) {
			return false
		}
	}
	return true
}

// AllowedVersions returns, for every component that the policy or the cluster
// names, the minors all its instances may have while every other component
// stays as it is. A component that is not declared is asked about as in Beside.
// Only rules of severity error limit it.
func AllowedVersions(p *policy.Policy, c Cluster) map[string]finding.Window {
	sites := c.Sites()
	bounds := map[string]*boundSet{}
	for _, component := range c.Components() {
		bounds[component] = &boundSet{}
	}
	for _, component := range p.Components() {
		if bounds[component] == nil {
			bounds[component] = &boundSet{}
			sites.add(undecided(component))
		}
	}
	for _, r := range p.PairRules {
		if r.Severity != policy.SeverityError || r.Subject == r.Reference {
			continue // instances of one component move together here
		}
		for _, site := range sites.With(r.Subject) {
			subject, _ := site.State(r.Subject)
			for _, reference := range sites.References(r, site) {
				bounds[r.Subject].add(Bound{Rule: r, Other: reference})
				bounds[r.Reference].add(Bound{Rule: r, Other: subject, OtherIsSubject: true})
			}
		}
	}

	windows := make(map[string]finding.Window, len(bounds))
	for component, b := range bounds {
		newest := c.Newest(component)
		if newest.IsZero() {
			windows[component] = windowNear(b.list, nil)
			continue
		}
		m := newest.Minor()
		windows[component] = windowNear(b.list, &m).Written(newest.Numbering())
	}
	return windows
}

// Beside returns the minors that one further instance of a component may have
// somewhere in a cluster.
func Beside(p *policy.Policy, c Cluster, component string) finding.Window {
	sites, site := c.Sites(), undecided(component)
	sites.add(site)
	return WindowOf(BoundsAt(p, sites, site, component, nil))
}

// AllowsBeside reports whether one further instance of a component may have a
// version somewhere in a cluster: as Beside, to the patch.
func AllowsBeside(p *policy.Policy, c Cluster, component string, v version.Version) bool {
	sites, site := c.Sites(), undecided(component)
	sites.add(site)
	return allAllow(BoundsAt(p, sites, site, component, nil), v)
}

// BoundsAt returns what limits one component at one site, except for those
// components at the same site that move together with it.
func BoundsAt(p *policy.Policy, sites *Sites[version.Version], site *Site[version.Version], component string, together []string) []Bound {
	var bounds boundSet
	for _, r := range p.PairRules {
		if r.Severity != policy.SeverityError {
			continue
		}
		if r.Subject == component {
			for other, reference := range sites.References(r, site) {
				if other != site || !slices.Contains(together, r.Reference) {
					bounds.add(Bound{Rule: r, Other: reference})
				}
			}
		}
		if r.Reference != component {
			continue
		}
		for _, other := range sites.With(r.Subject) {
			if other == site && slices.Contains(together, r.Subject) {
				continue
			}
			for reached := range sites.References(r, other) {
				if reached == site {
					subject, _ := other.State(r.Subject)
					bounds.add(Bound{Rule: r, Other: subject, OtherIsSubject: true})
				}
			}
		}
	}
	return bounds.list
}

// undecided is an instance whose version is open.
func undecided(component string) *Site[version.Version] {
	return &Site[version.Version]{Members: []Member[version.Version]{{Component: component}}}
}
