// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"fmt"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// findProblem tries all orders of the operations that the graph allows, and describes a
// problem that can occur: the platform rejects an operation, a combination on the way
// exceeds a limit of the policy further than the start did, or the final combination exceeds
// one further than accepted. It returns "" if no order has a problem. world is the platform,
// which does not change.
func findProblem(world *platform.World, g Graph, start platform.Cluster, operations []platform.Operation, accepted map[string]int) string {
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
			if pair := worse(now.cluster, accepted); pair != "" {
				return "after the apply, " + pair
			}
			continue
		}
		stuck := true
		for i, o := range operations {
			if now.done>>i&1 == 1 || slices.ContainsFunc(operations, func(first platform.Operation) bool {
				j := slices.Index(operations, first)
				return now.done>>j&1 == 0 && g.Precedes(first, o)
			}) {
				continue
			}
			stuck = false
			next, err := world.Try(now.cluster, o)
			if err != nil {
				return fmt.Sprintf("the platform rejects %s: %s", o, err)
			}
			if pair := worse(next, before); pair != "" {
				return fmt.Sprintf("after %s, %s", o, pair)
			}
			done := now.done | 1<<i
			if key := fmt.Sprint(done, next); !seen[key] {
				seen[key] = true
				todo = append(todo, state{done, next})
			}
		}
		if stuck {
			panic("the order of the graph has a cycle")
		}
	}
	return ""
}

// problemIn describes a problem that has occurred in an apply: the platform rejected an
// operation, or a combination exceeded a limit further than before. It returns "" if there was
// none.
func problemIn(history []platform.Event, before map[string]int) string {
	for _, m := range history {
		if m.Refused != "" {
			return fmt.Sprintf("the platform rejects %s: %s", m.Operation, m.Refused)
		}
		if pair := worse(m.Cluster, before); pair != "" {
			return fmt.Sprintf("after %s, %s", m.Operation, pair)
		}
	}
	return ""
}

// worse returns a pair that exceeds a limit further than before, or "".
func worse(c platform.Cluster, before map[string]int) string {
	for pair, by := range c.Violations() {
		if by > before[pair] {
			return pair
		}
	}
	return ""
}
