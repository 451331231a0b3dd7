// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"slices"
	"sync"

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
	// Possible are waivers that are partly unknown, with the findings that they may accept.
	Possible []finding.Waiver
	// Day decides which waivers have expired and which minors have reached their end
	// of life. With the zero Date, no waiver has expired and there are no advisories.
	Day releases.Date
	// Offered lists the versions that the platform offers. The step must not move to
	// others. Without Observed, everything declared counts as added.
	Offered Offered
}

// Verdict is what a check of an input has found.
type Verdict struct {
	// Problems are the findings by cause, including waived ones. Texts and counts are about
	// problems.
	Problems []finding.Problem
	// Undecided are the errors that a waiver in Input.Possible may accept. They are not among
	// the problems.
	Undecided []finding.Finding
	// Unmatched lists the names of the waivers that match no finding.
	Unmatched []string
}

// Findings returns the findings of the problems, in the order of finding.Sort.
func (v Verdict) Findings() []finding.Finding { return finding.Findings(v.Problems) }

// Supported reports whether there are no unwaived errors.
func (v Verdict) Supported() bool {
	return !slices.ContainsFunc(v.Problems, func(p finding.Problem) bool { return p.Findings[0].IsUnwaivedError() })
}

// Count returns the number of unwaived problems by severity, and the number of waived
// problems.
func (v Verdict) Count() (unwaived map[policy.Severity]int, waived int) {
	unwaived = map[policy.Severity]int{}
	for _, p := range v.Problems {
		if f := p.Findings[0]; f.WaivedBy == nil {
			unwaived[f.Severity]++
		} else {
			waived++
		}
	}
	return unwaived, waived
}

// Result is the result of Evaluate.
type Result struct {
	Verdict
	Policy  *policy.Policy
	Cluster skew.Cluster
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
}

// Evaluate checks an input.
func Evaluate(in Input) Result {
	combination, ofStep := checkRules(in)
	next := adjacentMinor(in, 1)
	r := Result{
		Verdict:  verdictOn(in, slices.Concat(combination, ofStep.Findings), next),
		Policy:   in.Policy,
		Cluster:  in.Cluster,
		Allowed:  skew.AllowedVersions(in.Policy, in.Cluster),
		Next:     next,
		Previous: previousMinor(in),
	}
	// The last move of any order leads to the combination.
	if !slices.ContainsFunc(combination, finding.Finding.IsUnwaivedError) {
		r.Order = ofStep.Order()
	}
	return r
}

// Check returns only the verdict of Evaluate. It is cheaper than Evaluate.
func Check(in Input) Verdict {
	combination, ofStep := checkRules(in)
	return verdictOn(in, append(combination, ofStep.Findings...), adjacentMinor(in, 1))
}

// checkRules applies the rules of the policy to the combination and to the step.
func checkRules(in Input) (combination []finding.Finding, ofStep step.Result) {
	if in.Observed != nil {
		ofStep = step.Check(in.Policy, *in.Observed, in.Cluster, in.ApplyOrder)
	}
	return skew.Findings(in.Policy, in.Cluster), ofStep
}

// verdictOn adds advisories to the findings of checkRules, applies the waivers, and groups the
// findings to problems with remedies.
func verdictOn(in Input, findings []finding.Finding, next *AdjacentMinor) (v Verdict) {
	if !in.Day.IsZero() {
		findings = append(findings, advise(in, findings, next)...)
	}
	findings, v.Unmatched = finding.NewWaivers(in.Waivers, in.Day).Waive(findings)
	findings, v.Undecided = in.undecided(findings)
	v.Problems = problems(in, findings, version.Version{})
	return v
}

// problems groups findings, and attaches remedies to those that have any. Remedies are found by
// trying candidates. The first candidate that removes the problem and causes no new
// violation becomes a remedy. Nothing is tried until a caller asks for remedies.
//
// If adjacent is not zero, the problems are about a move of the control plane to this minor.
func problems(in Input, findings []finding.Finding, adjacent version.Version) []finding.Problem {
	all := finding.Group(findings)
	var repairable []finding.Problem
	compute := sync.OnceValue(func() []remedies { return newTrials(in, repairable, adjacent).remedies() })
	for _, p := range all {
		if !isRepairable(p.Findings[0]) {
			continue
		}
		found := func() remedies { return remedies{complete: true} } // the declared versions violate no rule
		if !p.Findings[0].Planned {
			index := len(repairable)
			repairable = append(repairable, p)
			found = func() remedies { return compute()[index] }
		}
		for i, f := range p.Findings {
			p.Findings[i] = f.WithRemedies(func() ([]finding.Remedy, bool) { r := found(); return r.found, r.complete })
		}
	}
	return finding.WithConsequences(all)
}

// undecided separates the errors that one of the possible waivers may accept from the other
// findings.
func (in Input) undecided(findings []finding.Finding) (decided, undecided []finding.Finding) {
	if len(in.Possible) == 0 {
		return findings, nil
	}
	var errors []finding.Finding
	for _, f := range findings {
		if f.IsUnwaivedError() {
			errors = append(errors, f)
		} else {
			decided = append(decided, f)
		}
	}
	errors, _ = finding.NewWaivers(in.Possible, in.Day).Waive(errors)
	for _, f := range errors {
		if f.WaivedBy == nil {
			decided = append(decided, f)
		} else {
			undecided = append(undecided, f)
		}
	}
	finding.Sort(decided)
	return decided, undecided
}
