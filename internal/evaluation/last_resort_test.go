// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
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
			"an add-on that moves back too far is not sent beyond the version that runs", `{
				"step_rules": {"mesh-step": {"component": "mesh", "max_downgrade": 1}},
				"requirement_rules": {
					"mesh-1-18": {"when": {"component": "mesh", "version": "< 1.19"}, "require": {"component": "kube-apiserver", "version": "< 1.33"}},
					"mesh-1-20": {"when": {"component": "mesh", "version": ">= 1.19, < 1.21"}, "require": {"component": "kube-apiserver", "version": ">= 1.33"}}}}`,
			"managed: 1.32; components.mesh.0: mesh=1.20", "managed: 1.32; components.mesh.0: mesh=1.17", "mesh-step",
			`Keep components["mesh"][0] at 1.20 or later.`,
		},
		{
			"a pool that is too old", `{}`, "", "managed: 1.36; node_pools.new: kubelet=1.37; node_pools.old: kubelet=1.29; kube_proxy: 1.35", "kubelet-apiserver 1.29",
			`Upgrade the kubelet of node_pools["old"] to 1.33 or later.`,
		},
		{
			"a pool that is too new", `{}`, "", "managed: 1.36; node_pools.new: kubelet=1.37; node_pools.old: kubelet=1.29; kube_proxy: 1.35", "kubelet-apiserver 1.37",
			`Set the kubelet of node_pools["new"] to 1.36 or earlier.`, // another control plane makes the other pool worse
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
		{"a build without an order", "managed: 1.33.3-eks-1a", "managed: 1.33.4-eks-2b", []string{"1.33.4-eks-3c"}, []string{"set " + controlPlane + "1.33.4-eks-3c"}},
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
	for _, tt := range []struct {
		policy, cluster string
		offered         []string
		want            []string
	}{
		{"kubernetes", "managed: 1.36.1; node_pools.a: kubelet=1.30.1", []string{"1.30.1", "1.35.2", "1.36.1"}, []string{`upgrade kubelet of [node_pools["a"]]: 1.35..1.36`}},
		{"kubernetes", "managed: 1.36.1; node_pools.a: kubelet=1.30.1", []string{"1.30.1", "1.35.2"}, []string{`upgrade kubelet of [node_pools["a"]]: 1.35`}},
		// AKS refuses the patch of the pool, and does not offer that of the control plane.
		{"aks", "managed: 1.31.2; node_pools.a: kubelet=1.31.4; node_pools.b: kubelet=1.30.9", []string{"1.30.9", "1.31.4"}, []string{`set kubelet of [node_pools["a"]]: 1.30`}},
		// The newest patch that AKS offers is newer than that of the control plane.
		{"aks", "managed: 1.31.2; node_pools.a: kubelet=1.31.1; node_pools.b: kubelet=1.30.9", []string{"1.30.9", "1.31.4"}, []string{`set kubelet of [node_pools["a"]]: 1.30`}},
	} {
		in := evaluation.Input{Policy: builtin(t, tt.policy), Cluster: skewtest.Cluster(t, tt.cluster), Day: skewtest.Date(t, quietDay)}
		in.Offered.NodePools = offered(t, "available_node_versions", tt.offered...)
		in.Offered.ControlPlane = offered(t, "available_versions", "1.31.2", "1.36.1")
		for _, f := range evaluation.Check(in).Findings() {
			if f.Subject.Component != "kubelet" {
				continue
			}
			if diff := cmp.Diff(tt.want, spelled(f.Remedies())); diff != "" {
				t.Errorf("%s, offered %v: remedies (-want +got):\n%s", tt.cluster, tt.offered, diff)
			}
		}
	}
}

// checkOffered checks that the platform offers each version that a remedy moves something to.
func checkOffered(t failer, in evaluation.Input, r finding.Remedy) {
	var running []version.Version
	if in.Observed != nil {
		for _, v := range eachRunning(in, r) {
			running = append(running, v)
		}
	}
	for _, i := range in.Cluster.Instances() {
		if _, emulates := i.Version.Emulated(); emulates {
			running = append(running, i.Version.Binary()) // a remedy may only end the emulation
		}
	}
	for _, m := range r.Minors {
		to := m.Version()
		if !r.Version.IsZero() {
			to = r.Version
		}
		if slices.ContainsFunc(running, to.Includes) {
			continue // evaluation tells which instances stay
		}
		for _, target := range r.Targets {
			for _, l := range target.Locations {
				list := in.Offered.ControlPlane.Versions
				installed := l.InControlPlane() && slices.Contains(target.Components, skew.APIServer)
				if l.Attribute == finding.NodePools {
					list, installed = in.Offered.NodePools.Versions, slices.Contains(target.Components, "kubelet")
				}
				if installed && len(list) > 0 && !slices.ContainsFunc(list, to.Matches) {
					t.Fatalf("%+v to %+v: %v sets %s, but the platform offers %v", in.Observed, in.Cluster, spelled([]finding.Remedy{r}), to, list)
				}
			}
		}
	}
}

// checkKnown checks that the remedy of an unmet requirement sends an add-on only to versions
// that a rule is about, unless the add-on already runs them.
func checkKnown(t failer, in evaluation.Input, f finding.Finding, r finding.Remedy) {
	if m, ok := f.Cause.(*finding.Mismatch); !ok || m.Relation != finding.Unmet || r.Kept {
		return
	}
	for _, target := range r.Targets {
		c := target.Components[0]
		if !isAddOn(c) {
			continue
		}
		for _, m := range r.Minors {
			v := m.Version()
			if !r.Version.IsZero() {
				v = r.Version
			}
			if !isKnown(in.Policy, c, v) {
				t.Fatalf("%+v to %+v: %v: no rule is about %s %s", in.Observed, in.Cluster, spelled([]finding.Remedy{r}), c, m)
			}
		}
	}
}

// checkLastResort checks that remedies of a problem only lower the control plane if no other
// version of its subjects works: of an add-on, one that a rule is about.
func checkLastResort(t failer, in evaluation.Input, p finding.Problem, before map[string]int) {
	remedies := p.Findings[0].Remedies()
	if !slices.ContainsFunc(remedies, func(r finding.Remedy) bool { return r.Drawback == finding.LastResort }) {
		return
	}
	if len(remedies) > 1 {
		t.Fatalf("%+v: %v lowers the control plane although another remedy exists", in.Cluster, spelled(remedies))
	}
	components := p.Components()
	if slices.Contains(skew.ControlPlaneComponents, components[0]) {
		return
	}
	subject := p.Findings[0].Subject.Version.Minor()
	minors := []version.Minor{subject}
	for _, i := range in.Cluster.Instances() {
		if m := i.Version.Minor(); m.Major == subject.Major {
			minors = append(minors, m)
		}
	}
	for m := slices.MinFunc(minors, version.Minor.Compare); m.Compare(slices.MaxFunc(minors, version.Minor.Compare)) <= 0; m = m.Add(1) {
		if isAddOn(components[0]) && !isKnown(in.Policy, components[0], m.Version()) {
			continue
		}
		next := in
		next.Cluster = repaired(in.Cluster, finding.Remedy{Targets: []finding.Target{{Components: components, Locations: p.Locations()}}}, m)
		left := violations(in.Policy, evaluation.Check(next).Findings())
		works := true
		for where, n := range left {
			works = works && n <= before[where]
		}
		for where := range violations(in.Policy, p.Findings) {
			works = works && left[where] == 0
		}
		if works {
			t.Fatalf("%+v offered %v: %s: %v lowers the control plane, but %v %s works", in.Cluster, in.Offered, p.Findings[0].RuleID, spelled(remedies), components, m)
		}
	}
}
