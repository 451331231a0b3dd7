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
	steps    = flag.Int("walk.steps", 150, "number of `steps` in each walk")
	seed     = flag.Uint64("walk.seed", 1, "`seed` of the random changes")
	observed = flag.Bool("walk.observed", true, "set observed to the running versions in walks with a CLI")
	results  = flag.String("walk.results", "", "`file` to which the counts of each walk are appended, as JSON lines")
)

// TestWalks checks the two laws in the package documentation on each graph, with observed
// set to the running versions as the guides recommend.
func TestWalks(t *testing.T) {
	for _, g := range walk.Graphs {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			counts := walkThrough(t, g, true)
			if *steps >= 100 && (counts.Applied == 0 || counts.Refused == 0 || counts.Failed == 0) {
				t.Errorf("the walk does not contain successful, rejected and failed applies: %+v", counts)
			}
			if *steps >= 100 && (counts.AddOn == 0 || g.Managed() && counts.NotOffered == 0) {
				t.Errorf("the walk does not contain plans that fail because of the add-on, or because a version is not offered: %+v", counts)
			}
		})
	}
}

// TestWalksWithoutObserved checks the same laws without observed. They only hold while the
// versions in state are those that run: see Counts.Stale.
func TestWalksWithoutObserved(t *testing.T) {
	for _, g := range walk.Graphs {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			walkThrough(t, g, false)
		})
	}
}

// walkThrough performs one walk, and reports violations of the laws.
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

// TestWalksDetectWrongApplyOrder checks that a walk finds a violation of the laws if
// apply_order does not match the graph of the module.
func TestWalksDetectWrongApplyOrder(t *testing.T) {
	for _, g := range walk.Graphs {
		if g.Order == "unordered" { // the strictest order
			continue
		}
		for _, declared := range []string{"control_plane_first", "node_pools_first", "any"} {
			if declared == g.Order {
				continue
			}
			t.Run(g.Name+" declares "+declared, func(t *testing.T) {
				t.Parallel()
				g.DeclaredOrder = declared
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
					t.Error("the walk found no violation")
				}
			})
		}
	}
}

// report logs the counts of a walk, and fails the test for each violation of the laws.
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

// record appends counts to the file of -walk.results.
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
