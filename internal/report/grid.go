// SPDX-License-Identifier: MPL-2.0

package report

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/report/svg"
)

// Dimensions of a grid, in pixels.
const (
	cellHeight  = 26
	cellGap     = 4
	gridTop     = 54 // below the title
	headHeight  = 28
	maxLabel    = 264
	minCell     = 44
	labelMargin = 12
)

// The limits of a picture. It counts the rows and columns beyond them.
const (
	maxRows    = 16
	maxColumns = 12
	maxBands   = 3
)

// grid is a picture with labeled rows and cells in columns.
type grid struct {
	svg.Picture
	labels, cell int // widths
}

// newGrid returns a grid that is wide enough for labels and for texts in cells.
func newGrid(labels, cells []string, columns int) *grid {
	g := &grid{cell: minCell}
	for _, l := range labels {
		g.labels = max(g.labels, min(svg.TextWidth(l), maxLabel)+labelMargin)
	}
	for _, c := range cells {
		g.cell = max(g.cell, svg.TextWidth(c)*11/10+12)
	}
	g.Width = 2*svg.Margin + g.labels + columns*(g.cell+cellGap) - cellGap
	return g
}

// x returns the left edge of a column.
func (g *grid) x(column int) int { return svg.Margin + g.labels + column*(g.cell+cellGap) }

// head draws the heading of a column.
func (g *grid) head(column, y int, content string, bold bool) {
	t := svg.Text{X: g.x(column) + g.cell/2, Y: y + cellHeight/2, Content: content, Fill: svg.Faint, Middle: true}
	if bold {
		t.Fill, t.Bold = svg.Ink, true
	}
	g.Text(t)
}

// label draws the label of a row.
func (g *grid) label(y int, content string, fill svg.Color) {
	g.Text(svg.Text{X: svg.Margin, Y: y + cellHeight/2, Content: svg.Shorten(content, maxLabel), Fill: fill})
}

// cellKind is the look of a cell.
type cellKind struct {
	fill, stroke, text svg.Color
	bold, dashed       bool
}

var (
	plainCell  = cellKind{fill: svg.None, stroke: svg.Border, text: svg.Faint}
	emptyCell  = cellKind{fill: svg.None, stroke: svg.Border, text: svg.Faint, dashed: true}
	softCell   = cellKind{fill: svg.Soft, stroke: svg.Strong, text: svg.Ink}
	strongCell = cellKind{fill: svg.Strong, stroke: svg.Strong, text: svg.OnFill, bold: true}
	dangerCell = cellKind{fill: svg.Danger, stroke: svg.Danger, text: svg.OnFill, bold: true}
)

// box draws a cell of a width.
func (g *grid) box(x, y, width int, kind cellKind, content string) {
	g.Box(svg.Box{X: x, Y: y, Width: width, Height: cellHeight, Fill: kind.fill, Stroke: kind.stroke, Dashed: kind.dashed})
	if content != "" {
		g.Text(svg.Text{X: x + width/2, Y: y + cellHeight/2, Content: content, Fill: kind.text, Middle: true, Bold: kind.bold})
	}
}

// legendEntry explains a kind of cells.
type legendEntry struct {
	kind    cellKind
	content string
	means   string
}

// legend draws entries next to each other.
func (g *grid) legend(y int, entries []legendEntry) {
	x := svg.Margin
	for _, e := range entries {
		g.box(x, y, minCell, e.kind, e.content)
		x += minCell + 8
		g.Text(svg.Text{X: x, Y: y + cellHeight/2, Content: e.means, Fill: svg.Faint})
		x += svg.TextWidth(e.means) + labelMargin
	}
	g.Width = max(g.Width, x-labelMargin+svg.Margin)
}
