// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// summary returns the first line of a diagnostic: what is wrong, and where if what does
// not name it. The question, which may be empty, is one of package suggest.
func summary(what, where, question string) string {
	if where != "" {
		what += " (" + where + ")"
	}
	if question != "" {
		what += "." + question
	}
	return what
}

// Descriptions that never differ.
var (
	// ConflictingControlPlanes describes a cluster that declares its control plane twice.
	ConflictingControlPlanes = Description{
		"Conflicting attributes: control_plane_version and control_plane",
		"Both control_plane_version and control_plane are set. control_plane_version is a shorthand for a managed control plane. control_plane declares each instance.",
		"Remove one of them.",
	}
	// PolicyNotJSON describes a policy argument of several lines that is not JSON.
	PolicyNotJSON = Description{
		"Invalid policy: not a JSON object",
		"The value has several lines and does not start with {. A policy is the name of a built-in policy, or JSON.",
		"Set policy to the json of a versionskew_policy data source, not to its markdown. If the value is YAML, convert it with jsonencode(yamldecode(...)).",
	}
	// MissingControlPlane describes a plan without a version to start from.
	MissingControlPlane = Description{
		"Missing control plane: set control_plane_version or control_plane",
		"Neither control_plane_version nor an instance in control_plane declares a kube-apiserver, whose version a plan starts from.",
		"Set control_plane_version to the version that runs now.",
	}
	// NotConfigured describes a request to a provider that is not configured.
	NotConfigured = Description{
		Summary: "The provider is not configured",
		Message: "The CLI has sent a request before it has configured the provider. This is a bug in the CLI. Please report it.",
	}
	// UnknownDate describes an as_of that is not known although no apply follows.
	UnknownDate = Description{
		"The date is not known at plan time",
		"as_of is known only after apply, so the versions were checked for today. This resource does not change, so no apply checks them for another date.",
		"If as_of uses timestamp(), use plantimestamp() instead.",
	}
)

// MissingAttribute describes a required attribute that is null. where is the place that it
// belongs to, or "" at the top level.
func MissingAttribute(where, name string) Description {
	full := strings.TrimPrefix(where+"."+name, ".")
	return Description{summary("Missing "+name, where, ""), full + " is required, but it is null.", fmt.Sprintf("Set %s.", full)}
}

// ReadOnly describes a computed attribute that a configuration sets.
func ReadOnly(name string) Description {
	return Description{"Read-only attribute: " + name, fmt.Sprintf("The provider computes %s. A configuration cannot set it.", name), fmt.Sprintf("Remove %s.", name)}
}

// MissingVersion describes an element of a list of versions that is null.
func MissingVersion(where string) Description {
	return Description{
		summary("Missing version", where, ""),
		where + " is null. Every element of the list must be a version.",
		fmt.Sprintf("Remove the element, or set it to a version such as %s.", version.Examples),
	}
}

// EmptyName describes an attribute with an element that has an empty key.
func EmptyName(in string) Description {
	return Description{
		summary("Empty name", in, ""),
		in + " has an element with an empty key. Messages use the key to name the location.",
		"Choose a name as its key.",
	}
}

// InvalidVersion describes a text that is not a version, at the places that hold it.
func InvalidVersion(places []string, text string, err error) Description {
	return Description{
		Summary: summary(fmt.Sprintf("Invalid version %q", text), upTo(1, places), suggest.DidYouMean(version.Meant(err))),
		Message: fmt.Sprintf("%s: %s", upTo(maxNamed, places), err),
	}
}

// EmptyVersion describes an empty text in place of a version that may be null.
func EmptyVersion(places []string, text string, err error) Description {
	d := InvalidVersion(places, text, err)
	d.Remedy = "Write null if the platform chooses the version."
	return d
}

// InvalidEmulation describes an emulated version that the declared version cannot emulate.
func InvalidEmulation(where string, emulated version.Version, err error) Description {
	return Description{
		summary(fmt.Sprintf("Invalid emulated version %q", emulated), where, ""), fmt.Sprintf("%s: %s.", where, err),
		"Set emulated_version to the minor that the API servers emulate, or remove it.",
	}
}

// InvalidDate describes a text that is not a date.
func InvalidDate(where, text string, err error) Description {
	message := fmt.Sprintf("%s: %s", where, err)
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return Description{Summary: summary(fmt.Sprintf("Invalid date %q", text), where, ""), Message: message}
}

// InvalidChoice describes a value that is not one of the allowed values. full is the
// attribute that holds it, including its place.
func InvalidChoice[S ~string](full, value string, allowed []S) Description {
	attribute, where := full[strings.LastIndex(full, ".")+1:], ""
	if attribute != full {
		where = full
	}
	repair, meant := "one of these values", suggest.Name(strings.TrimSpace(value), allowed)
	if meant != "" {
		repair = fmt.Sprintf("%q", meant)
	}
	return Description{
		summary(fmt.Sprintf("Invalid %s %q", attribute, value), where, suggest.DidYouMean(meant)),
		fmt.Sprintf("%s is %q. Allowed values: %s.", full, value, suggest.Quoted(allowed)),
		fmt.Sprintf("Set %s to %s.", attribute, repair),
	}
}

// UnknownComponent describes the name of a component that a policy has no rule for.
func UnknownComponent(where, name string, p *policy.Policy) Description {
	return Description{
		summary(fmt.Sprintf("Unknown component %q", name), where, suggest.Question(name, p.Components())),
		fmt.Sprintf("Policy %s has no rule for %q.", p.Name, name),
		fmt.Sprintf("Use components that have rules: %s.", strings.Join(p.Components(), ", ")),
	}
}

// InvalidReleases describes releases that contradict each other.
func InvalidReleases(err error) Description {
	return Description{
		summary("Invalid releases", "additional_releases", ""),
		fmt.Sprintf("With additional_releases, the dates of the calendar contradict each other:\n\n%s", err),
		"Correct the dates in additional_releases.",
	}
}

// UnknownSetting describes an argument of the provider that is not known at plan time.
func UnknownSetting(name, example string) Description {
	return Description{
		fmt.Sprintf("The provider's %s is not known at plan time", name),
		name + " depends on a value that is known only after apply, so this plan could not check anything.",
		fmt.Sprintf("Set it to a value that is known at plan time, such as %q.", example),
	}
}

// WriteOnlyUnsupported describes a write-only attribute for a CLI that does not support
// it.
func WriteOnlyUnsupported(name string) Description {
	without := map[string]string{
		"observed": "The step is then checked from the versions of the last successful apply.",
		"as_of":    "Each plan and each apply is then checked for the day on which it runs.",
	}
	return Description{
		name + " requires Terraform or OpenTofu 1.11 or later",
		name + " is a write-only attribute, which this version of the CLI does not support.",
		sentences(fmt.Sprintf("Upgrade the CLI, or remove %s.", name), without[name]),
	}
}

// InvalidImportID describes what is wrong with the ID of an import.
func InvalidImportID(problems ...string) Description {
	return Description{
		"Invalid import ID", sentences(problems...),
		`Use the version of a managed control plane, or a JSON object of cluster attributes and cluster_id.

Examples:

  terraform import versionskew_validation.prod 1.30
  terraform import versionskew_validation.prod '{"control_plane_version": "1.30", "node_pools": {"gpu": {"kubelet": "1.28"}}}'`,
	}
}

// InvalidState describes a state that cannot be read.
func InvalidState(err error) Description {
	return Description{
		"Invalid state",
		fmt.Sprintf("The state of this versionskew_validation cannot be read: %s.", err),
		"Remove the resource from the state with terraform state rm, then import the versions that run.",
	}
}
