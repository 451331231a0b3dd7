// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// platform returns a policy with additional fields.
func platform(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse(`{"extends": "kubernetes", ` + text + `}`)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// endOfLife returns the text of the end-of-life finding on a managed control plane.
func endOfLife(t *testing.T, p *policy.Policy, controlPlane, day string) string {
	t.Helper()
	v, err := p.Scheme.Parse(controlPlane)
	if err != nil {
		t.Fatal(err)
	}
	on, err := releases.ParseDate(day)
	if err != nil {
		t.Fatal(err)
	}
	findings := evaluation.Check(evaluation.Input{Policy: p, Day: on, Cluster: skew.Cluster{Places: []skew.Place{{
		Location: finding.AtAttribute(finding.ControlPlaneVersion), Instances: []skew.Instance{{Component: skew.APIServer, Version: v}},
	}}}}).Findings()
	for _, f := range findings {
		if _, ok := f.Cause.(*finding.EndOfLife); ok {
			d := report.Describe(f)
			return d.Summary + "|" + d.Message + "|" + d.Remedy
		}
	}
	return ""
}

// TestEndOfLifeOfPlatform checks that a policy with dates, which can be inherited or
// empty, uses only these.
func TestEndOfLifeOfPlatform(t *testing.T) {
	dates := `"releases": {
		"1.32": {"end_of_life": "2026-03-23", "end_of_extended_support": "2027-03-23"},
		"1.33": {"end_of_life": "2026-07-29", "end_of_extended_support": "2027-07-29"},
		"1.34": {"end_of_life": "2026-12-02"},
		"1.35": {"end_of_life": "2027-03-27"},
		"1.36": {"release_date": "2027-01-10", "end_of_life": "2028-03-27"},
		"1.37": {"release_date": "2028-03-10", "end_of_life": "2028-12-01", "end_of_extended_support": "2029-12-01", "end_of_extended_support_planned": true},
		"1.38": {"release_date": "2029-03-10", "end_of_life": "2029-12-24", "end_of_life_planned": true, "source": "https://example.com", "read_from": "a calendar"}}`
	own := platform(t, dates)
	inherited, err := policy.Extend(own, `{"disabled_rules": ["kubectl-apiserver"]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ version, day, want string }{
		{"1.32", "2026-01-01", ""},
		{"1.32", "2026-03-20", "kube-apiserver 1.32 reaches the end of standard support on 2026-03-23|Standard support for 1.32 ends on 2026-03-23 (3 days left). Extended support ends on 2027-03-23 (368 days left).|Plan the upgrade to 1.33 or later."},
		{"1.32", "2026-06-20", "kube-apiserver 1.32 is in extended support until 2027-03-23|Standard support for 1.32 ended on 2026-03-23. Extended support ends on 2027-03-23 (276 days left).|Plan the upgrade to 1.34 or later."},
		{"1.32", "2027-04-01", "kube-apiserver 1.32 reached the end of extended support on 2027-03-23|Extended support ended on 2027-03-23.|Plan the upgrade to 1.36 or later."},
		{"1.34", "2026-11-21", "kube-apiserver 1.34 reaches its end of life on 2026-12-02|Support for 1.34 ends on 2026-12-02 (11 days left).|Plan the upgrade to 1.35 or later."},
		{"1.36", "2028-05-01", "kube-apiserver 1.36 reached its end of life on 2028-03-27||Plan the upgrade to 1.37 or later."},
		{"1.37", "2028-11-20", "kube-apiserver 1.37 reaches the end of standard support on 2028-12-01|Standard support for 1.37 ends on 2028-12-01 (11 days left). Extended support is planned to end on 2029-12-01 (376 days left).|Plan the upgrade to a supported minor version."},
		{"1.37", "2029-11-30", "kube-apiserver 1.37 is in extended support, planned to end on 2029-12-01|Extended support is planned to end on 2029-12-01 (1 day left).|Plan the upgrade to 1.38 or later."},
		{"1.38", "2029-12-20", "kube-apiserver 1.38 reaches its end of life, planned for 2029-12-24|Support for 1.38 is planned to end on 2029-12-24 (4 days left). The dates are as quoted by a calendar.|"},
		{"1.38", "2029-12-25", "kube-apiserver 1.38 reached its end of life, planned for 2029-12-24|Support for 1.38 was planned to end on 2029-12-24. The dates are as quoted by a calendar.|"},
		{"1.20", "2026-11-21", ""}, // no date is known
	} {
		for _, p := range []*policy.Policy{own, inherited} {
			got := endOfLife(t, p, tt.version, tt.day)
			if tt.want == "" && got != "" {
				t.Errorf("%s on %s: %s", tt.version, tt.day, got)
			}
			for part := range strings.SplitSeq(tt.want, "|") {
				if !strings.Contains(got, part) {
					t.Errorf("%s on %s: %s, want %s", tt.version, tt.day, got, part)
				}
			}
		}
		if got := endOfLife(t, platform(t, `"releases": {}`), tt.version, tt.day); got != "" {
			t.Errorf("without dates, %s on %s: %s", tt.version, tt.day, got)
		}
	}
	if got := endOfLife(t, platform(t, `"releases": {"1.20": {"end_of_extended_support": "2026-11-30"}}`), "1.20", "2026-11-21"); !strings.Contains(got, "reaches its end of life on 2026-11-30") {
		t.Errorf("with only extended support: %s", got)
	}
}

// TestSourceOfEndOfLife checks that a finding names the source of the dates that it
// uses.
func TestSourceOfEndOfLife(t *testing.T) {
	for _, tt := range []struct{ name, policy, want string }{
		{"release", `"source": "https://example.com/policy", "releases": {"1.34": {"end_of_life": "2026-12-02", "source": "https://example.com/dates"}}`, "https://example.com/dates"},
		{"policy", `"source": "https://example.com/policy", "releases": {"1.34": {"end_of_life": "2026-12-02"}}`, "https://example.com/policy"},
		{"upstream", `"source": "https://example.com/policy"`, "https://kubernetes.io/releases/patch-releases/#support-period"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: platform(t, tt.policy), Day: skewtest.Date(t, "2026-11-21"), Cluster: skewtest.Cluster(t, "managed: 1.34")}
			if tt.name == "upstream" {
				in.Cluster = skewtest.Cluster(t, "managed: 1.29")
			}
			findings := evaluation.Check(in).Findings()
			found := false
			for _, f := range findings {
				if _, ok := f.Cause.(*finding.EndOfLife); ok {
					found = true
					if got := report.Diagnostic(finding.Problem{Findings: []finding.Finding{f}}).Message; !strings.HasSuffix(got, "Rule end-of-life: "+tt.want) {
						t.Errorf("%s\nwant the source %s", got, tt.want)
					}
				}
			}
			if !found {
				t.Error("got no end-of-life finding")
			}
		})
	}
}

// TestEndOfLifeUpstream checks that a policy without dates uses those of upstream, and
// that the remedy names a supported minor.
func TestEndOfLifeUpstream(t *testing.T) {
	kubernetes, err := policy.Builtin("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	day, err := releases.ParseDate("2026-11-21")
	if err != nil {
		t.Fatal(err)
	}
	got := endOfLife(t, kubernetes, "1.29", day.String())
	if !strings.Contains(got, "kube-apiserver 1.29 reached its end of life on 2025-02-28 (control_plane_version)|") || !strings.HasSuffix(got, "Plan the upgrade to 1.35 or later.") {
		t.Errorf("got %s", got)
	}
}

// TestSupportedMinors checks that a policy with support dates uses only these, even if
// none of its minors is in support. A policy without any uses those of upstream.
func TestSupportedMinors(t *testing.T) {
	day := skewtest.Date(t, "2026-11-21")
	upstream := releases.Embedded().Supported(day)
	minor := func(m int) version.Minor { return version.Minor{Major: 1, Minor: m} }
	for _, tt := range []struct {
		name, releases string
		want           []version.Minor
	}{
		{"some in support", `{"1.29": {"end_of_life": "2026-01-01"}, "1.30": {"end_of_life": "2026-01-01", "end_of_extended_support": "2027-01-01"}, "1.31": {"end_of_life": "2027-01-01"}, "1.32": {"release_date": "2027-01-01"}, "1.33": {}}`, []version.Minor{minor(30), minor(31)}},
		{"none in support", `{"1.29": {"end_of_life": "2026-01-01"}}`, nil},
		{"none in support yet", `{"1.40": {"release_date": "2027-06-01", "end_of_life": "2028-06-01"}}`, nil},
		{"no end of support", `{"1.32": {"release_date": "2026-01-01"}, "1.33": {}}`, upstream},
		{"no releases", `{}`, upstream},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := evaluation.SupportedMinors(platform(t, `"releases": `+tt.releases), day); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	kubernetes, err := policy.Builtin("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluation.SupportedMinors(kubernetes, day); len(upstream) == 0 || fmt.Sprint(got) != fmt.Sprint(upstream) {
		t.Errorf("kubernetes: got %v, want %v", got, upstream)
	}
}

// TestEndOfLifeInOtherNumbering checks that dates and remedies use the version scheme
// of the policy.
func TestEndOfLifeInOtherNumbering(t *testing.T) {
	p := platform(t, `"version_scheme": "openshift", "releases": {"4.19": {"end_of_life": "2026-12-01"}, "4.20": {"end_of_life": "2027-10-21"}}`)
	got := endOfLife(t, p, "4.19.3", "2026-11-21")
	if !strings.Contains(got, "kube-apiserver 4.19 (1.32) reaches its end of life on 2026-12-01 (control_plane_version)|") || !strings.HasSuffix(got, "Plan the upgrade to 4.20 (1.33) or later.") {
		t.Errorf("got %s", got)
	}
}
