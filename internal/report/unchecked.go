// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

// The texts in this file say what was not checked.

// What a plan with unknown values has checked.
const (
	RestChecked    = "Everything else has been checked."
	NothingChecked = "Nothing could be checked in this plan."
	StepUndecided  = "The step is checked then if cluster_id turns out to be unchanged. Everything else has been checked."
)

// KnownAtApply lists values that are known only after apply, and errors that a waiver which
// is not fully known may accept. checked says what the plan has checked.
func KnownAtApply(unknown []string, undecided []finding.Finding, checked string) Description {
	what := "Not everything could be checked at plan time"
	if checked == NothingChecked {
		what = "Nothing could be checked at plan time"
	}
	d := Description{
		Summary: summary(what, upTo(1, unknown), ""),
		Message: fmt.Sprintf("These values are known only after apply and are checked then: %s. %s", upTo(maxListed, unknown), checked),
	}
	if len(undecided) > 0 {
		errors := each(undecided, func(f finding.Finding) string { return fmt.Sprintf("%s: rule %s", Describe(f).Summary, f.RuleID) })
		d.Message += fmt.Sprintf("\n\nThese errors are reported at apply, unless a waiver that is not fully known yet accepts them: %s.", upTo(maxListed, errors))
	}
	return d
}

// IfKept says that the apply fails if an unknown cluster_id turns out to be unchanged. The
// paragraphs describe the errors.
func IfKept(paragraphs []string) string {
	return strings.Join(slices.Concat(
		[]string{"\n\nIf cluster_id turns out to be unchanged, the apply fails, because the step violates the policy:"}, paragraphs,
		[]string{"If cluster_id changes, this step is not checked: the plan replaces the cluster, which destroys the cluster that runs now and everything in it."},
	), "\n\n")
}

// UnknownStart describes write-only values that are not known although no apply follows.
// attribute holds the first of them.
func UnknownStart(unknown []string, attribute string) Description {
	return Description{
		summary("The step is not fully checked", upTo(1, unknown), ""),
		fmt.Sprintf("Known only after apply: %s. This resource does not change, so no apply checks the step. The declared versions have been checked.", upTo(maxListed, unknown)),
		fmt.Sprintf("Set %s from a data source that is read at plan time.", attribute),
	}
}

// InvalidStart says that a step is not checked, because the state that it starts from is
// invalid for the given reasons.
func InvalidStart(reasons string) Description {
	return Description{
		Summary: "The step is not checked: the state contains an invalid version",
		Message: reasons + " The declared versions are still checked, and the next apply records them.",
	}
}

// Unset describes node pools and instances that do not set any version.
func Unset(places []string) Description {
	return Description{
		summary("Not checked: no version is set", upTo(1, places), ""),
		fmt.Sprintf("All versions are null, so these are not checked: %s.", upTo(maxListed, places)),
		"Set the version that will run, even if the platform chooses it. Otherwise no plan warns you when it falls behind. " +
			"If you did set a version, check the name of its attribute. A node pool takes kubelet and kube_proxy. An instance of control_plane takes version, or one attribute for each component. The CLI silently drops other attributes.",
	}
}

// WithoutStart describes an observed cluster without an API server.
func WithoutStart() Description {
	return Description{
		summary("Not checked: the step of the control plane", "observed", ""),
		"observed has no version of the API servers, so the step of the control plane is not checked.",
		"Add control_plane_version or control_plane to observed. If you did, check the spelling of its attributes, because the CLI silently drops those that the provider does not know.",
	}
}

// EmptyList describes a list of offered versions without any element.
func EmptyList(name string) Description {
	return Description{
		fmt.Sprintf("Not checked: %s is empty", name),
		name + " has no elements, so it is not checked whether the platform offers the declared versions.",
		fmt.Sprintf("Check the filters and the region of the data source that lists the versions, or remove %s.", name),
	}
}

// NoComparison describes a cluster in which no rule compares any two versions. anySet is true
// if any version is set.
func NoComparison(anySet bool) Description {
	d := Description{
		"Nothing is checked: no version is set", "No version is set.",
		"Set control_plane_version (or control_plane) and node_pools to the versions that this configuration applies.",
	}
	if anySet {
		d.Summary, d.Message = "Nothing is checked: no two versions can be compared", "No rule of the policy compares any two of the versions that are set."
	}
	d.Message += " This plan passes without any check."
	return d
}

// MisspelledComponent describes an entry of components that the policy has no rule for, and
// that resembles a component with rules.
func MisspelledComponent(p *policy.Policy, at finding.Location, meant string) Description {
	return Description{
		summary(fmt.Sprintf("Unknown component %q", at.Key), at.String(), fmt.Sprintf(" Did you mean %q?", meant)),
		fmt.Sprintf("Policy %s has no rule for %s, so its versions are not checked.", p.Name, at.Key),
		fmt.Sprintf("Rename it to %s if that is the component that runs.", meant),
	}
}

// WithoutRules describes entries of components that the policy has no rule for. The first
// one is at a location.
func WithoutRules(p *policy.Policy, names []string, at finding.Location) Description {
	d := Description{
		summary("No rule for "+upTo(maxNamed, names), at.String(), ""),
		fmt.Sprintf("Policy %s has no rule for %s. These versions are not checked. The policy has rules for %s.", p.Name, upTo(maxListed, names), strings.Join(p.Components(), ", ")),
		"Add rules or include an add-on pack in a versionskew_policy data source, or remove the versions from components.",
	}
	var packs []string
	for _, name := range names {
		packs = append(packs, policy.AddonsFor(name)...)
	}
	slices.Sort(packs)
	if packs = slices.Compact(packs); len(packs) > 0 {
		d.Remedy = fmt.Sprintf("Include %s in a versionskew_policy data source. Add rules for other components, or remove their versions from components.", upTo(maxListed, packs))
	}
	return d
}

// More counts diagnostics that are not shown, beyond those that are, by kind. what is
// "errors" or "warnings", and by says what the kinds are.
func More(what string, shown int, more map[string]int, by string) Description {
	n := 0
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(more)) {
		n += more[kind]
		counts = append(counts, fmt.Sprintf("%s: %d", kind, more[kind]))
	}
	return Description{
		fmt.Sprintf("More %s: %d", what, n),
		fmt.Sprintf("Only the first %d are shown. Number of the others by %s: %s.", shown, by, strings.Join(counts, ", ")),
		"Start with those that are shown. Fixing them often fixes others.",
	}
}
