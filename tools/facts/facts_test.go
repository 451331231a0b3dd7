// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

const (
	table     = "../../internal/releases/table.yaml"
	platforms = "../../templates/guides/other-platforms.md.tmpl"
)

// TestCollect checks that every policy and add-on pack, the calendar and the guide have a
// source, and that the oldest source comes first.
func TestCollect(t *testing.T) {
	all, err := collect(table, platforms)
	if err != nil {
		t.Fatal(err)
	}
	var users []string
	for i, s := range all {
		users = slices.Concat(users, s.users)
		if i > 0 && s.readOn.Compare(all[i-1].readOn) < 0 {
			t.Errorf("%s comes after %s", s, all[i-1])
		}
	}
	for _, want := range slices.Concat(policy.BuiltinNames(), policy.AddonNames(), []string{"release calendar", "vCluster"}) {
		if !slices.Contains(users, want) {
			t.Errorf("%s has no source", want)
		}
	}
}

func runFacts(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(append([]string{"-table", table, "-platforms", platforms}, args...), &out)
	return out.String(), err
}

// TestOutdatedSource checks that the command fails when a source is more than a year old.
func TestOutdatedSource(t *testing.T) {
	all, err := collect(table, platforms)
	if err != nil {
		t.Fatal(err)
	}
	oldest := all[0]
	out, err := runFacts(t, "-day", oldest.readOn.String())
	if err != nil || !strings.HasPrefix(out, oldest.String()+"\n") {
		t.Errorf("on the day the oldest source was read: error %v, output %.200s", err, out)
	}
	_, err = runFacts(t, "-day", "2099-01-01")
	if err == nil || !strings.Contains(err.Error(), oldest.url+" was last read on "+oldest.readOn.String()+", more than a year ago") {
		t.Errorf("in 2099: error %.200v", err)
	}
}

// TestSecondhand checks that facts that a third party quotes are listed and counted,
// and no others.
func TestSecondhand(t *testing.T) {
	list, err := runFacts(t, "-day", "2026-11-22", "-secondhand")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := runFacts(t, "-day", "2026-11-22")
	if err != nil || !strings.HasSuffix(whole, "\n\n"+list) {
		t.Errorf("error %v; the full output does not end with the list: %.200s", err, whole)
	}
	all, err := collect(table, platforms)
	if err != nil {
		t.Fatal(err)
	}
	facts, quoted := 0, 0
	for _, s := range all {
		facts += len(s.facts)
		if s.readFrom != "" {
			quoted += len(s.facts)
		}
		for _, fact := range s.facts {
			if listed := strings.Contains(list, "  - "+fact+"\n"); listed != (s.readFrom != "") {
				t.Errorf("%s (%s): listed %t", fact, s, listed)
			}
		}
	}
	if want := fmt.Sprintf("Not read at their source: %d of %d facts.\n", quoted, facts); !strings.HasPrefix(list, want) || quoted == 0 || quoted == facts {
		t.Errorf("got %.100s, want %s", list, want)
	}
	for _, want := range []string{"  - gke: dates of 1.34\n", "  - eks: dates of 1.37\n"} {
		if strings.Count(list, want) != 1 {
			t.Errorf("the list does not contain %q once", want)
		}
	}
}

func TestInvalidInput(t *testing.T) {
	for _, args := range [][]string{nil, {"-day", "today"}, {"-day", "2026-11-21", "more"}, {"-color"}} {
		if _, err := runFacts(t, args...); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	file := filepath.Join(t.TempDir(), "guide")
	for text, want := range map[string]string{
		"| Platform | Policy | What | Source | Read on |\n| --- | --- | --- | --- | --- |\n| a | b | c | no link | 2026-11-21 |\n":        "1 of the 1 rows",
		"| Platform | Policy | What | Source | Read on |\n| --- | --- | --- | --- | --- |\n| a | b | c | [x](ftp://x) | 2026-11-21 |\n":   `source "ftp://x" is not an https URL`,
		"| Platform | Policy | What | Source | Read on |\n| --- | --- | --- | --- | --- |\n| a | b | c | [x](https://x) | 2026-02-30 |\n": "invalid date for source https://x",
	} {
		if err := os.WriteFile(file, []byte("\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := collect(table, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	if _, err := collect("missing", platforms); err == nil {
		t.Error("a missing table causes no error")
	}
}
