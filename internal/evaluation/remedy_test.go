// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// repaired returns a cluster after a remedy.
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

// violations returns the rules that are violated, with locations, and by how much: the
// number of minors for skew and step rules. Of advisories, only those about offered versions
// are included.
func violations(p *policy.Policy, findings []finding.Finding) map[string]int {
	advisories := map[string]bool{}
	for _, a := range p.Advisories {
		advisories[a.ID] = a.Check != policy.CheckNotOffered
	}
	all := map[string]int{}
	for _, f := range findings {
		for _, l := range f.Subject.Locations {
			if where := fmt.Sprint(f.RuleID, " ", l, direction(f)); !advisories[f.RuleID] {
				all[where] = max(all[where], 1+amount(f))
			}
		}
	}
	return all
}

// amount returns the number of minors by which a finding exceeds its rule, or a number that
// grows with it.
func amount(f finding.Finding) int {
	skew, _ := f.Subject.Version.Minor().Skew(f.Reference.Version.Minor())
	if m, ok := f.Cause.(*finding.Mismatch); ok && m.Relation == finding.TooOld {
		return -skew - *m.Limits.MaxOlder
	} else if ok && m.Relation == finding.TooNew {
		return skew - *m.Limits.MaxNewer
	}
	if _, ok := f.Cause.(*finding.StepLimit); ok {
		return max(skew, -skew)
	}
	return 0
}

func direction(f finding.Finding) string {
	if m, ok := f.Cause.(*finding.Mismatch); ok {
		return fmt.Sprint(" relation ", m.Relation, m.DuringUpgrade)
	}
	if _, ok := f.Cause.(*finding.NotOffered); ok {
		return " not offered: " + f.Subject.Version.Normalized()
	}
	if c, ok := f.Cause.(*finding.StepLimit); ok {
		return fmt.Sprint(" back ", c.Back)
	}
	return fmt.Sprintf(" %T", f.Cause)
}

// failer is the part of a test that checks of properties need.
type failer interface{ Fatalf(string, ...any) }

// eachRunning yields the versions that run before the step, those of every instance that a
// remedy changes. A managed control plane before the step, or after it, stands for all
// instances of the other side.
func eachRunning(in evaluation.Input, r finding.Remedy) iter.Seq2[string, version.Version] {
	return func(yield func(string, version.Version) bool) {
		for p, i := range in.Observed.Instances() {
			for _, target := range r.Targets {
				same := slices.ContainsFunc(target.Locations, func(l finding.Location) bool {
					managed := l.Attribute == finding.ControlPlaneVersion || p.Location.Attribute == finding.ControlPlaneVersion
					return l == p.At(i) || managed && l.InControlPlane() && p.Location.InControlPlane()
				})
				if same && slices.Contains(target.Components, i.Component) && !yield(i.Component, i.Version) {
					return
				}
			}
		}
	}
}

// checkNothingRollsBack checks that a remedy takes no instance below its version before
// the step.
func checkNothingRollsBack(t failer, in evaluation.Input, r finding.Remedy, m version.Minor) {
	if in.Observed == nil {
		if r.Kept || r.Drawback == finding.OwnApply {
			t.Fatalf("%+v: remedy %+v refers to versions before the step, but there are none", in.Cluster, r)
		}
		return
	}
	for component, v := range eachRunning(in, r) {
		if m.Compare(v.Minor()) < 0 {
			t.Fatalf("%+v to %+v: %s %s rolls back under %+v to %s", in.Observed, in.Cluster, component, v, r, m)
		}
		if r.Kept && r.Nearest() != v.Minor() {
			t.Fatalf("%+v to %+v: remedy %+v does not keep %s %s", in.Observed, in.Cluster, r, component, v)
		}
	}
}

// checkNothingBreaks checks that the step to a cluster causes no violation that did not
// exist before it.
func checkNothingBreaks(t failer, in evaluation.Input, to skew.Cluster) {
	now := evaluation.Check(evaluation.Input{Policy: in.Policy, Cluster: *in.Observed}).Findings()
	known := violations(in.Policy, now)
	in.Cluster = to
	findings := evaluation.Check(in).Findings()
	for where, n := range violations(in.Policy, findings) {
		if n > known[where] {
			t.Fatalf("%+v to %+v: %s is new or worse", in.Observed, to, where)
		}
	}
}

// checkRemedies applies every remedy of an input. It returns the number of errors, and
// of those with a remedy. It ignores findings on apply orders: they need a separate
// apply, which TestApplyOrderRemedy checks.
func checkRemedies(t failer, in evaluation.Input, pick func([]version.Minor) version.Minor) (errors, repairable int) {
	verdict := evaluation.Check(in)
	findings := verdict.Findings()
	before := violations(in.Policy, findings)
	for _, p := range verdict.Problems {
		checkLastResort(t, in, p, before)
	}
	for _, f := range findings {
		if _, applyOrder := f.Cause.(*finding.ApplyOrder); applyOrder || !f.IsUnwaivedError() && len(f.Remedies()) == 0 {
			continue
		}
		errors++
		if len(f.Remedies()) > 0 {
			repairable++
		}
		for _, r := range f.Remedies() {
			m := pick(r.Minors)
			checkNothingRollsBack(t, in, r, m)
			checkOffered(t, in, r)
			checkKnown(t, in, f, r)
			next := in
			next.Cluster = repaired(in.Cluster, r, m)
			if r.Drawback == finding.OwnApply {
				between := repaired(*in.Observed, r, m)
				checkNothingBreaks(t, in, between)
				next.Observed = &between
			}
			after := evaluation.Check(next).Findings()
			remaining := violations(in.Policy, after)
			for _, l := range f.Subject.Locations {
				if where := fmt.Sprint(f.RuleID, " ", l, direction(f)); remaining[where] > 0 {
					t.Fatalf("%+v to %+v:\n%s of %s %s beside %s is still there after %+v at %s", in.Observed, in.Cluster, where, f.Subject.Component, f.Subject.Version, f.Reference.Version, r, m)
				}
			}
			for where, n := range remaining {
				if n > before[where] {
					t.Fatalf("%+v to %+v:\n%s is new or worse after the remedy %+v at %s of %s", in.Observed, in.Cluster, where, r, m, f.RuleID)
				}
			}
		}
	}
	return errors, repairable
}

// remedyPolicies returns policies with rules of all kinds, and some with add-ons.
func remedyPolicies(t *testing.T) []*policy.Policy {
	policies := []*policy.Policy{skewtest.Kubernetes(t), skewtest.Extended(t, "kubernetes", `{"skew_rules": {"kubelet-apiserver": {"compare_patch": true}},
		"requirement_rules": {
			"proxy": {"when": {"component": "kubelet", "version": ">= 1.26"}, "require": {"component": "kube-proxy", "version": ">= 1.25"}},
			"oldest": {"require": {"component": "kube-apiserver", "version": ">= 1.24"}}},
		"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 2, "max_downgrade": 1}}}`)}
	for _, name := range []string{"kubernetes-strict", "eks", "aks", "kubeadm", "openshift"} {
		policies = append(policies, builtin(t, name))
	}
	for _, name := range []string{"cert-manager", "karpenter", "cilium", "istio", "argo-cd", "keda", "etcd", "rancher"} {
		policies = append(policies, skewtest.Extended(t, "kubernetes", `{"include": ["addons/`+name+`"]}`))
	}
	return policies
}

// TestRemediesWork checks that a remedy removes its finding and causes no new one, that
// nothing rolls back below its version before the step, that the platform offers what a
// remedy names, and that the control plane is only lowered as the last resort.
func TestRemediesWork(t *testing.T) {
	t.Parallel()
	policies := remedyPolicies(t)
	day := skewtest.Date(t, quietDay)
	counts := map[string]*struct{ errors, repairable int }{"none": {}, "onward": {}, "back": {}, "anywhere": {}, "offered": {}}
	rapid.Check(t, func(t *rapid.T) {
		in, kind := drawInput(t, rapid.SampledFrom(policies).Draw(t, "policy"), day)
		errors, repairable := checkRemedies(t, in, func(minors []version.Minor) version.Minor { return rapid.SampledFrom(minors).Draw(t, "minor") })
		if len(in.Offered.ControlPlane.Versions)+len(in.Offered.NodePools.Versions) > 0 {
			kind = "offered"
		}
		n := counts[kind]
		n.errors, n.repairable = n.errors+errors, n.repairable+repairable
	})
	for step, n := range counts {
		t.Logf("%s: %d of %d", step, n.repairable, n.errors)
	}
	// Usually, 100, 97, 95 and 80 % have one. The limits leave room for an unlucky seed.
	// Where several components roll back at once, or the clusters are unrelated, the only
	// remedy is often to give up the step.
	for step, atLeast := range map[string]float64{"none": 0.85, "onward": 0.8, "back": 0.7, "anywhere": 0.4} {
		if n := counts[step]; float64(n.repairable) < atLeast*float64(n.errors) {
			t.Errorf("step %s: only %d of %d errors have a remedy", step, n.repairable, n.errors)
		}
	}
}

// TestFirstLines checks the texts of all problems between random clusters: the first line
// names a version and a place, and no two problems have the same first line.
func TestFirstLines(t *testing.T) {
	t.Parallel()
	policies := []*policy.Policy{skewtest.Kubernetes(t), builtin(t, "kubernetes-strict"), builtin(t, "aks"), builtin(t, "openshift")}
	form := regexp.MustCompile(`\d\.\d.* \((control_plane|node_pools|kubectl|kube_proxy).*\)$`)
	day := skewtest.Date(t, "2026-11-20")
	rapid.Check(t, func(t *rapid.T) {
		from := skewtest.RandomCluster(t)
		in := evaluation.Input{
			Policy: rapid.SampledFrom(policies).Draw(t, "policy"), Cluster: skewtest.RandomCluster(t), Observed: &from,
			ApplyOrder: rapid.SampledFrom(step.ApplyOrders).Draw(t, "order"), Day: day,
		}
		findings := evaluation.Check(in).Findings()
		seen := map[string]bool{}
		for _, p := range finding.Problems(findings) {
			d := report.DescribeProblem(p)
			if !form.MatchString(d.Summary) || d.Message == "" || d.Remedy == "" {
				t.Fatalf("%+v to %+v: %+v", from, in.Cluster, d)
			}
			if seen[d.Summary] {
				t.Fatalf("%+v to %+v: reported twice: %s", from, in.Cluster, d.Summary)
			}
			seen[d.Summary] = true
		}
	})
}

// moved returns a cluster with other versions.
func moved(c skew.Cluster, to func(skew.Instance) version.Minor) skew.Cluster {
	return changed(c, func(i skew.Instance) version.Version { return to(i).Version() })
}

// TestRemediesOfSteps checks that remedies keep versions rather than roll them back,
// and that changes that have to come first get an apply of their own.
func TestRemediesOfSteps(t *testing.T) {
	for _, tt := range []struct {
		name, policy, from, to, rule string
		order                        step.ApplyOrder
		want                         string
	}{
		{
			"a pool that is already too old", "eks", `managed: 1.36; node_pools.x: kubelet=1.32`, `managed: 1.37; node_pools.x: kubelet=1.32`, "kubelet-apiserver", "",
			`Upgrade the kubelet of node_pools["x"] to 1.34 or later (up to 1.36) in a separate apply first.`,
		},
		{
			"a pool that is already too old and moves first", "eks", `managed: 1.36; node_pools.x: kubelet=1.32`, `managed: 1.37; node_pools.x: kubelet=1.32`, "kubelet-apiserver", step.NodePoolsFirst,
			`Upgrade the kubelet of node_pools["x"] to 1.34 or later (up to 1.36).`,
		},
		{
			"a pool that would become too old", "eks", `managed: 1.36; node_pools.x: kubelet=1.33`, `managed: 1.37; node_pools.x: kubelet=1.33`, "kubelet-apiserver", "",
			`Keep control_plane_version at 1.36.`,
		},
		{
			"a pool that is too new", "kubernetes", `managed: 1.33; node_pools.x: kubelet=1.32`, `managed: 1.33; node_pools.x: kubelet=1.35`, "kubelet-apiserver", "",
			`Set the kubelet of node_pools["x"] to 1.33 or 1.32.`,
		},
		{
			"a pool that moves too early", "kubernetes", `managed: 1.33; node_pools.x: kubelet=1.33`, `managed: 1.33; node_pools.x: kubelet=1.34`, "kubelet-apiserver", "",
			`Keep the kubelet of node_pools["x"] at 1.33, or upgrade control_plane_version to 1.34.`,
		},
		{
			"a control plane that rolls back too far", "eks", `managed: 1.36`, `managed: 1.34`, "kube-apiserver-step", "",
			`Keep control_plane_version at 1.36.`,
		},
		{
			"a control plane that rolls back below its pool", "eks", `managed: 1.36; node_pools.x: kubelet=1.36`, `managed: 1.35; node_pools.x: kubelet=1.36`, "kubelet-apiserver", "",
			`Keep control_plane_version at 1.36.`,
		},
		{
			"a control plane that rolls back too far, declared by instance before", "eks", `control_plane.a: 1.36; control_plane.b: 1.36`, `managed: 1.34`, "kube-apiserver-step", "",
			`Keep control_plane_version at 1.36.`,
		},
		{
			"a control plane that is declared by instance now", "eks", `managed: 1.36`, `control_plane.a: 1.34`, "kube-apiserver-step", "",
			`Keep the kube-apiserver, kube-controller-manager, kube-scheduler and cloud-controller-manager of control_plane["a"] at 1.36.`,
		},
		{
			"a control plane that skips a minor", "kubernetes", `managed: 1.33`, `managed: 1.35`, "kube-apiserver-step", "",
			`Set control_plane_version to 1.34 in this apply, then go to 1.35 in the next one.`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := skewtest.Cluster(t, tt.from)
			in := evaluation.Input{Policy: builtin(t, tt.policy), Cluster: skewtest.Cluster(t, tt.to), Observed: &from, ApplyOrder: tt.order}
			checkRemedies(t, in, func(minors []version.Minor) version.Minor { return minors[0] })
			findings := evaluation.Check(in).Findings()
			got := map[string]string{}
			for _, f := range findings {
				got[f.RuleID] = report.Describe(f).Remedy
			}
			if got[tt.rule] != tt.want {
				t.Errorf("got %q, want %q for %s", got, tt.want, tt.rule)
			}
		})
	}
}

// TestUnblockingWorks checks that a remedy for a blocker of the next control-plane
// minor removes the blocker and causes no new violation.
func TestUnblockingWorks(t *testing.T) {
	t.Parallel()
	policies, day := remedyPolicies(t), skewtest.Date(t, quietDay)
	tried := 0
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(policies).Draw(t, "policy")
		in, _ := drawInput(t, p, day)
		result := evaluation.Evaluate(in)
		if result.Next == nil {
			return
		}
		before := violations(p, result.Findings())
		for _, f := range finding.Findings(result.Next.Blockers) {
			for _, r := range f.Remedies() {
				tried++
				checkOffered(t, in, r)
				m := rapid.SampledFrom(r.Minors).Draw(t, "minor")
				next := in
				next.Cluster = repaired(in.Cluster, r, m)
				after := evaluation.Evaluate(next)
				for where, n := range violations(p, after.Findings()) {
					if n > before[where] {
						t.Fatalf("%+v: %s is new or worse after the remedy %+v at %s of %s", in.Cluster, where, r, m, f.RuleID)
					}
				}
				if after.Next.Version != result.Next.Version {
					continue // the remedy moved an API server, so another minor is next
				}
				remaining := violations(p, finding.Findings(after.Next.Blockers))
				for _, l := range f.Subject.Locations {
					if where := fmt.Sprint(f.RuleID, " ", l, direction(f)); remaining[where] > 0 {
						t.Fatalf("%+v: %s still blocks %s after %+v at %s", in.Cluster, where, result.Next.Version, r, m)
					}
				}
			}
		}
	})
	if tried < 50 {
		t.Errorf("only %d remedies tried", tried)
	}
}

// TestOneRemedyForSeveralFindings checks that findings that one change repairs all name
// that change.
func TestOneRemedyForSeveralFindings(t *testing.T) {
	for _, tt := range []struct {
		name, cluster string
		local         bool
		rules         int
		want          string
	}{
		{"a kubelet that is too old for the API server and for its kube-proxy", "managed: 1.31; node_pools.a: kubelet=1.27 kube-proxy=1.31", false, 2,
			`Upgrade the kubelet of node_pools["a"] to 1.28 or later.`},
		{"a node with a kubelet and a kube-proxy that are too old", "managed: 1.31; node_pools.a: kubelet=1.24 kube-proxy=1.24", false, 2,
			`Upgrade the kubelet and kube-proxy of node_pools["a"] to 1.28 or later.`},
		{"two of three API servers", "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.30; control_plane.c: kube-apiserver=1.33", false, 1,
			`Upgrade the kube-apiserver of control_plane["a"] and control_plane["b"] to 1.32 or later, one minor version at a time.`},
		{"a control-plane instance that is too old", "control_plane.a: 1.31; control_plane.b: 1.29", false, 4,
			`Upgrade the kube-apiserver, kube-controller-manager, kube-scheduler and cloud-controller-manager of control_plane["b"] to 1.31, one minor version at a time.`},
		{"API servers, and the controllers that follow them", "control_plane.a: kube-apiserver=1.29 kube-scheduler=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.30", false, 2,
			`Upgrade the kube-apiserver and kube-scheduler of control_plane["a"] to 1.30.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.cluster)}
			in.Cluster.LocalEndpoint = tt.local
			findings := evaluation.Check(in).Findings()
			rules := map[string]bool{}
			for _, f := range findings {
				rules[f.RuleID] = true
				if got := report.Describe(f).Remedy; got != tt.want {
					t.Errorf("%s: %q, want %q", f.RuleID, got, tt.want)
				}
			}
			if len(rules) != tt.rules {
				t.Errorf("got findings of rules %v, want %d rules", rules, tt.rules)
			}
		})
	}
}

// TestRemediesAgree checks that the remedies of different findings do not contradict each
// other: together, they work as well as alone.
func TestRemediesAgree(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		want           map[string]string
	}{
		{
			"an add-on that also fits the control plane before the rollback", "managed: 1.33; node_pools.a: kubelet=1.33; components.keda.0: keda=2.12", "managed: 1.32; node_pools.a: kubelet=1.33; components.keda.0: keda=2.16",
			map[string]string{"kubelet-apiserver": `Keep control_plane_version at 1.33.`, "keda-2-16": `Upgrade components["keda"][0] to 2.18 or 2.19.`},
		},
		{
			"a control plane that also fits the add-on", "managed: 1.31; node_pools.a: kubelet=1.30; components.keda.0: keda=2.19", "managed: 1.29; node_pools.a: kubelet=1.30; components.keda.0: keda=2.19",
			map[string]string{"kubelet-apiserver": `Upgrade control_plane_version to 1.32.`, "kube-apiserver-step": `Set control_plane_version to 1.32.`, "keda-2-19": `Upgrade control_plane_version to 1.32.`},
		},
		{
			"an upgrade instead of a rollback that is as far", "managed: 1.31; node_pools.a: kubelet=1.30; components.keda.0: keda=2.20", "managed: 1.29; node_pools.a: kubelet=1.30; components.keda.0: keda=2.20",
			map[string]string{
				"kubelet-apiserver": `Keep control_plane_version at 1.31.`, "kube-apiserver-step": `Keep control_plane_version at 1.31.`,
				"keda-2-20": `Change control_plane_version to a version that satisfies >= 1.33, < 1.36, or components["keda"][0] to one without this requirement.`,
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := skewtest.Cluster(t, tt.from)
			in := evaluation.Input{Policy: skewtest.Extended(t, "eks", `{"include": ["addons/keda"]}`), Cluster: skewtest.Cluster(t, tt.to), Observed: &from}
			checkRemedies(t, in, func(minors []version.Minor) version.Minor { return minors[0] })
			got := map[string]string{}
			for _, f := range evaluation.Check(in).Findings() {
				got[f.RuleID] = report.Describe(f).Remedy
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("remedies (-want +got):\n%s", diff)
			}
		})
	}
}
