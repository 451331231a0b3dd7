package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pkg is a package of the domain, or one that it is built from.
type pkg struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string

	name    string // the directory, from the root
	mutants []mutant
	// instrumented is the files with all mutants in them, by path.
	instrumented map[string]string
}

func (p *pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// module is the packages of the domain.
type module struct {
	root   string
	domain []*pkg
	byPath map[string]*pkg
}

// load reads the packages in some directories, and finds their mutants.
func load(root string, dirs []string) (*module, error) {
	args := []string{"list", "-json", "-export", "-deps"}
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	m := &module{root: root, byPath: map[string]*pkg{}}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		p := new(pkg)
		if err := decoder.Decode(p); err != nil {
			return nil, err
		}
		m.byPath[p.ImportPath] = p
		if name, err := filepath.Rel(root, p.Dir); err == nil {
			p.name = filepath.ToSlash(name)
		}
	}
	for _, dir := range dirs {
		for _, p := range m.byPath {
			if p.name == dir {
				m.domain = append(m.domain, p)
				if err := m.survey(p); err != nil {
					return nil, err
				}
			}
		}
	}
	return m, nil
}

// survey finds the mutants of a package.
func (m *module) survey(p *pkg) error {
	fset := token.NewFileSet()
	var files []*ast.File
	var sources []string
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		files, sources = append(files, file), append(sources, string(source))
	}
	compiled := func(path string) (io.ReadCloser, error) { return os.Open(m.byPath[path].Export) }
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", compiled)}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	checked, err := config.Check(p.ImportPath, fset, files, info)
	if err != nil {
		return err
	}

	p.instrumented = map[string]string{
		filepath.Join(p.Dir, "zz_mutants.go"): fmt.Sprintf(`package %s

import (
	"os"
	"strconv"
)

var %s, _ = strconv.Atoi(os.Getenv(%q))
`, checked.Name(), choice, variable),
	}
	for i, file := range files {
		mu := &mutator{
			file: p.name + "/" + p.GoFiles[i], source: sources[i], fset: fset, info: info,
			name: importName(file, checked), next: len(p.mutants), count: map[mutant]int{},
		}
		mu.mutate(file)
		p.mutants = append(p.mutants, mu.found...)
		p.instrumented[filepath.Join(p.Dir, p.GoFiles[i])] = mu.all()
	}
	return nil
}

// variable is the environment variable that chooses a mutant.
const variable = "MUTANT"

// judges lists the packages whose tests see a change of p: its own, and those
// that import it.
func (m *module) judges(p *pkg) []*pkg {
	var all []*pkg
	if p.tested() {
		all = append(all, p)
	}
	for _, other := range m.domain {
		seen := map[string]bool{}
		var visit func(imports []string)
		visit = func(imports []string) {
			for _, path := range imports {
				if next := m.byPath[path]; next != nil && !seen[path] {
					seen[path] = true
					visit(next.Imports)
				}
			}
		}
		visit(slices.Concat(other.Imports, other.TestImports, other.XTestImports))
		if other != p && other.tested() && seen[p.ImportPath] {
			all = append(all, other)
		}
	}
	return all
}

// suite is the tests of a package, compiled with the mutants of another in
// them, or of itself.
type suite struct {
	*pkg
	binary string
	own    bool
	// rounds is how the tests are run, the cheapest way first.
	rounds []*round
}

// round is one way to run tests.
type round struct {
	args  []string
	draws int           // of each property
	took  time.Duration // of the processor, with no mutant on
}

// suites compiles the tests that judge the mutants of a package, and runs them
// with none of them on: cheapest first, but its own before all.
func (m *module) suites(p *pkg, dir string) ([]*suite, error) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for path, text := range p.instrumented {
		file := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replace[path] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return nil, err
	}
	var all []*suite
	for _, judge := range m.judges(p) {
		s := &suite{pkg: judge, own: judge == p, binary: filepath.Join(dir, strings.ReplaceAll(judge.name, "/", "-")+".test")}
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", s.binary, "./"+judge.name)
		cmd.Dir = m.root
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the tests of %s do not compile: %s", judge.name, out)
		}
		if err := s.plan(); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	others := all
	if len(all) > 0 && all[0].own {
		others = all[1:]
	}
	slices.SortFunc(others, func(a, b *suite) int { return int(a.rounds[0].took - b.rounds[0].took) })
	return all, nil
}

// few is how often a property is drawn at first, and by slow tests, and many how
// often if that does not tell.
const few, many = 2, 50

// plan finds out which tests are slow: these come later. They, and many draws, are
// for mutants of their own package.
func (s *suite) plan() error {
	start := time.Now()
	state, out := s.run(0, &round{draws: few, args: []string{"-test.v"}}, time.Minute)
	total := time.Since(start).Seconds()
	var slow []string
	for _, line := range strings.Split(string(out), "\n") {
		var name string
		var seconds float64
		// Shares, for on a busy machine everything takes long.
		if n, _ := fmt.Sscanf(line, "--- PASS: %s (%fs)", &name, &seconds); n == 2 && seconds > total/4 && processor(state) > time.Second/2 {
			slow = append(slow, name)
		}
	}
	quick := &round{draws: few}
	s.rounds = append(s.rounds, quick)
	if pattern := "^(" + strings.Join(slow, "|") + ")$"; len(slow) > 0 {
		quick.args = []string{"-test.skip", pattern}
		if s.own {
			s.rounds = append(s.rounds, &round{draws: few, args: []string{"-test.run", pattern}})
		}
	}
	if s.own {
		s.rounds = append(s.rounds, &round{draws: many, args: quick.args})
	}
	for _, r := range s.rounds {
		if state, out := s.run(0, r, time.Minute); !state.Success() {
			return fmt.Errorf("the tests of %s fail with no mutant on: %s", s.name, out)
		} else {
			r.took = processor(state)
		}
	}
	return nil
}

// processor is the time that a run took of it.
func processor(state *os.ProcessState) time.Duration { return state.UserTime() + state.SystemTime() }

// memory bounds what a mutant that never ends may take, in KiB.
const memory = 4 << 20

// run runs tests with a mutant on. They draw the same each time, and what fails
// is not made smaller. The limit is one of the processor, so that a busy machine
// does not look like a mutant that never ends.
func (s *suite) run(id int, r *round, limit time.Duration) (*os.ProcessState, []byte) {
	script := fmt.Sprintf(`ulimit -t %d; ulimit -v %d 2>/dev/null; exec "$0" "$@"`, int(limit.Seconds())+1, memory)
	cmd := exec.Command("sh", slices.Concat([]string{"-c", script, s.binary, "-test.failfast", "-test.timeout=1h"}, r.args)...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, id),
		fmt.Sprintf("RAPID_CHECKS=%d", r.draws), "RAPID_SEED=1", "RAPID_SHRINKTIME=0s", "RAPID_NOFAILFILE=true")
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState, out
}

// survives reports whether no test notices a mutant. One that does not end is as
// good as one that fails.
func survives(suites []*suite, m mutant) bool {
	for _, s := range suites {
		for _, r := range s.rounds {
			if state, _ := s.run(m.id, r, 5*r.took+time.Second); !state.Success() {
				return false
			}
		}
	}
	return true
}
