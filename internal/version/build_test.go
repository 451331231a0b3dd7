// SPDX-License-Identifier: MPL-2.0

package version_test

import (
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func TestCompareBuilds(t *testing.T) {
	for _, tt := range []struct {
		older, newer string
		ordered      bool
	}{
		{"1.36.4-gke.900000", "1.36.4-gke.1000000", true},
		{"1.33.4-gke.1350000", "1.33.4-gke.1350001", true},
		{"1.31.1+k3s1", "1.31.1+k3s2", true},
		{"1.31.1+rke2r1", "1.31.1+rke2r10", true},
		{"1.31.1-eksbuild.9", "1.31.1-eksbuild.10", true},
		{"1.30.4-20241011", "1.30.4-20250101", true},
		{"1.27.5+vmware.1-fips.1-tkg.1", "1.27.5+vmware.1-fips.2-tkg.1", true},
		{"1.31.2-eks-7f9249a", "1.31.2-eks-8abc123", false},
		{"1.31.2", "1.31.2-gke.1", false},
		{"1.31.2-a", "1.31.2-b", false},
	} {
		a, b := must(t, tt.older), must(t, tt.newer)
		order, ok := version.CompareBuilds(a, b)
		back, also := version.CompareBuilds(b, a)
		if ok != tt.ordered || also != ok || ok && (order != -1 || back != 1) {
			t.Errorf("%s and %s: %d, %t; reversed: %d, %t", a, b, order, ok, back, also)
		}
	}
	for _, same := range []string{"1.31.2", "1.31.2-gke.100", "1.31.2+k3s1"} {
		if order, ok := version.CompareBuilds(must(t, same), must(t, same)); order != 0 || !ok {
			t.Errorf("%s and itself: %d, %t", same, order, ok)
		}
	}
}
