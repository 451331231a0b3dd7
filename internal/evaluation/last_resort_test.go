// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
)

// TestLastResort checks that newer versions come first, and that a control plane is only
// lowered if nothing else works.
func TestLastResort(t *testing.T) {
	for _, tt := range []struct{ name, policy, from, to, rule, want string }{
		{
			"an add-on that is too old for the cluster", `{"include": ["addons/cert-manager"]}`, "", "managed: 1.36; components.cert-manager.0: cert-manager=1.17.0", "cert-manager-1-17",
			`Upgrade components["cert-manager"][0] to 1.21.`,
		},
		{
			"an add-on without a newer version that is known", `{"include": ["addons/cert-manager"]}`, "", "managed: 1.37; components.cert-manager.0: cert-manager=1.21.0", "cert-manager-1-21",
			`Set control_plane_version to 1.36 or earlier (down to 1.33). If a newer version already runs, this is a downgrade of the control plane, and platforms that do not support it need a new cluster.`,
		},
		{
			"an add-on that moves back in the step", `{"include": ["addons/cert-manager"]}`, "managed: 1.34; components.cert-manager.0: cert-manager=1.19", "managed: 1.35; components.cert-manager.0: cert-manager=1.18", "cert-manager-1-18",
			`Keep components["cert-manager"][0] at 1.19.`,
		},
		{
			"an add-on without a newer version that supports the cluster", `{"include": ["addons/keda"]}`, "", "managed: 1.36; components.keda.0: keda=2.20.0", "keda-2-20",
			`Set control_plane_version to 1.35 or earlier (down to 1.33). If a newer version already runs, this is a downgrade of the control plane, and platforms that do not support it need a new cluster.`,
		},
		{
			"an add-on that is supported from a patch of the next major on", `{"include": ["addons/karpenter"]}`, "", "managed: 1.31; components.karpenter.0: karpenter=0.37.0", "karpenter-for-1-31",
			`Upgrade components["karpenter"][0] to 1.0.5.`,
		},
		{
			"an add-on that supports the cluster from a patch on", `{"requirement_rules": {
				"mesh-1-12": {"when": {"component": "mesh", "version": "< 1.12.3"}, "require": {"component": "kube-apiserver", "version": "< 1.34"}},
				"mesh-1-13": {"when": {"component": "mesh", "version": ">= 1.12.3, < 1.13"}, "require": {"component": "kube-apiserver", "version": "< 1.36"}}}}`,
			"", "managed: 1.35; components.mesh.0: mesh=1.11.2", "mesh-1-12",
			`Upgrade components["mesh"][0] to 1.12.3.`,
		},
		{
			// A newer installer repairs the control plane too. What it requires of etcd is not known.
			"a requirement beside a problem with the same component", `{
				"skew_rules": {"installer": {"subject": "kube-apiserver", "reference": "installer", "scope": "cluster", "max_newer": 0, "max_older": 1}},
				"requirement_rules": {"etcd": {"when": {"component": "installer", "version": ">= 1.35, < 1.37"}, "require": {"component": "etcd", "version": ">= 3.5.24"}}}}`,
			"", "managed: 1.37; components.installer.0: installer=1.35; components.etcd.0: etcd=3.5.10", "etcd",
			`Upgrade components["etcd"][0] to 3.5.24.`,
		},
		{
			"a pool that is too old", `{}`, "", "managed: 1.36; node_pools.new: kubelet=1.37; node_pools.old: kubelet=1.29; kube_proxy: 1.35", "kubelet-apiserver 1.29",
			`Upgrade the kubelet of node_pools["old"] to 1.33 or later.`,
		},
		{
			"a pool that is too new", `{}`, "", "managed: 1.36; node_pools.new: kubelet=1.37; node_pools.old: kubelet=1.29; kube_proxy: 1.35", "kubelet-apiserver 1.37",
			`Set the kubelet of node_pools["new"] to 1.36 or earlier, or upgrade control_plane_version to 1.37.`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := evaluation.Input{Policy: skewtest.Extended(t, "kubernetes", tt.policy), Cluster: skewtest.Cluster(t, tt.to)}
			if tt.from != "" {
				from := skewtest.Cluster(t, tt.from)
				in.Observed = &from
			}
			findings := evaluation.Check(in).Findings()
			got := map[string]string{}
			for _, f := range findings {
				got[f.RuleID] = report.Describe(f).Remedy
				got[f.RuleID+" "+f.Subject.Version.String()] = report.Describe(f).Remedy
			}
			if diff := cmp.Diff(tt.want, got[tt.rule]); diff != "" {
				t.Errorf("remedy (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHalfUpgradedControlPlane checks that the instance that is behind does not skip a
// minor when it catches up.
func TestHalfUpgradedControlPlane(t *testing.T) {
	in := evaluation.Input{Policy: builtin(t, "kubeadm"), Cluster: skewtest.Cluster(t, "control_plane.a: 1.34; control_plane.b: 1.33")}
	blockers := finding.Findings(evaluation.Evaluate(in).Next.Blockers)
	if len(blockers) == 0 {
		t.Fatal("nothing blocks 1.35")
	}
	for _, f := range blockers {
		for _, r := range f.Remedies() {
			for _, m := range r.Minors {
				if m != (version.Minor{Major: 1, Minor: 34}) {
					t.Errorf("%s: got %v, want only 1.34", f.RuleID, spelled(f.Remedies()))
				}
			}
		}
	}
}

// TestNotOfferedRemedies checks that a remedy names a version that is offered, and none
// below the one that runs.
func TestNotOfferedRemedies(t *testing.T) {
	controlPlane := "kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager of [control_plane_version]: "
	for _, tt := range []struct {
		name, from, to string
		offered        []string
		want           []string
	}{
		{"a newer patch", "managed: 1.32.9", "managed: 1.33.2", []string{"1.32.9", "1.33.4", "1.33.5"}, []string{"upgrade " + controlPlane + "1.33.5"}},
		{"an older patch", "managed: 1.33.4", "managed: 1.33.6", []string{"1.33.4", "1.33.5"}, []string{"set " + controlPlane + "1.33.5"}},
		{"a patch below the one that runs", "managed: 1.33.5", "managed: 1.33.6", []string{"1.33.4"}, nil},
		{"a newer build", "managed: 1.33.4-gke.100", "managed: 1.33.5-gke.100", []string{"1.33.5-gke.300", "1.33.5-gke.200"}, []string{"upgrade " + controlPlane + "1.33.5-gke.300"}},
		{"an older build", "managed: 1.33.4-gke.100", "managed: 1.33.5-gke.400", []string{"1.33.5-gke.300"}, []string{"set " + controlPlane + "1.33.5-gke.300"}},
		{"a build below the one that runs", "managed: 1.33.5-gke.350", "managed: 1.33.5-gke.400", []string{"1.33.5-gke.300"}, nil},
		{"a newer minor", "managed: 1.31.9", "managed: 1.31.10", []string{"1.32.4", "1.30.1"}, []string{"upgrade " + controlPlane + "1.32"}},
		{"a newer minor that a step rule forbids", "managed: 1.32.4", "managed: 1.33.5", []string{"1.32.4", "1.34.1"}, []string{"keep " + controlPlane + "1.32"}},
		{"pools", "managed: 1.34; node_pools.a: kubelet=1.32.1", "managed: 1.34; node_pools.a: kubelet=1.33.1", []string{"1.34.2", "1.32.1"}, []string{`upgrade kubelet of [node_pools["a"]]: 1.34`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := skewtest.Cluster(t, tt.from)
			in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, tt.to), Observed: &from, Day: skewtest.Date(t, quietDay)}
			in.Offered = evaluation.Offered{ControlPlane: offered(t, "available_versions", tt.offered...), NodePools: offered(t, "available_versions", tt.offered...)}
			findings := evaluation.Check(in).Findings()
			i := slices.IndexFunc(findings, func(f finding.Finding) bool { return f.RuleID == "not-offered" })
			if i < 0 {
				t.Fatal("every version is offered")
			}
			if diff := cmp.Diff(tt.want, spelled(findings[i].Remedies())); diff != "" {
				t.Errorf("remedies (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRemediesAreOffered checks that the remedies of other findings name versions that the
// platform offers.
func TestRemediesAreOffered(t *testing.T) {
	in := evaluation.Input{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, "managed: 1.36.1; node_pools.a: kubelet=1.30.1"), Day: skewtest.Date(t, quietDay)}
	in.Offered.NodePools = offered(t, "available_node_versions", "1.30.1", "1.35.2")
	findings := evaluation.Check(in).Findings()
	for _, f := range findings {
		if f.RuleID == "kubelet-apiserver" {
			if diff := cmp.Diff([]string{`upgrade kubelet of [node_pools["a"]]: 1.35`}, spelled(f.Remedies())); diff != "" {
				t.Errorf("remedies (-want +got):\n%s", diff)
			}
			return
		}
	}
	t.Error("no finding")
}

// TestRemediesWithPacks checks on clusters with add-ons that a remedy works, and lowers the
// control plane only if no version of the subject works.
func TestRemediesWithPacks(t *testing.T) {
	t.Parallel()
	packs := map[string]*policy.Policy{}
	for _, name := range []string{"cert-manager", "karpenter", "cilium", "istio", "argo-cd", "keda"} {
		packs[name] = skewtest.Extended(t, "kubernetes", `{"include": ["addons/`+name+`"]}`)
	}
	lowered := 0
	rapid.Check(t, func(t *rapid.T) {
		p := packs[rapid.SampledFrom([]string{"cert-manager", "karpenter", "cilium", "istio", "argo-cd", "keda"}).Draw(t, "pack")]
		in := evaluation.Input{Policy: p, Cluster: skewtest.RandomCluster(t)}
		in.Cluster = moved(in.Cluster, func(i skew.Instance) version.Minor {
			return i.Version.Minor().Add(5)
		})
		for i, r := range addOnRules(p) {
			if i == 0 || rapid.Bool().Draw(t, "declared") {
				at := finding.AtIndex(finding.Components, r.Subject, 0)
				m := rapid.SampledFrom(r.Requirement.When.Minors()).Draw(t, r.Subject)
				in.Cluster.Places = append(in.Cluster.Places, skew.Place{Location: at, Instances: []skew.Instance{{Component: r.Subject, Version: m.Version()}}})
			}
		}
		for _, m := range rapid.SliceOfDistinct(rapid.IntRange(26, 38), rapid.ID).Draw(t, "offered") {
			in.Offered.NodePools.Versions = append(in.Offered.NodePools.Versions, version.Minor{Major: 1, Minor: m}.WithPatch(1))
		}
		checkRemedies(t, in, func(minors []version.Minor) version.Minor { return rapid.SampledFrom(minors).Draw(t, "minor") })
		findings := evaluation.Check(in).Findings()
		for _, f := range findings {
			for _, r := range f.Remedies() {
				checkOffered(t, in.Offered.NodePools, r)
				checkKnown(t, p, r)
			}
		}
		before := violations(p, findings)
		for _, f := range findings {
			remedies := f.Remedies()
			if !slices.ContainsFunc(remedies, lowersControlPlane) {
				continue
			}
			lowered++
			if len(remedies) > 1 {
				t.Fatalf("%+v: %v lowers the control plane although another remedy exists", in.Cluster, spelled(remedies))
			}
			target := finding.Target{Components: []string{f.Subject.Component}, Locations: f.Subject.Locations}
			for _, r := range addOnRules(p) {
				if r.Subject != f.Subject.Component {
					continue
				}
				for _, m := range r.Requirement.When.Minors() {
					if !r.Requirement.When.Contains(m.Version()) || !r.Requirement.Require.Contains(f.Reference.Version) || m.Compare(f.Subject.Version.Minor()) <= 0 {
						continue
					}
					after := evaluation.Check(evaluation.Input{Policy: p, Offered: in.Offered, Cluster: repaired(in.Cluster, finding.Remedy{Targets: []finding.Target{target}}, m)}).Findings()
					left := violations(p, after)
					works := true
					for where := range left {
						works = works && before[where]
					}
					for _, l := range f.Subject.Locations {
						works = works && !left[f.RuleID+" "+l.String()+direction(f)]
					}
					if works {
						t.Fatalf("%+v: %v lowers the control plane, but %s %s works", in.Cluster, spelled(remedies), r.Subject, m)
					}
				}
			}
		}
	})
	t.Logf("%d findings where the control plane is lowered", lowered)
}

// checkOffered checks that a platform offers each minor that a remedy gives to kubelets.
func checkOffered(t failer, list evaluation.OfferedList, r finding.Remedy) {
	changesPools := slices.ContainsFunc(r.Targets, func(target finding.Target) bool {
		return slices.Contains(target.Components, "kubelet") && slices.ContainsFunc(target.Locations, func(l finding.Location) bool { return l.Attribute == finding.NodePools })
	})
	if !changesPools || len(list.Versions) == 0 {
		return
	}
	for _, m := range r.Minors {
		if !slices.ContainsFunc(list.Versions, m.Version().Matches) {
			t.Fatalf("%v: %s is not in %v", spelled([]finding.Remedy{r}), m, list.Versions)
		}
	}
}

// checkKnown checks that a remedy sends an add-on only to versions that a rule is about.
func checkKnown(t failer, p *policy.Policy, r finding.Remedy) {
	for _, target := range r.Targets {
		if target.Locations[0].Attribute != finding.Components {
			continue
		}
		for _, m := range r.Minors {
			v := m.Version()
			if !r.Version.IsZero() {
				v = r.Version
			}
			known := slices.ContainsFunc(p.PairRules, func(rule *policy.PairRule) bool {
				q := rule.Requirement
				return q != nil && (rule.Subject == target.Components[0] && q.When.Contains(v) || rule.Reference == target.Components[0] && q.Require.Contains(v))
			})
			if !known {
				t.Fatalf("%v: no rule is about %s %s", spelled([]finding.Remedy{r}), target.Components[0], m)
			}
		}
	}
}

// addOnRules returns the requirement rules of add-ons on API servers.
func addOnRules(p *policy.Policy) []*policy.PairRule {
	return slices.DeleteFunc(slices.Clone(p.PairRules), func(r *policy.PairRule) bool {
		return r.Requirement == nil || len(r.Requirement.When.Minors()) == 0 || r.Reference != skew.APIServer || slices.Contains(skew.ControlPlaneComponents, r.Subject)
	})
}

// lowersControlPlane reports whether a remedy sets API servers to an older minor.
func lowersControlPlane(r finding.Remedy) bool {
	return !r.Upgrade && slices.ContainsFunc(r.Targets, func(t finding.Target) bool { return slices.Contains(t.Components, skew.APIServer) })
}
