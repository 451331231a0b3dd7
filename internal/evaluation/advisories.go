// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// advisor applies the advisories of a policy.
type advisor struct {
	Input
	calendar *releases.Calendar
	moves    []finding.Move // the moves of the step
	// blockers are the findings that block the control plane from moving to the next minor.
	blockers []finding.Finding
}

// advise applies the advisories of the policy. An instance that already violates a rule
// is not reported again as blocking the next minor under that rule.
func advise(in Input, findings []finding.Finding, next *AdjacentMinor) []finding.Finding {
	a := advisor{Input: in, calendar: releases.Embedded()}
	if in.Observed != nil {
		a.moves = step.Moves(*in.Observed, in.Cluster)
	}
	if next != nil && len(next.Blockers) > 0 {
		known := map[finding.Occurrence]bool{}
		for _, f := range findings {
			for o := range f.Occurrences() {
				known[o] = known[o] || !f.Cause.OfStep()
			}
		}
		for _, f := range finding.Findings(next.Blockers) {
			isKnown := false
			for o := range f.Occurrences() {
				isKnown = isKnown || known[o]
			}
			if !isKnown {
				a.blockers = append(a.blockers, f)
			}
		}
	}
	var advisories []finding.Finding
	for _, advisory := range in.Policy.Advisories {
		advisories = append(advisories, a.check(advisory)...)
	}
	return advisories
}

// check applies one advisory.
func (a advisor) check(advisory *policy.Advisory) []finding.Finding {
	switch advisory.Check {
	case policy.CheckEndOfLife:
		return a.endOfLife(advisory)
	case policy.CheckLatestPatch:
		return a.latestPatch(advisory)
	case policy.CheckPrerelease:
		return a.prerelease(advisory)
	case policy.CheckWebhooks:
		return a.webhooks(advisory)
	case policy.CheckNextMinor:
		return a.nextMinor(advisory)
	case policy.CheckMinorMove:
		return a.minorMoves(advisory)
	case policy.CheckNotOffered:
		return notOffered(a.Input, advisory)
	}
	return nil
}

func newFinding(advisory *policy.Advisory, subject finding.Side, cause finding.Cause) finding.Finding {
	return finding.Finding{RuleID: advisory.ID, Severity: advisory.Severity, Source: advisory.Source, Subject: subject, Cause: cause}
}

// sides groups the instances of the components of an advisory by component and version.
// It only includes versions that satisfy the condition.
func (a advisor) sides(advisory *policy.Advisory, condition func(version.Version) bool) []finding.Side {
	type key struct{ component, version string }
	var sides group.Map[key, finding.Side]
	for p, i := range a.Cluster.Instances() {
		if !advisory.Covers(i.Component) || !condition(i.Version) {
			continue
		}
		side := sides.GetOrCreate(key{i.Component, i.Version.String()}, func() finding.Side {
			return finding.Side{Component: i.Component, Version: i.Version}
		})
		side.Locations = append(side.Locations, p.At(i))
	}
	for i := range sides.All {
		s := &sides.All[i]
		s.Locations = finding.Distinct(s.Locations)
	}
	return sides.All
}

func (a advisor) latestPatch(advisory *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, m := range a.moves {
		from := m.From.Binary()
		latest := a.latest(from.Minor())
		_, declared := from.Patch()
		if !m.MovesMinor() || !declared || !advisory.Covers(m.Component) || !latest.PatchesComparable(from) || latest.Compare(from) <= 0 {
			continue
		}
		side := finding.Side{Component: m.Component, Version: m.From, Locations: m.Locations}
		findings = append(findings, newFinding(advisory, side, &finding.LatestPatch{Latest: latest, Reason: advisory.Reason}))
	}
	return findings
}

// latest returns the newest patch of a minor that the platform offers or, if that is not
// declared, the newest known one. It is zero if there is none.
func (a advisor) latest(m version.Minor) version.Version {
	if offered := a.Offered.ControlPlane.Versions; len(offered) > 0 {
		return newestOf(minorsOf(offered)[m])
	}
	r, _ := a.calendar.Lookup(m)
	return r.LatestPatch
}

func (a advisor) prerelease(advisory *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, side := range a.sides(advisory, func(v version.Version) bool { return v.Prerelease() != "" }) {
		findings = append(findings, newFinding(advisory, side, &finding.Prerelease{Reason: advisory.Reason}))
	}
	return findings
}

func (a advisor) webhooks(advisory *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, m := range a.moves {
		if !m.MovesMinor() || !advisory.Covers(m.Component) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(a.Cluster.Webhooks)) {
			matchPolicy := a.Cluster.Webhooks[name]
			if strings.EqualFold(matchPolicy, "Equivalent") {
				continue
			}
			side := finding.Side{Component: m.Component, Version: m.To, Locations: []finding.Location{finding.AtKey(finding.AdmissionWebhooks, name)}}
			findings = append(findings, newFinding(advisory, side, &finding.Webhook{MatchPolicy: matchPolicy, From: m.From, Reason: advisory.Reason}))
		}
	}
	return findings
}

func (a advisor) nextMinor(advisory *policy.Advisory) []finding.Finding {
	findings := make([]finding.Finding, 0, len(a.blockers))
	for _, b := range a.blockers {
		mismatch, ok := b.Cause.(*finding.Mismatch)
		if !ok || !advisory.Covers(b.Subject.Component) || mismatch.Relation != finding.TooOld {
			continue
		}
		f := newFinding(advisory, b.Subject, &finding.NextMinor{Reason: advisory.Reason})
		f.Reference, f.Allowed = b.Reference, b.Allowed
		f = f.WithRemedies(func() ([]finding.Remedy, bool) { return b.Remedies(), b.RemediesTried() })
		findings = append(findings, f)
	}
	return findings
}

func (a advisor) minorMoves(advisory *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, m := range a.moves {
		if m.MovesMinor() && advisory.Covers(m.Component) {
			side := finding.Side{Component: m.Component, Version: m.To, Locations: m.Locations}
			findings = append(findings, newFinding(advisory, side, &finding.MinorMove{From: m.From, Note: advisory.Note}))
		}
	}
	return findings
}
