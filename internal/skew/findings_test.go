// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// TestFindingsCollectLocations checks that locations with the same versions share a
// finding.
func TestFindingsCollectLocations(t *testing.T) {
	c := skewtest.Cluster(t, `managed: 1.31.2; node_pools.c: kubelet=1.27.16; node_pools.a: kubelet=1.27.16 kube-proxy=1.30;
		node_pools.b: kubelet=1.27.15; node_pools.ok: kubelet=1.28`)
	findings := skew.Findings(skewtest.Kubernetes(t), c)
	var got []string
	for _, f := range findings {
		got = append(got, fmt.Sprintf("%s %s %v next to %s %v allows %s", f.RuleID, f.Subject.Version, f.Subject.Locations, f.Reference.Version, f.Reference.Locations, f.Allowed.Constraint()))
	}
	want := []string{
		`kubelet-apiserver 1.27.15 [node_pools["b"]] next to 1.31.2 [control_plane_version] allows >= 1.28, < 1.32`,
		`kubelet-apiserver 1.27.16 [node_pools["a"] node_pools["c"]] next to 1.31.2 [control_plane_version] allows >= 1.28, < 1.32`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSkewWithinComponentIsOneFinding checks that a violation between two instances of
// one component is only reported for the older one.
func TestSkewWithinComponentIsOneFinding(t *testing.T) {
	c := skewtest.Cluster(t, "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.29; control_plane.c: kube-apiserver=1.30")
	findings := skew.Findings(skewtest.Kubernetes(t), c)
	if len(findings) != 1 || findings[0].Subject.Version.String() != "1.29" || findings[0].Reference.Version.String() != "1.31" {
		t.Errorf("got %+v, want one finding on the older instance", findings)
	}
}

// TestSkewWithinComponentOfSeveralInstances checks that instances at the same version do
// not limit each other, because they move together.
func TestSkewWithinComponentOfSeveralInstances(t *testing.T) {
	c := skewtest.Cluster(t, "control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.29; control_plane.c: kube-apiserver=1.31")
	findings := skew.Findings(skewtest.Kubernetes(t), c)
	if len(findings) != 1 || findings[0].Allowed.Constraint() != ">= 1.30, < 1.33" || len(findings[0].Subject.Locations) != 2 {
		t.Errorf("got %+v, want one finding on a and b, with 1.30 to 1.32 allowed", findings)
	}
}

// TestSkewWithinComponentWithOneLimit checks rules that compare a component with itself
// and have only one limit.
func TestSkewWithinComponentWithOneLimit(t *testing.T) {
	one := 1
	c := skewtest.Cluster(t, "components.a.0: a=1.31; components.a.1: a=1.29")
	for limits, want := range map[policy.Limits]string{{MaxNewer: &one}: "1.31", {MaxOlder: &one}: "1.29"} {
		p := &policy.Policy{PairRules: []*policy.PairRule{{ID: "a", Subject: "a", Reference: "a", Scope: policy.ScopeCluster, Limits: limits}}}
		findings := skew.Findings(p, c)
		if len(findings) != 1 || findings[0].Subject.Version.String() != want {
			t.Errorf("got %+v, want one finding on %s", findings, want)
		}
	}
}

// TestFindingsOfManyVersions checks that the number of findings of a rule is bounded, that
// every instance that violates it is named nevertheless, and that a finding shared by many
// pairs names the reference that is furthest away.
func TestFindingsOfManyVersions(t *testing.T) {
	const n = 120
	one := 1
	p := &policy.Policy{PairRules: []*policy.PairRule{{ID: "a", Subject: "a", Reference: "a", Scope: policy.ScopeCluster, Limits: policy.Limits{MaxNewer: &one, MaxOlder: &one}}}}
	var c skew.Cluster
	for i := range n {
		c.Places = append(c.Places, skew.Place{
			Location:  finding.AtKey(finding.NodePools, fmt.Sprintf("%03d", i)),
			Instances: []skew.Instance{{Component: "a", Version: skewtest.Version(t, fmt.Sprintf("1.%d", i))}},
		})
	}
	findings := skew.Findings(p, c)
	if most := 2000 + n; len(findings) > most {
		t.Errorf("%d findings, want at most %d", len(findings), most)
	}
	older := map[string]int{} // by version, the minor of the newest reference
	for _, f := range findings {
		for _, l := range f.Reference.Locations {
			if want := finding.AtKey(finding.NodePools, fmt.Sprintf("%03d", f.Reference.Version.Minor().Minor)); l != want {
				t.Errorf("the reference %s is at %s, want %s", f.Reference.Version, l, want)
			}
		}
		older[f.Subject.Version.String()] = max(older[f.Subject.Version.String()], f.Reference.Version.Minor().Minor)
	}
	for i := range n - 2 {
		if got := older[fmt.Sprintf("1.%d", i)]; got != n-1 {
			t.Errorf("the newest reference that 1.%d is too old for is 1.%d, want 1.%d", i, got, n-1)
		}
	}
}

// TestUnknownVersions checks that unknown versions are not compared.
func TestUnknownVersions(t *testing.T) {
	for _, text := range []string{"managed: 1.31; node_pools.x: kubelet=1.99 kube-proxy=1.99", "managed: 1.99; node_pools.x: kubelet=1.31; kubectl.0: kubectl=1.31"} {
		c := skewtest.Cluster(t, text)
		for _, p := range c.Places {
			for i := range p.Instances {
				if p.Instances[i].Version.String() == "1.99" {
					p.Instances[i].Version = version.Version{}
				}
			}
		}
		if findings := skew.Findings(skewtest.Kubernetes(t), c); len(findings) > 0 {
			t.Errorf("%s, with unknown versions instead of 1.99: %+v", text, findings)
		}
	}
}

// TestNewest checks the newest version of a component, also with unknown versions.
func TestNewest(t *testing.T) {
	unknown := skew.Place{Location: finding.AtKey(finding.ControlPlane, "u"), Instances: []skew.Instance{{Component: "kube-apiserver"}}}
	for _, tt := range []struct {
		cluster string
		more    []skew.Place
		partial bool
		want    string
	}{
		{"control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.31.2; control_plane.c: kube-apiserver=1.31.1", nil, false, "1.31.2"},
		{"control_plane.a: kube-apiserver=1.31.2+a; control_plane.b: kube-apiserver=1.31.2+b", nil, false, "1.31.2+a"},
		{"control_plane.a: kube-apiserver=1.30; control_plane.b: kube-scheduler=1.31", nil, false, "1.30"},
		{"node_pools.x: kubelet=1.30", nil, false, ""},
		{"control_plane.a: kube-apiserver=1.30", []skew.Place{unknown}, false, ""},
		{"control_plane.a: kube-apiserver=1.30", nil, true, ""},
	} {
		c := skewtest.Cluster(t, tt.cluster)
		c.Places, c.Partial = append(c.Places, tt.more...), tt.partial
		if got := c.Newest("kube-apiserver").String(); got != tt.want {
			t.Errorf("%s, and %v: newest is %q, want %q", tt.cluster, tt.more, got, tt.want)
		}
	}
}

// TestIsUnwaivedError checks all severities, with and without a waiver.
func TestIsUnwaivedError(t *testing.T) {
	for _, severity := range policy.Severities {
		for _, w := range []*finding.Waiver{nil, {}} {
			f := finding.Finding{Severity: severity, WaivedBy: w}
			if want := severity == policy.SeverityError && w == nil; f.IsUnwaivedError() != want {
				t.Errorf("%s, waived %t: %t", severity, w != nil, f.IsUnwaivedError())
			}
		}
	}
}

// TestOrderOfFindings sorts findings: worst first, then by rule, component, version and
// location.
func TestOrderOfFindings(t *testing.T) {
	side := func(component, v string, at ...finding.Location) finding.Side {
		return finding.Side{Component: component, Version: skewtest.Version(t, v), Locations: at}
	}
	pool := func(name string) finding.Location { return finding.AtKey(finding.NodePools, name) }
	want := []finding.Finding{
		{Severity: policy.SeverityError, RuleID: "b"},
		{Severity: policy.SeverityWarning, RuleID: "a", Subject: side("a", "1.31", pool("b"))},
		{Severity: policy.SeverityWarning, RuleID: "a", Subject: side("b", "1.30", pool("b"))},
		{Severity: policy.SeverityWarning, RuleID: "a", Subject: side("b", "1.31", pool("b"))},
		{Severity: policy.SeverityWarning, RuleID: "a", Subject: side("b", "1.31.0+a", pool("a")), Reference: side("c", "1.32")},
		{Severity: policy.SeverityWarning, RuleID: "a", Subject: side("b", "1.31.0+a", pool("a")), Reference: side("c", "1.33")},
		{Severity: policy.SeverityWarning, RuleID: "a", Subject: side("b", "1.31.0+a", pool("b")), Reference: side("c", "1.30")},
		{Severity: policy.SeverityWarning, RuleID: "a", Subject: side("b", "1.31.0+b", pool("a"))},
		{Severity: policy.SeverityWarning, RuleID: "b"},
		{Severity: policy.SeverityInfo, RuleID: "a"},
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	finding.Sort(got)
	if spell := func(all []finding.Finding) string { return fmt.Sprint(all) }; spell(got) != spell(want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

// TestOrderOfLocations sorts locations by attribute, key and index.
func TestOrderOfLocations(t *testing.T) {
	want := []finding.Location{
		finding.AtAttribute(finding.ControlPlaneVersion), finding.AtKey(finding.ControlPlane, "a"), finding.AtKey(finding.ControlPlane, "b"), finding.AtKey(finding.NodePools, "a"),
		finding.AtIndex(finding.Kubectl, "", 0), finding.AtIndex(finding.Kubectl, "", 1), finding.AtIndex(finding.Components, "a", 1), finding.AtIndex(finding.Components, "b", 0),
		finding.AtKey(finding.AdmissionWebhooks, "a"),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, finding.Location.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	const spelled = `[control_plane_version control_plane["a"] control_plane["b"] node_pools["a"] kubectl[0] kubectl[1] components["a"][1] components["b"][0] admission_webhooks["a"]]`
	if fmt.Sprint(want) != spelled {
		t.Errorf("got %v, want %s", want, spelled)
	}
}

// TestMajorsAreNotComparable checks that different majors are a finding.
func TestMajorsAreNotComparable(t *testing.T) {
	c := skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=2.31")
	findings := skew.Findings(skewtest.Kubernetes(t), c)
	if len(findings) != 1 || findings[0].Cause.(*finding.Mismatch).Relation != finding.Incomparable {
		t.Errorf("got %+v, want one incomparable pair", findings)
	}
}

// TestAllowedVersions checks the versions that a component may have if all others stay
// unchanged.
func TestAllowedVersions(t *testing.T) {
	for _, tt := range []struct{ cluster, component, want string }{
		{"managed: 1.31", "kubelet", ">= 1.28, < 1.32"},
		{"managed: 1.31", "kubectl", ">= 1.30, < 1.33"},
		{"managed: 1.31", "kube-apiserver", ">= 1.31, < 1.33"}, // the controllers stay at 1.31
		{"control_plane.a: kube-apiserver=1.31; node_pools.x: kubelet=1.30; node_pools.y: kubelet=1.29", "kube-apiserver", ">= 1.30, < 1.33"},
		{"control_plane.a: kube-apiserver=1.29; control_plane.b: kube-apiserver=1.31; node_pools.x: kubelet=1.30", "kube-apiserver", ">= 1.30, < 1.34"}, // they move together
		{"managed: 1.31; node_pools.x: kubelet=1.28 kube-proxy=1.28", "kubelet", ">= 1.28, < 1.32"},
		{"managed: 1.31; node_pools.x: kubelet=1.28 kube-proxy=1.26", "kubelet", ">= 1.28, < 1.30"},
		{"managed: 1.27; node_pools.x: kubelet=1.24", "kubelet", ">= 1.25, < 1.28"},
		{"managed: 1.2", "kubelet", ">= 1.0, < 1.3"},
		{"kubectl.0: kubectl=1.31", "kubelet", ">= 0"},
		{"managed: 1.31; components.istiod.0: istiod=1.23", "istiod", ">= 0"},
		{"control_plane.a: kube-apiserver=1.25; control_plane.b: kube-apiserver=1.31", "kubelet", "< 0"},
		{"control_plane.a: kube-apiserver=1.25; control_plane.b: kube-apiserver=2.25", "kubelet", "< 0"},
	} {
		window, asked := skew.AllowedVersions(skewtest.Kubernetes(t), skewtest.Cluster(t, tt.cluster))[tt.component]
		if got := window.Constraint(); got != tt.want || !asked {
			t.Errorf("%s: %s allowed at %q, want %q", tt.cluster, tt.component, got, tt.want)
		}
	}
}

// TestComparePatch checks that patches are only compared at the newest allowed minor,
// and only if both are declared.
func TestComparePatch(t *testing.T) {
	zero, one, yes := 0, 1, true
	for _, tt := range []struct {
		newer              *int
		subject, reference string
		want               finding.Relation
	}{
		{&zero, "1.31.4", "1.31.4", finding.Within},
		{&zero, "1.31.4", "1.31.3", finding.TooNew},
		{&zero, "1.31.3", "1.31.4", finding.Within},
		{&zero, "1.30.9", "1.31.4", finding.Within},
		{&zero, "1.31.4", "1.31", finding.Within},
		{&zero, "1.31", "1.31.4", finding.Within},
		{&zero, "1.31", "1.31", finding.Within},
		{&one, "1.31.4", "1.31.3", finding.Within},
		{&one, "1.32.4", "1.31.3", finding.TooNew},
		{nil, "1.32.4", "1.31.3", finding.Within},
	} {
		r := &policy.PairRule{ComparePatch: &yes, Limits: policy.Limits{MaxNewer: tt.newer}}
		if got := skew.Check(r, skewtest.Version(t, tt.subject), skewtest.Version(t, tt.reference)); got != tt.want {
			t.Errorf("%s next to %s: %v, want %v", tt.subject, tt.reference, got, tt.want)
		}
	}
}

// TestSitesMergeEqualPlaces checks that places only share a site if they have the same
// instances and reach the same references.
func TestSitesMergeEqualPlaces(t *testing.T) {
	zero := 0
	p := &policy.Policy{PairRules: []*policy.PairRule{{ID: "a-b", Subject: "a", Reference: "b", Scope: policy.ScopeEndpoint, Limits: policy.Limits{MaxNewer: &zero}}}}
	c := skewtest.Cluster(t, "control_plane.x: a=1.31 b=1.31; node_pools.x: a=1.31 b=1.31; control_plane.y: b=1.30")
	c.LocalEndpoint = true
	if f := skew.Findings(p, c); len(f) != 1 || fmt.Sprint(f[0].Subject.Locations) != `[node_pools["x"]]` {
		t.Errorf("got %+v, want only the node pool, because it has no local endpoint", f)
	}

	c = skewtest.Cluster(t, "node_pools.x: a=1.3 0b=1.3; node_pools.y: a=1.30 b=1.3")
	if f := skew.Findings(p, c); len(f) != 1 || fmt.Sprint(f[0].Subject.Locations) != `[node_pools["y"]]` {
		t.Errorf("got %+v, want only the second node pool", f)
	}

	c = skewtest.Cluster(t, "node_pools.x: av=1.30 b=1.3; node_pools.y: a=v1.30 b=1.3")
	if f := skew.Findings(p, c); len(f) != 1 || fmt.Sprint(f[0].Subject.Locations) != `[node_pools["y"]]` {
		t.Errorf("got %+v, want only the second node pool", f)
	}
}

// TestScopes checks each scope on an instance with a local endpoint.
func TestScopes(t *testing.T) {
	zero := 0
	c := skewtest.Cluster(t, "control_plane.x: a=1.31 b=1.31; control_plane.y: b=1.30")
	c.LocalEndpoint = true
	for scope, want := range map[policy.Scope]int{policy.ScopeCluster: 1, policy.ScopeEndpoint: 0, policy.ScopeNode: 0} {
		p := &policy.Policy{PairRules: []*policy.PairRule{{ID: "a-b", Subject: "a", Reference: "b", Scope: scope, Limits: policy.Limits{MaxNewer: &zero}}}}
		if f := skew.Findings(p, c); len(f) != want {
			t.Errorf("%s: got %+v, want %d findings", scope, f, want)
		}
	}
}

// TestWindowOfOneRule checks the windows of rules with one limit, with conditions that
// move a limit, and with requirements that exclude minors.
func TestWindowOfOneRule(t *testing.T) {
	limit := func(n int) *int { return &n }
	constraint := func(s string) (c version.Constraint) {
		if s != "" {
			var err error
			if c, err = version.ParseConstraint(s); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	old := constraint("< 1.25")
	needs := func(when, require string) *policy.PairRule {
		return &policy.PairRule{Requirement: &policy.Requirement{When: constraint(when), Require: constraint(require)}}
	}
	for _, tt := range []struct {
		rule           *policy.PairRule
		otherIsSubject bool
		want, except   string
	}{
		{&policy.PairRule{Limits: policy.Limits{MaxOlder: limit(3)}}, false, ">= 1.24, < 2.0", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxOlder: limit(3)}}, true, ">= 1.0, < 1.31", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxNewer: limit(0)}}, false, ">= 1.0, < 1.28", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxNewer: limit(0)}}, true, ">= 1.27, < 2.0", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxOlder: limit(3)}, Conditions: []policy.Condition{{Subject: old, Limits: policy.Limits{MaxOlder: limit(2)}}}}, false, ">= 1.25, < 2.0", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Subject: old, Limits: policy.Limits{MaxOlder: limit(1)}}}}, false, ">= 1.25, < 2.0", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Subject: old, Limits: policy.Limits{MaxOlder: limit(1)}}}}, true, ">= 1.0, < 2.0", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Subject: constraint(">= 1.22, < 1.25"), Limits: policy.Limits{MaxOlder: limit(4)}}}}, false, ">= 1.23, < 2.0", "[1.22]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Reference: constraint(">= 1.27"), Limits: policy.Limits{MaxOlder: limit(5), MaxNewer: limit(1)}}}}, false, ">= 1.22, < 1.29", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Reference: constraint(">= 1.27"), Limits: policy.Limits{MaxOlder: limit(5)}}}}, true, ">= 1.0, < 1.33", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Subject: constraint("< 2.0"), Limits: policy.Limits{MaxOlder: limit(3)}}}}, false, ">= 1.24, < 2.0", "[]"},
		{&policy.PairRule{}, false, ">= 1.0, < 2.0", "[]"},

		// the subject, with a reference at 1.27
		{needs(">= 1.5", ">= 1.28"), false, "< 1.5", "[]"},
		{needs("< 1.5", ">= 1.28"), false, ">= 1.5", "[]"},
		{needs(">= 1.5, < 1.9", ">= 1.28"), false, ">= 1.9", "[1.5 1.6 1.7 1.8]"},
		{needs("!= 1.5", ">= 1.28"), false, ">= 1.5.0, < 1.5.1", "[]"},
		{needs("", ">= 1.28"), false, "< 0", "[]"},
		{needs(">= 1.5", "< 1.28"), false, ">= 0", "[]"},
		// the reference, with a subject at 1.27
		{needs(">= 1.27", ">= 1.5"), true, ">= 1.5", "[]"},
		{needs(">= 1.27", "< 1.5"), true, "< 1.5", "[]"},
		{needs(">= 1.27", ">= 1.5, < 1.9, != 1.6, != 1.7"), true, ">= 1.8, < 1.9", "[1.6 1.7]"},
		{needs(">= 1.27", "!= 1.5"), true, ">= 1.6", "[1.5]"},
		{needs(">= 1.28", "< 1.5"), true, ">= 0", "[]"},
		{needs(">= 1.27", ">= 2.0"), true, ">= 2.0", "[]"},
		{needs(">= 1.27", "< 2.0"), true, "< 2.0", "[2.0 2.1]"}, // the last minor of major 1 is unknown
		{needs(">= 1.27", ">= 1.5, < 2.0"), true, ">= 1.5, < 2.0", "[2.0 2.1]"},
		{needs(">= 1.27", ">= 1.0"), true, ">= 1.0", "[]"},
		{needs(">= 1.27", ">= 0"), true, ">= 0", "[]"},
		{needs(">= 1.27", ">= 1.5, < 3.2"), true, ">= 1.5, < 3.2", "[]"},
		{needs(">= 1.27", ">= 1.0, < 1.999999999"), true, ">= 1.0, < 1.999999999", "[]"}, // must not take long
	} {
		w := skew.WindowOf([]skew.Bound{{Rule: tt.rule, Other: skewtest.Version(t, "1.27"), OtherIsSubject: tt.otherIsSubject}})
		for n := range 40 {
			m := version.Minor{Major: 1, Minor: n}
			subject, reference := m.Version(), skewtest.Version(t, "1.27")
			if tt.otherIsSubject {
				subject, reference = reference, subject
			}
			tt.rule.ID = "rule"
			if sound := skew.Check(tt.rule, subject, reference) == finding.Within; w.Contains(m) != sound {
				t.Errorf("%+v %+v, other is subject %t: %s allowed: %t", tt.rule.Limits, tt.rule.Requirement, tt.otherIsSubject, m, sound)
			}
		}
		if short := w.Minimum != nil && w.Maximum != nil && w.Maximum.Minor < 100 && w.Minimum.Major == w.Maximum.Major; short != (len(w.Minors) > 0) {
			t.Errorf("%+v %+v: minors are %v", tt.rule.Limits, tt.rule.Requirement, w.Minors)
		}
		if w.Constraint() != tt.want || fmt.Sprint(w.Except) != tt.except {
			t.Errorf("%+v %+v, other is subject %t: %q except %v, want %q except %s", tt.rule.Limits, tt.rule.Requirement, tt.otherIsSubject, w.Constraint(), w.Except, tt.want, tt.except)
		}
	}
}

// TestEveryFieldHasAnEffect checks that each field of a pair rule changes the result of
// Check for some versions, unless it selects the instances that Check compares.
func TestEveryFieldHasAnEffect(t *testing.T) {
	p, err := policy.Parse(`{
		"skew_rules": {
			"skew": {"subject": "a", "reference": "b", "scope": "cluster", "max_newer": 1, "max_older": 3, "compare_patch": true, "conditions": [{"subject": "< 1.25", "max_older": 2}]},
			"during": {"subject": "a", "reference": "b", "scope": "cluster", "max_older": 3, "max_older_during_upgrade": 1}
		},
		"requirement_rules": {"required": {"when": {"component": "a", "version": "< 1.25"}, "require": {"component": "b", "version": ">= 1.26"}}}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	results := func(r *policy.PairRule) (all []finding.Relation) {
		for _, subject := range someVersions(t) {
			for _, reference := range someVersions(t) {
				all = append(all, skew.Check(r, subject, reference), skew.Check(r.DuringUpgrade(), subject, reference))
			}
		}
		return all
	}
	effective := map[string]bool{}
	for _, r := range p.PairRules {
		usual := results(r)
		for _, field := range reflect.VisibleFields(reflect.TypeFor[policy.PairRule]()) {
			if _, note := reflect.TypeFor[policy.Notes]().FieldByName(field.Name); note || field.Anonymous {
				continue
			}
			other := *r
			reflect.ValueOf(&other).Elem().FieldByIndex(field.Index).SetZero()
			effective[field.Name] = effective[field.Name] || !slices.Equal(results(&other), usual)
		}
	}
	for field, ok := range effective {
		if !ok && !slices.Contains([]string{"ID", "Subject", "Reference", "Scope"}, field) {
			t.Errorf("Check in pair.go ignores %s, or no rule above sets it", field)
		}
	}
}

// someVersions returns a few patches of a few minors.
func someVersions(t *testing.T) (all []version.Version) {
	t.Helper()
	for minor := 22; minor <= 27; minor++ {
		for patch := range 5 {
			all = append(all, skewtest.Version(t, fmt.Sprintf("1.%d.%d", minor, patch)))
		}
	}
	return all
}
