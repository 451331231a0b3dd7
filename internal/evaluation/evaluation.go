// Package evaluation puts the judgements together: what data sources and
// resources ask, this room answers. It adds no rule of its own.
package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/advice"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// Input is what is judged.
type Input struct {
	Policy *policy.Policy
	// Cluster is the combination that is declared.
	Cluster skew.Cluster
	// Observed is the combination before, which makes the change a step to be
	// judged too; nil when there is none.
	Observed *skew.Cluster
	// ApplyOrder is the order in which the step is applied.
	ApplyOrder upgrade.ApplyOrder
	// Waivers accept findings on Day, which is written YYYY-MM-DD.
	Waivers []finding.Waiver
	Day     string
	// Calendar is what ends of life are read from; nil for the embedded one.
	Calendar *releases.Calendar
}

// Findings judges the combination and the step to it, and adds what the policy
// advises on. All findings are returned, in the order of finding.Sort, those that
// are waived too, and the names of the waivers that match none. Only advice
// depends on the day.
func Findings(in Input) (findings []finding.Finding, unmatched []string) {
	findings, _ = judge(in)
	return finish(in, findings, outlook(in))
}

// finish adds advice and applies the waivers.
func finish(in Input, findings []finding.Finding, next *Next) ([]finding.Finding, []string) {
	findings = append(findings, advise(in, findings, next)...)
	return finding.Waive(findings, in.Waivers, in.Day)
}

// advise looks for what the policy advises on. Who breaks a rule already is not
// told that it will be in the way.
func advise(in Input, findings []finding.Finding, next *Next) []finding.Finding {
	q := advice.Question{Policy: in.Policy, Cluster: in.Cluster, Observed: in.Observed, Calendar: in.Calendar}
	if q.Calendar == nil {
		q.Calendar = releases.Embedded()
	}
	day, err := releases.ParseDate(in.Day)
	if err != nil {
		return nil // without a day there is no advice
	}
	q.Day = day
	if next != nil {
		q.Next = next.Version
		type told struct{ rule, version string }
		broken := map[told]bool{}
		for _, f := range findings {
			broken[told{f.RuleID, f.Subject.Version.String()}] = true
		}
		for _, b := range next.Blockers {
			if !broken[told{b.RuleID, b.Subject.Version.String()}] {
				q.Blockers = append(q.Blockers, b)
			}
		}
	}
	return advice.Findings(q)
}

// Result is everything there is to say of an input.
type Result struct {
	Policy   *policy.Policy
	Cluster  skew.Cluster
	Findings []finding.Finding
	Allowed  map[string]finding.Window
	// Next is the outlook on the next control-plane minor, nil when no
	// control plane is declared.
	Next *Next
	// Order is the moves of the step, empty without one.
	Order []upgrade.Move
	// Unmatched is the names of the waivers that match no finding.
	Unmatched []string
}

// Supported reports whether no finding is an error, but for those that are
// waived.
func (r Result) Supported() bool { return !slices.ContainsFunc(r.Findings, finding.Finding.Stands) }

// Evaluate judges an input and adds what the policy allows instead.
func Evaluate(in Input) Result {
	r := Result{
		Policy:  in.Policy,
		Cluster: in.Cluster,
		Allowed: skew.AllowedVersions(in.Policy, in.Cluster),
		Next:    outlook(in),
	}
	r.Findings, r.Order = judge(in)
	r.Findings, r.Unmatched = finish(in, r.Findings, r.Next)
	return r
}

func judge(in Input) ([]finding.Finding, []upgrade.Move) {
	findings := skew.Evaluate(in.Policy, in.Cluster)
	if in.Observed == nil {
		return findings, nil
	}
	step := upgrade.Evaluate(in.Policy, *in.Observed, in.Cluster, in.ApplyOrder)
	if slices.ContainsFunc(findings, finding.Finding.Stands) {
		step.Order = nil // no way leads to an end that is not sound
	}
	return append(findings, step.Findings...), step.Order
}
