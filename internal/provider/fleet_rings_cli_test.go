// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// TestFleetRings applies an example with several states. Each publishes its versions, the
// one of production compares itself with staging, and one writes a page about all of
// them.
func TestFleetRings(t *testing.T) {
	t.Parallel()
	rings := acctest.NewModuleIn(t, filepath.Join(examples, "fleet-rings"), "staging")
	in := func(ring, command string, arguments ...string) (string, error) {
		return rings.Run(append([]string{"-chdir=../" + ring, command, "-input=false", "-no-color", "-var", "as_of=2026-11-20"}, arguments...)...)
	}
	must := func(out string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, ring := range []string{"staging", "production", "fleet"} {
		if ring != "staging" {
			must(rings.Run("-chdir=../"+ring, "init", "-input=false", "-no-color"))
		}
		must(in(ring, "apply", "-auto-approve"))
		must(in(ring, "plan", "-detailed-exitcode")) // fails on any change
	}
	page, err := rings.Command("-chdir=../fleet", "output", "-raw", "page").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(page); got != fleetPage {
		t.Errorf("got\n%s\nwant\n%s", got, fleetPage)
	}

	const ahead = `clusters={ shop = { policy = "eks", control_plane_version = "1.37", node_pool_versions = { general = "1.36" } }}`
	const level = `clusters={ shop = { policy = "eks", control_plane_version = "1.36", node_pool_versions = { general = "1.35" } }}`
	out, err := in("production", "plan", "-var", ahead)
	if err == nil || !acctest.OutputPattern(`Error: production 1.37 is too new for staging 1.36`).MatchString(strings.ReplaceAll(out, "│", "")) {
		t.Errorf("the plan lets production get ahead of staging: %v\n%s", err, out)
	}
	must(in("production", "plan", "-var", level))
}

// fleetPage is the page of examples/fleet-rings. Its dates are from
// https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html and
// https://cloud.google.com/kubernetes-engine/docs/release-schedule.
const fleetPage = `# Clusters

✅ fine, ⚠️ with warnings, ❌ violates its policy, ⛔ blocked

| Ring | Clusters | Versions | Supported | Can be upgraded | First end of support |
| --- | --- | --- | --- | --- | --- |
| staging | 2 | 1.36 | 2 | 2 | 2027-08-02 |
| production | 2 | 1.35 | 2 | 1 | 2027-03-27 |

## staging

| Cluster | Version | End of support | Next minor | Summary |
| --- | --- | --- | --- | --- |
| batch | 1.36.1-gke.1350000 | 2027-08-09 | ✅ 1.37 | ✅ supported |
| shop | 1.36 | 2027-08-02 | ✅ 1.37 | ✅ supported |

## production

| Cluster | Version | End of support | Next minor | Summary |
| --- | --- | --- | --- | --- |
| batch | 1.35.6-gke.1026000 | 2027-04-11 | ⛔ 1.36 | ⚠️ supported, 1 warning |
| shop | 1.35 | 2027-03-27 | ✅ 1.36 | ✅ supported |

<details>
<summary>What blocks the next minor versions</summary>

- **batch:** kubelet 1.33 is too old for kube-apiserver 1.36 (node_pools["general"]). Upgrade the kubelet of node_pools["general"] to 1.34 or 1.35.

</details>
`
