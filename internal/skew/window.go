// SPDX-License-Identifier: MPL-2.0

package skew

import (
	"math"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Bound limits the versions of one side of a pair, given the version of the other.
type Bound struct {
	Rule *policy.PairRule
	// Other is the version of the other side, which is the reference of the rule,
	// or its subject if OtherIsSubject is set.
	Other          version.Version
	OtherIsSubject bool
}

// Bounds is a set of bounds. The zero value is empty.
type Bounds struct {
	list []Bound
	seen map[boundKey]struct{}
}

type boundKey struct {
	rule           *policy.PairRule
	minor          version.Minor
	numbers        version.Numbering
	exact          string // "" if patches do not matter
	otherIsSubject bool
}

// Add adds a bound, unless the version of its other side is unknown.
func (s *Bounds) Add(b Bound) {
	if b.Other.IsZero() && b.Rule.Scope != policy.ScopeSelf {
		return
	}
	key := boundKey{rule: b.Rule, minor: b.Other.Minor(), numbers: b.Other.Numbering(), otherIsSubject: b.OtherIsSubject}
	if b.Rule.DistinguishesPatches() {
		key.exact = b.Other.String()
	}
	if _, known := s.seen[key]; known {
		return
	}
	if s.seen == nil {
		s.seen = map[boundKey]struct{}{}
	}
	s.seen[key] = struct{}{}
	s.list = append(s.list, b)
}

// Window returns the window of minors that all bounds allow.
func (s *Bounds) Window() finding.Window { return WindowOf(s.list) }

// allows applies the pair predicate.
func (b Bound) allows(v version.Version) bool {
	if b.limitsReference() {
		return Check(b.Rule, b.Other, v) == finding.Within
	}
	return Check(b.Rule, v, b.Other) == finding.Within
}

// limitsReference reports whether the bound limits the reference of its rule. A rule
// about single instances has no other side.
func (b Bound) limitsReference() bool { return b.OtherIsSubject || b.Rule.Scope == policy.ScopeSelf }

// edges yields the minors at and around which the result of allows may change, and
// the minor of the other side, for rules without limits.
func (b Bound) edges(yield func(version.Minor)) {
	yield(b.Other.Minor())
	b.limited(b.Rule.Limits, yield)
	for _, c := range b.Rule.Conditions {
		b.limited(c.Limits, yield)
	}
	for c := range b.constraints {
		for _, m := range c.Minors() {
			yield(m)
		}
	}
}

// limited yields the minors at the limits.
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

// constraints yields the constraints of the rule on the versions that the bound limits.
func (b Bound) constraints(yield func(version.Constraint) bool) {
	side := func(subject, reference version.Constraint) bool {
		if b.limitsReference() {
			return yield(reference)
		}
		return yield(subject)
	}
	for _, c := range b.Rule.Conditions {
		if !side(c.Subject, c.Reference) {
			return
		}
	}
	if q := b.Rule.Requirement; q != nil {
		side(q.When, q.Require)
	}
}

// longestGap is the maximum number of consecutive minors that a window lists.
const longestGap = policy.MaxLimit

// endless represents the unknown last minor of a major. It is not a limit.
const endless = math.MaxInt32

// WindowOf returns the window of minors that all bounds allow.
func WindowOf(bounds []Bound) finding.Window { return windowNear(bounds, nil) }

// AllowedReferences returns the minors of the reference with which a rule allows a version
// of the subject.
func AllowedReferences(r *policy.PairRule, subject version.Version) finding.Window {
	return WindowOf([]Bound{{Rule: r, Other: subject, OtherIsSubject: true}})
}

// windowNear works like WindowOf. If the window has gaps, its constraint describes
// the part that contains the given minor.
func windowNear(bounds []Bound, near *version.Minor) finding.Window {
	if len(bounds) == 0 {
		return finding.Window{}
	}
	major := majorOf(bounds)
	points := breakpoints(bounds, major)
	allowed := make([]bool, len(points))
	all := &intersection{slices.Clone(bounds)}
	for i, m := range points {
		allowed[i] = all.allows(m.Version())
	}
	w := windowAt(points, allowed, major)
	w.Numbers = numbersOf(bounds)
	w.FullyAllowed = fullyAllowed(all, points, allowed, major, near, w)
	return w
}

// windowAt returns the window for breakpoints, some of which are allowed.
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

// numbersOf returns the numbering of the other sides. Requirements are ignored,
// because their components have versions of their own.
func numbersOf(bounds []Bound) version.Numbering {
	for _, b := range bounds {
		if n := b.Other.Numbering(); b.Rule.Requirement == nil && !n.IsKubernetes() {
			return n
		}
	}
	return version.Numbering{}
}

// majorOf returns the major in which bounds count minors, nil if they do not. If
// bounds use different majors, no version is allowed anyway.
func majorOf(bounds []Bound) *int {
	for _, b := range bounds {
		if b.Rule.Requirement == nil {
			major := b.Other.Minor().Major
			return &major
		}
	}
	return nil
}

// breakpoints lists the minors around the edges of bounds, oldest first, of the given
// major if it is not nil. Minors between two breakpoints are allowed if the older
// breakpoint is, and minors beyond the first or last breakpoint if that one is.
func breakpoints(bounds []Bound, major *int) []version.Minor {
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

// intersection is what all of several bounds allow.
type intersection struct{ list []Bound }

// allows reports whether all bounds allow a version. A bound that does not moves to the
// front: it often rejects the next version too, so that the others need not be asked.
func (all *intersection) allows(v version.Version) bool {
	for i, b := range all.list {
		if !b.allows(v) {
			all.list[0], all.list[i] = b, all.list[0]
			return false
		}
	}
	return true
}

// AllowedVersions returns, for each component that the policy or the cluster names,
// the minors that all its instances may have while all other components stay as
// they are. For components that are not declared, it works like AllowedWith. Only rules
// with severity error count.
func AllowedVersions(p *policy.Policy, c Cluster) map[string]finding.Window {
	sites := c.Sites()
	bounds := map[string]*Bounds{}
	for component := range sites.byComponent {
		bounds[component] = &Bounds{}
	}
	for _, component := range p.Components() {
		if bounds[component] == nil {
			bounds[component] = &Bounds{}
			sites.add(withoutVersion(component))
		}
	}
	for _, r := range p.PairRules {
		if r.Severity != policy.SeverityError || others(r) {
			continue // instances of the same component move together here
		}
		for pair := range sites.Pairs(r) {
			bounds[r.Subject].Add(Bound{Rule: r, Other: pair.Reference})
			bounds[r.Reference].Add(Bound{Rule: r, Other: pair.Subject, OtherIsSubject: true})
		}
	}

	windows := make(map[string]finding.Window, len(bounds))
	for component, b := range bounds {
		var newest version.Version
		for _, site := range sites.With(component) {
			v, _ := site.State(component)
			if c.Partial || v.IsZero() { // not declared, or not known yet
				newest = version.Version{}
				break
			}
			if v.Compare(newest) > 0 {
				newest = v
			}
		}
		if newest.IsZero() {
			windows[component] = windowNear(b.list, nil)
			continue
		}
		m := newest.Minor()
		windows[component] = windowNear(b.list, &m).Written(newest.Numbering())
	}
	return windows
}

// AllowedWith returns the minors that an additional instance of a component may have in
// a cluster.
func AllowedWith(p *policy.Policy, c Cluster, component string) finding.Window {
	return WindowOf(boundsOf(p, c, component))
}

// Allows reports whether an additional instance of a component may have a
// version in a cluster. Unlike AllowedWith, it considers patches.
func Allows(p *policy.Policy, c Cluster, component string, v version.Version) bool {
	all := intersection{boundsOf(p, c, component)}
	return all.allows(v)
}

// boundsOf returns the bounds of an additional instance of a component in a cluster.
func boundsOf(p *policy.Policy, c Cluster, component string) []Bound {
	sites, added := c.Sites(), withoutVersion(component)
	sites.add(added)
	var bounds Bounds
	for _, r := range p.PairRules {
		if r.Severity != policy.SeverityError {
			continue
		}
		if r.Subject == component {
			for _, reference := range sites.References(r, added) {
				bounds.Add(Bound{Rule: r, Other: reference})
			}
		}
		if r.Reference == component {
			for _, subject := range sites.Subjects(r, added) {
				bounds.Add(Bound{Rule: r, Other: subject, OtherIsSubject: true})
			}
		}
	}
	return bounds.list
}

// withoutVersion is a site with an instance whose version is not set.
func withoutVersion(component string) *Site[version.Version] {
	return &Site[version.Version]{Members: []Member[version.Version]{{Component: component}}}
}
