// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// Changes tells the findings of an input that the change from what is observed
// brings or makes worse from those that were there before. Rule and place tell
// which was there, and how far it is beyond its limit tells whether it is worse now.
// A finding of which only some locations are new becomes two.
//
// What is found on the step itself is always new. Where it is not known yet what ran
// before, or nothing is observed at all, nothing is.
func Changes(in Input, findings []finding.Finding) (brought, known []finding.Finding) {
	if in.Observed == nil {
		return nil, findings
	}
	earlier, _ := Findings(Input{Policy: in.Policy, Cluster: *in.Observed, Day: in.Day, Calendar: in.Calendar})
	before := newHistory(*in.Observed, in.Cluster)
	for _, f := range earlier {
		for _, l := range f.Subject.Locations {
			at := breach{f.RuleID, before.at(l, f.Subject.Component)}
			before.excesses[at] = append(before.excesses[at], excess(f))
		}
	}
	for _, f := range findings {
		fresh, old := f, f
		fresh.Subject.Locations, old.Subject.Locations = nil, nil
		has := before.of(f)
		for _, l := range f.Subject.Locations {
			if has(l) {
				old.Subject.Locations = append(old.Subject.Locations, l)
			} else {
				fresh.Subject.Locations = append(fresh.Subject.Locations, l)
			}
		}
		if len(fresh.Subject.Locations) > 0 {
			brought = append(brought, fresh)
		}
		if len(old.Subject.Locations) > 0 {
			known = append(known, old)
		}
	}
	finding.Sort(brought)
	finding.Sort(known)
	return brought, known
}

// history is what was there before a change.
type history struct {
	excesses map[breach][]skew.Excess
	// unknown is where something ran, and whether its version is not known yet.
	unknown map[instance]bool
	partial bool
	// respelled says that either side has a managed control plane, and the other
	// spells its instances out; wide lists the components that either side declares
	// for the whole cluster, and the other does not.
	respelled bool
	wide      map[string]bool
}

// breach is a rule that is broken somewhere.
type breach struct {
	rule string
	at   instance
}

// instance is a component somewhere, in words that are the same before and after.
type instance struct {
	location  finding.Location
	component string
}

func newHistory(before, after skew.Cluster) history {
	h := history{
		excesses: map[breach][]skew.Excess{}, unknown: map[instance]bool{}, partial: before.Partial,
		respelled: managed(before) != managed(after), wide: map[string]bool{},
	}
	for _, c := range []skew.Cluster{before, after} {
		for _, p := range c.Places {
			for _, i := range p.Instances {
				if i.ClusterWide && p.Location.Attribute == finding.KubeProxy {
					h.wide[i.Component] = !h.wide[i.Component]
				}
			}
		}
	}
	for _, p := range before.Places {
		for _, i := range p.Instances {
			at := h.at(p.At(i), i.Component)
			h.unknown[at] = h.unknown[at] || i.Version.IsZero()
		}
	}
	return h
}

func managed(c skew.Cluster) bool {
	return slices.ContainsFunc(c.Places, func(p skew.Place) bool { return p.Location.Attribute == finding.ControlPlaneVersion })
}

func (h history) at(l finding.Location, component string) instance {
	switch {
	case h.respelled && l.InControlPlane():
		l = finding.AtAttribute(finding.ControlPlaneVersion)
	case h.wide[component] && l.Attribute == finding.NodePools:
		l = finding.AtAttribute(finding.KubeProxy)
	}
	return instance{l, component}
}

// of returns a function that reports whether a finding was there before at one of
// its locations, or may have been.
func (h history) of(f finding.Finding) func(finding.Location) bool {
	now := excess(f)
	maybe := slices.ContainsFunc(f.Reference.Locations, func(l finding.Location) bool { return h.open(h.at(l, f.Reference.Component)) })
	return func(l finding.Location) bool {
		at := h.at(l, f.Subject.Component)
		return !f.OfStep() && (maybe || h.open(at) || slices.ContainsFunc(h.excesses[breach{f.RuleID, at}], func(was skew.Excess) bool { return !now.Worse(was) }))
	}
}

// open reports whether it is not known yet what ran somewhere.
func (h history) open(at instance) bool {
	unknown, ran := h.unknown[at]
	return unknown || !ran && h.partial
}

// excess says how far a finding is beyond its limit, 0 where that can't be measured.
func excess(f finding.Finding) skew.Excess {
	switch cause := f.Cause.(type) {
	case *finding.Mismatch:
		return skew.Exceeds(cause.Rule, f.Subject.Version, f.Reference.Version)
	case *finding.EndOfLife:
		return skew.Excess{Relation: finding.TooOld, Minors: -cause.Days}
	case *finding.StepLimit, *finding.StepOrder, *finding.ApplyOrder, *finding.Held, *finding.NotAvailable, *finding.LatestPatch,
		*finding.Prerelease, *finding.Webhook, *finding.NextMinor, *finding.MinorMove:
	}
	return skew.Excess{Relation: finding.TooOld}
}
