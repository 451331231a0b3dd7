// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Input is a cluster to check, with everything that the result depends on.
type Input struct {
	Policy *policy.Policy
	// Cluster is the declared combination.
	Cluster skew.Cluster
	// Observed is the combination before the step to Cluster. If it is nil, no step is
	// checked.
	Observed *skew.Cluster
	// AnotherCluster says that nothing is observed because Cluster is not the cluster that
	// was checked before.
	AnotherCluster bool
	// ApplyOrder is the order in which the step is applied.
	ApplyOrder step.ApplyOrder
	// Waivers accept findings on Day.
	Waivers []finding.Waiver
	// Day decides which waivers have expired and which minors have reached their end
	// of life. With the zero Date, no waiver has expired and there are no advisories.
	Day releases.Date
	// Offered lists the versions that the platform offers. The step must not move to
	// others. Without Observed, everything declared counts as added.
	Offered Offered
}

// Result is the result of Evaluate.
type Result struct {
	Policy   *policy.Policy
	Cluster  skew.Cluster
	Findings []finding.Finding // in the order of finding.Sort, including waived ones
	// Problems are the findings by cause. Texts and counts are about problems.
	Problems []finding.Problem
	// Allowed holds a window for each component that the policy or the cluster names.
	// It contains the minors that the component may have while all others stay as they
	// are.
	Allowed map[string]finding.Window
	// Next is about the next control-plane minor, nil if no control plane is declared.
	Next *AdjacentMinor
	// Previous is about the previous control-plane minor, nil if no control plane is
	// declared or the policy does not allow rolling back.
	Previous *AdjacentMinor
	// Order lists the moves of the step in an order that satisfies the policy. It is
	// empty without a step.
	Order []step.Ordered
	// Unmatched lists the names of the waivers that match no finding.
	Unmatched []string
}

// Supported reports whether there are no unwaived errors.
func (r Result) Supported() bool {
	return !slices.ContainsFunc(r.Findings, finding.Finding.IsUnwaivedError)
}

// Count returns the number of unwaived problems by severity, and the number of waived
// problems.
func (r Result) Count() (unwaived map[policy.Severity]int, waived int) {
	unwaived = map[policy.Severity]int{}
	for _, p := range r.Problems {
		if f := p.Findings[0]; f.WaivedBy == nil {
			unwaived[f.Severity]++
		} else {
			waived++
		}
	}
	return unwaived, waived
}

// Evaluate checks an input.
func Evaluate(in Input) Result {
	r := Result{
		Policy:   in.Policy,
		Cluster:  in.Cluster,
		Allowed:  skew.AllowedVersions(in.Policy, in.Cluster),
		Next:     adjacentMinor(in, 1),
		Previous: previousMinor(in),
	}
	r.Findings, r.Order = checkRules(in)
	r.Findings, r.Unmatched = completeFindings(in, r.Findings, r.Next)
	r.Problems = finding.Problems(r.Findings)
	return r
}

// Findings returns only the findings of Evaluate, and the names of the waivers that
// match none. It is cheaper than Evaluate.
func Findings(in Input) (findings []finding.Finding, unmatched []string) {
	findings, _ = checkRules(in)
	return completeFindings(in, findings, adjacentMinor(in, 1))
}

// checkRules applies the rules of the policy to the combination and to the step.
func checkRules(in Input) ([]finding.Finding, []step.Ordered) {
	findings := skew.Findings(in.Policy, in.Cluster)
	if in.Observed == nil {
		return findings, nil
	}
	result := step.Check(in.Policy, *in.Observed, in.Cluster, in.ApplyOrder)
	if slices.ContainsFunc(findings, finding.Finding.IsUnwaivedError) {
		result.Order = nil // the last move of any order leads to a violation
	}
	return append(findings, result.Findings...), result.Order
}

// completeFindings adds the advisories to the findings of checkRules, applies the waivers and
// attaches the remedies.
func completeFindings(in Input, findings []finding.Finding, next *AdjacentMinor) ([]finding.Finding, []string) {
	if !in.Day.IsZero() {
		findings = append(findings, advise(in, findings, next)...)
	}
	findings, unmatched := finding.Waive(findings, in.Waivers, in.Day)
	return withRemedies(findings, func() *trials { return newTrials(in, findings, version.Version{}) }), unmatched
}
