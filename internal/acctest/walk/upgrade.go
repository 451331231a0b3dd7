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

// UpgradeCounts are what came of upgrades that a plan drives.
type UpgradeCounts struct {
	Starts int `json:"starts"`
	// Broken starts violate the policy.
	Broken int `json:"broken"`
	// Back are plans to an older minor that reach it.
	Back int `json:"back"`
	// Stopped are plans that held node pools keep from the target.
	Stopped int `json:"stopped"`
	// Infeasible are plans without a way.
	Infeasible int `json:"infeasible"`
	// Published are walks during which new patches are published.
	Published int `json:"published"`
	// Stages were applied one at a time, Applies several stages at once.
	Stages  int `json:"stages"`
	Applies int `json:"applies"`
}

// Upgrades drives a module by its upgrade plan alone: what next says is declared,
// planned with the guard, and applied on the simulated platform.
type Upgrades struct {
	Counts UpgradeCounts

	graph   Graph
	random  *rand.Rand
	guard   *guard
	planner *planner
	names   *Walk // draws versions and names
}

// Upgrade is one of them: what runs at first, and what is asked for.
type Upgrade struct {
	Graph   Graph
	Start   platform.Cluster
	Request Request
	// Observe wires observed to what runs.
	Observe bool
	// Publish publishes new patches on the way.
	Publish bool
}

// strict reports whether what is left is the rest of the first plan to the letter.
// Otherwise it is no longer than that or, where patches are published, goes on.
func (u Upgrade) strict() bool { return !u.Publish && !u.Request.Whole }

func (u Upgrade) String() string {
	c, r := u.Start, u.Request
	return fmt.Sprintf("%s: control plane %v, pools %v, kube-proxy %q; to %s, %s, available %v, held %v, whole machines %t, observed %t, patches published %t",
		u.Graph.Name, c.ControlPlane, c.Pools, c.KubeProxy, r.Target, r.Strategy, r.Available, r.Held, r.Whole, u.Observe, u.Publish)
}

// NewUpgrades prepares upgrades of the clusters of a graph.
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
	return &Upgrades{graph: g, random: random, guard: guard, planner: planner, names: &Walk{graph: g, random: random}}, nil
}

func (us *Upgrades) oneIn(n int) bool { return us.random.IntN(n) == 0 }

// Draw draws a start, most of them sound, and a target.
func (us *Upgrades) Draw(strategy string) Upgrade {
	u := Upgrade{Graph: us.graph, Request: Request{Strategy: strategy}}
	minor := 28 + us.random.IntN(6)
	broken := us.oneIn(4)
	for {
		u.Start = us.cluster(minor, broken)
		if us.possible(u.Start) && (broken || len(u.Start.Violations()) == 0) {
			break
		}
	}
	to := minor + us.random.IntN(6)
	if us.oneIn(6) {
		to = minor - 1 - us.random.IntN(10)/9
	}
	u.Request.Target = fmt.Sprintf("1.%d", to)
	if us.oneIn(2) {
		u.Request.Target = us.names.version(to)
	}
	if us.oneIn(3) {
		for name := range u.Start.Pools {
			if us.oneIn(3) {
				u.Request.Held = append(u.Request.Held, name)
			}
		}
		slices.Sort(u.Request.Held)
	}
	if !us.oneIn(3) {
		u.Request.Available = us.available(min(minor, to)-6, max(minor, to)+2, u.Request.Target)
		u.Publish = us.graph.patches && us.oneIn(4)
	}
	u.Request.Whole = !us.graph.managed() && us.oneIn(3)
	u.Observe = us.oneIn(2)
	return u
}

// possible leaves out clusters that their platform would not have let come about:
// where it takes no control plane at all beside what else runs, not even at the
// version that it has.
func (us *Upgrades) possible(c platform.Cluster) bool {
	for name, version := range c.ControlPlane {
		if _, err := c.Try(platform.Operation{Action: platform.Move, Target: platform.ControlPlaneTarget(name), Version: version}); err != nil {
			return false
		}
	}
	return true
}

// cluster draws what runs: control-plane instances at a minor, some of them
// perhaps one behind, and pools within the limits of the platform or, in a broken
// one, beyond them.
func (us *Upgrades) cluster(minor int, broken bool) platform.Cluster {
	c := platform.Cluster{Kind: us.graph.Kind, ID: "main", ControlPlane: map[string]string{}, Pools: map[string]string{}}
	behind, beyond := 1, 0
	if broken {
		behind, beyond = 2, 2
	}
	halfDone := us.oneIn(3)
	version := us.names.version(minor)
	for i, name := range us.graph.instances {
		c.ControlPlane[name] = version
		if i > 0 && halfDone {
			c.ControlPlane[name] = us.names.version(minor - us.random.IntN(behind+1))
		}
	}
	near := func() int { return minor + beyond - us.random.IntN(4+2*beyond) }
	pool := func(name string) {
		c.Pools[name] = version
		if !us.oneIn(3) {
			c.Pools[name] = us.names.version(near())
		}
	}
	if us.graph.defaultPool != "" {
		pool(us.graph.defaultPool)
	}
	for i := range us.random.IntN(4) {
		pool(fmt.Sprintf("p%d", i+1))
	}
	if us.graph.kubeProxy && !us.oneIn(4) {
		c.KubeProxy = us.names.addOn(near())
	}
	return c
}

// available draws what the platform offers of some minors.
func (us *Upgrades) available(from, to int, target string) []string {
	var all []string
	for minor := from; minor <= to; minor++ {
		for range 1 + us.random.IntN(3) {
			all = append(all, us.names.version(minor))
		}
	}
	if us.graph.patches && strings.Count(target, ".") > 1 {
		all = append(all, target)
	}
	us.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// patch is a patch that nothing runs yet.
func (us *Upgrades) patch(minor int) string {
	version := fmt.Sprintf("1.%d.%d", minor, 3+us.random.IntN(3))
	if us.graph.Kind == platform.GKE {
		version += "-gke.1000"
	}
	return version
}

// walk is a module with a guard whose record is what runs at first.
func (us *Upgrades) walk(u Upgrade) (*Walk, error) {
	us.guard.state = tftypes.NewValue(us.guard.schema.ValueType(), nil)
	start := u.Start
	w := &Walk{graph: us.graph, observe: true, random: us.random, world: &platform.World{}, engine: us.guard, made: 1}
	w.declared = Declared{ControlPlane: start.ControlPlane, Pools: start.Pools, KubeProxy: start.KubeProxy, Generation: 1}.clone()
	if len(start.Violations()) > 0 {
		w.level = "changes"
	}
	running := w.declared.runs(start)
	w.world.Clusters = map[string]*platform.Cluster{w.cluster(1): &running}
	if refused, err := us.guard.plan(w); err != nil || refused != "" {
		return nil, fmt.Errorf("adopting what runs is refused: %s %w", refused, err)
	}
	if refused, err := us.guard.apply(w, nil); err != nil || refused != "" {
		return nil, fmt.Errorf("adopting what runs is refused in the apply: %s %w", refused, err)
	}
	w.observe = u.Observe || us.graph.immutable // machines ignore what is declared
	return w, nil
}

// plan plans what is left. A platform knows no add-on of a bare minor, so that a
// module looks one up.
func (us *Upgrades) plan(running platform.Cluster, r Request) (Plan, error) {
	plan, told, err := us.planner.read(us.graph, running, r)
	if err != nil {
		return plan, err
	}
	if told != "" {
		return plan, fmt.Errorf("the plan fails: %s", told)
	}
	if plan.Next != nil && plan.Next.KubeProxy != running.KubeProxy {
		plan.Next.KubeProxy = us.names.addOn(platform.Minor(plan.Next.KubeProxy))
	}
	return plan, us.consistent(plan, running)
}

// consistent holds what a plan says in one place against what it says in another.
func (us *Upgrades) consistent(p Plan, running platform.Cluster) error {
	switch {
	case p.Feasible && (p.Next == nil || len(p.Warnings) > 0):
		return fmt.Errorf("a feasible plan has next %v and warns %q", p.Next, p.Warnings)
	case !p.Feasible && (len(p.Warnings) == 0 || p.Findings == 0):
		return fmt.Errorf("an infeasible plan doesn't say why: %+v", p)
	case !p.Feasible && p.Next == nil && (len(p.Stages) > 0 || !strings.Contains(p.Warnings[0], "next is null")):
		return fmt.Errorf("a plan without a way is %+v", p)
	case p.Next != nil && (len(p.Stages) == 0) != (fmt.Sprint(p.Next.ControlPlane, p.Next.Pools, p.Next.KubeProxy) == ran(running)):
		return fmt.Errorf("with %d stages, next is %v", len(p.Stages), p.Next)
	}
	return nil
}

// Follow takes an upgrade stage by stage, and returns what goes wrong.
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
		if u.hasWay() {
			return fmt.Errorf("there is a way, and the plan says: %q", promised.Warnings)
		}
		return nil
	}
	if !promised.Feasible {
		us.Counts.Stopped++
	}
	if u.Publish {
		us.Counts.Published++
	}
	w, err := us.walk(u)
	if err != nil {
		return err
	}
	r, patience := u.Request, len(promised.Stages)
	for number := 1; ; number++ {
		if u.back() && number > len(promised.Stages) {
			break // what is below the target belongs to a new plan
		}
		running := *w.running()
		plan, err := us.plan(running, r)
		if err != nil {
			return fmt.Errorf("before stage %d, of %v: %w", number, running, err)
		}
		if plan.Feasible != promised.Feasible {
			return fmt.Errorf("before stage %d, at %v, feasible is %t: %q", number, running, plan.Feasible, plan.Warnings)
		}
		if u.Request.Whole && !u.Publish && number-1+len(plan.Stages) > len(promised.Stages) {
			return fmt.Errorf("before stage %d of %d, at %v, %d are left: %v", number, len(promised.Stages), running, len(plan.Stages), spelled(plan.Stages))
		}
		if u.strict() && !reflect.DeepEqual(spelled(plan.Stages), spelled(promised.Stages[number-1:])) {
			return fmt.Errorf("before stage %d, at %v, the rest of the plan is\n  %v, it was\n  %v", number, running, spelled(plan.Stages), spelled(promised.Stages[number-1:]))
		}
		if len(plan.Stages) == 0 {
			break
		}
		if number > 2*patience+10 {
			return fmt.Errorf("after %d stages, %d are left; %d were promised", number-1, len(plan.Stages), patience)
		}
		if err := us.step(w, *plan.Next); err != nil {
			return fmt.Errorf("stage %d (%s to %s): %w", number, plan.Stages[0].Kind, plan.Stages[0].To, err)
		}
		us.Counts.Stages++
		if u.Publish && us.oneIn(3) {
			minor := platform.Minor(r.Target) - us.random.IntN(4)
			r.Available = append(slices.Clip(r.Available), us.patch(minor))
		}
	}
	if u.back() {
		us.Counts.Back++
	}
	if !promised.Feasible {
		return nil
	}
	return u.arrived(*w.running())
}

// Apply takes an upgrade with as many stages in every apply as the plan says, and
// returns what goes wrong.
func (us *Upgrades) Apply(u Upgrade) error {
	if us.graph.Order != "control_plane_first" || u.Request.Whole {
		return nil
	}
	promised, err := us.plan(u.Start, u.Request)
	if err != nil || promised.Next == nil {
		return err
	}
	after, err := us.ahead(u, promised)
	if err != nil {
		return err
	}
	w, err := us.walk(u)
	if err != nil {
		return err
	}
	apply := 0
	for i, s := range promised.Stages {
		if i > 0 && s.Apply == promised.Stages[i-1].Apply {
			continue
		}
		apply++
		if s.Apply != apply {
			return fmt.Errorf("stage %d belongs to apply %d, the one before it to %d", i+1, s.Apply, apply-1)
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
			return fmt.Errorf("before apply %d of %d, at %v, %d are left", apply, promised.Applies, *w.running(), rest.Applies)
		}
		if err := us.step(w, after[last]); err != nil {
			return fmt.Errorf("apply %d (stages %d to %d): %w", apply, i+1, last+1, err)
		}
		us.Counts.Applies++
	}
	if apply != promised.Applies {
		return fmt.Errorf("%d applies, %d were promised", apply, promised.Applies)
	}
	return nil
}

// ahead lists what is declared after every stage of a plan, by following next
// without applying anything.
func (us *Upgrades) ahead(u Upgrade, plan Plan) ([]Declared, error) {
	var after []Declared
	running := u.Start
	for range plan.Stages {
		now, err := us.plan(running, u.Request)
		if err != nil {
			return nil, err
		}
		if now.Next == nil {
			return nil, fmt.Errorf("at %v, there is no way left: %q", running, now.Warnings)
		}
		after = append(after, *now.Next)
		running = now.Next.runs(running)
	}
	return after, nil
}

// step declares versions and applies them.
func (us *Upgrades) step(w *Walk, next Declared) error {
	start := *w.running()
	before := start.Violations()
	graph := us.graph
	if graph.immutable { // talosctl moves the machines, and the module follows
		graph.immutable = false
		w.declared = next.clone()
		operations := graph.Operations(next, start)
		if wrong := outcome(start, operations, graph.Waits, noEnd); wrong != "" {
			return fmt.Errorf("%v: %s", operations, wrong)
		}
		for _, i := range us.random.Perm(len(operations)) {
			if err := w.world.Do(graph.Kind, w.cluster(1), operations[i]); err != nil {
				return err
			}
		}
	}
	w.declared = next.clone()
	refused, err := us.guard.plan(w)
	if err != nil {
		return err
	}
	if refused != "" {
		return fmt.Errorf("from %v to %v, the guard refuses: %s", start, next, refused)
	}
	operations := us.graph.Operations(w.declared, *w.running())
	if len(operations) == 0 && !us.graph.immutable {
		return fmt.Errorf("from %v to %v, nothing moves", start, next)
	}
	if wrong := outcome(*w.running(), operations, us.graph.Waits, noEnd); wrong != "" {
		return fmt.Errorf("from %v to %v: %s", start, next, wrong)
	}
	w.world.History = nil
	refused, err = us.guard.apply(w, operations)
	if err != nil {
		return err
	}
	if refused != "" {
		return fmt.Errorf("from %v to %v, the guard refuses in the apply: %s", start, next, refused)
	}
	for _, m := range w.world.History {
		if m.Refused != "" {
			return fmt.Errorf("from %v to %v, the platform refuses: %s", start, next, m.Refused)
		}
		for pair, by := range m.Cluster.Violations() {
			if by > before[pair] {
				return fmt.Errorf("from %v to %v, after %s, %s", start, next, m.Operation, pair)
			}
		}
	}
	if !maps.Equal(w.running().ControlPlane, next.ControlPlane) || !maps.Equal(w.running().Pools, next.Pools) || w.running().KubeProxy != next.KubeProxy {
		return fmt.Errorf("%v runs, %v is declared", *w.running(), next)
	}
	if len(w.running().Violations()) == 0 {
		w.level = ""
	}
	return nil
}

// noEnd takes any last combination that is no worse than the first one.
func noEnd(platform.Cluster) string { return "" }

// spelled leaves out what depends on which apply comes first.
func spelled(stages []Stage) []string {
	all := make([]string, len(stages))
	for i, s := range stages {
		all[i] = fmt.Sprint(s.Kind, " ", s.Locations, " to ", s.To)
	}
	return all
}

// fits reports whether a node pool of a sound start could stay as it is until the
// end, beside everything else.
func (u Upgrade) fits(pool string, end platform.Cluster) bool {
	version, ok := u.Start.Pools[pool]
	end.Pools = map[string]string{pool: version}
	return ok && len(u.Start.Violations()) == 0 && len(end.Violations()) == 0
}

func (u Upgrade) back() bool {
	return Declared{ControlPlane: u.Start.ControlPlane}.newest() > platform.Minor(u.Request.Target)
}

// hasWay reports whether there has to be a way, by what the platforms document: a
// cluster can always move on, and only EKS takes a control plane back, by one minor.
func (u Upgrade) hasWay() bool {
	if len(u.Request.Held) > 0 {
		return false
	}
	newest, to := Declared{ControlPlane: u.Start.ControlPlane}.newest(), platform.Minor(u.Request.Target)
	return to >= newest || u.Graph.Kind == platform.EKS && to == newest-1
}

// arrived returns what is not where it has to be in the end.
func (u Upgrade) arrived(c platform.Cluster) error {
	target := u.Request.Target
	at := func(version string) bool {
		return platform.Minor(version) == platform.Minor(target) && !platform.Newer(target, version)
	}
	for name, version := range c.ControlPlane {
		if !at(version) {
			return fmt.Errorf("in the end, control plane %q is at %s", name, version)
		}
	}
	nodes := maps.Clone(c.Pools)
	if c.KubeProxy != "" {
		nodes["kube-proxy"] = c.KubeProxy
	}
	for name, version := range nodes {
		held := slices.Contains(u.Request.Held, name)
		switch {
		case held && version != u.Start.Pools[name]:
			return fmt.Errorf("%s is held, and moves to %s", name, version)
		case held:
		case u.back() && platform.Minor(version) > platform.Minor(target):
			return fmt.Errorf("in the end, %s is at %s", name, version)
		case !u.back() && u.Request.Strategy != "required_only" && !at(version):
			return fmt.Errorf("in the end, %s is at %s", name, version)
		case u.Request.Strategy == "required_only" && u.fits(name, c) && version != u.Start.Pools[name]:
			return fmt.Errorf("nothing forces %s to move, and it is at %s", name, version)
		}
	}
	before := u.Start.Violations()
	for pair := range c.Violations() {
		if !u.back() || before[pair] == 0 { // a plan back raises nothing, not even to repair it
			return fmt.Errorf("in the end, %s", pair)
		}
	}
	return nil
}
