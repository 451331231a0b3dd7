// SPDX-License-Identifier: MPL-2.0

// Package group collects values by key, in the order in which the keys first
// appeared.
package group

// Map holds one value per key. The zero value is empty.
type Map[K comparable, V any] struct {
	// All holds the values in the order in which their keys first appeared.
	All   []V
	index map[K]int
}

// GetOrCreate returns the value of a key, and calls create for a new key. The
// pointer is valid until the next call.
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
