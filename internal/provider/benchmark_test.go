// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

// BenchmarkUpgradePlan plans an upgrade by 20 minors for many node pools: reading the data
// source, and the entire call with encoding and decoding. Only compare rows of the same
// run.
func BenchmarkUpgradePlan(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		pools := object{}
		for i := range n {
			v := fmt.Sprintf("1.%d.%d", 25+i%4, i%5)
			pools[fmt.Sprint("pool-", i)] = object{"kubelet": v, "kube_proxy": v}
		}
		s := serve(b, nil)
		config := s.value(s.schemas.DataSourceSchemas[upgradePlanType], object{
			"control_plane_version": "1.28", "target_version": "1.48", "node_pools": pools,
		})

		b.Run(fmt.Sprintf("pools=%d/read", n), func(b *testing.B) {
			standard, diags := resolvePolicy(policy.Default, path.Empty())
			if diags.HasError() {
				b.Fatal(diags)
			}
			d := &upgradePlanDataSource{settings{policy: standard, today: testToday}}
			for b.Loop() {
				if _, diags := d.outputs(config); len(diags) > 0 {
					b.Fatal(diags)
				}
			}
		})

		b.Run(fmt.Sprintf("pools=%d/call", n), func(b *testing.B) {
			request := &tfprotov6.ReadDataSourceRequest{TypeName: upgradePlanType, Config: s.dynamic(config)}
			for b.Loop() {
				resp, err := s.ReadDataSource(b.Context(), request)
				if err != nil || len(resp.Diagnostics) > 0 {
					b.Fatal(err, resp.Diagnostics)
				}
			}
		})
	}
}
