// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/report/svg"
)

// terminalSVG draws a terminal session. Lines of the form "..." stand for omitted lines.
func terminalSVG(file, title string) (string, error) {
	session, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	p := &svg.Picture{}
	y := 72
	for line := range strings.Lines(string(session)) {
		line = strings.TrimRight(line, "\n")
		p.Width = max(p.Width, 2*svg.Margin+len(line)*svg.MonoWidth)
		t := svg.Text{X: svg.Margin, Y: y, Content: line, Fill: svg.Ink, Mono: true}
		switch {
		case line == "...":
			t.Fill = svg.Faint
		case strings.HasPrefix(line, "Error: "):
			t.Bold = true
			p.Text(svg.Text{X: svg.Margin, Y: y, Content: "Error:", Fill: svg.Alert, Bold: true, Mono: true})
			t.Content = strings.Repeat(" ", len("Error:")) + strings.TrimPrefix(line, "Error:")
		}
		p.Text(t)
		y += lineHeight
	}
	p.Height = y + svg.Margin - lineHeight/2
	return p.SVG(title, "A terminal with the error of a failed plan."), nil
}
