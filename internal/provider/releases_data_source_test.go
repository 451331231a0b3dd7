// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

const releasesType = "versionskew_releases"

// TestReleases checks the status on some dates of https://kubernetes.io/releases/. 1.34 is
// supported until 2026-10-27, and 1.35 enters maintenance on 2026-12-28.
func TestReleases(t *testing.T) {
	s := serve(t, nil)
	status := func(minor string) func(object) string {
		return func(config object) string {
			got, diags := s.read(releasesType, config)
			expect(t, diags)
			return tfvalue.String(tfvalue.Fields(tfvalue.Fields(got["releases"])[minor])["status"])
		}
	}
	for _, tt := range []struct{ day, minor, want string }{
		{"2026-10-27", "1.34", "maintenance"},
		{"2026-10-28", "1.34", "end_of_life"},
		{"2026-12-27", "1.35", "supported"},
		{"2026-12-28", "1.35", "maintenance"},
		{"2026-08-25", "1.37", "unreleased"},
		{"2026-08-26", "1.37", "supported"},
		{"2099-01-01", "1.37", "end_of_life"},
	} {
		if got := status(tt.minor)(object{"as_of": tt.day}); got != tt.want {
			t.Errorf("%s on %s is %q, want %q", tt.minor, tt.day, got, tt.want)
		}
	}

	got, diags := s.read(releasesType, object{"as_of": "2026-11-20"})
	expect(t, diags)
	if latest := tfvalue.String(got["latest"]); latest != "1.37" || plain(got["supported"]) != `["1.35" "1.36" "1.37"]` {
		t.Errorf("the latest is %s, supported are %s", latest, plain(got["supported"]))
	}

	planned := func(minor, date string) bool {
		return tfvalue.Bool(tfvalue.Fields(tfvalue.Fields(got["releases"])[minor])[date+"_planned"])
	}
	if !planned("1.38", "release_date") || planned("1.37", "release_date") || !planned("1.37", "end_of_life") || planned("1.34", "end_of_life") {
		t.Errorf("the release of 1.38 and the end of life of 1.37 are planned: %s", plain(got["releases"]))
	}

	// Additional releases correct the calendar and add to it.
	got, diags = s.read(releasesType, object{"as_of": "2026-12-20", "additional_releases": object{
		"1.34": object{"end_of_life": "2026-12-24"},
		"1.38": object{"release_date": "2026-12-16", "end_of_life": "2028-02-29", "end_of_life_planned": true, "latest_patch": "1.38.0"},
	}})
	expect(t, diags)
	if planned("1.38", "release_date") || !planned("1.38", "end_of_life") {
		t.Errorf("only the added end of life of 1.38 is planned: %s", plain(got["releases"]))
	}
	if latest := tfvalue.String(got["latest"]); latest != "1.38" || plain(got["supported"]) != `["1.34" "1.35" "1.36" "1.37" "1.38"]` {
		t.Errorf("with additional releases, the latest is %s, supported are %s", latest, plain(got["supported"]))
	}
	if row := tfvalue.Fields(tfvalue.Fields(got["releases"])["1.34"]); tfvalue.String(row["release_date"]) != "2025-08-27" {
		t.Errorf("correcting one date of 1.34 changed another: %v", row)
	}
}

func TestReleasesReportsInvalidInput(t *testing.T) {
	s := serve(t, nil)
	_, diags := s.read(releasesType, object{"as_of": "today", "additional_releases": object{"latest": object{}, "1.38": object{"release_date": "2026-13-01", "latest_patch": "x"}}})
	expect(t, diags, `error at additional_releases["1.38"]: Invalid date "2026-13-01"`, `error at additional_releases["1.38"]: Invalid version "x"`, `error at additional_releases["latest"]: Invalid version "latest"`, `error at as_of: Invalid date "today"`)
	_, diags = s.read(releasesType, object{"as_of": "1800-01-01"})
	expect(t, diags, `error at as_of: Invalid date "1800-01-01"`)
	_, diags = s.read(releasesType, object{"additional_releases": object{"1.37": object{"end_of_life": "2020-01-01"}}})
	expect(t, diags, "error at additional_releases: Invalid releases")
	if !strings.Contains(diags[0].Detail, "1.37") {
		t.Errorf("the detail does not name the release: %q", diags[0].Detail)
	}
}
