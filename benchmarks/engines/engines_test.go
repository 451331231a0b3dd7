// SPDX-License-Identifier: MPL-2.0

package engines

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"syscall"
	"testing"

	goversion "github.com/hashicorp/go-version"
)

// cluster has n nodes over a number of distinct version strings. One kubelet in
// five is too old, or none.
func cluster(n, distinct int, sound bool) Cluster {
	c := Cluster{APIServer: "1.31.2"}
	oldest := 27
	if sound {
		oldest = 28
	}
	for i := range n {
		k := i % (distinct / 2)
		minor := oldest + k%(32-oldest)
		c.Nodes = append(c.Nodes, Node{
			Name:      fmt.Sprintf("node-%05d", i),
			Kubelet:   fmt.Sprintf("1.%d.%d", minor, 2*k),
			KubeProxy: fmt.Sprintf("1.%d.%d", minor, 2*k+1),
		})
	}
	return c
}

// engines makes each engine. Only one is there at a time when it is measured, for
// the memory that the others hold would have to be looked through by the garbage
// collector.
var engines = map[string]func() (Engine, error){
	"versionskew":               Skew,
	"opa":                       func() (Engine, error) { return OPA(context.Background(), "plain") },
	"opa, distinct versions":    func() (Engine, error) { return OPA(context.Background(), "distinct") },
	"cel":                       CEL,
	"go-version, parsing alone": func() (Engine, error) { return parse, nil },
}

func engine(t testing.TB, name string) Engine {
	t.Helper()
	e, err := engines[name]()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEngines: all engines say the same, so that the same work is measured.
func TestEngines(t *testing.T) {
	for _, c := range []Cluster{
		cluster(50, 15, false), cluster(50, 100, false),
		{APIServer: "1.26.0", Nodes: []Node{{"old", "1.23.1", "1.23.1"}, {"apart", "1.26.0", "1.23.9"}, {"new", "1.27.0", "1.26.0"}, {"sound", "1.24.0", "1.24.0"}}},
	} {
		want, err := engine(t, "versionskew")(c)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 {
			t.Fatal("nothing is broken, so nothing is compared")
		}
		for name := range engines {
			got, err := engine(t, name)(c)
			if err != nil {
				t.Fatal(err)
			}
			if got != nil && !maps.Equal(got, want) {
				t.Errorf("%s counts %v, versionskew %v", name, got, want)
			}
		}
	}
}

// BenchmarkEngines judges clusters whose nodes share some 30 version strings, and
// clusters whose nodes share none; in those called broken, one kubelet in five is
// too old. Compare the rows of one run.
func BenchmarkEngines(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		for _, shape := range []struct {
			name     string
			distinct int
			sound    bool
		}{{"shared", min(2*n, 30), true}, {"shared, broken", min(2*n, 30), false}, {"distinct", 2 * n, true}, {"distinct, broken", 2 * n, false}} {
			c := cluster(n, shape.distinct, shape.sound)
			for _, name := range slices.Sorted(maps.Keys(engines)) {
				b.Run(fmt.Sprintf("nodes=%d/versions=%s/engine=%s", n, shape.name, name), func(b *testing.B) {
					judge := engine(b, name)
					runtime.GC()
					before := processorTime(b)
					for b.Loop() {
						if _, err := judge(c); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(processorTime(b)-before)/float64(b.N)/float64(n), "cpu-ns/node")
				})
			}
		}
	}
}

// processorTime is what the process has taken, in nanoseconds. Unlike the time
// that passes, it tells little of what else the machine does.
func processorTime(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// parse is no engine: it reads every version, and judges nothing, which it says
// by counting nothing at all.
func parse(c Cluster) (map[string]int, error) {
	for _, n := range c.Nodes {
		for _, s := range []string{n.Kubelet, n.KubeProxy} {
			if _, err := goversion.NewVersion(s); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}
