// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// Counts are what came of the steps of a walk.
type Counts struct {
	Passed  int `json:"passed"`
	Refused int `json:"refused"`
	Applied int `json:"applied"`
	// Failed applies have met a fault of the platform.
	Failed int `json:"failed"`
	// Unwell is a passed plan that the platform refuses, or that runs through a
	// combination that breaks the policy.
	Unwell int `json:"passed_but_refused"`
	// Overstrict is a refused plan that would have gone through.
	Overstrict int `json:"refused_but_fine"`
	// Stale are those of these where nothing is observed, and what the guard
	// takes to run does not: something has failed or moved since it was
	// recorded, machines ignore their arguments, or GKE is above its floor.
	Stale int `json:"stale"`
	// Late is a plan that passed with something unknown and was refused by the
	// validation in the apply.
	Late int `json:"refused_in_apply"`
}

// Breach is a step that breaks a law.
type Breach struct {
	Graph, Law string
	Seed       uint64
	Step       int
	Running    platform.Cluster
	Declared   Declared
	Observe    bool
	Operations []platform.Operation
	Told       string // what the plan says
	Outcome    string // what happens
}

func (b Breach) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s (seed %d, step %d, observed %t)\n", b.Graph, b.Law, b.Seed, b.Step, b.Observe)
	fmt.Fprintf(&text, "  runs:     control plane %v, pools %v, kube-proxy %q\n", b.Running.ControlPlane, b.Running.Pools, b.Running.KubeProxy)
	fmt.Fprintf(&text, "  declared: control plane %v, pools %v, kube-proxy %q\n", b.Declared.ControlPlane, b.Declared.Pools, b.Declared.KubeProxy)
	fmt.Fprintf(&text, "  apply:    %v\n", b.Operations)
	fmt.Fprintf(&text, "  plan:     %s\n", strings.ReplaceAll(b.Told, "\n", "\n            "))
	fmt.Fprintf(&text, "  outcome:  %s\n", b.Outcome)
	return text.String()
}

// Walk is a cluster, its configuration and its guard on the way.
type Walk struct {
	graph    Graph
	observe  bool
	level    string // the enforcement level of the guard, if not the default
	random   *rand.Rand
	seed     uint64
	world    *platform.World
	engine   engine
	declared Declared
	applied  Declared // what the last apply has reached
	made     int      // the generation of what runs
	recorded string   // the ID of the cluster that the guard has recorded
	record   string   // what ran when the guard recorded it
	named    int      // counts the pools that were ever declared
	step     int

	Counts   Counts
	Breaches []Breach
}

// engine plans and applies what is declared.
type engine interface {
	// plan returns what the guard says against it, empty if nothing.
	plan(w *Walk) (refused string, err error)
	// apply does what has been planned, and returns what the guard then says
	// against it. The world knows what the platform has said.
	apply(w *Walk, operations []platform.Operation) (refused string, err error)
	// refreshes reports whether resources see what has moved behind their back.
	refreshes(w *Walk) bool
	// replaces reports whether it can replace a cluster.
	replaces(w *Walk) bool
}

// New starts a walk without a CLI where nothing runs. The provider answers over
// the protocol, and the graph is walked here.
func New(g Graph, observe bool, seed uint64) (*Walk, error) {
	guard, err := newGuard()
	if err != nil {
		return nil, err
	}
	return start(g, observe, seed, &platform.World{}, guard), nil
}

func start(g Graph, observe bool, seed uint64, world *platform.World, e engine) *Walk {
	w := &Walk{graph: g, observe: observe, random: rand.New(rand.NewPCG(seed, 1)), seed: seed, world: world, engine: e}
	w.declared = w.fresh(31 + w.random.IntN(3))
	w.applied = w.declared.clone()
	return w
}

// cluster is the name of the cluster of a generation. EKS can't make a cluster
// beside one of its name, and modules make the new one first.
func (w *Walk) cluster(generation int) string {
	if w.graph.Kind == platform.EKS {
		return fmt.Sprintf("main-%d", generation)
	}
	return "main"
}

func (w *Walk) running() *platform.Cluster { return w.world.Clusters[w.cluster(w.made)] }

func (w *Walk) replaced() bool { return w.running() != nil && w.made != w.declared.Generation }

// fresh declares a sound cluster of a minor.
func (w *Walk) fresh(minor int) Declared {
	d := Declared{ControlPlane: map[string]string{}, Pools: map[string]string{}, Generation: max(w.declared.Generation, 1)}
	version := w.version(minor)
	for _, name := range w.graph.instances {
		d.ControlPlane[name] = version
	}
	if w.graph.defaultPool != "" {
		d.Pools[w.graph.defaultPool] = version
	}
	for range 1 + w.random.IntN(3) {
		d.Pools[w.name()] = version
	}
	if w.graph.kubeProxy {
		d.KubeProxy = w.addOn(minor)
	}
	return d
}

func (w *Walk) name() string {
	w.named++
	return fmt.Sprintf("p%d", w.named)
}

func (w *Walk) version(minor int) string {
	minor = max(minor, 26) // below 1.25, other limits hold
	switch {
	case !w.graph.patches:
		return fmt.Sprintf("1.%d", minor)
	case w.graph.Kind == platform.GKE:
		return fmt.Sprintf("1.%d.%d-gke.1000", minor, w.random.IntN(3))
	}
	return fmt.Sprintf("1.%d.%d", minor, w.random.IntN(3))
}

func (w *Walk) addOn(minor int) string {
	return fmt.Sprintf("v1.%d.%d-eksbuild.1", minor, w.random.IntN(3))
}

// newest is the minor of the newest declared control-plane instance.
func (d Declared) newest() int {
	newest := 0
	for _, version := range d.ControlPlane {
		newest = max(newest, platform.Minor(version))
	}
	return newest
}

// sorted is never nil: a list that is empty is not null.
func sorted(names map[string]string) []string {
	return append([]string{}, slices.Sorted(maps.Keys(names))...)
}

// pick returns one of some names, or "" without any.
func (w *Walk) pick(names map[string]string) string {
	all := sorted(names)
	if len(all) == 0 {
		return ""
	}
	return all[w.random.IntN(len(all))]
}

// minors is how far a version moves: mostly to the next minor.
func (w *Walk) minors() int { return []int{1, 1, 1, 1, 0, 0, 2, 3, -1, -1, -2}[w.random.IntN(11)] }

// change is what a user does between two plans.
func (w *Walk) change() {
	d := &w.declared
	switch n := w.random.IntN(100); {
	case n < 22: // the control plane moves
		minor := d.newest() + w.minors()
		version := w.version(minor)
		if w.graph.managed() || w.graph.immutable || w.random.IntN(3) > 0 {
			for name := range d.ControlPlane {
				d.ControlPlane[name] = version
			}
		} else {
			d.ControlPlane[w.pick(d.ControlPlane)] = version
		}
	case n < 40: // a pool moves to the control plane's version, or anywhere
		if name := w.pick(d.Pools); name != "" {
			if w.random.IntN(2) == 0 {
				d.Pools[name] = d.ControlPlane[w.pick(d.ControlPlane)]
			} else {
				d.Pools[name] = w.version(d.newest() - w.random.IntN(5) + 1)
			}
		}
	case n < 52: // all pools follow
		version := d.ControlPlane[w.pick(d.ControlPlane)]
		for name := range d.Pools {
			d.Pools[name] = version
		}
		if w.graph.kubeProxy {
			d.KubeProxy = w.addOn(platform.Minor(version))
		}
	case n < 60: // everything moves at once
		minor := d.newest() + w.minors()
		version := w.version(minor)
		for name := range d.ControlPlane {
			d.ControlPlane[name] = version
		}
		for name := range d.Pools {
			d.Pools[name] = version
		}
		if w.graph.kubeProxy {
			d.KubeProxy = w.addOn(minor)
		}
	case n < 68: // a pool is added
		if len(d.Pools) < 4 {
			d.Pools[w.name()] = w.version(d.newest() - w.random.IntN(4) + w.random.IntN(2))
		}
	case n < 75: // a pool is removed
		if name := w.pick(d.Pools); name != "" && name != w.graph.defaultPool {
			delete(d.Pools, name)
		}
	case n < 80: // a pool is renamed, and may move on the way
		if name := w.pick(d.Pools); name != "" && name != w.graph.defaultPool {
			version := d.Pools[name]
			delete(d.Pools, name)
			if w.random.IntN(2) == 0 {
				version = d.ControlPlane[w.pick(d.ControlPlane)]
			}
			d.Pools[w.name()] = version
		}
	case n < 85: // a version is left to the platform
		if name := w.pick(d.Pools); name != "" && w.graph.Nulls {
			d.Pools[name] = ""
		}
	case n < 90: // the add-on moves
		if w.graph.kubeProxy {
			d.KubeProxy = w.addOn(d.newest() - w.random.IntN(4))
		}
	case n < 94: // what failed or was refused is taken back
		*d = w.applied.clone()
	case n < 97: // the cluster is replaced, at any version
		if w.engine.replaces(w) {
			pools := d.Pools
			*d = w.fresh(29 + w.random.IntN(6))
			for name := range pools { // the pools are those that there were
				pools[name] = d.ControlPlane[w.pick(d.ControlPlane)]
			}
			d.Pools = pools
			d.Generation++
		}
	default: // a start from scratch, where the walk has come too far
		if w.engine.replaces(w) && (d.newest() > 60 || d.newest() < 27) {
			*d = w.fresh(31)
			d.Generation = w.declared.Generation + 1
		}
	}
	if w.graph.immutable { // there is one version, for machines that are new
		version := d.ControlPlane[w.graph.instances[0]]
		for name := range d.ControlPlane {
			d.ControlPlane[name] = version
		}
		for name := range d.Pools {
			d.Pools[name] = version
		}
	}
}

// adopt declares what runs, as after an upgrade in the console.
func (w *Walk) adopt() {
	running := w.running()
	if running == nil || w.replaced() {
		w.declared = w.applied.clone()
		return
	}
	w.declared.ControlPlane = maps.Clone(running.ControlPlane)
	w.declared.Pools = maps.Clone(running.Pools)
	if running.KubeProxy != "" {
		w.declared.KubeProxy = running.KubeProxy
	}
	for _, name := range w.graph.instances { // one that was never made
		if w.declared.ControlPlane[name] == "" {
			w.declared.ControlPlane[name] = w.applied.ControlPlane[name]
		}
	}
}

// behind moves something behind Terraform's back: in a console, by a channel, or
// with another tool. The platform sees to what it allows.
func (w *Walk) behind() {
	running := w.running()
	if running == nil {
		return
	}
	newest := Declared{ControlPlane: running.ControlPlane}.newest()
	switch w.random.IntN(3) {
	case 0, 1:
		version := w.version(newest + w.random.IntN(2))
		for _, name := range slices.Sorted(maps.Keys(running.ControlPlane)) {
			_ = w.world.Do(w.graph.Kind, w.cluster(w.made), platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(name), Version: version})
		}
		if !w.graph.immutable {
			return
		}
		fallthrough
	default: // talosctl takes the workers along
		for _, name := range slices.Sorted(maps.Keys(running.Pools)) {
			if w.graph.immutable || w.random.IntN(2) == 0 {
				_ = w.world.Do(w.graph.Kind, w.cluster(w.made), platform.Operation{Action: platform.Move, Target: platform.PoolTarget(name), Version: running.ControlPlane[w.pick(running.ControlPlane)]})
			}
		}
	}
}

// between reports whether a replacement has failed half-way: there is a new
// cluster, and the record is one of the old. Until it is finished, no step is
// judged, so that the guides say to finish it with the same versions.
func (w *Walk) between() bool {
	return w.recorded != "" && w.running() != nil && w.recorded != w.running().ID
}

// halfWay reports whether some of the control-plane machines have not got to
// where they should be. Terraform moves them side by side: those of one upgrade
// in any order, but not those of two.
func (w *Walk) halfWay() bool {
	return !w.graph.managed() && !w.graph.immutable && w.running() != nil && !maps.Equal(w.running().ControlPlane, w.declared.ControlPlane)
}

// Step changes something, plans, and holds the verdict against what happens.
func (w *Walk) Step() error {
	w.step++
	if w.step > 1 && !w.between() && !w.halfWay() {
		if w.random.IntN(8) == 0 {
			w.behind()
			if !w.engine.refreshes(w) { // what runs has to be declared first
				w.adopt()
			}
		}
		for range 1 + w.random.IntN(3) {
			w.change()
		}
	}
	refused, err := w.engine.plan(w)
	if err != nil {
		return err
	}
	gone := "" // the cluster that goes, and breaks what it likes
	if w.replaced() {
		gone = w.running().ID
	}
	start := platform.Cluster{Kind: w.graph.Kind, ControlPlane: map[string]string{}, Pools: map[string]string{}}
	if now := w.running(); now != nil && !w.replaced() {
		start = *now
	}
	operations := w.graph.Operations(w.declared, start)
	outcome := Outcome(start, operations, w.graph.Waits)
	stale := !w.observe && (w.graph.immutable || w.running() == nil || ran(*w.running()) != w.record || w.belowFloor())
	breach := func(law, told string) {
		if stale {
			w.Counts.Stale++
			return
		}
		w.Breaches = append(w.Breaches, Breach{
			Graph: w.graph.Name, Law: law, Seed: w.seed, Step: w.step, Running: start, Declared: w.declared.clone(), Observe: w.observe,
			Operations: operations, Told: told, Outcome: outcome,
		})
	}
	if refused != "" {
		w.Counts.Refused++
		if outcome == "" {
			w.Counts.Overstrict++
			breach("refused but fine", refused)
		}
		switch w.random.IntN(4) { // some go on from what was refused
		case 0:
			w.declared = w.applied.clone()
		case 1, 2:
			w.adopt()
		}
		return nil
	}
	w.Counts.Passed++
	if outcome != "" {
		w.Counts.Unwell++
		breach("passed but refused", "passes")
		w.adopt() // or else the walk would leave the platform behind
		return nil
	}
	if w.random.IntN(10) == 0 {
		return nil // planned, and not applied
	}
	if len(operations) > 0 && w.random.IntN(6) == 0 {
		o := operations[w.random.IntN(len(operations))]
		w.world.Faults = append(w.world.Faults, platform.Fault{Action: o.Action, Target: o.Target, Moved: w.random.IntN(2) == 0 && o.Action == platform.Move})
	}
	w.world.History = nil
	refused, err = w.engine.apply(w, operations)
	if err != nil {
		return err
	}
	failed := false
	before := start.Violations()
	for _, m := range w.world.History {
		if gone != "" && m.Cluster.ID == gone {
			continue
		}
		failed = failed || m.Failed
		if m.Refused != "" {
			outcome = fmt.Sprintf("%s is refused: %s", m.Operation, m.Refused)
		}
		for pair, by := range m.Cluster.Violations() {
			if by > before[pair] {
				outcome = fmt.Sprintf("after %s, %s", m.Operation, pair)
			}
		}
	}
	w.world.Faults, w.world.History = nil, nil
	switch {
	case outcome != "":
		w.Counts.Unwell++
		breach("passed but refused", "passes")
	case failed:
		w.Counts.Failed++
	case refused != "":
		w.Counts.Late++
		outcome = "everything has gone through"
		breach("refused in apply", refused)
	default:
		w.Counts.Applied++
		w.recorded, w.record = w.running().ID, ran(*w.running())
		if w.belowFloor() {
			w.record = "" // the guard has recorded the floor
		}
		w.applied = w.declared.clone()
	}
	return nil
}

// belowFloor reports whether GKE is asked for less than it runs, which moves
// nothing.
func (w *Walk) belowFloor() bool {
	return w.graph.Kind == platform.GKE && w.running() != nil && platform.Newer(w.running().ControlPlane[platform.Managed], w.declared.ControlPlane[platform.Managed])
}

// ran tells versions, to compare them.
func ran(c platform.Cluster) string { return fmt.Sprint(c.ControlPlane, c.Pools, c.KubeProxy) }

// came looks whether the cluster that is declared has come. before is the ID of
// the one that ran, if any.
func (w *Walk) came(before string) {
	if c := w.world.Clusters[w.cluster(w.declared.Generation)]; c != nil && c.ID != before {
		w.made = w.declared.Generation
	}
}
