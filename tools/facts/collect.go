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
	readOn releases.Date
	url    string
	users  []string // policies, packs and other data based on the page
}

// String formats the source as a line of output.
func (s source) String() string {
	return fmt.Sprintf("%s  %s  (%s)", s.readOn, s.url, strings.Join(s.users, ", "))
}

// collector collects sources. Users of the same page, read on the same day, share one.
type collector struct {
	all      []*source
	problems []error
}

func (c *collector) add(user, url, readOn string) {
	read, err := releases.ParseDate(readOn)
	switch {
	case !strings.HasPrefix(url, "https://"):
		c.problems = append(c.problems, fmt.Errorf("%s: source %q is not an https URL", user, url))
		return
	case err != nil:
		c.problems = append(c.problems, fmt.Errorf("%s: invalid date for source %s: %w", user, url, err))
		return
	}
	i := slices.IndexFunc(c.all, func(s *source) bool { return s.url == url && s.readOn == read })
	if i < 0 {
		i = len(c.all)
		c.all = append(c.all, &source{readOn: read, url: url})
	}
	if s := c.all[i]; !slices.Contains(s.users, user) {
		s.users = append(s.users, user)
	}
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
		return cmp.Or(a.readOn.Compare(b.readOn), strings.Compare(a.url, b.url))
	})
	return c.all, nil
}

// policy adds the sources of a policy or add-on pack. Rules without a date are read
// together with the page of their policy, so they add nothing.
func (c *collector) policy(name string, p *policy.Policy) {
	c.add(name, p.Source, p.ReadOn)
	rule := func(url, readOn string) {
		if url != "" && readOn != "" {
			c.add(name, url, readOn)
		}
	}
	for _, r := range p.PairRules {
		rule(r.Source, r.ReadOn)
	}
	for _, r := range p.StepRules {
		rule(r.Source, r.ReadOn)
	}
	for _, a := range p.Advisories {
		rule(a.Source, a.ReadOn)
	}
	for _, n := range p.NotCovered {
		c.add(name, n.Source, n.ReadOn)
	}
	for _, r := range p.Releases {
		c.add(name, r.Source, r.ReadOn)
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
		c.add("release calendar", s.URL, s.Read.String())
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
		c.add(row[1], row[2], row[3])
	}
	return nil
}
