// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

func TestEvaluationKeepsInputs(t *testing.T) {
	s := serve(t, nil)
	config := object{
		"control_plane": object{"cp-0": object{"version": "v1.31.2+k3s1"}}, "node_pools": object{"a": pool("1.30")}, "kubectl": []any{"1.31"},
		"components": object{"kubelet": []any{}}, "apiserver_endpoint": "local", "admission_webhooks": object{"w": object{"match_policy": "Exact"}},
		"observed": object{"control_plane_version": "1.30"}, "policy": "kubernetes", "as_of": "2024-02-29",
	}
	got, diags := s.read(evaluationType, config)
	expect(t, diags)
	want := tfvalue.Fields(s.value(s.schemas.DataSourceSchemas[evaluationType], config))
	for name, value := range want {
		if _, input := config[name]; input && !got[name].Equal(value) {
			t.Errorf("%s: got %s, want %s", name, got[name], value)
		}
	}
	for name, value := range got {
		if !value.IsFullyKnown() {
			t.Errorf("%s is unknown after the read", name)
		}
	}
}

// TestEvaluationWithoutVersions checks that an evaluation without versions is supported and
// does not limit any component.
func TestEvaluationWithoutVersions(t *testing.T) {
	got, diags := serve(t, nil).read(evaluationType, object{})
	expect(t, diags)
	if !tfvalue.Bool(got["supported"]) || len(tfvalue.Elements(got["findings"])) != 0 || !got["next_control_plane_version"].IsNull() {
		t.Errorf("got %v", got)
	}
	if kubelet := tfvalue.Fields(tfvalue.Fields(got["allowed_versions"])["kubelet"]); !kubelet["minimum"].IsNull() || !kubelet["maximum"].IsNull() || tfvalue.String(kubelet["constraint"]) != ">= 0" {
		t.Errorf("allowed versions of the kubelet are %v, want no limit", kubelet)
	}
}

// TestEvaluationWithoutStart checks that an evaluation warns if the control plane has no
// version to start from.
func TestEvaluationWithoutStart(t *testing.T) {
	s := serve(t, nil)
	for _, observed := range []object{{}, {"node_pools": object{"a": pool("1.31")}}} {
		_, diags := s.read(evaluationType, object{"control_plane_version": "1.31", "observed": observed})
		expect(t, diags, noStart)
	}
	_, diags := s.read(evaluationType, object{"control_plane_version": "1.31", "observed": object{"control_plane_version": "1.31"}})
	expect(t, diags)
}

func TestEvaluationReportsInvalidInput(t *testing.T) {
	_, diags := serve(t, nil).read(evaluationType, object{"control_plane_version": "1", "observed": object{"kubectl": []any{"x"}}})
	expect(t, diags, `error at control_plane_version: Invalid version "1"`, `error at observed: Invalid version "x"`)
	_, diags = serve(t, nil).read(evaluationType, object{"components": object{"etcd": []any{"3.5"}}})
	expect(t, diags, `warning at components["etcd"]: No rule for etcd`)
}
