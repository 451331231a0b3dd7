package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// walker takes a cluster towards a target, stage by stage. The cluster is
// reduced: of places that are alike it holds two, which is enough to see how any
// number treat each other, and which always move together.
type walker struct {
	Request
	stride int // minors that API servers move at once
	now    skew.Cluster
	// alike is all the locations that a place of the cluster stands for.
	alike [][]skew.Location
	units []unit
	plan  Plan
}

// unit is components of one place that move together.
type unit struct {
	place      int // index in the cluster
	components []string
	role       role
}

type role int

const (
	apiServer  role = iota
	controller      // follows the API servers it can reach
	node            // moves when it must, and is at the target in the end
	lagging         // kube-proxy at another minor than its kubelet: moves when it must
	client          // moves when it must
)

// relocation is a unit and where it goes.
type relocation struct {
	unit
	to version.Version
}

// walk plans with steps of at most stride minors for the API servers.
func walk(r Request, stride int) Plan {
	w := &walker{Request: r, stride: stride}
	w.reduce()
	w.plan.Findings = errors(skew.Evaluate(r.Policy, r.Cluster))
	w.plan.Feasible = w.climb() && w.finish()
	if !w.plan.Feasible {
		w.plan.Stages, w.plan.ControlPlaneSteps, w.plan.NodePoolRollouts = nil, 0, 0
	}
	skew.Sort(w.plan.Findings)
	w.plan.Next = r.after(w.plan.Stages)
	return w.plan
}

// reduce keeps two of all places that are alike, and finds the units.
func (w *walker) reduce() {
	w.now = skew.Cluster{LocalEndpoint: w.Cluster.LocalEndpoint}
	groups := map[string][]int{}
	for _, p := range w.Cluster.Places {
		var key strings.Builder
		key.WriteString(string(p.Location.Attribute))
		for _, i := range p.Instances {
			key.WriteString("\x00" + i.Component + "\x00" + i.Version.String())
		}
		group := groups[key.String()]
		if len(group) < 2 {
			group = append(group, len(w.now.Places))
			groups[key.String()] = group
			w.now.Places = append(w.now.Places, skew.Place{Location: p.Location, Instances: slices.Clone(p.Instances)})
			w.alike = append(w.alike, nil)
		}
		// The second of a group stands for itself alone.
		last := group[len(group)-1]
		if w.now.Places[last].Location != p.Location {
			last = group[0]
		}
		w.alike[last] = append(w.alike[last], p.Location)
	}
	for i, p := range w.now.Places {
		w.units = append(w.units, unitsOf(i, p)...)
	}
}

// unitsOf tells what moves together at a place.
func unitsOf(index int, p skew.Place) []unit {
	var units []unit
	add := func(r role, components ...string) {
		units = append(units, unit{index, components, r})
	}
	switch p.Location.Attribute {
	case skew.ControlPlaneVersion:
		add(apiServer, skew.ControlPlaneComponents...)
	case skew.Kubectl:
		add(client, p.Instances[0].Component)
	case skew.ControlPlane, skew.NodePools:
		var nodes []skew.Instance
		for _, i := range p.Instances {
			switch slices.Index(skew.ControlPlaneComponents, i.Component) {
			case 0:
				add(apiServer, i.Component)
			case -1:
				nodes = append(nodes, i)
			default:
				add(controller, i.Component)
			}
		}
		// The first component of a node leads; those at its minor go with it.
		var together []string
		for _, i := range nodes {
			if i.Version.Minor() == nodes[0].Version.Minor() {
				together = append(together, i.Component)
			} else {
				add(lagging, i.Component)
			}
		}
		if len(together) > 0 {
			add(node, together...)
		}
	}
	return units
}

// version is that of the unit's leading component; the others are at the same
// minor, unless they were joined to be mended together.
func (w *walker) version(u unit) version.Version {
	v, _ := w.now.Places[u.place].Version(u.components[0])
	return v
}

// all reports whether something holds for every version of a unit.
func (w *walker) all(u unit, holds func(version.Version) bool) bool {
	for _, component := range u.components {
		if v, _ := w.now.Places[u.place].Version(component); !holds(v) {
			return false
		}
	}
	return true
}

// arrived reports whether a unit is at the target.
func (w *walker) arrived(u unit) bool { return w.all(u, w.reached) }

// fits reports whether a unit is within a window.
func (w *walker) fits(u unit, in skew.Window) bool {
	return w.all(u, func(v version.Version) bool { return in.Contains(v.Minor()) })
}

// with is the cluster after some moves.
func (w *walker) with(moves []relocation) skew.Cluster {
	c := skew.Cluster{LocalEndpoint: w.now.LocalEndpoint, Places: slices.Clone(w.now.Places)}
	for _, m := range moves {
		place := &c.Places[m.place]
		place.Instances = moved(place.Instances, m.components, m.to)
	}
	return c
}

func moved(instances []skew.Instance, components []string, to version.Version) []skew.Instance {
	instances = slices.Clone(instances)
	for i := range instances {
		if slices.Contains(components, instances[i].Component) {
			instances[i].Version = to
		}
	}
	return instances
}

// scene is a cluster with its sites, of which places are asked.
type scene struct {
	policy *policy.Policy
	sites  *skew.Sites[version.Version]
}

func (w *walker) scene(c skew.Cluster) scene { return scene{w.Policy, c.SitesByPlace()} }

// window is the minors a unit may have in all of some scenes.
func window(u unit, scenes ...scene) skew.Window {
	var bounds []skew.Bound
	for _, s := range scenes {
		for _, component := range u.components {
			bounds = append(bounds, skew.BoundsAt(s.policy, s.sites, s.sites.All[u.place], component, u.components)...)
		}
	}
	return skew.WindowOf(bounds)
}

// goal is how far a unit gets on its way to the target in one move: within a
// window, and no further than its step rules allow. ok is false if it can't
// come any nearer.
func (w *walker) goal(u unit, in skew.Window) (m version.Minor, ok bool) {
	from := w.version(u).Minor()
	m = w.Target.Minor()
	switch {
	case in.Empty || from.Major != m.Major:
		return from, false
	case in.Minimum != nil && m.Compare(*in.Minimum) < 0:
		m = *in.Minimum
	case in.Maximum != nil && m.Compare(*in.Maximum) > 0:
		m = *in.Maximum
	}
	for _, component := range u.components {
		for _, rule := range w.Policy.StepRulesFor(component) {
			if rule.MaxUpgrade != nil && m.Compare(from.Add(*rule.MaxUpgrade)) > 0 {
				m = from.Add(*rule.MaxUpgrade)
			}
			if rule.MaxDowngrade != nil && m.Compare(from.Add(-*rule.MaxDowngrade)) < 0 {
				m = from.Add(-*rule.MaxDowngrade)
			}
		}
	}
	return m, !w.all(u, func(v version.Version) bool { return v.Minor() == m })
}

// repair moves what breaks the policy to where it may be, unless the control
// plane cures it on its way, or there is no such place yet.
func (w *walker) repair() bool {
	for range MaxPath {
		now := w.scene(w.now)
		var moves []relocation
		for _, u := range w.units {
			allowed := window(u, now)
			if u.role == apiServer || w.fits(u, allowed) || w.cured(u) {
				continue
			}
			if m, ok := w.goal(u, allowed); ok {
				moves = append(moves, relocation{u, w.pick(m, w.now)})
			}
		}
		if len(moves) == 0 {
			if !w.join(now) {
				return true
			}
			continue
		}
		if !w.take(moves) {
			return false
		}
	}
	return false
}

// join lets what lags go with its node where neither can be mended without the
// other. It reports whether it found such a node.
func (w *walker) join(now scene) bool {
	for _, u := range w.units {
		if u.role != lagging || w.fits(u, window(u, now)) || w.cured(u) {
			continue
		}
		for i := range w.units {
			n := &w.units[i]
			if n.role != node || n.place != u.place {
				continue
			}
			n.components = slices.Concat(n.components, u.components)
			w.units = slices.DeleteFunc(w.units, func(other unit) bool {
				return other.place == u.place && other.role == lagging && slices.Equal(other.components, u.components)
			})
			return true
		}
	}
	return false
}

// cured reports whether a unit fits in somewhere on the way of the control
// plane without moving itself.
func (w *walker) cured(u unit) bool {
	api := w.now.Newest(skew.ControlPlaneComponents[0]).Minor()
	step := 1
	if w.Target.Minor().Compare(api) < 0 {
		step = -1
	}
	for m := api; m != w.Target.Minor() && m.Major == w.Target.Minor().Major; {
		m = m.Add(step)
		var all []relocation
		for _, other := range w.units {
			if other.role == apiServer {
				all = append(all, relocation{other, m.Version()})
			}
		}
		if w.fits(u, window(u, w.scene(w.with(all)))) {
			return true
		}
	}
	return false
}

// climb takes the API servers to the target, and everything else along as far
// as it must go.
func (w *walker) climb() bool {
	for range 2 * MaxPath {
		if !w.repair() {
			return false
		}
		moves, ok := w.wave()
		if !ok {
			return false
		}
		if len(moves) == 0 {
			return w.followers()
		}
		if !w.makeWay(moves) || !w.take(moves) || !w.followers() {
			return false
		}
	}
	return false
}

// wave is the next move of API servers: those that are furthest from the
// target, by a stride.
func (w *walker) wave() (moves []relocation, ok bool) {
	target := w.Target.Minor()
	var furthest *version.Minor
	for _, u := range w.units {
		if m := w.version(u).Minor(); u.role == apiServer && !w.reached(w.version(u)) && (furthest == nil || w.distance(m) > w.distance(*furthest)) {
			furthest = &m
		}
	}
	if furthest == nil {
		return nil, true
	}
	m := furthest.Add(min(w.stride, w.distance(*furthest)))
	if furthest.Compare(target) > 0 {
		m = furthest.Add(-min(w.stride, w.distance(*furthest)))
	}
	to := w.pick(m, w.now)
	if furthest.Major != target.Major {
		to = w.Target // the step rule says what is wrong with that
	}
	for _, u := range w.units {
		if u.role == apiServer && w.version(u).Minor() == *furthest && !w.reached(w.version(u)) {
			if to.IsZero() {
				w.missing(u, m)
				return nil, false
			}
			moves = append(moves, relocation{u, to})
		}
	}
	return moves, true
}

// missing reports a minor on the way of which no version is available.
func (w *walker) missing(u unit, m version.Minor) {
	f := skew.Finding{
		RuleID:    u.components[0],
		Severity:  policy.SeverityError,
		Source:    w.Policy.Source,
		Subject:   skew.Side{Component: u.components[0], Version: w.Target, Locations: w.alike[u.place]},
		Reference: skew.Side{Component: u.components[0], Version: w.version(u)},
		Allowed:   skew.Window{Minimum: &m, Maximum: &m, Minors: []version.Minor{m}},
		Cause:     &NotAvailable{Minor: m},
	}
	for _, r := range w.Policy.StepRulesFor(u.components[0]) {
		f.RuleID, f.Source = r.ID, r.Source
	}
	w.plan.Findings = append(w.plan.Findings, f)
}

// makeWay moves what would fall out of its window when the API servers move,
// to where it may be before and after.
func (w *walker) makeWay(wave []relocation) bool {
	for range MaxPath {
		before, after := w.scene(w.now), w.scene(w.with(wave))
		var moves []relocation
		stuck := false
		for _, u := range w.units {
			fitted := w.fits(u, window(u, before))
			if u.role == apiServer || w.fits(u, window(u, after)) || !fitted && w.cured(u) {
				continue
			}
			if m, ok := w.goal(u, window(u, before, after)); ok {
				moves = append(moves, relocation{u, w.pick(m, w.now)})
			} else if fitted {
				stuck = true // what is broken already gets its chance later
			}
		}
		if len(moves) == 0 {
			if stuck {
				w.block(w.with(wave))
			}
			return !stuck
		}
		if !w.take(moves) {
			return false
		}
	}
	return false
}

// followers takes the controllers as near to the target as the API servers
// allow and, if asked for, the nodes.
func (w *walker) followers() bool {
	if !w.follow(controller) {
		return false
	}
	return w.Strategy != Follow || w.follow(node)
}

// follow moves all units of a role as near to the target as they may go.
func (w *walker) follow(r role) bool {
	for range MaxPath {
		now := w.scene(w.now)
		var moves []relocation
		for _, u := range w.units {
			if u.role != r || w.arrived(u) {
				continue
			}
			m, ok := w.goal(u, window(u, now))
			if to := w.pick(m, w.now); ok || m == w.Target.Minor() && !to.IsZero() && to.Normalized() != w.version(u).Normalized() {
				moves = append(moves, relocation{u, to})
			}
		}
		if len(moves) == 0 {
			return true
		}
		if !w.take(moves) {
			return false
		}
	}
	return false
}

// finish takes the nodes to the target. What lags makes way if it holds its
// node back.
func (w *walker) finish() bool {
	for range MaxPath {
		if !w.follow(node) {
			return false
		}
		var moves []relocation
		now := w.scene(w.now)
		for _, u := range w.units {
			if u.role != lagging || w.nodeReached(u.place) {
				continue
			}
			if m, ok := w.goal(u, window(u, now)); ok {
				moves = append(moves, relocation{u, w.pick(m, w.now)})
			}
		}
		if len(moves) == 0 {
			break
		}
		if !w.take(moves) {
			return false
		}
	}
	for _, u := range w.units {
		if u.role == node && !w.arrived(u) {
			w.block(w.with([]relocation{{u, w.Target}}))
			return false
		}
	}
	return w.repair() && len(errors(skew.Evaluate(w.Policy, w.now))) == 0
}

func (w *walker) nodeReached(place int) bool {
	for _, u := range w.units {
		if u.place == place && u.role == node && !w.arrived(u) {
			return false
		}
	}
	return true
}

// block reports why the cluster can't become next.
func (w *walker) block(next skew.Cluster) {
	w.plan.Findings = append(w.plan.Findings, w.refusals(next)...)
}

// refusals is what speaks against the step to next, less what is broken now.
func (w *walker) refusals(next skew.Cluster) []skew.Finding {
	type key struct {
		rule  string
		where skew.Location
	}
	broken := map[key]bool{}
	for _, f := range errors(skew.Evaluate(w.Policy, w.now)) {
		for _, l := range f.Subject.Locations {
			broken[key{f.RuleID, l}] = true
		}
	}
	var refusals []skew.Finding
	for _, f := range errors(skew.Evaluate(w.Policy, next)) {
		if !broken[key{f.RuleID, f.Subject.Locations[0]}] {
			refusals = append(refusals, f)
		}
	}
	return append(refusals, errors(Evaluate(w.Policy, w.now, next).Findings)...)
}

func errors(findings []skew.Finding) []skew.Finding {
	return slices.DeleteFunc(findings, func(f skew.Finding) bool { return f.Severity != policy.SeverityError })
}

// take makes one stage of what could be moved now: of one kind, version and set
// of components, and of those what is furthest from the target, which others may
// join later on. It reports what the stage would break.
func (w *walker) take(moves []relocation) bool {
	first := moves[0]
	for _, m := range moves {
		if w.distance(m.to.Minor()) > w.distance(first.to.Minor()) {
			first = m
		}
	}
	if first.to.IsZero() {
		w.missing(first.unit, w.Target.Minor())
		return false
	}
	batch := slices.DeleteFunc(slices.Clone(moves), func(m relocation) bool {
		// Controllers of one control plane move as one stage.
		alike := m.role == first.role && (m.role == controller || slices.Equal(m.components, first.components))
		return !alike || w.kind(m.unit) != w.kind(first.unit) || m.to.Normalized() != first.to.Normalized()
	})
	next := w.with(batch)
	if refusals := w.refusals(next); len(refusals) > 0 {
		w.plan.Findings = append(w.plan.Findings, refusals...)
		return false
	}
	w.record(batch, next)
	w.now = next
	return true
}

// distance is how many minors there are from m to the target.
func (w *walker) distance(m version.Minor) int {
	skew, _ := m.Skew(w.Target.Minor())
	return max(skew, -skew)
}

func (w *walker) kind(u unit) Kind {
	switch l := w.now.Places[u.place].Location; {
	case l.InControlPlane():
		return KindControlPlane
	case u.role == client:
		return KindClients
	}
	return KindNodePools
}

// record writes down the stage that leads to next.
func (w *walker) record(batch []relocation, next skew.Cluster) {
	stage := Stage{Kind: w.kind(batch[0].unit), To: batch[0].to}
	stage.Repairs = len(errors(skew.Evaluate(w.Policy, next))) < len(errors(skew.Evaluate(w.Policy, w.now)))
	for _, m := range batch {
		stage.Locations = append(stage.Locations, w.alike[m.place]...)
		for _, component := range m.components {
			v, _ := w.now.Places[m.place].Version(component)
			stage.From = append(stage.From, v)
			if !slices.Contains(stage.Components, component) {
				stage.Components = append(stage.Components, component)
				if (Change{From: v, To: m.to}).MovesMinor() {
					stage.MoveNotes = append(stage.MoveNotes, w.Policy.NotesFor(component)...)
				}
			}
			if newest := newestOf(w.Available, v.Minor()); m.role == apiServer && v.Minor() != m.to.Minor() && newest.Compare(v) > 0 {
				stage.NewestBefore = newest
			}
		}
		if m.role == node && stage.Kind == KindNodePools {
			w.plan.NodePoolRollouts += len(w.alike[m.place])
		}
	}
	if batch[0].role == apiServer {
		w.plan.ControlPlaneSteps++
	}
	stage.Locations = tidy(stage.Locations)
	slices.SortFunc(stage.From, func(a, b version.Version) int {
		return cmp.Or(a.Compare(b), strings.Compare(a.String(), b.String()))
	})
	stage.From = slices.CompactFunc(stage.From, func(a, b version.Version) bool { return a.String() == b.String() })
	w.plan.Stages = append(w.plan.Stages, stage)
}

// after is the cluster after the first of some stages.
func (r Request) after(stages []Stage) skew.Cluster {
	if len(stages) == 0 {
		return r.Cluster
	}
	first := stages[0]
	here := map[skew.Location]bool{}
	for _, l := range first.Locations {
		here[l] = true
	}
	next := skew.Cluster{LocalEndpoint: r.Cluster.LocalEndpoint, Places: slices.Clone(r.Cluster.Places)}
	for i, p := range next.Places {
		if here[p.Location] {
			next.Places[i].Instances = moved(p.Instances, first.Components, first.To)
		}
	}
	return next
}
