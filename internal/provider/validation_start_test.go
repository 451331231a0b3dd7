// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

const stepNotFully = "warning at observed: The step is not fully checked"

// TestStart checks which versions a step starts from, and when no step is checked.
func TestStart(t *testing.T) {
	recorded := object{"control_plane_version": "1.30", "cluster_id": "a"}
	next := func(id any) object { return object{"control_plane_version": "1.32", "cluster_id": id} }
	skipped := "error at control_plane_version: " + notSkipped
	for name, tt := range map[string]struct {
		prior, config object
		want          []string
	}{
		"the same cluster":                       {recorded, next("a"), []string{skipped}},
		"another cluster":                        {recorded, next("b"), nil},
		"another cluster outranks observed":      {recorded, with(next("b"), "observed", object{"control_plane_version": "1.30"}), nil},
		"an unknown cluster is checked at apply": {recorded, next(unknown), []string{notAllYet}},
		"an unknown cluster outranks observed":   {recorded, with(next(unknown), "observed", object{"control_plane_version": "1.30"}), []string{notAllYet}},
		"a first cluster_id":                     {object{"control_plane_version": "1.30"}, next("a"), []string{skipped}},
		"a removed cluster_id":                   {recorded, next(nil), []string{skipped}},
		"a first cluster_id that is unknown":     {object{"control_plane_version": "1.30"}, next(unknown), []string{skipped}},
		"a new validation of an unknown cluster": {nil, with(next(unknown), "observed", object{"control_plane_version": "1.30"}), []string{skipped}},
		"the combination is still checked":       {recorded, with(next("b"), "node_pools", object{"gpu": pool("1.27")}), []string{`error at node_pools["gpu"]: kubelet 1.27 is too old for kube-apiserver 1.32`}},

		"observed unknown, nothing changes":         {recorded, with(recorded, "observed", unknown), []string{stepNotFully}},
		"observed unknown in part, nothing changes": {recorded, with(recorded, "observed", object{"control_plane_version": "1.30", "node_pools": unknown}), []string{stepNotFully}},
		"observed unknown in part, and broken":      {object{"control_plane_version": "1.32"}, object{"control_plane_version": "1.32", "observed": object{"control_plane_version": "1.30", "node_pools": unknown}}, []string{skipped, stepNotFully}},
		"observed counts where nothing changes":     {object{"control_plane_version": "1.32"}, object{"control_plane_version": "1.32", "observed": object{"control_plane_version": "1.30"}}, []string{skipped}},
		"observed unknown, something changes":       {recorded, with(next("a"), "observed", unknown), []string{notAllYet}},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(tt.config, tt.prior)
			expect(t, diags, tt.want...)
		})
	}
}

// TestUnknownClusterIDRefused checks that the warning about an unknown cluster_id contains
// the steps that fail if the cluster stays, but only those.
func TestUnknownClusterIDRefused(t *testing.T) {
	down := object{"control_plane_version": "1.33", "cluster_id": unknown}
	prior := object{"control_plane_version": "1.34", "cluster_id": "a"}
	const refused = "kube-apiserver cannot go back from 1.34 to 1.33"
	for name, tt := range map[string]struct {
		config, prior object
		want          string // in the warning, or ""
	}{
		"from state":           {down, prior, refused},
		"from observed":        {with(down, "observed", object{"control_plane_version": "1.34"}), object{"control_plane_version": "1.33", "cluster_id": "a"}, refused},
		"changes":              {with(down, "enforcement_level", "changes"), prior, refused},
		"advisory":             {with(down, "enforcement_level", "advisory"), prior, ""},
		"waived":               {with(down, "waivers", object{"w": object{"rule": "kube-apiserver-step", "reason": "replaced on purpose"}}), prior, ""},
		"an allowed step":      {with(down, "control_plane_version", "1.35"), prior, ""},
		"an invalid state":     {down, with(prior, "control_plane_version", "x"), ""},
		"nothing else differs": {with(down, "control_plane_version", "1.34"), prior, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(tt.config, tt.prior)
			var text string
			for _, d := range diags {
				if d.Severity != tfprotov6.DiagnosticSeverityWarning {
					t.Errorf("unexpected error: %s", d.Summary)
				}
				if strings.Contains(d.Detail, "cluster_id") {
					text = d.Summary + "\n" + d.Detail
				}
			}
			for _, part := range []string{refused, "Rule kube-apiserver-step: https://", "destroys the cluster"} {
				if strings.Contains(text, part) != (tt.want != "") {
					t.Errorf("the warning contains %q: %v\n%s", part, tt.want == "", text)
				}
			}
		})
	}
}

// TestUnknownClusterID checks that with an unknown cluster_id, the step is checked at apply if
// the cluster turns out to be the same.
func TestUnknownClusterID(t *testing.T) {
	s := serve(t, nil)
	prior := object{"control_plane_version": "1.30", "cluster_id": "a"}
	for id, want := range map[string][]string{"a": {"error at control_plane_version: " + notSkipped}, "b": nil} {
		config := object{"control_plane_version": "1.32", "cluster_id": id}
		state, diags := s.applyPlanned(s.state(config), s.value(s.validation(), config), prior)
		expect(t, diags, want...)
		recorded := config
		if want != nil {
			recorded = prior
		}
		if !state.Equal(s.state(recorded)) {
			t.Errorf("cluster_id %s: the state is %s", id, state)
		}
	}
}

// TestObservedIsWriteOnly checks that observed is neither in the plan nor in the state, is not
// a change, and may differ between plan and apply.
func TestObservedIsWriteOnly(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.31")}}
	observed := func(v string) object {
		return with(config, "observed", object{"control_plane_version": v, "kubectl": []any{v}})
	}

	planned, diags := s.plan(observed("1.30"), nil)
	expect(t, diags)
	if !planned.Equal(s.state(config)) {
		t.Errorf("planned %s", planned)
	}
	unchanged, diags := s.plan(observed("1.31"), config)
	expect(t, diags)
	if !unchanged.Equal(s.state(config)) {
		t.Errorf("with another observed, planned %s, want no change", unchanged)
	}
	for name, prior := range map[string]object{"create": nil, "update": {"control_plane_version": "1.30"}} {
		state, diags := s.applyPlanned(planned, s.value(s.validation(), observed("1.31")), prior)
		expect(t, diags)
		if !state.Equal(s.state(config)) {
			t.Errorf("%s: the state is %s", name, state)
		}
		state, diags = s.applyPlanned(planned, s.value(s.validation(), observed("1.29")), prior)
		expect(t, diags, "error at control_plane_version: kube-apiserver cannot go from 1.29 to 1.31 in one step")
		if !state.Equal(s.state(prior)) {
			t.Errorf("%s was refused, but the state is %s", name, state)
		}
	}
}

// TestObservedAfterImport checks that observed outranks imported versions.
func TestObservedAfterImport(t *testing.T) {
	s := serve(t, nil)
	imported, diags := s.importState("1.30")
	expect(t, diags)
	prior := object{"control_plane_version": "1.30"}
	if !imported.Equal(s.state(prior)) {
		t.Fatalf("imported %s", imported)
	}
	_, diags = s.plan(object{"control_plane_version": "1.32", "cluster_id": "a", "observed": object{"control_plane_version": "1.31"}}, prior)
	expect(t, diags)
}

// TestObservedRequiresWriteOnly checks that observed is an error on a CLI without write-only
// attributes, and that everything else works on it.
func TestObservedRequiresWriteOnly(t *testing.T) {
	s := serve(t, nil)
	validate := func(config object) []*tfprotov6.Diagnostic {
		resp, err := s.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: s.dynamic(s.value(s.validation(), config))})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	expect(t, validate(object{"control_plane_version": "1.31"}))
	diags := validate(object{"control_plane_version": "1.31", "observed": object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.30")}}})
	expect(t, diags, "error at observed: observed requires Terraform or OpenTofu 1.11 or later")
}

// TestNestedAttributesAreWriteOnly checks that all attributes in write-only ones are, too, and no
// others. A CLI rejects write-only attributes with nested attributes that are not.
func TestNestedAttributesAreWriteOnly(t *testing.T) {
	var check func(a *tfprotov6.SchemaAttribute, at string)
	check = func(a *tfprotov6.SchemaAttribute, at string) {
		if !a.WriteOnly || a.Computed {
			t.Errorf("%s is not write-only", at)
		}
		if a.NestedType != nil {
			for _, inner := range a.NestedType.Attributes {
				check(inner, at+"."+inner.Name)
			}
		}
	}
	found := 0
	for _, a := range serve(t, nil).validation().Block.Attributes {
		if slices.Contains(writeOnlyInputs, a.Name) {
			check(a, a.Name)
			found++
		} else if a.WriteOnly {
			t.Errorf("%s is write-only", a.Name)
		}
	}
	if found != len(writeOnlyInputs) {
		t.Errorf("the schema has %d of %q", found, writeOnlyInputs)
	}
}

// TestRecordedStart checks that a finding on a step from the state explains what to do if
// other versions run.
func TestRecordedStart(t *testing.T) {
	s := serve(t, nil)
	hasNote := func(config, prior object) bool {
		_, diags := s.plan(config, prior)
		if len(diags) != 1 {
			t.Fatalf("got %v", diags)
		}
		return strings.Contains(diags[0].Detail, "set observed to the versions that run")
	}
	step := object{"control_plane_version": "1.32"}
	if !hasNote(step, object{"control_plane_version": "1.30"}) {
		t.Error("a finding on a step from the state does not mention observed")
	}
	if hasNote(with(step, "observed", object{"control_plane_version": "1.30"}), nil) {
		t.Error("a finding on a step from observed mentions the recorded versions")
	}
	combination := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}
	if hasNote(combination, combination) {
		t.Error("a finding on a combination mentions the recorded versions")
	}
}

// TestStateWithObserved checks that upgrading a state of schema version 0 removes observed.
func TestStateWithObserved(t *testing.T) {
	upgraded, diags := serve(t, nil).upgrade(0, []byte(`{"id":"validation","control_plane_version":"1.31","observed":{"control_plane_version":"1.30"}}`))
	expect(t, diags)
	if observed := tfvalue.Fields(upgraded)["observed"]; !observed.IsNull() {
		t.Errorf("observed is %s, want null", observed)
	}
}

// TestRollbackInTotal checks that a refused rollback states the limit as a plan does.
func TestRollbackInTotal(t *testing.T) {
	_, diags := serve(t, nil).plan(object{"policy": "eks", "control_plane_version": "1.34", "observed": object{"control_plane_version": "1.36"}}, nil)
	if len(diags) == 0 || !strings.Contains(diags[0].Detail, "A kube-apiserver can be rolled back by at most 1 minor version in total.") {
		t.Errorf("got %v", diags)
	}
}

// TestStartIsNotedOnce checks that only the first error of a step says where it starts.
func TestStartIsNotedOnce(t *testing.T) {
	s := serve(t, nil)
	prior := object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.30")}}
	policy := `{"extends": "kubernetes", "step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 0}}}`
	_, diags := s.plan(object{"policy": policy, "control_plane_version": "1.32", "node_pools": object{"a": pool("1.31")}}, prior)
	var noted []int
	for i, d := range diags {
		if strings.Contains(d.Detail, report.NoteRecorded) {
			noted = append(noted, i)
		}
	}
	if len(diags) < 2 || len(noted) != 1 || noted[0] != 0 {
		t.Errorf("diagnostics %v of %d have the note", noted, len(diags))
	}
}
