// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// quietDay is more than 60 days before the end of life of 1.29 to 1.31.
const quietDay = "2024-09-15"

// TestEveryCheckIsMade checks that no kind of advisory is left out.
func TestEveryCheckIsMade(t *testing.T) {
	from := skewtest.Cluster(t, "managed: 1.30.0; node_pools.x: kubelet=1.28")
	in := evaluation.Input{Observed: &from, Cluster: skewtest.Cluster(t, "managed: 1.31.0-rc.1; node_pools.x: kubelet=1.28"), Day: skewtest.Date(t, "2040-02-29")}
	in.Cluster.Webhooks = map[string]string{"exact": "Exact"}
	in.Offered.ControlPlane = evaluation.OfferedList{Attribute: "available_versions", Versions: []version.Version{skewtest.Version(t, "1.30.14")}}
	for _, check := range policy.Checks {
		p := *skewtest.Kubernetes(t)
		p.Advisories = []*policy.Advisory{{ID: "only", Check: check, Note: "Read the changelog.", Notes: policy.Notes{Severity: policy.SeverityWarning}}}
		in.Policy = &p
		if !slices.ContainsFunc(evaluation.Check(in).Findings(), func(f finding.Finding) bool { return f.RuleID == "only" }) {
			t.Errorf("%s finds nothing", check)
		}
	}
}

// TestAdvisories checks the advisories and their summaries. The dates are from
// https://kubernetes.io/releases/ and its page on patch releases.
func TestAdvisories(t *testing.T) {
	for _, tt := range []struct {
		name, from, to, day string
		webhooks            map[string]string
		want                []string
	}{
		{"no advice", "", "managed: 1.31.2; node_pools.x: kubelet=1.30", quietDay, nil, nil},

		{"61 days before the end of life of 1.31", "", "managed: 1.31", "2025-09-11", nil, nil},
		{"60 days before the end of life of 1.31", "", "managed: 1.31", "2025-09-12", nil, []string{"warning end-of-life: kube-apiserver 1.31 reaches its end of life on 2025-11-11"}},
		{"on the day of the end of life of 1.31", "", "managed: 1.31", "2025-11-11", nil, []string{"warning end-of-life: kube-apiserver 1.31 reaches its end of life on 2025-11-11"}},
		{"a day after the end of life of 1.31", "", "managed: 1.31", "2025-11-12", nil, []string{"warning end-of-life: kube-apiserver 1.31 reached its end of life on 2025-11-11"}},
		{"support was shorter before 1.19", "", "managed: 1.16", "2020-09-03", nil, []string{"warning end-of-life: kube-apiserver 1.16 reached its end of life on 2020-09-02"}},
		{"a minor newer than the calendar is not unsupported", "", "managed: 1.99", "2040-02-29", nil, nil},
		{"the end of life of nodes is not reported", "", "node_pools.x: kubelet=1.20", "2026-11-20", nil, nil},
		{"two minors of a control plane", "", "control_plane.a: kube-apiserver=1.28; control_plane.b: kube-apiserver=1.29", "2025-03-01", nil, []string{
			"warning end-of-life: kube-apiserver 1.28 reached its end of life on 2024-10-22", "warning end-of-life: kube-apiserver 1.29 reached its end of life on 2025-02-28",
		}},

		{"a pre-release", "", "managed: 1.31; node_pools.x: kubelet=1.31.0-rc.1", quietDay, nil, []string{"warning pre-release: kubelet 1.31.0-rc.1 is a pre-release"}},
		{"a vendor's build is not a pre-release", "", "managed: 1.31; node_pools.x: kubelet=v1.31.2-eks-7f9249a", quietDay, nil, nil},

		{"a node three minors behind", "", "managed: 1.31; node_pools.x: kubelet=1.28; node_pools.y: kubelet=1.29", quietDay, nil, []string{"warning node-blocks-next-minor: kubelet 1.28 blocks upgrading the control plane to 1.32"}},
		{"a violation is not reported again as an advisory", "", "managed: 1.31; node_pools.x: kubelet=1.27", quietDay, nil, []string{"error kubelet-apiserver: kubelet 1.27 is too old for kube-apiserver 1.31"}},

		{"a minor without a published end of life", "", "managed: 1.1", quietDay, nil, nil},
		{"a client is not a node", "", "managed: 1.31; kubectl.0: kubectl=1.30", quietDay, nil, nil},
		{"a controller is not a node", "", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30", quietDay, nil, nil},
		{"one node violates a rule and another blocks the next minor", "", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.28", quietDay, nil, []string{
			"error kubelet-apiserver: kubelet 1.27 is too old for kube-apiserver 1.31", "warning node-blocks-next-minor: kubelet 1.28 blocks upgrading the control plane to 1.32",
		}},
		{"another component with the same version violates a rule", "", "managed: 1.31; kubectl.0: kubectl=1.28; node_pools.y: kubelet=1.28", quietDay, nil, []string{
			"error kubectl-apiserver: kubectl 1.28 is too old for kube-apiserver 1.31", "warning node-blocks-next-minor: kubelet 1.28 blocks upgrading the control plane to 1.32",
		}},

		{"a move to the next minor", "managed: 1.30.0; node_pools.x: kubelet=1.30", "managed: 1.31.0; node_pools.x: kubelet=1.31", quietDay, map[string]string{"exact": "Exact", "fine": "Equivalent", "open": ""}, []string{
			"warning admission-webhook-match-policy: An admission webhook may miss requests to kube-apiserver 1.31",
			"warning admission-webhook-match-policy: An admission webhook may miss requests to kube-apiserver 1.31",
			"info admission-webhook-resources: kube-apiserver moves from 1.30 to 1.31",
			"info kubelet-drain: kubelet moves from 1.30 to 1.31",
			"info latest-patch: kube-apiserver 1.30.0 is not the newest patch of 1.30",
		}},
		{"an upgrade from the newest known patch", "managed: 1.30.14", "managed: 1.31.0", quietDay, nil, []string{"info admission-webhook-resources: kube-apiserver moves from 1.30 to 1.31"}},
		{"an upgrade without declared patches", "managed: 1.30", "managed: 1.31", quietDay, nil, []string{"info admission-webhook-resources: kube-apiserver moves from 1.30 to 1.31"}},
		{"a move within a minor", "managed: 1.31.0", "managed: 1.31.2", quietDay, map[string]string{"exact": "Exact"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Day: skewtest.Date(t, tt.day)}
			in.Cluster.Webhooks = tt.webhooks
			if tt.from != "" {
				from := skewtest.Cluster(t, tt.from)
				in.Observed = &from
			}
			if got := describeFindings(in); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func describeFindings(in evaluation.Input) []string {
	findings := evaluation.Check(in).Findings()
	var all []string
	for _, f := range findings {
		summary := report.Describe(f).Summary
		summary = summary[:strings.LastIndex(summary, " (")] // without the locations
		all = append(all, fmt.Sprintf("%s %s: %s", f.Severity, f.RuleID, summary))
	}
	return all
}

// TestAdvisoryLocations checks that locations are sorted.
func TestAdvisoryLocations(t *testing.T) {
	in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "control_plane.b: kube-apiserver=1.31; control_plane.a: kube-apiserver=1.31"), Day: skewtest.Date(t, "2026-11-20")}
	findings := evaluation.Check(in).Findings()
	if len(findings) != 1 || fmt.Sprint(findings[0].Subject.Locations) != `[control_plane["a"] control_plane["b"]]` {
		t.Errorf("got %+v, want one finding on a and b", findings)
	}
}

// TestPolicyChangesAdvisories checks that a policy can change the severity of an
// advisory and disable it.
func TestPolicyChangesAdvisories(t *testing.T) {
	base := skewtest.Kubernetes(t)
	in := evaluation.Input{Cluster: skewtest.Cluster(t, "managed: 1.31.0-rc.1"), Day: skewtest.Date(t, "2026-01-01")}
	for text, want := range map[string][]string{
		`{"disabled_rules": ["pre-release"], "advisories": {"end-of-life": {"severity": "error"}}}`: {"error end-of-life: kube-apiserver 1.31 reached its end of life on 2025-11-11"},
		`{"disabled_rules": ["pre-release", "end-of-life"]}`:                                        nil,
	} {
		var err error
		if in.Policy, err = policy.Extend(base, text); err != nil {
			t.Fatal(err)
		}
		if got := describeFindings(in); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestOnlyUpgradesAreAdvised checks that only components that are too old are reported
// as blocking the next minor, because an upgrade would not help others.
func TestOnlyUpgradesAreAdvised(t *testing.T) {
	for _, text := range []string{
		`{"name": "unmet", "requirement_rules": {"x": {"when": {"component": "kubelet", "version": ">= 1.30"}, "require": {"component": "kube-apiserver", "version": "< 1.32"}}}}`,
		`{"name": "step", "step_rules": {"kube-apiserver-step": {"max_upgrade": 0}}, "advisories": {"node-blocks-next-minor": {"components": ["kube-apiserver"]}}}`,
	} {
		p, err := policy.Extend(skewtest.Kubernetes(t), text)
		if err != nil {
			t.Fatal(err)
		}
		in := evaluation.Input{Policy: p, Cluster: skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=1.31"), Day: skewtest.Date(t, "2024-09-15")}
		if blockers := finding.Findings(evaluation.Evaluate(in).Next.Blockers); len(blockers) != 1 {
			t.Errorf("%s: got %+v, want one blocker", p.Name, blockers)
		}
		if got := describeFindings(in); len(got) > 0 {
			t.Errorf("%s: got %q, want no advice", p.Name, got)
		}
	}
}

// TestOnlyEndOfLifeDependsOnDay checks that without waivers, evaluations on two days
// only differ in end-of-life findings.
func TestOnlyEndOfLifeDependsOnDay(t *testing.T) {
	from := skewtest.Cluster(t, "managed: 1.30.1; node_pools.x: kubelet=1.28")
	in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.31.0-rc.1; node_pools.x: kubelet=1.28; node_pools.y: kubelet=1.27"), Observed: &from}
	on := func(day string) []string {
		in.Day = skewtest.Date(t, day)
		findings := evaluation.Check(in).Findings()
		findings = slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.RuleID == "end-of-life" })
		var all []string
		for _, f := range findings {
			all = append(all, report.Diagnostic(finding.Problem{Findings: []finding.Finding{f}}).Message)
		}
		return all
	}
	in2015, in2040 := on("2015-01-01"), on("2040-01-01")
	if len(in2015) < 4 || !slices.Equal(in2015, in2040) {
		t.Errorf("in 2015:\n%q\nin 2040:\n%q", in2015, in2040)
	}
}
