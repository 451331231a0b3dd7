// SPDX-License-Identifier: MPL-2.0

package walk_test

import (
	"flag"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/walk"
)

var starts = flag.Int("walk.starts", 10, "upgrades of every graph and strategy that a plan drives")

// TestUpgrades: a module that declares what next says, stage by stage, reaches the
// target in as many stages as the first plan promises, for every strategy and with
// node pools that are held. The guard refuses no plan, the platform no operation,
// and nothing that runs on the way breaks the policy further than the start did.
// The same goes for as many stages at once as the plan puts into one apply.
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
				record(t, g.Name+" by plan, "+strategy, *starts, false, upgrades.Counts)
			})
		}
	}
}
