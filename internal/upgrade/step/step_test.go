// SPDX-License-Identifier: MPL-2.0

package step_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

// TestStep checks steps under the policy kubernetes. Most cases are named after the
// sentence of https://kubernetes.io/releases/version-skew-policy/ that decides them. A
// finding is written as its rule ID and the allowed versions.
func TestStep(t *testing.T) {
	for _, tt := range []struct{ name, from, to, want string }{
		{"kube-apiserver can move to the next minor", "managed: 1.30; node_pools.x: kubelet=1.30", "managed: 1.31; node_pools.x: kubelet=1.30", ""},
		{"kubelets can be upgraded to the same minor", "managed: 1.30; node_pools.x: kubelet=1.30 kube-proxy=1.30", "managed: 1.31; node_pools.x: kubelet=1.31 kube-proxy=1.31", ""},
		{"a newer patch is allowed", "managed: 1.30.1", "managed: 1.30.9", ""},
		{"an older patch is allowed", "managed: 1.30.9", "managed: 1.30.1", ""},
		{"another build is allowed", "managed: 1.30.9-eks-1", "managed: 1.30.9-eks-2", ""},
		{"kube-apiserver must not skip minor versions, even in single-instance clusters", "managed: 1.30", "managed: 1.32", "kube-apiserver-step >= 1.30, < 1.32"},
		{"a pre-release belongs to its minor", "managed: 1.30", "managed: 1.32.0-alpha.1", "kube-apiserver-step >= 1.30, < 1.32"},
		{"rollbacks are not mentioned, so they are refused", "managed: 1.31; node_pools.x: kubelet=1.30", "managed: 1.30; node_pools.x: kubelet=1.30", "kube-apiserver-step >= 1.31, < 1.33"},
		{"skew across majors cannot be counted", "managed: 1.31", "managed: 2.0", "kube-apiserver-step >= 1.31, < 1.33"},
		{"kubelets three behind must be upgraded before the control plane", "managed: 1.30; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.31", "kubelet-apiserver >= 1.28, < 1.31"},
		{"kubelets three behind can be upgraded in the same step if they move first", "managed: 1.30; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.30", ""},
		{"kube-proxy three behind must be upgraded before the control plane", "managed: 1.30; node_pools.x: kubelet=1.30 kube-proxy=1.27", "managed: 1.31; node_pools.x: kubelet=1.30 kube-proxy=1.31", "kube-proxy-apiserver >= 1.28, < 1.31"},
		{"kubelets before 1.25 two behind must be upgraded before the control plane", "managed: 1.26; node_pools.x: kubelet=1.24", "managed: 1.27; node_pools.x: kubelet=1.27", "kubelet-apiserver >= 1.25, < 1.27"},
		{"controllers are at N-1 when kube-apiserver moves from N-1 to N", "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.29", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.31", "kube-scheduler-apiserver >= 1.30, < 1.31"},
		{"controllers that are behind can be upgraded in the same step", "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.29", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30", ""},
		{"HA instances can move in one step", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.31", ""},
		{"HA instances at N-1 and N can move in one step", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.32; control_plane.b: kube-apiserver=1.31", ""},
		{"HA instances must not skip minor versions", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.32; control_plane.b: kube-apiserver=1.32", "kube-apiserver-step >= 1.30, < 1.32"},

		{"the limit of a new instance counts from the newest old one", "control_plane.a: kube-apiserver=1.30", "control_plane.b: kube-apiserver=1.32", "kube-apiserver-step >= 1.30, < 1.32"},
		{"a new instance can have the next minor", "control_plane.a: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.31", ""},
		{"a new pool can have the new minor", "managed: 1.30", "managed: 1.31; node_pools.x: kubelet=1.31", ""},
		{"an old pool can be removed first", "managed: 1.30; node_pools.x: kubelet=1.27", "managed: 1.31", ""},
		{"the first API server can have any minor", "node_pools.x: kubelet=1.30", "managed: 1.31; node_pools.x: kubelet=1.30", ""},
		{"one pool can replace another", "managed: 1.30; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.y: kubelet=1.31", ""},

		{"a managed control plane is compared with the instances that replace it", "managed: 1.30", "control_plane.a: kube-apiserver=1.32; control_plane.b: kube-apiserver=1.32", "kube-apiserver-step >= 1.30, < 1.32"},
		{"instances are compared with the managed control plane that replaces them", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", "managed: 1.32", "kube-apiserver-step >= 1.30, < 1.32"},
		{"declaring instances instead of a managed control plane changes nothing", "managed: 1.30; node_pools.x: kubelet=1.27", "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.30 kubelet=1.30; node_pools.x: kubelet=1.27", ""},

		{"a step can repair kubelets that are too new", "managed: 1.30; node_pools.x: kubelet=1.32", "managed: 1.30; node_pools.x: kubelet=1.30", ""},
		{"a step can repair kubelets that are too old", "managed: 1.31; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.31", ""},
		{"a step can repair kubelets before the control plane moves", "managed: 1.30; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.30", ""},
		{"a step that repairs a violation must not cause another one", "managed: 1.30; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.31", "kubelet-apiserver >= 1.28, < 1.31"},
		{"a step can repair an API server older than its kubelets", "managed: 1.30; node_pools.x: kubelet=1.31", "managed: 1.31; node_pools.x: kubelet=1.31", ""},
		{"a step can replace an instance that is too far behind", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.28", "control_plane.a: kube-apiserver=1.31; control_plane.c: kube-apiserver=1.31", ""},

		{"a violation after the step is not reported by the step", "managed: 1.30; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.32", ""},
		{"a refused move is not reported again as an order", "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.30; node_pools.x: kubelet=1.30", "control_plane.a: kube-apiserver=1.33 kube-scheduler=1.33; node_pools.x: kubelet=1.33", "kube-apiserver-step >= 1.30, < 1.32"},
		{"several findings", "managed: 1.30; node_pools.x: kubelet=1.27 kube-proxy=1.27", "managed: 1.31; node_pools.x: kubelet=1.31 kube-proxy=1.31", "kube-proxy-apiserver >= 1.28, < 1.31; kubelet-apiserver >= 1.28, < 1.31"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := step.Check(skewtest.Kubernetes(t), skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.Any)
			var got []string
			for _, f := range result.Findings {
				got = append(got, f.RuleID+" "+f.Allowed.Constraint())
			}
			if s := strings.Join(got, "; "); s != tt.want {
				t.Errorf("%s to %s: %q, want %q", tt.from, tt.to, s, tt.want)
			}
			if len(result.Findings) > 0 && len(result.Order()) > 0 {
				t.Errorf("got order %v for a refused step", result.Order())
			}
		})
	}
}

// TestOrder expects every kube-apiserver instance first, then the controllers, then
// kubelet and kube-proxy
// (https://kubernetes.io/releases/version-skew-policy/#supported-component-upgrade-order).
func TestOrder(t *testing.T) {
	const all = "control_plane.a: kube-apiserver=1.%[1]d kube-scheduler=1.%[1]d kubelet=1.%[1]d; control_plane.b: kube-apiserver=1.%[1]d kube-scheduler=1.%[1]d; node_pools.x: kubelet=1.%[1]d kube-proxy=1.%[1]d"
	for _, tt := range []struct {
		name, from, to string
		want           []string
	}{
		{"upgrade", fmt.Sprintf(all, 30), fmt.Sprintf(all, 31), []string{
			`1 kube-apiserver [control_plane["a"] control_plane["b"]] 1.30 1.31, 1 notes`,
			`2 kube-scheduler [control_plane["a"] control_plane["b"]] 1.30 1.31, 0 notes`,
			`2 kubelet [control_plane["a"] node_pools["x"]] 1.30 1.31, 1 notes`,
			`2 kube-proxy [node_pools["x"]] 1.30 1.31, 0 notes`,
		}},
		{"nodes that are too old move first", "managed: 1.30; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.29", []string{
			`1 kubelet [node_pools["x"]] 1.27 1.29, 1 notes`,
			`2 kube-apiserver [control_plane_version] 1.30 1.31, 1 notes`,
			`3 cloud-controller-manager [control_plane_version] 1.30 1.31, 0 notes`,
			`3 kube-controller-manager [control_plane_version] 1.30 1.31, 0 notes`,
			`3 kube-scheduler [control_plane_version] 1.30 1.31, 0 notes`,
		}},
		{"a pool replaces another one", "managed: 1.30; node_pools.old: kubelet=1.27", "managed: 1.31; node_pools.new: kubelet=1.31", []string{
			`1 kubelet [node_pools["old"]] 1.27 , 0 notes`,
			`2 kube-apiserver [control_plane_version] 1.30 1.31, 1 notes`,
			`3 cloud-controller-manager [control_plane_version] 1.30 1.31, 0 notes`,
			`3 kube-controller-manager [control_plane_version] 1.30 1.31, 0 notes`,
			`3 kube-scheduler [control_plane_version] 1.30 1.31, 0 notes`,
			`3 kubelet [node_pools["new"]]  1.31, 0 notes`,
		}},
		{"instances replace a managed control plane", "managed: 1.30; node_pools.x: kubelet=1.30", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.31; control_plane.b: kube-apiserver=1.31; node_pools.x: kubelet=1.30", []string{
			`1 cloud-controller-manager [control_plane_version] 1.30 , 0 notes`,
			`1 kube-controller-manager [control_plane_version] 1.30 , 0 notes`,
			`1 kube-apiserver [control_plane["a"] control_plane["b"]] 1.30 1.31, 1 notes`,
			`2 kube-scheduler [control_plane["a"]] 1.30 1.31, 0 notes`,
		}},
		{"a controller moves to components", "managed: 1.30", "control_plane.a: kube-apiserver=1.30; components.kube-scheduler.0: kube-scheduler=1.30", []string{
			`1 cloud-controller-manager [control_plane_version] 1.30 , 0 notes`,
			`1 kube-controller-manager [control_plane_version] 1.30 , 0 notes`,
			`1 kube-scheduler [control_plane_version] 1.30 , 0 notes`,
			`1 kube-scheduler [components["kube-scheduler"][0]]  1.30, 0 notes`,
		}},
		{"a managed control plane replaces instances", "control_plane.a: kube-apiserver=1.30 kube-scheduler=1.30; control_plane.b: kube-apiserver=1.30", "managed: 1.31", []string{
			`1 kube-apiserver [control_plane_version] 1.30 1.31, 1 notes`,
			`2 cloud-controller-manager [control_plane_version]  1.31, 0 notes`,
			`2 kube-controller-manager [control_plane_version]  1.31, 0 notes`,
			`2 kube-scheduler [control_plane_version] 1.30 1.31, 0 notes`,
		}},
		{"nodes move before a new instance", "control_plane.a: kube-apiserver=1.30; node_pools.x: kubelet=1.27; node_pools.y: kubelet=1.29", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.31; node_pools.x: kubelet=1.30; node_pools.y: kubelet=1.30", []string{
			`1 kubelet [node_pools["x"]] 1.27 1.30, 1 notes`,
			`1 kubelet [node_pools["y"]] 1.29 1.30, 1 notes`,
			`2 kube-apiserver [control_plane["b"]]  1.31, 0 notes`,
		}},
		{"instances with the same change move together", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30; control_plane.c: kube-apiserver=1.30", "control_plane.c: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.31; control_plane.a: kube-apiserver=1.31", []string{
			`1 kube-apiserver [control_plane["a"] control_plane["b"] control_plane["c"]] 1.30 1.31, 1 notes`,
		}},
		{"a patch", "managed: 1.30.1", "managed: 1.30.2", []string{
			`1 cloud-controller-manager [control_plane_version] 1.30.1 1.30.2, 0 notes`,
			`1 kube-apiserver [control_plane_version] 1.30.1 1.30.2, 0 notes`,
			`1 kube-controller-manager [control_plane_version] 1.30.1 1.30.2, 0 notes`,
			`1 kube-scheduler [control_plane_version] 1.30.1 1.30.2, 0 notes`,
		}},
		{"no change", "managed: 1.30.1", "managed: v1.30.1", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := step.Check(skewtest.Kubernetes(t), skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.Any)
			if got := moves(result); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestOrderWithLocalEndpoint checks that controllers wait for all API servers, or only
// for the one on their own instance if they communicate with no other
// (https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager-1).
func TestOrderWithLocalEndpoint(t *testing.T) {
	from := skewtest.Cluster(t, "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30; control_plane.b: kube-apiserver=1.30; node_pools.x: kubelet=1.30")
	to := skewtest.Cluster(t, "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.31; control_plane.b: kube-apiserver=1.31; node_pools.x: kubelet=1.31")
	for local, want := range map[bool][]string{
		false: {
			`1 kube-apiserver [control_plane["b"]] 1.30 1.31, 1 notes`,
			`2 kube-scheduler [control_plane["a"]] 1.30 1.31, 0 notes`,
			`2 kubelet [node_pools["x"]] 1.30 1.31, 1 notes`,
		},
		true: {
			`1 kube-scheduler [control_plane["a"]] 1.30 1.31, 0 notes`,
			`1 kube-apiserver [control_plane["b"]] 1.30 1.31, 1 notes`,
			`2 kubelet [node_pools["x"]] 1.30 1.31, 1 notes`,
		},
	} {
		from.LocalEndpoint, to.LocalEndpoint = local, local
		if got := moves(step.Check(skewtest.Kubernetes(t), from, to, step.Any)); !slices.Equal(got, want) {
			t.Errorf("local %t: got %q, want %q", local, got, want)
		}
	}
}

// TestLocalEndpointOnNode checks that a local endpoint only matters in the control
// plane. A component on a node reaches all references, even if a rule also compares it
// with one on the same node.
func TestLocalEndpointOnNode(t *testing.T) {
	none := 0
	p := &policy.Policy{PairRules: []*policy.PairRule{{
		ID: "a-b", Subject: "a", Reference: "b", Scope: policy.ScopeEndpoint, Notes: policy.Notes{Severity: policy.SeverityError}, Limits: policy.Limits{MaxNewer: &none},
	}}}
	for where, want := range map[string]int{"node_pools": 2, "control_plane": 1} {
		from := skewtest.Cluster(t, fmt.Sprintf("%[1]s.x: a=1.30 b=1.31; %[1]s.y: b=1.30", where))
		to := skewtest.Cluster(t, fmt.Sprintf("%[1]s.x: a=1.31 b=1.31; %[1]s.y: b=1.31", where))
		from.LocalEndpoint, to.LocalEndpoint = true, true
		result := step.Check(p, from, to, step.Any)
		if len(result.Order()) != 2 || result.Order()[1].Stage != want {
			t.Errorf("%s: got %q, want the last move in stage %d", where, moves(result), want)
		}
	}
}

// TestPath checks that a path takes the largest steps that the policy allows.
func TestPath(t *testing.T) {
	limit := func(n int) *int { return &n }
	for _, tt := range []struct {
		max      *int
		from, to string
		want     string
	}{
		{limit(1), "1.28", "1.31", "[1.29 1.30 1.31]"},
		{limit(2), "1.28", "1.31", "[1.30 1.31]"},
		{limit(2), "1.28", "1.32", "[1.30 1.32]"},
		{limit(0), "1.28", "1.31", "[]"},
		{nil, "1.28", "1.31", "[1.31]"},
		{limit(1), "1.31", "1.31", "[]"},
		{limit(1), "1.31", "1.28", "[]"},
	} {
		p := &policy.Policy{StepRules: []*policy.StepRule{{Component: "a", StepLimits: policy.StepLimits{MaxUpgrade: tt.max}, Notes: policy.Notes{Severity: policy.SeverityError}}}}
		if got := fmt.Sprint(step.Path(p, "a", skewtest.Version(t, tt.from).Minor(), skewtest.Version(t, tt.to).Minor())); got != tt.want {
			t.Errorf("from %s to %s: %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
	kubernetes := skewtest.Kubernetes(t)
	if far := step.Path(kubernetes, "kube-apiserver", skewtest.Version(t, "1.0").Minor(), skewtest.Version(t, "1.999999999").Minor()); len(far) != step.MaxPath {
		t.Errorf("%d minors, want %d", len(far), step.MaxPath)
	}
	result := step.Check(kubernetes, skewtest.Cluster(t, "managed: 1.30"), skewtest.Cluster(t, "managed: 1.33"), step.Any)
	if f := result.Findings; len(f) != 1 || fmt.Sprint(f[0].Allowed.Minors) != "[1.30 1.31]" {
		t.Errorf("got %+v, want one finding that allows 1.30 and 1.31", f)
	}
}

// TestMoves checks that each location is listed once and in order, and that instances
// that the step adds and removes are listed.
func TestMoves(t *testing.T) {
	from := skewtest.Cluster(t, "managed: 1.30.1; node_pools.b: kubelet=1.29; node_pools.c: kubelet=1.29; node_pools.a: kubelet=1.29; node_pools.old: kubelet=1.29")
	to := skewtest.Cluster(t, "managed: 1.30.2; node_pools.b: kubelet=1.30; node_pools.c: kubelet=1.30; node_pools.a: kubelet=1.30; node_pools.new: kubelet=1.30")
	var got []string
	for _, m := range step.Moves(from, to) {
		if m.Component == "kubelet" || m.Component == "kube-apiserver" {
			got = append(got, fmt.Sprintf("%s %v %s %s", m.Component, m.Locations, m.From, m.To))
		}
	}
	want := []string{
		"kube-apiserver [control_plane_version] 1.30.1 1.30.2",
		`kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] 1.29 1.30`,
		`kubelet [node_pools["new"]]  1.30`,
		`kubelet [node_pools["old"]] 1.29 `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func moves(result step.Result) []string {
	var all []string
	for _, m := range result.Order() {
		all = append(all, fmt.Sprintf("%d %s %v %s %s, %d notes", m.Stage, m.Component, m.Locations, m.From, m.To, len(m.Notes)))
	}
	return all
}

// TestRollbackOrder checks that the order of a rollback is reversed: nodes first, then
// the API server.
func TestRollbackOrder(t *testing.T) {
	p := allowingRollback(t)
	const both = "control_plane.a: kube-apiserver=1.%[1]d kube-scheduler=1.%[1]d; node_pools.x: kubelet=1.%[1]d"
	result := step.Check(p, skewtest.Cluster(t, fmt.Sprintf(both, 31)), skewtest.Cluster(t, fmt.Sprintf(both, 30)), step.Any)
	want := []string{
		`1 kube-scheduler [control_plane["a"]] 1.31 1.30, 0 notes`,
		`1 kubelet [node_pools["x"]] 1.31 1.30, 1 notes`,
		`2 kube-apiserver [control_plane["a"]] 1.31 1.30, 1 notes`,
	}
	if got := moves(result); len(result.Findings) > 0 || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", result.Findings, got, want)
	}
}

// allowingRollback returns the policy kubernetes, with rollbacks of one minor allowed.
func allowingRollback(t testing.TB) *policy.Policy {
	t.Helper()
	p := *skewtest.Kubernetes(t)
	rule, one := *p.StepRules[0], 1
	rule.MaxDowngrade = &one
	p.StepRules = []*policy.StepRule{&rule}
	return &p
}

// TestSkippingMinors checks a policy that lets the API server skip minors. A managed
// control plane moves as a whole. Declared instances must stay within the limits
// between them while they move.
func TestSkippingMinors(t *testing.T) {
	p := *skewtest.Kubernetes(t)
	rule, three := *p.StepRules[0], 3
	rule.MaxUpgrade = &three
	p.StepRules = []*policy.StepRule{&rule}
	for _, tt := range []struct{ from, to, want string }{
		{"managed: 1.30; node_pools.x: kubelet=1.30", "managed: 1.33; node_pools.x: kubelet=1.33", ""},
		{"managed: 1.30", "managed: 1.34", "kube-apiserver-step"},
		{"control_plane.a: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.33", ""},
		{"control_plane.a: kube-apiserver=1.30 kube-scheduler=1.30", "control_plane.a: kube-apiserver=1.32 kube-scheduler=1.32", "kube-scheduler-apiserver"},
		{"control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", "control_plane.a: kube-apiserver=1.32; control_plane.b: kube-apiserver=1.32", "kube-apiserver-ha"},
		{"control_plane.a: kube-apiserver=1.30 kube-scheduler=1.30; control_plane.b: kube-apiserver=1.30", "managed: 1.32", ""},
	} {
		var got []string
		for _, f := range step.Check(&p, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.Any).Findings {
			got = append(got, f.RuleID)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s to %s: %q, want %q", tt.from, tt.to, s, tt.want)
		}
	}
}

// TestManagedControlPlaneMovesTogether checks that the components of a managed control
// plane move together, but not with the nodes.
func TestManagedControlPlaneMovesTogether(t *testing.T) {
	none := 0
	for reference, want := range map[string]int{"kubelet": 1, "kube-scheduler": 0} {
		p := &policy.Policy{PairRules: []*policy.PairRule{{
			ID: "equal", Subject: "kube-apiserver", Reference: reference, Scope: policy.ScopeCluster,
			Notes: policy.Notes{Severity: policy.SeverityError}, Limits: policy.Limits{MaxNewer: &none, MaxOlder: &none},
		}}}
		result := step.Check(p, skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.30"), skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=1.31"), step.Any)
		if len(result.Findings) != want {
			t.Errorf("with %s: %+v, want %d findings", reference, result.Findings, want)
		}
	}
}

// TestWarningsDoNotBlock checks that rules with severity warning affect neither the
// order of a step nor the versions at which it can stop.
func TestWarningsDoNotBlock(t *testing.T) {
	p := *skewtest.Kubernetes(t)
	none := 0
	p.PairRules = append(slices.Clone(p.PairRules), &policy.PairRule{
		ID: "equal", Subject: "kubelet", Reference: "kube-apiserver", Scope: policy.ScopeCluster,
		Notes: policy.Notes{Severity: policy.SeverityWarning}, Limits: policy.Limits{MaxNewer: &none, MaxOlder: &none},
	})
	result := step.Check(&p, skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.27"), skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=1.31"), step.Any)
	if f := result.Findings; len(f) != 1 || f[0].RuleID != "kubelet-apiserver" || f[0].Allowed.Constraint() != ">= 1.28, < 1.31" {
		t.Errorf("got %+v, want one finding of kubelet-apiserver", f)
	}
}

// TestFindingsSortedBySeverity checks that warnings come after errors.
func TestFindingsSortedBySeverity(t *testing.T) {
	p, none := *skewtest.Kubernetes(t), 0
	p.StepRules = append([]*policy.StepRule{{ID: "kubelet-step", Component: "kubelet", Notes: policy.Notes{Severity: policy.SeverityWarning}, StepLimits: policy.StepLimits{MaxUpgrade: &none}}}, p.StepRules...)
	result := step.Check(&p, skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.30"), skewtest.Cluster(t, "managed: 1.32; node_pools.x: kubelet=1.31"), step.Any)
	if f := result.Findings; len(f) != 2 || f[0].RuleID != "kube-apiserver-step" || f[1].RuleID != "kubelet-step" {
		t.Errorf("got %+v, want kube-apiserver-step and then kubelet-step", f)
	}
}

// TestNewNodePool checks that a new pool can have any compatible version, even if
// existing nodes only move one minor at a time.
func TestNewNodePool(t *testing.T) {
	p := skewtest.Variants(t)["workers one minor at a time"]
	for to, want := range map[string]int{
		"managed: 1.31; node_pools.a: kubelet=1.28; node_pools.b: kubelet=1.31": 0,
		"managed: 1.31; node_pools.a: kubelet=1.31":                             1,
	} {
		result := step.Check(p, skewtest.Cluster(t, "managed: 1.31; node_pools.a: kubelet=1.28"), skewtest.Cluster(t, to), step.Any)
		if len(result.Findings) != want {
			t.Errorf("to %s: %v, want %d findings", to, result.Findings, want)
		}
	}
}

// TestDuringUpgrade checks the prerequisite for upgrading kube-apiserver to N in
// https://kubernetes.io/releases/version-skew-policy/#kube-apiserver-1: kubelet
// instances on all nodes are at N-1 or N-2.
func TestDuringUpgrade(t *testing.T) {
	p := skewtest.Variants(t)["strict during an upgrade"]
	for _, tt := range []struct{ from, to, want string }{
		{"managed: 1.31; node_pools.x: kubelet=1.28", "managed: 1.31; node_pools.x: kubelet=1.28", ""}, // nothing moves, so three behind is allowed
		{"managed: 1.30; node_pools.x: kubelet=1.29", "managed: 1.31; node_pools.x: kubelet=1.29", ""},
		{"managed: 1.30; node_pools.x: kubelet=1.28", "managed: 1.31; node_pools.x: kubelet=1.28", "kubelet-apiserver >= 1.29, < 1.31"},
		{"managed: 1.30; node_pools.x: kubelet=1.28", "managed: 1.31; node_pools.x: kubelet=1.30", ""},                                                                                     // the node moves first
		{"managed: 1.30; node_pools.x: kubelet=1.28", "managed: 1.31; node_pools.x: kubelet=1.31", "kubelet-apiserver >= 1.29, < 1.31"},                                                    // the node can move neither before nor after
		{"managed: 1.30.1; node_pools.x: kubelet=1.27", "managed: 1.30.2; node_pools.x: kubelet=1.27", ""},                                                                                 // a new patch is not an upgrade
		{"managed: 1.30; node_pools.x: kubelet=1.27", "managed: 1.31; node_pools.x: kubelet=1.31", "kubelet-apiserver >= 1.29, < 1.31"},                                                    // the node has to stop at N-2 or newer
		{"control_plane.a: kube-apiserver=1.30; node_pools.x: kubelet=1.28", "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.31; node_pools.x: kubelet=1.28", ""}, // a new instance is not upgraded
		{"managed: 1.30; node_pools.x: kubelet=1.29", "managed: 1.31; node_pools.x: kubelet=1.28", ""},                                                                                     // the node rolls back afterwards
	} {
		var got []string
		for _, f := range step.Check(p, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.Any).Findings {
			got = append(got, f.RuleID+" "+f.Allowed.Constraint())
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s to %s: %q, want %q", tt.from, tt.to, s, tt.want)
		}
	}
}

// stricterDuringUpgrade returns a copy of a policy in which a kubelet may be only one minor
// older while an API server is upgraded.
func stricterDuringUpgrade(p *policy.Policy) policy.Policy {
	changed, one := *p, 1
	changed.PairRules = slices.Clone(p.PairRules)
	for i, r := range p.PairRules {
		if r.ID == "kubelet-apiserver" {
			stricter := *r
			stricter.MaxOlderDuringUpgrade = &one
			changed.PairRules[i] = &stricter
		}
	}
	return changed
}

// TestDuringUpgradeOfBrokenPair checks a node that is too old before the step. While the
// API server is upgraded, it must not exceed the stricter limit by more than it exceeds
// the limit before the step.
func TestDuringUpgradeOfBrokenPair(t *testing.T) {
	p := stricterDuringUpgrade(skewtest.Kubernetes(t))
	for _, tt := range []struct{ name, from, to, want string }{
		{"one minor too old, then two", "managed: 1.30; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.28", "kubelet-apiserver >= 1.30, < 1.31"},
		{"one minor too old, then one", "managed: 1.30; node_pools.x: kubelet=1.26", "managed: 1.31; node_pools.x: kubelet=1.29", ""},
		{"two minors too old, then two", "managed: 1.30; node_pools.x: kubelet=1.25", "managed: 1.31; node_pools.x: kubelet=1.28", ""},
	} {
		var got []string
		for _, f := range step.Check(&p, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.Any).Findings {
			got = append(got, f.RuleID+" "+f.Allowed.Constraint())
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}

// TestDuringUpgradeNodesMoveAfter checks that nodes wait for the upgrade of the API
// server if they would be too old during it, but not before or after it.
func TestDuringUpgradeNodesMoveAfter(t *testing.T) {
	p := skewtest.Variants(t)["strict during an upgrade"]
	for _, tt := range []struct{ name, from, to string }{
		{"a new pool", "managed: 1.30", "managed: 1.31; node_pools.x: kubelet=1.28"},
		{"a kubelet that rolls back", "managed: 1.30; node_pools.x: kubelet=1.29", "managed: 1.31; node_pools.x: kubelet=1.28"},
	} {
		result := step.Check(p, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.ControlPlaneFirst)
		stages := map[string]int{}
		for _, m := range result.Order() {
			stages[m.Component] = m.Stage
		}
		if len(result.Findings) > 0 || stages["kube-apiserver"] != 1 || stages["kubelet"] != 2 {
			t.Errorf("%s: got %v, %s; want the API server first", tt.name, moves(result), describeFindings(result))
		}
		result = step.Check(p, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), step.NodePoolsFirst)
		if len(result.Findings) != 1 || result.Findings[0].Allowed.Constraint() != ">= 1.29, < 1.31" {
			t.Errorf("%s with node pools first: %s; want one finding that allows 1.29 and 1.30", tt.name, describeFindings(result))
		}
	}
}

// TestRollbackIsNotAnUpgrade checks that limits during an upgrade do not apply to
// rollbacks.
func TestRollbackIsNotAnUpgrade(t *testing.T) {
	p, one := allowingRollback(t), 1
	for i, r := range p.PairRules {
		if r.ID == "kubelet-apiserver" {
			stricter := *r
			stricter.MaxOlderDuringUpgrade = &one
			p.PairRules = slices.Clone(p.PairRules)
			p.PairRules[i] = &stricter
		}
	}
	for _, tt := range []struct {
		from, to int
		want     bool
	}{{31, 30, true}, {30, 31, false}} {
		from := skewtest.Cluster(t, fmt.Sprintf("managed: 1.%d; node_pools.x: kubelet=1.28", tt.from))
		to := skewtest.Cluster(t, fmt.Sprintf("managed: 1.%d; node_pools.x: kubelet=1.28", tt.to))
		if got := len(step.Check(p, from, to, step.Any).Findings) == 0; got != tt.want {
			t.Errorf("from 1.%d to 1.%d: accepted %t, want %t", tt.from, tt.to, got, tt.want)
		}
	}
	// They do not limit where a node can stop during a rollback either.
	result := step.Check(p, skewtest.Cluster(t, "managed: 1.31; node_pools.x: kubelet=1.31"), skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.27"), step.Any)
	if f := result.Findings; len(f) != 1 || f[0].Allowed.Constraint() != ">= 1.28, < 1.31" {
		t.Errorf("got %+v, want one finding that allows 1.28 to 1.30", f)
	}
}

// TestCycle checks that moves that have to come before each other in a cycle cause one
// finding.
func TestCycle(t *testing.T) {
	none := 0
	neverNewer := func(id, subject, reference string) *policy.PairRule {
		return &policy.PairRule{ID: id, Subject: subject, Reference: reference, Scope: policy.ScopeCluster, Notes: policy.Notes{Severity: policy.SeverityError}, Limits: policy.Limits{MaxNewer: &none}}
	}
	p := &policy.Policy{PairRules: []*policy.PairRule{neverNewer("a-b", "a", "b"), neverNewer("b-c", "b", "c"), neverNewer("c-a", "c", "a")}}
	at := func(v string) skew.Cluster {
		return skewtest.Cluster(t, fmt.Sprintf("components.a.0: a=%[1]s; components.b.0: b=%[1]s; components.c.0: c=%[1]s", v))
	}
	result := step.Check(p, at("1.1"), at("1.2"), step.Any)
	if len(result.Findings) != 1 || len(result.Order()) != 0 {
		t.Errorf("got %+v, want one finding and no order", result)
	}

	// If two of the moves contradict each other directly, only these are reported.
	equal := neverNewer("b-c", "b", "c")
	equal.MaxOlder = &none
	contradiction := &policy.Policy{PairRules: []*policy.PairRule{p.PairRules[0], equal, p.PairRules[2]}}
	result = step.Check(contradiction, at("1.1"), at("1.2"), step.Any)
	if len(result.Findings) != 1 || result.Findings[0].RuleID != "b-c" || len(result.Order()) != 0 {
		t.Errorf("got %+v, want one finding on b and c", result)
	}

	// Two rules that contradict each other form a cycle of two moves.
	two := &policy.Policy{PairRules: []*policy.PairRule{p.PairRules[0], neverNewer("b-a", "b", "a")}}
	result = step.Check(two, at("1.1"), at("1.2"), step.Any)
	if len(result.Findings) != 1 || len(result.Order()) != 0 {
		t.Errorf("got %+v, want one finding", result)
	}

	// In a longer cycle, a rule can put a move between two others without contradicting
	// any: a waits for b, which waits for the other instance of a.
	three := 3
	between := neverNewer("a-b", "a", "b")
	between.MaxOlder = &three
	longer := &policy.Policy{PairRules: []*policy.PairRule{between}}
	for id, needs := range map[string][2]string{"old-c": {"< 1.2", "!= 1.9"}, "new-c": {">= 1.2", "!= 1.10"}} {
		longer.PairRules = append(longer.PairRules, &policy.PairRule{
			ID: id, Subject: "c", Reference: "a", Scope: policy.ScopeCluster, Notes: policy.Notes{Severity: policy.SeverityError},
			Requirement: &policy.Requirement{When: skewtest.Constraint(t, needs[0]), Require: skewtest.Constraint(t, needs[1])},
		})
	}
	result = step.Check(longer,
		skewtest.Cluster(t, "components.c.0: c=1.1; components.a.0: a=1.7; components.a.1: a=1.10; components.b.0: b=1.10"),
		skewtest.Cluster(t, "components.c.0: c=1.2; components.a.0: a=1.9; components.a.1: a=1.11; components.b.0: b=1.11"), step.Any)
	if len(result.Findings) != 1 || result.Findings[0].Subject.Component != "c" {
		t.Errorf("got %+v, want one finding, on the first move of the cycle", result.Findings)
	}

	p.PairRules = p.PairRules[:2]
	result = step.Check(p, at("1.1"), at("1.2"), step.Any)
	if want := []string{"1 c [components[\"c\"][0]] 1.1 1.2, 0 notes", "2 b [components[\"b\"][0]] 1.1 1.2, 0 notes", "3 a [components[\"a\"][0]] 1.1 1.2, 0 notes"}; !slices.Equal(moves(result), want) {
		t.Errorf("without the cycle: %q, want %q", moves(result), want)
	}
}

// TestNodeMovesTogether checks that moves on one node that have to come before each
// other happen together. On two nodes, they cannot.
func TestNodeMovesTogether(t *testing.T) {
	none := 0
	neverNewer := func(subject, reference string, scope policy.Scope) *policy.PairRule {
		return &policy.PairRule{ID: subject + reference, Subject: subject, Reference: reference, Scope: scope, Notes: policy.Notes{Severity: policy.SeverityError}, Limits: policy.Limits{MaxNewer: &none}}
	}
	p := &policy.Policy{PairRules: []*policy.PairRule{
		neverNewer("a", "b", policy.ScopeNode), neverNewer("b", "c", policy.ScopeNode), neverNewer("c", "d", policy.ScopeNode), neverNewer("d", "a", policy.ScopeNode),
		neverNewer("e", "a", policy.ScopeNode),
	}}
	const node = "node_pools.x: a=%[1]s b=%[1]s c=%[1]s d=%[1]s e=%[1]s"
	result := step.Check(p, skewtest.Cluster(t, fmt.Sprintf(node, "1.1")), skewtest.Cluster(t, fmt.Sprintf(node, "1.2")), step.Any)
	want := []string{
		`1 a [node_pools["x"]] 1.1 1.2, 0 notes`, `1 b [node_pools["x"]] 1.1 1.2, 0 notes`, `1 c [node_pools["x"]] 1.1 1.2, 0 notes`,
		`1 d [node_pools["x"]] 1.1 1.2, 0 notes`, `2 e [node_pools["x"]] 1.1 1.2, 0 notes`,
	}
	if got := moves(result); len(result.Findings) > 0 || !slices.Equal(got, want) {
		t.Errorf("got %v and %q, want %q", result.Findings, got, want)
	}
	p.PairRules[2], p.PairRules[3] = neverNewer("c", "d", policy.ScopeCluster), neverNewer("d", "a", policy.ScopeCluster)
	const two = node + "; node_pools.y: a=%[1]s b=%[1]s c=%[1]s d=%[1]s"
	if result := step.Check(p, skewtest.Cluster(t, fmt.Sprintf(two, "1.1")), skewtest.Cluster(t, fmt.Sprintf(two, "1.2")), step.Any); len(result.Findings) == 0 {
		t.Errorf("got %q, want a finding", moves(result))
	}
}

// TestConflictLocations checks that a finding on an order lists all affected locations
// without duplicates.
func TestConflictLocations(t *testing.T) {
	p := *skewtest.Kubernetes(t)
	p.StepRules = nil
	const three = "control_plane.c: kube-apiserver=1.%[1]d; control_plane.a: kube-apiserver=1.%[1]d; control_plane.b: kube-apiserver=1.%[1]d; node_pools.y: kubelet=1.%[2]d; node_pools.x: kubelet=1.%[2]d"
	result := step.Check(&p, skewtest.Cluster(t, fmt.Sprintf(three, 30, 30)), skewtest.Cluster(t, fmt.Sprintf(three, 32, 30)), step.Any)
	const all = `[control_plane["a"] control_plane["b"] control_plane["c"]]`
	if f := result.Findings; len(f) != 1 || fmt.Sprint(f[0].Subject.Locations) != all || fmt.Sprint(f[0].Reference.Locations) != all {
		t.Errorf("got %+v, want one finding on %s", f, all)
	} else if f[0].Allowed.Constraint() != ">= 1.31, < 1.32" {
		t.Errorf("allowed %s, want only 1.31, which is compatible with 1.30 and 1.32", f[0].Allowed.Constraint())
	}
}

// TestNoIntermediateStop checks API servers that would have to stop at an intermediate
// minor at which a node of the same step is too old.
func TestNoIntermediateStop(t *testing.T) {
	p := skewtest.Variants(t)["API server may skip"]
	const three = "control_plane.a: kube-apiserver=1.%[1]d; control_plane.b: kube-apiserver=1.%[1]d; node_pools.x: kubelet=1.%[2]d"
	for kubelet, want := range map[int]string{27: "< 0", 29: ">= 1.31, < 1.32"} {
		result := step.Check(p, skewtest.Cluster(t, fmt.Sprintf(three, 30, kubelet)), skewtest.Cluster(t, fmt.Sprintf(three, 32, 30)), step.Any)
		if f := result.Findings; len(f) != 1 || f[0].RuleID != "kube-apiserver-ha" || f[0].Allowed.Constraint() != want {
			t.Errorf("kubelet 1.%d: got %+v, want one finding that allows %s", kubelet, f, want)
		}
	}
}

// TestIntermediateStopForAllLocations checks that a finding about several node pools allows
// a version as an intermediate stop only if all of them can stop there. "kube-proxy may be
// up to three minor versions older or newer than the kubelet instance it runs alongside",
// or two before 1.25: https://kubernetes.io/releases/version-skew-policy/#kube-proxy
func TestIntermediateStopForAllLocations(t *testing.T) {
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		from := fmt.Sprintf("control_plane.x: kube-apiserver=1.25; node_pools.%s: kubelet=1.25 kube-proxy=1.21; node_pools.%s: kubelet=1.25 kube-proxy=1.22", names[0], names[1])
		result := step.Check(allowingRollback(t), skewtest.Cluster(t, from), skewtest.Cluster(t, "control_plane.x: kube-apiserver=1.24; node_pools.a: kubelet=1.22; node_pools.b: kubelet=1.22"), step.Any)
		if len(result.Findings) != 1 || result.Findings[0].Allowed.Constraint() != ">= 1.23, < 1.24" {
			t.Errorf("from %s: %+v, want one finding that allows >= 1.23, < 1.24", from, result.Findings)
		}
	}
}

// TestTransientViolationReportedOnce checks that a node that is too old during an
// upgrade is not also reported for the order of its moves.
func TestTransientViolationReportedOnce(t *testing.T) {
	p := stricterDuringUpgrade(skewtest.Variants(t)["API server may skip"])
	result := step.Check(&p, skewtest.Cluster(t, "managed: 1.30; node_pools.x: kubelet=1.28"), skewtest.Cluster(t, "managed: 1.33; node_pools.x: kubelet=1.31"), step.Any)
	if len(result.Findings) != 1 {
		t.Errorf("got %+v, want one finding", result.Findings)
	}
}

// TestStepAgainstBruteForce checks that a step between two valid combinations is
// accepted if and only if at least one order of single moves leads through valid
// combinations only. kubelet and kube-proxy of one node may move together.
func TestStepAgainstBruteForce(t *testing.T) {
	p := kubernetesWithoutStepRules(t)
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		from, to := randomStep(t)
		if len(skew.Findings(p, from)) > 0 || len(skew.Findings(p, to)) > 0 {
			t.Skip("the combination before or after is invalid")
		}
		want := newBruteForce(p, from, to).accepts(step.Any)
		result := step.Check(p, from, to, step.Any)
		if got := len(result.Findings) == 0; got != want {
			t.Fatalf("accepted %t, has a valid order %t: %v", got, want, result.Findings)
		}
		if want {
			accepted++
		} else {
			refused++
		}
	})
	checkDraw(t, accepted, refused)
}

// checkDraw fails if the random steps are all accepted or all refused, unless there
// were only a few.
func checkDraw(t *testing.T, accepted, refused int) {
	t.Helper()
	t.Logf("%d steps accepted, %d refused", accepted, refused)
	if accepted+refused >= 50 && (accepted == 0 || refused == 0) {
		t.Errorf("random steps are one-sided: %d accepted, %d refused", accepted, refused)
	}
}

// randomStep draws a step of a few instances in which the API server moves by at most one
// minor. It moves, adds and removes components.
func randomStep(t *rapid.T) (from, to skew.Cluster) {
	return skewtest.Random{
		Newest: rapid.SampledFrom([]int{24, 25, 26, 27, 28, 36}).Draw(t, "api"), By: rapid.SampledFrom([]int{-1, 0, 1, 1}).Draw(t, "by"),
		Lag: 1, Behind: 2, Ahead: 1, Stays: 6, Emulation: true, MaxInstances: 7, Components: []string{"mesh"},
	}.Step(t)
}

// TestRuleWithinNode checks that the kubelet and the kube-proxy of one node can move at
// the same time, whatever the scope of a rule between them, but those of two nodes cannot.
func TestRuleWithinNode(t *testing.T) {
	for _, scope := range policy.Scopes {
		p := skewtest.Extended(t, "kubernetes", fmt.Sprintf(`{"skew_rules": {"same": {"subject": "kube-proxy", "reference": "kubelet", "scope": %q, "max_newer": 0, "max_older": 0}}}`, scope))
		for _, tt := range []struct {
			from, to string
			refused  bool
		}{
			{"managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.30", "managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.31", false},
			{"control_plane.a: kube-apiserver=1.31 kubelet=1.30 kube-proxy=1.30", "control_plane.a: kube-apiserver=1.31 kubelet=1.31 kube-proxy=1.31", false},
			{
				"managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.30; node_pools.b: kubelet=1.30 kube-proxy=1.30",
				"managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.31; node_pools.b: kubelet=1.31 kube-proxy=1.31", scope != policy.ScopeNode,
			},
		} {
			for _, order := range step.ApplyOrders {
				result := step.Check(p, skewtest.Cluster(t, tt.from), skewtest.Cluster(t, tt.to), order)
				if (len(result.Findings) > 0) != tt.refused {
					t.Errorf("scope %s, %s: %s to %s: %s", scope, order, tt.from, tt.to, describeFindings(result))
				}
			}
		}
	}
}
