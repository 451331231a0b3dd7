// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// changeOffers sometimes changes what the platform offers: it publishes versions, retires
// some, or offers every version.
//
// While the guard does not know what is offered, or which cluster the versions belong to,
// the platform offers every version. The laws would not hold otherwise.
func (w *Walk) changeOffers() {
	if !w.graph.Managed() {
		return
	}
	newest := newestMinor(w.declared.ControlPlane)
	switch n := w.random.IntN(16); {
	case n == 0:
		w.offered = nil
	case n < 3 || len(w.offered) == 0: // another region
		w.offered = nil
		w.publish(newest-4, newest+3)
	case n < 6:
		w.publish(newest, newest+3)
	case n < 9:
		w.offered = slices.DeleteFunc(w.offered, func(string) bool { return w.random.IntN(4) == 0 })
	}
	w.world.Offered = nil
	if w.observe && !w.replacing() && !w.replacementUnfinished() && (w.running() != nil || !w.usesCLI()) {
		w.world.Offered = slices.Clone(w.offered)
	}
}

// publish offers most versions of a range of minors.
func (w *Walk) publish(from, to int) {
	for minor := from; minor <= to; minor++ {
		for patch := range 3 {
			version := w.graph.version(minor, patch)
			if w.graph.Kind == platform.GKE && w.random.IntN(4) == 3 {
				version = strings.Replace(version, "-gke.1000", "-gke.2000", 1)
			}
			if w.random.IntN(5) > 0 && !slices.Contains(w.offered, version) {
				w.offered = append(w.offered, version)
			}
			if !w.graph.hasPatches() {
				break
			}
		}
	}
}

// offeredPatches returns the offered versions of a minor. Those with another build than
// randomVersion uses are left out.
func (w *Walk) offeredPatches(minor int) []string {
	var all []string
	for _, version := range w.offered {
		if platform.Minor(version) == minor && !strings.HasSuffix(version, "-gke.2000") {
			all = append(all, version)
		}
	}
	return all
}
