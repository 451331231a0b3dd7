// SPDX-License-Identifier: MPL-2.0

// Package evaluation is the one way in for every entry point: it judges a declared
// cluster, plans its upgrade, and says which versions a policy allows. It puts
// together what packages skew and upgrade judge, adds the advisories of the policy
// and applies waivers.
package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Input is the cluster to judge, and what to judge it by.
type Input struct {
	Policy *policy.Policy
	// Cluster is the declared combination.
	Cluster skew.Cluster
	// Observed is the combination before, so that the step from it to Cluster
	// is judged too; nil if there is none.
	Observed *skew.Cluster
	// ApplyOrder is the order in which the step is applied.
	ApplyOrder upgrade.ApplyOrder
	// Waivers accept findings on Day.
	Waivers []finding.Waiver
	// Day decides which waivers have expired and which minors have reached
	// their end of life. With the zero Date no waiver has expired, and the
	// advisories of the policy are left out.
	Day releases.Date
	// Calendar has the ends of life and the newest patches; nil for the
	// embedded one.
	Calendar *releases.Calendar
}

// Result is everything the evaluation of an input finds.
type Result struct {
	Policy   *policy.Policy
	Cluster  skew.Cluster
	Findings []finding.Finding // in the order of finding.Sort, waived ones included
	// Allowed is the window of every component that the policy or the cluster
	// names, while all others stay as they are.
	Allowed map[string]finding.Window
	// Next is the outlook on the next control-plane minor; nil if no control
	// plane is declared.
	Next *Next
	// Previous is the outlook on the previous control-plane minor; nil if no
	// control plane is declared, or the policy has no way back.
	Previous *Next
	// Order is the moves of the step; empty without one.
	Order []upgrade.Move
	// Unmatched is the names of the waivers that match no finding.
	Unmatched []string
}

// Supported reports whether there are no unwaived errors.
func (r Result) Supported() bool {
	return !slices.ContainsFunc(r.Findings, finding.Finding.IsUnwaivedError)
}

// Count counts the findings by their severity, those that are waived apart.
func (r Result) Count() (unwaived map[policy.Severity]int, waived int) {
	unwaived = map[policy.Severity]int{}
	for _, f := range r.Findings {
		if f.WaivedBy == nil {
			unwaived[f.Severity]++
		} else {
			waived++
		}
	}
	return unwaived, waived
}

// Evaluate judges an input and returns everything there is to say about it.
func Evaluate(in Input) Result {
	r := Result{
		Policy:   in.Policy,
		Cluster:  in.Cluster,
		Allowed:  skew.AllowedVersions(in.Policy, in.Cluster),
		Next:     outlook(in, 1),
		Previous: wayBack(in),
	}
	r.Findings, r.Order = judge(in)
	r.Findings, r.Unmatched = finish(in, r.Findings, r.Next)
	return r
}

// Findings returns the findings of Evaluate, and the names of the waivers that
// match none, without the cost of the rest.
func Findings(in Input) (findings []finding.Finding, unmatched []string) {
	findings, _ = judge(in)
	return finish(in, findings, outlook(in, 1))
}

// judge applies the rules of the policy to the combination and to the step.
func judge(in Input) ([]finding.Finding, []upgrade.Move) {
	findings := skew.Evaluate(in.Policy, in.Cluster)
	if in.Observed == nil {
		return findings, nil
	}
	step := upgrade.Evaluate(in.Policy, *in.Observed, in.Cluster, in.ApplyOrder)
	if slices.ContainsFunc(findings, finding.Finding.IsUnwaivedError) {
		step.Order = nil // no order leads to an unsound combination
	}
	return append(findings, step.Findings...), step.Order
}

// finish adds the advisories to the findings of judge, and applies the waivers. It
// gives the findings their remedies.
func finish(in Input, findings []finding.Finding, next *Next) ([]finding.Finding, []string) {
	if !in.Day.IsZero() {
		findings = append(findings, advise(in, findings, next)...)
	}
	findings, unmatched := finding.Waive(findings, in.Waivers, in.Day)
	return withRemedies(findings, func() *trials { return newTrials(in, findings, version.Version{}) }), unmatched
}

// calendar returns the given calendar, or the embedded one.
func calendar(c *releases.Calendar) *releases.Calendar {
	if c == nil {
		return releases.Embedded()
	}
	return c
}
