// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report/svg"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// AllowedPicture is a picture of the allowed versions of components, beside the declared
// ones. All components have Kubernetes versions.
type AllowedPicture struct {
	Title, Note string
	// ControlPlane are the minors of the API servers.
	ControlPlane []version.Minor
	Rows         []AllowedPictureRow
}

// AllowedPictureRow is a component of an AllowedPicture.
type AllowedPictureRow struct {
	Component string
	Allowed   finding.Window
	Declared  []version.Version // can be empty
}

// EvaluationSVG draws the versions of the declared components beside those that are allowed
// next to the API servers and to each other. It leaves out components that the platform
// upgrades, and further components, which have versions of their own.
func EvaluationSVG(r evaluation.Result) string {
	c := r.Cluster
	c.Places = slices.DeleteFunc(slices.Clone(c.Places), func(p skew.Place) bool { return p.Location.Attribute == finding.Components })
	declared := declaredVersions(c)
	p := AllowedPicture{Title: "Allowed versions", Note: fmt.Sprintf("Policy %s: %s", r.Policy.Name, Verdict(r))}
	for _, component := range slices.Sorted(maps.Keys(declared)) {
		hidden := component == skew.APIServer || slices.Contains(r.Policy.HiddenComponents, component)
		if w, ok := r.Allowed[component]; ok && !hidden {
			p.Rows = append(p.Rows, AllowedPictureRow{component, w, declared[component]})
		}
	}
	p.ControlPlane = slices.Compact(each(declared[skew.APIServer], version.Version.Minor))
	if len(p.ControlPlane) > 0 {
		p.Title = fmt.Sprintf("Versions allowed next to %s %s", skew.APIServer, list(each(p.ControlPlane, declared[skew.APIServer][0].Numbering().Show)))
	}
	return p.SVG()
}

// SVG draws the picture, with a row for each component and a column for each minor.
func (p AllowedPicture) SVG() string {
	columns := p.columns()
	rows := slices.Clone(p.Rows)
	// The component with the oldest allowed minor comes first.
	slices.SortStableFunc(rows, func(a, b AllowedPictureRow) int {
		return cmp.Compare(slices.IndexFunc(columns, a.Allowed.Contains), slices.IndexFunc(columns, b.Allowed.Contains))
	})
	numbers := each(columns, p.number)
	labels := each(rows, func(r AllowedPictureRow) string { return r.Component })
	g := newGrid(labels, each(numbers, func(number string) string { return notAllowed + number }), len(columns))
	y := gridTop
	if p.Note != "" {
		g.Text(svg.Text{X: svg.Margin, Y: gridTop - 1, Content: p.Note, Fill: svg.Faint})
		g.Width = max(g.Width, 2*svg.Margin+svg.TextWidth(p.Note))
		y += 16
	}
	for i, m := range columns {
		g.head(i, y, numbers[i], slices.Contains(p.ControlPlane, m))
	}
	y += headHeight
	used := map[cellKind]bool{}
	for _, row := range rows {
		g.label(y, row.Component, svg.Ink)
		for i, m := range columns {
			kind, content := row.cell(m, numbers[i])
			used[kind] = true
			g.box(g.x(i), y, g.cell, kind, content)
		}
		y += cellHeight + cellGap
	}
	var entries []legendEntry
	for _, e := range []legendEntry{{strongCell, "", "declared, allowed"}, {softCell, "", "allowed"}, {dangerCell, strings.TrimSpace(notAllowed), "declared, not allowed"}} {
		if used[e.kind] {
			entries = append(entries, e)
		}
	}
	if len(entries) > 0 {
		y += cellGap
		g.legend(y, entries)
		y += cellHeight
	}
	g.Height = y + svg.Margin
	description := each(rows, AllowedPictureRow.sentence)
	if p.Note != "" {
		description = slices.Insert(description, 0, p.Note+".")
	}
	return g.SVG(p.Title, strings.Join(description, " "))
}

// cell returns the look and the content of the cell for a minor, which has a number.
func (r AllowedPictureRow) cell(m version.Minor, number string) (kind cellKind, content string) {
	declared := slices.ContainsFunc(r.Declared, func(v version.Version) bool { return v.Minor() == m })
	switch allowed := r.Allowed.Contains(m); {
	case allowed && declared:
		return strongCell, number
	case allowed:
		return softCell, number
	case declared:
		return dangerCell, notAllowed + number
	}
	return emptyCell, ""
}

// sentence states what the row shows.
func (r AllowedPictureRow) sentence() string {
	s := r.Component + ": " + Window(r.Allowed)
	if len(r.Declared) > 0 {
		s += ", declared " + list(Strings(r.Declared))
	}
	return s + "."
}

// notAllowed marks a declared version that is not allowed, for readers who do not see
// colors.
const notAllowed = "× "

// number formats a minor in the numbering of the windows.
func (p AllowedPicture) number(m version.Minor) string {
	for _, row := range p.Rows {
		if n := row.Allowed.Numbers.Number(m); n != m {
			return n.String()
		}
	}
	return m.String()
}

// columns returns the minors to show: all from the oldest to the newest limit or declared
// version, and the one before them, to show a minor that is too old. If there are too many,
// it leaves out old ones between them.
func (p AllowedPicture) columns() []version.Minor {
	ends := slices.Clone(p.ControlPlane)
	for _, row := range p.Rows {
		for _, end := range []*version.Minor{row.Allowed.Minimum, row.Allowed.Maximum} {
			if end != nil {
				ends = append(ends, *end)
			}
		}
		for _, v := range row.Declared {
			ends = append(ends, v.Minor())
		}
	}
	slices.SortFunc(ends, version.Minor.Compare)
	ends = slices.Compact(ends)
	if len(ends) == 0 {
		return nil
	}
	ends = ends[max(0, len(ends)-maxColumns):]
	columns := slices.Clone(ends)
	first := ends[0].Add(-1)
	for m := ends[len(ends)-1]; len(columns) < maxColumns && m.Major == first.Major && m != first; {
		if m = m.Add(-1); !slices.Contains(columns, m) {
			columns = append(columns, m)
		}
	}
	slices.SortFunc(columns, version.Minor.Compare)
	return columns
}
