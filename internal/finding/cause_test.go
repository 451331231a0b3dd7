// SPDX-License-Identifier: MPL-2.0

package finding_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
)

// at returns a finding on a component at one location, compared with a kube-apiserver.
func at(t testing.TB, location, v, reference string, cause finding.Cause) finding.Finding {
	t.Helper()
	f := finding.Finding{
		RuleID:   "rule",
		Severity: policy.SeverityError,
		Subject:  finding.Side{Component: "kubelet", Version: skewtest.Version(t, v), Locations: []finding.Location{finding.AtKey(finding.NodePools, location)}},
		Cause:    cause,
	}
	if reference != "" {
		f.Reference = finding.Side{Component: "kube-apiserver", Version: skewtest.Version(t, reference), Locations: []finding.Location{finding.AtAttribute(finding.ControlPlaneVersion)}}
	}
	return f
}

// TestOneProblem checks that findings of one kind are one problem if their texts name
// the same minors. Patches and locations may differ, except for requirements, which can
// name patches.
func TestOneProblem(t *testing.T) {
	v := func(s string) finding.Move {
		return finding.Move{Change: finding.Change{From: skewtest.Version(t, s), To: skewtest.Version(t, "1.34")}}
	}
	held := func(s string) finding.Finding { return at(t, s, s, "1.33", &finding.Held{}) }
	mismatch := func(r finding.Relation) *finding.Mismatch { return &finding.Mismatch{Relation: r} }
	waived := func(f finding.Finding, name string) finding.Finding {
		f.WaivedBy = &finding.Waiver{Name: name}
		return f
	}
	planned := func(f finding.Finding) finding.Finding { f.Planned = true; return f }
	warning := func(f finding.Finding) finding.Finding { f.Severity = policy.SeverityWarning; return f }
	spread := func(v, reference string) finding.Finding {
		f := at(t, v, v, reference, mismatch(finding.TooOld))
		f.Reference.Component = f.Subject.Component
		return f
	}
	for _, tt := range []struct {
		name string
		a, b finding.Finding
		want bool
	}{
		{"mismatch at patches of one minor", at(t, "a", "1.27.1", "1.31.1", mismatch(finding.TooOld)), at(t, "b", "1.27.9", "1.31.4", mismatch(finding.TooOld)), true},
		{"mismatch at two minors", at(t, "a", "1.26", "1.31", mismatch(finding.TooOld)), at(t, "b", "1.27", "1.31", mismatch(finding.TooOld)), false},
		{"mismatch in two directions", at(t, "a", "1.31", "1.31", mismatch(finding.TooOld)), at(t, "b", "1.31", "1.31", mismatch(finding.TooNew)), false},
		{"mismatch before and during an upgrade", at(t, "a", "1.28", "1.31", mismatch(finding.TooOld)), at(t, "b", "1.28", "1.31", &finding.Mismatch{Relation: finding.TooOld, DuringUpgrade: true}), false},
		{"instances of one component too far apart", spread("1.26", "1.31"), spread("1.27", "1.31"), true},
		{"requirement of two patches", at(t, "a", "1.31.1", "1.22", mismatch(finding.Unmet)), at(t, "b", "1.31.2", "1.22", mismatch(finding.Unmet)), false},
		{"requirement of one patch", at(t, "a", "1.31.1", "1.22", mismatch(finding.Unmet)), at(t, "b", "1.31.1", "1.22", mismatch(finding.Unmet)), true},
		{"declared and planned versions", at(t, "a", "1.27", "1.31", mismatch(finding.TooOld)), planned(at(t, "b", "1.27", "1.31", mismatch(finding.TooOld))), false},
		{"an error and a warning", at(t, "a", "1.27", "1.31", mismatch(finding.TooOld)), warning(at(t, "b", "1.27", "1.31", mismatch(finding.TooOld))), false},
		{"waived and not", at(t, "a", "1.27", "1.31", mismatch(finding.TooOld)), waived(at(t, "b", "1.27", "1.31", mismatch(finding.TooOld)), "w"), false},
		{"waived by two waivers", waived(at(t, "a", "1.27", "1.31", mismatch(finding.TooOld)), "v"), waived(at(t, "b", "1.27", "1.31", mismatch(finding.TooOld)), "w"), false},

		{"step limit to patches of one minor", at(t, "a", "1.34.1", "1.31", &finding.StepLimit{}), at(t, "b", "1.34.2", "1.31", &finding.StepLimit{}), true},
		{"step limit from two minors", at(t, "a", "1.34", "1.31", &finding.StepLimit{}), at(t, "b", "1.34", "1.32", &finding.StepLimit{}), false},
		{"step order from patches of one minor", at(t, "a", "1.34", "1.34", &finding.StepOrder{FromSubject: skewtest.Version(t, "1.30.1")}), at(t, "b", "1.34", "1.34", &finding.StepOrder{FromSubject: skewtest.Version(t, "1.30.2")}), true},
		{"step order from two minors", at(t, "a", "1.34", "1.34", &finding.StepOrder{FromSubject: skewtest.Version(t, "1.30")}), at(t, "b", "1.34", "1.34", &finding.StepOrder{FromSubject: skewtest.Version(t, "1.31")}), false},
		{"apply order with one first move", at(t, "a", "1.30", "1.34", &finding.ApplyOrder{Intermediate: mismatch(finding.TooOld), First: v("1.33")}), at(t, "b", "1.30", "1.34", &finding.ApplyOrder{Intermediate: mismatch(finding.TooOld), First: v("1.33.4")}), true},
		{"apply order with two first moves", at(t, "a", "1.30", "1.34", &finding.ApplyOrder{Intermediate: mismatch(finding.TooOld), First: v("1.32")}), at(t, "b", "1.30", "1.34", &finding.ApplyOrder{Intermediate: mismatch(finding.TooOld), First: v("1.33")}), true},
		{"apply order in two directions", at(t, "a", "1.30", "1.34", &finding.ApplyOrder{Intermediate: mismatch(finding.TooOld)}), at(t, "b", "1.30", "1.34", &finding.ApplyOrder{Intermediate: mismatch(finding.TooNew)}), false},
		{"held at patches of one minor", held("1.30.1"), held("1.30.2"), true},
		{"held at two minors", held("1.30"), held("1.31"), false},

		{"end of life of one minor", at(t, "a", "1.30.1", "", &finding.EndOfLife{}), at(t, "b", "1.30.2", "", &finding.EndOfLife{}), true},
		{"end of life of two minors", at(t, "a", "1.30", "", &finding.EndOfLife{}), at(t, "b", "1.31", "", &finding.EndOfLife{}), false},
		{"not available and end of life", at(t, "a", "1.30", "", &finding.NotAvailable{}), at(t, "a", "1.30", "", &finding.EndOfLife{}), false},
		{"pre-releases of one minor", at(t, "a", "1.30.0-rc.1", "", &finding.Prerelease{}), at(t, "b", "1.30.0-rc.2", "", &finding.Prerelease{}), true},
		{"pre-release and end of life", at(t, "a", "1.30.0-rc.1", "", &finding.Prerelease{}), at(t, "a", "1.30.0-rc.1", "", &finding.EndOfLife{}), false},
		{"latest patch of one minor", at(t, "a", "1.31.1", "", &finding.LatestPatch{Latest: skewtest.Version(t, "1.30.9")}), at(t, "b", "1.31.2", "", &finding.LatestPatch{Latest: skewtest.Version(t, "1.30.9")}), true},
		{"latest patch of two minors", at(t, "a", "1.31", "", &finding.LatestPatch{Latest: skewtest.Version(t, "1.30.9")}), at(t, "b", "1.31", "", &finding.LatestPatch{Latest: skewtest.Version(t, "1.29.9")}), false},
		{"webhooks with one match policy", at(t, "a", "1.31", "", &finding.Webhook{MatchPolicy: "Exact"}), at(t, "b", "1.31", "", &finding.Webhook{MatchPolicy: "Exact"}), true},
		{"webhooks with and without a match policy", at(t, "a", "1.31", "", &finding.Webhook{MatchPolicy: "Exact"}), at(t, "b", "1.31", "", &finding.Webhook{}), false},
		{"webhooks on the way from two minors", at(t, "a", "1.31", "", &finding.Webhook{From: skewtest.Version(t, "1.30")}), at(t, "b", "1.31", "", &finding.Webhook{From: skewtest.Version(t, "1.29")}), false},
		{"blocking one next minor", at(t, "a", "1.28.1", "1.32", &finding.NextMinor{}), at(t, "b", "1.28.2", "1.32", &finding.NextMinor{}), true},
		{"blocking two next minors", at(t, "a", "1.28", "1.32", &finding.NextMinor{}), at(t, "b", "1.28", "1.33", &finding.NextMinor{}), false},
		{"moves from one minor", at(t, "a", "1.31.1", "", &finding.MinorMove{From: skewtest.Version(t, "1.30.1")}), at(t, "b", "1.31.2", "", &finding.MinorMove{From: skewtest.Version(t, "1.30.2")}), true},
		{"moves from two minors", at(t, "a", "1.31", "", &finding.MinorMove{From: skewtest.Version(t, "1.30")}), at(t, "b", "1.31", "", &finding.MinorMove{From: skewtest.Version(t, "1.29")}), false},
	} {
		problems := finding.Group([]finding.Finding{tt.a, tt.b})
		if got := len(problems) == 1; got != tt.want {
			t.Errorf("%s: one problem %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestKindsOfCausesAreDifferentProblems checks that findings with different kinds of
// causes are never one problem, even with the same versions.
func TestKindsOfCausesAreDifferentProblems(t *testing.T) {
	var findings []finding.Finding
	for _, c := range skewtest.Causes(t) {
		findings = append(findings, at(t, "a", "1.31", "1.31", c))
	}
	if got := len(finding.Group(findings)); got != len(findings) {
		t.Errorf("%d problems of %d kinds of causes", got, len(findings))
	}
}

// TestCauses checks that skewtest.Causes, which tests of texts use, has every kind: each
// type of this package with a method terms.
func TestCauses(t *testing.T) {
	var want, got []string
	for _, name := range []string{"cause.go", "problem.go", "similar.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "terms" && f.Recv != nil {
				if of, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
					want = append(want, fmt.Sprintf("*finding.%s", of.X))
				}
			}
		}
	}
	for _, c := range skewtest.Causes(t) {
		got = append(got, fmt.Sprintf("%T", c))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types with a method terms (-) and types of skewtest.Causes (+):\n%s", diff)
	}
}

// TestOfStep checks that a finding is about a step if it depends on the versions before
// it. Only such a finding can be caused by an outdated state.
func TestOfStep(t *testing.T) {
	ofStep := []string{"*finding.StepLimit", "*finding.StepOrder", "*finding.ApplyOrder", "*finding.NotOffered", "*finding.LatestPatch", "*finding.Webhook", "*finding.MinorMove"}
	for _, c := range skewtest.Causes(t) {
		kind := fmt.Sprintf("%T", c)
		if got, want := c.OfStep(), slices.Contains(ofStep, kind); got != want {
			t.Errorf("%s: about a step %t, want %t", kind, got, want)
		}
	}
	if !(&finding.Mismatch{DuringUpgrade: true}).OfStep() {
		t.Error("a mismatch during an upgrade is not about a step")
	}
}

// TestOrderWithinProblem checks that the largest distance comes first, and that findings
// without a distance keep their order.
func TestOrderWithinProblem(t *testing.T) {
	spread := func(v string) finding.Finding {
		f := at(t, v, v, "1.33", &finding.Mismatch{Relation: finding.TooOld})
		f.Reference.Component = f.Subject.Component
		return f
	}
	moves := func(name string) finding.Finding { return at(t, name, "1.34", "1.31", &finding.StepLimit{}) }
	for _, tt := range []struct {
		findings []finding.Finding
		want     []string
	}{
		{[]finding.Finding{spread("1.30"), spread("1.28"), spread("1.29")}, []string{`node_pools["1.28"]`, `node_pools["1.29"]`, `node_pools["1.30"]`}},
		{[]finding.Finding{moves("b"), moves("a"), moves("c")}, []string{`node_pools["b"]`, `node_pools["a"]`, `node_pools["c"]`}},
	} {
		var got []string
		for _, f := range finding.Group(tt.findings)[0].Findings {
			got = append(got, f.Subject.Locations[0].String())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("findings of a problem (-want +got):\n%s", diff)
		}
	}
}

// TestProblemLocations checks that each location of the subjects and of the references is
// listed once, in the order of the attributes.
func TestProblemLocations(t *testing.T) {
	pool := func(name string) finding.Location { return finding.AtKey(finding.NodePools, name) }
	cp := func(name string) finding.Location { return finding.AtKey(finding.ControlPlane, name) }
	f := func(subject, reference []finding.Location) finding.Finding {
		return finding.Finding{Subject: finding.Side{Locations: subject}, Reference: finding.Side{Locations: reference}}
	}
	p := finding.Problem{Findings: []finding.Finding{
		f([]finding.Location{pool("b"), pool("c")}, []finding.Location{cp("y")}),
		f([]finding.Location{pool("a"), pool("b"), cp("z")}, []finding.Location{cp("x"), cp("y")}),
	}}
	if diff := cmp.Diff([]finding.Location{cp("z"), pool("a"), pool("b"), pool("c")}, p.Locations()); diff != "" {
		t.Errorf("locations (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]finding.Location{cp("x"), cp("y")}, p.References()); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}
