// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// BenchmarkEvaluation measures the two calls that a plan makes for each evaluation,
// with encoding and decoding.
func BenchmarkEvaluation(b *testing.B) {
	pools := object{}
	for i := range 5 {
		v := fmt.Sprintf("1.%d.%d", 36+i%2, i)
		pools[fmt.Sprint("pool-", i)] = object{"kubelet": v, "kube_proxy": v}
	}
	s := serve(b, nil)
	config := s.dynamic(s.value(s.schemas.DataSourceSchemas[evaluationType], object{"control_plane_version": "1.37.2", "node_pools": pools}))
	b.Run("validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if resp, err := s.ValidateDataResourceConfig(b.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: evaluationType, Config: config}); err != nil || len(resp.Diagnostics) > 0 {
				b.Fatal(err, resp.Diagnostics)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if resp, err := s.ReadDataSource(b.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: evaluationType, Config: config}); err != nil || len(resp.Diagnostics) > 0 {
				b.Fatal(err, resp.Diagnostics)
			}
		}
	})
}
