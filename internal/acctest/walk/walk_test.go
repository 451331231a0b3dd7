// SPDX-License-Identifier: MPL-2.0

package walk_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/walk"
)

var (
	steps    = flag.Int("walk.steps", 150, "steps of every walk")
	seed     = flag.Uint64("walk.seed", 1, "where the walks start")
	observed = flag.Bool("walk.observed", true, "wire observed to what runs, in walks with a CLI")
	results  = flag.String("walk.results", "", "file that the counts of the walks are added to")
)

// TestWalks compares the verdict of every plan with what then happens: a plan that
// passes is not refused by the platform, and runs through no combination that
// breaks the policy; a plan that is refused would have been, or would have run
// through one. What runs is observed, as the guides say.
func TestWalks(t *testing.T) {
	for _, g := range walk.Graphs {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			counts := walkThrough(t, g, true)
			if *steps >= 100 && (counts.Applied == 0 || counts.Refused == 0 || counts.Failed == 0) {
				t.Errorf("the walk has not seen everything: %+v", counts)
			}
		})
	}
}

// TestWalksUnobserved: without observed, the laws hold as long as what the guard
// takes to run does so: see Counts.Stale.
func TestWalksUnobserved(t *testing.T) {
	for _, g := range walk.Graphs {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			walkThrough(t, g, false)
		})
	}
}

// walkThrough takes all steps of one walk, and reports what breaches the laws.
func walkThrough(t *testing.T, g walk.Graph, observed bool) walk.Counts {
	t.Helper()
	w, err := walk.New(g, observed, *seed)
	if err != nil {
		t.Fatal(err)
	}
	for range *steps {
		if err := w.Step(); err != nil {
			t.Fatal(err)
		}
	}
	report(t, w)
	record(t, g.Name, *steps, observed, w.Counts)
	return w.Counts
}

// TestWalksFindWrongOrder: a validation that says another order than its module
// has lets plans pass that break, or refuses some that don't.
func TestWalksFindWrongOrder(t *testing.T) {
	for _, g := range walk.Graphs {
		if g.Order == "unordered" { // which is what the strictest guard says already
			continue
		}
		for _, says := range []string{"control_plane_first", "node_pools_first", "any"} {
			if says == g.Order {
				continue
			}
			t.Run(g.Name+" says "+says, func(t *testing.T) {
				t.Parallel()
				g.Says = says
				w, err := walk.New(g, true, *seed)
				if err != nil {
					t.Fatal(err)
				}
				for i := 0; i < max(*steps, 4000) && len(w.Breaches) == 0; i++ {
					if err := w.Step(); err != nil {
						t.Fatal(err)
					}
				}
				if len(w.Breaches) == 0 {
					t.Error("the walk finds nothing")
				}
			})
		}
	}
}

func report(t *testing.T, w *walk.Walk) {
	t.Helper()
	t.Logf("%+v", w.Counts)
	for i, b := range w.Breaches {
		if i == 5 {
			t.Errorf("and %d more", len(w.Breaches)-i)
			break
		}
		t.Errorf("%s", b)
	}
}

func record(t *testing.T, name string, steps int, observed bool, counts any) {
	t.Helper()
	if *results == "" {
		return
	}
	line, err := json.Marshal(map[string]any{"walk": name, "steps": steps, "observed": observed, "seed": *seed, "counts": counts})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(*results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(file, "%s\n", line); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
