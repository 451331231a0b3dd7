// Package advice looks for what a policy advises on beyond its limits: ends of
// life, pre-releases, webhooks, nodes that will soon be in the way. What it finds
// is findings like any other, and by default never errors. Only here does the
// calendar count, and so the day.
package advice

import (
	"maps"
	"slices"
	"strings"

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
	Blockers []skew.Finding
	// Next is that minor.
	Next     version.Minor
	Calendar *releases.Calendar
	Day      releases.Date
}

// The causes of findings.
type (
	// EndOfLife is the cause of a finding on a minor whose support ends, or has.
	EndOfLife struct {
		Date    releases.Date
		Days    int // left, negative when it is over
		Planned bool
		Reason  string
	}
	// LatestPatch is the cause of a finding on a minor that is left from an
	// older patch than the newest one known.
	LatestPatch struct {
		Latest version.Version
		Reason string
	}
	// Prerelease is the cause of a finding on a pre-release in use.
	Prerelease struct{ Reason string }
	// Webhook is the cause of a finding on a webhook that may miss requests.
	Webhook struct {
		MatchPolicy string // "" if it is not declared
		From        version.Version
		Reason      string
	}
	// NextMinor is the cause of a finding on a node that will be in the way.
	NextMinor struct {
		Next   version.Minor
		Reason string
	}
	// MinorMove is the cause of a finding on a move to another minor.
	MinorMove struct {
		From version.Version
		Note string
	}
)

// Findings looks for all that the policy advises on.
func Findings(q Question) []skew.Finding {
	var moves []upgrade.Move
	if q.Observed != nil {
		moves = upgrade.MinorMoves(*q.Observed, q.Cluster)
	}
	var findings []skew.Finding
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

func finding(a *policy.Advisory, subject skew.Side, cause any) skew.Finding {
	return skew.Finding{RuleID: a.ID, Severity: a.Severity, Source: a.Source, Subject: subject, Cause: cause}
}

// sides gathers the instances of the components that an advisory looks at, by
// component and version, for which something holds.
func (q Question) sides(a *policy.Advisory, holds func(version.Version) bool) []skew.Side {
	type key struct{ component, version string }
	var sides skew.Groups[key, skew.Side]
	for _, p := range q.Cluster.Places {
		for _, i := range p.Instances {
			if !a.Covers(i.Component) || !holds(i.Version) {
				continue
			}
			side := sides.Of(key{i.Component, i.Version.String()}, func() skew.Side {
				return skew.Side{Component: i.Component, Version: i.Version}
			})
			side.Locations = append(side.Locations, p.At(i))
		}
	}
	for i := range sides.All {
		s := &sides.All[i]
		slices.SortFunc(s.Locations, skew.Location.Compare)
		s.Locations = slices.Compact(s.Locations)
	}
	return sides.All
}

func (q Question) endOfLife(a *policy.Advisory) []skew.Finding {
	var findings []skew.Finding
	for _, side := range q.sides(a, func(v version.Version) bool {
		r, _ := q.Calendar.Lookup(v.Minor())
		return !r.EndOfLife.IsZero() && q.Day.DaysUntil(r.EndOfLife) <= a.Days
	}) {
		r, _ := q.Calendar.Lookup(side.Version.Minor())
		findings = append(findings, finding(a, side, &EndOfLife{r.EndOfLife, q.Day.DaysUntil(r.EndOfLife), r.EndOfLifePlanned, a.Reason}))
	}
	return findings
}

func (q Question) latestPatch(a *policy.Advisory, moves []upgrade.Move) []skew.Finding {
	var findings []skew.Finding
	for _, m := range moves {
		r, _ := q.Calendar.Lookup(m.From.Minor())
		_, declared := m.From.Patch()
		if !declared || !a.Covers(m.Component) || r.LatestPatch.Compare(m.From) <= 0 {
			continue
		}
		side := skew.Side{Component: m.Component, Version: m.From, Locations: m.Locations}
		findings = append(findings, finding(a, side, &LatestPatch{r.LatestPatch, a.Reason}))
	}
	return findings
}

func (q Question) prerelease(a *policy.Advisory) []skew.Finding {
	var findings []skew.Finding
	for _, side := range q.sides(a, func(v version.Version) bool { return v.Prerelease() != "" }) {
		findings = append(findings, finding(a, side, &Prerelease{a.Reason}))
	}
	return findings
}

func (q Question) webhooks(a *policy.Advisory, moves []upgrade.Move) []skew.Finding {
	var findings []skew.Finding
	for _, m := range moves {
		if !a.Covers(m.Component) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(q.Cluster.Webhooks)) {
			matchPolicy := q.Cluster.Webhooks[name]
			if strings.EqualFold(matchPolicy, "Equivalent") {
				continue
			}
			side := skew.Side{Component: m.Component, Version: m.To, Locations: []skew.Location{skew.AtKey(skew.AdmissionWebhooks, name)}}
			findings = append(findings, finding(a, side, &Webhook{matchPolicy, m.From, a.Reason}))
		}
	}
	return findings
}

func (q Question) nextMinor(a *policy.Advisory) []skew.Finding {
	var findings []skew.Finding
	for _, b := range q.Blockers {
		mismatch, ok := b.Cause.(*skew.Mismatch)
		if !ok || !a.Covers(b.Subject.Component) || mismatch.Relation != skew.TooOld {
			continue
		}
		f := finding(a, b.Subject, &NextMinor{q.Next, a.Reason})
		f.Reference, f.Allowed = b.Reference, b.Allowed
		findings = append(findings, f)
	}
	return findings
}

func minorMoves(a *policy.Advisory, moves []upgrade.Move) []skew.Finding {
	var findings []skew.Finding
	for _, m := range moves {
		if a.Covers(m.Component) {
			side := skew.Side{Component: m.Component, Version: m.To, Locations: m.Locations}
			findings = append(findings, finding(a, side, &MinorMove{m.From, a.Note}))
		}
	}
	return findings
}
