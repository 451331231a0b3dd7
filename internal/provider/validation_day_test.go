// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// TestWaiverExpiresBetweenPlanAndApply plans on the last day of a waiver and applies on
// the next one. With the date of the plan in as_of, the apply succeeds.
func TestWaiverExpiresBetweenPlanAndApply(t *testing.T) {
	const hint = `set as_of = formatdate("YYYY-MM-DD", plantimestamp())`
	last := testToday()
	for asOf, wantFailed := range map[any]bool{nil: true, last.String(): false} {
		p := testProvider()
		today := last
		p.today = func() releases.Date { return today }
		s := serveBy(t, newServer(p), nil)
		config := object{
			"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "as_of": asOf,
			"waivers": object{"gpu-drivers": object{"rule": "kubelet-apiserver", "reason": "drivers", "expires": last.String()}},
		}
		planned, diags := s.plan(config, nil)
		if failed(diags) {
			t.Fatalf("the plan failed: %v", texts(diags))
		}
		today = releases.DateOf(time.Date(2024, 9, 16, 0, 0, 0, 0, time.UTC))
		// During an apply, a CLI plans once more before it applies.
		for what, send := range map[string]func() []*tfprotov6.Diagnostic{
			"plan": func() []*tfprotov6.Diagnostic { _, diags := s.plan(config, nil); return diags },
			"apply": func() []*tfprotov6.Diagnostic {
				_, diags := s.applyPlanned(planned, s.value(s.validation(), config), nil)
				return diags
			},
		} {
			diags := send()
			if failed(diags) != wantFailed {
				t.Errorf("as_of %v: the %s after the waiver expired: %v", asOf, what, texts(diags))
			}
			if wantFailed && !strings.Contains(diags[0].Detail, hint) {
				t.Errorf("the error of the %s does not say %q: %s", what, hint, diags[0].Detail)
			}
		}
	}
}

// TestDateIsNotStored checks that as_of never makes a diff, and that a state that holds it
// is read without it.
func TestDateIsNotStored(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.31")}}
	state, diags := s.apply(with(config, "as_of", "2024-09-15"), nil)
	s.none(diags)
	if want := s.state(config); !state.Equal(want) {
		t.Errorf("applied %s, want %s", state, want)
	}
	planned, diags := s.plan(with(config, "as_of", "2024-09-16"), config)
	s.none(diags)
	if !planned.Equal(state) {
		t.Errorf("another date is planned as %s, want %s", planned, state)
	}
	upgraded, diags := s.upgrade(1, []byte(`{"id":"validation","control_plane_version":"1.31","node_pools":{"a":{"kubelet":"1.31","kube_proxy":null}},"as_of":"2024-09-15"}`))
	s.none(diags)
	if !upgraded.Equal(state) {
		t.Errorf("the state is read as %s, want %s", upgraded, state)
	}
}

// TestUnknownDate plans with a date that is known only after apply, such as one of
// timestamp(). Without a change, there is no apply.
func TestUnknownDate(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.31")}, "as_of": unknown}
	_, diags := s.plan(config, nil)
	expect(t, diags, "warning at : Not everything could be checked at plan time")
	_, diags = s.plan(config, with(config, "as_of", nil))
	expect(t, diags, "warning at as_of: The date is not known at plan time")
	_, diags = s.applyPlanned(s.state(config), s.value(s.validation(), with(config, "as_of", "2024-02-30")), nil)
	expect(t, diags, `error at as_of: Invalid date "2024-02-30"`)
}

// TestWriteOnlyNeedsNewCLI validates with a CLI that does not support write-only
// attributes.
func TestWriteOnlyNeedsNewCLI(t *testing.T) {
	s := serve(t, nil)
	for name, value := range (object{"as_of": "2024-09-15", "observed": object{"control_plane_version": "1.31"}}) {
		config := s.value(s.validation(), object{"control_plane_version": "1.31", name: value})
		resp, err := s.ValidateResourceConfig(context.Background(), &tfprotov6.ValidateResourceConfigRequest{TypeName: validationType, Config: s.dynamic(config)})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, resp.Diagnostics, "error at "+name+": "+name+" requires Terraform or OpenTofu 1.11 or later")
	}
}
