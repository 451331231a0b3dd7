// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// TestOffered checks which versions have to be offered: those that a step sets or adds.
func TestOffered(t *testing.T) {
	running := object{"control_plane_version": "1.31.2", "node_pools": object{"a": pool("1.31.2")}, "cluster_id": "a"}
	next := with(running, "control_plane_version", "1.32.1")
	list := []any{"1.32.9", "1.33.4"}
	refused := "error at control_plane_version: kube-apiserver 1.32.1 is not offered"
	retired := []string{
		"error at control_plane_version: kube-apiserver 1.31.2 is not offered",
		`error at node_pools["a"]: kubelet 1.31.2 is not offered`,
	}
	for name, tt := range map[string]struct {
		prior, config object
		want          []string
	}{
		"no list":                          {running, next, nil},
		"a retired version that stays":     {running, with(running, "available_versions", list), nil},
		"a step to an offered version":     {running, with(with(running, "control_plane_version", "1.32.9"), "available_versions", list), nil},
		"a step to another patch":          {running, with(next, "available_versions", list), []string{refused}},
		"a new validation":                 {nil, with(running, "available_versions", list), retired},
		"a new validation with observed":   {nil, with(with(running, "available_versions", list), "observed", object{"control_plane_version": "1.31.2", "node_pools": object{"a": pool("1.31.2")}}), nil},
		"another cluster":                  {running, with(with(running, "cluster_id", "b"), "available_versions", list), retired},
		"an unknown cluster":               {running, with(with(next, "cluster_id", unknown), "available_versions", list), []string{notAllYet}},
		"an unknown start":                 {running, with(with(next, "observed", unknown), "available_versions", list), []string{notAllYet}},
		"an unknown list":                  {running, with(next, "available_versions", unknown), []string{notAllYet}},
		"an unknown element":               {running, with(next, "available_versions", []any{"1.33.4", unknown}), []string{notAllYet}},
		"an unknown list without a change": {running, with(running, "available_versions", unknown), []string{"warning at available_versions: The step is not fully checked"}},
		"an empty list":                    {running, with(next, "available_versions", []any{}), []string{"warning at available_versions: Not checked: available_versions is empty"}},
		"an invalid element":               {running, with(next, "available_versions", []any{"latest"}), []string{`error at available_versions[0]: Invalid version "latest"`}},
		"a null element":                   {running, with(next, "available_versions", []any{nil}), []string{"error at available_versions[0]: Missing version"}},
		"node pools have their own list": {
			running, with(with(with(running, "node_pools", object{"a": pool("1.31.3")}), "available_versions", []any{"1.31.3"}), "available_node_versions", list),
			[]string{`error at node_pools["a"]: kubelet 1.31.3 is not offered`},
		},
		"only the list of node pools": {running, with(next, "available_node_versions", list), nil},
		"without a before, it is only a warning": {nil, with(with(running, "available_versions", list), "enforcement_level", "changes"), []string{
			"warning at control_plane_version: kube-apiserver 1.31.2 is not offered", `warning at node_pools["a"]: kubelet 1.31.2 is not offered`,
		}},
		"the step brings it":     {running, with(with(next, "available_versions", list), "enforcement_level", "changes"), []string{refused}},
		"a waiver for a preview": {running, with(with(next, "available_versions", list), "waivers", object{"preview": object{"rule": "not-offered", "reason": "preview"}}), []string{"warning at control_plane_version: Waived: kube-apiserver 1.32.1 is not offered"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(with(tt.config, "as_of", "2024-12-01"), withDay(tt.prior))
			expect(t, diags, tt.want...)
		})
	}
}

// TestOfferedToAnotherCluster checks that the advice for a version that is no longer offered
// helps after a change of cluster_id: observed is not used then, but an import is.
func TestOfferedToAnotherCluster(t *testing.T) {
	running := object{"control_plane_version": "1.31.2", "cluster_id": "a", "as_of": "2024-12-01"}
	moved := with(with(running, "cluster_id", "b"), "available_versions", []any{"1.32.9"})
	s := serve(t, nil)
	for name, config := range map[string]object{
		"without observed": moved, "with observed": with(moved, "observed", object{"control_plane_version": "1.31.2"}),
	} {
		_, diags := s.plan(config, running)
		expect(t, diags, "error at control_plane_version: kube-apiserver 1.31.2 is not offered")
		if detail := diags[0].Detail; strings.Contains(detail, "set observed") || !strings.Contains(detail, "import it with the new cluster_id") {
			t.Errorf("%s: %s", name, detail)
		}
	}
	imported := object{"control_plane_version": "1.31.2", "cluster_id": "b"}
	state, diags := s.importState(`{"control_plane_version": "1.31.2", "cluster_id": "b"}`)
	expect(t, diags)
	if want := s.state(imported); !state.Equal(want) {
		t.Errorf("imported %s, want %s", state, want)
	}
	_, diags = s.plan(moved, imported)
	expect(t, diags)
}

func withDay(o object) object {
	if o == nil {
		return nil
	}
	return with(o, "as_of", "2024-12-01")
}

// TestOfferedIsWriteOnly checks that a new patch of the platform is no change, and that the
// lists are checked again at apply.
func TestOfferedIsWriteOnly(t *testing.T) {
	s := serve(t, nil)
	prior := object{"control_plane_version": "1.31"}
	config := object{"control_plane_version": "1.32.1"}
	planned, diags := s.plan(with(config, "available_versions", []any{"1.32.1"}), prior)
	expect(t, diags)
	if !planned.Equal(s.state(config)) {
		t.Errorf("planned %s", planned)
	}
	_, diags = s.applyPlanned(planned, s.value(s.validation(), with(config, "available_versions", []any{"1.32.2"})), prior)
	expect(t, diags, "error at control_plane_version: kube-apiserver 1.32.1 is not offered")
}

// TestEvaluationOffered checks the lists of the data source: everything declared counts as
// added without observed, and the next minor has to be offered.
func TestEvaluationOffered(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "1.32.1", "available_versions": []any{"1.32.1", "1.32.2"}, "as_of": "2025-01-01"}
	got, diags := s.read(evaluationType, config)
	expect(t, diags)
	if v := tfvalue.Fields(got["next_control_plane_version"])["blocked_by"]; len(tfvalue.Elements(v)) != 1 {
		t.Errorf("the next minor is blocked by %s, want the list", v)
	}
	got, diags = s.read(evaluationType, with(config, "available_versions", []any{"1.33"}))
	expect(t, diags)
	if n := len(tfvalue.Elements(got["findings"])); n != 1 {
		t.Errorf("%d findings, want the one of the version that is not offered", n)
	}
}
