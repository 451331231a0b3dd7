package upgrade_test

import (
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestUnknownVersionsInAStep: a step is refused only for what is sure, whatever
// the unknown versions turn out to be.
func TestUnknownVersionsInAStep(t *testing.T) {
	open := func(text string, locations ...finding.Location) skew.Cluster {
		c := skewtest.Cluster(t, text)
		for i := range c.Places {
			for _, l := range locations {
				if c.Places[i].Location == l {
					for j := range c.Places[i].Instances {
						c.Places[i].Instances[j].Version = version.Version{}
					}
				}
			}
		}
		return c
	}
	partial := func(c skew.Cluster) skew.Cluster { c.Partial = true; return c }
	managed, x := finding.AtAttribute(finding.ControlPlaneVersion), finding.AtKey(finding.NodePools, "x")
	for _, tt := range []struct {
		name     string
		from, to skew.Cluster
		order    upgrade.ApplyOrder
		refused  bool
	}{
		{"the pool runs at 1.27 until it moves, to whatever it is", open("managed: 1.30; node_pools.x: kubelet=1.27"), open("managed: 1.31; node_pools.x: kubelet=1.31", x), upgrade.ControlPlaneFirst, true},
		{"it may move first", open("managed: 1.30; node_pools.x: kubelet=1.27"), open("managed: 1.31; node_pools.x: kubelet=1.31", x), upgrade.NodePoolsFirst, false},
		{"the pool is at 1.31 before an unknown control plane moves", open("managed: 1.30; node_pools.x: kubelet=1.30"), open("managed: 1.31; node_pools.x: kubelet=1.31", managed), upgrade.NodePoolsFirst, true},
		{"the control plane may be at 1.31 already", open("managed: 1.30; node_pools.x: kubelet=1.27", managed), open("managed: 1.31; node_pools.x: kubelet=1.31"), upgrade.ControlPlaneFirst, false},
		{"the pool may be at 1.31 already", open("managed: 1.30; node_pools.x: kubelet=1.30", x), open("managed: 1.31; node_pools.x: kubelet=1.31"), upgrade.NodePoolsFirst, false},
		{"so may one that nothing is known of", partial(open("managed: 1.30")), open("managed: 1.31; node_pools.x: kubelet=1.31"), upgrade.NodePoolsFirst, false},
		{"a pool that comes is not there yet", open("managed: 1.30"), open("managed: 1.31; node_pools.x: kubelet=1.31"), upgrade.NodePoolsFirst, true},
	} {
		step := upgrade.Evaluate(skewtest.Kubernetes(t), tt.from, tt.to, tt.order)
		if refused := len(step.Findings) > 0; refused != tt.refused {
			t.Errorf("%s: %+v, want it refused: %t", tt.name, step.Findings, tt.refused)
		}
	}
}

// TestUnknownVersionsNeverRefuseWhatPasses: what is refused while something is
// unknown is refused, or breaks the policy in the end, whatever it turns out to be.
func TestUnknownVersionsNeverRefuseWhatPasses(t *testing.T) {
	kubernetes := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		from, to := skewtest.RandomCluster(t), skewtest.RandomCluster(t)
		to.LocalEndpoint = from.LocalEndpoint
		proxy := func() version.Version {
			return version.Minor{Major: 1, Minor: rapid.IntRange(21, 29).Draw(t, "cluster-wide")}.Version()
		}
		if rapid.Bool().Draw(t, "one kube-proxy") {
			from, to = from.WithKubeProxy(proxy()), to.WithKubeProxy(proxy())
		}
		blank := func(c skew.Cluster) skew.Cluster {
			places := slices.Clone(c.Places)
			wide := rapid.IntRange(0, 3).Draw(t, "cluster-wide unknown") == 0
			for i, p := range places {
				places[i].Instances = slices.Clone(p.Instances)
				for j, instance := range places[i].Instances {
					if instance.ClusterWide && wide || !instance.ClusterWide && rapid.IntRange(0, 5).Draw(t, "unknown") == 0 {
						places[i].Instances[j].Version = version.Version{}
					}
				}
			}
			c.Places = places
			if len(places) > 1 && rapid.IntRange(0, 5).Draw(t, "partial") == 0 {
				// Nothing is known of the node pools.
				c.Places = slices.DeleteFunc(places, func(p skew.Place) bool { return p.Location.Attribute == finding.NodePools })
				c.Partial = true
			}
			return c
		}
		order := rapid.SampledFrom(upgrade.ApplyOrders).Draw(t, "order")
		if early := upgrade.Evaluate(kubernetes, blank(from), blank(to), order); len(early.Findings) > 0 {
			if late := upgrade.Evaluate(kubernetes, from, to, order); len(late.Findings) == 0 && len(skew.Evaluate(kubernetes, to)) == 0 {
				t.Fatalf("refused at first: %+v, then not, from\n%v\nto\n%v", early.Findings, from, to)
			}
		}
	})
}
