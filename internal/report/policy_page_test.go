// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

// TestPolicyPageOfCompatibilityTable checks that rules which require a version of another
// component become a table, with the newest version first, and other rules a list.
func TestPolicyPageOfCompatibilityTable(t *testing.T) {
	const rule = `"when": {"component": "mesh", "version": "%s"}, "require": {"component": "kube-apiserver", "version": "%s"}, "source": "https://example.com/m"`
	requirement := func(when, require, more string) string {
		return "{" + strings.Replace(strings.Replace(rule, "%s", when, 1), "%s", require, 1) + more + "}"
	}
	table := func(more string) string {
		return `"mesh-1-9": ` + requirement(">= 1.9, < 1.10", ">= 1.28, < 1.31", more) + `, "mesh-1-10": ` + requirement(">= 1.10, < 1.11", ">= 1.30, < 1.32", more) +
			`, "mesh-1-11": ` + requirement(">= 1.11, < 1.12", ">= 1.31", `, "other_reading": "Nobody agrees."`)
	}
	for name, test := range map[string]struct {
		changes    string
		want, lack []string
	}{
		"errors": {`"requirement_rules": {` + table("") + `}`, []string{
			"What each mesh version requires. Each cell is a rule, with an ID such as `mesh-1-11`.\n",
			"| mesh | kube-apiserver | Source |\n| --- | --- | --- |\n| 1.11 | >= 1.31 | [source](https://example.com/m) |\n| 1.10 | 1.30 to 1.31 | [source](https://example.com/m) |\n| 1.9 | 1.28 to 1.30 |",
			"- `mesh-1-11`: Other sources differ: Nobody agrees.\n",
		}, nil},
		"different severities": {`"requirement_rules": {` + table(`, "severity": "warning"`) + `}`, []string{"| 1.10 | 1.30 to 1.31 (warning) |", "| 1.11 | >= 1.31 |"}, nil},
		"too few for a table":  {`"requirement_rules": {"m": ` + requirement(">= 1.9, < 1.10", ">= 1.28", "") + `}`, []string{"- `m`: mesh 1.9 requires kube-apiserver >= 1.28. ([source](https://example.com/m))\n"}, []string{"What each"}},
		"changes of the base": {`"disabled_rules": ["pre-release"], "skew_rules": {"kubelet-apiserver": {"reason": "We agree.", "source": "https://example.com/k"}}, "advisories": {"end-of-life": {"days": 90}}`, []string{
			"### What differs from kubernetes\n", "- `kubelet-apiserver`: Same limits. We agree. ([source](https://example.com/k))\n", "- Without `pre-release`.\n", "- `end-of-life` (warning): Reports kube-apiserver versions that are past their end of life, or will be within 90 days.",
			"[kubernetes](https://registry.terraform.io/providers/versionskew/versionskew/latest/docs/guides/policy-kubernetes)",
		}, []string{"kube-apiserver-ha", "latest-patch", "### Advisories"}},
	} {
		page := report.PolicyMarkdown(skewtest.Extended(t, "kubernetes", "{"+test.changes+"}"), evaluation.AllowedTable{})
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not contain %q:\n%s", name, want, page)
			}
		}
		for _, lack := range test.lack {
			if strings.Contains(page, lack) {
				t.Errorf("%s: the page contains %q:\n%s", name, lack, page)
			}
		}
	}
}

// TestReportLinks checks that built-in rules link to their entries in the documentation, and
// other rules to their sources.
func TestReportLinks(t *testing.T) {
	p, err := policy.Parse(`{"extends": "kubernetes", "skew_rules": {"kubelet-apiserver": {"max_older": 1}, "ours": {"subject": "istiod", "reference": "kube-apiserver", "scope": "cluster", "max_older": 1, "source": "https://example.com/ours"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	page := report.Markdown(evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: skewtest.Cluster(t, "managed: 1.36; node_pools.x: kubelet=1.33; components.istiod.0: istiod=1.30")}))
	for _, want := range []string{"([kubelet-apiserver](https://registry.terraform.io/providers/versionskew/versionskew/latest/docs/guides/troubleshooting#kubelet-apiserver))\n", "([ours](https://example.com/ours))\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not contain %q:\n%s", want, page)
		}
	}
}
