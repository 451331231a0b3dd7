// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"sigs.k8s.io/yaml"
)

// platformRow is a combination or step, with the rules that it violates.
type platformRow struct {
	Source string   `json:"source"` // URL
	What   string   `json:"what"`
	From   string   `json:"from"` // in the notation of skewtest, "" to check only a combination
	To     string   `json:"to"`
	Want   []string `json:"want"` // IDs of the rules with errors
	Warn   []string `json:"warn"` // IDs of the rules with warnings
}

// rowsIn reads the rows of all policies or add-on packs, each from the file with its
// name.
func rowsIn(t *testing.T, directory string) map[string][]platformRow {
	t.Helper()
	byName := map[string][]platformRow{}
	files, err := fs.Glob(os.DirFS(directory), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var rows []platformRow
		readRows(t, filepath.Join(directory, file), &rows)
		byName[strings.TrimSuffix(file, ".yaml")] = rows
	}
	return byName
}

func platformRows(t *testing.T) map[string][]platformRow {
	t.Helper()
	return rowsIn(t, "testdata/platforms")
}

func addonRows(t *testing.T) map[string][]platformRow {
	t.Helper()
	return rowsIn(t, "testdata/addons")
}

func readRows(t *testing.T, file string, rows any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, rows); err != nil {
		t.Fatal(err)
	}
}

func builtin(t *testing.T, name string) *policy.Policy {
	t.Helper()
	p, err := policy.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlatforms compares all built-in policies with the documentation of their
// platforms, on both sides of each limit.
func TestPlatforms(t *testing.T) {
	for name, rows := range platformRows(t) {
		testRows(t, name, builtin(t, name), rows)
	}
}

// TestAddons compares all add-on packs, included in the policy kubernetes, with the
// documentation of their projects.
func TestAddons(t *testing.T) {
	for name, rows := range addonRows(t) {
		testRows(t, name, withAddon(t, policy.Default, policy.AddonPrefix+name), rows)
	}
}

func testRows(t *testing.T, name string, p *policy.Policy, rows []platformRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(name+"/"+row.What, func(t *testing.T) {
			in := evaluation.Input{Policy: p, Cluster: skewtest.ClusterOf(t, p.Scheme, row.To)}
			if row.From != "" {
				from := skewtest.ClusterOf(t, p.Scheme, row.From)
				in.Observed, in.ApplyOrder = &from, step.Any
			}
			findings := evaluation.Check(in).Findings()
			for severity, ids := range map[policy.Severity][]string{policy.SeverityError: row.Want, policy.SeverityWarning: row.Warn} {
				want := slices.Sorted(slices.Values(ids))
				if got := rulesOf(findings, severity); !slices.Equal(got, want) {
					t.Errorf("%s: %q to %q violates %v with severity %s, want %v: %v", row.Source, row.From, row.To, got, severity, want, summaries(findings))
				}
			}
		})
	}
}

// withAddon returns a built-in policy with an add-on pack.
func withAddon(t *testing.T, base, addon string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse(fmt.Sprintf(`{"extends": %q, "include": [%q]}`, base, addon))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAddonsFitAllPolicies checks that rule IDs of add-on packs are unique in all
// built-in policies.
func TestAddonsFitAllPolicies(t *testing.T) {
	for _, base := range policy.BuiltinNames() {
		for _, addon := range policy.AddonNames() {
			withAddon(t, base, addon)
		}
	}
}

// errorRules lists the rules with errors, without duplicates.
func errorRules(findings []finding.Finding) []string {
	return rulesOf(findings, policy.SeverityError)
}

// rulesOf lists the rules with findings of a severity, without duplicates.
func rulesOf(findings []finding.Finding, severity policy.Severity) []string {
	var ids []string
	for _, f := range findings {
		if f.Severity == severity {
			ids = append(ids, f.RuleID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestPlatformsAreTested checks that there are enough rows for each built-in policy but
// kubernetes and for each add-on pack, and that they violate each of its own rules.
func TestPlatformsAreTested(t *testing.T) {
	tables := platformRows(t)
	for _, name := range policy.BuiltinNames() {
		if name != policy.Default {
			const enough = 6
			checkRows(t, "testdata/platforms/"+name+".yaml", tables[name], enough, ownRules(t, builtin(t, name)))
		}
	}
	packs := addonRows(t)
	for _, name := range policy.AddonNames() {
		const enough = 4
		checkRows(t, "testdata/"+name+".yaml", packs[strings.TrimPrefix(name, policy.AddonPrefix)], enough, ownRules(t, withAddon(t, policy.Default, name)))
	}
}

func checkRows(t *testing.T, file string, rows []platformRow, enough int, rules map[string]policy.Notes) {
	t.Helper()
	if len(rows) < enough {
		t.Errorf("%s has %d rows, want %d or more", file, len(rows), enough)
	}
	var broken []string
	for _, row := range rows {
		if !strings.HasPrefix(row.Source, "https://") {
			t.Errorf("%s, %s: source %q is not a URL", file, row.What, row.Source)
		}
		broken = slices.Concat(broken, row.Want, row.Warn)
	}
	for id := range rules {
		if !slices.Contains(broken, id) {
			t.Errorf("%s: no row violates %s", file, id)
		}
	}
}

// TestPlatformRulesHaveNotes checks that each rule that a built-in policy adds or
// changes has a source, the date on which it was read, and a reason.
func TestPlatformRulesHaveNotes(t *testing.T) {
	for _, name := range policy.BuiltinNames() {
		if name == policy.Default {
			continue
		}
		p := builtin(t, name)
		if p.BasedOn == "" {
			t.Errorf("%s extends no policy", name)
		}
		checkNotes(t, name, p, ownRules(t, p))
		for _, r := range p.Releases {
			if !strings.HasPrefix(r.Source, "https://") {
				t.Errorf("%s, dates of %s: source %q is not a URL", name, r.Version, r.Source)
			}
			if _, err := time.Parse(time.DateOnly, r.ReadOn); err != nil {
				t.Errorf("%s, dates of %s: %v", name, r.Version, err)
			}
		}
	}
	for _, name := range policy.AddonNames() {
		p, err := policy.Addon(name)
		if err != nil {
			t.Fatal(err)
		}
		checkNotes(t, name, p, ownRules(t, withAddon(t, policy.Default, name)))
	}
}

func checkNotes(t *testing.T, name string, p *policy.Policy, rules map[string]policy.Notes) {
	t.Helper()
	if p.Title == "" || p.Description == "" || !strings.HasPrefix(p.Source, "https://") {
		t.Errorf("%s: title %q, description %q, source %q", name, p.Title, p.Description, p.Source)
	}
	for id, n := range rules {
		if !strings.HasPrefix(n.Source, "https://") {
			t.Errorf("%s, %s: source %q is not a URL", name, id, n.Source)
		}
		if _, err := time.Parse(time.DateOnly, n.ReadOn); err != nil {
			t.Errorf("%s, %s: %v", name, id, err)
		}
		if n.Reason == "" {
			t.Errorf("%s, %s: no reason", name, id)
		}
	}
	for _, n := range p.NotCovered {
		if n.What == "" || !strings.HasPrefix(n.Source, "https://") {
			t.Errorf("%s: not_covered %s has description %q and source %q", name, n.ID, n.What, n.Source)
		}
	}
}

// ownRules returns the rules that a policy adds to the one that it extends, or changes.
func ownRules(t *testing.T, p *policy.Policy) map[string]policy.Notes {
	t.Helper()
	base := builtin(t, p.BasedOn)
	pairs := map[string]*policy.PairRule{}
	for _, r := range base.PairRules {
		pairs[r.ID] = r
	}
	steps := map[string]*policy.StepRule{}
	for _, r := range base.StepRules {
		steps[r.ID] = r
	}
	// The rules of a pack are tested with the pack.
	if _, isPack := addonRows(t)[strings.TrimPrefix(p.Name, policy.AddonPrefix)]; !isPack && p.Name != "custom" {
		for _, name := range p.Included {
			pack := withAddon(t, policy.Default, name)
			for _, r := range pack.PairRules {
				pairs[r.ID] = r
			}
			for _, r := range pack.StepRules {
				steps[r.ID] = r
			}
		}
	}
	own := map[string]policy.Notes{}
	for _, r := range p.PairRules {
		if !reflect.DeepEqual(r, pairs[r.ID]) {
			own[r.ID] = r.Notes
		}
	}
	for _, r := range p.StepRules {
		if !reflect.DeepEqual(r, steps[r.ID]) {
			own[r.ID] = r.Notes
		}
	}
	return own
}

// TestPlatformEngines compares the policies with the engines of their platforms, in
// cases in which those differ from Kubernetes.
func TestPlatformEngines(t *testing.T) {
	var rows []struct {
		ID     string   `json:"id"`
		Policy string   `json:"policy"`
		Source string   `json:"source"`
		Expect string   `json:"expect"`
		From   versions `json:"from"`
		To     versions `json:"to"`
	}
	readRows(t, "testdata/platform-engines.yaml", &rows)
	for _, row := range rows {
		t.Run(row.ID, func(t *testing.T) {
			in := evaluation.Input{Policy: builtin(t, row.Policy), Cluster: cluster(t, row.To, nil)}
			if row.From != nil {
				from := cluster(t, row.From, nil)
				in.Observed, in.ApplyOrder = &from, step.Any
			}
			findings := evaluation.Check(in).Findings()
			if failed := len(errorRules(findings)) > 0; failed != (row.Expect == "error") {
				t.Errorf("%s: got %[4]v for %[2]v to %[3]v, want %[5]s", row.Source, row.From, row.To, summaries(findings), row.Expect)
			}
		})
	}
}

// TestPlatformDates checks which end-of-life dates findings have: those of the
// platform, those of Kubernetes if the platform runs its releases, or none if the dates
// of the platform are unknown.
func TestPlatformDates(t *testing.T) {
	for _, tt := range []struct {
		policy, version, day string
		end, extended        string // "" for no finding, or no extended support
	}{
		{"kubernetes", "1.34", "2026-11-21", "2026-10-27", ""},
		{"kubeadm", "1.34", "2026-11-21", "2026-10-27", ""},
		{"talos", "1.34", "2026-11-21", "2026-10-27", ""},
		{"eks", "1.34", "2026-11-21", "2026-12-02", "2027-12-02"},
		{"eks", "1.34", "2026-09-01", "", ""},
		{"eks", "1.33", "2026-11-21", "2026-07-29", "2027-07-29"},
		{"aks", "1.34", "2026-11-21", "2026-11-30", "2027-11-30"},
		{"aks", "1.31", "2026-11-21", "2025-11-01", "2026-11-30"},
		{"eks", "1.37", "2027-11-21", "2027-12-01", "2028-12-01"},
		{"gke", "1.34", "2026-11-21", "", ""},
		{"gke", "1.34", "2027-01-20", "2027-01-25", "2027-11-25"},
		{"gke", "1.33", "2026-11-21", "2026-08-12", "2027-06-12"},
		{"gke", "1.32", "2026-11-21", "2026-04-27", "2027-02-11"},
		{"gke", "1.29", "2026-11-21", "2025-04-12", ""},
		{"gke-auto-upgrade", "1.34", "2026-11-21", "", ""},
		{"openshift", "1.34", "2026-11-21", "", ""},
		{"aro-hcp", "1.28", "2026-11-21", "", ""},
		{"iks", "1.28", "2026-11-21", "", ""},
	} {
		in := evaluation.Input{Policy: builtin(t, tt.policy), Cluster: skewtest.Cluster(t, "managed: "+tt.version), Day: skewtest.Date(t, tt.day)}
		end, extended := "", ""
		for _, f := range evaluation.Evaluate(in).Findings() {
			if cause, ok := f.Cause.(*finding.EndOfLife); ok {
				end, extended = cause.Standard.Date.String(), cause.Extended.Date.String()
			}
		}
		if end != tt.end || extended != tt.extended {
			t.Errorf("%s %s on %s: got end of life %q, extended %q; want %q, %q", tt.policy, tt.version, tt.day, end, extended, tt.end, tt.extended)
		}
	}
}

// TestPatchesFirst checks that leaving a minor early causes a warning on DigitalOcean,
// which only offers a new minor after all patches of the current one.
func TestPatchesFirst(t *testing.T) {
	observed := skewtest.Cluster(t, "managed: 1.35.1")
	for name, want := range map[string]policy.Severity{"kubernetes": policy.SeverityInfo, "digitalocean-doks": policy.SeverityWarning} {
		in := evaluation.Input{Policy: builtin(t, name), Cluster: skewtest.Cluster(t, "managed: 1.36.1"), Observed: &observed, Day: skewtest.Date(t, "2026-11-21")}
		if !slices.ContainsFunc(evaluation.Evaluate(in).Findings(), func(f finding.Finding) bool { return f.RuleID == "latest-patch" && f.Severity == want }) {
			t.Errorf("%s: got no finding on the latest patch with severity %s", name, want)
		}
	}
}
