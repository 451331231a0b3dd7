// SPDX-License-Identifier: MPL-2.0

package walk_test

import (
	"flag"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/walk"
)

var starts = flag.Int("walk.starts", 10, "number of `upgrades` for each graph and strategy")

// TestUpgrades follows next stage by stage, for every strategy and with held node pools,
// and checks that it reaches the target in as many stages as the first plan has. No
// validation and no platform may reject a step, and no combination on the way may exceed a
// limit further than the start did. The same must hold when each apply combines the
// stages that the plan assigns to it.
func TestUpgrades(t *testing.T) {
	for _, g := range walk.Graphs {
		for _, strategy := range []string{"fewest_rollouts", "required_only", "follow"} {
			t.Run(g.Name+" "+strategy, func(t *testing.T) {
				t.Parallel()
				upgrades, err := walk.NewUpgrades(g, *seed)
				if err != nil {
					t.Fatal(err)
				}
				failed := 0
				for range *starts {
					u := upgrades.Draw(strategy)
					for _, take := range []func(walk.Upgrade) error{upgrades.Follow, upgrades.Apply} {
						if err := take(u); err != nil {
							if failed++; failed <= 5 {
								t.Errorf("%s\n%v", u, err)
							}
							break
						}
					}
				}
				if failed > 5 {
					t.Errorf("and %d more", failed-5)
				}
				t.Logf("%+v", upgrades.Counts)
				record(t, g.Name+" upgrades, "+strategy, *starts, false, upgrades.Counts)
			})
		}
	}
}
