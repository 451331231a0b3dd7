// SPDX-License-Identifier: MPL-2.0

package skewtest

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// RandomPolicy draws pair rules of all kinds for some components. Their constraints are
// around the minors of RandomCluster.
func RandomPolicy(t *rapid.T, components ...string) *policy.Policy {
	p := &policy.Policy{}
	for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
		r := &policy.PairRule{
			ID:        fmt.Sprint("rule-", i),
			Subject:   rapid.SampledFrom(components).Draw(t, "subject"),
			Reference: rapid.SampledFrom(components).Draw(t, "reference"),
			Scope:     rapid.SampledFrom(policy.Scopes).Draw(t, "scope"),
			Notes:     policy.Notes{Severity: rapid.SampledFrom(policy.Severities).Draw(t, "severity")},
		}
		if rapid.IntRange(0, 7).Draw(t, "minimum") == 0 {
			r.Reference, r.Scope = r.Subject, policy.ScopeSelf
			r.Requirement = &policy.Requirement{Require: randomConstraint(t)}
			p.PairRules = append(p.PairRules, r)
			continue
		}
		if r.Subject != r.Reference && rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			r.Scope = policy.ScopeCluster
			r.Requirement = &policy.Requirement{When: randomConstraint(t), Require: randomConstraint(t)}
			p.PairRules = append(p.PairRules, r)
			continue
		}
		r.Limits = randomLimits(t)
		for range rapid.IntRange(0, 2).Draw(t, "conditions") {
			r.Conditions = append(r.Conditions, policy.Condition{Subject: randomConstraint(t), Reference: randomConstraint(t), Limits: randomLimits(t)})
		}
		p.PairRules = append(p.PairRules, r)
	}
	return p
}

func randomLimits(t *rapid.T) policy.Limits {
	limit := func(name string) *int {
		if n := rapid.IntRange(-1, 4).Draw(t, name); n >= 0 {
			return &n
		}
		return nil
	}
	return policy.Limits{MaxNewer: limit("newer"), MaxOlder: limit("older")}
}

func randomConstraint(t *rapid.T) version.Constraint {
	format := rapid.SampledFrom([]string{"", "< 1.%[1]d", ">= 1.%[1]d", "!= 1.%[1]d", ">= 1.%[1]d, < 1.%[2]d", "> 1.%[1]d, != 1.%[2]d"}).Draw(t, "constraint")
	if format == "" {
		return version.Constraint{}
	}
	from := rapid.IntRange(19, 31).Draw(t, "from")
	to := rapid.IntRange(from, 31).Draw(t, "to")
	c, err := version.ParseConstraint(fmt.Sprintf(format, from, to))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
