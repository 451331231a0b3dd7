// SPDX-License-Identifier: MPL-2.0

// Command facts lists every source that the built-in policies, the add-on packs,
// the release calendar and the guide to other platforms stand on, with the day it
// was read, oldest first:
//
//	facts -day 2026-11-21
//
// It runs at the root of the repository, and fails if one of them was read more than
// a year before that day. It opens no connection: reading the sources again, and
// correcting what has changed, is up to a person.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// maxAge is how many days a source counts as read.
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
	day := flags.String("day", "", "the `day` on which to judge, such as 2026-11-21")
	table := flags.String("table", "internal/releases/table.yaml", "release calendar `file`")
	platforms := flags.String("platforms", "templates/guides/other-platforms.md.tmpl", "guide `file` with a table of other platforms")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *day == "" || flags.NArg() > 0 {
		return errors.New("-day is required, and nothing beside flags")
	}
	on, err := releases.ParseDate(*day)
	if err != nil {
		return fmt.Errorf("-day: %w", err)
	}
	all, err := collect(*table, *platforms)
	if err != nil {
		return err
	}
	var old []error
	for _, f := range all {
		if _, err := fmt.Fprintln(out, f); err != nil {
			return err
		}
		if age := f.read.DaysUntil(on); age > maxAge {
			old = append(old, fmt.Errorf("%s was read on %s, more than a year ago: read it again", f.source, f.read))
		}
	}
	return errors.Join(old...)
}
