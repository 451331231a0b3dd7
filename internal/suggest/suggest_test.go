// SPDX-License-Identifier: MPL-2.0

package suggest_test

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
)

func TestName(t *testing.T) {
	known := []string{"node", "aks", "eks", "gke", "kubernetes", "kubelet-apiserver", `node_pools["gpu"]`}
	for misspelled, want := range map[string]string{
		"esk": "eks", "EKS": "eks", "kuberntes": "kubernetes", "kubelet-api-server": "kubelet-apiserver", `node_pool["gpu"]`: `node_pools["gpu"]`, `node_pools[gpu]`: `node_pools["gpu"]`,
		"": "", "x": "", "xyz": "", "openshift": "", "kubelet": "", "pod": "", "gek": "gke",
	} {
		if got := suggest.Name(misspelled, known); got != want {
			t.Errorf("%q: %q, want %q", misspelled, got, want)
		}
	}
	long := strings.Repeat("x", 200)
	for misspelled, want := range map[string]string{long[1:]: long, long + "x": ""} {
		if got := suggest.Name(misspelled, []string{long, long + "xx"}); got != want {
			t.Errorf("%d letters: %q, want %q", len(misspelled), got, want)
		}
	}
	if got := suggest.Question("esk", known); got != ` Did you mean "eks"?` {
		t.Errorf("got %q", got)
	}
	if got := suggest.Question("openshift", known); got != "" {
		t.Errorf("got %q", got)
	}
}
