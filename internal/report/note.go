// SPDX-License-Identifier: MPL-2.0

package report

// Notes that a diagnostic about a finding may end with.
const (
	// NoteDestroyPlan is for a plan without changes. Before a destroy, both CLIs make an
	// ordinary plan, which the provider cannot tell from any other.
	NoteDestroyPlan = "To destroy instead, run with -refresh=false, which skips the ordinary plan before a destroy."
	// NoteRecorded is for a step that starts from the versions in state.
	NoteRecorded = "The step starts from the versions of the last successful apply. If other versions run now, for example " +
		"after an upgrade in the console or by a release channel, or after an apply that failed halfway, set observed to the versions that run. " +
		"Do not roll anything back only to pass this check."
	// NoteOld and NoteUnknownAge are for violations that do not fail the plan, because they
	// existed before it, or may have.
	NoteOld        = "This violation existed before the plan, which does not make it worse."
	NoteUnknownAge = "It is not known whether this violation existed before, so it is only a warning."
	// NoteLocal is for a finding that disappears with a local endpoint. kubeadm, for example,
	// configures components to connect to their own API server.
	NoteLocal = "If the components of each instance only connect to the kube-apiserver of that instance, as kubeadm configures them, set apiserver_endpoint = \"local\". These versions are then allowed."
)
