// SPDX-License-Identifier: MPL-2.0

// Command plan measures complete plans of Terraform or OpenTofu. It compares versionskew
// with these providers:
//
//   - null has the same schema but checks nothing: the cost of a typical provider. It runs
//     with and without the logs of the SDK, which versionskew turns off.
//   - echo returns the bytes of each request: the minimum cost of any provider in Go.
//   - random has a resource like random_id. It replaces the validations of a fleet.
//
// The command prints ratios, because absolute times vary between machines. The providers
// take turns in each round, so that changes in the speed of the machine affect all of them.
//
//	plan [-rounds N] [-only WORKLOAD] CLI
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	if provider := os.Getenv(measuredVariable); provider != "" {
		measure(provider) // the CLI has started this command as a provider
		return
	}
	rounds := flag.Int("rounds", 5, "number of `rounds`")
	only := flag.String("only", "", "only run workloads whose name contains this `text`")
	flag.Parse()
	cli, err := exec.LookPath(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	if err := compare(cli, *rounds, *only); err != nil {
		log.Fatal(err)
	}
}

// A contender is a provider and the environment it runs in.
type contender struct {
	name, provider string
	environment    []string
}

var silent = []string{"TF_LOG_SDK=OFF", "TF_LOG_SDK_FRAMEWORK=OFF", "TF_LOG_SDK_PROTO=OFF"}

var contenders = []contender{
	{"null", "null", nil},
	{"null, silent", "null", silent},
	{"echo, silent", "echo", silent},
	{"versionskew", "versionskew", nil},
}

const header = `terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

`

// pools returns the argument node_pools with n pools at two minors.
func pools(n int) string {
	var b strings.Builder
	b.WriteString("  node_pools = {\n")
	for i := range n {
		fmt.Fprintf(&b, "    pool-%05d = { kubelet = \"1.%d.%d\", kube_proxy = \"1.%d.%d\" }\n", i, 36+i%2, i%5, 36+i%2, i%5)
	}
	b.WriteString("  }\n")
	return b.String()
}

// block returns a configuration with a data source or resource and its count.
func block(kind string, instances, nodePools int) string {
	return fmt.Sprintf("%s%s \"x\" {\n  count                 = %d\n  control_plane_version = \"1.37.2\"\n%s}\n", header, kind, instances, pools(nodePools))
}

const (
	evaluation = `data "versionskew_evaluation"`
	validation = `resource "versionskew_validation"`
)

// A workload is a module to plan. If applied is true, it is applied first, so that the plan
// has a state and no changes.
type workload struct {
	name, module string
	applied      bool
}

var workloads = []workload{
	{"1 evaluation, 10,000 node pools", block(evaluation, 1, 10_000), false},
	{"100 evaluations, 5 node pools", block(evaluation, 100, 5), false},
	{"1,000 evaluations, 5 node pools", block(evaluation, 1_000, 5), false},
	{"100 validations, 5 node pools", block(validation, 100, 5), true},
	{"1,000 validations, 5 node pools", block(validation, 1_000, 5), true},
	{"1 validation, 1,000 node pools", block(validation, 1, 1_000), true},
}

// sample contains the measurements of one plan.
type sample struct {
	wall   time.Duration
	cpu    time.Duration // of the CLI and the provider
	memory float64       // peak of the provider, in MB
}

func compare(cli string, rounds int, only string) (err error) {
	work, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := bench{cli: cli, work: work}
	if err := b.build(); err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "plan, versionskew relative to\ttime, null\ttime, null silent\tCPU, null\tCPU, null silent\ttime, floor\tCPU, floor\tmemory, null silent")
	for _, w := range workloads {
		if !strings.Contains(w.name, only) {
			continue
		}
		samples := map[string][]sample{}
		directory := filepath.Join(work, strconv.Itoa(len(w.name))+w.name[:1])
		if err := b.prepare(directory, w); err != nil {
			return err
		}
		for range rounds {
			for _, c := range contenders {
				s, err := b.plan(directory, c)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", w.name, c.name, err)
				}
				samples[c.name] = append(samples[c.name], s)
			}
		}
		ratio := func(against string, of func(sample) float64) string {
			var ratios []float64
			for i, s := range samples["versionskew"] {
				ratios = append(ratios, of(s)/of(samples[against][i]))
			}
			slices.SortFunc(ratios, cmp.Compare)
			return fmt.Sprintf("%.2f", ratios[len(ratios)/2])
		}
		wall := func(s sample) float64 { return s.wall.Seconds() }
		cpu := func(s sample) float64 { return s.cpu.Seconds() }
		memory := func(s sample) float64 { return s.memory }
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", w.name, ratio("null", wall), ratio("null, silent", wall),
			ratio("null", cpu), ratio("null, silent", cpu), ratio("echo, silent", wall), ratio("echo, silent", cpu), ratio("null, silent", memory))
	}
	if err := out.Flush(); err != nil || !strings.Contains(fleetName, only) {
		return err
	}
	return b.fleet(rounds)
}

type bench struct{ cli, work string }

// build builds the providers. The CLI starts this command in place of each, which then runs
// and measures the provider.
func (b bench) build() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for name, source := range map[string]string{
		"null":        "./null",
		"echo":        "./echo",
		"random":      "./random",
		"versionskew": "github.com/versionskew/terraform-provider-versionskew",
	} {
		address := "versionskew/versionskew"
		if name == random.provider {
			address = "hashicorp/random"
		}
		directory := filepath.Join(b.work, name)
		if err := os.MkdirAll(directory, 0o755); err != nil {
			return err
		}
		build := exec.Command("go", "build", "-tags", "grpcnotrace", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(directory, "measured"), source)
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		if err := os.Symlink(self, filepath.Join(directory, "terraform-provider-"+filepath.Base(address))); err != nil {
			return err
		}
		config := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n}\n", address, directory)
		if err := os.WriteFile(directory+".tfrc", []byte(config), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (b bench) prepare(directory string, w workload) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(w.module), 0o600); err != nil {
		return err
	}
	if !w.applied {
		return nil
	}
	_, err := b.run(directory, contenders[len(contenders)-1], "apply", "-auto-approve", "-input=false")
	return err
}

func (b bench) plan(directory string, c contender) (sample, error) {
	start := time.Now()
	command, err := b.run(directory, c, "plan", "-lock=false", "-input=false")
	if err != nil {
		return sample{}, err
	}
	s := sample{wall: time.Since(start), cpu: command.ProcessState.UserTime() + command.ProcessState.SystemTime()}
	text, err := os.ReadFile(b.usage())
	if err != nil {
		return sample{}, err
	}
	for line := range strings.Lines(string(text)) {
		memory, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil {
			return sample{}, err
		}
		s.memory = max(s.memory, memory)
	}
	return s, nil
}

func (b bench) usage() string { return filepath.Join(b.work, "usage") }

func (b bench) run(directory string, c contender, arguments ...string) (*exec.Cmd, error) {
	if err := os.WriteFile(b.usage(), nil, 0o600); err != nil {
		return nil, err
	}
	command := exec.Command(b.cli, append(arguments, "-no-color")...)
	command.Dir = directory
	command.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+filepath.Join(b.work, c.provider)+".tfrc",
		measuredVariable+"="+filepath.Join(b.work, c.provider, "measured"), usageVariable+"="+b.usage())
	command.Env = append(command.Env, c.environment...)
	var out strings.Builder
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(arguments, " "), err, out.String())
	}
	return command, nil
}
