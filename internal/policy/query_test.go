// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"pgregory.net/rapid"
)

func parsed(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestInherits checks that a rule only counts as inherited if it is the same as in the
// built-in policy or pack. The page of a policy lists inherited rules separately.
func TestInherits(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		own        []string // the rules that are not inherited
	}{
		{"nothing changed", `{}`, nil},
		{"limits that stay the same", `{"skew_rules": {"kubelet-apiserver": {"max_older": 3}}}`, nil},
		{"a skew rule", `{"skew_rules": {"kubelet-apiserver": {"max_older": 1}}}`, []string{"kubelet-apiserver"}},
		{"a step rule", `{"step_rules": {"kube-apiserver-step": {"max_upgrade": 2}}}`, []string{"kube-apiserver-step"}},
		{"a requirement rule", `{"requirement_rules": {"talos-1-15-kube-apiserver": {"require": {"version": ">= 99"}}}}`, []string{"talos-1-15-kube-apiserver"}},
		{"an advisory", `{"advisories": {"end-of-life": {"days": 7}}}`, []string{"end-of-life"}},
		{"a new rule", `{"step_rules": {"istiod-step": {"component": "istiod", "max_upgrade": 1}}}`, []string{"istiod-step"}},
		{"a pack", `{"include": ["addons/metrics-server"]}`, nil},
		{"a rule of a pack", `{"include": ["addons/metrics-server"], "requirement_rules": {"metrics-server-0-9": {"severity": "error"}}}`, []string{"metrics-server-0-9"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, err := Builtin("talos")
			if err != nil {
				t.Fatal(err)
			}
			p, err := Extend(base, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var own []string
			for _, id := range p.RuleIDs() {
				if !p.Inherits(id) {
					own = append(own, id)
				}
			}
			if diff := cmp.Diff(tt.own, own); diff != "" {
				t.Errorf("rules that are not inherited (-want +got):\n%s", diff)
			}
		})
	}

	alone := parsed(t, `{"step_rules": {"kube-apiserver-step": {"component": "kube-apiserver", "max_upgrade": 1}}}`)
	if alone.Inherits("kube-apiserver-step") {
		t.Error("a policy that extends nothing inherits a rule")
	}
	if parsed(t, `{"extends": "kubernetes"}`).Inherits("no-such-rule") {
		t.Error("a rule that does not exist is inherited")
	}
}

// TestNotCovered checks that each rule that is not covered is listed once, with the text
// of the policy or, if it has none, of the first pack that lists it.
func TestNotCovered(t *testing.T) {
	one := quotedJSON(t, `{"name": "one", "not_covered": {"cni": {"what": "The CNI.", "source": "https://one"}}}`)
	two := quotedJSON(t, `{"name": "two", "not_covered": {"cni": {"what": "Any CNI.", "source": "https://two"}, "csi": {"what": "The CSI.", "source": "https://two"}}}`)
	for text, want := range map[string][]string{
		`{"include": [` + one + `]}`:                                                               {"The CNI."},
		`{"include": [` + one + `, ` + two + `]}`:                                                  {"The CNI.", "The CSI."},
		`{"include": [` + two + `, ` + one + `]}`:                                                  {"Any CNI.", "The CSI."},
		`{"include": [` + one + `, ` + two + `], "not_covered": {"cni": {"what": "Our CNI."}}}`:    {"Our CNI.", "The CSI."},
		`{"extends": "aks", "include": [` + one + `], "not_covered": {"os": {"what": "The OS."}}}`: {"The CNI.", "The OS."},
	} {
		var got []string
		for _, n := range parsed(t, text).NotCovered {
			got = append(got, n.What)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s does not cover (-want +got):\n%s", text, diff)
		}
	}
}

// TestMovedComponents checks that managed platforms leave out the components of the
// control plane, which users do not upgrade themselves.
func TestMovedComponents(t *testing.T) {
	for name, want := range map[string][]string{
		"kubernetes": {"cloud-controller-manager", "kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubectl", "kubelet"},
		"eks":        {"kube-proxy", "kubectl", "kubelet"},
	} {
		if diff := cmp.Diff(want, parsed(t, `{"extends": "`+name+`"}`).MovedComponents()); diff != "" {
			t.Errorf("moved components of %s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNotesFor checks that advice about a move to another minor only applies to the
// components it names.
// "In-place minor version upgrades of kubelet are not supported", so drain the node
// first (https://kubernetes.io/releases/version-skew-policy/#kubelet-1).
func TestNotesFor(t *testing.T) {
	p := parsed(t, `{"extends": "kubernetes", "advisories": {"backup": {"check": "minor_move", "note": "Back up."}}}`)
	for component, want := range map[string][]string{
		"kubelet":        {"backup", "kubelet-drain"},
		"kube-apiserver": {"admission-webhook-resources", "backup"},
		"istiod":         {"backup"}, // no components: all of them
	} {
		var got []string
		for _, note := range p.NotesFor(component) {
			got = append(got, note.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("notes for %s (-want +got):\n%s", component, diff)
		}
	}
}

// TestSeverityRank checks that severities are ranked from error to info.
func TestSeverityRank(t *testing.T) {
	severities := []Severity{SeverityInfo, SeverityError, SeverityWarning}
	slices.SortFunc(severities, func(a, b Severity) int { return a.Rank() - b.Rank() })
	if diff := cmp.Diff([]Severity{SeverityError, SeverityWarning, SeverityInfo}, severities); diff != "" {
		t.Errorf("severities by rank (-want +got):\n%s", diff)
	}
}

// TestKeepsPatch checks that an older patch only counts as a downgrade if the rule
// compares patches and allows no downgrade at all.
func TestKeepsPatch(t *testing.T) {
	for text, want := range map[string]bool{
		``:                        false,
		`, "compare_patch": true`: false,
		`, "max_downgrade": 0`:    false,
		`, "max_downgrade": 0, "compare_patch": true`:  true,
		`, "max_downgrade": 0, "compare_patch": false`: false,
		`, "max_downgrade": 1, "compare_patch": true`:  false,
	} {
		p := parsed(t, `{"step_rules": {"kubelet-step": {"component": "kubelet", "max_upgrade": 1`+text+`}}}`)
		if got := p.StepRules[0].KeepsPatch(p.StepRules[0].StepLimits); got != want {
			t.Errorf("%s: keeps the patch: %t, want %t", text, got, want)
		}
	}
}

// TestUnknownAddon checks that the error suggests the full name of a pack.
func TestUnknownAddon(t *testing.T) {
	for name, want := range map[string]string{"karpenter": "addons/karpenter", "addons/karpentr": "addons/karpenter", "eks": "", "banana": ""} {
		_, err := Addon(name)
		var refused *ParseError
		if !errors.As(err, &refused) || len(refused.Mistakes) != 1 || refused.Mistakes[0].Meant != want {
			t.Errorf("%s: error %v, want it to suggest %q", name, err, want)
		}
	}
}

// TestReleaseSupport checks that a platform supports a minor from its release to its end
// of life, inclusive, and longer with extended support. The dates are those of EKS 1.33
// (https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html).
func TestReleaseSupport(t *testing.T) {
	date := func(s string) releases.Date {
		d, err := releases.ParseDate(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	dated := parsed(t, `{"releases": {"1.33": {"release_date": "2025-05-28", "end_of_life": "2026-07-29", "end_of_extended_support": "2027-07-29"}}}`).Releases[0]
	endless := parsed(t, `{"releases": {"1.33": {"release_date": "2025-05-28"}}}`).Releases[0]
	for _, tt := range []struct {
		release  *Release
		day      string
		days     int
		standard bool
		extended bool
	}{
		{dated, "2025-05-27", 0, false, false},
		{dated, "2025-05-28", 0, true, false},
		{dated, "2026-07-29", 0, true, false},
		{dated, "2026-07-29", 1, false, false},
		{dated, "2026-06-29", 30, true, false},
		{dated, "2026-06-29", 31, false, false},
		{dated, "2026-07-30", 0, false, true},
		{dated, "2027-07-29", 0, false, true},
		{dated, "2027-07-30", 0, false, false},
		{endless, "2025-05-27", 0, false, false},
		{endless, "2099-01-01", 3650, true, false},
	} {
		day := date(tt.day)
		if got := tt.release.InSupport(day, tt.days); got != tt.standard {
			t.Errorf("in standard support on %s and %d days later: %t, want %t", tt.day, tt.days, got, tt.standard)
		}
		if got := tt.release.InExtendedSupport(day); got != tt.extended {
			t.Errorf("in extended support on %s: %t, want %t", tt.day, got, tt.extended)
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2025, time.January, 1+rapid.IntRange(0, 1200).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		day := releases.DateOf(start)
		if dated.InSupport(day, 0) && dated.InExtendedSupport(day) {
			t.Fatalf("on %s, standard and extended support overlap", day)
		}
		days := rapid.IntRange(0, 500).Draw(t, "days")
		if dated.InSupport(day, days) && !dated.InSupport(releases.DateOf(start.AddDate(0, 0, days)), 0) {
			t.Fatalf("in support on %s and for %d days, but not on the last of them", day, days)
		}
	})
}

// TestCompareComponents checks that Kubernetes components come first, in their usual
// order.
func TestCompareComponents(t *testing.T) {
	got := []string{"istiod", "kubelet", "cilium", "kube-scheduler", "kubectl", "kube-apiserver"}
	slices.SortFunc(got, CompareComponents)
	if diff := cmp.Diff([]string{"kube-apiserver", "kube-scheduler", "kubelet", "kubectl", "cilium", "istiod"}, got); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
}
