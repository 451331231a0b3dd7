package skew

// Groups gathers what shares a key. The zero value is empty.
type Groups[K comparable, V any] struct {
	// All is the groups in the order in which their keys came.
	All   []V
	index map[K]int
}

// Of returns the group of a key, which create makes if the key is new. The
// pointer is good until the next call.
func (g *Groups[K, V]) Of(key K, create func() V) *V {
	i, known := g.index[key]
	if !known {
		if g.index == nil {
			g.index = map[K]int{}
		}
		i = len(g.All)
		g.index[key] = i
		g.All = append(g.All, create())
	}
	return &g.All[i]
}
