// SPDX-License-Identifier: MPL-2.0

// Command facts lists the sources of the built-in policies, the add-on packs, the release
// calendar and the guide to other platforms, with the day each was last read, oldest
// first, and then the facts that were not read at their source, but where a third party
// quotes it:
//
//	facts -day 2026-11-21
//
// With -secondhand, it only lists the latter, as Markdown. It fails if a source was read
// more than a year before that day. Run it in the root of the repository. It works
// offline: a person has to read the sources again and correct what has changed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// maxAge is the age in days after which a source must be read again.
const maxAge = 366

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("facts", flag.ContinueOnError)
	flags.SetOutput(out)
	day := flags.String("day", "", "current `day`, such as 2026-11-21")
	table := flags.String("table", "internal/releases/table.yaml", "release calendar `file`")
	platforms := flags.String("platforms", "templates/guides/other-platforms.md.tmpl", "guide `file` with a table of other platforms")
	secondhandOnly := flags.Bool("secondhand", false, "only list the facts that were not read at their source")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *day == "" || flags.NArg() > 0 {
		return errors.New("usage: facts -day YYYY-MM-DD [-secondhand]")
	}
	on, err := releases.ParseDate(*day)
	if err != nil {
		return fmt.Errorf("-day: %w", err)
	}
	all, err := collect(*table, *platforms)
	if err != nil {
		return err
	}
	if *secondhandOnly {
		_, err := io.WriteString(out, secondhand(all))
		return err
	}
	var outdated []error
	for _, s := range all {
		if _, err := fmt.Fprintln(out, s); err != nil {
			return err
		}
		if age := s.readOn.DaysUntil(on); age > maxAge {
			outdated = append(outdated, fmt.Errorf("%s was last read on %s, more than a year ago: read it again", s.url, s.readOn))
		}
	}
	if _, err := fmt.Fprintf(out, "\n%s", secondhand(all)); err != nil {
		return err
	}
	return errors.Join(outdated...)
}

// secondhand counts and lists the facts that were not read at their source.
func secondhand(all []*source) string {
	var b strings.Builder
	facts, quoted := 0, 0
	for _, s := range all {
		facts += len(s.facts)
		if s.readFrom == "" {
			continue
		}
		quoted += len(s.facts)
		fmt.Fprintf(&b, "- %s, read on %s from %s:\n", s.url, s.readOn, s.readFrom)
		for _, fact := range s.facts {
			fmt.Fprintf(&b, "  - %s\n", fact)
		}
	}
	return fmt.Sprintf("Not read at their source: %d of %d facts.\n\n%s", quoted, facts, b.String())
}
