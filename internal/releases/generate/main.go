// SPDX-License-Identifier: MPL-2.0

// Command generate updates the release table, table.yaml of package releases, from
// the two data files in which the Kubernetes project lists its releases:
//
//	go run ./internal/releases/generate -schedule schedule.yaml -eol eol.yaml -table internal/releases/table.yaml -read 2026-11-20
//
// It reads local copies of
// https://github.com/kubernetes/website/blob/main/data/releases/schedule.yaml and
// https://github.com/kubernetes/website/blob/main/data/releases/eol.yaml, and
// opens no connection. Minors that are in neither file stay unchanged, because both
// files drop some over time. The same files always produce the same table. All
// problems of the files are reported together, and nothing is written if there are
// any.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the command. It writes the table last.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.SetOutput(out)
	schedulePath := flags.String("schedule", "", "local copy of schedule.yaml `file`")
	eolPath := flags.String("eol", "", "local copy of eol.yaml `file`")
	tablePath := flags.String("table", "", "table `file` to update")
	readOn := flags.String("read", "", "`day` on which the two copies were made, for the sources of the table; without it they keep theirs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *schedulePath == "" || *eolPath == "" || *tablePath == "" || flags.NArg() > 0 {
		return errors.New("-schedule, -eol and -table are required, and there are no other arguments")
	}

	var day releases.Date
	var dayErr error
	if *readOn != "" {
		if day, dayErr = releases.ParseDate(*readOn); dayErr != nil {
			dayErr = fmt.Errorf("-read: %w", dayErr)
		}
	}
	scheduled, scheduleErr := readFile(*schedulePath, parseSchedule)
	ended, eolErr := readFile(*eolPath, parseEndOfLife)
	before, beforeErr := os.ReadFile(*tablePath)
	var table *releases.Table
	if beforeErr == nil {
		table, beforeErr = releases.ParseTable(before)
	}
	if err := errors.Join(dayErr, scheduleErr, eolErr, beforeErr); err != nil {
		return err
	}

	after := format(update(table, scheduled, ended, day))
	// The files may contradict each other, or the older minors in the table.
	if _, err := releases.ParseTable(after); err != nil {
		return fmt.Errorf("the updated table would be wrong: %w", err)
	}
	if bytes.Equal(before, after) {
		_, err := fmt.Fprintf(out, "%s is up to date\n", *tablePath)
		return err
	}
	if err := os.WriteFile(*tablePath, after, 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s is updated\n", *tablePath)
	return err
}

func readFile(path string, parse func(name string, text []byte) ([]releases.Release, error)) ([]releases.Release, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}
