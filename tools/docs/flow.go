// SPDX-License-Identifier: MPL-2.0

package main

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

func (c card) x() int      { return margin + c.column*(cardWidth+cardGap) }
func (c card) height() int { return (len(c.lines)+1)*lineHeight + 2*12 }

// card draws a card with its upper edge at y.
func (p *picture) card(c card, y int) {
	p.box(box{x: c.x(), y: y, width: cardWidth, height: c.height(), fill: none, stroke: border})
	p.text(text{kind: "card", x: c.x() + 12, y: y + 12 + lineHeight/2, content: c.heading, fill: ink, bold: true})
	for i, line := range c.lines {
		p.text(text{kind: "line", x: c.x() + 12, y: y + 12 + lineHeight/2 + (i+1)*lineHeight, content: line, fill: faint})
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
	out := &picture{width: 2*margin + 3*cardWidth + 2*cardGap, height: cardTop + tallest + 44 + margin}
	for i, c := range cards {
		out.card(c, cardTop)
		if i > 0 {
			out.arrow(point{c.x() - cardGap, cardTop + 22}, point{c.x(), cardTop + 22})
		}
	}
	// The next step starts from the recorded versions.
	bottom, from, to := cardTop+tallest+24, cards[2].x()+cardWidth/2, cards[0].x()+cardWidth/2
	out.arrow(point{from, cardTop + cards[2].height()}, point{from, bottom}, point{to, bottom}, point{to, cardTop + tallest})
	out.text(text{kind: "line", x: (from + to) / 2, y: bottom + 14, content: "Start of the next step, unless observed is set", fill: faint, middle: true})
	return out.svg("What a versionskew_validation checks, and when",
		"Each plan checks the declared combination and the step to it. An error stops the run before anything is applied. The apply checks the versions that were unknown in the plan. The state then records the versions as the start of the next step.")
}

// fleetSVG draws how the rings of a fleet read each other's state.
func fleetSVG() string {
	staging := card{column: 0, heading: "staging", lines: []string{"Validates each cluster.", "Publishes versions and", "summary in its state."}}
	production := card{column: 1, heading: "production", lines: []string{"Reads the state of staging.", "Its plan fails if a cluster", "would be newer than staging."}}
	fleet := card{column: 2, heading: "fleet", lines: []string{"Reads the states of all rings.", "Writes a page with one row", "for each cluster."}}
	height := staging.height()
	out := &picture{width: 2*margin + 3*cardWidth + 2*cardGap, height: cardTop + height + 32 + margin}
	for _, c := range []card{staging, production, fleet} {
		out.card(c, cardTop)
	}
	middle := cardTop + height/2
	out.arrow(point{staging.x() + cardWidth, middle}, point{production.x(), middle})
	out.arrow(point{production.x() + cardWidth, middle}, point{fleet.x(), middle})
	bottom, from, to := cardTop+height+20, staging.x()+cardWidth/2, fleet.x()+cardWidth/2
	out.arrow(point{from, cardTop + height}, point{from, bottom}, point{to, bottom}, point{to, cardTop + height})
	return out.svg("Rings of a fleet",
		"The clusters of staging are upgraded first. The plan of production reads the versions of staging and fails if a production cluster would be newer. A page lists the clusters of all rings.")
}
