// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// Outcome says what goes wrong when a cluster takes operations in some order that
// a graph allows: the platform refuses one, a combination on the way breaks the
// policy of the platform further than the start did, or the last one breaks it at
// all. It is empty if nothing can go wrong. waits reports whether an operation
// comes after another one.
func Outcome(start platform.Cluster, operations []platform.Operation, waits func(first, second platform.Operation) bool) string {
	return outcome(start, operations, waits, func(end platform.Cluster) string {
		for pair := range end.Violations() {
			return "in the end, " + pair
		}
		return ""
	})
}

// outcome is Outcome with a verdict of its own on the last combination.
func outcome(start platform.Cluster, operations []platform.Operation, waits func(first, second platform.Operation) bool, end func(platform.Cluster) string) string {
	before := start.Violations()
	type state struct {
		done    uint64
		cluster platform.Cluster
	}
	todo := []state{{cluster: start}}
	seen := map[string]bool{}
	all := uint64(1)<<len(operations) - 1
	for len(todo) > 0 {
		now := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if now.done == all {
			if wrong := end(now.cluster); wrong != "" {
				return wrong
			}
			continue
		}
		stuck := true
		for i, o := range operations {
			if now.done>>i&1 == 1 || slices.ContainsFunc(operations, func(first platform.Operation) bool {
				j := slices.Index(operations, first)
				return now.done>>j&1 == 0 && waits(first, o)
			}) {
				continue
			}
			stuck = false
			next, err := now.cluster.Try(o)
			if err != nil {
				return fmt.Sprintf("%s is refused: %s", o, err)
			}
			for pair, by := range next.Violations() {
				if by > before[pair] {
					return fmt.Sprintf("after %s, %s", o, pair)
				}
			}
			done := now.done | 1<<i
			if key := fmt.Sprint(done, next); !seen[key] {
				seen[key] = true
				todo = append(todo, state{done, next})
			}
		}
		if stuck {
			panic("the graph has a cycle")
		}
	}
	return ""
}
