package skew_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

func TestFindingsGatherLocations(t *testing.T) {
	c := skewtest.Cluster(t, `managed: 1.31.2; node_pools.c: kubelet=1.27.16; node_pools.a: kubelet=1.27.16 kube-proxy=1.30;
		node_pools.b: kubelet=1.27.15; node_pools.ok: kubelet=1.28`)
	findings := skew.Evaluate(skewtest.Kubernetes(t), c)
	var got []string
	for _, f := range findings {
		got = append(got, fmt.Sprintf("%s %s %v beside %s %v allows %s", f.RuleID, f.Subject.Version, f.Subject.Locations, f.Reference.Version, f.Reference.Locations, f.Allowed.Constraint()))
	}
	want := []string{
		`kubelet-apiserver 1.27.15 [node_pools["b"]] beside 1.31.2 [control_plane_version] allows >= 1.28, < 1.32`,
		`kubelet-apiserver 1.27.16 [node_pools["a"] node_pools["c"]] beside 1.31.2 [control_plane_version] allows >= 1.28, < 1.32`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSpreadIsOneFinding(t *testing.T) {
	c := skewtest.Cluster(t, "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.29; control_plane.c: kube-apiserver=1.30")
	findings := skew.Evaluate(skewtest.Kubernetes(t), c)
	if len(findings) != 1 || findings[0].Subject.Version.String() != "1.29" || findings[0].Reference.Version.String() != "1.31" {
		t.Errorf("got %+v, want the one pair that is too far apart, seen from the older instance", findings)
	}
}

func TestMajorsAreNotComparable(t *testing.T) {
	c := skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=2.31")
	findings := skew.Evaluate(skewtest.Kubernetes(t), c)
	if len(findings) != 1 || findings[0].Cause.(*skew.Mismatch).Relation != skew.Incomparable {
		t.Errorf("got %+v, want one incomparable pair", findings)
	}
}

func TestAllowedVersions(t *testing.T) {
	for _, tt := range []struct{ cluster, component, want string }{
		{"managed: 1.31", "kubelet", ">= 1.28, < 1.32"},
		{"managed: 1.31", "kubectl", ">= 1.30, < 1.33"},
		{"managed: 1.31", "kube-apiserver", ">= 1.31, < 1.33"}, // its controllers stay at 1.31
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
		got := skew.AllowedVersions(skewtest.Kubernetes(t), skewtest.Cluster(t, tt.cluster))[tt.component].Constraint()
		if got != tt.want {
			t.Errorf("%s: %s may be %q, want %q", tt.cluster, tt.component, got, tt.want)
		}
	}
}

// TestWindowBesideUnlimitedRules: a policy may leave one side open, and a
// condition or a requirement may move an edge or leave minors out.
func TestWindowBesideUnlimitedRules(t *testing.T) {
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
		{&policy.PairRule{Limits: policy.Limits{MaxOlder: limit(3)}}, false, ">= 1.24", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxOlder: limit(3)}}, true, "< 1.31", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxNewer: limit(0)}}, false, "< 1.28", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxNewer: limit(0)}}, true, ">= 1.27", "[]"},
		{&policy.PairRule{Limits: policy.Limits{MaxOlder: limit(3)}, Conditions: []policy.Condition{{Subject: old, Limits: policy.Limits{MaxOlder: limit(2)}}}}, false, ">= 1.25", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Subject: old, Limits: policy.Limits{MaxOlder: limit(1)}}}}, false, ">= 1.25", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Subject: old, Limits: policy.Limits{MaxOlder: limit(1)}}}}, true, ">= 0", "[]"},
		{&policy.PairRule{Conditions: []policy.Condition{{Subject: constraint(">= 1.22, < 1.25"), Limits: policy.Limits{MaxOlder: limit(4)}}}}, false, ">= 0", "[1.22]"},
		{&policy.PairRule{}, false, ">= 0", "[]"},

		// the subject's end: beside a reference of 1.27
		{needs(">= 1.5", ">= 1.28"), false, "< 1.5", "[]"},
		{needs("< 1.5", ">= 1.28"), false, ">= 1.5", "[]"},
		{needs(">= 1.5, < 1.9", ">= 1.28"), false, ">= 0", "[1.5 1.6 1.7 1.8]"},
		{needs("!= 1.5", ">= 1.28"), false, ">= 1.5, < 1.6", "[]"},
		{needs("", ">= 1.28"), false, "< 0", "[]"},
		{needs(">= 1.5", "< 1.28"), false, ">= 0", "[]"},
		// the reference's end: beside a subject of 1.27
		{needs(">= 1.27", ">= 1.5"), true, ">= 1.5", "[]"},
		{needs(">= 1.27", "< 1.5"), true, "< 1.5", "[]"},
		{needs(">= 1.27", ">= 1.5, < 1.9, != 1.6, != 1.7"), true, ">= 1.5, < 1.9", "[1.6 1.7]"},
		{needs(">= 1.27", "!= 1.5"), true, ">= 0", "[1.5]"},
		{needs(">= 1.28", "< 1.5"), true, ">= 0", "[]"},
		{needs(">= 1.27", ">= 2.0"), true, ">= 2.0", "[]"},
		{needs(">= 1.27", "< 2.0"), true, ">= 0", "[2.0 2.1]"},                           // the last minor of 1 is not known
		{needs(">= 1.27", ">= 1.1, < 1.999999999"), true, ">= 1.1, < 1.999999999", "[]"}, // in no time
	} {
		w := skew.WindowOf([]skew.Bound{{Rule: tt.rule, Other: skewtest.Version(t, "1.27"), OtherIsSubject: tt.otherIsSubject}})
		if w.Constraint() != tt.want || fmt.Sprint(w.Except) != tt.except {
			t.Errorf("%+v %+v, other is subject %t: %q except %v, want %q except %s", tt.rule.Limits, tt.rule.Requirement, tt.otherIsSubject, w.Constraint(), w.Except, tt.want, tt.except)
		}
	}
}

// randomCluster draws a cluster over the minors on both sides of 1.25, the one
// minor that the policy names.
func randomCluster(t *rapid.T) skew.Cluster {
	draw := func(component string) skew.Instance {
		m := version.Minor{Major: 1, Minor: rapid.IntRange(21, 29).Draw(t, component)}
		return skew.Instance{Component: component, Version: m.Version()}
	}
	c := skew.Cluster{LocalEndpoint: rapid.Bool().Draw(t, "local")}
	for i := range rapid.IntRange(1, 3).Draw(t, "control plane") {
		p := skew.Place{Location: skew.AtKey(skew.ControlPlane, fmt.Sprint("cp-", i))}
		for _, component := range append(slices.Clone(skew.ControlPlaneComponents), "kubelet", "kube-proxy") {
			if rapid.IntRange(0, 2).Draw(t, "declared") > 0 {
				p.Instances = append(p.Instances, draw(component))
			}
		}
		c.Places = append(c.Places, p)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
		c.Places = append(c.Places, skew.Place{
			Location:  skew.AtKey(skew.NodePools, fmt.Sprint("pool-", i)),
			Instances: []skew.Instance{draw("kubelet"), draw("kube-proxy")},
		})
	}
	if rapid.Bool().Draw(t, "client") {
		c.Places = append(c.Places, skew.Place{Location: skew.AtIndex(skew.Kubectl, "", 0), Instances: []skew.Instance{draw("kubectl")}})
	}
	return c
}

// TestWindowIsWhatEvaluatesAsSound: with every instance of a component at a
// minor, no rule on that component is broken if and only if the minor is in its
// window.
func TestWindowIsWhatEvaluatesAsSound(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		c := randomCluster(t)
		if len(c.Components()) == 0 {
			t.Skip("nothing is declared")
		}
		component := rapid.SampledFrom(c.Components()).Draw(t, "component")
		window := skew.AllowedVersions(p, c)[component]
		for n := 15; n <= 35; n++ {
			m := version.Minor{Major: 1, Minor: n}
			moved := skew.Cluster{LocalEndpoint: c.LocalEndpoint}
			for _, place := range c.Places {
				instances := slices.Clone(place.Instances)
				for i := range instances {
					if instances[i].Component == component {
						instances[i].Version = m.Version()
					}
				}
				moved.Places = append(moved.Places, skew.Place{Location: place.Location, Instances: instances})
			}
			sound := !slices.ContainsFunc(skew.Evaluate(p, moved), func(f skew.Finding) bool {
				return f.Subject.Component == component || f.Reference.Component == component
			})
			if sound != window.Contains(m) {
				t.Fatalf("%s %s: sound %t, but the window is %s", component, m, sound, window.Constraint())
			}
		}
	})
}

// TestOrderAndRepetitionDoNotMatter: the verdict depends on what is declared,
// not on where in the declaration, nor on how often.
func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	p := skewtest.Kubernetes(t)
	verdict := func(c skew.Cluster) []string {
		var all []string
		for _, f := range skew.Evaluate(p, c) {
			all = append(all, fmt.Sprint(f.RuleID, f.Subject.Version, f.Reference.Version, f.Allowed.Constraint()))
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		c := randomCluster(t)
		want := verdict(c)
		shuffled := c
		shuffled.Places = rapid.Permutation(c.Places).Draw(t, "order")
		if got := verdict(shuffled); !slices.Equal(got, want) {
			t.Fatalf("in another order: %v, want %v", got, want)
		}
		for _, place := range c.Places {
			if place.Location.Attribute == skew.NodePools {
				place.Location.Key += "-again"
				shuffled.Places = append(shuffled.Places, place)
			}
		}
		if got := verdict(shuffled); !slices.Equal(got, want) {
			t.Fatalf("with every node pool twice: %v, want %v", got, want)
		}
	})
}
