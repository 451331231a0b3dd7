// SPDX-License-Identifier: MPL-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/fleet"
)

const fleetName = "200 clusters in modules of 4 platforms"

// random replaces the validation in each cluster of the fleet with random_id.
var random = contender{"random_id", "random", nil}

// fleetModules contains the module of a cluster, by provider.
var fleetModules = map[string]string{
	"versionskew": `terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
` + fleetVariables + `
resource "versionskew_validation" "this" {
  policy                = var.policy
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
  enforcement_level     = "changes"
}
`,
	"random": `terraform {
  required_providers {
    random = { source = "hashicorp/random" }
  }
}
` + fleetVariables + `
resource "random_id" "this" {
  byte_length = 8
}
`,
}

const fleetVariables = `
variable "policy" { type = string }
variable "control_plane_version" { type = string }
variable "node_pool_versions" { type = map(string) }

locals {
  node_pools = { for name, version in var.node_pool_versions : name => { kubelet = version } }
}
`

// fleet compares plans of a fleet with plans of the same fleet in which random_id replaces
// each validation. Nothing changes in the plans, and a third of the clusters violate their
// policy.
func (b bench) fleet(rounds int) error {
	ours := contenders[len(contenders)-1]
	pair := []contender{ours, random}
	for _, c := range pair {
		if err := b.prepareFleet(c); err != nil {
			return err
		}
	}
	var wall, cpu, memory []float64
	for range rounds {
		samples := map[string]sample{}
		for _, c := range pair {
			s, err := b.plan(b.fleetDirectory(c), c)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", fleetName, c.name, err)
			}
			samples[c.name] = s
		}
		s, r := samples[ours.name], samples[random.name]
		wall = append(wall, s.wall.Seconds()/r.wall.Seconds())
		cpu = append(cpu, s.cpu.Seconds()/r.cpu.Seconds())
		memory = append(memory, s.memory/r.memory)
	}
	median := func(ratios []float64) float64 {
		slices.SortFunc(ratios, cmp.Compare)
		return ratios[len(ratios)/2]
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "plan, versionskew relative to random_id\ttime\tCPU\tmemory of the provider")
	fmt.Fprintf(out, "%s\t%.2f\t%.2f\t%.2f\n", fleetName, median(wall), median(cpu), median(memory))
	return out.Flush()
}

func (b bench) fleetDirectory(c contender) string { return filepath.Join(b.work, "fleet-"+c.provider) }

func (b bench) prepareFleet(c contender) error {
	directory := b.fleetDirectory(c)
	if err := os.MkdirAll(filepath.Join(directory, "cluster"), 0o755); err != nil {
		return err
	}
	platforms := map[string]map[string]any{}
	for name, cluster := range fleet.Random(2026, 200) {
		pools := map[string]string{}
		for pool, minor := range cluster.Pools {
			pools[pool] = fleet.Minor(minor)
		}
		if platforms[cluster.Policy] == nil {
			platforms[cluster.Policy] = map[string]any{}
		}
		platforms[cluster.Policy][name] = map[string]any{"control_plane_version": fleet.Minor(cluster.ControlPlane), "node_pool_versions": pools}
	}
	var root strings.Builder
	for platform, clusters := range platforms {
		text, err := json.Marshal(clusters) // JSON objects are valid HCL expressions
		if err != nil {
			return err
		}
		fmt.Fprintf(&root, `module %[1]q {
  source                = "./cluster"
  for_each              = %[2]s
  policy                = %[1]q
  control_plane_version = each.value.control_plane_version
  node_pool_versions    = each.value.node_pool_versions
}
`, platform, text)
	}
	for name, text := range map[string]string{"main.tf": root.String(), "cluster/main.tf": fleetModules[c.provider]} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if _, err := b.run(directory, c, "get"); err != nil {
		return err
	}
	_, err := b.run(directory, c, "apply", "-auto-approve", "-input=false")
	return err
}
