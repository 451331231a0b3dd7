// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestAnyClusterCanBeUpgraded checks that any cluster, valid or not, can be upgraded,
// and that no stage causes a new violation.
func TestAnyClusterCanBeUpgraded(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		api := rapid.IntRange(22, 38).Draw(t, "api")
		r := upgrade.Request{Policy: p, Target: version.Minor{Major: 1, Minor: api + rapid.IntRange(0, 5).Draw(t, "by")}.Version()}
		r.Strategy = rapid.SampledFrom([]upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow}).Draw(t, "strategy")
		spread := rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "spread")
		r.Cluster = skewtest.Random{Newest: api, Spread: spread, Lag: spread, Behind: 6, Ahead: 2, Emulation: true, Patches: rapid.SampledFrom([][]int{nil, {0, 1, 2}}).Draw(t, "patches"), Components: []string{"mesh"}}.Cluster(t)
		if r.Cluster.Newest(skew.APIServer).IsZero() {
			t.Skip("the cluster has no API server")
		}

		plan := upgrade.Compute(r)
		if !plan.Feasible {
			t.Fatalf("not feasible, from %v to %s", r.Cluster.Places, r.Target)
		}
		checkWalk(t, r, plan)
	})
}

// TestNoIdleStage checks that each stage changes every location that it names, with any
// running and available patches, and that moves within a minor only happen at the minor
// of the target.
func TestNoIdleStage(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		api := rapid.IntRange(26, 30).Draw(t, "api")
		by := rapid.IntRange(0, 3).Draw(t, "by")
		patched := func(minor int) version.Version {
			v, err := version.Parse(fmt.Sprintf("1.%d.%d", minor, rapid.IntRange(0, 2).Draw(t, "patch")))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		r := upgrade.Request{Policy: p, Target: patched(api + by)}
		r.Strategy = rapid.SampledFrom([]upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow}).Draw(t, "strategy")
		if rapid.Bool().Draw(t, "any patch of the target") {
			r.Target = r.Target.Minor().Version()
		}
		if rapid.Bool().Draw(t, "available") {
			for minor := api - 4; minor <= api+by; minor++ {
				r.Available = append(r.Available, patched(minor))
			}
		}
		r.Cluster = skewtest.Random{Newest: api, Spread: 1, Lag: 1, Behind: 4, Patches: []int{0, 1, 2}, Components: []string{"mesh"}}.Cluster(t)
		if r.Cluster.Newest(skew.APIServer).IsZero() {
			t.Skip("the cluster has no API server")
		}

		plan := upgrade.Compute(r)
		checkWalk(t, r, plan)
		now := map[finding.Location][]skew.Instance{}
		for _, place := range r.Cluster.Places {
			now[place.Location] = slices.Clone(place.Instances)
		}
		for i, stage := range plan.Stages {
			for _, l := range stage.Locations {
				moves := false
				for j, instance := range now[l] {
					if slices.Contains(stage.Components, instance.Component) {
						from := instance.Version
						moves = moves || from.Minor() != stage.To.Minor() || stage.To.Minor() == r.Target.Minor() && from.Normalized() != stage.To.Normalized()
						now[l][j].Version = stage.To
					}
				}
				if !moves {
					t.Fatalf("%s does not move in stage %d:\n%s", l, i+1, strings.Join(stages(plan), "\n"))
				}
			}
		}
		if !plan.Feasible && len(plan.Findings) == 0 {
			t.Fatal("not feasible, but got no finding")
		}
	})
}

// TestIdenticalPoolsMoveTogether checks that pools with the same versions move in the same
// stages.
func TestIdenticalPoolsMoveTogether(t *testing.T) {
	policies := skewtest.AllVariants(t)
	rapid.Check(t, func(t *rapid.T) {
		r := randomRequest(t, policies)
		var twins [][2]finding.Location
		for _, p := range r.Cluster.Places {
			if p.Location.Attribute == finding.NodePools && !slices.Contains(r.Held, p.Location.Key) {
				twin := p
				twin.Location.Key += "twin"
				twins = append(twins, [2]finding.Location{p.Location, twin.Location})
				if limit, limited := r.Limits[p.Location.Key]; limited {
					r.Limits[twin.Location.Key] = limit
				}
				r.Cluster.Places = append(r.Cluster.Places, twin)
			}
		}
		plan := upgrade.Compute(r)
		for i, s := range plan.Stages {
			for _, pair := range twins {
				if slices.Contains(s.Locations, pair[0]) != slices.Contains(s.Locations, pair[1]) {
					t.Fatalf("stage %d moves only one of %v\n%s\n%s", i+1, pair, newWalk(r), strings.Join(stages(plan), "\n"))
				}
			}
		}
	})
}
