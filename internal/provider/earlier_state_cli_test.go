// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// TestEarlierState plans, applies and destroys validations whose state was written by a
// provider with schema version 1, with all attributes set. Only the JSON of the policy has
// changed since.
func TestEarlierState(t *testing.T) {
	m := acctest.NewModule(t, "testdata/earlier-state")
	state, err := os.ReadFile("testdata/earlier-state/state.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.Path("terraform.tfstate"), state, 0o600); err != nil {
		t.Fatal(err)
	}
	out := m.MustRun("plan", "-no-color")
	for _, want := range []string{"Plan: 0 to add, 1 to change, 0 to destroy.", "versionskew_validation.custom will be updated in-place", "~ policy "} {
		if !strings.Contains(out, want) {
			t.Errorf("the plan does not contain %q:\n%s", want, out)
		}
	}
	m.MustRun("apply", "-auto-approve", "-no-color")
	if out := m.MustRun("plan", "-no-color"); !strings.Contains(out, "No changes.") {
		t.Errorf("after the apply, a plan has changes:\n%s", out)
	}
	recorded, err := os.ReadFile(m.Path("terraform.tfstate"))
	if err != nil || strings.Contains(string(recorded), `"as_of": "`) {
		t.Errorf("the state still holds as_of, or cannot be read: %v", err)
	}
	if out := m.MustRun("destroy", "-auto-approve", "-no-color"); !strings.Contains(out, "Destroy complete! Resources: 3 destroyed.") {
		t.Errorf("destroying the validations:\n%s", out)
	}
}
