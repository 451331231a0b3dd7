// SPDX-License-Identifier: MPL-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// source is a page that policies or the calendar are based on.
type source struct {
	readOn    releases.Date
	readFrom  string // third party that quotes the page, "" if the page itself was read
	url       string
	movedFrom string   // URL before the page moved, or ""
	users     []string // policies, packs and other data based on the page
	facts     []string // what the page states: rules, dates of a minor and so on, each with its user
}

// String formats the source as a line of output.
func (s source) String() string {
	line := fmt.Sprintf("%s  %s", s.readOn, s.url)
	if s.movedFrom != "" {
		line += ", formerly " + s.movedFrom
	}
	if s.readFrom != "" {
		line += ", read from " + s.readFrom
	}
	return fmt.Sprintf("%s  (%s)", line, strings.Join(s.users, ", "))
}

// collector collects sources. Users of the same page, read on the same day and from the
// same party, share one.
type collector struct {
	all      []*source
	problems []error
}

func (c *collector) add(user, fact string, from policy.Citation) {
	read, err := releases.ParseDate(from.ReadOn)
	switch {
	case !strings.HasPrefix(from.Source, "https://"):
		c.problems = append(c.problems, fmt.Errorf("%s: source %q is not an https URL", user, from.Source))
		return
	case err != nil:
		c.problems = append(c.problems, fmt.Errorf("%s: invalid date for source %s: %w", user, from.Source, err))
		return
	}
	i := slices.IndexFunc(c.all, func(s *source) bool {
		return s.url == from.Source && s.movedFrom == from.MovedFrom && s.readOn == read && s.readFrom == from.ReadFrom
	})
	if i < 0 {
		i = len(c.all)
		c.all = append(c.all, &source{readOn: read, readFrom: from.ReadFrom, url: from.Source, movedFrom: from.MovedFrom})
	}
	s := c.all[i]
	if !slices.Contains(s.users, user) {
		s.users = append(s.users, user)
	}
	s.facts = append(s.facts, user+": "+fact)
}

// collect returns all sources, oldest first. If any are invalid, it returns all problems.
func collect(table, platforms string) ([]*source, error) {
	var c collector
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			return nil, err
		}
		c.policy(name, p)
	}
	for _, name := range policy.AddonNames() {
		p, err := policy.Addon(name)
		if err != nil {
			return nil, err
		}
		c.policy(name, p)
	}
	if err := errors.Join(c.calendar(table), c.platforms(platforms), errors.Join(c.problems...)); err != nil {
		return nil, err
	}
	slices.SortFunc(c.all, func(a, b *source) int {
		return cmp.Or(a.readOn.Compare(b.readOn), strings.Compare(a.url, b.url), strings.Compare(a.readFrom, b.readFrom))
	})
	return c.all, nil
}

// policy adds the sources of a policy or add-on pack. Rules without a date are read
// together with the page of their policy, so they add nothing.
func (c *collector) policy(name string, p *policy.Policy) {
	c.add(name, "policy", p.Citation)
	rule := func(id string, n policy.Notes) {
		if n.Source != "" && n.ReadOn != "" && !p.Inherits(id) {
			c.add(name, id, n.Citation)
		}
	}
	for _, r := range p.PairRules {
		rule(r.ID, r.Notes)
	}
	for _, r := range p.StepRules {
		rule(r.ID, r.Notes)
	}
	for _, a := range p.Advisories {
		rule(a.ID, a.Notes)
	}
	for _, n := range p.NotCovered {
		c.add(name, "not covered: "+n.ID, n.Citation)
	}
	var inherited []*policy.Release
	if base, err := policy.Builtin(p.BasedOn); err == nil {
		inherited = base.Releases
	}
	for _, r := range p.Releases {
		if !slices.ContainsFunc(inherited, func(b *policy.Release) bool { return b.Minor() == r.Minor() && b.Citation == r.Citation }) {
			c.add(name, "dates of "+r.Version.String(), r.Citation)
		}
	}
}

func (c *collector) calendar(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	table, err := releases.ParseTable(text)
	if err != nil {
		return err
	}
	for _, s := range table.Sources {
		c.add("release calendar", s.Gives, policy.Citation{Source: s.URL, ReadOn: s.Read.String(), ReadFrom: s.From})
	}
	return nil
}

// platformRow matches a row of the table in the guide to other platforms. Its groups are
// the platform, the URL of the source and the date.
var platformRow = regexp.MustCompile(`(?m)^\| ([^|]+) \|[^|]+\|[^|]+\| \[[^|\]]+\]\(([^|)]+)\) \| ([0-9-]+) \|$`)

func (c *collector) platforms(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	rows := platformRow.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "\n| ") - 2; len(rows) != n { // without the header and the line below it
		return fmt.Errorf("%s: %d of the %d rows do not end with a source and a date", file, n-len(rows), n)
	}
	for _, row := range rows {
		c.add(row[1], "guide to other platforms", policy.Citation{Source: row[2], ReadOn: row[3]})
	}
	return nil
}
