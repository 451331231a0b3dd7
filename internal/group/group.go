// Package group collects values by key, in the order in which the keys first came.
package group

// Map holds one value for each key. The zero value is empty.
type Map[K comparable, V any] struct {
	// All is the values, in the order in which their keys first came.
	All   []V
	index map[K]int
}

// GetOrCreate returns the value of a key, which create makes if the key is new.
// The pointer is valid until the next call.
func (g *Map[K, V]) GetOrCreate(key K, create func() V) *V {
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
