package main

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// The measures of a picture, in pixels.
const (
	labelWidth = 192
	cellWidth  = 54
	cellHeight = 26
	cellGap    = 4
	margin     = 20
	headHeight = 62
)

// pictureStyle follows the scheme of the reader. The picture brings its own
// ground, so that it is readable on any page, and says nothing by colour alone.
const pictureStyle = `<style>
  svg { --ground: #ffffff; --line: #d0d7de; --ink: #1f2328; --faint: #59636e; --yes: #1a7f37; --on-yes: #ffffff; }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #0d1117; --line: #3d444d; --ink: #f0f6fc; --faint: #9198a1; --yes: #238636; --on-yes: #ffffff; }
  }
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--ink); dominant-baseline: central; }
  .ground { fill: var(--ground); stroke: var(--line); }
  .heading { font-weight: 600; }
  .minor { text-anchor: middle; fill: var(--faint); }
  .here { fill: var(--ink); font-weight: 600; }
  .yes { fill: var(--yes); }
  .no { fill: none; stroke: var(--line); stroke-dasharray: 3 3; }
  .version { text-anchor: middle; fill: var(--on-yes); font-weight: 600; }
</style>
`

// allowedVersionsSVG draws what each component may be beside a control plane at
// one minor: a row for every component, a column for every minor. It suits
// policies whose components all have the versions of Kubernetes.
func allowedVersionsSVG(p *policy.Policy, controlPlane version.Minor) string {
	type row struct {
		component string
		allowed   finding.Window
	}
	var rows []row
	ends := []version.Minor{controlPlane}
	for _, component := range report.LimitedComponents(p) {
		w := evaluation.AllowedBeside(p, component, controlPlane.Version())
		rows = append(rows, row{component, w})
		for _, end := range []*version.Minor{w.Minimum, w.Maximum} {
			if end != nil {
				ends = append(ends, *end)
			}
		}
	}
	oldest, newest := slices.MinFunc(ends, version.Minor.Compare), slices.MaxFunc(ends, version.Minor.Compare)
	var columns []version.Minor
	for m := oldest.Add(-1); m.Compare(newest) <= 0; m = m.Add(1) { // one more shows where the oldest limit ends
		columns = append(columns, m)
	}
	// Those that reach back farthest come first.
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Compare(slices.IndexFunc(columns, a.allowed.Contains), slices.IndexFunc(columns, b.allowed.Contains))
	})

	width := 2*margin + labelWidth + len(columns)*(cellWidth+cellGap) - cellGap
	height := margin + headHeight + len(rows)*(cellHeight+cellGap) - cellGap + margin
	title := fmt.Sprintf("What may run beside %s %s", skew.APIServer, controlPlane)
	var said []string
	for _, r := range rows {
		said = append(said, fmt.Sprintf("%s: %s.", r.component, report.Window(r.allowed)))
	}

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title description">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&b, "<desc id=\"description\">By the policy %s. %s</desc>\n", html.EscapeString(p.Name), html.EscapeString(strings.Join(said, " ")))
	b.WriteString(pictureStyle)
	fmt.Fprintf(&b, `<rect class="ground" x="0.5" y="0.5" width="%d" height="%d" rx="6"/>`+"\n", width-1, height-1)
	fmt.Fprintf(&b, `<text class="heading" x="%d" y="%d">%s</text>`+"\n", margin, margin+10, html.EscapeString(title))

	x := func(column int) int { return margin + labelWidth + column*(cellWidth+cellGap) }
	for column, m := range columns {
		class := "minor"
		if m == controlPlane {
			class += " here"
		}
		fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, x(column)+cellWidth/2, margin+headHeight-16, m)
	}
	for i, r := range rows {
		y := margin + headHeight + i*(cellHeight+cellGap)
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", margin, y+cellHeight/2, html.EscapeString(r.component))
		for column, m := range columns {
			if !r.allowed.Contains(m) {
				fmt.Fprintf(&b, `<rect class="no" x="%d.5" y="%d.5" width="%d" height="%d" rx="4"/>`+"\n", x(column), y, cellWidth-1, cellHeight-1)
				continue
			}
			fmt.Fprintf(&b, `<rect class="yes" x="%d" y="%d" width="%d" height="%d" rx="4"/><text class="version" x="%d" y="%d">%s</text>`+"\n",
				x(column), y, cellWidth, cellHeight, x(column)+cellWidth/2, y+cellHeight/2, m)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
