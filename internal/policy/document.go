package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

// MaxLimit bounds every limit, in minors: more can only be a mistake, and what
// lists the allowed versions stays short.
const MaxLimit = 100

// document is a policy as it is written down, in YAML or JSON.
type document struct {
	Title     string               `json:"title"`
	Source    string               `json:"source"`
	SkewRules map[string]*SkewRule `json:"skew_rules"`
	StepRules map[string]*StepRule `json:"step_rules"`
	MoveNotes map[string]*MoveNote `json:"move_notes"`
}

// parse reads a policy. Unknown and repeated fields are errors; all that is
// wrong with the rules is reported together.
func parse(name string, text []byte) (*Policy, error) {
	var d document
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		return nil, fmt.Errorf("policy %s: %w", name, err)
	}

	p := &Policy{Name: name, Title: d.Title, Source: d.Source}
	var problems []error
	complain := func(id, format string, args ...any) {
		problems = append(problems, fmt.Errorf("policy %s, rule %s: %s", name, id, fmt.Sprintf(format, args...)))
	}
	for _, id := range sortedKeys(d.SkewRules) {
		r := d.SkewRules[id]
		r.ID, r.Severity = id, orError(r.Severity)
		p.SkewRules = append(p.SkewRules, r)
		limits := []*int{r.MaxNewer, r.MaxOlder}
		for _, c := range r.Conditions {
			limits = append(limits, c.MaxNewer, c.MaxOlder)
		}
		checkLimits(id, limits, complain)
		switch {
		case r.Subject == "" || r.Reference == "":
			complain(id, "subject and reference are required")
		case !slices.Contains(scopes, r.Scope):
			complain(id, "scope %q is none of %q", r.Scope, scopes)
		case r.Severity.Rank() == len(severities):
			complain(id, "severity %q is none of %q", r.Severity, severities)
		}
	}
	for _, id := range sortedKeys(d.StepRules) {
		r := d.StepRules[id]
		r.ID, r.Severity = id, orError(r.Severity)
		p.StepRules = append(p.StepRules, r)
		checkLimits(id, []*int{r.MaxUpgrade, r.MaxDowngrade}, complain)
		switch {
		case r.Component == "":
			complain(id, "component is required")
		case r.Severity.Rank() == len(severities):
			complain(id, "severity %q is none of %q", r.Severity, severities)
		}
	}
	for _, id := range sortedKeys(d.MoveNotes) {
		n := d.MoveNotes[id]
		n.ID = id
		p.MoveNotes = append(p.MoveNotes, n)
		if n.Component == "" || n.Note == "" {
			complain(id, "component and note are required")
		}
	}
	return p, errors.Join(problems...)
}

func checkLimits(id string, limits []*int, complain func(id, format string, args ...any)) {
	for _, limit := range limits {
		if limit != nil && (*limit < 0 || *limit > MaxLimit) {
			complain(id, "a limit is between 0 and %d minors, not %d", MaxLimit, *limit)
		}
	}
}

// orError gives a rule without a severity the one that makes it count.
func orError(s Severity) Severity {
	if s == "" {
		return SeverityError
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
