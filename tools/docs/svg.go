// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"html"
	"strings"
)

// color has a value for light and one for dark pages.
type color struct{ name, light, dark string }

// The colors of all pictures. No picture conveys information by color alone.
var (
	ground = color{"ground", "#ffffff", "#0d1117"}
	border = color{"border", "#d0d7de", "#3d444d"}
	ink    = color{"ink", "#1f2328", "#f0f6fc"}
	faint  = color{"faint", "#59636e", "#9198a1"}
	strong = color{"strong", "#1a7f37", "#238636"}
	onFill = color{"on-fill", "#ffffff", "#ffffff"}
	none   = color{"none", "none", "none"}
)

// margin is the space around a picture, in pixels.
const margin = 20

// picture is an SVG. Each element has its color as an attribute, because some renderers
// ignore style sheets or custom properties. The style sheet replaces the colors on dark
// pages.
type picture struct {
	width, height int
	body          strings.Builder
}

// text is a line of text, centered vertically at y.
type text struct {
	kind    string // class, such as label
	x, y    int
	content string
	fill    color
	middle  bool // centered horizontally at x; otherwise it starts there
	bold    bool
}

func (p *picture) text(t text) {
	attributes := ""
	if t.middle {
		attributes += ` text-anchor="middle"`
	}
	if t.bold {
		attributes += ` font-weight="600"`
	}
	fmt.Fprintf(&p.body, `<text class="%s %s" x="%d" y="%d" dy="0.35em" fill="%s"%s>%s</text>`+"\n",
		t.kind, t.fill.name, t.x, t.y, t.fill.light, attributes, html.EscapeString(t.content))
}

// box is a rectangle with rounded corners.
type box struct {
	x, y, width, height int
	fill, stroke        color
	dashed              bool
}

func (p *picture) box(b box) {
	attributes := ""
	if b.dashed {
		attributes = ` stroke-dasharray="3 3"`
	}
	fmt.Fprintf(&p.body, `<rect class="%s line-%s" x="%d.5" y="%d.5" width="%d" height="%d" rx="4" fill="%s" stroke="%s"%s/>`+"\n",
		b.fill.name, b.stroke.name, b.x, b.y, b.width-1, b.height-1, b.fill.light, b.stroke.light, attributes)
}

// point is a position in a picture.
type point struct{ x, y int }

// arrow draws a line through points that ends with an arrowhead. The last point must be to
// the right of the previous one, or above it.
func (p *picture) arrow(points ...point) {
	var path strings.Builder
	for i, at := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%d %d ", command, at.x, at.y)
	}
	end, before := points[len(points)-1], points[len(points)-2]
	head := fmt.Sprintf("M%d %d l-7 -4 v8 z", end.x, end.y)
	if end.y != before.y {
		head = fmt.Sprintf("M%d %d l-4 7 h8 z", end.x, end.y)
	}
	fmt.Fprintf(&p.body, `<path class="none line-faint" d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.TrimSpace(path.String()), faint.light)
	fmt.Fprintf(&p.body, `<path class="faint" d="%s" fill="%s"/>`+"\n", head, faint.light)
}

// svg returns the complete SVG file.
func (p *picture) svg(title, description string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">`+"\n", p.width, p.height, p.width, p.height)
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&b, "<desc id=\"description\">%s</desc>\n", html.EscapeString(description))
	b.WriteString("<style>\n  @media (prefers-color-scheme: dark) {\n")
	for _, c := range []color{ground, border, ink, faint, strong, onFill} {
		fmt.Fprintf(&b, "    .%s { fill: %s; } .line-%s { stroke: %s; }\n", c.name, c.dark, c.name, c.dark)
	}
	b.WriteString("  }\n</style>\n")
	fmt.Fprintf(&b, `<rect class="ground line-border" x="0.5" y="0.5" width="%d" height="%d" rx="6" fill="%s" stroke="%s"/>`+"\n", p.width-1, p.height-1, ground.light, border.light)
	fmt.Fprintf(&b, `<text class="heading ink" x="%d" y="%d" dy="0.35em" fill="%s" font-weight="600">%s</text>`+"\n", margin, margin+10, ink.light, html.EscapeString(title))
	b.WriteString(p.body.String())
	b.WriteString("</svg>\n")
	return b.String()
}
