package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

// remedies says what repairs a problem, or returns "" where nothing is known that
// does.
func remedies(p finding.Problem) string { return remedyClauses(p, "keep %s at %s") }

// remedyClauses joins what the remedies of a problem ask for; back is how a remedy
// asks for an older version.
func remedyClauses(p finding.Problem, back string) string {
	var clauses []string
	for _, r := range p.Findings[0].Remedies() {
		what := targets(r)
		if isReference(p, r) {
			what = p.Findings[0].Reference.Component
		}
		if endsEmulation(p, r) {
			clauses = append(clauses, "set emulated_version to "+r.Show(r.Nearest()))
		} else if r.Upgrade {
			clauses = append(clauses, fmt.Sprintf("upgrade %s to %s", what, remedyVersions(r)))
		} else {
			clauses = append(clauses, fmt.Sprintf(back, what, remedyVersions(r)))
		}
	}
	if len(clauses) == 0 {
		return ""
	}
	return upperFirst(strings.Join(clauses, ", or ")) + "."
}

// isReference reports whether a remedy changes all that the message has named as the
// reference, and nothing else, so that the component is name enough.
func isReference(p finding.Problem, r finding.Remedy) bool {
	reference := p.Findings[0].Reference.Component
	if len(r.Targets) != 1 || reference == p.Findings[0].Subject.Component {
		return false
	}
	t := r.Targets[0]
	return t.Locations[0].Attribute == finding.ControlPlane && slices.Equal(t.Components, []string{reference}) && slices.Equal(t.Locations, p.References())
}

// endsEmulation reports whether a remedy asks references for a minor that they only
// emulate an older one of: then nothing has to be upgraded.
func endsEmulation(p finding.Problem, r finding.Remedy) bool {
	reference := p.Findings[0].Reference.Version
	if _, emulates := reference.Emulated(); !emulates || !r.Upgrade || len(r.Targets) != 1 {
		return false
	}
	return slices.Equal(r.Targets[0].Locations, p.References()) && r.Nearest().Compare(reference.Binary().Minor()) <= 0
}

// targets names what a remedy changes.
func targets(r finding.Remedy) string {
	words := make([]string, len(r.Targets))
	for i, t := range r.Targets {
		words[i] = target(t)
	}
	return listAll(words)
}

// remedyVersions says which versions repair a problem.
func remedyVersions(r finding.Remedy) string {
	first, last := r.Minors[0], r.Minors[len(r.Minors)-1]
	switch {
	case !r.Version.IsZero():
		return r.Version.String()
	case first == last:
		return r.Show(first)
	case r.Upgrade && r.Limited:
		return fmt.Sprintf("%s or later, up to %s", r.Show(first), r.Show(last))
	case r.Upgrade:
		return fmt.Sprintf("%s or later", r.Show(first))
	case r.Limited:
		return fmt.Sprintf("%s or earlier, down to %s", r.Show(last), r.Show(first))
	}
	return fmt.Sprintf("%s or earlier", r.Show(last))
}
