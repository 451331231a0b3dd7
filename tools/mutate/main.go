// Command mutate changes the domain in small ways, one at a time, and looks
// whether a test notices. What no test notices is either not tested, or does
// nothing.
//
//	mutate                 every package of the domain
//	mutate internal/skew   one package, or one file, or several
//	mutate -resume         what the last run did not come to
//	mutate -survivors      what survived the last run, once more
//
// No file is changed: the go command lays a copy over each that has all its
// mutants in it, of which an environment variable turns one on. So the tests are
// compiled once for a package, not for a mutant. A mutant is judged by the tests
// of its own package, and then by those of the packages of the domain that
// import it; one that does not end counts as noticed. The tests draw the same
// values each time.
//
// Survivors that no test can notice are explained in equivalent.txt.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// domain is the packages that are changed, in this order, and whose tests
// judge.
var domain = []string{
	"internal/version", "internal/skew", "internal/upgrade", "internal/policy", "internal/evaluation",
	"internal/releases", "internal/releases/field", "internal/report",
}

// leastScore is the share of mutants that tests have to notice, in percent.
const leastScore = 95

type outcome string

const (
	killed   outcome = "killed"
	survived outcome = "survived"
)

func main() {
	root := flag.String("root", "..", "the root of the module")
	results := flag.String("results", "bin/mutants.jsonl", "where results are kept, from the root")
	jobs := flag.Int("jobs", runtime.NumCPU(), "how many mutants are tried at the same time")
	resume := flag.Bool("resume", false, "leave out what has a result")
	survivors := flag.Bool("survivors", false, "leave out what has a result, unless it survived")
	flag.Parse()
	r := run{jobs: *jobs, resume: *resume || *survivors, again: *survivors, out: os.Stdout}
	var err error
	if r.root, err = filepath.Abs(*root); err == nil {
		r.results = filepath.Join(r.root, *results)
		err = r.all(flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type run struct {
	root, results string
	jobs          int
	resume, again bool
	out           *os.File
}

func (r *run) all(only []string) error {
	m, err := load(r.root, domain)
	if err != nil {
		return err
	}
	explained, err := readEquivalents(filepath.Join(r.root, "tools", "mutate", "equivalent.txt"))
	if err != nil {
		return err
	}
	if err := checkEquivalents(explained, m); err != nil {
		return err
	}
	known, record, err := r.open()
	if err != nil {
		return err
	}
	defer record.Close()

	var total tally
	noticed, needed := map[mutant]bool{}, map[mutant]bool{} // entries
	rows := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(rows, "package\tmutants\tkilled\texplained\tsurvived\tscore\t\n")
	for _, p := range m.domain {
		var wanted []mutant
		for _, m := range p.mutants {
			if len(only) == 0 || slices.Contains(only, m.File) || slices.Contains(only, p.name) {
				wanted = append(wanted, m)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		if err := r.tryAll(m, p, wanted, known, record); err != nil {
			return err
		}
		var t tally
		for _, m := range wanted {
			entry := slices.IndexFunc(explained, func(e mutant) bool { return e.explains(m) })
			switch o := known[m.key()]; {
			case o == killed:
				t.killed++
				if entry >= 0 {
					noticed[explained[entry]] = true
				}
			case entry >= 0:
				t.explained++
				needed[explained[entry]] = true
			default:
				t.survived++
				fmt.Fprintf(r.out, "%s:%d\n%s\n\n", m.File, m.line, m)
			}
		}
		t.row(rows, p.name)
		total.add(t)
	}
	total.row(rows, "all")
	if err := rows.Flush(); err != nil {
		return err
	}
	needless := slices.DeleteFunc(explained, func(e mutant) bool { return !noticed[e] || needed[e] })
	if len(needless) > 0 {
		return fmt.Errorf("equivalent.txt explains what a test does notice:\n%s", join(needless))
	}
	if total.score() < leastScore {
		return fmt.Errorf("tests have to notice %d%% of the mutants", leastScore)
	}
	return nil
}

// checkEquivalents complains of entries that are about no mutant any more.
func checkEquivalents(explained []mutant, m *module) error {
	var stale []mutant
	for _, e := range explained {
		if !slices.ContainsFunc(m.domain, func(p *pkg) bool { return slices.ContainsFunc(p.mutants, e.explains) }) {
			stale = append(stale, e)
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("equivalent.txt explains what is not there any more:\n%s", join(stale))
	}
	return nil
}

func join(mutants []mutant) string {
	var all []string
	for _, m := range mutants {
		all = append(all, m.String())
	}
	return strings.Join(all, "\n\n")
}

// result is a line of the file of results.
type result struct {
	Key     string  `json:"key"`
	Outcome outcome `json:"outcome"`
}

// open reads the results so far, if they count, and opens the file to add more.
func (r *run) open() (map[string]outcome, *os.File, error) {
	known := map[string]outcome{}
	mode := os.O_TRUNC
	if r.resume {
		mode = os.O_APPEND
		file, err := os.Open(r.results)
		if err != nil {
			return nil, nil, fmt.Errorf("there is no last run: %w", err)
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var line result
			if json.Unmarshal(lines.Bytes(), &line) == nil { // a run may have ended in the middle of a line
				known[line.Key] = line.Outcome
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(r.results), 0o755); err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(r.results, os.O_CREATE|os.O_WRONLY|mode, 0o644)
	return known, file, err
}

// tryAll tries the mutants of one package, several at a time.
func (r *run) tryAll(in *module, p *pkg, mutants []mutant, known map[string]outcome, record *os.File) error {
	var todo []mutant
	for _, m := range mutants {
		if o, ok := known[m.key()]; !ok || r.again && o == survived {
			todo = append(todo, m)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	suites, err := in.suites(p, dir)
	if err != nil {
		return err
	}
	start, done := time.Now(), 0
	queue := make(chan mutant)
	var lock sync.Mutex
	var failed error
	var workers sync.WaitGroup
	for range r.jobs {
		workers.Go(func() {
			for m := range queue {
				o := killed
				if survives(suites, m) {
					o = survived
				}
				lock.Lock()
				known[m.key()] = o
				if err := json.NewEncoder(record).Encode(result{m.key(), o}); err != nil {
					failed = err
				}
				if done++; done%100 == 0 {
					fmt.Fprintf(os.Stderr, "%s: %d of %d after %s\n", p.name, done, len(todo), time.Since(start).Round(time.Second))
				}
				lock.Unlock()
			}
		})
	}
	for _, m := range todo {
		queue <- m
	}
	close(queue)
	workers.Wait()
	return failed
}

// tally counts what became of mutants.
type tally struct{ killed, explained, survived int }

func (t *tally) add(other tally) {
	t.killed += other.killed
	t.explained += other.explained
	t.survived += other.survived
}

// score is the share that was noticed of what can be, in percent.
func (t tally) score() float64 {
	return 100 * float64(t.killed) / float64(max(1, t.killed+t.survived))
}

func (t tally) row(w *tabwriter.Writer, name string) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.1f%%\t\n", name, t.killed+t.explained+t.survived, t.killed, t.explained, t.survived, t.score())
}
