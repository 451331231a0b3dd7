// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFuzzScript checks that fuzz.sh fails if a target fails but ignores the deadline of
// the Go tool, and that it runs the remaining targets in both cases.
func TestFuzzScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a POSIX shell")
	}
	const (
		passed   = "fuzz: elapsed: 1s, execs: 10 (10/sec)\nPASS\nok  \tx\t1.0s\n"
		deadline = "fuzz: elapsed: 1s, execs: 10 (10/sec)\n--- FAIL: FuzzFirst (1.02s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\tx\t1.0s\n"
		failure  = "--- FAIL: FuzzFirst (0.02s)\n    --- FAIL: FuzzFirst (0.00s)\n        x_test.go:8: wrong\n    \n    Failing input written to testdata/fuzz/FuzzFirst/582528ddfad69eb5\n"
		seed     = "--- FAIL: FuzzFirst (0.00s)\n    --- FAIL: FuzzFirst/seed#0 (0.00s)\n        x_test.go:8: context deadline exceeded\nFAIL\n"
		both     = failure + "--- FAIL: FuzzFirst (1.02s)\n    context deadline exceeded\nFAIL\n"
		broken   = "# x\nx_test.go:8: undefined: y\nFAIL\tx [build failed]\n"
		crashed  = "--- FAIL: FuzzFirst (0.02s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\n    context deadline exceeded\nFAIL\n"
	)
	for name, tt := range map[string]struct {
		output string
		fails  bool
		ok     bool
	}{
		"success":              {passed, false, true},
		"deadline":             {deadline, true, true},
		"failure":              {failure, true, false},
		"failure of a seed":    {seed, true, false},
		"failure and deadline": {both, true, false},
		"build failure":        {broken, true, false},
		"crash":                {crashed, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			stub := "#!/bin/sh\ncase \"$*\" in\n*-list*) printf 'FuzzFirst\\nFuzzSecond\\nok  \\tx\\t0.1s\\n' ;;\n*FuzzFirst*) cat '" + directory + "/output'; exit " + map[bool]string{true: "1", false: "0"}[tt.fails] + " ;;\n*) echo second ;;\nesac\n"
			for file, text := range map[string]string{"go": stub, "output": tt.output} {
				if err := os.WriteFile(filepath.Join(directory, file), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), "sh", "tools/fuzz.sh", "1s", "./x")
			command.Env = append(os.Environ(), "PATH="+directory+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := command.CombinedOutput()
			if (err == nil) != tt.ok {
				t.Errorf("%v\n%s", err, out)
			}
			if !strings.Contains(string(out), "second") {
				t.Errorf("the second target did not run:\n%s", out)
			}
		})
	}
}

// TestCheckTag checks that only the tag of the current version on a commit of main is
// released.
func TestCheckTag(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a POSIX shell")
	}
	script, err := filepath.Abs("tools/check-tag.sh")
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, dir, name string, args ...string) (string, error) {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com")
		out, err := command.CombinedOutput()
		return string(out), err
	}
	// main has the commits first and second, and the branch topic one more.
	origin, clone := t.TempDir(), t.TempDir()
	for _, args := range [][]string{
		{"-C", origin, "init", "--quiet", "--initial-branch=main"},
		{"-C", origin, "commit", "--quiet", "--allow-empty", "--message=first"},
		{"-C", origin, "tag", "first"},
		{"-C", origin, "commit", "--quiet", "--allow-empty", "--message=second"},
		{"-C", origin, "tag", "--annotate", "--message=second", "second"},
		{"-C", origin, "checkout", "--quiet", "-b", "topic"},
		{"-C", origin, "commit", "--quiet", "--allow-empty", "--message=third"},
		{"-C", origin, "tag", "third"},
		{"clone", "--quiet", origin, clone},
	} {
		if out, err := run(t, ".", "git", args...); err != nil {
			t.Fatal(err, out)
		}
	}
	for name, tt := range map[string]struct{ commit, tag, want string }{
		"newest commit of main": {"second", "v1.2.3", ""},
		"older commit of main":  {"first", "v1.2.3", ""},
		"commit of a branch":    {"third", "v1.2.3", "not on main"},
		"other version":         {"second", "v1.2.4", "CHANGELOG.md starts with version 1.2.3"},
		"no v":                  {"second", "1.2.3", "CHANGELOG.md starts with version 1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := run(t, clone, "git", "checkout", "--quiet", "--detach", tt.commit); err != nil {
				t.Fatal(err, out)
			}
			switch out, err := run(t, clone, script, tt.tag, "1.2.3"); {
			case tt.want == "" && err != nil:
				t.Error(err, out)
			case tt.want != "" && (err == nil || !strings.Contains(out, tt.want)):
				t.Errorf("%v, %q, want an error with %q", err, out, tt.want)
			}
		})
	}
}
