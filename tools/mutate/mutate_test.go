package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source has a mutant of every kind. Its test says nothing of some of them.
const source = `package p

type point struct{ x, y int }

func first(a, b int) bool {
	if a < b && !(a == 0) {
		return true
	}
	return false
}

func loop(list []int) (sum int, last *point) {
	for i := 0; i < len(list); i++ {
		if list[i] < 0 {
			continue
		}
		sum += list[i]
		last = &point{i, -i}
	}
	return max(sum, 10-sum), last
}

var name = func() string { return "name" }()

func say(say func(string)) {
	say("hello")
	switch {
	case len(name) > 100:
		return
	}
	say("a" + "b")
}
`

const test = `package p

import "testing"

func TestFirst(t *testing.T) {
	if !first(1, 2) || first(2, 1) || first(0, 1) || first(2, 2) {
		t.Error()
	}
}

func TestLoop(t *testing.T) {
	if sum, last := loop([]int{20, -1, 3}); sum != 23 || last.x != 2 || last.y != -2 {
		t.Error()
	}
	loop(nil)
}

func TestSay(t *testing.T) {
	said := ""
	say(func(s string) { said += s })
	if said != "helloab" {
		t.Error()
	}
}
`

// TestRun mutates a small module from end to end.
func TestRun(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25\n", "p/p.go": source, "p/p_test.go": test,
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := load(root, []string{"p"})
	if err != nil {
		t.Fatal(err)
	}
	p := m.domain[0]
	suites, err := m.suites(p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all, survivors []string
	for _, m := range p.mutants {
		all = append(all, m.After)
		if survives(suites, m) {
			survivors = append(survivors, m.Function+": "+m.After)
		}
	}
	for _, want := range []string{
		"if a <= b && !(a == 0) {", "if a < b || !(a == 0) {", "if !(a == 0) {", "if a < b {", "if a < b && (a == 0) {", "if a < b && !(a != 0) {",
		"if a < b && !(a == 1) {", "if a < b && !(a == -1) {", "if !(a < b && !(a == 0)) {", "return true", "return false",
		"for i := 1; i < len(list); i++ {", "for i := 0; i < len(list); i-- {", "", "sum -= list[i]", "last = &point{i, i}",
		"return min(sum, 10-sum), last", "return max(sum, 10+sum), last", "return max(sum, 10-sum), nil", "return 0, last", `var name = func() string { return "" }()`,
		"case !(len(name) > 100):", "case len(name) >= 100:",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("no mutant reads %q: %q", want, all)
		}
	}
	want := []string{
		"loop: if list[i] <= 0 {", "loop: if list[i] < 1 {",
		"loop: return max(sum, 11-sum), last", "loop: return max(sum, 9-sum), last",
		`name: var name = func() string { return "" }()`,
		"say: case len(name) >= 100:", "say: case len(name) > 101:", "say: case len(name) > 99:", "say: ",
	}
	slices.Sort(want)
	slices.Sort(survivors)
	if !slices.Equal(survivors, want) {
		t.Errorf("survivors are\n%s\nwant\n%s", strings.Join(survivors, "\n"), strings.Join(want, "\n"))
	}
}

// TestKeys: every mutant has a result of its own, however many read the same.
func TestKeys(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(root, domain)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.domain {
		seen := map[string]bool{}
		for _, m := range p.mutants {
			if seen[m.key()] {
				t.Errorf("two mutants are kept under %q", m.key())
			}
			seen[m.key()] = true
		}
	}
}

// TestEquivalents: the file explains only what there is.
func TestEquivalents(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(root, domain)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.domain) != len(domain) {
		t.Fatalf("%d packages, want %d", len(m.domain), len(domain))
	}
	explained, err := readEquivalents("equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkEquivalents(explained, m); err != nil {
		t.Error(err)
	}
	if err := checkEquivalents([]mutant{{File: "internal/version/minor.go", Function: "Minor.Add", Before: "gone"}}, m); err == nil {
		t.Error("an entry that matches nothing is no error")
	}
}
