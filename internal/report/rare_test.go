// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// situation is a cluster and what is checked about it.
type situation struct {
	name     string
	policy   *policy.Policy // kubernetes if nil
	from, to string
	emulated string // emulated by the control planes of from and to
	day      string
	order    step.ApplyOrder
	waivers  []finding.Waiver
	webhooks map[string]string
	notes    []string
}

func (s situation) input(t *testing.T) evaluation.Input {
	t.Helper()
	cluster := func(text string) skew.Cluster {
		c := skewtest.Cluster(t, text)
		for _, p := range c.Places {
			for i := range p.Instances {
				if instance := &p.Instances[i]; s.emulated != "" && slices.Contains(skew.ControlPlaneComponents, instance.Component) {
					v, err := instance.Version.Emulating(skewtest.Version(t, s.emulated))
					if err != nil {
						t.Fatal(err)
					}
					instance.Version = v
				}
			}
		}
		return c
	}
	in := evaluation.Input{Policy: s.policy, Cluster: cluster(s.to), ApplyOrder: s.order, Waivers: s.waivers}
	in.Cluster.Webhooks = s.webhooks
	if in.Policy == nil {
		in.Policy = skewtest.Kubernetes(t)
	}
	if s.from != "" {
		from := cluster(s.from)
		in.Observed = &from
	}
	if s.day != "" {
		in.Day = skewtest.Date(t, s.day)
	}
	return in
}

// goldenSituations compares the text of all problems with a golden file.
func goldenSituations(t *testing.T, name string, situations ...situation) {
	t.Helper()
	var b strings.Builder
	for _, s := range situations {
		fmt.Fprintf(&b, "# %s: ", s.name)
		if s.from != "" {
			fmt.Fprintf(&b, "%s\n# to ", s.from)
		}
		fmt.Fprintf(&b, "%s\n\n", s.to)
		findings := evaluation.Check(s.input(t)).Findings()
		for _, p := range finding.Problems(findings) {
			fmt.Fprintf(&b, "%s: %s\n\n%s\n\n", p.Findings[0].Severity, report.DescribeProblem(p).Summary, report.Diagnostic(p, s.notes...).Message)
		}
	}
	golden(t, name, b.String())
}

// TestFindingsAtSeveralVersions: a problem with different versions names the version
// of each location, or the minor that they share.
func TestFindingsAtSeveralVersions(t *testing.T) {
	goldenSituations(t, "several-versions.txt",
		situation{name: "kubelets at patches of one minor", to: "managed: 1.31.2; node_pools.a: kubelet=1.27.1; node_pools.b: kubelet=1.27.9"},
		situation{name: "API servers at three minors", to: "control_plane.a: kube-apiserver=1.30.4; control_plane.b: kube-apiserver=1.29.1; control_plane.c: kube-apiserver=1.33.0"},
		situation{
			name: "an instance that may not be newer than the other", policy: skewtest.Extended(t, "kubernetes", `{"skew_rules": {"schedulers": {"subject": "kube-scheduler", "reference": "kube-scheduler", "scope": "cluster", "max_newer": 0}}}`),
			to: "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.31",
		},
		situation{
			name: "controllers beside API servers that are too far apart",
			to:   "control_plane.a: kube-apiserver=1.29 kube-scheduler=1.29 kube-controller-manager=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.31 kube-controller-manager=1.31",
		},
		situation{
			name: "a controller beside API servers whose distance is waived",
			to:   "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.31 kube-scheduler=1.31", waivers: []finding.Waiver{{Name: "w", RuleID: "kube-apiserver-ha", Reason: "We know."}},
		},
		situation{
			name: "a step from patches of one minor", policy: skewtest.Extended(t, "kubernetes", `{"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 1}}}`),
			from: "managed: 1.31; node_pools.a: kubelet=1.28.1; node_pools.b: kubelet=1.28.4", to: "managed: 1.31; node_pools.a: kubelet=1.31.1; node_pools.b: kubelet=1.31.2",
		},
		situation{
			name: "moves that wait for API servers at several patches", policy: skewtest.Extended(t, "kubernetes", `{"disabled_rules": ["kube-apiserver-step"]}`),
			from: "control_plane.a: kube-apiserver=1.28.1; control_plane.b: kube-apiserver=1.28.4; node_pools.a: kubelet=1.27", to: "control_plane.a: kube-apiserver=1.32.0; control_plane.b: kube-apiserver=1.32.1; node_pools.a: kubelet=1.32",
		},
		situation{
			name: "a requirement with two limits", policy: skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"agent": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": ">= 1.28, < 1.30"}}}}`),
			to: "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30; components.agent.0: agent=1.0",
		},
		situation{
			name: "kubelets to drain", day: "2024-09-15",
			from: "managed: 1.31.0; node_pools.a: kubelet=1.30.1; node_pools.b: kubelet=1.30.4", to: "managed: 1.31.0; node_pools.a: kubelet=1.31.0; node_pools.b: kubelet=1.31.1",
		},
		situation{name: "two webhooks", day: "2024-09-15", webhooks: map[string]string{"a": "", "b": ""}, from: "managed: 1.30.14", to: "managed: 1.31.1"},
	)
}

// TestFindingsWithoutRemedy: if no single change works, the text says in which
// direction to go.
func TestFindingsWithoutRemedy(t *testing.T) {
	requiring := func(base, rules string) *policy.Policy {
		return skewtest.Extended(t, base, `{"requirement_rules": {`+rules+`}}`)
	}
	const (
		oldKubelet = `"agent": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": "< 1.28"}}`
		newKubelet = `"agent": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": ">= 1.32"}}`
		newPatch   = `"agent": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": ">= 1.31.4"}}`
		newMajor   = `"agent": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": ">= 2"}}`
		oldServer  = `"log": {"when": {"component": "log"}, "require": {"component": "kube-apiserver", "version": "< 1.31.4"}}`
		newServer  = `"log": {"when": {"component": "log"}, "require": {"component": "kube-apiserver", "version": ">= 1.31"}}`
	)
	goldenSituations(t, "no-remedy.txt",
		situation{name: "too old", policy: requiring("kubernetes", oldKubelet+", "+newServer), to: "managed: 1.31; node_pools.a: kubelet=1.27; components.agent.0: agent=1.0; components.log.0: log=1.0"},
		situation{name: "too new", policy: requiring("kubernetes", newKubelet+", "+oldServer), to: "managed: 1.31; node_pools.a: kubelet=1.32; components.agent.0: agent=1.0; components.log.0: log=1.0"},
		situation{name: "too new by a patch", policy: requiring("aks", newPatch+", "+oldServer), to: "managed: 1.31.2; node_pools.a: kubelet=1.31.4; components.agent.0: agent=1.0; components.log.0: log=1.0"},
		situation{
			name: "requirements that exclude each other", to: "components.agent.0: agent=1.0; components.log.0: log=1.5",
			policy: requiring("kubernetes", `"from": {"when": {"component": "agent"}, "require": {"component": "log", "version": ">= 2"}}, "below": {"when": {"component": "agent"}, "require": {"component": "log", "version": "< 2"}}`),
		},
		situation{name: "another major", policy: requiring("kubernetes", newMajor), to: "managed: 1.31; node_pools.a: kubelet=2.0; components.agent.0: agent=1.0"},
		situation{
			name: "a step to another major", from: "managed: 1.31", to: "managed: 2.0; components.agent.0: agent=1.0",
			policy: requiring("kubernetes", `"agent": {"when": {"component": "agent"}, "require": {"component": "kube-apiserver", "version": ">= 2"}}`),
		},
		situation{
			name: "blocking the next minor", day: "2024-09-15", to: "managed: 1.30.5; node_pools.a: kubelet=1.27.16; components.agent.0: agent=1.0",
			policy: requiring("kubernetes", oldKubelet),
		},
	)
}

// TestInformation: no remedies are searched for a finding of severity info. The text
// names the nearest versions that are allowed, if they are all on one side.
func TestInformation(t *testing.T) {
	informed := func(limits string) *policy.Policy {
		return skewtest.Extended(t, "kubernetes", `{"skew_rules": {"agent": {"subject": "agent", "reference": "kube-apiserver", "scope": "cluster", "severity": "info", `+limits+`}}}`)
	}
	goldenSituations(t, "information.txt",
		situation{name: "too old", policy: informed(`"max_older": 3`), to: "managed: 1.31; components.agent.0: agent=1.25"},
		situation{name: "too new", policy: informed(`"max_newer": 3`), to: "managed: 1.31; components.agent.0: agent=1.36"},
		situation{name: "too old, although much older ones are allowed", policy: informed(`"max_older": 3, "conditions": [{"subject": "< 1.20", "max_older": 20}]`), to: "managed: 1.31; components.agent.0: agent=1.25"},
		situation{name: "too old, although all versions before 1.20 are allowed", policy: informed(`"conditions": [{"subject": ">= 1.20", "max_older": 3}]`), to: "managed: 1.31; components.agent.0: agent=1.25"},
		situation{name: "too new, although much newer ones are allowed", policy: informed(`"max_newer": 3, "conditions": [{"subject": ">= 1.40", "max_newer": 20}]`), to: "managed: 1.31; components.agent.0: agent=1.36"},
		situation{
			name: "API servers too far apart", policy: skewtest.Extended(t, "kubernetes", `{"skew_rules": {"kube-apiserver-ha": {"severity": "info"}, "kube-scheduler-apiserver": {"severity": "info"}}}`),
			to: "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.31; control_plane.c: kube-scheduler=1.31",
		},
	)
}

// TestRemedyText: a remedy names the versions that work, and what runs already.
func TestRemedyText(t *testing.T) {
	goldenSituations(t, "remedies.txt",
		situation{name: "back, but not below what runs", from: "managed: 1.33; node_pools.a: kubelet=1.32", to: "managed: 1.33; node_pools.a: kubelet=1.35"},
		situation{name: "back by some minors, but not below what runs", from: "managed: 1.33; node_pools.a: kubelet=1.31", to: "managed: 1.33; node_pools.a: kubelet=1.35"},
		situation{name: "the patch that runs", policy: skewtest.Extended(t, "aks", `{}`), from: "managed: 1.31.2; node_pools.a: kubelet=1.31.2", to: "managed: 1.31.2; node_pools.a: kubelet=1.31.4"},
		situation{name: "in an apply of its own", from: "managed: 1.36; node_pools.a: kubelet=1.32", to: "managed: 1.37; node_pools.a: kubelet=1.32"},
		situation{name: "an emulated version", emulated: "1.33", to: "managed: 1.35; node_pools.a: kubelet=1.34"},
		situation{
			name: "more than the end of an emulation", emulated: "1.33", to: "managed: 1.35; node_pools.a: kubelet=1.36; components.agent.0: agent=1.0",
			policy: skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"agent": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": ">= 1.36"}}}}`),
		},
		situation{name: "an older emulated version, with a note", emulated: "1.33", to: "managed: 1.36; node_pools.a: kubelet=1.34", notes: []string{"", "A note."}},
		situation{
			name: "a step that can stop at several minors", policy: skewtest.Extended(t, "kubernetes", `{"disabled_rules": ["kube-apiserver-step"]}`),
			from: "managed: 1.28; node_pools.a: kubelet=1.27", to: "managed: 1.32; node_pools.a: kubelet=1.32",
		},
	)
}

// TestExtendedSupport: once standard support has ended, the text is about extended
// support. The dates are those of EKS 1.33
// (https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html).
func TestExtendedSupport(t *testing.T) {
	eks := skewtest.Extended(t, "eks", `{}`)
	goldenSituations(t, "extended-support.txt",
		situation{name: "before the end of standard support", policy: eks, day: "2026-07-15", to: "managed: 1.33"},
		situation{name: "in extended support", policy: eks, day: "2027-06-15", to: "managed: 1.33"},
		situation{name: "after all support", policy: eks, day: "2027-08-15", to: "managed: 1.33"},
	)
}

// TestUnusualApplyOrder: what has to come first can be an addition, and the
// combination on the way can be of two majors.
func TestUnusualApplyOrder(t *testing.T) {
	goldenSituations(t, "apply-order-unusual.txt",
		situation{
			name: "a pool that gets a kube-proxy", policy: skewtest.Extended(t, "eks", `{}`),
			from: "managed: 1.35; node_pools.gpu: kubelet=1.32", to: "managed: 1.36; node_pools.gpu: kubelet=1.33 kube-proxy=1.34",
		},
		situation{
			name: "two applies before the rest", policy: skewtest.Extended(t, "kubernetes", `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 3}}}`),
			from: "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.30; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.28",
			to:   "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.32; node_pools.x: kubelet=1.29; node_pools.y: kubelet=1.30",
		},
		situation{
			name: "a pool of the next major", policy: skewtest.Extended(t, "kubernetes", `{"disabled_rules": ["kube-apiserver-step"]}`), order: step.NodePoolsFirst,
			from: "managed: 1.40", to: "managed: 2.0; node_pools.a: kubelet=2.0",
		},
	)
}

// TestUnusualPlans compares the pages of plans that a held pool stops, that end an
// emulation, that move a cluster-wide kube-proxy or that go back too far with a
// golden file.
func TestUnusualPlans(t *testing.T) {
	var b strings.Builder
	for _, tt := range []struct {
		name, policy, changes, cluster, emulated, target string
		held                                             []string
		limits                                           map[string]version.Version
	}{
		{name: "held pools stop the control plane", policy: "kubernetes", cluster: "managed: 1.30; node_pools.a: kubelet=1.28; node_pools.b: kubelet=1.28.1; node_pools.c: kubelet=1.30", target: "1.33", held: []string{"a", "b"}},
		{name: "a held pool of many", policy: "kubernetes", cluster: "managed: 1.30; node_pools.a: kubelet=1.27", target: "1.31", held: []string{"a"}},
		{name: "a limited pool stops the control plane", policy: "kubernetes", cluster: "managed: 1.30; node_pools.a: kubelet=1.27", target: "1.33", limits: map[string]version.Version{"a": skewtest.Version(t, "1.29")}},
		{name: "a limited pool stays behind", policy: "kubernetes", cluster: "managed: 1.30; node_pools.a: kubelet=1.28; node_pools.b: kubelet=1.30", target: "1.31", limits: map[string]version.Version{"a": skewtest.Version(t, "1.29")}},
		{name: "a component stops the control plane", policy: "kubernetes", changes: `{"requirement_rules": {"cilium": {"when": {"component": "kube-apiserver", "version": ">= 1.32"}, "require": {"component": "cilium", "version": ">= 1.16"}}}}`, cluster: "managed: 1.30; components.cilium.0: cilium=1.14", target: "1.33"},
		{name: "a component stops a node pool", policy: "kubernetes", changes: `{"skew_rules": {"cni": {"subject": "cni", "reference": "kubelet", "scope": "cluster", "max_newer": 1, "max_older": 1, "severity": "error"}}}`, cluster: "managed: 1.33; components.cni.0: cni=1.31; node_pools.a: kubelet=1.31", target: "1.33"},
		{name: "components that violate a rule already", policy: "kubernetes", changes: `{"include": ["addons/istio"]}`, cluster: "managed: 1.32; components.istiod.0: istiod=1.28.0; components.istio-proxy.0: istio-proxy=1.25.0", target: "1.33"},
		{name: "the way back is too long", policy: "eks", cluster: "managed: 1.36", target: "1.34"},
		{name: "a kube-proxy for the whole cluster", policy: "kubernetes", cluster: "managed: 1.30; kube_proxy: 1.30", target: "1.31"},
		{name: "an emulated version", policy: "kubernetes", cluster: "managed: 1.36", emulated: "1.34", target: "1.37"},
	} {
		if tt.changes == "" {
			tt.changes = `{}`
		}
		fmt.Fprintf(&b, "# %s: %s to %s\n\n", tt.name, tt.cluster, tt.target)
		r := upgrade.Request{Target: skewtest.Version(t, tt.target), Held: tt.held, Limits: tt.limits}
		in := situation{policy: skewtest.Extended(t, tt.policy, tt.changes), to: tt.cluster, emulated: tt.emulated}.input(t)
		r.Policy, r.Cluster = in.Policy, in.Cluster
		plan := evaluation.Plan(r)
		b.WriteString(report.PlanMarkdown(r, plan))
		for _, p := range finding.Problems(plan.Findings) {
			fmt.Fprintf(&b, "\n%s: %s\n\n%s\n", p.Findings[0].Severity, report.DescribeProblem(p).Summary, report.Diagnostic(p).Message)
		}
		b.WriteString("\n")
	}
	golden(t, "plans-unusual.md", b.String())
}

// TestBlockerWithoutRemedy: what blocks the next minor says in which direction to go
// if no single change clears it.
func TestBlockerWithoutRemedy(t *testing.T) {
	s := situation{
		to:     "managed: 1.30.5; node_pools.a: kubelet=1.27.16; components.agent.0: agent=1.0",
		policy: skewtest.Extended(t, "kubernetes", `{"requirement_rules": {"agent": {"when": {"component": "agent"}, "require": {"component": "kubelet", "version": "< 1.28"}}}}`),
	}
	lines := report.Blockers(evaluation.Evaluate(s.input(t)).Next.Blockers)
	if len(lines) != 1 || !strings.Contains(lines[0], `node_pools["a"]`) || !strings.Contains(lines[0], "1.28") {
		t.Errorf("blockers %q, want one that names the pool and 1.28", lines)
	}
}

// TestStepRuleText: a step rule can also limit patches, and all steps together.
func TestStepRuleText(t *testing.T) {
	zero, one, yes := 0, 1, true
	for _, tt := range []struct {
		rule policy.StepRule
		want string
	}{
		{policy.StepRule{Component: "agent", StepLimits: policy.StepLimits{MaxDowngrade: &zero}, ComparePatch: &yes}, "patch"},
		{policy.StepRule{Component: "agent", StepLimits: policy.StepLimits{MaxDowngrade: &one}, MaxDowngradeTotal: &one}, "1 minor version in total"},
	} {
		if got := report.StepSentence(&tt.rule); !strings.Contains(got, tt.want) {
			t.Errorf("%q does not name %q", got, tt.want)
		}
	}
}

// TestStepBetweenListedMinors: conditions on a step rule can list the minors that each
// minor can be upgraded to.
func TestStepBetweenListedMinors(t *testing.T) {
	p, err := policy.Extend(skewtest.Kubernetes(t), `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 1, "max_downgrade": 0, "conditions": [
		{"from": ">= 1.28, < 1.29", "to": ">= 1.30, < 1.31", "max_upgrade": 0}, {"from": ">= 1.28, < 1.29", "max_upgrade": 3},
		{"from": ">= 1.31, < 1.32", "max_upgrade": 0}]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, to := range []string{"1.30", "1.32"} {
		from := skewtest.Cluster(t, "managed: 1.28.2")
		findings := evaluation.Check(evaluation.Input{Policy: p, Observed: &from, Cluster: skewtest.Cluster(t, "managed: "+to)}).Findings()
		for _, problem := range finding.Problems(findings) {
			if problem.Findings[0].Severity == policy.SeverityError {
				fmt.Fprintf(&got, "%s\n\n%s\n\n", report.DescribeProblem(problem).Summary, report.Diagnostic(problem).Message)
			}
		}
		plan := upgrade.Compute(upgrade.Request{Policy: p, Cluster: from, Target: skewtest.Version(t, to)})
		fmt.Fprintf(&got, "plan: %t, %d stages\n\n", plan.Feasible, len(plan.Stages))
	}
	golden(t, "listed-minors.txt", got.String())
}

// TestMinimum: a requirement without "when" always holds. An upgrade that does not reach
// the minimum yet is a violation that exists already.
func TestMinimum(t *testing.T) {
	p, err := policy.Extend(skewtest.Kubernetes(t), `{"name": "ours", "requirement_rules": {
		"nothing-older": {"require": {"component": "kube-apiserver", "version": ">= 1.34"}, "reason": "Older ones are not audited."},
		"not-this-patch": {"require": {"component": "kubelet", "version": "!= 1.34.2"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, r := range p.PairRules {
		if r.Requirement != nil {
			got.WriteString(report.PairSentence(r) + "\n\n")
		}
	}
	for _, step := range [][]string{
		{"managed: 1.32", "managed: 1.33"}, {"managed: 1.33", "managed: 1.34"}, {"managed: 1.34; node_pools.a: kubelet=1.33; node_pools.b: kubelet=1.33", "managed: 1.34.3; node_pools.a: kubelet=1.34.2; node_pools.b: kubelet=1.34.2"},
	} {
		from, to := skewtest.Cluster(t, step[0]), skewtest.Cluster(t, step[1])
		fmt.Fprintf(&got, "# %s to %s\n\n", step[0], step[1])
		findings := evaluation.Check(evaluation.Input{Policy: p, Observed: &from, Cluster: to}).Findings()
		for _, problem := range finding.Problems(findings) {
			if problem.Findings[0].Severity == policy.SeverityError {
				fmt.Fprintf(&got, "%s\n\n%s\n\n", report.DescribeProblem(problem).Summary, report.Diagnostic(problem).Message)
			}
		}
		for _, component := range []string{skew.APIServer, "kubelet"} {
			fmt.Fprintf(&got, "%s: %s\n\n", component, skew.AllowedVersions(p, to)[component].Constraint())
		}
	}
	for _, target := range []string{"1.35", "1.33", "1.31"} {
		plan := upgrade.Compute(upgrade.Request{Policy: p, Cluster: skewtest.Cluster(t, "managed: 1.32; node_pools.a: kubelet=1.32"), Target: skewtest.Version(t, target)})
		fmt.Fprintf(&got, "plan to %s: %t, %d stages\n", target, plan.Feasible, len(plan.Stages))
	}
	golden(t, "minimum.txt", got.String())
}
