// SPDX-License-Identifier: MPL-2.0

package skew_test

import (
	"fmt"
	"slices"
	"testing"

	goversion "github.com/hashicorp/go-version"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// patchPolicy draws rules that distinguish patches, exclude minors, or name majors.
func patchPolicy(t *rapid.T) *policy.Policy {
	p := skewtest.RandomPolicy(t, "kube-apiserver", "kubelet", "kube-proxy")
	constraint := func() version.Constraint {
		format := rapid.SampledFrom([]string{"", ">= 1.%d.2", "< 1.%d.3", "> 1.%d", "= 1.%d", "!= 1.%d.2", "~> 1.%d", "~> 1.%d.1", ">= 2.0", "< 1.%d.0"}).Draw(t, "patches")
		if format == "" {
			return version.Constraint{}
		}
		if format != ">= 2.0" {
			format = fmt.Sprintf(format, rapid.IntRange(22, 28).Draw(t, "of"))
		}
		c, err := version.ParseConstraint(format)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, r := range p.PairRules {
		r.Severity = policy.SeverityError
		compare := r.Requirement == nil && rapid.Bool().Draw(t, "compare patch")
		r.ComparePatch = &compare
		if r.Requirement != nil && rapid.Bool().Draw(t, "requires patch") {
			r.Requirement = &policy.Requirement{Require: constraint()}
			if r.Scope != policy.ScopeSelf {
				r.Requirement.When = constraint()
			}
		}
		for i := range r.Conditions {
			if rapid.Bool().Draw(t, "condition on patch") {
				r.Conditions[i].Subject, r.Conditions[i].Reference = constraint(), constraint()
			}
		}
	}
	return p
}

// everyVersion returns versions around those that patchPolicy names.
func everyVersion(t testing.TB) []version.Version {
	all := []version.Version{skewtest.Version(t, "0.9"), skewtest.Version(t, "2.0"), skewtest.Version(t, "2.25.1"), skewtest.Version(t, "3.1")}
	for n := 18; n <= 33; n++ {
		m := version.Minor{Major: 1, Minor: n}
		all = append(all, m.Version(), m.WithPatch(0), m.WithPatch(2), m.WithPatch(3), m.WithPatch(40))
	}
	return all
}

// within checks the constraint with go-version, like users do.
func within(t *rapid.T, w finding.Window, v version.Version) bool {
	constraint, err := goversion.NewConstraint(w.Constraint())
	if err != nil {
		t.Fatal(err)
	}
	return constraint.Check(goversion.Must(goversion.NewVersion(v.Normalized())))
}

// TestConstraintIsSound checks that the constraint of a window contains no version that
// the rules reject. If any version with a patch is allowed, the constraint contains one.
func TestConstraintIsSound(t *testing.T) {
	all := everyVersion(t)
	rapid.Check(t, func(t *rapid.T) {
		p, c := patchPolicy(t), skewtest.RandomCluster(t)
		for _, place := range c.Places {
			for i := range place.Instances {
				v := &place.Instances[i].Version
				*v = v.Binary() // a constraint does not know emulated versions
				if rapid.Bool().Draw(t, "patch") {
					*v = v.Minor().WithPatch(rapid.IntRange(0, 4).Draw(t, "patch"))
				}
			}
		}
		for _, f := range skew.Findings(p, c) {
			r := f.Cause.(*finding.Mismatch).Rule
			for _, v := range all {
				reference := f.Reference.Version
				if r.Scope == policy.ScopeSelf {
					reference = v
				}
				if within(t, f.Allowed, v) && skew.Check(r, v, reference) != finding.Within {
					t.Fatalf("%s %s is in %q next to %s, but refused", f.Subject.Component, v, f.Allowed.Constraint(), f.Reference.Version)
				}
			}
			if within(t, f.Allowed, f.Subject.Version) {
				t.Fatalf("%s %s is refused, but in %q", f.Subject.Component, f.Subject.Version, f.Allowed.Constraint())
			}
		}
		if len(c.Components()) > 0 {
			component, possible := rapid.SampledFrom(c.Components()).Draw(t, "component"), false
			window := skew.AllowedVersions(p, c)[component]
			for _, v := range all {
				moved := c
				moved.Places = nil
				for _, place := range c.Places {
					instances := slices.Clone(place.Instances)
					for i := range instances {
						if instances[i].Component == component {
							instances[i].Version = v
						}
					}
					moved.Places = append(moved.Places, skew.Place{Location: place.Location, Instances: instances})
				}
				sound := !slices.ContainsFunc(skew.Findings(p, moved), func(f finding.Finding) bool {
					return f.Subject.Component == component || f.Reference.Component == component
				})
				_, declared := v.Patch()
				possible = possible || sound && declared
				if within(t, window, v) && !sound {
					t.Fatalf("%s %s is in %q, but refused", component, v, window.Constraint())
				}
			}
			if possible && window.Constraint() == "< 0" {
				t.Fatalf("a version of %s is allowed, but the constraint is %q", component, window.Constraint())
			}
		}
	})
}

// TestConstraintIsNarrowed checks windows that one constraint cannot describe. The
// constraint is then a part of the window around the declared version, in which all
// versions are allowed. The list of minors stays exact.
func TestConstraintIsNarrowed(t *testing.T) {
	aks, err := policy.Builtin("aks")
	if err != nil {
		t.Fatal(err)
	}
	// Talos 1.8 supports Kubernetes 1.26 to 1.31, and Talos 1.9 Kubernetes 1.27 to
	// 1.32: https://github.com/siderolabs/talos/tree/main/pkg/machinery/compatibility
	talos, err := policy.Parse(`{"requirement_rules": {
		"talos-1-8": {"when": {"component": "talos", "version": ">= 1.8, < 1.9"}, "require": {"component": "kube-apiserver", "version": ">= 1.26, < 1.32"}},
		"talos-1-9": {"when": {"component": "talos", "version": ">= 1.9, < 1.10"}, "require": {"component": "kube-apiserver", "version": ">= 1.27, < 1.33"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		policy                           *policy.Policy
		cluster, component, want, minors string
	}{
		// AKS refuses a newer patch than that of the control plane.
		{aks, "managed: 1.32.1; node_pools.a: kubelet=1.32.4", "kubelet", ">= 1.29, < 1.32", "[1.29 1.30 1.31 1.32]"},
		{aks, "managed: 1.32; node_pools.a: kubelet=1.32.4", "kubelet", ">= 1.29, < 1.33", "[1.29 1.30 1.31 1.32]"},
		{talos, "managed: 1.32; components.talos.0: talos=1.8", "talos", ">= 1.9", "[]"},
		{talos, "managed: 1.32; components.talos.0: talos=1.7", "talos", "< 1.8", "[]"},
		{talos, "managed: 1.33; components.talos.0: talos=1.9", "talos", ">= 1.10", "[]"},
		{talos, "managed: 1.32; components.talos.0: talos=1.8", "kube-apiserver", ">= 1.26, < 1.32", "[1.26 1.27 1.28 1.29 1.30 1.31]"},
	} {
		c := skewtest.Cluster(t, tt.cluster)
		w := skew.AllowedVersions(tt.policy, c)[tt.component]
		if w.Constraint() != tt.want || fmt.Sprint(w.Minors) != tt.minors {
			t.Errorf("%s: %s may be %q, minors %v; want %q, %s", tt.cluster, tt.component, w.Constraint(), w.Minors, tt.want, tt.minors)
		}
		for _, f := range skew.Findings(tt.policy, c) {
			if f.Subject.Component == tt.component && f.Allowed.Constraint() != tt.want {
				t.Errorf("%s: the finding allows %q, want %q", tt.cluster, f.Allowed.Constraint(), tt.want)
			}
		}
	}
}

// TestConstraintWithoutAllowedPatch checks a window whose only minor has no allowed
// patch, because one rule rejects the old patches and another one the new patches.
func TestConstraintWithoutAllowedPatch(t *testing.T) {
	p, err := policy.Parse(`{
		"skew_rules": {"newer": {"subject": "agent", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 0, "compare_patch": true}},
		"requirement_rules": {"older": {"when": {"component": "agent", "version": "< 1.23.3"}, "require": {"component": "kubelet", "version": ">= 1.24"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	w := skew.AllowedVersions(p, skewtest.Cluster(t, "managed: 1.23.1; node_pools.a: kubelet=1.22; components.agent.0: agent=1.21"))["agent"]
	if got, want := fmt.Sprint(w.Constraint(), w.Minors), "< 0[1.23]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAllows checks patches, which AllowedWith ignores.
func TestAllows(t *testing.T) {
	p, err := policy.Builtin("aks")
	if err != nil {
		t.Fatal(err)
	}
	c := skewtest.Cluster(t, "managed: 1.32.1")
	for v, want := range map[string]bool{"1.32": true, "1.32.1": true, "1.32.4": false, "1.31.9": true, "1.28.9": false} {
		if got := skew.Allows(p, c, "kubelet", skewtest.Version(t, v)); got != want {
			t.Errorf("kubelet %s: %t, want %t", v, got, want)
		}
	}
}
