// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

// TestPolicyPageWithReleasesAndPacks checks that the page of a policy shows support
// dates and included packs, if the policy has any.
func TestPolicyPageWithReleasesAndPacks(t *testing.T) {
	p, err := policy.Parse(`{"extends": "kubernetes", "title": "Ours", "include": ["addons/cluster-autoscaler"], "version_scheme": "openshift", "releases": {
		"4.20": {"end_of_life": "2027-04-21", "end_of_extended_support": "2028-10-21", "source": "https://example.com/a|b", "read_on": "2026-11-21"}, "4.9": {}}}`)
	if err != nil {
		t.Fatal(err)
	}
	page := report.PolicyMarkdown(p, evaluation.AllowedTable{})
	for _, want := range []string{
		"Includes the add-on pack [addons/cluster-autoscaler](https://registry.terraform.io/providers/versionskew/versionskew/latest/docs/guides/addons#addonscluster-autoscaler).\n",
		"\n| Minor version | End of life | End of extended support | Source |\n| --- | --- | --- | --- |\n| 4.9 (1.22) |  |  |  |\n| 4.20 (1.33) | 2027-04-21 | 2028-10-21 | [source](",
		"), read 2026-11-21 |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %q:\n%s", want, page)
		}
	}
	kubernetes, err := policy.Builtin(policy.Default)
	if err != nil {
		t.Fatal(err)
	}
	if page := report.PolicyMarkdown(kubernetes, evaluation.AllowedTable{}); strings.Contains(page, "Support dates") || strings.Contains(page, "Includes") {
		t.Errorf("the page of kubernetes has dates or packs:\n%s", page)
	}
}
