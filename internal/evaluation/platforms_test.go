package evaluation_test

import (
	"os"
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

// platformRow is a combination or step and the rules that refuse it.
type platformRow struct {
	Policy string   `json:"policy"`
	Source string   `json:"source"` // URL
	What   string   `json:"what"`
	From   string   `json:"from"` // in the notation of skewtest; "" where only a combination is judged
	To     string   `json:"to"`
	Want   []string `json:"want"` // ids
}

func platformRows(t *testing.T) []platformRow {
	t.Helper()
	var rows []platformRow
	readRows(t, "testdata/platforms.yaml", &rows)
	return rows
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

// TestPlatforms holds every built-in policy against what its platform says, on
// both sides of each limit.
func TestPlatforms(t *testing.T) {
	for _, row := range platformRows(t) {
		t.Run(row.Policy+"/"+row.What, func(t *testing.T) {
			in := evaluation.Input{Policy: builtin(t, row.Policy), Cluster: skewtest.Cluster(t, row.To)}
			if row.From != "" {
				from := skewtest.Cluster(t, row.From)
				in.Observed, in.ApplyOrder = &from, upgrade.Any
			}
			findings, _ := evaluation.Findings(in)
			want := slices.Sorted(slices.Values(row.Want))
			if got := errorRules(findings); !slices.Equal(got, want) {
				t.Errorf("%s: %q to %q breaks %v, want %v: %v", row.Source, row.From, row.To, got, want, summaries(findings))
			}
		})
	}
}

// errorRules lists the rules that errors are of, each once.
func errorRules(findings []finding.Finding) []string {
	var ids []string
	for _, f := range findings {
		if f.Severity == policy.SeverityError {
			ids = append(ids, f.RuleID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestPlatformsAreTested: every built-in policy but the one the others extend
// has rows, and every rule of its own refuses some of them.
func TestPlatformsAreTested(t *testing.T) {
	rows := map[string]int{}
	refused := map[string]map[string]bool{}
	for _, row := range platformRows(t) {
		if !strings.HasPrefix(row.Source, "https://") {
			t.Errorf("%s, %s: source %q is no URL", row.Policy, row.What, row.Source)
		}
		rows[row.Policy]++
		if refused[row.Policy] == nil {
			refused[row.Policy] = map[string]bool{}
		}
		for _, id := range row.Want {
			refused[row.Policy][id] = true
		}
	}
	const enough = 6
	for _, name := range policy.BuiltinNames() {
		if name == policy.Default {
			continue
		}
		if rows[name] < enough {
			t.Errorf("%s has %d rows, want %d or more", name, rows[name], enough)
		}
		for id := range ownRules(t, builtin(t, name)) {
			if !refused[name][id] {
				t.Errorf("%s: no row breaks %s", name, id)
			}
		}
	}
}

// TestPlatformRulesSayWhy: what a built-in policy adds to Kubernetes or changes
// says where it is from, when that was read, and why it is.
func TestPlatformRulesSayWhy(t *testing.T) {
	for _, name := range policy.BuiltinNames() {
		if name == policy.Default {
			continue
		}
		p := builtin(t, name)
		if p.Title == "" || p.Description == "" || !strings.HasPrefix(p.Source, "https://") || p.BasedOn == "" {
			t.Errorf("%s: title %q, description %q, source %q, based on %q", name, p.Title, p.Description, p.Source, p.BasedOn)
		}
		for id, n := range ownRules(t, p) {
			if !strings.HasPrefix(n.Source, "https://") {
				t.Errorf("%s, %s: source %q is no URL", name, id, n.Source)
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
}

// ownRules is what a policy adds to Kubernetes, or says differently.
func ownRules(t *testing.T, p *policy.Policy) map[string]policy.Notes {
	t.Helper()
	base := skewtest.Kubernetes(t)
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
