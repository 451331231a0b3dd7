// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report/svg/svgtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func TestAllowedVersionsSVG(t *testing.T) {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, row := range svgtest.Rows(t, allowedVersionsSVG(p, version.Minor{Major: 1, Minor: 37})) {
		rows[row.Label] = strings.Join(row.Cells, " ")
	}
	want := map[string]string{
		"Versions allowed next to kube-apiserver 1.37": "",
		"1.33":                     "1.34 1.35 1.36 1.37 1.38", // the columns
		"kubelet":                  "1.34 1.35 1.36 1.37",
		"kube-proxy":               "1.34 1.35 1.36 1.37",
		"kube-controller-manager":  "1.36 1.37",
		"kube-scheduler":           "1.36 1.37",
		"cloud-controller-manager": "1.36 1.37",
		"kubectl":                  "1.36 1.37 1.38",
		"allowed":                  "",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows of the picture (-want +got):\n%s", diff)
	}
}

// TestFlows checks that all colors of the other pictures are visible everywhere.
func TestFlows(t *testing.T) {
	for name, picture := range map[string]string{"checked": checksSVG(), "fleet": fleetSVG()} {
		if len(svgtest.Rows(t, picture)) < 4 {
			t.Errorf("%s has no text", name)
		}
	}
}
