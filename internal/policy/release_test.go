// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// dates formats the releases of a policy. It returns "upstream" if the upstream dates
// apply.
func dates(p *Policy) string {
	if p.Releases == nil {
		return "upstream"
	}
	all := []string{}
	for _, r := range p.Releases {
		words := []string{r.Version.String()}
		add := func(d releases.Date, planned bool) {
			words = append(words, d.String())
			if planned {
				words = append(words, "planned")
			}
		}
		add(r.EndOfLife, r.EndOfLifePlanned)
		add(r.EndOfExtendedSupport, r.EndOfExtendedSupportPlanned)
		all = append(all, strings.Join(strings.Fields(strings.Join(append(words, r.Source, r.ReadFrom), " ")), " "))
	}
	return strings.Join(all, ", ")
}

// TestReleases checks that dates are inherited field by field, and that they survive a
// round trip through JSON.
func TestReleases(t *testing.T) {
	for base, children := range map[string]map[string]string{
		`{}`: {
			`{}`:                 "upstream",
			`{"releases": null}`: "upstream",
			`{"releases": {}}`:   "",
			`{"releases": {"1.33": {"end_of_life": "2026-07-29T23:30:00-02:00"}, "1.9": {}}}`: "1.9, 1.33 2026-07-30",
		},
		`{"releases": {}}`: {`{}`: ""},
		`{"releases": {"1.33": {"end_of_life": "2026-07-29"}}}`: {
			`{}`: "1.33 2026-07-29",
			`{"releases": {"1.33": {"end_of_extended_support": "2027-07-29"}}}`:                            "1.33 2026-07-29 2027-07-29",
			`{"releases": {"1.34": {"end_of_life": "2026-12-02"}, "1.33": {"end_of_life": "2026-08-01"}}}`: "1.33 2026-08-01, 1.34 2026-12-02",
		},
		// A date is planned until it is set again. Another date does not have the same source.
		`{"releases": {"1.33": {"end_of_life": "2026-07-29", "end_of_life_planned": true, "source": "https://a", "read_on": "2026-01-01", "read_from": "B"}}}`: {
			`{}`: "1.33 2026-07-29 planned https://a B",
			`{"releases": {"1.33": {"end_of_extended_support": "2027-07-29", "end_of_extended_support_planned": true}}}`: "1.33 2026-07-29 planned 2027-07-29 planned",
			`{"releases": {"1.33": {"end_of_life": "2026-07-30"}}}`:                                                      "1.33 2026-07-30",
			`{"releases": {"1.33": {"end_of_life": "2026-07-29", "source": "https://c"}}}`:                               "1.33 2026-07-29 https://c",
		},
	} {
		for child, want := range children {
			b, err := Parse(base)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Extend(b, child)
			if err != nil {
				t.Errorf("%s: %v", child, err)
				continue
			}
			again, err := Parse(p.ResolvedJSON())
			if err != nil {
				t.Fatal(err)
			}
			if got, back := dates(p), dates(again); got != want || back != want {
				t.Errorf("%s on %s: %q, after a round trip %q; want %q", child, base, got, back, want)
			}
		}
	}
}

func TestReleaseErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"1.33": {"end_of_life": "tomorrow"}}`:                                 `releases.1.33.end_of_life: invalid date "tomorrow". Write YYYY-MM-DD, such as "2026-11-20"`,
		`{"1.33": {"end_of_life": "1867-01-01"}}`:                               `releases.1.33.end_of_life: invalid date "1867-01-01". Write a date from 1900-01-01 on`,
		`{"1.33": {"end_of_life": 2026}}`:                                       `releases.1.33.end_of_life: 2026 is not a string. Write it in quotes`,
		`{"1.33": {"eol": "2026-11-20"}}`:                                       `releases.1.33.eol: unknown field. Use one of the known fields: end_of_extended_support, end_of_extended_support_planned, end_of_life, end_of_life_planned, moved_from, read_from, read_on, release_date, release_date_planned, source`,
		`{"1.33": {"end_of_life_planned": true}}`:                               `releases.1.33.end_of_life_planned: end_of_life is not set. Set it, or remove end_of_life_planned`,
		`{"1.33.1": {}}`:                                                        `releases.1.33.1: "1.33.1" is not a minor version. Use keys such as "1.33"`,
		`{"latest": {}}`:                                                        `releases.latest: "latest" is not a minor version. Use keys such as "1.33"`,
		`{"1.33": {"release_date": "2026-02-01", "end_of_life": "2026-01-01"}}`: `releases.1.33.end_of_life: 2026-01-01 is before the release on 2026-02-01. Correct one of the dates`,
		`{"1.33": {"end_of_life": "2026-02-01", "end_of_extended_support": "2026-01-01"}}`: `releases.1.33.end_of_extended_support: 2026-01-01 is before the end of life on 2026-02-01. Correct one of the dates`,
	} {
		if _, err := Parse(`{"releases": ` + text + `}`); err == nil || err.Error() != want {
			t.Errorf("%s: error %v; want %s", text, err, want)
		}
	}
}

// TestReleaseOf checks that the declared release applies if two releases share a minor.
// OpenShift 4.23 and 5.0 both run Kubernetes 1.36.
func TestReleaseOf(t *testing.T) {
	p, err := Parse(`{"version_scheme": "openshift", "releases": {"5.0": {"end_of_life": "2028-01-01"}, "4.23": {"end_of_life": "2029-01-01"}, "4.20": {"end_of_life": "2027-01-01"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"4.23.1": "2029-01-01", "5.0.2": "2028-01-01", "1.36": "2028-01-01", "1.33.4": "2027-01-01", "4.20": "2027-01-01", "4.21": "none"} {
		v, err := p.Scheme.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if r := p.ReleaseOf(v); r != nil {
			got = r.EndOfLife.String()
		}
		if got != want {
			t.Errorf("%s ends on %s, want %s", text, got, want)
		}
	}
	if _, err := Parse(`{"version_scheme": "openshft"}`); err == nil || err.Error() != `version_scheme: unknown version scheme "openshft" (did you mean "openshift"?). Use one of "openshift"` {
		t.Errorf("got %v", err)
	}
	if _, err := Parse(`{"version_scheme": "openshift", "releases": {"4.20.1": {}}}`); err == nil {
		t.Error("a release with a patch is accepted")
	}
}
