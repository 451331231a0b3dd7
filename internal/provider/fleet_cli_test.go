// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/fleet"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestFleet applies enforcement_level "changes" to 200 clusters of four platforms, a third
// of which violate their policy. It then changes each of them at random in one plan,
// which has to refuse exactly the changes that make a cluster worse or take a step that
// is not allowed. It also checks the page about the fleet.
func TestFleet(t *testing.T) {
	clusters := fleet.Random(2026, 200)
	tree := t.TempDir()
	if err := os.CopyFS(tree, os.DirFS(filepath.Join(examples, "fleet-rings/modules"))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(tree, "main.tf"), fleetModule())
	module := acctest.NewModule(t, writeClusters(t, tree, "terraform.tfvars.json", clusters))

	out := module.MustRun("apply", "-auto-approve", "-input=false", "-no-color")
	if !strings.Contains(out, "200 added") {
		t.Errorf("the apply did not add 200 validations:\n%s", out[max(0, len(out)-500):])
	}
	module.MustRun("plan", "-detailed-exitcode", "-input=false") // fails on any change

	checkFleetPage(t, clusters, module.MustRun("output", "-raw", "page"))

	changed := fleet.Change(2026, clusters)
	var want []string
	for name, c := range clusters {
		if c.Refuses(changed[name]) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	// Terraform 1.12 and later show identical errors once, even those of different
	// clusters. The next plan, without the clusters that it showed, shows the others.
	var got []string
	for planned := maps.Clone(changed); len(got) < len(want); {
		writeClusters(t, module.Path("."), "terraform.tfvars.json", planned)
		events, err := module.Command("plan", "-json", "-input=false").Output()
		if err == nil {
			break
		}
		refused := refusedIn(t, events)
		if len(refused) == 0 {
			t.Fatalf("the plan failed without an error: %s", events)
		}
		for _, name := range refused {
			got = append(got, name)
			delete(planned, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("refused %v\nwant %v", got, want)
	}
	if len(want) < 40 || len(want) > 160 {
		t.Errorf("%d of 200 changes are refused, want between 40 and 160", len(want))
	}
}

// fleetModule returns a root module that calls a module for each cluster and one for the
// page.
func fleetModule() string {
	var b strings.Builder
	b.WriteString(`terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
variable "clusters" {
  type = map(map(object({
    control_plane_version = string
    node_pool_versions    = map(string)
  })))
}
module "page" {
  source = "./page"
  rings  = {
    aks     = { for name, cluster in module.aks : name => cluster.published }
    eks     = { for name, cluster in module.eks : name => cluster.published }
    gke     = { for name, cluster in module.gke : name => cluster.published }
    kubeadm = { for name, cluster in module.kubeadm : name => cluster.published }
  }
  order = ["aks", "eks", "gke", "kubeadm"]
  as_of = "2026-11-20"
}
output "page" {
  value = module.page.markdown
}
`)
	for _, platform := range []string{"aks", "eks", "gke", "kubeadm"} {
		fmt.Fprintf(&b, `
module "%[1]s" {
  source                = "./cluster"
  for_each              = var.clusters["%[1]s"]
  policy                = "%[1]s"
  control_plane_version = each.value.control_plane_version
  node_pool_versions    = each.value.node_pool_versions
  as_of                 = "2026-11-20"
}
`, platform)
	}
	return b.String()
}

// writeClusters writes a fleet as variables of fleetModule and returns the directory.
func writeClusters(t *testing.T, directory, name string, clusters map[string]fleet.Cluster) string {
	t.Helper()
	variables := map[string]map[string]any{}
	for name, c := range clusters {
		pools := map[string]string{}
		for pool, minor := range c.Pools {
			pools[pool] = fleet.Minor(minor)
		}
		if variables[c.Policy] == nil {
			variables[c.Policy] = map[string]any{}
		}
		variables[c.Policy][name] = map[string]any{"control_plane_version": fleet.Minor(c.ControlPlane), "node_pool_versions": pools}
	}
	text, err := json.Marshal(map[string]any{"clusters": variables})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(directory, name), string(text))
	return directory
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// refusedIn lists the clusters with an error in the events of a plan.
func refusedIn(t *testing.T, events []byte) (clusters []string) {
	t.Helper()
	address := regexp.MustCompile(`^module\.[a-z]+\["([^"]+)"\]\.versionskew_validation\.this$`)
	for line := range bytes.Lines(events) {
		var event struct {
			Type       string
			Diagnostic struct{ Severity, Summary, Address string }
		}
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if event.Type != "diagnostic" || event.Diagnostic.Severity != "error" {
			continue
		}
		m := address.FindStringSubmatch(event.Diagnostic.Address)
		if m == nil {
			t.Fatalf("an error outside the validations: %s", line)
		}
		clusters = append(clusters, m[1])
	}
	slices.Sort(clusters)
	return slices.Compact(clusters)
}

// checkFleetPage compares every row of a page with the clusters.
func checkFleetPage(t *testing.T, clusters map[string]fleet.Cluster, page string) {
	t.Helper()
	rows, reasons := map[string][]string{}, map[string]string{}
	for line := range strings.Lines(page) {
		if name, reason, ok := strings.Cut(strings.TrimPrefix(line, "- **"), ":** "); ok {
			reasons[name] += reason
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if _, twice := rows[cells[0]]; len(cells) >= 5 && !slices.Contains([]string{"---", "Cluster", "Ring"}, cells[0]) {
			if twice {
				t.Errorf("%s is on the page twice", cells[0])
			}
			rows[cells[0]] = cells[1:]
		}
	}
	type ring struct {
		n, supported, free int
		minors, ends       []string
	}
	rings := map[string]*ring{}
	for name, c := range clusters {
		r := rings[c.Policy]
		if r == nil {
			r = &ring{}
			rings[c.Policy] = r
		}
		row := rows[name]
		if row == nil {
			t.Errorf("%s is not on the page", name)
			continue
		}
		end := endOfSupport(t, c)
		blockers := c.BlocksNext()
		next := "✅ " + fleet.Minor(c.ControlPlane+1)
		if len(blockers) > 0 {
			next = "⛔ " + fleet.Minor(c.ControlPlane+1)
		}
		if row[0] != fleet.Minor(c.ControlPlane) || row[1] != end || row[2] != next {
			t.Errorf("%s %+v: the page has %v, want end of support %s and %s", name, c, row, end, next)
		}
		if (reasons[name] == "") != (len(blockers) == 0) {
			t.Errorf("%s %+v: the page has %q, want blocked by %v", name, c, reasons[name], blockers)
		}
		for _, pool := range blockers {
			if !strings.Contains(reasons[name], fmt.Sprintf("node_pools[%q]", pool)) {
				t.Errorf("%s %+v: the page has %q, want blocked by %s", name, c, reasons[name], pool)
			}
		}
		if strings.HasPrefix(row[3], "❌ not supported") != c.Broken() {
			t.Errorf("%s %+v: the page has the wrong verdict: %v", name, c, row)
		}
		r.n++
		if !c.Broken() {
			r.supported++
		}
		if len(blockers) == 0 {
			r.free++
		}
		r.minors = append(r.minors, fleet.Minor(c.ControlPlane))
		if end != "-" {
			r.ends = append(r.ends, end)
		}
	}
	for name, r := range rings {
		slices.Sort(r.minors)
		first := "-"
		if len(r.ends) > 0 {
			first = slices.Min(r.ends)
		}
		want := []string{fmt.Sprint(r.n), strings.Join(slices.Compact(r.minors), ", "), fmt.Sprint(r.supported), fmt.Sprint(r.free), first}
		if !slices.Equal(rows[name], want) {
			t.Errorf("ring %s: the page has %v, want %v", name, rows[name], want)
		}
	}
	if len(rows) != len(clusters)+len(rings) {
		t.Errorf("%d rows for %d clusters in %v", len(rows), len(clusters), slices.Sorted(maps.Keys(rings)))
	}
}

// endOfSupport returns the date of the platform, or the upstream date if the policy has no
// releases.
func endOfSupport(t *testing.T, c fleet.Cluster) string {
	t.Helper()
	p, err := policy.Builtin(c.Policy)
	if err != nil {
		t.Fatal(err)
	}
	minor := version.Minor{Major: 1, Minor: c.ControlPlane}
	for _, r := range p.Releases {
		if r.Minor() == minor {
			return r.EndOfLife.String()
		}
	}
	if p.Releases == nil {
		for _, r := range releases.Embedded().Releases() {
			if r.Minor == minor {
				return r.EndOfLife.String()
			}
		}
	}
	return "-"
}

// TestChangesLevelRepairs runs some cases of the test with the same name in fleet_test.go
// with a CLI.
func TestChangesLevelRepairs(t *testing.T) {
	t.Parallel()
	module := acctest.NewModule(t, filepath.Join(examples, "guides/fleet"))
	clusters := func(a, b string) string {
		return fmt.Sprintf(`clusters={ x = { control_plane_version = "1.36", node_pools = { a = %q, b = %q } } }`, a, b)
	}
	module.MustRun("apply", "-auto-approve", "-input=false", "-var", clusters("1.32", "1.32"))
	for _, tt := range []struct {
		name, clusters string
		refused        bool
	}{
		{"no change", clusters("1.32", "1.32"), false},
		{"one of two pools is repaired", clusters("1.33", "1.32"), false},
		{"one pool gets worse", clusters("1.32", "1.31"), true},
		{"one pool is repaired, the other gets worse", clusters("1.33", "1.31"), true},
		{"a pool that was too old is too new", clusters("1.37", "1.32"), true},
	} {
		out, err := module.Run("plan", "-input=false", "-no-color", "-var", tt.clusters)
		if (err != nil) != tt.refused {
			t.Errorf("%s: got error %v, want refused: %v\n%s", tt.name, err, tt.refused, out)
		}
	}
	module.MustRun("apply", "-auto-approve", "-input=false", "-var", clusters("1.33", "1.32"))
	if out, err := module.Run("plan", "-input=false", "-no-color", "-var", clusters("1.32", "1.33")); err == nil {
		t.Errorf("the plan replaces one violation by another and passes:\n%s", out)
	}
}
