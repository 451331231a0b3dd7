// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// TestChangesLevel checks that with enforcement_level "changes", violations from before a
// plan do not fail it, and those that the plan adds or makes worse do.
func TestChangesLevel(t *testing.T) {
	at := func(severity, name, version string) string {
		return severity + ` at node_pools["` + name + `"]: kubelet 1.27 is too old for kube-apiserver ` + version
	}
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}
	wider := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27"), "new": pool("1.27")}}
	for name, tt := range map[string]struct {
		prior, config object
		want          []string
	}{
		"nothing before":      {nil, broken, []string{at("warning", "gpu", "1.31")}},
		"unchanged":           {broken, broken, []string{at("warning", "gpu", "1.31")}},
		"as observed":         {nil, with(broken, "observed", broken), []string{at("warning", "gpu", "1.31")}},
		"worse":               {broken, with(broken, "control_plane_version", "1.32"), []string{at("error", "gpu", "1.32")}},
		"one pool more":       {broken, wider, []string{at("error", "new", "1.31"), at("warning", "gpu", "1.31")}},
		"another cluster":     {with(broken, "cluster_id", "a"), with(wider, "cluster_id", "b"), []string{at("warning", "gpu", "1.31")}},
		"a skipped minor":     {object{"control_plane_version": "1.30"}, object{"control_plane_version": "1.32"}, []string{"error at control_plane_version: " + notSkipped}},
		"an unknown observed": {broken, with(wider, "observed", unknown), []string{at("warning", "gpu", "1.31"), notAllYet}},
	} {
		t.Run(name, func(t *testing.T) {
			prior := tt.prior
			if prior != nil {
				prior = with(prior, "enforcement_level", "changes")
			}
			_, diags := serve(t, nil).plan(with(tt.config, "enforcement_level", "changes"), prior)
			expect(t, diags, tt.want...)
		})
	}
}

// TestValuesFromElsewhere checks that a plan and a read reject values that validation did not
// know, and that no other message reports.
func TestValuesFromElsewhere(t *testing.T) {
	s := serve(t, nil)
	cp := object{"control_plane_version": "1.31"}
	for attribute, value := range map[string]string{"enforcement_level": "warn", "apply_order": "random", "as_of": "today"} {
		what := "Invalid " + attribute
		if attribute == "as_of" {
			what = "Invalid date"
		}
		_, diags := s.plan(with(cp, attribute, value), nil)
		if len(diags) != 1 || !strings.HasPrefix(diags[0].Summary, what) {
			t.Errorf("the plan with %s = %q reports %v", attribute, value, texts(diags))
		}
	}
	_, diags := s.read(upgradePlanType, with(with(cp, "target_version", "1.32"), "strategy", "some"))
	expect(t, diags, `error at strategy: Invalid strategy "some"`)
	_, diags = s.read(releasesType, object{"as_of": "today"})
	expect(t, diags, `error at as_of: Invalid date "today"`)
	_, diags = s.read(upgradePlanType, cp)
	expect(t, diags, "error at target_version: Missing target_version")
}
