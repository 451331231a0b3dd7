// SPDX-License-Identifier: MPL-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Dimensions of a grid, in pixels.
const (
	labelWidth    = 192
	cellWidth     = 54
	cellHeight    = 26
	cellGap       = 4
	headingHeight = 62
)

// allowedVersionsSVG draws the minors that each component may have next to a control plane
// at one minor, with a row for each component and a column for each minor. All components
// of the policy must have Kubernetes versions.
func allowedVersionsSVG(p *policy.Policy, controlPlane version.Minor) string {
	type row struct {
		component string
		allowed   finding.Window
	}
	var rows []row
	ends := []version.Minor{controlPlane}
	for _, component := range report.LimitedComponents(p) {
		w := evaluation.AllowedWith(p, component, controlPlane.Version())
		rows = append(rows, row{component, w})
		for _, end := range []*version.Minor{w.Minimum, w.Maximum} {
			if end != nil {
				ends = append(ends, *end)
			}
		}
	}
	oldest, newest := slices.MinFunc(ends, version.Minor.Compare), slices.MaxFunc(ends, version.Minor.Compare)
	var columns []version.Minor
	for m := oldest.Add(-1); m.Compare(newest) <= 0; m = m.Add(1) { // start one column earlier, to show a minor that is too old
		columns = append(columns, m)
	}
	// Sort the component with the oldest allowed minor first.
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Compare(slices.IndexFunc(columns, a.allowed.Contains), slices.IndexFunc(columns, b.allowed.Contains))
	})

	title := fmt.Sprintf("Versions allowed next to %s %s", skew.APIServer, controlPlane)
	var ranges []string
	for _, r := range rows {
		ranges = append(ranges, fmt.Sprintf("%s: %s.", r.component, report.Window(r.allowed)))
	}
	out := &picture{
		width:  2*margin + labelWidth + len(columns)*(cellWidth+cellGap) - cellGap,
		height: margin + headingHeight + len(rows)*(cellHeight+cellGap) - cellGap + margin,
	}
	x := func(column int) int { return margin + labelWidth + column*(cellWidth+cellGap) }
	for column, m := range columns {
		heading := text{kind: "minor", x: x(column) + cellWidth/2, y: margin + headingHeight - 16, content: m.String(), fill: faint, middle: true}
		if m == controlPlane {
			heading.fill, heading.bold = ink, true
		}
		out.text(heading)
	}
	for i, r := range rows {
		y := margin + headingHeight + i*(cellHeight+cellGap)
		out.text(text{kind: "label", x: margin, y: y + cellHeight/2, content: r.component, fill: ink})
		for column, m := range columns {
			if !r.allowed.Contains(m) {
				out.box(box{x: x(column), y: y, width: cellWidth, height: cellHeight, fill: none, stroke: border, dashed: true})
				continue
			}
			out.box(box{x: x(column), y: y, width: cellWidth, height: cellHeight, fill: strong, stroke: strong})
			out.text(text{kind: "version", x: x(column) + cellWidth/2, y: y + cellHeight/2, content: m.String(), fill: onFill, middle: true, bold: true})
		}
	}
	return out.svg(title, fmt.Sprintf("According to the policy %s. %s", p.Name, strings.Join(ranges, " ")))
}
