// SPDX-License-Identifier: MPL-2.0

// Package svg draws boxes, arrows and text as SVG, for light and dark pages. It writes
// one element for all boxes of the same style, so that pictures of many cells stay small.
package svg

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Color is one of the colors of all pictures. No picture conveys information by color alone.
type Color uint8

// The colors. The zero Color is left to the renderer.
const (
	Ground Color = iota + 1
	Border
	Ink
	Faint
	Strong
	Soft
	Danger
	Alert // for text
	OnFill
	None
)

// colors has a value of each color for light and one for dark pages.
var colors = [...]struct{ name, light, dark string }{
	Ground: {"ground", "#ffffff", "#0d1117"},
	Border: {"border", "#d0d7de", "#3d444d"},
	Ink:    {"ink", "#1f2328", "#f0f6fc"},
	Faint:  {"faint", "#59636e", "#9198a1"},
	Strong: {"strong", "#1a7f37", "#238636"},
	Soft:   {"soft", "#dafbe1", "#12341f"},
	Danger: {"danger", "#cf222e", "#b62324"},
	Alert:  {"alert", "#cf222e", "#f85149"},
	OnFill: {"on-fill", "#ffffff", "#ffffff"},
	None:   {"none", "none", "none"},
}

// Margin is the space around a picture, in pixels.
const Margin = 20

// Picture is an SVG. Each element has its color as an attribute, because some renderers
// ignore style sheets or custom properties. The style sheet replaces the colors on dark
// pages.
type Picture struct {
	Width, Height int
	shapes, texts layers
}

// style is what elements of a layer have in common.
type style struct {
	fill, stroke         Color
	middle, bold, dashed bool
	mono                 bool
}

func (s style) attributes() string {
	fill, stroke := colors[s.fill], colors[s.stroke]
	a := `class="` + fill.name
	if s.stroke != 0 {
		a += " line-" + stroke.name
	}
	a += `" fill="` + fill.light + `"`
	if s.stroke != 0 {
		a += ` stroke="` + stroke.light + `"`
	}
	if s.middle {
		a += ` text-anchor="middle"`
	}
	if s.bold {
		a += ` font-weight="600"`
	}
	if s.mono {
		a += ` font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"`
	}
	if s.dashed {
		a += ` stroke-dasharray="3 3"`
	}
	return a
}

// layers are groups of elements with the same style, in the order of first use. There are
// only a few.
type layers []*layer

type layer struct {
	style
	body []byte
}

func (all *layers) of(s style) *layer {
	i := slices.IndexFunc(*all, func(l *layer) bool { return l.style == s })
	if i < 0 {
		i = len(*all)
		*all = append(*all, &layer{s, make([]byte, 0, 512)})
	}
	return (*all)[i]
}

// write appends a text and, behind it, a number.
func (l *layer) write(text string, n int) {
	l.body = strconv.AppendInt(append(l.body, text...), int64(n), 10)
}

// end appends a text.
func (l *layer) end(text string) { l.body = append(l.body, text...) }

// Text is a line of text, centered vertically at Y.
type Text struct {
	X, Y    int
	Content string
	Fill    Color
	Middle  bool // centered horizontally at X; otherwise it starts there
	Bold    bool
	Mono    bool // in a font in which all characters have the width MonoWidth
}

// MonoWidth is the width of a character of a Text with Mono, in pixels.
const MonoWidth = 8

// Text draws a line of text.
func (p *Picture) Text(t Text) {
	l := p.texts.of(style{fill: t.Fill, middle: t.Middle, bold: t.Bold, mono: t.Mono})
	l.write(`<text x="`, t.X)
	l.write(`" y="`, t.Y+5) // from the middle to the baseline
	if t.Mono {             // a renderer would merge ordinary spaces
		t.Content = strings.ReplaceAll(t.Content, " ", "\u00a0")
	}
	l.end(`">`)
	l.end(escape(t.Content))
	l.end("</text>\n")
}

// Box is a rectangle with rounded corners.
type Box struct {
	X, Y, Width, Height int
	Fill, Stroke        Color
	Dashed              bool
}

// Box draws a rectangle.
func (p *Picture) Box(x Box) {
	l := p.shapes.of(style{fill: x.Fill, stroke: x.Stroke, dashed: x.Dashed})
	// Clockwise from the upper left corner, each corner with a radius of 4.
	l.write("M", x.X+4)
	l.write(".5 ", x.Y)
	l.write(".5h", x.Width-9)
	l.write("q4 0 4 4v", x.Height-9)
	l.write("q0 4-4 4h-", x.Width-9)
	l.write("q-4 0-4-4v-", x.Height-9)
	l.end("q0-4 4-4z\n")
}

// Point is a position in a picture.
type Point struct{ X, Y int }

// Arrow draws a line through points that ends with an arrowhead. The last point must be to
// the right of the previous one, or above it.
func (p *Picture) Arrow(points ...Point) {
	line := p.shapes.of(style{fill: None, stroke: Faint})
	for i, at := range points {
		to := "L"
		if i == 0 {
			to = "M"
		}
		line.write(to, at.X)
		line.write(" ", at.Y)
	}
	line.end("\n")
	end, before := points[len(points)-1], points[len(points)-2]
	head := p.shapes.of(style{fill: Faint})
	head.write("M", end.X)
	head.write(" ", end.Y)
	if end.Y == before.Y {
		head.end("l-7-4v8z\n")
	} else {
		head.end("l-4 7h8z\n")
	}
}

// SVG returns the file. The title is also the heading of the picture.
func (p *Picture) SVG(title, description string) string {
	p.Width = max(p.Width, 2*Margin+TextWidth(title)*11/10) // bold
	var b strings.Builder
	write := func(parts ...string) {
		for _, s := range parts {
			b.WriteString(s)
		}
	}
	size := len(styles) + 1000
	for _, l := range []layers{p.shapes, p.texts} {
		for _, one := range l {
			size += len(one.body) + 100
		}
	}
	b.Grow(size)
	width, height := strconv.Itoa(p.Width), strconv.Itoa(p.Height)
	write(`<svg xmlns="http://www.w3.org/2000/svg" width="`, width, `" height="`, height, `" viewBox="0 0 `, width, " ", height,
		`" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">`+"\n")
	write("<title>", escape(title), "</title>\n<desc>", escape(description), "</desc>\n", styles)
	write(`<rect class="ground line-border" x="0.5" y="0.5" width="`, strconv.Itoa(p.Width-1), `" height="`, strconv.Itoa(p.Height-1),
		`" rx="6" fill="`, colors[Ground].light, `" stroke="`, colors[Border].light, `"/>`+"\n")
	for _, l := range p.shapes {
		write("<path ", l.attributes(), ` d="`)
		b.Write(bytes.TrimSpace(l.body))
		write(`"/>` + "\n")
	}
	write(`<text class="ink" fill="`, colors[Ink].light, `" font-weight="600" x="20" y="35">`, escape(title), "</text>\n")
	for _, l := range p.texts {
		write("<g ", l.attributes(), ">\n")
		b.Write(l.body)
		write("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// styles holds the colors on dark pages.
var styles = func() string {
	s := "<style>\n@media (prefers-color-scheme: dark) {\n"
	for _, c := range colors[Ground:None] {
		s += "." + c.name + " { fill: " + c.dark + " } .line-" + c.name + " { stroke: " + c.dark + " }\n"
	}
	return s + "}\n</style>\n"
}()

// TextWidth returns the width of a text in pixels, in one of the wider fonts. The font
// depends on the reader.
func TextWidth(s string) int {
	width := 0
	for _, r := range s {
		width += runeWidth(r)
	}
	return width
}

func runeWidth(r rune) int {
	switch {
	case r >= 0x1100: // East Asian characters and emoji are square
		return 13
	case r == 'm' || r == 'w' || unicode.IsUpper(r):
		return 11
	case strings.ContainsRune("ijl.,:;'()[]| ", r):
		return 5
	}
	return 8
}

// Shorten cuts a text that is wider than a number of pixels.
func Shorten(s string, width int) string {
	if TextWidth(s) <= width {
		return s
	}
	width -= runeWidth('m')
	for i, r := range s {
		if width -= runeWidth(r); width < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// escape returns a text for XML, which does not allow control characters.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, s))
}
