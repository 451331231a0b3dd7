package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestKubernetes holds the embedded file against the rules of
// https://kubernetes.io/releases/version-skew-policy/, one by one.
func TestKubernetes(t *testing.T) {
	p, err := Builtin(Default)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Subject, Reference           string
		Scope                        Scope
		Newer, Older                 int
		NewerBefore125, Before125    int
		Severity                     Severity
		HasReason, HasAnchoredSource bool
	}
	got := map[string]row{}
	old, err := version.Parse("1.24.17")
	if err != nil {
		t.Fatal(err)
	}
	recent, err := version.Parse("1.25.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.SkewRules {
		now, _ := r.LimitsFor(recent, old)
		before, _ := r.LimitsFor(old, recent)
		got[r.ID] = row{
			r.Subject, r.Reference, r.Scope, *now.MaxNewer, *now.MaxOlder, *before.MaxNewer, *before.MaxOlder, r.Severity,
			r.Reason != "", strings.HasPrefix(r.Source, p.Source+"#"),
		}
	}
	want := map[string]row{
		"kube-apiserver-ha":                  {"kube-apiserver", "kube-apiserver", ScopeCluster, 1, 1, 1, 1, SeverityError, true, true},
		"kubelet-apiserver":                  {"kubelet", "kube-apiserver", ScopeEndpoint, 0, 3, 0, 2, SeverityError, true, true},
		"kube-proxy-apiserver":               {"kube-proxy", "kube-apiserver", ScopeEndpoint, 0, 3, 0, 2, SeverityError, true, true},
		"kube-proxy-kubelet":                 {"kube-proxy", "kubelet", ScopeNode, 3, 3, 2, 2, SeverityError, true, true},
		"kube-controller-manager-apiserver":  {"kube-controller-manager", "kube-apiserver", ScopeEndpoint, 0, 1, 0, 1, SeverityError, true, true},
		"kube-scheduler-apiserver":           {"kube-scheduler", "kube-apiserver", ScopeEndpoint, 0, 1, 0, 1, SeverityError, true, true},
		"cloud-controller-manager-apiserver": {"cloud-controller-manager", "kube-apiserver", ScopeEndpoint, 0, 1, 0, 1, SeverityError, true, true},
		"kubectl-apiserver":                  {"kubectl", "kube-apiserver", ScopeCluster, 1, 1, 1, 1, SeverityError, true, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(p.StepRules) != 1 {
		t.Fatalf("%d step rules, want the one of kube-apiserver", len(p.StepRules))
	}
	step := p.StepRules[0]
	if step.ID != "kube-apiserver-step" || step.Component != "kube-apiserver" || *step.MaxUpgrade != 1 || *step.MaxDowngrade != 0 {
		t.Errorf("step rule %+v", step)
	}
}

func TestParseRefuses(t *testing.T) {
	const rule = `{"subject": "a", "reference": "b", "scope": "cluster"`
	for text, want := range map[string]string{
		`{"skew_ruless": {}}`:                                                           "skew_ruless",
		`{"skew_rules": {"x": ` + rule + `, "max": 1}}}`:                                "max",
		`{"skew_rules": {"x": {"scope": "cluster"}}}`:                                   "rule x: subject and reference are required",
		`{"skew_rules": {"x": {"subject": "a", "reference": "b", "scope": "pod"}}}`:     `scope "pod"`,
		`{"skew_rules": {"x": ` + rule + `, "severity": "fatal"}}}`:                     `severity "fatal"`,
		`{"skew_rules": {"x": ` + rule + `, "max_older": -1}}}`:                         "not -1",
		`{"skew_rules": {"x": ` + rule + `, "max_older": 101}}}`:                        "not 101",
		`{"skew_rules": {"x": ` + rule + `, "conditions": [{"max_newer": 500}]}}}`:      "not 500",
		`{"skew_rules": {"x": ` + rule + `, "conditions": [{"subject": "< banana"}]}}}`: "banana",
		`{"step_rules": {"x": {"max_upgrade": 1}}}`:                                     "rule x: component is required",
		`{"step_rules": {"x": {"component": "a", "severity": "loud"}}}`:                 `severity "loud"`,
		`{"move_notes": {"x": {"component": "a"}}}`:                                     "component and note are required",
		`{"title": "a", "title": "b"}`:                                                  "title",
	} {
		_, err := parse("test", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want it to say %s", text, err, want)
		}
	}
}

func TestParseReportsAllProblems(t *testing.T) {
	_, err := parse("test", []byte(`{"skew_rules": {"x": {}}, "step_rules": {"y": {}}}`))
	if err == nil || !strings.Contains(err.Error(), "rule x") || !strings.Contains(err.Error(), "rule y") {
		t.Errorf("error %v; want both rules in it", err)
	}
}

func TestBuiltinUnknown(t *testing.T) {
	if _, err := Builtin("kubernets"); err == nil || !strings.Contains(err.Error(), Default) {
		t.Errorf("error %v; want it to list the known policies", err)
	}
}
