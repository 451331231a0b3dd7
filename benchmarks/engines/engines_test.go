package engines

import (
	"fmt"
	"maps"
	"slices"
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

func engines(t testing.TB) map[string]Engine {
	t.Helper()
	all := map[string]Engine{}
	add := func(name string, e Engine, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all[name] = e
	}
	own, err := Skew()
	add("versionskew", own, err)
	plain, err := OPA(t.Context(), "plain")
	add("opa", plain, err)
	distinct, err := OPA(t.Context(), "distinct")
	add("opa, distinct versions", distinct, err)
	expressions, err := CEL()
	add("cel", expressions, err)
	return all
}

// TestEngines: all engines say the same, so that the same work is measured.
func TestEngines(t *testing.T) {
	all := engines(t)
	for _, c := range []Cluster{
		cluster(50, 15, false), cluster(50, 100, false),
		{APIServer: "1.26.0", Nodes: []Node{{"old", "1.23.1", "1.23.1"}, {"apart", "1.26.0", "1.23.9"}, {"new", "1.27.0", "1.26.0"}, {"sound", "1.24.0", "1.24.0"}}},
	} {
		want, err := all["versionskew"](c)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 {
			t.Fatal("nothing is broken, so nothing is compared")
		}
		for name, engine := range all {
			got, err := engine(c)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s counts %v, versionskew %v", name, got, want)
			}
		}
	}
}

// BenchmarkEngines judges clusters whose nodes share some 30 version strings, and
// clusters whose nodes share none; in those called broken, one kubelet in five is
// too old. Compare the rows of one run.
func BenchmarkEngines(b *testing.B) {
	all := engines(b)
	all["go-version, parsing alone"] = parse
	for _, n := range []int{10, 100, 1_000, 10_000} {
		for _, shape := range []struct {
			name     string
			distinct int
			sound    bool
		}{{"shared", min(2*n, 30), true}, {"shared, broken", min(2*n, 30), false}, {"distinct", 2 * n, true}, {"distinct, broken", 2 * n, false}} {
			c := cluster(n, shape.distinct, shape.sound)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				b.Run(fmt.Sprintf("nodes=%d/versions=%s/engine=%s", n, shape.name, name), func(b *testing.B) {
					for b.Loop() {
						if _, err := all[name](c); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
				})
			}
		}
	}
}

// parse is no engine: it reads every version, and judges nothing.
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
