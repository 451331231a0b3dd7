// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestChanges checks which errors a step adds or makes worse. Existing ones are not
// among them.
func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		want           []string
	}{
		{"no change", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.27", nil},
		{"an existing violation gets better", "managed: 1.31; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.27", nil},
		{"an existing violation gets worse", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.26", []string{`kubelet-apiserver node_pools["x"]`}},
		{"an existing violation gets worse because the control plane moves", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.32; node_pools.x: kubelet=1.27", []string{`kubelet-apiserver node_pools["x"]`}},
		{"one of two violations is repaired", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.31; node_pools.y: kubelet=1.27", nil},
		{"a violation moves to another pool", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.31", "managed: 1.31; node_pools.x: kubelet=1.31; node_pools.y: kubelet=1.27", []string{`kubelet-apiserver node_pools["y"]`}},
		{"too old becomes too new", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.32", []string{`kubelet-apiserver node_pools["x"]`}},
		{"a new pool violates the same rule as an existing one", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.27", []string{`kubelet-apiserver node_pools["y"]`}},
		{"the step violates a rule", "managed: 1.29; node_pools.x: kubelet=1.32", "managed: 1.31; node_pools.x: kubelet=1.32", []string{"kube-apiserver-step control_plane_version"}},
		{"instances replace a managed control plane", "managed: 1.31; node_pools.x: kubelet=1.27; kubectl.0: kubectl=1.29", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.31; node_pools.x: kubelet=1.27; kubectl.0: kubectl=1.29", nil},
		{"a managed control plane replaces an instance that violates a rule", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.32; control_plane.b: kube-apiserver=1.31", "managed: 1.31", nil},
		{"a cluster-wide kube-proxy becomes one of a pool", "managed: 1.31; node_pools.x: kubelet=1.31; kube_proxy: 1.27", "managed: 1.31; node_pools.x: kubelet=1.31 kube-proxy=1.27", nil},
		{"another pool moves away from a cluster-wide kube-proxy", "managed: 1.34; node_pools.x: kubelet=1.34; node_pools.y: kubelet=1.33; kube_proxy: 1.30", "managed: 1.34; node_pools.x: kubelet=1.34; node_pools.y: kubelet=1.34; kube_proxy: 1.30", []string{"kube-proxy-kubelet kube_proxy"}},
		{"a pool moves towards a cluster-wide kube-proxy", "managed: 1.34; node_pools.x: kubelet=1.34; node_pools.y: kubelet=1.34; kube_proxy: 1.30", "managed: 1.34; node_pools.x: kubelet=1.34; node_pools.y: kubelet=1.33; kube_proxy: 1.30", nil},
		{"a new pool runs a cluster-wide kube-proxy that is too old", "managed: 1.34; node_pools.x: kubelet=1.34; kube_proxy: 1.30", "managed: 1.34; node_pools.x: kubelet=1.34; node_pools.y: kubelet=1.33; kube_proxy: 1.30", []string{"kube-proxy-apiserver kube_proxy"}},
		{"kube-proxies of pools become one of the cluster", "managed: 1.31; node_pools.x: kubelet=1.31 kube-proxy=1.27", "managed: 1.31; node_pools.x: kubelet=1.31; kube_proxy: 1.27", nil},
		{"a cluster-wide kube-proxy without pools gets one", "managed: 1.34; kube_proxy: 1.30", "managed: 1.34; node_pools.x: kubelet=1.33; kube_proxy: 1.30", nil},
		{"an existing violation gets worse during the step", "managed: 1.30; node_pools.x: kubelet=1.25", "managed: 1.31; node_pools.x: kubelet=1.27", []string{`kubelet-apiserver node_pools["x"]`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := skewtest.Cluster(t, tt.from)
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Observed: &from}
			if got := addedErrors(in); !slices.Equal(got, tt.want) {
				t.Errorf("got added errors %q, want %q", got, tt.want)
			}
		})
	}
}

// addedErrors lists the errors that a step adds, by rule and location.
func addedErrors(in evaluation.Input) []string {
	added, _ := evaluation.Changes(in, evaluation.Check(in).Problems)
	var all []string
	for _, f := range finding.Findings(added) {
		for _, l := range f.Subject.Locations {
			if f.Severity == policy.SeverityError {
				all = append(all, fmt.Sprint(f.RuleID, " ", l))
			}
		}
	}
	return all
}

// TestChangesKeepsAllFindings checks that each finding is either added or existing at
// each of its locations, and is otherwise unchanged.
func TestChangesKeepsAllFindings(t *testing.T) {
	p, day := skewtest.Kubernetes(t), skewtest.Date(t, "2026-11-20")
	describe := func(problems []finding.Problem) []string {
		var all []string
		for _, f := range finding.Findings(problems) {
			for _, l := range f.Subject.Locations {
				all = append(all, fmt.Sprintf("%s %s %s %v %s %T", f.RuleID, f.Severity, f.Subject.Version, l, f.Reference.Version, f.Cause))
			}
		}
		slices.Sort(all)
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawInput(t, p, day)
		problems := evaluation.Check(in).Problems
		added, existing := evaluation.Changes(in, problems)
		if got, want := describe(slices.Concat(added, existing)), describe(problems); !slices.Equal(got, want) {
			t.Fatalf("%v was separated into %v and %v", problems, added, existing)
		}
		if in.Observed == nil && len(added) > 0 {
			t.Fatalf("without observed versions, %v is added", added)
		}
		in.Observed = &in.Cluster
		if errors := addedErrors(in); len(errors) > 0 {
			t.Fatalf("without a change, %v is added", errors)
		}
	})
}

// TestChangesAgainstDistances checks combinations without step rules. An error is added
// if and only if an instance exceeds a limit by more than before.
func TestChangesAgainstDistances(t *testing.T) {
	p := *skewtest.Kubernetes(t)
	p.StepRules = nil
	addedErrors, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		from := skewtest.RandomCluster(t)
		// A few versions change by one minor.
		to := changed(from, func(i skew.Instance) version.Version {
			if rapid.IntRange(0, 5).Draw(t, "moves") > 0 {
				return i.Version
			}
			return i.Version.Minor().Add(rapid.SampledFrom([]int{-1, 1}).Draw(t, "by")).Version()
		})
		in := evaluation.Input{Policy: &p, Cluster: to, Observed: &from, ApplyOrder: step.Any}
		now, before := distances(&p, to), distances(&p, from)
		var want []string
		for at, d := range now {
			if d.older > before[at].older || d.newer > before[at].newer {
				want = append(want, fmt.Sprint(at.rule, " ", at.declared))
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		if got := addedMismatches(in); !slices.Equal(got, want) {
			t.Fatalf("got added errors %v, want %v: from %v to %v", got, want, from, to)
		}
		if addedErrors += len(want); len(want) == 0 {
			passed++
		}
	})
	if addedErrors == 0 || passed == 0 {
		t.Errorf("random steps are one-sided: %d errors added, %d steps without", addedErrors, passed)
	}
}

// TestChangesOfClusterWideProxy compares the errors that a step adds at a cluster-wide
// kube-proxy with those at node pools that each run a kube-proxy of the same version: a pool
// exceeds a limit by more than before, or did not exist.
func TestChangesOfClusterWideProxy(t *testing.T) {
	p := *skewtest.Kubernetes(t)
	p.StepRules = nil
	counts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		shape := skewtest.Random{Newest: 32, By: rapid.IntRange(-1, 1).Draw(t, "by"), Spread: 2, Behind: 6, Ahead: 2, Lag: 2, Stays: rapid.IntRange(1, 6).Draw(t, "one in so many stays"), Components: []string{"mesh"}}
		from, to := shape.Step(t)
		if _, declared := to.ClusterWide("kube-proxy"); !declared {
			from, to = from.WithKubeProxy(anyMinor(t, "proxy before")), to.WithKubeProxy(anyMinor(t, "proxy"))
		}
		fromExpanded, toExpanded := expanded(t, from), expanded(t, to)
		switch rapid.IntRange(0, 3).Draw(t, "cluster-wide") {
		case 0: // only after the step
			from = fromExpanded
		case 1: // only before the step
			to = toExpanded
		}
		before, now := distances(&p, fromExpanded), distances(&p, toExpanded)
		_, clusterWide := to.ClusterWide("kube-proxy")
		var want []string
		for _, place := range to.Places {
			for _, i := range place.Instances {
				for _, r := range p.PairRules {
					at := subject{r.ID, place.Location, place.Location}
					if d := now[at]; r.Subject == i.Component && (d.older > before[at].older || d.newer > before[at].newer) {
						want = append(want, fmt.Sprint(r.ID, " ", place.At(i)))
					}
				}
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		in := evaluation.Input{Policy: &p, Cluster: to, Observed: &from, ApplyOrder: step.Any}
		if got := addedMismatches(in); !slices.Equal(got, want) {
			t.Fatalf("got added errors %v, want %v: from %v to %v", got, want, from, to)
		}
		counts[clusterWide && len(want) > 0]++
	})
	if counts[true] == 0 || counts[false] == 0 {
		t.Errorf("random steps are one-sided: %v", counts)
	}
}

func anyMinor(t *rapid.T, name string) version.Version {
	return version.Minor{Major: 1, Minor: rapid.IntRange(26, 34).Draw(t, name)}.Version()
}

// expanded returns a cluster in which each node pool declares its own kube-proxy. It skips
// clusters in which no node pool runs the cluster-wide one.
func expanded(t *rapid.T, c skew.Cluster) skew.Cluster {
	c.Places = slices.Clone(c.Places)
	places := c.Places[:0]
	runs := false
	for _, p := range c.Places {
		p.Instances = slices.Clone(p.Instances)
		for i, instance := range p.Instances {
			runs = runs || instance.ClusterWide && p.Location.Attribute == finding.NodePools
			p.Instances[i].ClusterWide = false
		}
		if p.Location.Attribute != finding.KubeProxy {
			places = append(places, p)
		}
	}
	if !runs {
		t.Skip("no node pool runs the cluster-wide kube-proxy")
	}
	c.Places = places
	return c
}

// addedMismatches lists the violations between different components in a combination that a
// step adds, by rule and location.
func addedMismatches(in evaluation.Input) []string {
	added, _ := evaluation.Changes(in, evaluation.Check(in).Problems)
	var all []string
	for _, f := range finding.Findings(added) {
		if m, ok := f.Cause.(*finding.Mismatch); !ok || m.DuringUpgrade || f.Subject.Component == f.Reference.Component {
			continue
		}
		for _, l := range f.Subject.Locations {
			all = append(all, fmt.Sprint(f.RuleID, " ", l))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// distance is the number of minors by which an instance exceeds each limit.
type distance struct{ older, newer int }

// subject is an instance that a rule limits: the place where it runs, and the location
// that declares its version.
type subject struct {
	rule            string
	place, declared finding.Location
}

// distances returns the distance for each rule between two components, by rule and
// location.
func distances(p *policy.Policy, c skew.Cluster) map[subject]distance {
	all := map[subject]distance{}
	for _, r := range p.PairRules {
		for _, s := range c.Places {
			n := slices.IndexFunc(s.Instances, func(i skew.Instance) bool { return i.Component == r.Subject })
			if n < 0 || r.Subject == r.Reference {
				continue
			}
			version, at := s.Instances[n].Version, subject{r.ID, s.Location, s.At(s.Instances[n])}
			_, beside := s.Version(r.Reference)
			own := r.Scope == policy.ScopeNode || r.Scope == policy.ScopeEndpoint && c.LocalEndpoint && s.Location.InControlPlane() && beside
			for _, other := range c.Places {
				reference, ok := other.Version(r.Reference)
				if !ok || own && other.Location != s.Location {
					continue
				}
				limits, _ := r.LimitsFor(version, reference)
				apart := reference.Minor().Minor - version.Minor().Minor
				d := all[at]
				d.older, d.newer = max(d.older, apart-*limits.MaxOlder), max(d.newer, -apart-*limits.MaxNewer)
				all[at] = d
			}
		}
	}
	return all
}

// TestChangesWithUnknownVersions checks that an error is not added if it may have
// existed before.
func TestChangesWithUnknownVersions(t *testing.T) {
	for _, unknown := range []int{0, 1} {
		from := skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.27")
		for i := range from.Places[unknown].Instances {
			from.Places[unknown].Instances[i].Version = version.Version{}
		}
		in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=1.27"), Observed: &from}
		if errors := addedErrors(in); len(errors) > 0 {
			t.Errorf("without the version of %s, %v is added", from.Places[unknown].Location, errors)
		}
		in.Observed = &skew.Cluster{Partial: true}
		if errors := addedErrors(in); len(errors) > 0 {
			t.Errorf("without any version, %v is added", errors)
		}
	}
}
