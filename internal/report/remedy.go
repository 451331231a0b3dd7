// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// remedies describes what repairs a problem. It returns "" if nothing is known to.
func remedies(p finding.Problem) string { return remedyClauses(p, "set %s to %s") }

// remedyClauses joins the remedies of a problem. back is the format for a remedy
// with an older version.
func remedyClauses(p finding.Problem, back string) string {
	var clauses []string
	cost := ""
	for _, r := range p.Findings[0].Remedies() {
		what := targets(r)
		if isReference(p, r) {
			what = p.Findings[0].Reference.Component
		}
		var clause string
		switch {
		case changesEmulation(p, r):
			clause = "set emulated_version to " + r.Show(r.Nearest())
		case r.Kept:
			clause = fmt.Sprintf("keep %s at %s", what, nearest(r))
		case r.Upgrade:
			clause = fmt.Sprintf("upgrade %s to %s", what, remedyVersions(r))
		default:
			clause = fmt.Sprintf(back, what, remedyVersions(r))
		}
		if r.Drawback == finding.Stepwise {
			clause += ", one minor version at a time"
		}
		if r.Drawback == finding.OwnApply {
			clause += " in a separate apply first"
		}
		if r.Drawback == finding.LastResort {
			cost = "If a newer version already runs, this is a downgrade of the control plane, and platforms that do not support it need a new cluster."
		}
		clauses = append(clauses, clause)
	}
	if len(clauses) == 0 {
		return ""
	}
	return sentences(upperFirst(strings.Join(clauses, ", or "))+".", cost)
}

// isReference reports whether a remedy changes exactly what the message has named as
// the reference. Then the component is enough to name it again.
func isReference(p finding.Problem, r finding.Remedy) bool {
	reference := p.Findings[0].Reference.Component
	if len(r.Targets) != 1 || slices.Contains(p.Components(), reference) {
		return false
	}
	t := r.Targets[0]
	return t.Locations[0].Attribute == finding.ControlPlane && slices.Equal(t.Components, []string{reference}) && slices.Equal(t.Locations, p.References())
}

// changesEmulation reports whether a remedy asks for a minor that binaries already have or
// can emulate. Then the emulated version has to change, and no binary.
func changesEmulation(p finding.Problem, r finding.Remedy) bool {
	if len(r.Targets) != 1 {
		return false
	}
	f := p.Findings[0]
	at := p.References()
	_, step := f.Cause.(*finding.StepLimit)
	if step {
		at = p.Locations() // the reference is the subject before the step
	}
	emulates := func(v version.Version, at []finding.Location) bool {
		_, ok := v.Emulated()
		return ok && slices.Equal(r.Targets[0].Locations, at) && r.Nearest().Compare(v.Binary().Minor()) <= 0
	}
	return (r.Upgrade || step) && (emulates(f.Reference.Version, at) || emulates(f.Subject.Version, p.Locations()))
}

// targets names what a remedy changes.
func targets(r finding.Remedy) string {
	return listAll(each(r.Targets, target))
}

// nearest returns the version of a remedy that is closest to the declared one.
func nearest(r finding.Remedy) string {
	if !r.Version.IsZero() {
		return r.Version.String()
	}
	return r.Show(r.Nearest())
}

// keepOrSet asks for the version of a remedy that is closest to the declared one.
func keepOrSet(p finding.Problem, r finding.Remedy) string {
	what := targets(r)
	if changesEmulation(p, r) {
		what = "emulated_version"
	}
	if r.Kept {
		return fmt.Sprintf("Keep %s at %s", what, nearest(r))
	}
	return fmt.Sprintf("Set %s to %s", what, nearest(r))
}

// remedyVersions names the versions that repair a problem.
func remedyVersions(r finding.Remedy) string {
	furthest, others, limit := r.Minors[len(r.Minors)-1], "later", "up to"
	if !r.Upgrade {
		furthest, others, limit = r.Minors[0], "earlier", "down to"
	}
	switch {
	case !r.Version.IsZero() || len(r.Minors) == 1:
		return nearest(r)
	case !r.Limited:
		return fmt.Sprintf("%s or %s", nearest(r), others)
	case len(r.Minors) == 2:
		return fmt.Sprintf("%s or %s", nearest(r), r.Show(furthest))
	}
	return fmt.Sprintf("%s or %s (%s %s)", nearest(r), others, limit, r.Show(furthest))
}
