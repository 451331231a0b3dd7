package finding

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Problem is findings with one cause, to be reported once.
type Problem struct {
	// Findings share rule, severity, waiver, direction and minors; at least one.
	Findings []Finding
	// Consequences follow from the findings: they have no solution until these
	// are repaired.
	Consequences []Finding
}

// ProblemKey is what the findings of one problem have in common. Keys can be
// compared with ==.
type ProblemKey struct {
	rule, component, reference string
	severity                   policy.Severity
	waiver                     string
	relation                   Relation
	kind                       string
	versions                   string
}

// Key returns the key of the problem that the finding belongs to.
func (f Finding) Key() ProblemKey {
	k := ProblemKey{
		rule:      f.RuleID,
		component: f.Subject.Component,
		reference: f.Reference.Component,
		severity:  f.Severity,
		versions:  minors(f.Subject.Version, f.Reference.Version),
	}
	if f.WaivedBy != nil {
		k.waiver = f.WaivedBy.Name
	}
	switch c := f.Cause.(type) {
	case *Mismatch:
		k.kind, k.relation = "mismatch", c.Relation
		if c.DuringUpgrade {
			k.kind = "mismatch during the upgrade"
		}
		switch {
		case c.Relation == Unmet:
			k.versions = f.Subject.Version.String() + " " + f.Reference.Version.String()
		case f.Subject.Component == f.Reference.Component:
			k.versions = "" // one component that is spread too widely
		}
	case *StepLimit:
		k.kind = "step limit"
	case *StepOrder:
		k.kind = "step order"
		k.versions += " " + minors(c.FromSubject, c.FromReference)
	case *NotAvailable:
		k.kind = "not available"
	case *EndOfLife:
		k.kind = "end of life"
	case *LatestPatch:
		k.kind, k.versions = "latest patch", minors(f.Subject.Version, c.Latest)
	case *Prerelease:
		k.kind = "pre-release"
	case *Webhook:
		k.kind, k.versions = "webhook", minors(f.Subject.Version, c.From)+" "+c.MatchPolicy
	case *NextMinor:
		k.kind, k.versions = "next minor", minors(f.Subject.Version, c.Next.Version())
	case *MinorMove:
		k.kind, k.versions = "minor move", minors(f.Subject.Version, c.From)
	}
	return k
}

func minors(a, b version.Version) string { return a.Minor().String() + " " + b.Minor().String() }

// Problems groups findings that have one cause, in the order of the first of each.
func Problems(findings []Finding) []Problem {
	// A component that is too far apart from itself leaves no version to what is
	// compared with it.
	spread := map[string]ProblemKey{}
	for _, f := range findings {
		if _, ok := f.Cause.(*Mismatch); ok && f.Subject.Component == f.Reference.Component && f.IsUnwaivedError() {
			if _, known := spread[f.Subject.Component]; !known {
				spread[f.Subject.Component] = f.Key()
			}
		}
	}
	var problems group.Map[ProblemKey, Problem]
	for _, f := range findings {
		if _, ok := f.Cause.(*Mismatch); ok && f.Allowed.Empty && f.IsUnwaivedError() && f.Subject.Component != f.Reference.Component {
			if cause, ok := spread[f.Reference.Component]; ok {
				p := problems.GetOrCreate(cause, func() Problem { return Problem{} })
				p.Consequences = append(p.Consequences, f)
				continue
			}
		}
		p := problems.GetOrCreate(f.Key(), func() Problem { return Problem{} })
		p.Findings = append(p.Findings, f)
	}
	for i := range problems.All {
		// The widest gap leads.
		slices.SortStableFunc(problems.All[i].Findings, func(a, b Finding) int { return cmp.Compare(b.distance(), a.distance()) })
	}
	return problems.All
}

// distance counts the minors between the two sides of a mismatch.
func (f Finding) distance() int {
	if _, ok := f.Cause.(*Mismatch); !ok {
		return 0
	}
	n, _ := f.Subject.Version.Minor().Skew(f.Reference.Version.Minor())
	return max(n, -n)
}

// Locations lists where the subjects of the findings run, each location once, in
// order.
func (p Problem) Locations() []Location {
	return tidy(p.Findings, func(f Finding) []Location { return f.Subject.Locations })
}

// References lists where the references of the findings run, each location once,
// in order.
func (p Problem) References() []Location {
	return tidy(p.Findings, func(f Finding) []Location { return f.Reference.Locations })
}

func tidy(findings []Finding, locations func(Finding) []Location) []Location {
	if len(findings) == 1 {
		return locations(findings[0])
	}
	var all []Location
	for _, f := range findings {
		all = append(all, locations(f)...)
	}
	slices.SortFunc(all, Location.Compare)
	return slices.Compact(all)
}
