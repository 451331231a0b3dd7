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

// notAvailable complains that no version of the minor that some moves go to is
// available.
func (s state) notAvailable(moves []unitMove) finding.Finding {
	u, m := moves[0].unit, moves[0].minor
	var everywhere []finding.Location
	for _, move := range moves {
		everywhere = append(everywhere, s.alike[move.place]...)
	}
	f := finding.Finding{
		RuleID:    u.components[0],
		Severity:  policy.SeverityError,
		Source:    s.Policy.Source,
		Subject:   finding.Side{Component: u.components[0], Version: s.Target, Locations: tidy(everywhere)},
		Reference: finding.Side{Component: u.components[0], Version: s.version(u)},
		Allowed:   finding.Window{Minimum: &m, Maximum: &m, Minors: []version.Minor{m}},
		Cause:     &finding.NotAvailable{Minor: m},
	}
	for _, r := range s.Policy.StepRulesFor(u.components[0]) {
		f.RuleID, f.Source = r.ID, r.Source
	}
	return f
}

// refusals is what speaks against the step to next, less what is broken now.
func (s state) refusals(next skew.Cluster) []finding.Finding {
	type key struct {
		rule  string
		where finding.Location
	}
	broken := map[key]bool{}
	for _, f := range s.errorsIn(skew.Evaluate(s.Policy, s.cluster)) {
		for _, l := range f.Subject.Locations {
			broken[key{f.RuleID, l}] = true
		}
	}
	var refusals []finding.Finding
	for _, f := range s.errorsIn(skew.Evaluate(s.Policy, next)) {
		if !broken[key{f.RuleID, f.Subject.Locations[0]}] {
			refusals = append(refusals, f)
		}
	}
	return append(refusals, s.errorsIn(Evaluate(s.Policy, s.cluster, next, Any).Findings)...)
}

// errorsOf returns the findings that are errors.
func errorsOf(findings []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.Severity != policy.SeverityError })
}

// errorsIn returns the errors among some findings that nobody has accepted.
func (r Request) errorsIn(findings []finding.Finding) []finding.Finding {
	findings, _ = finding.Waive(findings, r.Waivers, r.Day)
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return !f.IsUnwaivedError() })
}

// batch is those of some moves that make up one stage: of one kind, version and
// set of components, and of those what is furthest from the target, which others
// may join later on.
func (s state) batch(moves []unitMove) []unitMove {
	first := slices.MaxFunc(moves, func(a, b unitMove) int { return s.distance(a.minor) - s.distance(b.minor) })
	with := func(alike func(unitMove) bool) []unitMove {
		return slices.DeleteFunc(slices.Clone(moves), func(m unitMove) bool {
			return !alike(m) || s.kind(m.unit) != s.kind(first.unit) || m.minor != first.minor
		})
	}
	// Controllers of one control plane move as one stage, unless one of them stays.
	batch := with(func(m unitMove) bool { return m.role == controller })
	if len(batch) == 0 || s.leavesOut(batch) {
		batch = with(func(m unitMove) bool { return slices.Equal(m.components, first.components) })
	}
	return batch
}

// leavesOut reports whether some component moves at one place of a stage, and
// stays at another.
func (s state) leavesOut(batch []unitMove) bool {
	places, components := map[int]bool{}, map[string]bool{}
	for _, m := range batch {
		places[m.place], components[m.components[0]] = true, true
	}
	asked := 0
	for _, u := range s.units {
		if places[u.place] && components[u.components[0]] && s.version(u).Normalized() != batch[0].to.Normalized() {
			asked++
		}
	}
	return asked > len(batch)
}

func (s state) kind(u unit) Kind {
	switch l := s.cluster.Places[u.place].Location; {
	case l.InControlPlane():
		return KindControlPlane
	case u.role == client:
		return KindClients
	}
	return KindNodePools
}

// stage describes a batch of moves that leads to the cluster next.
func (s state) stage(batch []unitMove, next skew.Cluster) Stage {
	stage := Stage{Kind: s.kind(batch[0].unit), To: batch[0].to}
	stage.Repairs = len(s.errorsIn(skew.Evaluate(s.Policy, next))) < len(s.errorsIn(skew.Evaluate(s.Policy, s.cluster)))
	noted := map[string]bool{}
	for _, m := range batch {
		stage.Locations = append(stage.Locations, s.alike[m.place]...)
		for _, component := range m.components {
			v, _ := s.cluster.Places[m.place].Version(component)
			stage.From = append(stage.From, v)
			if !slices.Contains(stage.Components, component) {
				stage.Components = append(stage.Components, component)
			}
			if (Change{From: v, To: m.to}).MovesMinor() && !noted[component] {
				noted[component] = true
				stage.MoveNotes = append(stage.MoveNotes, s.Policy.NotesFor(component)...)
			}
			_, declared := v.Patch()
			if newest := s.newestPatch(v.Minor()); declared && m.role == apiServer && v.Minor() != m.to.Minor() && newest.Compare(v) > 0 {
				stage.NewestBefore = newest
			}
		}
		if m.role == node && stage.Kind == KindNodePools {
			stage.rollouts += len(s.alike[m.place])
		}
	}
	stage.controlPlaneStep = batch[0].role == apiServer
	stage.Locations = tidy(stage.Locations)
	slices.SortFunc(stage.From, func(a, b version.Version) int {
		return cmp.Or(a.Compare(b), strings.Compare(a.String(), b.String()))
	})
	stage.From = slices.CompactFunc(stage.From, func(a, b version.Version) bool { return a.String() == b.String() })
	return stage
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
