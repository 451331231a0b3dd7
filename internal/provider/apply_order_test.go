// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// TestApplyOrder checks a step that only satisfies the policy if the node pools are
// upgraded before the control plane.
func TestApplyOrder(t *testing.T) {
	s := serve(t, nil)
	prior := object{"control_plane_version": "1.35", "node_pools": object{"gpu": pool("1.32")}}
	next := object{"control_plane_version": "1.36", "node_pools": object{"gpu": pool("1.33")}}
	refused := `error at node_pools["gpu"]: kubelet 1.32 would be too old for kube-apiserver 1.36 partway through this apply`
	for order, want := range map[any][]string{
		nil: {refused}, "control_plane_first": {refused}, "unordered": {refused}, "node_pools_first": nil, "any": nil, unknown: {notAllYet},
	} {
		_, diags := s.plan(with(with(next, "apply_order", order), "as_of", "2026-11-21"), prior)
		var errors []string
		for _, d := range diags {
			if text := format(d); strings.HasPrefix(text, "error") || text == notAllYet {
				errors = append(errors, text)
			}
		}
		if strings.Join(errors, "\n") != strings.Join(want, "\n") {
			t.Errorf("%v: got %q, want %q", order, errors, want)
		}
	}
	_, diags := s.plan(next, prior)
	if !strings.Contains(diags[0].Detail, "set observed to the versions that run") {
		t.Errorf("the detail does not name the start of the step: %q", diags[0].Detail)
	}
	expect(t, s.validate(with(next, "apply_order", "sideways")), `error at apply_order: Invalid apply_order "sideways"`)

	state, _ := s.read(evaluationType, with(next, "observed", prior))
	if supported := state["supported"]; plain(supported) != "false" {
		t.Errorf("the evaluation has supported = %s, want false", plain(supported))
	}
	state, _ = s.read(evaluationType, with(with(next, "observed", prior), "apply_order", "node_pools_first"))
	if supported := state["supported"]; plain(supported) != "true" {
		t.Errorf("with node_pools_first, the evaluation has supported = %s, want true", plain(supported))
	}
}

// TestApplyOrderOfKubeProxy checks that the cluster-wide kube-proxy is applied together
// with the node pools.
func TestApplyOrderOfKubeProxy(t *testing.T) {
	prior := object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.30")}, "kube_proxy": "1.27"}
	next := object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.30")}, "kube_proxy": "1.30"}
	_, diags := serve(t, nil).plan(next, prior)
	expect(t, diags, "error at kube_proxy: kube-proxy 1.27 would be too old for kube-apiserver 1.31 partway through this apply")
	_, diags = serve(t, nil).plan(with(next, "apply_order", "node_pools_first"), prior)
	expect(t, diags)
}
