// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestConstraintText checks that the JSON of a policy keeps constraints as written,
// in the syntax of https://pkg.go.dev/github.com/hashicorp/go-version.
func TestConstraintText(t *testing.T) {
	type rule struct {
		Subject version.Constraint `json:"subject,omitzero"`
	}
	for _, text := range []string{`{"subject":"\u003c 1.25"}`, `{"subject":"\u003e= 1.28.3,\u003c 1.32"}`, `{"subject":"~\u003e 1.30"}`, `{}`} {
		var r rule
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, err := json.Marshal(r); err != nil || string(again) != text {
			t.Errorf("%s becomes %s (error %v)", text, again, err)
		}
	}
	var r rule
	if err := json.Unmarshal([]byte(`{"subject":"latest"}`), &r); err == nil {
		t.Error(`"latest" is accepted as a constraint`)
	}
}

// TestConstraintEdges checks that Minors and Patches list the versions at which the result of
// Contains changes. Allowed versions are computed from them.
func TestConstraintEdges(t *testing.T) {
	for text, want := range map[string]struct{ minors, patches []string }{
		">= 1.28, < 1.32": {minors: []string{"1.28", "1.32"}},
		">= 1.28.3":       {minors: []string{"1.28"}, patches: []string{"1.28.3"}},
		"!= 1.30":         {minors: []string{"1.30"}, patches: []string{"1.30.0"}},
		// ~> 1.30 ends before 2.0.
		"~> 1.30": {minors: []string{"1.30", "2.0"}, patches: []string{"1.30.0"}},
	} {
		c, err := version.ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		var minors, patches []string
		for _, m := range c.Minors() {
			minors = append(minors, m.String())
		}
		for _, v := range c.Patches() {
			patches = append(patches, v.String())
		}
		if diff := cmp.Diff(want.minors, minors); diff != "" {
			t.Errorf("minors of %q (-want +got):\n%s", text, diff)
		}
		if diff := cmp.Diff(want.patches, patches); diff != "" {
			t.Errorf("patches of %q (-want +got):\n%s", text, diff)
		}
	}
}
