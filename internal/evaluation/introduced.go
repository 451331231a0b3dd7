package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// Introduced separates the findings that the step brings or makes worse from those
// that hold for the observed combination too. Without one, all findings are old. A
// finding that is old at some of its locations becomes two.
func Introduced(in Input, findings []finding.Finding) (introduced, old []finding.Finding) {
	if in.Observed == nil {
		return nil, findings
	}
	before := stateOf(in.Policy, *in.Observed)
	for _, f := range findings {
		was := slices.Clone(f.Subject.Locations)
		was = slices.DeleteFunc(was, func(l finding.Location) bool { return !before.had(f, l) })
		is := slices.DeleteFunc(slices.Clone(f.Subject.Locations), func(l finding.Location) bool { return slices.Contains(was, l) })
		if len(was) > 0 {
			part := f
			part.Subject.Locations = was
			old = append(old, part)
		}
		if len(is) > 0 {
			part := f
			part.Subject.Locations = is
			introduced = append(introduced, part)
		}
	}
	return introduced, old
}

// state is what a combination breaks, and what runs in it.
type state struct {
	broken map[placed][]skew.Excess
	// versions is by component and location, each as it is spelled.
	versions map[placed]map[string]bool
}

// placed is a rule or a component at a location.
type placed struct {
	name  string
	where finding.Location
}

// at names a location. A managed control plane stands for instances that are
// spelled out, and the other way round.
func at(name string, l finding.Location) placed {
	if l.InControlPlane() {
		l = finding.AtAttribute(finding.ControlPlaneVersion)
	}
	return placed{name, l}
}

func stateOf(p *policy.Policy, c skew.Cluster) state {
	s := state{map[placed][]skew.Excess{}, map[placed]map[string]bool{}}
	for _, f := range skew.Evaluate(p, c) {
		if m, ok := f.Cause.(*finding.Mismatch); ok {
			for _, l := range f.Subject.Locations {
				key := at(f.RuleID, l)
				s.broken[key] = append(s.broken[key], skew.Exceeds(m.Rule, f.Subject.Version, f.Reference.Version))
			}
		}
	}
	for _, place := range c.Places {
		for _, i := range place.Instances {
			key := at(i.Component, place.At(i))
			if s.versions[key] == nil {
				s.versions[key] = map[string]bool{}
			}
			s.versions[key][i.Version.String()] = true
		}
	}
	return s
}

// had reports whether a finding was there before at a location, and no better than
// now.
func (s state) had(f finding.Finding, l finding.Location) bool {
	if f.OfStep() {
		return false
	}
	m, ok := f.Cause.(*finding.Mismatch)
	if !ok {
		return s.versions[at(f.Subject.Component, l)][f.Subject.Version.String()]
	}
	now := skew.Exceeds(m.Rule, f.Subject.Version, f.Reference.Version)
	return slices.ContainsFunc(s.broken[at(f.RuleID, l)], func(before skew.Excess) bool { return !now.Worse(before) })
}
