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
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"sigs.k8s.io/yaml"
)

// platformRow is a combination or step, and the rules that it breaks.
type platformRow struct {
	Source string   `json:"source"` // URL
	What   string   `json:"what"`
	From   string   `json:"from"` // in the notation of skewtest; "" where only a combination is judged
	To     string   `json:"to"`
	Want   []string `json:"want"` // ids of the rules whose findings are errors
	Warn   []string `json:"warn"` // ids of those whose findings are warnings
}

// rowsIn reads the rows of each policy or add-on pack, from the file of its name.
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

// TestPlatforms compares every built-in policy with what its platform says, on
// both sides of each limit.
func TestPlatforms(t *testing.T) {
	for name, rows := range platformRows(t) {
		testRows(t, name, builtin(t, name), rows)
	}
}

// TestAddons compares every add-on pack, on top of kubernetes, with what its
// project says.
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
				in.Observed, in.ApplyOrder = &from, upgrade.Any
			}
			findings, _ := evaluation.Findings(in)
			for severity, ids := range map[policy.Severity][]string{policy.SeverityError: row.Want, policy.SeverityWarning: row.Warn} {
				want := slices.Sorted(slices.Values(ids))
				if got := rulesOf(findings, severity); !slices.Equal(got, want) {
					t.Errorf("%s: %q to %q breaks %v with severity %s, want %v: %v", row.Source, row.From, row.To, got, severity, want, summaries(findings))
				}
			}
		})
	}
}

// withAddon is a built-in policy with an add-on pack.
func withAddon(t *testing.T, base, addon string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse(fmt.Sprintf(`{"extends": %q, "include": [%q]}`, base, addon))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAddonsFitEveryPolicy: no rule of a pack has the id of another rule.
func TestAddonsFitEveryPolicy(t *testing.T) {
	for _, base := range policy.BuiltinNames() {
		for _, addon := range policy.AddonNames() {
			withAddon(t, base, addon)
		}
	}
}

// errorRules lists the rules that errors are of, each once.
func errorRules(findings []finding.Finding) []string {
	return rulesOf(findings, policy.SeverityError)
}

// rulesOf lists the rules that findings of a severity are of, each once.
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

// TestPlatformsAreTested: every built-in policy but kubernetes, and every add-on
// pack, has rows, and some of them break each of its own rules.
func TestPlatformsAreTested(t *testing.T) {
	tables := platformRows(t)
	for _, name := range policy.BuiltinNames() {
		if name != policy.Default {
			const enough = 6
			areTested(t, name, tables[name], enough, ownRules(t, builtin(t, name)))
		}
	}
	packs := addonRows(t)
	for _, name := range policy.AddonNames() {
		const enough = 4
		areTested(t, name, packs[strings.TrimPrefix(name, policy.AddonPrefix)], enough, ownRules(t, withAddon(t, policy.Default, name)))
	}
}

func areTested(t *testing.T, name string, rows []platformRow, enough int, rules map[string]policy.Notes) {
	t.Helper()
	if len(rows) < enough {
		t.Errorf("%s has %d rows, want %d or more", name, len(rows), enough)
	}
	var broken []string
	for _, row := range rows {
		if !strings.HasPrefix(row.Source, "https://") {
			t.Errorf("%s, %s: source %q is not a URL", name, row.What, row.Source)
		}
		broken = slices.Concat(broken, row.Want, row.Warn)
	}
	for id := range rules {
		if !slices.Contains(broken, id) {
			t.Errorf("%s: no row breaks %s", name, id)
		}
	}
}

// TestPlatformRulesSayWhy: every rule that a built-in policy adds or changes names
// its source, the day that was read, and a reason.
func TestPlatformRulesSayWhy(t *testing.T) {
	for _, name := range policy.BuiltinNames() {
		if name == policy.Default {
			continue
		}
		p := builtin(t, name)
		if p.BasedOn == "" {
			t.Errorf("%s is based on no policy", name)
		}
		sayWhy(t, name, p, ownRules(t, p))
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
		sayWhy(t, name, p, ownRules(t, withAddon(t, policy.Default, name)))
	}
}

func sayWhy(t *testing.T, name string, p *policy.Policy, rules map[string]policy.Notes) {
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
			t.Errorf("%s, %s: no reason is given", name, id)
		}
	}
	for _, n := range p.NotCovered {
		if n.What == "" || !strings.HasPrefix(n.Source, "https://") {
			t.Errorf("%s does not cover %s, but says %q and source %q", name, n.ID, n.What, n.Source)
		}
	}
}

// ownRules is what a policy adds to the one that it extends, or says
// differently.
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

// TestPlatformEngines holds the policies against the verdicts of the engines of
// their platforms, where those differ from the verdict of Kubernetes.
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
				in.Observed, in.ApplyOrder = &from, upgrade.Any
			}
			findings, _ := evaluation.Findings(in)
			if failed := len(errorRules(findings)) > 0; failed != (row.Expect == "error") {
				t.Errorf("%s: %v to %v is judged %v, want %s", row.Source, row.From, row.To, summaries(findings), row.Expect)
			}
		})
	}
}

// TestPlatformDates: end-of-life advice has the dates of the platform, those of
// Kubernetes where the platform runs its releases, and none where the dates of the
// platform are not known.
func TestPlatformDates(t *testing.T) {
	for _, tt := range []struct {
		policy, version, day string
		end, extended        string // "" where there is no advice, or no extended support
	}{
		{"kubernetes", "1.34", "2026-11-21", "2026-10-27", ""},
		{"kubeadm", "1.34", "2026-11-21", "2026-10-27", ""},
		{"talos", "1.34", "2026-11-21", "2026-10-27", ""},
		{"eks", "1.34", "2026-11-21", "2026-12-02", "2027-12-02"},
		{"eks", "1.34", "2026-09-01", "", ""},
		{"eks", "1.33", "2026-11-21", "2026-07-29", "2027-07-29"},
		{"aks", "1.34", "2026-11-21", "2026-11-30", "2027-11-30"},
		{"aks", "1.31", "2026-11-21", "2025-11-01", "2026-11-30"},
		{"gke", "1.34", "2026-11-21", "2026-10-01", ""},
		{"gke-auto-upgrade", "1.34", "2026-11-21", "2026-10-01", ""},
		{"openshift", "1.34", "2026-11-21", "", ""},
		{"aro-hcp", "1.28", "2026-11-21", "", ""},
		{"iks", "1.28", "2026-11-21", "", ""},
	} {
		in := evaluation.Input{Policy: builtin(t, tt.policy), Cluster: skewtest.Cluster(t, "managed: "+tt.version), Day: skewtest.Date(t, tt.day)}
		end, extended := "", ""
		for _, f := range evaluation.Evaluate(in).Findings {
			if cause, ok := f.Cause.(*finding.EndOfLife); ok {
				end, extended = cause.Date.String(), cause.Extended.String()
			}
		}
		if end != tt.end || extended != tt.extended {
			t.Errorf("%s %s on %s ends on %q and %q, want %q and %q", tt.policy, tt.version, tt.day, end, extended, tt.end, tt.extended)
		}
	}
}

// TestPatchesFirst: DigitalOcean offers a new minor only after all patches of the
// current one, so that leaving it early is worth a warning.
func TestPatchesFirst(t *testing.T) {
	observed := skewtest.Cluster(t, "managed: 1.35.1")
	for name, want := range map[string]policy.Severity{"kubernetes": policy.SeverityInfo, "digitalocean-doks": policy.SeverityWarning} {
		in := evaluation.Input{Policy: builtin(t, name), Cluster: skewtest.Cluster(t, "managed: 1.36.1"), Observed: &observed, Day: skewtest.Date(t, "2026-11-21")}
		if !slices.ContainsFunc(evaluation.Evaluate(in).Findings, func(f finding.Finding) bool { return f.RuleID == "latest-patch" && f.Severity == want }) {
			t.Errorf("%s does not advise the latest patch with severity %s", name, want)
		}
	}
}
