package evaluation_test

import (
	"fmt"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

// pools is a cluster with n node pools over a number of distinct versions.
func pools(b *testing.B, controlPlane string, n, distinct int) skew.Cluster {
	c := skewtest.Cluster(b, controlPlane)
	for i := range n {
		v := skewtest.Version(b, fmt.Sprintf("1.%d.%d", 28+i%3, i%distinct))
		c.Places = append(c.Places, skew.Place{
			Location:  skew.AtKey(skew.NodePools, fmt.Sprint("pool-", i)),
			Instances: []skew.Instance{{Component: "kubelet", Version: v}, {Component: "kube-proxy", Version: v}},
		})
	}
	return c
}

// BenchmarkEvaluate shows that the work grows with the distinct versions, not
// with the node pools: compare the rows of one run.
func BenchmarkEvaluate(b *testing.B) {
	p := skewtest.Kubernetes(b)
	for _, n := range []int{10, 100, 1_000, 10_000} {
		for name, distinct := range map[string]int{"10 versions": 10, "all distinct": n} {
			b.Run(fmt.Sprintf("pools=%d/%s", n, name), func(b *testing.B) {
				from := pools(b, "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", n, distinct)
				to := pools(b, "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.31", n, distinct)
				for b.Loop() {
					evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: to, Observed: &from})
				}
			})
		}
	}
}
