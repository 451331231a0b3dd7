package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// available reports whether there is a version of the minor that some moves go
// to, and complains if there is none.
func (w *walker) available(moves []relocation) bool {
	if !moves[0].to.IsZero() {
		return true
	}
	u, m := moves[0].unit, moves[0].minor
	var everywhere []finding.Location
	for _, move := range moves {
		everywhere = append(everywhere, w.alike[move.place]...)
	}
	f := finding.Finding{
		RuleID:    u.components[0],
		Severity:  policy.SeverityError,
		Source:    w.Policy.Source,
		Subject:   finding.Side{Component: u.components[0], Version: w.Target, Locations: tidy(everywhere)},
		Reference: finding.Side{Component: u.components[0], Version: w.version(u)},
		Allowed:   finding.Window{Minimum: &m, Maximum: &m, Minors: []version.Minor{m}},
		Cause:     &finding.NotAvailable{Minor: m},
	}
	for _, r := range w.Policy.StepRulesFor(u.components[0]) {
		f.RuleID, f.Source = r.ID, r.Source
	}
	w.plan.Findings = append(w.plan.Findings, f)
	return false
}

// refusals is what speaks against the step to next, less what is broken now.
func (w *walker) refusals(next skew.Cluster) []finding.Finding {
	type key struct {
		rule  string
		where finding.Location
	}
	broken := map[key]bool{}
	for _, f := range w.errorsIn(skew.Evaluate(w.Policy, w.now)) {
		for _, l := range f.Subject.Locations {
			broken[key{f.RuleID, l}] = true
		}
	}
	var refusals []finding.Finding
	for _, f := range w.errorsIn(skew.Evaluate(w.Policy, next)) {
		if !broken[key{f.RuleID, f.Subject.Locations[0]}] {
			refusals = append(refusals, f)
		}
	}
	return append(refusals, w.errorsIn(Evaluate(w.Policy, w.now, next, Any).Findings)...)
}

// errorsOf returns the findings that are errors.
func errorsOf(findings []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.Severity != policy.SeverityError })
}

// errorsIn returns the errors among some findings that nobody has accepted.
func (r Request) errorsIn(findings []finding.Finding) []finding.Finding {
	findings, _ = finding.Waive(findings, r.Waivers, r.Day)
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return !f.Stands() })
}

// take makes one stage of what could be moved now: of one kind, version and set
// of components, and of those what is furthest from the target, which others may
// join later on. It reports what the stage would break.
func (w *walker) take(moves []relocation) bool {
	first := slices.MaxFunc(moves, func(a, b relocation) int { return w.distance(a.minor) - w.distance(b.minor) })
	with := func(alike func(relocation) bool) []relocation {
		return slices.DeleteFunc(slices.Clone(moves), func(m relocation) bool {
			return !alike(m) || w.kind(m.unit) != w.kind(first.unit) || m.minor != first.minor
		})
	}
	// Controllers of one control plane move as one stage, unless one of them stays.
	batch := with(func(m relocation) bool { return m.role == controller })
	if len(batch) == 0 || w.leavesOut(batch) {
		batch = with(func(m relocation) bool { return slices.Equal(m.components, first.components) })
	}
	if !w.available(batch) {
		return false
	}
	next := w.with(batch)
	if refusals := w.refusals(next); len(refusals) > 0 {
		w.plan.Findings = append(w.plan.Findings, refusals...)
		return false
	}
	w.record(batch, next)
	w.now = next
	return true
}

// leavesOut reports whether some component moves at one place of a stage, and
// stays at another.
func (w *walker) leavesOut(batch []relocation) bool {
	places, components := map[int]bool{}, map[string]bool{}
	for _, m := range batch {
		places[m.place], components[m.components[0]] = true, true
	}
	asked := 0
	for _, u := range w.units {
		if places[u.place] && components[u.components[0]] && w.version(u).Normalized() != batch[0].to.Normalized() {
			asked++
		}
	}
	return asked > len(batch)
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
	stage.Repairs = len(w.errorsIn(skew.Evaluate(w.Policy, next))) < len(w.errorsIn(skew.Evaluate(w.Policy, w.now)))
	noted := map[string]bool{}
	for _, m := range batch {
		stage.Locations = append(stage.Locations, w.alike[m.place]...)
		for _, component := range m.components {
			v, _ := w.now.Places[m.place].Version(component)
			stage.From = append(stage.From, v)
			if !slices.Contains(stage.Components, component) {
				stage.Components = append(stage.Components, component)
			}
			if (Change{From: v, To: m.to}).MovesMinor() && !noted[component] {
				noted[component] = true
				stage.MoveNotes = append(stage.MoveNotes, w.Policy.NotesFor(component)...)
			}
			_, declared := v.Patch()
			if newest := w.newestPatch(v.Minor()); declared && m.role == apiServer && v.Minor() != m.to.Minor() && newest.Compare(v) > 0 {
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
	here := map[finding.Location]bool{}
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
