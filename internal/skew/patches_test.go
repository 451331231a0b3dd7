// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"fmt"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

// TestSomePatchesAreAllowed checks that the constraint only contains allowed patches if
// the rules allow a single minor, but not all of its patches.
func TestSomePatchesAreAllowed(t *testing.T) {
	const (
		sameMinor   = `"skew_rules": {"same": {"subject": "agent", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 0%s}}`
		notOlder    = `"requirement_rules": {"fixed": {"when": {"component": "agent", "version": "< 1.23.3"}, "require": {"component": "kubelet", "version": ">= 1.24"}}}`
		cluster     = "control_plane.a: kube-apiserver=%s; node_pools.a: kubelet=1.22; components.agent.0: agent=1.21"
		patchesToo  = `, "compare_patch": true`
		minorsAlone = ""
	)
	for _, tt := range []struct {
		name, rules, apiServer, want string
	}{
		{"all of them", fmt.Sprintf(sameMinor, minorsAlone), "1.23.5", ">= 1.23, < 1.24"},
		{"not newer than the control plane", fmt.Sprintf(sameMinor, patchesToo), "1.23.5", ">= 1.23.0, < 1.23.6"},
		{"from the fixed patch on", fmt.Sprintf(sameMinor, minorsAlone) + ", " + notOlder, "1.23.5", ">= 1.23.3, < 1.24"},
		{"from the fixed patch up to the control plane", fmt.Sprintf(sameMinor, patchesToo) + ", " + notOlder, "1.23.5", ">= 1.23.3, < 1.23.6"},
		{"the fixed patch alone", fmt.Sprintf(sameMinor, patchesToo) + ", " + notOlder, "1.23.3", ">= 1.23.3, < 1.23.4"},
		{"none", fmt.Sprintf(sameMinor, patchesToo) + ", " + notOlder, "1.23.2", "< 0"},
	} {
		p, err := policy.Parse("{" + tt.rules + "}")
		if err != nil {
			t.Fatal(err)
		}
		window := skew.AllowedVersions(p, skewtest.Cluster(t, fmt.Sprintf(cluster, tt.apiServer)))["agent"]
		if got := window.Constraint(); got != tt.want {
			t.Errorf("%s: agent may be %q, want %q", tt.name, got, tt.want)
		}
		if fmt.Sprint(window.Minors) != "[1.23]" {
			t.Errorf("%s: minors %v, want 1.23", tt.name, window.Minors)
		}
	}
}
