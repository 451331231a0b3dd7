// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/group"
	"github.com/versionskew/terraform-provider-versionskew/internal/report/svg"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// planRow is a row of the picture of a plan: components that have the same versions
// before the plan and after each stage.
type planRow struct {
	planRowKey
	names []string // the first ones
	count int
}

// planRowKey is what the places of a row have in common.
type planRowKey struct {
	what  string
	start version.Minor
	moves stageSet
}

// stageSet has a bit for each stage that a picture shows.
type stageSet uint64

func (s stageSet) has(stage int) bool { return s&(1<<stage) != 0 }

// label names the row, with as many names as fit.
func (r planRow) label() string {
	if len(r.names) == 0 {
		return r.what
	}
	for n := len(r.names); n > 1; n-- {
		if l := r.labelWith(n); svg.TextWidth(l) <= maxLabel {
			return l
		}
	}
	return r.labelWith(1)
}

func (r planRow) labelWith(n int) string {
	if more := r.count - n; more > 0 {
		return fmt.Sprintf("%s: %s and %d more", r.what, strings.Join(r.names[:n], ", "), more)
	}
	return r.what + ": " + listAll(r.names[:n])
}

// planRows returns the rows of a plan.
func planRows(c skew.Cluster, stages []upgrade.Stage) []planRow {
	byLocation, byComponent := map[finding.Location]stageSet{}, map[string]stageSet{}
	for i, s := range stages {
		for _, l := range s.Locations {
			byLocation[l] |= 1 << i
		}
		for _, component := range s.Components {
			byComponent[component] |= 1 << i
		}
	}
	type part struct { // components of a place that move together
		key        planRowKey
		components []string
	}
	var parts []part
	var rows group.Map[planRowKey, planRow]
	for _, place := range c.Places {
		if place.Location.Attribute == finding.Components {
			continue // a plan does not move them
		}
		moves := byLocation[place.Location]
		parts = parts[:0]
		for _, in := range place.Instances {
			if in.ClusterWide && place.Location.Attribute != finding.KubeProxy || in.Version.IsZero() {
				continue
			}
			key := planRowKey{start: minorNumber(in.Version), moves: moves & byComponent[in.Component]}
			i := slices.IndexFunc(parts, func(p part) bool { return p.key == key })
			if i < 0 {
				i = len(parts)
				parts = append(parts, part{key: key})
			}
			parts[i].components = append(parts[i].components, in.Component)
		}
		for _, p := range parts {
			p.key.what = partOf(place.Location, p.components, len(parts) == 1)
			row := rows.GetOrCreate(p.key, func() planRow { return planRow{planRowKey: p.key} })
			if row.count++; place.Location.Key != "" && len(row.names) < maxNamed {
				row.names = append(row.names, place.Location.Key)
			}
		}
	}
	return rows.All
}

// partOf names components of a place.
func partOf(l finding.Location, components []string, all bool) string {
	if l.Attribute == finding.NodePools && all {
		return "nodes"
	}
	onlyControlPlane := !slices.ContainsFunc(components, func(c string) bool { return !slices.Contains(skew.ControlPlaneComponents, c) })
	switch {
	case len(components) == 1:
		return components[0]
	case l.InControlPlane() && slices.Contains(components, skew.APIServer):
		return "control plane"
	case l.InControlPlane() && onlyControlPlane:
		return "controllers"
	}
	return listAll(components)
}

// minorText formats the minor of a version in its numbering.
func minorText(v version.Version) string { return minorNumber(v).String() }

// minorNumber returns the minor of a version in its numbering.
func minorNumber(v version.Version) version.Minor { return v.Numbering().Number(v.Minor()) }

// PlanSVG draws a plan, with a row for each part of the cluster and a column for each
// stage. A cell shows the version that runs after the stage, and is filled if it moves.
func PlanSVG(r upgrade.Request, p upgrade.Plan) string {
	stages := p.Stages[:min(len(p.Stages), maxBands*maxColumns)]
	rows := planRows(r.Cluster, stages)
	hidden := 0
	for _, row := range rows[min(len(rows), maxRows):] {
		hidden += row.count
	}
	rows = rows[:min(len(rows), maxRows)]
	applies := p.Applies < len(p.Stages)

	texts := each(stages, stageText)
	g := newGrid(append(each(rows, planRow.label), "Stage"), texts, min(len(stages), maxColumns)+1)
	y := gridTop
	for first := 0; first == 0 || first < len(stages); first += maxColumns {
		y = g.band(y, rows, stages, texts, first, applies)
	}
	if hidden > 0 {
		g.label(y, fmt.Sprintf("and %d more", hidden), svg.Faint)
		y += cellHeight
	}
	if more := len(p.Stages) - len(stages); more > 0 {
		g.label(y, fmt.Sprintf("and %s", count(more, "more stage")), svg.Faint)
		y += cellHeight
	}
	if len(stages) > 0 {
		g.legend(y, []legendEntry{{strongCell, "", "moves in this stage"}, {plainCell, "", "stays"}})
		y += cellHeight
	}
	g.Height = y + svg.Margin
	return g.SVG(planTitle(r, p), fmt.Sprintf("Planned with the policy %s. Each column shows the minor versions that run after a stage. Filled cells move in the stage.", r.Policy.Name))
}

func planTitle(r upgrade.Request, p upgrade.Plan) string {
	if from := r.Cluster.Newest(skew.APIServer); p.Feasible && len(p.Stages) > 0 && !from.IsZero() {
		s := fmt.Sprintf("%s from %s to %s in %s", planVerb(r), minorText(from), minorText(r.Target), count(len(p.Stages), "stage"))
		if p.Applies < len(p.Stages) {
			s += fmt.Sprintf(" and %d %s", p.Applies, form(p.Applies, "apply", "applies"))
		}
		return s
	}
	return fmt.Sprintf("%s to %s: %s", planVerb(r), r.Target, planVerdict(p))
}

// stageText is the version after a stage: the minor, or the whole version if only the
// patch changes.
func stageText(s upgrade.Stage) string {
	if !slices.ContainsFunc(s.From, func(v version.Version) bool { return v.Minor() != s.To.Minor() }) {
		return svg.Shorten(s.To.Binary().String(), maxLabel/2)
	}
	return minorText(s.To)
}

// band draws some of the stages, after a column with the versions before them. It returns
// the lower edge.
func (g *grid) band(y int, rows []planRow, stages []upgrade.Stage, texts []string, first int, applies bool) int {
	last := min(first+maxColumns, len(stages))
	g.label(y, "Stage", svg.Faint)
	before := "now"
	if first > 0 {
		before = fmt.Sprint(first)
	}
	g.head(0, y, before, false)
	for i := first; i < last; i++ {
		g.head(i-first+1, y, fmt.Sprint(i+1), false)
	}
	y += headHeight
	for _, row := range rows {
		g.label(y, row.label(), svg.Ink)
		runs := row.start.String()
		for i := range first {
			if row.moves.has(i) {
				runs = texts[i]
			}
		}
		g.box(g.x(0), y, g.cell, plainCell, runs)
		for i := first; i < last; i++ {
			kind := plainCell
			if row.moves.has(i) {
				kind, runs = strongCell, texts[i]
			}
			g.box(g.x(i-first+1), y, g.cell, kind, runs)
		}
		y += cellHeight + cellGap
	}
	if !applies {
		return y + cellGap
	}
	// Each apply spans its stages.
	g.label(y, "Apply", svg.Faint)
	for i := first; i < last; {
		end := i
		for end+1 < last && stages[end+1].Apply == stages[i].Apply {
			end++
		}
		left, right := g.x(i-first+1), g.x(end-first+1)+g.cell
		g.box(left, y, right-left, emptyCell, fmt.Sprint(stages[i].Apply))
		i = end + 1
	}
	return y + cellHeight + 3*cellGap
}
