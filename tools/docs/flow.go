// SPDX-License-Identifier: MPL-2.0

package main

import "github.com/versionskew/terraform-provider-versionskew/internal/report/svg"

// card is a box of a flow picture: a heading and lines of text.
type card struct {
	column  int
	heading string
	lines   []string
}

// Dimensions of a flow picture, in pixels.
const (
	cardWidth  = 236
	cardGap    = 40
	lineHeight = 20
	cardTop    = 56
)

func (c card) x() int      { return svg.Margin + c.column*(cardWidth+cardGap) }
func (c card) height() int { return (len(c.lines)+1)*lineHeight + 2*12 }

// draw draws a card with its upper edge at y.
func (c card) draw(p *svg.Picture, y int) {
	p.Box(svg.Box{X: c.x(), Y: y, Width: cardWidth, Height: c.height(), Fill: svg.None, Stroke: svg.Border})
	p.Text(svg.Text{X: c.x() + 12, Y: y + 12 + lineHeight/2, Content: c.heading, Fill: svg.Ink, Bold: true})
	for i, line := range c.lines {
		p.Text(svg.Text{X: c.x() + 12, Y: y + 12 + lineHeight/2 + (i+1)*lineHeight, Content: line, Fill: svg.Faint})
	}
}

// checksSVG draws what a validation checks in the plan and in the apply, and what it
// records in state.
func checksSVG() string {
	cards := []card{
		{column: 0, heading: "terraform plan", lines: []string{"Checks the declared versions", "and the step to them, in the", "order they are applied.", "An error stops the run here."}},
		{column: 1, heading: "terraform apply", lines: []string{"Upgrades cluster and nodes.", "Then checks the versions that", "were unknown in the plan."}},
		{column: 2, heading: "state", lines: []string{"Records the versions after the", "upgrade has succeeded."}},
	}
	tallest := cards[0].height()
	out := &svg.Picture{Width: 2*svg.Margin + 3*cardWidth + 2*cardGap, Height: cardTop + tallest + 44 + svg.Margin}
	for i, c := range cards {
		c.draw(out, cardTop)
		if i > 0 {
			out.Arrow(svg.Point{X: c.x() - cardGap, Y: cardTop + 22}, svg.Point{X: c.x(), Y: cardTop + 22})
		}
	}
	// The next step starts from the recorded versions.
	bottom, from, to := cardTop+tallest+24, cards[2].x()+cardWidth/2, cards[0].x()+cardWidth/2
	out.Arrow(svg.Point{X: from, Y: cardTop + cards[2].height()}, svg.Point{X: from, Y: bottom}, svg.Point{X: to, Y: bottom}, svg.Point{X: to, Y: cardTop + tallest})
	out.Text(svg.Text{X: (from + to) / 2, Y: bottom + 14, Content: "Start of the next step, unless observed is set", Fill: svg.Faint, Middle: true})
	return out.SVG("What a versionskew_validation checks, and when",
		"Each plan checks the declared combination and the step to it. An error stops the run before anything is applied. The apply checks the versions that were unknown in the plan. The state then records the versions as the start of the next step.")
}

// fleetSVG draws how the rings of a fleet read each other's state.
func fleetSVG() string {
	staging := card{column: 0, heading: "staging", lines: []string{"Validates each cluster.", "Publishes versions and", "summary in its state."}}
	production := card{column: 1, heading: "production", lines: []string{"Reads the state of staging.", "Its plan fails if a cluster", "would be newer than staging."}}
	fleet := card{column: 2, heading: "fleet", lines: []string{"Reads the states of all rings.", "Writes a page with one row", "for each cluster."}}
	height := staging.height()
	out := &svg.Picture{Width: 2*svg.Margin + 3*cardWidth + 2*cardGap, Height: cardTop + height + 32 + svg.Margin}
	for _, c := range []card{staging, production, fleet} {
		c.draw(out, cardTop)
	}
	middle := cardTop + height/2
	out.Arrow(svg.Point{X: staging.x() + cardWidth, Y: middle}, svg.Point{X: production.x(), Y: middle})
	out.Arrow(svg.Point{X: production.x() + cardWidth, Y: middle}, svg.Point{X: fleet.x(), Y: middle})
	bottom, from, to := cardTop+height+20, staging.x()+cardWidth/2, fleet.x()+cardWidth/2
	out.Arrow(svg.Point{X: from, Y: cardTop + height}, svg.Point{X: from, Y: bottom}, svg.Point{X: to, Y: bottom}, svg.Point{X: to, Y: cardTop + height})
	return out.SVG("Rings of a fleet",
		"The clusters of staging are upgraded first. The plan of production reads the versions of staging and fails if a production cluster would be newer. A page lists the clusters of all rings.")
}
