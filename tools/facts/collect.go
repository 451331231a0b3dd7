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

// fact is a source, and what stands on it.
type fact struct {
	read   releases.Date
	source string // URL
	users  []string
}

// String writes the fact as a line: the day, the source, what stands on it.
func (f fact) String() string {
	return fmt.Sprintf("%s  %s  (%s)", f.read, f.source, strings.Join(f.users, ", "))
}

// facts gathers sources; what names the same one, read on the same day, shares a
// line.
type facts struct {
	all      []*fact
	problems []error
}

func (f *facts) add(user, source, readOn string) {
	read, err := releases.ParseDate(readOn)
	switch {
	case !strings.HasPrefix(source, "https://"):
		f.problems = append(f.problems, fmt.Errorf("%s: source %q is not a URL", user, source))
		return
	case err != nil:
		f.problems = append(f.problems, fmt.Errorf("%s: the day on which %s was read: %w", user, source, err))
		return
	}
	i := slices.IndexFunc(f.all, func(g *fact) bool { return g.source == source && g.read == read })
	if i < 0 {
		i = len(f.all)
		f.all = append(f.all, &fact{read: read, source: source})
	}
	if g := f.all[i]; !slices.Contains(g.users, user) {
		g.users = append(g.users, user)
	}
}

// collect returns all sources, oldest first, or all that is wrong with them.
func collect(table, platforms string) ([]*fact, error) {
	var f facts
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			return nil, err
		}
		f.policy(name, p)
	}
	for _, name := range policy.AddonNames() {
		p, err := policy.Addon(name)
		if err != nil {
			return nil, err
		}
		f.policy(name, p)
	}
	if err := errors.Join(f.calendar(table), f.platforms(platforms), errors.Join(f.problems...)); err != nil {
		return nil, err
	}
	slices.SortFunc(f.all, func(a, b *fact) int {
		return cmp.Or(a.read.Compare(b.read), strings.Compare(a.source, b.source))
	})
	return f.all, nil
}

// policy adds the sources of a policy or pack. A rule without a day of its own is
// read together with the page of its policy, and listed there alone.
func (f *facts) policy(name string, p *policy.Policy) {
	f.add(name, p.Source, p.ReadOn)
	rule := func(source, readOn string) {
		if source != "" && readOn != "" {
			f.add(name, source, readOn)
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
		f.add(name, n.Source, n.ReadOn)
	}
	for _, r := range p.Releases {
		f.add(name, r.Source, r.ReadOn)
	}
}

func (f *facts) calendar(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	table, err := releases.ParseTable(text)
	if err != nil {
		return err
	}
	for _, s := range table.Sources {
		f.add("release calendar", s.URL, s.Read.String())
	}
	return nil
}

// platformRow is a row of the table of other platforms: platform, policy to name,
// what is known, source, day.
var platformRow = regexp.MustCompile(`(?m)^\| ([^|]+) \|[^|]+\|[^|]+\| \[[^|\]]+\]\(([^|)]+)\) \| ([0-9-]+) \|$`)

func (f *facts) platforms(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	rows := platformRow.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "\n| ") - 2; len(rows) != n { // but for the head
		return fmt.Errorf("%s: %d of the %d rows have no source and day in their last columns", file, n-len(rows), n)
	}
	for _, row := range rows {
		f.add(row[1], row[2], row[3])
	}
	return nil
}
