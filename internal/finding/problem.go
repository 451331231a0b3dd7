// SPDX-License-Identifier: MPL-2.0

package finding

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Problem is a group of findings with the same cause, reported as one diagnostic.
type Problem struct {
	// Findings share severity, waiver, direction and minors. Either they share the
	// rule too, or their rules set the same limits for several components at the
	// same locations. There is at least one.
	Findings []Finding
	// Consequences are findings that only follow from these: they cannot be
	// repaired before them.
	Consequences []Finding
}

// Rule is a rule that findings refer to.
type Rule struct {
	ID     string
	Source string // URL, "" if the rule does not name one
}

// problemKey identifies the findings of one rule that a text describes together: it names
// what the text names. Unlike an Occurrence, it does not tell whether a finding is the same
// as before.
type problemKey struct {
	rule, component, reference string
	severity                   policy.Severity
	waiver                     string
	relation                   Relation
	kind                       reflect.Type
	minors                     [2]version.Minor
	versions                   string // what else identifies the versions
	ofStep                     bool
	move                       string // only of ApplyOrder and NotOffered
	planned                    bool
}

func (f Finding) problemKey() problemKey {
	k := problemKey{
		rule:      f.RuleID,
		component: f.Subject.Component,
		reference: f.Reference.Component,
		severity:  f.Severity,
		minors:    minors(f.Subject.Version, f.Reference.Version),
		planned:   f.Planned,
		kind:      reflect.TypeOf(f.Cause),
	}
	if f.WaivedBy != nil {
		k.waiver = f.WaivedBy.Name
	}
	f.Cause.identify(f, &k)
	return k
}

func (m *Mismatch) identify(f Finding, k *problemKey) {
	k.relation, k.ofStep = m.Relation, m.DuringUpgrade
	switch {
	case m.Relation == Unmet:
		k.versions = f.Subject.Version.String() + " " + f.Reference.Version.String()
	case f.Subject.Component == f.Reference.Component:
		k.minors = [2]version.Minor{} // instances of one component that are too far apart
	}
}

func (*StepLimit) identify(_ Finding, k *problemKey) {
	k.reference = "" // the reference is the subject before the step
}

func (c *StepOrder) identify(_ Finding, k *problemKey) {
	k.versions = fmt.Sprint(minors(c.FromSubject, c.FromReference))
}

func (c *ApplyOrder) identify(_ Finding, k *problemKey) {
	k.relation, k.move = c.Intermediate.Relation, c.Through
}

func (c *LatestPatch) identify(f Finding, k *problemKey) {
	k.minors = minors(f.Subject.Version, c.Latest)
}

func (c *Webhook) identify(f Finding, k *problemKey) {
	k.minors, k.versions = minors(f.Subject.Version, c.From), c.MatchPolicy
}

func (c *Held) identify(_ Finding, k *problemKey) { k.versions = c.Limit.String() }

func (c *NotOffered) identify(f Finding, k *problemKey) {
	k.minors, k.versions = [2]version.Minor{}, f.Subject.Version.Binary().String()
	if c.From.IsZero() {
		k.move = "new"
	}
}

func (c *MinorMove) identify(f Finding, k *problemKey) {
	k.minors = minors(f.Subject.Version, c.From)
}

func minors(a, b version.Version) [2]version.Minor { return [2]version.Minor{a.Minor(), b.Minor()} }

// Group groups findings by cause, in the order of the first finding of each group.
func Group(findings []Finding) []Problem {
	var groups group.Map[problemKey, []*Finding]
	for i := range findings {
		same := groups.GetOrCreate(findings[i].problemKey(), func() []*Finding { return nil })
		*same = append(*same, &findings[i])
	}
	problems := make([]Problem, len(groups.All))
	for i, same := range groups.All {
		// The largest distance comes first.
		slices.SortStableFunc(same, func(a, b *Finding) int { return cmp.Compare(b.Distance(), a.Distance()) })
		problems[i].Findings = make([]Finding, len(same))
		for n, f := range same {
			problems[i].Findings[n] = *f
		}
	}
	return mergeSimilar(problems)
}

// Problems groups findings like Group, with consequences.
func Problems(findings []Finding) []Problem { return WithConsequences(Group(findings)) }

// Findings returns all findings of problems, in the order of Sort.
func Findings(problems []Problem) []Finding {
	var all []Finding
	for _, p := range problems {
		all = append(append(all, p.Findings...), p.Consequences...)
	}
	Sort(all)
	return all
}

// WithConsequences adds consequences to the problem that they follow from: if instances of
// one component are too far apart, no version is allowed for components that are compared
// with all of them.
func WithConsequences(grouped []Problem) []Problem {
	apart := map[string]int{} // index of the problem, by component
	for i, p := range grouped {
		f := p.Findings[0]
		if _, known := apart[f.Subject.Component]; !known && f.isUnwaivedMismatch() && f.Subject.Component == f.Reference.Component {
			apart[f.Subject.Component] = i
		}
	}
	follows := func(p Problem) (cause int, ok bool) {
		for _, f := range p.Findings {
			if !f.isUnwaivedMismatch() || !f.Allowed.Empty || f.Subject.Component == f.Reference.Component {
				return 0, false
			}
		}
		cause, ok = apart[p.Findings[0].Reference.Component]
		return cause, ok
	}
	problems := slices.Clone(grouped)
	for _, p := range grouped {
		if cause, ok := follows(p); ok {
			problems[cause].Consequences = append(problems[cause].Consequences, p.Findings...)
		}
	}
	return slices.DeleteFunc(problems, func(p Problem) bool {
		_, ok := follows(p)
		return ok
	})
}

func (f Finding) isUnwaivedMismatch() bool {
	_, ok := f.Cause.(*Mismatch)
	return ok && f.IsUnwaivedError()
}

// Distance returns the number of minors between the two sides of a finding.
func (f Finding) Distance() int {
	n, _ := f.Subject.Version.Minor().Skew(f.Reference.Version.Minor())
	return max(n, -n)
}

// Locations lists the locations of the subjects, sorted and without duplicates.
func (p Problem) Locations() []Location {
	return sortedLocations(p.Findings, func(f Finding) []Location { return f.Subject.Locations })
}

// References lists the locations of the references, sorted and without duplicates.
func (p Problem) References() []Location {
	return sortedLocations(p.Findings, func(f Finding) []Location { return f.Reference.Locations })
}

// Components lists the components of the subjects in order, each once.
func (p Problem) Components() []string {
	var all []string
	for _, f := range p.Findings {
		if !slices.Contains(all, f.Subject.Component) {
			all = append(all, f.Subject.Component)
		}
	}
	return all
}

// Rules lists the rules of the findings in order, each once.
func (p Problem) Rules() []Rule {
	var all []Rule
	for _, f := range p.Findings {
		if r := (Rule{f.RuleID, f.Source}); !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// RuleIDs lists the IDs of Rules.
func (p Problem) RuleIDs() []string {
	var all []string
	for _, r := range p.Rules() {
		all = append(all, r.ID)
	}
	return all
}

func sortedLocations(findings []Finding, locations func(Finding) []Location) []Location {
	if len(findings) == 1 {
		return locations(findings[0])
	}
	var all []Location
	for _, f := range findings {
		all = append(all, locations(f)...)
	}
	return Distinct(all)
}
