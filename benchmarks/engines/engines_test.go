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

// cluster returns a cluster with n nodes that have the given number of distinct version
// strings. Unless it is compatible, one kubelet in five is too old.
func cluster(n, distinct int, compatible bool) Cluster {
	c := Cluster{APIServer: "1.31.2"}
	oldest := 27
	if compatible {
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

// engines creates each engine. Only one engine exists during a measurement, because the
// garbage collector would otherwise have to scan the memory of the others.
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

// TestEngines checks that all engines return the same result, so that the benchmark
// compares the same work.
func TestEngines(t *testing.T) {
	for _, c := range []Cluster{
		cluster(50, 15, false), cluster(50, 100, false),
		{APIServer: "1.26.0", Nodes: []Node{{"old", "1.23.1", "1.23.1"}, {"apart", "1.26.0", "1.23.9"}, {"new", "1.27.0", "1.26.0"}, {"compatible", "1.24.0", "1.24.0"}}},
	} {
		want, err := engine(t, "versionskew")(c)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 {
			t.Fatal("the cluster has no violations to compare")
		}
		for name := range engines {
			got, err := engine(t, name)(c)
			if err != nil {
				t.Fatal(err)
			}
			if got != nil && !maps.Equal(got, want) {
				t.Errorf("%s returns %v, versionskew %v", name, got, want)
			}
		}
	}
}

// BenchmarkEngines evaluates clusters whose nodes share about 30 version strings, and
// clusters in which every version string is different. In those called broken, one kubelet
// in five is too old. Only compare rows of the same run.
func BenchmarkEngines(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		for _, shape := range []struct {
			name       string
			distinct   int
			compatible bool
		}{{"shared", min(2*n, 30), true}, {"shared, broken", min(2*n, 30), false}, {"distinct", 2 * n, true}, {"distinct, broken", 2 * n, false}} {
			c := cluster(n, shape.distinct, shape.compatible)
			for _, name := range slices.Sorted(maps.Keys(engines)) {
				b.Run(fmt.Sprintf("nodes=%d/versions=%s/engine=%s", n, shape.name, name), func(b *testing.B) {
					evaluate := engine(b, name)
					runtime.GC()
					before := cpuTime(b)
					for b.Loop() {
						if _, err := evaluate(c); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N)/float64(n), "cpu-ns/node")
				})
			}
		}
	}
}

// cpuTime returns the CPU time of this process in nanoseconds. Unlike wall time, it hardly
// depends on what else the machine does.
func cpuTime(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// parse only parses every version, as a baseline. It returns nil because it checks no rule.
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
