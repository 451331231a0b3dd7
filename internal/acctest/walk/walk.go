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

// Counts counts the results of the steps of a walk.
type Counts struct {
	// Passed and Refused count the plans by their result.
	Passed  int `json:"passed"`
	Refused int `json:"refused"`
	// Applied counts applies that succeeded.
	Applied int `json:"applied"`
	// Failed counts applies that a fault of the platform stopped.
	Failed int `json:"failed"`
	// PassedButRefused counts plans that passed, although the platform rejects an
	// operation or a combination on the way breaks the policy.
	PassedButRefused int `json:"passed_but_refused"`
	// RefusedButFine counts plans that failed, although every order of the apply would
	// have succeeded.
	RefusedButFine int `json:"refused_but_fine"`
	// Stale counts those of the previous two that are expected, because observed is not
	// set and the versions in state differ from those that run: an apply failed, a
	// version changed outside Terraform, machines ignore their arguments, or GKE runs a
	// newer version than min_master_version.
	Stale int `json:"stale"`
	// NotOffered counts the plans that fail because the platform does not offer a version.
	NotOffered int `json:"not_offered"`
	// AddOn counts the plans that fail because of the add-on.
	AddOn int `json:"add_on"`
	// RefusedInApply counts plans that passed with unknown values and were then rejected
	// by the validation in the apply.
	RefusedInApply int `json:"refused_in_apply"`
}

// Walk is a cluster with its configuration and its validation, the guard.
type Walk struct {
	graph             Graph
	observe           bool
	enforcementLevel  string // of the guard; empty for the default
	random            *rand.Rand
	seed              uint64
	world             *platform.World
	offered           []string // by the platform, if the guard can know: see changeOffers
	engine            engine
	declared          Declared
	applied           Declared // by the last apply that succeeded
	runningGeneration int      // generation of the running cluster
	recordedID        string   // ID of the cluster in the state of the guard
	recordedVersions  string   // versions that ran when the guard recorded its state
	poolsNamed        int      // number of pool names used so far
	step              int

	Counts Counts
	// Breaches describes the steps that violate one of the laws in the package
	// documentation.
	Breaches []string
}

// engine plans and applies the declared versions: the guard over the protocol, or a CLI.
type engine interface {
	// plan returns the errors of the guard, or "" if the plan passes.
	plan(w *Walk) (refused string, err error)
	// apply applies the last plan, and returns the errors of the guard in the apply.
	// Errors of the platform are in the history of the world.
	apply(w *Walk, operations []platform.Operation) (refused string, err error)
}

// New starts a walk without a CLI, on an empty platform. observe sets observed to the
// running versions, as the guides recommend.
func New(g Graph, observe bool, seed uint64) (*Walk, error) {
	guard, err := newGuard()
	if err != nil {
		return nil, err
	}
	return start(g, observe, seed, &platform.World{}, guard), nil
}

func start(g Graph, observe bool, seed uint64, world *platform.World, e engine) *Walk {
	w := &Walk{graph: g, observe: observe, random: rand.New(rand.NewPCG(seed, 1)), seed: seed, world: world, engine: e}
	w.declared = w.newDeclaration(31 + w.random.IntN(3))
	w.applied = w.declared.clone()
	return w
}

// clusterName returns the name of the cluster of a generation. On EKS it changes with each
// generation, because modules create the new cluster before they delete the old one.
func (w *Walk) clusterName(generation int) string {
	if w.graph.Kind == platform.EKS {
		return fmt.Sprintf("main-%d", generation)
	}
	return "main"
}

func (w *Walk) running() *platform.Cluster {
	return w.world.Clusters[w.clusterName(w.runningGeneration)]
}

func (w *Walk) usesCLI() bool {
	_, ok := w.engine.(*cli)
	return ok
}

// canReplace reports whether the cluster can be replaced. Before its first success, the
// guard has no cluster_id to compare with, so it would check the replacement as a step. The
// modules for kubeadm, whose machines exist before Terraform runs, and for Talos, whose
// machines are replaced one by one, cannot replace a cluster.
func (w *Walk) canReplace() bool {
	return w.recordedID != "" && (w.graph.Managed() || !w.usesCLI())
}

func (w *Walk) replacing() bool {
	return w.running() != nil && w.runningGeneration != w.declared.Generation
}

// newDeclaration declares a compatible cluster at a minor.
func (w *Walk) newDeclaration(minor int) Declared {
	d := Declared{ControlPlane: map[string]string{}, Pools: map[string]string{}, Generation: max(w.declared.Generation, 1)}
	version := w.randomVersion(minor)
	for _, name := range w.graph.instances {
		d.ControlPlane[name] = version
	}
	if w.graph.defaultPool != "" {
		d.Pools[w.graph.defaultPool] = version
	}
	for range 1 + w.random.IntN(3) {
		d.Pools[w.newPoolName()] = version
	}
	w.declareAddOns(&d, minor)
	return d
}

// declareAddOns declares the add-ons of the graph at a minor.
func (w *Walk) declareAddOns(d *Declared, minor int) {
	if w.graph.Kind == platform.EKS {
		d.KubeProxy = w.randomAddOn(minor)
	}
	if w.graph.AddOn {
		d.AddOn = fmt.Sprintf("1.%d.%d", minor, w.random.IntN(3))
	}
}

func (w *Walk) newPoolName() string {
	w.poolsNamed++
	return fmt.Sprintf("p%d", w.poolsNamed)
}

func (w *Walk) randomVersion(minor int) string {
	minor = max(minor, 26) // versions before 1.25 have other limits
	if offered := w.offeredPatches(minor); len(offered) > 0 && w.random.IntN(5) > 0 {
		return offered[w.random.IntN(len(offered))]
	}
	if !w.graph.hasPatches() {
		return w.graph.version(minor, 0)
	}
	return w.graph.version(minor, w.random.IntN(3))
}

func (w *Walk) randomAddOn(minor int) string {
	return fmt.Sprintf("v1.%d.%d-eksbuild.1", minor, w.random.IntN(3))
}

// newestMinor returns the minor of the newest control-plane instance.
func newestMinor(controlPlane map[string]string) int {
	newest := 0
	for _, version := range controlPlane {
		newest = max(newest, platform.Minor(version))
	}
	return newest
}

// sortedNames returns the sorted keys. The result is never nil, because nil would become
// null in a configuration.
func sortedNames(names map[string]string) []string {
	return append([]string{}, slices.Sorted(maps.Keys(names))...)
}

// randomName returns a random key, or "" if the map is empty.
func (w *Walk) randomName(names map[string]string) string {
	all := sortedNames(names)
	if len(all) == 0 {
		return ""
	}
	return all[w.random.IntN(len(all))]
}

func setAll(versions map[string]string, version string) {
	for name := range versions {
		versions[name] = version
	}
}

// randomMove returns by how many minors a version moves. One minor up is the most common.
func (w *Walk) randomMove() int { return []int{1, 1, 1, 1, 0, 0, 2, 3, -1, -1, -2}[w.random.IntN(11)] }

// change changes the configuration like a user would between two plans.
func (w *Walk) change() {
	d := &w.declared
	switch n := w.random.IntN(100); {
	case n < 22: // the control plane moves
		minor := newestMinor(d.ControlPlane) + w.randomMove()
		version := w.randomVersion(minor)
		if w.graph.Managed() || w.graph.immutable || w.random.IntN(3) > 0 {
			setAll(d.ControlPlane, version)
		} else {
			d.ControlPlane[w.randomName(d.ControlPlane)] = version
		}
	case n < 40: // a pool moves to the version of the control plane, or to a random one
		if name := w.randomName(d.Pools); name != "" {
			if w.random.IntN(2) == 0 {
				d.Pools[name] = d.ControlPlane[w.randomName(d.ControlPlane)]
			} else {
				d.Pools[name] = w.randomVersion(newestMinor(d.ControlPlane) - w.random.IntN(5) + 1)
			}
		}
	case n < 52: // all pools move to the version of the control plane
		version := d.ControlPlane[w.randomName(d.ControlPlane)]
		setAll(d.Pools, version)
		w.declareAddOns(d, platform.Minor(version))
	case n < 60: // everything moves at once
		minor := newestMinor(d.ControlPlane) + w.randomMove()
		version := w.randomVersion(minor)
		setAll(d.ControlPlane, version)
		setAll(d.Pools, version)
		w.declareAddOns(d, max(minor, 26))
	case n < 68: // a pool is added
		if len(d.Pools) < 4 {
			d.Pools[w.newPoolName()] = w.randomVersion(newestMinor(d.ControlPlane) - w.random.IntN(4) + w.random.IntN(2))
		}
	case n < 75: // a pool is removed
		if name := w.randomName(d.Pools); name != "" && name != w.graph.defaultPool {
			delete(d.Pools, name)
		}
	case n < 80: // a pool is renamed, and sometimes also moves
		if name := w.randomName(d.Pools); name != "" && name != w.graph.defaultPool {
			version := d.Pools[name]
			delete(d.Pools, name)
			if w.random.IntN(2) == 0 {
				version = d.ControlPlane[w.randomName(d.ControlPlane)]
			}
			d.Pools[w.newPoolName()] = version
		}
	case n < 85: // the version of a pool becomes null
		if name := w.randomName(d.Pools); name != "" && w.graph.NullPoolVersions {
			d.Pools[name] = ""
		}
	case n < 90: // an add-on moves, or is removed
		switch w.random.IntN(8) {
		case 0, 1, 2:
			if w.graph.Kind == platform.EKS {
				d.KubeProxy = w.randomAddOn(newestMinor(d.ControlPlane) - w.random.IntN(4))
			}
		case 3:
			d.AddOn = ""
		default:
			proxy := d.KubeProxy
			w.declareAddOns(d, newestMinor(d.ControlPlane)+1-w.random.IntN(3))
			d.KubeProxy = proxy
		}
	case n < 94: // changes that failed or were rejected are reverted
		*d = w.applied.clone()
	case n < 97: // the cluster is replaced, at a random version
		if w.canReplace() {
			pools := d.Pools
			*d = w.newDeclaration(29 + w.random.IntN(6))
			for name := range pools { // keep the pools
				pools[name] = d.ControlPlane[w.randomName(d.ControlPlane)]
			}
			d.Pools = pools
			d.Generation++
		}
	default: // start over if the versions have become unrealistic
		if w.canReplace() && (newestMinor(d.ControlPlane) > 60 || newestMinor(d.ControlPlane) < 27) {
			*d = w.newDeclaration(31)
			d.Generation = w.declared.Generation + 1
		}
	}
	if w.graph.immutable { // the module has a single version, for new machines
		version := d.ControlPlane[w.graph.instances[0]]
		setAll(d.ControlPlane, version)
		setAll(d.Pools, version)
	}
}

// declareRunning declares the running versions, like after an upgrade in the console.
func (w *Walk) declareRunning() {
	running := w.running()
	if running == nil || w.replacing() {
		w.declared = w.applied.clone()
		return
	}
	w.declared.ControlPlane = maps.Clone(running.ControlPlane)
	w.declared.Pools = maps.Clone(running.Pools)
	if running.KubeProxy != "" {
		w.declared.KubeProxy = running.KubeProxy
	}
	w.declared.AddOn = running.AddOn
	for _, name := range w.graph.instances { // instances that were never created
		if w.declared.ControlPlane[name] == "" {
			w.declared.ControlPlane[name] = w.applied.ControlPlane[name]
		}
	}
}

// changeOutsideTerraform moves versions like a console, a release channel or another tool
// would. The platform may reject it.
func (w *Walk) changeOutsideTerraform() {
	running := w.running()
	if running == nil {
		return
	}
	newest := newestMinor(running.ControlPlane)
	switch w.random.IntN(3) {
	case 0, 1:
		version := w.randomVersion(newest + w.random.IntN(2))
		for _, name := range slices.Sorted(maps.Keys(running.ControlPlane)) {
			_ = w.do(platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(name), Version: version})
		}
		if !w.graph.immutable {
			return
		}
		fallthrough
	default: // talosctl also upgrades the workers
		for _, name := range slices.Sorted(maps.Keys(running.Pools)) {
			if w.graph.immutable || w.random.IntN(2) == 0 {
				_ = w.do(platform.Operation{Action: platform.Move, Target: platform.PoolTarget(name), Version: running.ControlPlane[w.randomName(running.ControlPlane)]})
			}
		}
	}
}

// replacementUnfinished reports whether a replacement failed halfway: the new cluster
// runs, but the state is still that of the old one. Until the replacement is complete, the
// provider checks no step. The guides therefore say to complete it with the same versions.
func (w *Walk) replacementUnfinished() bool {
	return w.recordedID != "" && w.running() != nil && w.recordedID != w.running().ID
}

// controlPlaneHalfMoved reports whether some control-plane machines have not reached their
// declared version. The upgrade must then be completed before another one starts, because
// Terraform moves all machines concurrently, in any order.
func (w *Walk) controlPlaneHalfMoved() bool {
	return !w.graph.Managed() && !w.graph.immutable && w.running() != nil && !maps.Equal(w.running().ControlPlane, w.declared.ControlPlane)
}

// Step changes the configuration, plans and applies it, and checks the laws.
func (w *Walk) Step() error {
	w.step++
	if w.step > 1 && !w.replacementUnfinished() && !w.controlPlaneHalfMoved() {
		w.changeSomething()
	}
	w.changeOffers()
	refused, err := w.engine.plan(w)
	if err != nil {
		return err
	}
	a := w.newAttempt()
	if refused != "" {
		w.refuse(a, refused)
		return nil
	}
	w.Counts.Passed++
	if a.outcome != "" {
		w.Counts.PassedButRefused++
		w.breach(a, "the plan passes, but the apply has a problem", "no errors")
		w.declareRunning() // keep the configuration close to the platform
		return nil
	}
	if w.random.IntN(10) == 0 {
		return nil // the user does not apply the plan
	}
	return w.apply(a)
}

// changeSomething changes the configuration, and sometimes the platform.
func (w *Walk) changeSomething() {
	if w.random.IntN(8) == 0 {
		w.changeOutsideTerraform()
		if w.usesCLI() && w.graph.Kind == platform.Kubeadm {
			w.declareRunning() // ssh_resource does not read the versions of a machine, so the user has to declare them
		}
	}
	for range 1 + w.random.IntN(3) {
		w.change()
	}
}

// attempt is a plan and its apply.
type attempt struct {
	start      platform.Cluster // what runs before
	operations []platform.Operation
	// outcome is the problem of an order of the apply, "" if every order succeeds.
	outcome string
	// stale says that the validation does not know what runs, so its verdict does not count.
	stale    bool
	replaced string // ID of the cluster that is deleted, whose violations do not count
}

func (w *Walk) newAttempt() attempt {
	a := attempt{start: platform.Cluster{Kind: w.graph.Kind, ControlPlane: map[string]string{}, Pools: map[string]string{}}}
	now := w.running()
	if w.replacing() {
		a.replaced = now.ID
	} else if now != nil {
		a.start = *now
	}
	a.operations = w.graph.Operations(w.declared, a.start)
	a.outcome = findProblem(w.world, w.graph, a.start, a.operations, nil)
	a.stale = !w.observe && (w.graph.immutable || now == nil || versionsOf(*now) != w.recordedVersions || w.belowMinimum())
	return a
}

// breach records that an attempt breaks a law, unless it is stale.
func (w *Walk) breach(a attempt, law, diagnostics string) {
	if a.stale {
		w.Counts.Stale++
		return
	}
	d := w.declared
	w.Breaches = append(w.Breaches, strings.Join([]string{
		fmt.Sprintf("%s: %s (seed %d, step %d, observed %t)", w.graph.Name, law, w.seed, w.step, w.observe),
		fmt.Sprintf("  running:  control plane %v, pools %v, kube-proxy %q, add-on %q", a.start.ControlPlane, a.start.Pools, a.start.KubeProxy, a.start.AddOn),
		fmt.Sprintf("  declared: control plane %v, pools %v, kube-proxy %q, add-on %q", d.ControlPlane, d.Pools, d.KubeProxy, d.AddOn),
		fmt.Sprintf("  offered:  %v", w.world.Offered), // nothing if the platform offers every version
		fmt.Sprintf("  apply:    %v", a.operations),
		"  plan:     " + strings.ReplaceAll(diagnostics, "\n", "\n            "),
		"  outcome:  " + a.outcome,
	}, "\n"))
}

// refuse counts a plan that fails. The user gives up the change, declares what runs, or
// keeps the change.
func (w *Walk) refuse(a attempt, refused string) {
	w.Counts.Refused++
	if strings.Contains(refused, "not-offered") {
		w.Counts.NotOffered++
	}
	if strings.Contains(refused, platform.AddOnName+"-1-") {
		w.Counts.AddOn++
	}
	if a.outcome == "" {
		w.Counts.RefusedButFine++
		w.breach(a, "the plan fails, but every order of the apply succeeds", refused)
	}
	switch w.random.IntN(4) { // in the remaining case, the next change builds on the rejected one
	case 0:
		w.declared = w.applied.clone()
	case 1, 2:
		w.declareRunning()
	}
}

// apply applies a plan, sometimes with a fault of the platform.
func (w *Walk) apply(a attempt) error {
	if len(a.operations) > 0 && w.random.IntN(6) == 0 {
		o := a.operations[w.random.IntN(len(a.operations))]
		w.world.Faults = append(w.world.Faults, platform.Fault{Action: o.Action, Target: o.Target, Moved: w.random.IntN(2) == 0 && o.Action == platform.Move})
	}
	w.world.History = nil
	refused, err := w.engine.apply(w, a.operations)
	if err != nil {
		return err
	}
	history := slices.DeleteFunc(w.world.History, func(m platform.Event) bool { return a.replaced != "" && m.Cluster.ID == a.replaced })
	failed := slices.ContainsFunc(history, func(m platform.Event) bool { return m.Failed })
	a.outcome = problemIn(history, a.start.Violations())
	w.world.Faults, w.world.History = nil, nil
	switch {
	case a.outcome != "":
		w.Counts.PassedButRefused++
		w.breach(a, "the plan passes, but the apply has a problem", "no errors")
	case failed:
		w.Counts.Failed++
	case refused != "":
		w.Counts.RefusedInApply++
		a.outcome = "all operations succeeded"
		w.breach(a, "the plan passes, but the validation fails in the apply", refused)
	default:
		w.Counts.Applied++
		w.recordedID, w.recordedVersions = w.running().ID, versionsOf(*w.running())
		if w.belowMinimum() {
			w.recordedVersions = "" // the state contains min_master_version, which does not run
		}
		w.applied = w.declared.clone()
	}
	return nil
}

// belowMinimum reports whether GKE runs a newer version than min_master_version, which
// then has no effect.
func (w *Walk) belowMinimum() bool {
	return w.graph.Kind == platform.GKE && w.running() != nil && platform.Newer(w.running().ControlPlane[platform.Managed], w.declared.ControlPlane[platform.Managed])
}

// versionsOf formats the versions of a cluster, to compare them.
func versionsOf(c platform.Cluster) string {
	return fmt.Sprint(c.ControlPlane, c.Pools, c.KubeProxy, c.AddOn)
}

// do performs an operation on the running cluster.
func (w *Walk) do(o platform.Operation) error {
	return w.world.Do(w.graph.Kind, w.clusterName(w.runningGeneration), o)
}

// updateGeneration sets the running generation after an apply that may have created the
// declared cluster. before is the ID of the cluster that ran before, or "".
func (w *Walk) updateGeneration(before string) {
	if c := w.world.Clusters[w.clusterName(w.declared.Generation)]; c != nil && c.ID != before {
		w.runningGeneration = w.declared.Generation
	}
}
