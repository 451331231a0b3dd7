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
