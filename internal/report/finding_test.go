// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestFindings compares the descriptions of findings with a golden file. Read the
// golden files of this package when they change: they are what users see.
func TestFindings(t *testing.T) {
	var b strings.Builder
	for _, tt := range []struct{ from, to string }{
		{"", "control_plane.cp-0: kube-apiserver=1.31.2; node_pools.gpu: kubelet=1.27.16"},
		{"", "managed: 1.31; node_pools.a: kubelet=1.32 kube-proxy=1.31"},
		{"", "managed: 1.31; node_pools.a: kubelet=1.33"},
		{"", "managed: 1.26; node_pools.a: kubelet=1.23.17 kube-proxy=1.26"},
		{"", "node_pools.a: kubelet=1.31 kube-proxy=1.27"},
		{"", "node_pools.a: kubelet=1.27 kube-proxy=1.24"},
		{"", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.29"},
		{"", "managed: 1.31; kubectl.0: kubectl=1.33; kubectl.1: kubectl=1.29"},
		{"", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-scheduler=1.29"},
		{"", "managed: 1.31; node_pools.a: kubelet=2.31"},
		{"", "control_plane.a: kube-apiserver=1.25; control_plane.b: kube-apiserver=1.31; node_pools.a: kubelet=1.28"},
		{"", "managed: 1.31; node_pools.a: kubelet=1.27; node_pools.b: kubelet=1.27; node_pools.c: kubelet=1.27; node_pools.d: kubelet=1.27; node_pools.e: kubelet=1.27; node_pools.f: kubelet=1.27; node_pools.g: kubelet=1.27"},
		{"", "managed: 1.31; node_pools.a: kubelet=1.3"},
		{"", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=2.31; node_pools.a: kubelet=1.31"},
		{"managed: 1.28.4", "managed: 1.31.0"},
		{"managed: 1.20", "managed: 1.31"},
		{"control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.32; control_plane.b: kube-apiserver=1.32"},
		{"managed: 1.31.2", "managed: 1.30.9"},
		{"managed: 1.31", "managed: 2.0"},
		{"managed: 1.30.4; node_pools.gpu: kubelet=1.27.16", "managed: 1.31.0; node_pools.gpu: kubelet=1.31.0"},
		{"control_plane.a: kube-apiserver=1.30 kube-scheduler=1.29", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.31"},
		{"managed: 1.30; node_pools.a: kubelet=1.27", "managed: 1.31; node_pools.a: kubelet=1.30"},

		// Several components with one cause.
		{"", "control_plane.cp-0: 1.31; control_plane.cp-1: 1.30"},
		{"", "control_plane.cp-0: 1.31; control_plane.cp-1: 1.31; control_plane.cp-2: 1.30; node_pools.a: kubelet=1.31"},
		{"", "control_plane.cp-0: 1.31; control_plane.cp-1: 1.29"},
		{"", "control_plane.cp-0: kube-apiserver=1.31 kube-controller-manager=1.29 kube-scheduler=1.29"},
		{"", "managed: 1.31; node_pools.a: kubelet=1.27.16 kube-proxy=1.27.16"},
		{"", "managed: 1.31; node_pools.a: kubelet=1.27.16 kube-proxy=1.27.6; node_pools.b: kubelet=1.27.16 kube-proxy=1.27.6"},
		{"", "managed: 1.31; node_pools.a: kubelet=1.32.1 kube-proxy=1.32.2; node_pools.b: kubelet=1.32.3 kube-proxy=1.32.2"},
		{"", "managed: 1.27; node_pools.a: kubelet=1.24 kube-proxy=1.24"},
		{"control_plane.a: kube-apiserver=1.30.1 kube-controller-manager=1.29.1 kube-scheduler=1.29.1", "control_plane.a: kube-apiserver=1.31.2 kube-controller-manager=1.31.2 kube-scheduler=1.31.2"},
		{"control_plane.a: 1.30.1; control_plane.b: 1.30.2", "control_plane.a: 1.31.2; control_plane.b: 1.30.2"},
		{"managed: 1.30; node_pools.a: kubelet=1.27 kube-proxy=1.27", "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.30"},
	} {
		describe(t, &b, skewtest.Kubernetes(t), tt.from, tt.to)
	}
	golden(t, "findings.txt", b.String())
}

// TestFindingsOfOtherPolicies does the same for kinds of rules that the policy
// kubernetes does not have.
func TestFindingsOfOtherPolicies(t *testing.T) {
	p, err := policy.Extend(skewtest.Kubernetes(t), `{
		"name": "ours",
		"skew_rules": {
			"kubelet-apiserver": {"compare_patch": true, "max_older_during_upgrade": 2, "source": "https://example.com/skew", "reason": "We say so."},
			"istiod-apiserver": {"subject": "istiod", "reference": "kube-apiserver", "scope": "cluster", "max_older": 4, "severity": "warning"},
			"agent-apiserver": {"subject": "agent", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 1, "max_older": 3,
				"conditions": [{"reference": "< 1.30", "max_newer": 0, "max_older": 1}, {"subject": ">= 1.40", "reference": ">= 1.35", "max_newer": 0}]},
			"logger-apiserver": {"subject": "logger", "reference": "kube-apiserver", "scope": "cluster",
				"conditions": [{"reference": "< 1.30", "max_older": 1}, {"reference": ">= 1.35", "max_newer": 0}]}
		},
		"step_rules": {
			"kubelet-step": {"component": "kubelet", "max_upgrade": 1, "max_downgrade": 1, "source": "https://example.com/step"},
			"kube-proxy-step": {"component": "kube-proxy", "max_upgrade": 1, "max_downgrade": 1, "source": "https://example.com/step"},
			"cilium-step": {"component": "cilium", "max_upgrade": 0},
			"agent-step": {"component": "agent", "max_downgrade": 0, "compare_patch": true, "source": "https://example.com/agent"}
		},
		"requirement_rules": {
			"cilium": {"when": {"component": "kube-apiserver", "version": ">= 1.31"}, "require": {"component": "cilium", "version": ">= 1.16"}, "source": "https://example.com/cilium"}
		}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, tt := range []struct{ from, to string }{
		{"", "managed: 1.31.2; node_pools.a: kubelet=1.31.4"},
		{"", "managed: 1.31.2; node_pools.a: kubelet=1.32.1"},
		{"", "managed: 1.29; components.agent.0: agent=1.27"},
		{"", "managed: 1.39; components.agent.0: agent=1.40"},
		{"", "managed: 1.29; components.logger.0: logger=1.27"},
		{"", "managed: 1.35; components.logger.0: logger=1.37"},
		{"", "managed: 1.31.2; components.cilium.0: cilium=1.15.3"},
		{"", "managed: 1.31.2; components.istiod.0: istiod=1.23"},
		{"managed: 1.30; node_pools.a: kubelet=1.28", "managed: 1.31; node_pools.a: kubelet=1.28"},
		{"managed: 1.31; node_pools.a: kubelet=1.28", "managed: 1.31; node_pools.a: kubelet=1.30"},
		{"managed: 1.31; node_pools.a: kubelet=1.31", "managed: 1.31; node_pools.a: kubelet=1.29"},
		{"managed: 1.31; node_pools.a: kubelet=1.28 kube-proxy=1.28", "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.30"},
		{"managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.31", "managed: 1.31; node_pools.a: kubelet=1.29 kube-proxy=1.29"},
		{"components.cilium.0: cilium=1.16.1", "components.cilium.0: cilium=1.17.0"},
		{"components.agent.0: agent=1.16.2", "components.agent.0: agent=1.16.1"},
	} {
		describe(t, &b, p, tt.from, tt.to)
	}
	golden(t, "other-findings.txt", b.String())
}

// TestStepOrderFindings does the same for moves that wait for each other.
func TestStepOrderFindings(t *testing.T) {
	free, err := policy.Extend(skewtest.Kubernetes(t), `{"name": "free", "disabled_rules": ["kube-apiserver-step"]}`)
	if err != nil {
		t.Fatal(err)
	}
	// Two components wait for each other because of two rules, or three in a cycle.
	cycles, err := policy.Parse(`{
		"skew_rules": {
			"a-b": {"subject": "a", "reference": "b", "scope": "cluster", "max_newer": 0},
			"b-c": {"subject": "b", "reference": "c", "scope": "cluster", "max_newer": 0},
			"c-a": {"subject": "c", "reference": "a", "scope": "cluster", "max_newer": 0},
			"d-e": {"subject": "d", "reference": "e", "scope": "cluster", "max_older": 3, "max_older_during_upgrade": 0},
			"e-d": {"subject": "e", "reference": "d", "scope": "cluster", "max_older": 0}
		},
		"requirement_rules": {
			"p-q": {"when": {"component": "p", "version": ">= 1.2.3"}, "require": {"component": "q", "version": ">= 1.2"}},
			"q-p": {"when": {"component": "q", "version": ">= 1.2"}, "require": {"component": "p", "version": ">= 1.2.3"}},
			"r-s": {"when": {"component": "r", "version": ">= 1.2"}, "require": {"component": "s", "version": ">= 1.2.3"}},
			"s-r": {"when": {"component": "s", "version": ">= 1.2.3"}, "require": {"component": "r", "version": ">= 1.2"}}
		}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, tt := range []struct {
		policy   *policy.Policy
		from, to string
	}{
		{free, "managed: 1.23; node_pools.a: kubelet=1.21", "managed: 1.24; node_pools.a: kubelet=1.24"},
		{free, "managed: 1.30; node_pools.a: kubelet=1.28.1", "managed: 1.32; node_pools.a: kubelet=1.31.1"},
		{free, "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.29", "control_plane.a: kube-apiserver=1.33 kube-scheduler=1.33"},
		{cycles, "components.a.0: a=1.1; components.b.0: b=1.1; components.c.0: c=1.1", "components.a.0: a=1.2; components.b.0: b=1.2; components.c.0: c=1.2"},
		{cycles, "components.e.0: e=1.1; components.d.0: d=1.1", "components.e.0: e=1.2; components.d.0: d=1.2"},
		{cycles, "components.p.0: p=1.2.1; components.q.0: q=1.1.0", "components.p.0: p=1.2.3; components.q.0: q=1.2.0"},
		{cycles, "components.r.0: r=1.1.0; components.s.0: s=1.2.1", "components.r.0: r=1.2.0; components.s.0: s=1.2.3"},
	} {
		describe(t, &b, tt.policy, tt.from, tt.to)
	}
	golden(t, "orders.txt", b.String())
}

// TestAdvice does the same for advisories.
func TestAdvice(t *testing.T) {
	var b strings.Builder
	for _, tt := range []struct{ from, to, day string }{
		{"", "managed: 1.31.2", "2025-10-01"},
		{"", "managed: 1.31.2", "2025-11-11"},
		{"", "managed: 1.31.2", "2026-11-20"},
		{"", "managed: 1.37.1", "2027-10-01"},
		{"", "managed: 1.31.2; node_pools.a: kubelet=1.31.0-rc.1; node_pools.b: kubelet=1.28.15", "2024-09-15"},
		{"managed: 1.30.4; node_pools.a: kubelet=1.30.4", "managed: 1.31.2; node_pools.a: kubelet=1.31.2", "2024-09-15"},
		{"", "managed: 1.31.2; node_pools.a: kubelet=1.28.15 kube-proxy=1.28.15; node_pools.b: kubelet=1.31.0-rc.1 kube-proxy=1.31.0-rc.1", "2024-09-15"},
		{"managed: 1.31.2; node_pools.a: kubelet=1.29.1 kube-proxy=1.29.1", "managed: 1.31.2; node_pools.a: kubelet=1.30.2 kube-proxy=1.30.2", "2024-09-15"},
	} {
		in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Day: skewtest.Date(t, tt.day)}
		in.Cluster.Webhooks = map[string]string{"exact": "Exact", "open": ""}
		fmt.Fprintf(&b, "# on %s: ", tt.day)
		if tt.from != "" {
			from := skewtest.Cluster(t, tt.from)
			in.Observed = &from
			fmt.Fprintf(&b, "%s\n# to ", tt.from)
		}
		fmt.Fprintf(&b, "%s\n\n", tt.to)
		findings := evaluation.Check(in).Findings()
		for _, p := range finding.Problems(findings) {
			fmt.Fprintf(&b, "%s: %s\n\n%s\n\n", p.Findings[0].Severity, report.DescribeProblem(p).Summary, report.Diagnostic(p).Message)
		}
	}
	golden(t, "advice.txt", b.String())
}

// describe writes the findings of a cluster, or of a step.
func describe(t *testing.T, b *strings.Builder, p *policy.Policy, fromText, toText string) {
	t.Helper()
	in := evaluation.Input{Policy: p, Cluster: skewtest.Cluster(t, toText)}
	b.WriteString("# ")
	if fromText != "" {
		from := skewtest.Cluster(t, fromText)
		in.Observed = &from
		fmt.Fprintf(b, "%s\n# to ", fromText)
	}
	fmt.Fprintf(b, "%s\n\n", toText)
	findings := evaluation.Check(in).Findings()
	for _, p := range finding.Problems(findings) {
		fmt.Fprintf(b, "%s: %s\n\n%s\n\n", p.Findings[0].Severity, report.DescribeProblem(p).Summary, report.Diagnostic(p).Message)
	}
}

// TestMarkdown compares pages of evaluations with golden files.
func TestMarkdown(t *testing.T) {
	from := skewtest.Cluster(t, "managed: 1.30.4; node_pools.general: kubelet=1.30.4 kube-proxy=1.30.4; node_pools.gpu: kubelet=1.28.15")
	sound := skewtest.Cluster(t, "managed: 1.31.0; node_pools.general: kubelet=1.31.0 kube-proxy=1.31.0; node_pools.gpu: kubelet=1.28.15; node_pools.new: kubelet=1.31.0")
	golden(t, "sound.md", report.Markdown(evaluation.Evaluate(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: sound, Observed: &from})))
	unsound := skewtest.Cluster(t, "managed: 1.31.0; node_pools.gpu: kubelet=1.27.16; node_pools.<b>a|`b`*: kubelet=1.32; kubectl.0: kubectl=1.33.1; kubectl.1: kubectl=1.29")
	golden(t, "unsound.md", report.Markdown(evaluation.Evaluate(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: unsound, Observed: &from})))
	waived := evaluation.Input{
		Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.31.0; node_pools.a: kubelet=1.27.16"),
		Waivers: []finding.Waiver{{Name: "w", RuleID: "kubelet-apiserver", Reason: "We know."}},
	}
	golden(t, "waived.md", report.Markdown(evaluation.Evaluate(waived)))
	golden(t, "no-control-plane.md", report.Markdown(evaluation.Evaluate(evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "node_pools.a: kubelet=1.31")})))
}

// TestMarkdownOfHiddenComponents checks that the upgrade order on a platform that upgrades
// the control plane names the API servers, and no other component that the platform upgrades.
func TestMarkdownOfHiddenComponents(t *testing.T) {
	from, to := skewtest.Cluster(t, "managed: 1.33; node_pools.a: kubelet=1.33"), skewtest.Cluster(t, "managed: 1.34; node_pools.a: kubelet=1.34")
	page := report.Markdown(evaluation.Evaluate(evaluation.Input{Policy: skewtest.Extended(t, "eks", "{}"), Cluster: to, Observed: &from}))
	_, order, _ := strings.Cut(page, "Upgrade order")
	var components []string
	for line := range strings.Lines(order) {
		if cells := strings.Split(line, " | "); len(cells) > 1 {
			components = append(components, cells[1])
		}
	}
	if diff := cmp.Diff([]string{"Component", "---", "kube-apiserver", "kubelet"}, components); diff != "" {
		t.Errorf("components of the upgrade order (-want +got):\n%s", diff)
	}
}

// TestMarkdownOfSingleFinding formats one finding of a rule without a source, and one
// move.
func TestMarkdownOfSingleFinding(t *testing.T) {
	p, err := policy.Extend(skewtest.Kubernetes(t), `{"name": "ours", "skew_rules": {"istiod-apiserver": {"subject": "istiod", "reference": "kube-apiserver", "scope": "cluster", "max_older": 4, "severity": "warning"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	from := skewtest.Cluster(t, "managed: 1.31.2; components.istiod.0: istiod=1.22")
	to := skewtest.Cluster(t, "managed: 1.31.2; components.istiod.0: istiod=1.23")
	golden(t, "one.md", report.Markdown(evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: to, Observed: &from})))
}

// TestMarkup checks that names with special characters do not change the structure of
// a page.
func TestMarkup(t *testing.T) {
	const odd = "a|`b`](<c>)*\\nd"
	p, err := policy.Parse(`{"name": "` + odd + `", "title": "` + odd + `", "description": "` + odd + `", "source": "https://example.com/` + odd + `",
		"skew_rules": {"` + odd + `": {"subject": "kubelet", "reference": "kube-apiserver", "scope": "cluster", "max_older": 3, "source": "https://example.com/` + odd + `", "read_on": "` + odd + `", "reason": "` + odd + `"}},
		"advisories": {"` + odd + `2": {"check": "minor_move", "note": "` + odd + `", "source": "https://example.com/` + odd + `"}},
		"not_covered": {"` + odd + `": {"what": "` + odd + `", "source": "https://example.com/` + odd + `"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	cluster := skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.27")
	plan := upgrade.Request{Policy: p, Cluster: cluster, Target: skewtest.Version(t, "1.31")}
	golden(t, "markup.md", strings.Join([]string{
		report.Markdown(evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: cluster})),
		report.PolicyMarkdown(p, evaluation.AllowedTable{}),
		report.PlanMarkdown(plan, evaluation.Plan(plan)),
	}, "\n"))
}

// TestPolicy formats a policy with own and inherited rules.
func TestPolicy(t *testing.T) {
	base, err := policy.Builtin("gke")
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Extend(base, `{
		"name": "ours",
		"skew_rules": {"kubelet-apiserver": {"max_older": 1, "reason": "We say so."}},
		"requirement_rules": {"cilium": {"when": {"component": "kube-apiserver", "version": ">= 1.36"}, "require": {"component": "cilium", "version": ">= 1.18"}}},
		"step_rules": {"cilium-step": {"component": "cilium", "max_upgrade": 1}}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "policy.md", report.PolicyMarkdown(p, evaluation.Allowed(p, []version.Version{skewtest.Version(t, "1.35"), skewtest.Version(t, "1.36")}, p.MovedComponents())))
}

// TestPlan compares pages of plans with golden files.
func TestPlan(t *testing.T) {
	versions := func(all ...string) []version.Version {
		var list []version.Version
		for _, s := range all {
			list = append(list, skewtest.Version(t, s))
		}
		return list
	}
	for name, r := range map[string]upgrade.Request{
		"plan.md": {
			Cluster: skewtest.Cluster(t, `control_plane.cp-0: kube-apiserver=1.30.4 kube-controller-manager=1.30.4 kube-scheduler=1.30.4 kubelet=1.30.4;
				node_pools.general: kubelet=1.30.4 kube-proxy=1.30.4; node_pools."<b>": kubelet=1.26.15; kubectl.0: kubectl=1.30.1`),
			Target: skewtest.Version(t, "1.32"), Available: versions("1.30.9", "1.31.4", "1.32.0", "1.32.1"),
		},
		// A managed control plane, and a node pool with an empty name.
		"plan-managed.md": {Cluster: skewtest.Cluster(t, "managed: 1.30; node_pools.: kubelet=1.30; node_pools.a: kubelet=1.30"), Target: skewtest.Version(t, "1.31")},
		"plan-held.md": {
			Cluster: skewtest.Cluster(t, "managed: 1.30; node_pools.a: kubelet=1.28 kube-proxy=1.28; node_pools.b: kubelet=1.30"),
			Target:  skewtest.Version(t, "1.34"), Held: []string{"a"},
		},
		"plan-nothing.md":       {Cluster: skewtest.Cluster(t, "managed: 1.31.2"), Target: skewtest.Version(t, "1.31")},
		"plan-back.md":          {Cluster: skewtest.Cluster(t, "managed: 1.31.2"), Target: skewtest.Version(t, "1.30")},
		"plan-not-available.md": {Cluster: skewtest.Cluster(t, "managed: 1.30.2"), Target: skewtest.Version(t, "1.33"), Available: versions("1.31.1", "1.33.0")},
	} {
		r.Policy = skewtest.Kubernetes(t)
		golden(t, name, report.PlanMarkdown(r, evaluation.Plan(r)))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s has changed; check the difference, then run go test ./internal/report -update:\n%s", file, diff)
	}
}
