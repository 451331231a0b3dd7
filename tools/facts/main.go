// SPDX-License-Identifier: MPL-2.0

// Command facts lists the sources of the built-in policies, the add-on packs, the release
// calendar and the guide to other platforms, with the day each was last read, oldest
// first:
//
//	facts -day 2026-11-21
//
// It fails if a source was read more than a year before that day. Run it in the root of
// the repository. It works offline: a person has to read the sources again and correct what
// has changed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

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
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *day == "" || flags.NArg() > 0 {
		return errors.New("usage: facts -day YYYY-MM-DD")
	}
	on, err := releases.ParseDate(*day)
	if err != nil {
		return fmt.Errorf("-day: %w", err)
	}
	all, err := collect(*table, *platforms)
	if err != nil {
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
	return errors.Join(outdated...)
}
