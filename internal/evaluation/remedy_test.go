package evaluation_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// repaired is the cluster after somebody did what a remedy says.
func repaired(c skew.Cluster, r finding.Remedy, m version.Minor) skew.Cluster {
	to := m.Version()
	if !r.Version.IsZero() {
		to = r.Version
	}
	after := c
	after.Places = nil
	for _, p := range c.Places {
		place := skew.Place{Location: p.Location}
		for _, i := range p.Instances {
			for _, t := range r.Targets {
				if slices.Contains(t.Components, i.Component) && slices.Contains(t.Locations, p.At(i)) {
					i.Version = to
				}
			}
			place.Instances = append(place.Instances, i)
		}
		after.Places = append(after.Places, place)
	}
	return after
}

// broken lists which rules are broken where, apart from advice.
func broken(p *policy.Policy, findings []finding.Finding) map[string]bool {
	advisories := map[string]bool{}
	for _, a := range p.Advisories {
		advisories[a.ID] = true
	}
	all := map[string]bool{}
	for _, f := range findings {
		for _, l := range f.Subject.Locations {
			if !advisories[f.RuleID] {
				all[fmt.Sprint(f.RuleID, " ", l, direction(f))] = true
			}
		}
	}
	return all
}

func direction(f finding.Finding) string {
	if m, ok := f.Cause.(*finding.Mismatch); ok {
		return fmt.Sprint(" relation ", m.Relation)
	}
	return fmt.Sprintf(" %T", f.Cause)
}

// checkRemedies does what every remedy of an input says, and reports how many
// errors there are, and how many of them have a remedy.
func checkRemedies(t interface {
	Fatalf(string, ...any)
}, in evaluation.Input, pick func([]version.Minor) version.Minor) (errors, repairable int) {
	findings, _ := evaluation.Findings(in)
	before := broken(in.Policy, findings)
	for _, f := range findings {
		if !f.IsUnwaivedError() {
			continue
		}
		errors++
		if len(f.Remedies()) > 0 {
			repairable++
		}
		for _, r := range f.Remedies() {
			m := pick(r.Minors)
			next := in
			next.Cluster = repaired(in.Cluster, r, m)
			after, _ := evaluation.Findings(next)
			left := broken(in.Policy, after)
			for _, l := range f.Subject.Locations {
				if where := fmt.Sprint(f.RuleID, " ", l, direction(f)); left[where] {
					t.Fatalf("%+v to %+v:\n%s of %s %s beside %s is still there after %+v at %s", in.Observed, in.Cluster, where, f.Subject.Component, f.Subject.Version, f.Reference.Version, r, m)
				}
			}
			for where := range left {
				if !before[where] {
					t.Fatalf("%+v to %+v:\n%s is new after the remedy %+v at %s of %s", in.Observed, in.Cluster, where, r, m, f.RuleID)
				}
			}
		}
	}
	return errors, repairable
}

// TestRemediesWork: whoever does what a remedy says is rid of the finding, and gets
// no new one.
func TestRemediesWork(t *testing.T) {
	policies := []*policy.Policy{skewtest.Kubernetes(t)}
	for _, name := range []string{"kubernetes-strict", "eks", "aks", "kubeadm", "openshift"} {
		policies = append(policies, builtin(t, name))
	}
	patches, err := policy.Extend(skewtest.Kubernetes(t), `{"name": "patches", "skew_rules": {"kubelet-apiserver": {"compare_patch": true}},
		"requirement_rules": {"proxy": {"when": {"component": "kubelet", "version": ">= 1.26"}, "require": {"component": "kube-proxy", "version": ">= 1.25"}}},
		"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 2, "max_downgrade": 1}}}`)
	if err != nil {
		t.Fatal(err)
	}
	policies = append(policies, patches)
	var all, withRemedy int
	rapid.Check(t, func(t *rapid.T) {
		in := evaluation.Input{Policy: rapid.SampledFrom(policies).Draw(t, "policy"), Cluster: skewtest.RandomCluster(t)}
		if rapid.Bool().Draw(t, "step") {
			from := skewtest.RandomCluster(t)
			in.Observed = &from
		}
		errors, repairable := checkRemedies(t, in, func(minors []version.Minor) version.Minor { return rapid.SampledFrom(minors).Draw(t, "minor") })
		all, withRemedy = all+errors, withRemedy+repairable
	})
	t.Logf("%d of %d errors have a remedy", withRemedy, all)
	_ = maps.Keys[map[string]bool]
}
