package main

import (
	"fmt"
	"os"
	"strings"
)

// readEquivalents reads which mutants no test can kill, and why. An entry is
// written as survivors are shown, with the reason below it; blank lines part
// them, and "#" starts a remark.
func readEquivalents(file string) ([]mutant, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, block := range strings.Split(string(text), "\n\n") {
		var lines []string
		for _, line := range strings.Split(block, "\n") {
			if line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		where, function, ok := strings.Cut(lines[0], " ")
		if !ok || len(lines) < 4 || !strings.HasPrefix(lines[1], "-") || !strings.HasPrefix(lines[2], "+") {
			return nil, fmt.Errorf("%s: an entry is a file and a function, the line before and after, and why; not\n%s", file, block)
		}
		all = append(all, mutant{
			File: where, Function: function,
			Before: strings.TrimSpace(lines[1][1:]), After: strings.TrimSpace(lines[2][1:]),
		})
	}
	return all, nil
}

// explains reports whether an entry is about a mutant.
func (m mutant) explains(other mutant) bool {
	return m.File == other.File && m.Function == other.Function && m.Before == other.Before && m.After == other.After
}
