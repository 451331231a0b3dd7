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
	steps   = flag.Int("walk.steps", 400, "steps of every walk")
	seed    = flag.Uint64("walk.seed", 1, "where the walks start")
	results = flag.String("walk.results", "", "file that the counts of the walks are added to")
)

// TestWalks holds the verdict of every plan against what then happens: a plan that
// passes is not refused by the platform, and runs through no combination that
// breaks the policy; a plan that is refused would have been, or would have run
// through one. What runs is observed, as the guides say.
func TestWalks(t *testing.T) {
	for _, g := range walk.Graphs {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			w := run(t, g, true)
			for i, b := range w.Breaches {
				if i == 5 {
					t.Errorf("and %d more", len(w.Breaches)-i)
					break
				}
				t.Errorf("%s", b)
			}
			if *steps >= 100 && (w.Counts.Applied == 0 || w.Counts.Refused == 0 || w.Counts.Failed == 0) {
				t.Errorf("the walk has not seen everything: %+v", w.Counts)
			}
		})
	}
}

func run(t *testing.T, g walk.Graph, observe bool) *walk.Walk {
	t.Helper()
	w, err := walk.New(g, observe, *seed)
	if err != nil {
		t.Fatal(err)
	}
	for range *steps {
		if err := w.Step(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d steps: %+v", *steps, w.Counts)
	record(t, fmt.Sprintf("%s, observed %t", g.Name, observe), w.Counts)
	return w
}

func record(t *testing.T, name string, counts walk.Counts) {
	t.Helper()
	if *results == "" {
		return
	}
	line, err := json.Marshal(map[string]any{"walk": name, "steps": *steps, "seed": *seed, "counts": counts})
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
