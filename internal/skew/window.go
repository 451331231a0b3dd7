package skew

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Window is the minors a component may have.
type Window struct {
	// Minimum and Maximum are nil where nothing bounds that side, and both
	// are where no version fits at all: see Empty.
	Minimum, Maximum *version.Minor
	// Minors lists the window, oldest first, where both sides are bounded.
	Minors []version.Minor
	// Except lists minors within the bounds that are not allowed, oldest
	// first. Limits leave none out; requirements may.
	Except []version.Minor
	// Empty says that the limits contradict each other.
	Empty bool
}

// Constraint writes the bounds of the window in the syntax of
// https://pkg.go.dev/github.com/hashicorp/go-version, which can't say Except. A
// window without bounds is ">= 0", an empty one "< 0".
func (w Window) Constraint() string {
	switch {
	case w.Empty:
		return "< 0"
	case w.Minimum != nil && w.Maximum != nil:
		return fmt.Sprintf(">= %s, < %s", w.Minimum, w.Maximum.Add(1))
	case w.Minimum != nil:
		return fmt.Sprintf(">= %s", w.Minimum)
	case w.Maximum != nil:
		return fmt.Sprintf("< %s", w.Maximum.Add(1))
	}
	return ">= 0"
}

// Contains reports whether a minor is in the window.
func (w Window) Contains(m version.Minor) bool {
	if w.Empty || slices.Contains(w.Except, m) || w.Minimum != nil && m.Compare(*w.Minimum) < 0 || w.Maximum != nil && m.Compare(*w.Maximum) > 0 {
		return false
	}
	return true
}

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
	seen map[boundKey]bool
}

type boundKey struct {
	rule, other    string
	otherIsSubject bool
}

// add adds a bound, unless its other end has no version yet.
func (s *boundSet) add(b Bound) {
	key := boundKey{b.Rule.ID, b.Other.String(), b.OtherIsSubject}
	if b.Other.IsZero() || s.seen[key] {
		return
	}
	if s.seen == nil {
		s.seen = map[boundKey]bool{}
	}
	s.seen[key] = true
	s.list = append(s.list, b)
}

// allows asks the pair predicate.
func (b Bound) allows(v version.Version) bool {
	if b.OtherIsSubject {
		return Judge(b.Rule, b.Other, v) == Within
	}
	return Judge(b.Rule, v, b.Other) == Within
}

// span is the widest window the bound could leave, whatever condition applies.
func (b Bound) span() (lowest, highest *version.Minor) {
	if b.Rule.Requirement != nil {
		return b.requirementSpan()
	}
	newer, older := b.Rule.MaxNewer, b.Rule.MaxOlder
	for _, c := range b.Rule.Conditions {
		newer, older = wider(newer, c.MaxNewer), wider(older, c.MaxOlder)
	}
	if b.OtherIsSubject {
		newer, older = older, newer
	}
	if older != nil {
		m := b.Other.Minor().Add(-*older)
		lowest = &m
	}
	if newer != nil {
		m := b.Other.Minor().Add(*newer)
		highest = &m
	}
	return lowest, highest
}

// requirementSpan looks for where a constraint begins and ends, at and around
// the versions that it names.
func (b Bound) requirementSpan() (lowest, highest *version.Minor) {
	named := b.named()
	if len(named) == 0 {
		return nil, nil
	}
	first, last := named[0], named[len(named)-1]
	allowed := func(m version.Minor) bool { return b.allows(m.Version()) }
	if first.Minor > 0 && !allowed(first.Add(-1)) {
		for m := first; lowest == nil && m.Compare(last.Add(1)) <= 0; m = m.Add(1) {
			if allowed(m) {
				lowest = &m
			}
		}
	}
	if !allowed(last.Add(1)) {
		for m := last; highest == nil && m.Compare(first) >= 0; m = m.Add(-1) {
			if allowed(m) {
				highest = &m
			}
			if m.Minor == 0 {
				break
			}
		}
	}
	return lowest, highest
}

// named lists the minors that a requirement names on this end, oldest first.
func (b Bound) named() []version.Minor {
	switch {
	case b.Rule.Requirement == nil:
		return nil
	case b.OtherIsSubject:
		return b.Rule.Requirement.Require.Minors()
	}
	return b.Rule.Requirement.When.Minors()
}

// wider returns the larger limit; a condition that names none changes nothing.
func wider(limit, condition *int) *int {
	if limit == nil || condition == nil || *condition <= *limit {
		return limit
	}
	return condition
}

// WindowOf returns the minors that all bounds allow.
func WindowOf(bounds []Bound) Window {
	var w Window
	major := -1 // that minors are counted in
	for _, b := range bounds {
		if b.Rule.Requirement == nil {
			if major >= 0 && b.Other.Minor().Major != major {
				return Window{Empty: true}
			}
			major = b.Other.Minor().Major
		}
		lowest, highest := b.span()
		if lowest != nil && (w.Minimum == nil || lowest.Compare(*w.Minimum) > 0) {
			w.Minimum = lowest
		}
		if highest != nil && (w.Maximum == nil || highest.Compare(*w.Maximum) < 0) {
			w.Maximum = highest
		}
	}
	if w.Minimum == nil || w.Maximum == nil {
		if w.Minimum != nil {
			w.Minimum = firstAllowed(bounds, *w.Minimum, 1)
			w.Empty = w.Minimum == nil
		}
		if w.Maximum != nil {
			w.Maximum = firstAllowed(bounds, *w.Maximum, -1)
			w.Empty = w.Maximum == nil
		}
		w.Except = exceptions(bounds, w)
		return w
	}
	for m := *w.Minimum; m.Compare(*w.Maximum) <= 0; m = m.Add(1) {
		if allAllow(bounds, m) {
			w.Minors = append(w.Minors, m)
		}
	}
	if len(w.Minors) == 0 {
		return Window{Empty: true}
	}
	w.Minimum, w.Maximum = &w.Minors[0], &w.Minors[len(w.Minors)-1]
	for m := *w.Minimum; m.Compare(*w.Maximum) < 0; m = m.Add(1) {
		if !slices.Contains(w.Minors, m) {
			w.Except = append(w.Except, m)
		}
	}
	return w
}

// exceptions looks through the minors that requirements name for those that are
// not allowed within a window.
func exceptions(bounds []Bound, w Window) []version.Minor {
	var except []version.Minor
	for _, b := range bounds {
		for _, m := range b.named() {
			if w.Contains(m) && !allAllow(bounds, m) && !slices.Contains(except, m) {
				except = append(except, m)
			}
		}
	}
	slices.SortFunc(except, version.Minor.Compare)
	return except
}

// firstAllowed walks from the edge of the widest span to where the conditions
// allow a minor, or returns nil. No condition changes a limit by more minors
// than the largest limit of a policy.
func firstAllowed(bounds []Bound, m version.Minor, direction int) *version.Minor {
	for range policy.MaxLimit + 1 {
		if allAllow(bounds, m) {
			return &m
		}
		if direction < 0 && m.Minor == 0 {
			break
		}
		m = m.Add(direction)
	}
	return nil
}

func allAllow(bounds []Bound, m version.Minor) bool {
	v := m.Version()
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
func AllowedVersions(p *policy.Policy, c Cluster) map[string]Window {
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
	collectBounds(p, sites, bounds, false)

	windows := make(map[string]Window, len(bounds))
	for component, b := range bounds {
		windows[component] = WindowOf(b.list)
	}
	return windows
}

// Beside returns the minors that one further instance of a component may have
// somewhere in a cluster.
func Beside(p *policy.Policy, c Cluster, component string) Window {
	bounds := map[string]*boundSet{component: {}}
	sites := c.Sites()
	sites.add(undecided(component))
	collectBounds(p, sites, bounds, true)
	return WindowOf(bounds[component].list)
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
			if other == site && slices.Contains(together, r.Subject) || other != site && r.Scope == policy.ScopeNode {
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

// collectBounds gathers what limits the components that are keys of bounds.
// Instances of one component limit each other only if they may move one by one.
func collectBounds(p *policy.Policy, sites *Sites[version.Version], bounds map[string]*boundSet, oneByOne bool) {
	for _, r := range p.PairRules {
		ofSubject, ofReference := bounds[r.Subject], bounds[r.Reference]
		if r.Severity != policy.SeverityError || ofSubject == nil && ofReference == nil || r.Subject == r.Reference && !oneByOne {
			continue
		}
		for _, site := range sites.With(r.Subject) {
			subject, _ := site.State(r.Subject)
			for _, reference := range sites.References(r, site) {
				if ofSubject != nil {
					ofSubject.add(Bound{Rule: r, Other: reference})
				}
				if ofReference != nil {
					ofReference.add(Bound{Rule: r, Other: subject, OtherIsSubject: true})
				}
			}
		}
	}
}
