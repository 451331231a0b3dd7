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
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestChanges: a plan is refused for what it brings or makes worse, not for what
// was wrong before.
func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		want           []string
	}{
		{"nothing changes", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.27", nil},
		{"what is there gets no worse", "managed: 1.31; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.27", nil},
		{"it gets worse", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.26", []string{`kubelet-apiserver node_pools["x"]`}},
		{"it gets worse because the control plane moves", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.32; node_pools.x: kubelet=1.27", []string{`kubelet-apiserver node_pools["x"]`}},
		{"one of two is repaired", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.31; node_pools.y: kubelet=1.27", nil},
		{"one is traded for another", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.31", "managed: 1.31; node_pools.x: kubelet=1.31; node_pools.y: kubelet=1.27", []string{`kubelet-apiserver node_pools["y"]`}},
		{"too old becomes too new", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.32", []string{`kubelet-apiserver node_pools["x"]`}},
		{"a new pool is as wrong as an old one", "managed: 1.31; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.27", []string{`kubelet-apiserver node_pools["y"]`}},
		{"a step that is not allowed", "managed: 1.29; node_pools.x: kubelet=1.32", "managed: 1.31; node_pools.x: kubelet=1.32", []string{"kube-apiserver-step control_plane_version"}},
		{"a control plane is spelled out", "managed: 1.31; node_pools.x: kubelet=1.27; kubectl.0: kubectl=1.29", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.31; node_pools.x: kubelet=1.27; kubectl.0: kubectl=1.29", nil},
		{"a scheduler that is, and wrong", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.32; control_plane.b: kube-apiserver=1.31", "managed: 1.31", nil},
		{"one kube-proxy is spelled out", "managed: 1.31; node_pools.x: kubelet=1.31; kube_proxy: 1.27", "managed: 1.31; node_pools.x: kubelet=1.31 kube-proxy=1.27", nil},
		{"it gets worse on the way", "managed: 1.30; node_pools.x: kubelet=1.25", "managed: 1.31; node_pools.x: kubelet=1.27", []string{`kubelet-apiserver node_pools["x"]`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := skewtest.Cluster(t, tt.from)
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Observed: &from}
			if got := broughtErrors(in); !slices.Equal(got, tt.want) {
				t.Errorf("brings %q, want %q", got, tt.want)
			}
		})
	}
}

// broughtErrors lists the errors that a change brings, by rule and place.
func broughtErrors(in evaluation.Input) []string {
	findings, _ := evaluation.Findings(in)
	brought, _ := evaluation.Changes(in, findings)
	var all []string
	for _, f := range brought {
		for _, l := range f.Subject.Locations {
			if f.Severity == policy.SeverityError {
				all = append(all, fmt.Sprint(f.RuleID, " ", l))
			}
		}
	}
	return all
}

// TestChangesLosesNothing: every finding at every location is either brought or
// known, as it was.
func TestChangesLosesNothing(t *testing.T) {
	p, day := skewtest.Kubernetes(t), skewtest.Date(t, "2026-11-20")
	told := func(findings []finding.Finding) []string {
		var all []string
		for _, f := range findings {
			for _, l := range f.Subject.Locations {
				all = append(all, fmt.Sprintf("%s %s %s %v %s %T", f.RuleID, f.Severity, f.Subject.Version, l, f.Reference.Version, f.Cause))
			}
		}
		slices.Sort(all)
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, p, day)
		findings, _ := evaluation.Findings(in)
		brought, known := evaluation.Changes(in, findings)
		if got, want := told(slices.Concat(brought, known)), told(findings); !slices.Equal(got, want) {
			t.Fatalf("%v became %v and %v", findings, brought, known)
		}
		if in.Observed == nil && len(brought) > 0 {
			t.Fatalf("nothing is observed, and yet %v is new", brought)
		}
		in.Observed = &in.Cluster
		if errors := broughtErrors(in); len(errors) > 0 {
			t.Fatalf("nothing changes, and yet %v is new", errors)
		}
	})
}

// TestChangesAgainstDistances: without a step to judge, a plan brings an error where
// some instance is further beyond a limit of a rule than it was, and only there.
func TestChangesAgainstDistances(t *testing.T) {
	p := *skewtest.Kubernetes(t)
	p.StepRules = nil
	brought, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		from := skewtest.RandomCluster(t)
		// A few versions change by one minor.
		to := from
		to.Places = slices.Clone(from.Places)
		for i := range to.Places {
			to.Places[i].Instances = slices.Clone(to.Places[i].Instances)
			for j := range to.Places[i].Instances {
				instance := &to.Places[i].Instances[j]
				if rapid.IntRange(0, 5).Draw(t, "moves") == 0 {
					instance.Version = instance.Version.Minor().Add(rapid.SampledFrom([]int{-1, 1}).Draw(t, "by")).Version()
				}
			}
		}
		in := evaluation.Input{Policy: &p, Cluster: to, Observed: &from, ApplyOrder: upgrade.Any}
		now, before := distances(&p, to), distances(&p, from)
		var want []string
		for at, d := range now {
			if d.older > before[at].older || d.newer > before[at].newer {
				want = append(want, at)
			}
		}
		slices.Sort(want)
		all, _ := evaluation.Findings(in)
		news, _ := evaluation.Changes(in, all)
		var got []string
		for _, f := range news {
			if m, ok := f.Cause.(*finding.Mismatch); !ok || m.DuringUpgrade || f.Subject.Component == f.Reference.Component {
				continue
			}
			for _, l := range f.Subject.Locations {
				got = append(got, fmt.Sprint(f.RuleID, " ", l))
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Fatalf("brings %v, by the distances %v: from %v to %v", got, want, from, to)
		}
		if brought += len(want); len(want) == 0 {
			passed++
		}
	})
	if brought == 0 || passed == 0 {
		t.Errorf("one-sided: %d errors brought, %d changes without", brought, passed)
	}
}

// distance is how many minors something is beyond a limit on either side.
type distance struct{ older, newer int }

// distances measures every rule that relates two components, by rule and place.
func distances(p *policy.Policy, c skew.Cluster) map[string]distance {
	far := map[string]distance{}
	for _, r := range p.PairRules {
		for _, s := range c.Places {
			subject, ok := s.Version(r.Subject)
			if !ok || r.Subject == r.Reference {
				continue
			}
			_, beside := s.Version(r.Reference)
			own := r.Scope == policy.ScopeNode || r.Scope == policy.ScopeEndpoint && c.LocalEndpoint && s.Location.InControlPlane() && beside
			for _, other := range c.Places {
				reference, ok := other.Version(r.Reference)
				if !ok || own && other.Location != s.Location {
					continue
				}
				limits, _ := r.LimitsFor(subject, reference)
				apart := reference.Minor().Minor - subject.Minor().Minor
				at := fmt.Sprint(r.ID, " ", s.Location)
				d := far[at]
				d.older, d.newer = max(d.older, apart-*limits.MaxOlder), max(d.newer, -apart-*limits.MaxNewer)
				far[at] = d
			}
		}
	}
	return far
}

// TestChangesWhereTheStartIsUnknown: what may have been wrong before is not brought.
func TestChangesWhereTheStartIsUnknown(t *testing.T) {
	for _, unknown := range []int{0, 1} {
		from := skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.27")
		for i := range from.Places[unknown].Instances {
			from.Places[unknown].Instances[i].Version = version.Version{}
		}
		in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=1.27"), Observed: &from}
		if errors := broughtErrors(in); len(errors) > 0 {
			t.Errorf("without the version of %s: %v", from.Places[unknown].Location, errors)
		}
		in.Observed = &skew.Cluster{Partial: true}
		if errors := broughtErrors(in); len(errors) > 0 {
			t.Errorf("without any version: %v", errors)
		}
	}
}
