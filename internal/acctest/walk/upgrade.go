// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// UpgradeCounts counts upgrades that follow an upgrade plan.
type UpgradeCounts struct {
	// Starts counts the upgrades.
	Starts int `json:"starts"`
	// Broken counts starts that violate the policy.
	Broken int `json:"broken"`
	// Downgrades counts upgrades to an older minor that reach it.
	Downgrades int `json:"downgrades"`
	// HeldBack counts plans that do not reach the target because node pools are held or
	// limited.
	HeldBack int `json:"held_back"`
	// Infeasible counts plans that find no upgrade path.
	Infeasible int `json:"infeasible"`
	// NewPatches counts upgrades during which new patches become available.
	NewPatches int `json:"new_patches"`
	// Stages counts applies of one stage, Applies those of several stages at once.
	Stages  int `json:"stages"`
	Applies int `json:"applies"`
}

// Upgrades upgrades clusters by following versionskew_upgrade_plan. It declares the
// versions in next, plans them with the guard, and applies them on the simulated platform.
type Upgrades struct {
	Counts UpgradeCounts

	graph     Graph
	random    *rand.Rand
	guard     *guard
	planner   *planner
	generator *Walk // generates versions and names
}

// Upgrade is a running cluster and the requested upgrade.
type Upgrade struct {
	Start   platform.Cluster
	Request Request
	// Observe sets observed to the running versions.
	Observe bool
	// PublishPatches makes new patches available during the upgrade.
	PublishPatches bool
}

// repeatable reports whether planning again after each stage must return exactly the rest
// of the first plan. If control-plane machines move as a whole, the rest can be shorter. If
// new patches become available, it can change.
func (u Upgrade) repeatable() bool { return !u.PublishPatches && !u.Request.WholeMachines }

func (u Upgrade) String() string {
	c, r := u.Start, u.Request
	return fmt.Sprintf("control plane %v, pools %v, kube-proxy %q; target %s, strategy %s, available %v, held %v, limits %v, whole machines %t, observed %t, new patches %t",
		c.ControlPlane, c.Pools, c.KubeProxy, r.Target, r.Strategy, r.Available, r.Held, r.Limits, r.WholeMachines, u.Observe, u.PublishPatches)
}

// NewUpgrades prepares random upgrades of clusters with a graph.
func NewUpgrades(g Graph, seed uint64) (*Upgrades, error) {
	guard, err := newGuard()
	if err != nil {
		return nil, err
	}
	planner, err := newPlanner()
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(seed, 2))
	return &Upgrades{graph: g, random: random, guard: guard, planner: planner, generator: &Walk{graph: g, random: random}}, nil
}

func (us *Upgrades) oneIn(n int) bool { return us.random.IntN(n) == 0 }

// Draw returns a random upgrade. Three in four start with a compatible cluster.
func (us *Upgrades) Draw(strategy string) Upgrade {
	u := Upgrade{Request: Request{Strategy: strategy}}
	minor := 28 + us.random.IntN(6)
	broken := us.oneIn(4)
	for {
		u.Start = us.randomCluster(minor, broken)
		if us.accepted(u.Start) && (broken || len(u.Start.Violations()) == 0) {
			break
		}
	}
	to := minor + us.random.IntN(6)
	if us.oneIn(6) {
		to = minor - 1 - us.random.IntN(10)/9
	}
	u.Request.Target = fmt.Sprintf("1.%d", to)
	if us.oneIn(2) {
		u.Request.Target = us.generator.randomVersion(to)
	}
	if us.oneIn(3) {
		for _, name := range sortedNames(u.Start.Pools) {
			if us.oneIn(3) {
				u.Request.Held = append(u.Request.Held, name)
			}
		}
		slices.Sort(u.Request.Held)
	}
	if us.oneIn(3) {
		u.Request.Limits = map[string]string{}
		for _, name := range sortedNames(u.Start.Pools) {
			if us.oneIn(3) {
				u.Request.Limits[name] = fmt.Sprintf("1.%d", minor-2+us.random.IntN(6))
			}
		}
	}
	if !us.oneIn(3) {
		u.Request.Available = us.randomAvailable(min(minor, to)-6, max(minor, to)+2, u.Request.Target)
		u.PublishPatches = us.graph.hasPatches() && us.oneIn(4)
	}
	u.Request.WholeMachines = !us.graph.Managed() && us.oneIn(3)
	u.Observe = us.oneIn(2)
	return u
}

// accepted reports whether the platform could run this cluster at all. It is false if the
// platform rejects the current version of a control-plane instance next to the node pools.
func (us *Upgrades) accepted(c platform.Cluster) bool {
	for name, version := range c.ControlPlane {
		if _, err := new(platform.World).Try(c, platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(name), Version: version}); err != nil {
			return false
		}
	}
	return true
}

// randomCluster returns a cluster with a control plane at a minor, sometimes with instances
// that are one minor behind. Node pools are near that minor. In a broken cluster, versions
// can be further apart.
func (us *Upgrades) randomCluster(minor int, broken bool) platform.Cluster {
	c := platform.Cluster{Kind: us.graph.Kind, ID: "main", ControlPlane: map[string]string{}, Pools: map[string]string{}}
	behind, beyond := 1, 0
	if broken {
		behind, beyond = 2, 2
	}
	halfDone := us.oneIn(3)
	version := us.generator.randomVersion(minor)
	for i, name := range us.graph.instances {
		c.ControlPlane[name] = version
		if i > 0 && halfDone {
			c.ControlPlane[name] = us.generator.randomVersion(minor - us.random.IntN(behind+1))
		}
	}
	near := func() int { return minor + beyond - us.random.IntN(4+2*beyond) }
	pool := func(name string) {
		c.Pools[name] = version
		if !us.oneIn(3) {
			c.Pools[name] = us.generator.randomVersion(near())
		}
	}
	if us.graph.defaultPool != "" {
		pool(us.graph.defaultPool)
	}
	for i := range us.random.IntN(4) {
		pool(fmt.Sprintf("p%d", i+1))
	}
	if us.graph.Kind == platform.EKS && !us.oneIn(4) {
		c.KubeProxy = us.generator.randomAddOn(near())
	}
	return c
}

// randomAvailable returns available versions of a range of minors, in random order.
func (us *Upgrades) randomAvailable(from, to int, target string) []string {
	var all []string
	for minor := from; minor <= to; minor++ {
		for range 1 + us.random.IntN(3) {
			all = append(all, us.generator.randomVersion(minor))
		}
	}
	if us.graph.hasPatches() && strings.Count(target, ".") > 1 {
		all = append(all, target)
	}
	us.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// newWalk returns a walk that has imported the running cluster into the guard.
func (us *Upgrades) newWalk(u Upgrade) (*Walk, error) {
	us.guard.state = tftypes.NewValue(us.guard.schema.ValueType(), nil)
	start := u.Start
	w := &Walk{graph: us.graph, observe: true, random: us.random, world: &platform.World{}, engine: us.guard, runningGeneration: 1}
	w.declared = Declared{ControlPlane: start.ControlPlane, Pools: start.Pools, KubeProxy: start.KubeProxy, Generation: 1}.clone()
	if len(start.Violations()) > 0 {
		w.enforcementLevel = "changes"
	}
	running := w.declared.running(start)
	w.world.Clusters = map[string]*platform.Cluster{w.clusterName(1): &running}
	if refused, err := us.guard.plan(w); err != nil || refused != "" {
		return nil, fmt.Errorf("importing the cluster fails in the plan: %s %w", refused, err)
	}
	if refused, err := us.guard.apply(w, nil); err != nil || refused != "" {
		return nil, fmt.Errorf("importing the cluster fails in the apply: %s %w", refused, err)
	}
	w.observe = u.Observe || us.graph.immutable // declared versions do not change machines
	return w, nil
}

// plan plans the rest of an upgrade. It replaces the minor of kube-proxy in next with the
// version of an add-on, like a module would with a data source.
func (us *Upgrades) plan(running platform.Cluster, r Request) (Plan, error) {
	plan, errors, err := us.planner.read(us.graph, running, r)
	if err != nil {
		return plan, err
	}
	if errors != "" {
		return plan, fmt.Errorf("the upgrade plan has errors: %s", errors)
	}
	if plan.Next != nil && plan.Next.KubeProxy != running.KubeProxy {
		plan.Next.KubeProxy = us.generator.randomAddOn(platform.Minor(plan.Next.KubeProxy))
	}
	return plan, plan.check(running)
}

// check returns an error if the outputs of a plan do not agree with each other.
func (p Plan) check(running platform.Cluster) error {
	switch {
	case p.Feasible && (p.Next == nil || len(p.Warnings) > 0):
		return fmt.Errorf("feasible is true, but next is %v, warnings %q", p.Next, p.Warnings)
	case !p.Feasible && (len(p.Warnings) == 0 || len(p.Findings) == 0):
		return fmt.Errorf("feasible is false, but warnings or findings are missing: %+v", p)
	case !p.Feasible && p.Next == nil && (len(p.Stages) > 0 || !strings.Contains(p.Warnings[0], "next is null")):
		return fmt.Errorf("feasible is false and next is null, but there are stages or another warning: %+v", p)
	case p.Next != nil && (len(p.Stages) == 0) != (fmt.Sprint(p.Next.ControlPlane, p.Next.Pools, p.Next.KubeProxy) == versionsOf(running)):
		return fmt.Errorf("the plan has %d stages, but next is %v", len(p.Stages), p.Next)
	}
	return nil
}

// Follow performs an upgrade one stage at a time, and returns the first problem as an
// error.
func (us *Upgrades) Follow(u Upgrade) error {
	promised, err := us.plan(u.Start, u.Request)
	if err != nil {
		return err
	}
	us.Counts.Starts++
	if len(u.Start.Violations()) > 0 {
		us.Counts.Broken++
	}
	if promised.Next == nil {
		us.Counts.Infeasible++
		if u.reachable() {
			return fmt.Errorf("the target can be reached, but the plan warns: %q", promised.Warnings)
		}
		return nil
	}
	if !promised.Feasible {
		us.Counts.HeldBack++
	}
	if u.PublishPatches {
		us.Counts.NewPatches++
	}
	w, err := us.newWalk(u)
	if err != nil {
		return err
	}
	r := u.Request
	for number := 1; ; number++ {
		if u.isDowngrade() && number > len(promised.Stages) {
			break // planning again would upgrade pools that are older than the target
		}
		w.world.Offered = r.Available
		running := *w.running()
		plan, err := us.plan(running, r)
		if err != nil {
			return fmt.Errorf("before stage %d, at %v: %w", number, running, err)
		}
		if plan.Feasible != promised.Feasible {
			return fmt.Errorf("before stage %d, at %v, feasible is %t: %q", number, running, plan.Feasible, plan.Warnings)
		}
		if u.Request.WholeMachines && !u.PublishPatches && number-1+len(plan.Stages) > len(promised.Stages) {
			return fmt.Errorf("before stage %d of %d, at %v, %d stages are left: %v", number, len(promised.Stages), running, len(plan.Stages), summaries(plan.Stages))
		}
		if u.repeatable() && !reflect.DeepEqual(summaries(plan.Stages), summaries(promised.Stages[number-1:])) {
			return fmt.Errorf("before stage %d, at %v, the plan is\n  %v, but the rest of the first plan was\n  %v", number, running, summaries(plan.Stages), summaries(promised.Stages[number-1:]))
		}
		if len(plan.Stages) == 0 {
			break
		}
		if number > 2*len(promised.Stages)+10 {
			return fmt.Errorf("after %d stages, %d are left, but the first plan had %d stages", number-1, len(plan.Stages), len(promised.Stages))
		}
		if err := us.takeStep(w, *plan.Next); err != nil {
			return fmt.Errorf("stage %d (%s to %s): %w", number, plan.Stages[0].Kind, plan.Stages[0].To, err)
		}
		us.Counts.Stages++
		if u.PublishPatches && us.oneIn(3) {
			minor := platform.Minor(r.Target) - us.random.IntN(4)
			r.Available = append(slices.Clip(r.Available), us.graph.version(minor, 3+us.random.IntN(3))) // newer than any that randomVersion returns
		}
	}
	if u.isDowngrade() {
		us.Counts.Downgrades++
	}
	if !promised.Feasible {
		return nil
	}
	return u.checkEnd(*w.running())
}

// Apply performs an upgrade with as many stages in each apply as the plan allows, and
// returns the first problem as an error.
func (us *Upgrades) Apply(u Upgrade) error {
	if us.graph.Order != "control_plane_first" || u.Request.WholeMachines {
		return nil
	}
	promised, err := us.plan(u.Start, u.Request)
	if err != nil || promised.Next == nil {
		return err
	}
	after, err := us.predict(u, promised)
	if err != nil {
		return err
	}
	w, err := us.newWalk(u)
	if err != nil {
		return err
	}
	w.world.Offered = u.Request.Available
	apply := 0
	for i, s := range promised.Stages {
		if i > 0 && s.Apply == promised.Stages[i-1].Apply {
			continue
		}
		apply++
		if s.Apply != apply {
			return fmt.Errorf("stage %d belongs to apply %d, but the previous stage to apply %d", i+1, s.Apply, apply-1)
		}
		last := i
		for last+1 < len(promised.Stages) && promised.Stages[last+1].Apply == apply {
			last++
		}
		rest, err := us.plan(*w.running(), u.Request)
		if err != nil {
			return err
		}
		if rest.Applies != promised.Applies-apply+1 {
			return fmt.Errorf("before apply %d of %d, at %v, %d applies are left", apply, promised.Applies, *w.running(), rest.Applies)
		}
		if err := us.takeStep(w, after[last]); err != nil {
			return fmt.Errorf("apply %d (stages %d to %d): %w", apply, i+1, last+1, err)
		}
		us.Counts.Applies++
	}
	if apply != promised.Applies {
		return fmt.Errorf("the stages need %d applies, but the plan says %d", apply, promised.Applies)
	}
	return nil
}

// predict returns the versions to declare for each stage of a plan. It follows next
// without applying anything.
func (us *Upgrades) predict(u Upgrade, plan Plan) ([]Declared, error) {
	var after []Declared
	running := u.Start
	for range plan.Stages {
		now, err := us.plan(running, u.Request)
		if err != nil {
			return nil, err
		}
		if now.Next == nil {
			return nil, fmt.Errorf("at %v, the target can no longer be reached: %q", running, now.Warnings)
		}
		after = append(after, *now.Next)
		running = now.Next.running(running)
	}
	return after, nil
}

// takeStep declares versions, plans and applies them, and checks every combination on the
// way.
func (us *Upgrades) takeStep(w *Walk, next Declared) error {
	start, graph := *w.running(), us.graph
	before := start.Violations()
	graph.immutable = false
	operations := graph.Operations(next, start)
	if len(operations) == 0 {
		return fmt.Errorf("from %v to %v, nothing moves", start, next)
	}
	if problem := findProblem(w.world, graph, start, operations, before); problem != "" {
		return fmt.Errorf("from %v to %v: %s", start, next, problem)
	}
	w.declared, w.world.History = next.clone(), nil
	if us.graph.immutable { // talosctl moves the machines outside Terraform
		for _, i := range us.random.Perm(len(operations)) {
			if err := w.do(operations[i]); err != nil {
				return err
			}
		}
		operations = nil
	}
	refused, err := us.guard.plan(w)
	if err != nil {
		return err
	}
	if refused != "" {
		return fmt.Errorf("from %v to %v, the validation fails: %s", start, next, refused)
	}
	refused, err = us.guard.apply(w, operations)
	if err != nil {
		return err
	}
	if refused != "" {
		return fmt.Errorf("from %v to %v, the validation fails in the apply: %s", start, next, refused)
	}
	if problem := problemIn(w.world.History, before); problem != "" {
		return fmt.Errorf("from %v to %v, %s", start, next, problem)
	}
	if !maps.Equal(w.running().ControlPlane, next.ControlPlane) || !maps.Equal(w.running().Pools, next.Pools) || w.running().KubeProxy != next.KubeProxy {
		return fmt.Errorf("after the apply, %v runs, but %v is declared", *w.running(), next)
	}
	if len(w.running().Violations()) == 0 {
		w.enforcementLevel = ""
	}
	return nil
}

// summaries describes stages without their applies, whose numbers change when a plan is
// made again.
func summaries(stages []Stage) []string {
	all := make([]string, len(stages))
	for i, s := range stages {
		all[i] = fmt.Sprint(s.Kind, " ", s.Locations, " to ", s.To)
	}
	return all
}

// canStay reports whether a node pool of a compatible cluster could keep its version for
// the whole upgrade.
func (u Upgrade) canStay(pool string, end platform.Cluster) bool {
	version, ok := u.Start.Pools[pool]
	end.Pools = map[string]string{pool: version}
	return ok && len(u.Start.Violations()) == 0 && len(end.Violations()) == 0
}

// isDowngrade reports whether the target is older than the control plane.
func (u Upgrade) isDowngrade() bool {
	return newestMinor(u.Start.ControlPlane) > platform.Minor(u.Request.Target)
}

// reachable reports whether the platform must be able to reach the target. Upgrades are
// always possible. Only EKS can downgrade a control plane, by one minor.
func (u Upgrade) reachable() bool {
	if len(u.Request.Held) > 0 || len(u.Request.Limits) > 0 {
		return false
	}
	newest, to := newestMinor(u.Start.ControlPlane), platform.Minor(u.Request.Target)
	return to >= newest || u.Start.Kind == platform.EKS && to == newest-1
}

// checkEnd returns an error if a version is wrong at the end of an upgrade.
func (u Upgrade) checkEnd(c platform.Cluster) error {
	target := u.Request.Target
	at := func(version string) bool {
		return platform.Minor(version) == platform.Minor(target) && !platform.Newer(target, version)
	}
	for name, version := range c.ControlPlane {
		if !at(version) {
			return fmt.Errorf("after the upgrade, control plane %q is at %s", name, version)
		}
	}
	nodes := maps.Clone(c.Pools)
	if c.KubeProxy != "" {
		nodes["kube-proxy"] = c.KubeProxy
	}
	for name, version := range nodes {
		held := slices.Contains(u.Request.Held, name)
		limit, limited := u.Request.Limits[name]
		limited = limited && platform.Minor(limit) < platform.Minor(target)
		switch {
		case held && version != u.Start.Pools[name]:
			return fmt.Errorf("%s is held, but moved to %s", name, version)
		case held:
		case limited && !u.isDowngrade():
			// A pool that is beyond its limit stays.
			end := max(platform.Minor(limit), platform.Minor(u.Start.Pools[name]))
			if minor := platform.Minor(version); minor > end || minor < end && u.Request.Strategy != "required_only" {
				return fmt.Errorf("after the upgrade, %s is at %s, with the limit %s", name, version, limit)
			}
		case u.isDowngrade() && platform.Minor(version) > platform.Minor(target):
			return fmt.Errorf("after the upgrade, %s is at %s", name, version)
		case !u.isDowngrade() && u.Request.Strategy != "required_only" && !at(version):
			return fmt.Errorf("after the upgrade, %s is at %s", name, version)
		case u.Request.Strategy == "required_only" && u.canStay(name, c) && version != u.Start.Pools[name]:
			return fmt.Errorf("%s did not have to move, but is at %s", name, version)
		}
	}
	before := u.Start.Violations()
	for pair := range c.Violations() {
		if !u.isDowngrade() || before[pair] == 0 { // a downgrade never upgrades anything, not even to fix a violation
			return fmt.Errorf("after the upgrade, %s", pair)
		}
	}
	return nil
}
