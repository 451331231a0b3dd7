// Package advice looks for what a policy advises on beyond its limits: ends of
// life, pre-releases, webhooks, nodes that will soon be in the way. What it finds
// is findings like any other, and by default never errors. Only here does the
// calendar count, and so the day.
package advice

import (
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Question is what is looked at.
type Question struct {
	Policy   *policy.Policy
	Cluster  skew.Cluster
	Observed *skew.Cluster // the combination before, nil if there is none
	// Blockers is what would keep the control plane from its next minor.
	Blockers []finding.Finding
	// Next is that minor.
	Next     version.Minor
	Calendar *releases.Calendar
	Day      releases.Date
}

// Findings looks for all that the policy advises on.
func Findings(q Question) []finding.Finding {
	var moves []upgrade.Move
	if q.Observed != nil {
		moves = upgrade.MinorMoves(*q.Observed, q.Cluster)
	}
	var findings []finding.Finding
	for _, a := range q.Policy.Advisories {
		switch a.Check {
		case policy.CheckEndOfLife:
			findings = append(findings, q.endOfLife(a)...)
		case policy.CheckLatestPatch:
			findings = append(findings, q.latestPatch(a, moves)...)
		case policy.CheckPrerelease:
			findings = append(findings, q.prerelease(a)...)
		case policy.CheckWebhooks:
			findings = append(findings, q.webhooks(a, moves)...)
		case policy.CheckNextMinor:
			findings = append(findings, q.nextMinor(a)...)
		case policy.CheckMinorMove:
			findings = append(findings, minorMoves(a, moves)...)
		}
	}
	return findings
}

func newFinding(a *policy.Advisory, subject finding.Side, cause finding.Cause) finding.Finding {
	return finding.Finding{RuleID: a.ID, Severity: a.Severity, Source: a.Source, Subject: subject, Cause: cause}
}

// sides gathers the instances of the components that an advisory looks at, by
// component and version, for which something holds.
func (q Question) sides(a *policy.Advisory, holds func(version.Version) bool) []finding.Side {
	type key struct{ component, version string }
	var sides group.Map[key, finding.Side]
	for _, p := range q.Cluster.Places {
		for _, i := range p.Instances {
			if !a.Covers(i.Component) || !holds(i.Version) {
				continue
			}
			side := sides.GetOrCreate(key{i.Component, i.Version.String()}, func() finding.Side {
				return finding.Side{Component: i.Component, Version: i.Version}
			})
			side.Locations = append(side.Locations, p.At(i))
		}
	}
	for i := range sides.All {
		s := &sides.All[i]
		slices.SortFunc(s.Locations, finding.Location.Compare)
		s.Locations = slices.Compact(s.Locations)
	}
	return sides.All
}

func (q Question) endOfLife(a *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, side := range q.sides(a, func(v version.Version) bool {
		r, _ := q.Calendar.Lookup(v.Minor())
		return !r.EndOfLife.IsZero() && q.Day.DaysUntil(r.EndOfLife) <= a.Days
	}) {
		r, _ := q.Calendar.Lookup(side.Version.Minor())
		findings = append(findings, newFinding(a, side, &finding.EndOfLife{Date: r.EndOfLife, Days: q.Day.DaysUntil(r.EndOfLife), Planned: r.EndOfLifePlanned, Reason: a.Reason}))
	}
	return findings
}

func (q Question) latestPatch(a *policy.Advisory, moves []upgrade.Move) []finding.Finding {
	var findings []finding.Finding
	for _, m := range moves {
		r, _ := q.Calendar.Lookup(m.From.Minor())
		_, declared := m.From.Patch()
		if !declared || !a.Covers(m.Component) || r.LatestPatch.Compare(m.From) <= 0 {
			continue
		}
		side := finding.Side{Component: m.Component, Version: m.From, Locations: m.Locations}
		findings = append(findings, newFinding(a, side, &finding.LatestPatch{Latest: r.LatestPatch, Reason: a.Reason}))
	}
	return findings
}

func (q Question) prerelease(a *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, side := range q.sides(a, func(v version.Version) bool { return v.Prerelease() != "" }) {
		findings = append(findings, newFinding(a, side, &finding.Prerelease{Reason: a.Reason}))
	}
	return findings
}

func (q Question) webhooks(a *policy.Advisory, moves []upgrade.Move) []finding.Finding {
	var findings []finding.Finding
	for _, m := range moves {
		if !a.Covers(m.Component) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(q.Cluster.Webhooks)) {
			matchPolicy := q.Cluster.Webhooks[name]
			if strings.EqualFold(matchPolicy, "Equivalent") {
				continue
			}
			side := finding.Side{Component: m.Component, Version: m.To, Locations: []finding.Location{finding.AtKey(finding.AdmissionWebhooks, name)}}
			findings = append(findings, newFinding(a, side, &finding.Webhook{MatchPolicy: matchPolicy, From: m.From, Reason: a.Reason}))
		}
	}
	return findings
}

func (q Question) nextMinor(a *policy.Advisory) []finding.Finding {
	var findings []finding.Finding
	for _, b := range q.Blockers {
		mismatch, ok := b.Cause.(*finding.Mismatch)
		if !ok || !a.Covers(b.Subject.Component) || mismatch.Relation != finding.TooOld {
			continue
		}
		f := newFinding(a, b.Subject, &finding.NextMinor{Next: q.Next, Reason: a.Reason})
		f.Reference, f.Allowed = b.Reference, b.Allowed
		findings = append(findings, f)
	}
	return findings
}

func minorMoves(a *policy.Advisory, moves []upgrade.Move) []finding.Finding {
	var findings []finding.Finding
	for _, m := range moves {
		if a.Covers(m.Component) {
			side := finding.Side{Component: m.Component, Version: m.To, Locations: m.Locations}
			findings = append(findings, newFinding(a, side, &finding.MinorMove{From: m.From, Note: a.Note}))
		}
	}
	return findings
}
