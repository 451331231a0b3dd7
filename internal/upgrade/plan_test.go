package upgrade_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// stages writes a plan down, a stage a line.
func stages(plan upgrade.Plan) []string {
	var all []string
	for _, s := range plan.Stages {
		var where []string
		for _, l := range s.Locations {
			where = append(where, l.String())
		}
		line := fmt.Sprintf("%s %s [%s] %v to %s", s.Kind, strings.Join(s.Components, "+"), strings.Join(where, " "), s.From, s.To)
		if s.Drain() {
			line += ", drain"
		}
		if s.Repairs {
			line += ", repairs"
		}
		all = append(all, line)
	}
	return all
}

const fourComponents = "kube-apiserver+kube-controller-manager+kube-scheduler+cloud-controller-manager"

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name, cluster, target string
		available             string
		strategy              upgrade.Strategy
		want                  []string
	}{
		{"nothing to do", "managed: 1.31.2; node_pools.a: kubelet=1.31.2", "1.31", "", "", nil},
		{"one minor", "managed: 1.30.8; node_pools.a: kubelet=1.30.8 kube-proxy=1.30.8", "1.31.2", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30.8] to 1.31.2",
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.30.8] to 1.31.2, drain`,
		}},
		{"three minors with one rollout, as kubelets may be three behind", "managed: 1.28; node_pools.a: kubelet=1.28", "1.31", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.28] to 1.29",
			"control_plane " + fourComponents + " [control_plane_version] [1.29] to 1.30",
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.31, drain`,
		}},
		{"each pool moves as rarely as it may", "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30", "1.34", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet [node_pools["b"]] [1.30] to 1.33, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.34",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.31 1.33] to 1.34, drain`,
		}},
		{"pools follow", "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30", "1.33", "", upgrade.Follow, []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.30 1.31] to 1.32, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.32] to 1.33, drain`,
		}},
		{"kubelets before 1.25 may be two behind", "managed: 1.24; node_pools.a: kubelet=1.24", "1.27", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.24] to 1.25",
			"control_plane " + fourComponents + " [control_plane_version] [1.25] to 1.26",
			`node_pools kubelet [node_pools["a"]] [1.24] to 1.26, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.26] to 1.27",
			`node_pools kubelet [node_pools["a"]] [1.26] to 1.27, drain`,
		}},
		{"instances: API servers, then controllers, and their nodes", "control_plane.a: kube-apiserver=1.30 kube-controller-manager=1.30 kube-scheduler=1.30 kubelet=1.30; control_plane.b: kube-apiserver=1.30 kube-scheduler=1.30", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"] control_plane["b"]] [1.30] to 1.31`,
			`control_plane kube-controller-manager+kube-scheduler [control_plane["a"] control_plane["b"]] [1.30] to 1.31`,
			`control_plane kubelet [control_plane["a"]] [1.30] to 1.31, drain`,
		}},
		{"an upgrade in the middle is finished first", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30; control_plane.b: kube-apiserver=1.30 kube-scheduler=1.30", "1.32", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.30] to 1.31`,
			`control_plane kube-scheduler [control_plane["a"] control_plane["b"]] [1.30] to 1.31`,
			`control_plane kube-apiserver [control_plane["a"] control_plane["b"]] [1.31] to 1.32`,
			`control_plane kube-scheduler [control_plane["a"] control_plane["b"]] [1.31] to 1.32`,
		}},
		{"controllers that lag catch up first", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30", "1.32", "", "", []string{
			`control_plane kube-scheduler [control_plane["a"]] [1.30] to 1.31`,
			`control_plane kube-apiserver [control_plane["a"]] [1.31] to 1.32`,
			`control_plane kube-scheduler [control_plane["a"]] [1.31] to 1.32`,
		}},
		{"kubectl moves when its window demands it", "managed: 1.30; kubectl.0: kubectl=1.31; kubectl.1: kubectl=1.32", "1.33", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31, repairs",
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`clients kubectl [kubectl[0]] [1.31] to 1.33`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
		}},
		{"kube-proxy that lags moves when it must", "managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.29", "1.33", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kube-proxy [node_pools["a"]] [1.29] to 1.32`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet [node_pools["a"]] [1.31] to 1.33, drain`,
		}},
		{"a patch", "managed: 1.35.1; node_pools.a: kubelet=1.35.1", "1.35.2", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.35.1] to 1.35.2",
			`node_pools kubelet [node_pools["a"]] [1.35.1] to 1.35.2`,
		}},
		{"newest available patch of each minor", "managed: 1.31.0; node_pools.a: kubelet=1.29.1", "1.33", "1.31.0 1.31.4 1.32.0 1.32.2 1.33.0 1.33.1", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0] to 1.32.2",
			`node_pools kubelet [node_pools["a"]] [1.29.1] to 1.32.2, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32.2] to 1.33.1",
			`node_pools kubelet [node_pools["a"]] [1.32.2] to 1.33.1, drain`,
		}},
		{"the newest patch, wherever it is listed", "managed: 1.31.0", "1.33", "1.33.1 1.32.2 1.32.0 1.33.0", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0] to 1.32.2",
			"control_plane " + fourComponents + " [control_plane_version] [1.32.2] to 1.33.1",
		}},
		{"of builds without an order the last", "managed: 1.31.0", "1.32", "1.32.1+b.1 1.32.1+b.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0] to 1.32.1+b.2",
		}},
		{"a target is what was asked for, listed or not", "managed: 1.30.1", "1.31.2", "1.31.4", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30.1] to 1.31.2",
		}},
		{"a newer patch is good enough", "managed: 1.31.5", "1.31.2", "", "", nil},
		{"any build of a patch is good enough", "managed: 1.31.2+a", "1.31.2", "", "", nil},
		{"unless one is asked for", "managed: 1.31.2+a", "1.31.2+b", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.2+a] to 1.31.2+b",
		}},
		{"on the way nodes get what the API servers run", "control_plane.a: kube-apiserver=1.31.2; node_pools.a: kubelet=1.26", "1.32", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.26] to 1.31.2, drain, repairs`,
			`control_plane kube-apiserver [control_plane["a"]] [1.31.2] to 1.32`,
			`node_pools kubelet [node_pools["a"]] [1.31.2] to 1.32, drain`,
		}},
		{"the last of builds without an order", "managed: 1.31.0", "1.32.1+b.2", "1.32.1+b.1 1.32.1+b.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0] to 1.32.1+b.2",
		}},

		{"too old: repaired first", "managed: 1.31.2; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.31", "1.32", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.26] to 1.31.2, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31.2] to 1.32",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.31 1.31.2] to 1.32, drain`,
		}},
		{"too new: the control plane catches up", "managed: 1.31; node_pools.a: kubelet=1.32", "1.33", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32, repairs",
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet [node_pools["a"]] [1.32] to 1.33, drain`,
		}},
		{"a client that is too new for all of it", "managed: 1.30; kubectl.0: kubectl=1.33", "1.31", "", "", []string{
			`clients kubectl [kubectl[0]] [1.33] to 1.31, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
		}},
		{"too new for the target: repaired first", "managed: 1.31; node_pools.a: kubelet=1.33", "1.32", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.33] to 1.31, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kubelet [node_pools["a"]] [1.31] to 1.32, drain`,
		}},
		{"API servers too far apart", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.29", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.29] to 1.30, repairs`,
			`control_plane kube-apiserver [control_plane["b"]] [1.30] to 1.31`,
		}},

		{"what is alike but on another kind of place moves on its own", "control_plane.a: kube-apiserver=1.30; control_plane.m: kubelet=1.30; control_plane.n: kubelet=1.30; node_pools.a: kubelet=1.30", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.30] to 1.31`,
			`control_plane kubelet [control_plane["m"] control_plane["n"]] [1.30] to 1.31, drain`,
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
		{"all that are alike are named", "node_pools.d: kubelet=1.30; node_pools.a: kubelet=1.30; node_pools.c: kubelet=1.30; node_pools.b: kubelet=1.30", "1.33", "", "", []string{
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"] node_pools["d"]] [1.30] to 1.33, drain`,
		}},
		{"a target without a patch is any, whatever others run", "control_plane.a: kube-apiserver=1.31.2; control_plane.b: kube-apiserver=1.30.4", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.30.4] to 1.31`,
		}},
		{"a target's build for nodes too", "managed: 1.31.2+b; node_pools.a: kubelet=1.31.2+a", "1.31.2+b", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.31.2+a] to 1.31.2+b`,
		}},
		{"nodes that have no newer patch to go to stay", "managed: 1.31.2; node_pools.a: kubelet=1.31.1", "1.31", "1.31.1", "", nil},
		{"the furthest first, for others to join", "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.26; node_pools.c: kubelet=1.27", "1.35", "", "", []string{
			`node_pools kubelet [node_pools["b"] node_pools["c"]] [1.26 1.27] to 1.31, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.34",
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.31] to 1.34, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.34] to 1.35",
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.34] to 1.35, drain`,
		}},
		{"controllers and nodes of a control plane are repaired one after another", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29 kubelet=1.26; control_plane.b: kube-apiserver=1.31 kube-controller-manager=1.29", "1.31", "", "", []string{
			`control_plane kube-scheduler+kube-controller-manager [control_plane["a"] control_plane["b"]] [1.29] to 1.31, repairs`,
			`control_plane kubelet [control_plane["a"]] [1.26] to 1.31, drain, repairs`,
		}},
		{"drained where any of them moves a minor", "managed: 1.31.2; node_pools.a: kubelet=1.31.1; node_pools.b: kubelet=1.30.1", "1.31.2", "", "", []string{
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.30.1 1.31.1] to 1.31.2, drain`,
		}},
		{"controllers are repaired apart where one of them stays", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29 kube-controller-manager=1.30; control_plane.b: kube-apiserver=1.31 kube-controller-manager=1.29", "1.31", "", "", []string{
			`control_plane kube-scheduler [control_plane["a"]] [1.29] to 1.31, repairs`,
			`control_plane kube-controller-manager [control_plane["b"]] [1.29] to 1.31, repairs`,
			`control_plane kube-controller-manager [control_plane["a"]] [1.30] to 1.31`,
		}},
		{"too new: an API server on its own catches up, in two steps", "control_plane.a: kube-apiserver=1.31; node_pools.a: kubelet=1.33", "1.34", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.31] to 1.32`,
			`control_plane kube-apiserver [control_plane["a"]] [1.32] to 1.33, repairs`,
			`control_plane kube-apiserver [control_plane["a"]] [1.33] to 1.34`,
			`node_pools kubelet [node_pools["a"]] [1.33] to 1.34, drain`,
		}},
		{"an API server with a newer patch stays", "control_plane.a: kube-apiserver=1.31.5; control_plane.b: kube-apiserver=1.31.1", "1.31.2", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.31.1] to 1.31.2`,
		}},
		{"controllers are repaired together, whatever others do", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29 kube-controller-manager=1.31; control_plane.b: kube-apiserver=1.31 kube-controller-manager=1.29; control_plane.c: kube-apiserver=1.31 kube-controller-manager=1.30", "1.31", "", "", []string{
			`control_plane kube-scheduler+kube-controller-manager [control_plane["a"] control_plane["b"]] [1.29] to 1.31, repairs`,
			`control_plane kube-controller-manager [control_plane["c"]] [1.30] to 1.31`,
		}},
		{"a kubelet that can be mended before its kube-proxy", "managed: 1.31; node_pools.a: kubelet=1.24 kube-proxy=1.34", "1.31", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.24] to 1.31, drain, repairs`,
			`node_pools kube-proxy [node_pools["a"]] [1.34] to 1.31, repairs`,
		}},
		{"a kube-proxy that the API server catches up with", "managed: 1.30; node_pools.a: kubelet=1.30 kube-proxy=1.31", "1.31", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31, repairs",
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
		{"a pre-release, where there is no release", "managed: 1.31.0-rc.1; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.30.2 1.31.0-rc.1", "", nil},
		{"a pre-release, where its minor is not available", "managed: 1.31.0-rc.1; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.30.2", "", nil},
		{"a pre-release behind a release", "managed: 1.31.2; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.31.0-rc.1", "", nil},
		{"a pre-release, where there is a release", "managed: 1.31.0-rc.1; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.31.0-rc.1 1.31.0", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0-rc.1] to 1.31.0",
			`node_pools kubelet [node_pools["a"]] [1.31.0-rc.1] to 1.31.0`,
		}},
		{"a patch that no list names", "managed: 1.31.2", "1.31.5", "1.31.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.2] to 1.31.5",
		}},
		{"a pre-release, with no list", "managed: 1.31.2; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.31.0-rc.1] to 1.31`,
		}},
		{"a kubelet at the target, and its kube-proxy a patch behind", "managed: 1.31.2; node_pools.a: kubelet=1.31.2 kube-proxy=1.31.1", "1.31.2", "", "", []string{
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.31.1 1.31.2] to 1.31.2`,
		}},
		{"kube-proxy and its kubelet, neither of which can be mended alone", "managed: 1.31; node_pools.a: kubelet=1.24 kube-proxy=1.35", "1.31", "", "", []string{
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.24 1.35] to 1.31, drain, repairs`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.cluster, tt.target)
			r.Strategy = tt.strategy
			for _, v := range strings.Fields(tt.available) {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			if !plan.Feasible || !slices.Equal(stages(plan), tt.want) {
				t.Errorf("feasible %t %v, got\n%s\nwant\n%s", plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
			}
			checkWalk(t, r, plan)
		})
	}
}

func request(t testing.TB, cluster, target string) upgrade.Request {
	t.Helper()
	return upgrade.Request{Policy: skewtest.Kubernetes(t), Cluster: skewtest.Cluster(t, cluster), Target: skewtest.Version(t, target)}
}

func TestPlanThatIsNotPossible(t *testing.T) {
	for _, tt := range []struct{ name, cluster, target, available, want string }{
		{"going back", "managed: 1.31", "1.30", "", "kube-apiserver-step"},
		{"another major", "managed: 1.31", "2.0", "", "kube-apiserver-step"},
		{"a minor that is not available", "managed: 1.30.2", "1.33.0", "1.32.0 1.33.0", "kube-apiserver-step"},
		{"a target that is not available", "managed: 1.30.2", "1.31", "1.30.2", "kube-apiserver-step"},
		{"an API server of another major", "control_plane.a: kube-apiserver=2.0; control_plane.b: kube-apiserver=1.31", "2.0", "", "kube-apiserver-step"},
		{"what is broken, and nobody moves", "managed: 1.31; components.kubelet.0: kubelet=1.26", "1.31", "", "kubelet-apiserver"},
		{"nodes of another major", "managed: 2.0; node_pools.a: kubelet=1.31", "2.0", "", "kubelet-apiserver"},
		{"a target further away than anybody goes", "managed: 1.30", "1.999", "", "kube-apiserver-step"},
		{"a target further away, and nodes to be repaired", "managed: 1.30; node_pools.a: kubelet=1.32", "1.999999999", "", "kube-apiserver-step"},
		{"a component that nobody moves", "managed: 1.30; components.kubelet.0: kubelet=1.28", "1.32", "", "kubelet-apiserver"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.cluster, tt.target)
			for _, v := range strings.Fields(tt.available) {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			var rules []string
			for _, f := range plan.Findings {
				rules = append(rules, f.RuleID)
			}
			if !slices.IsSorted(rules) {
				t.Errorf("%v are in no order", rules)
			}
			if plan.ControlPlaneSteps != 0 || plan.NodePoolRollouts != 0 {
				t.Errorf("%d steps and %d rollouts of a plan that is not possible", plan.ControlPlaneSteps, plan.NodePoolRollouts)
			}
			if plan.Feasible || len(plan.Stages) > 0 || !slices.Contains(rules, tt.want) {
				t.Errorf("feasible %t, stages %v, findings %v; want one of %s", plan.Feasible, stages(plan), rules, tt.want)
			}
		})
	}
}

// TestPlanToAnotherMajor: the step that is refused is the one from what runs.
func TestPlanToAnotherMajor(t *testing.T) {
	plan := upgrade.Compute(request(t, "managed: 1.31", "2.0"))
	if len(plan.Findings) != 1 || plan.Findings[0].Reference.Version.String() != "1.31" || plan.Findings[0].Subject.Version.String() != "2.0" {
		t.Errorf("got %+v, want one finding, on the step from 1.31 to 2.0", plan.Findings)
	}
}

// TestPlanAgainstARequirement: where a requirement leaves no way, the plan says
// so, whatever could be tried.
func TestPlanAgainstARequirement(t *testing.T) {
	for _, tt := range []struct{ name, subject, when, reference, require, cluster string }{
		{"of a kube-proxy that lags", "kube-proxy", ">= 1.0", "kube-apiserver", ">= 2.0", "managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.26"},
		{"of controllers that move together", "kube-scheduler", ">= 1.31", "kube-controller-manager", "< 1.31", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30 kube-controller-manager=1.30"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.cluster, "1.31")
			p := *r.Policy
			p.PairRules = append(slices.Clone(p.PairRules), &policy.PairRule{
				ID: "needs", Subject: tt.subject, Reference: tt.reference, Scope: policy.ScopeCluster, Notes: policy.Notes{Severity: policy.SeverityError},
				Requirement: &policy.Requirement{When: skewtest.Constraint(t, tt.when), Require: skewtest.Constraint(t, tt.require)},
			})
			r.Policy = &p
			plan := upgrade.Compute(r)
			if plan.Feasible || !slices.ContainsFunc(plan.Findings, func(f finding.Finding) bool { return f.RuleID == "needs" }) {
				t.Errorf("feasible %t, findings %+v, want one of the requirement", plan.Feasible, plan.Findings)
			}
		})
	}
}

// TestPlanNamesWhatIsNotAvailable: the minor on the way, and all that need it.
func TestPlanNamesWhatIsNotAvailable(t *testing.T) {
	for _, tt := range []struct{ cluster, target, available, where, want string }{
		{"control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30; control_plane.c: kube-apiserver=1.30", "1.32", "1.32.0", `[control_plane["a"] control_plane["b"] control_plane["c"]]`, "1.31"},
		{"managed: 1.31; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.26; node_pools.c: kubelet=1.26", "1.32", "1.32.0", `[node_pools["a"] node_pools["b"] node_pools["c"]]`, "1.31"},
		{"managed: 1.31; node_pools.a: kubelet=1.28", "1.32", "1.32.0 1.30.0", `[node_pools["a"]]`, "1.31"},
	} {
		r := request(t, tt.cluster, tt.target)
		for _, v := range strings.Fields(tt.available) {
			r.Available = append(r.Available, skewtest.Version(t, v))
		}
		var got []string
		for _, f := range upgrade.Compute(r).Findings {
			if cause, ok := f.Cause.(*finding.NotAvailable); ok {
				got = append(got, fmt.Sprintf("%s %s %s", f.Subject.Locations, cause.Minor, f.Allowed.Constraint()))
			}
		}
		minor := skewtest.Version(t, tt.want).Minor()
		if want := fmt.Sprintf("%s %s >= %s, < %s", tt.where, minor, minor, minor.Add(1)); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", tt.cluster, got, want)
		}
	}
}

// TestPlanSaysWhatIsInTheWay: of nodes that a policy never lets move, the rule
// that would be broken if the API server moved on without them, or the one that
// keeps them.
func TestPlanSaysWhatIsInTheWay(t *testing.T) {
	p, none := *skewtest.Kubernetes(t), 0
	p.StepRules = append(slices.Clone(p.StepRules), &policy.StepRule{ID: "kubelet-step", Component: "kubelet", Notes: policy.Notes{Severity: policy.SeverityError}, MaxUpgrade: &none})
	for cluster, want := range map[string]string{
		"managed: 1.30; node_pools.a: kubelet=1.27": "kubelet-apiserver kubelet 1.27 kube-apiserver 1.31",
		"managed: 1.30; node_pools.a: kubelet=1.30": "kubelet-step kubelet 1.31 kubelet 1.30",
	} {
		r := request(t, cluster, "1.31")
		r.Policy = &p
		plan := upgrade.Compute(r)
		var got []string
		for _, f := range plan.Findings {
			got = append(got, fmt.Sprint(f.RuleID, " ", f.Subject.Component, " ", f.Subject.Version, " ", f.Reference.Component, " ", f.Reference.Version))
		}
		if plan.Feasible || !slices.Equal(got, []string{want}) {
			t.Errorf("%s: feasible %t, %q; want %q", cluster, plan.Feasible, got, want)
		}
	}
}

// TestPlanTellsErrorsOnly: of what is broken now, in the order of the rules.
func TestPlanTellsErrorsOnly(t *testing.T) {
	r := request(t, "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.26; kubectl.0: kubectl=1.35", "1.31")
	p, none := *r.Policy, 0
	p.PairRules = append([]*policy.PairRule{{
		ID: "equal", Subject: "kubelet", Reference: "kube-apiserver", Scope: policy.ScopeCluster,
		Notes: policy.Notes{Severity: policy.SeverityWarning}, Limits: policy.Limits{MaxNewer: &none, MaxOlder: &none},
	}}, p.PairRules...)
	slices.Reverse(p.PairRules)
	r.Policy = &p
	var got []string
	for _, f := range upgrade.Compute(r).Findings {
		got = append(got, f.RuleID)
	}
	if want := []string{"kube-proxy-apiserver", "kube-proxy-kubelet", "kubectl-apiserver"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEnginePlans: never more rollouts than the fewest, and the same
// control-plane steps as another engine.
func TestEnginePlans(t *testing.T) {
	text, err := os.ReadFile("testdata/engines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Source, Target, Verdict string
		ControlPlane                string `json:"control_plane"`
		Pools                       map[string]string
		Available, Steps            []string
		Fewest                      *int
	}
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		t.Run(row.ID, func(t *testing.T) {
			cluster := "control_plane.a: kube-apiserver=" + row.ControlPlane
			for name, v := range row.Pools {
				cluster += fmt.Sprintf("; node_pools.%s: kubelet=%s", name, v)
			}
			r := request(t, cluster, row.Target)
			for _, v := range row.Available {
				r.Available = append(r.Available, skewtest.Version(t, v))
			}
			plan := upgrade.Compute(r)
			var steps []string
			for _, s := range plan.Stages {
				if s.Kind == upgrade.KindControlPlane {
					steps = append(steps, s.To.String())
				}
			}
			var want []string
			for i, s := range row.Steps {
				if len(row.Available) == 0 && i < len(row.Steps)-1 {
					s = skewtest.Version(t, s).Minor().String() // no patch was asked for
				}
				want = append(want, s)
			}
			if plan.Feasible != (row.Verdict == "ok") || !slices.Equal(steps, want) {
				t.Errorf("%s: feasible %t, steps %v; want %s, %v", row.Source, plan.Feasible, steps, row.Verdict, want)
			}
			if row.Fewest != nil && plan.NodePoolRollouts != *row.Fewest {
				t.Errorf("%s: %d rollouts, want %d", row.Source, plan.NodePoolRollouts, *row.Fewest)
			}
			checkWalk(t, r, plan)
		})
	}
}

// checkWalk replays a plan: after every stage, and after every single move
// within one, the combination breaks nothing that was not broken in the
// beginning; each stage is an accepted step; and in the end all is at the
// target.
func checkWalk(t interface {
	Helper()
	Errorf(format string, args ...any)
}, r upgrade.Request, plan upgrade.Plan) {
	t.Helper()
	brokenAtFirst := map[string]bool{}
	for _, f := range skew.Evaluate(r.Policy, r.Cluster) {
		brokenAtFirst[f.RuleID] = true
	}
	check := func(c skew.Cluster, when string) {
		for _, f := range skew.Evaluate(r.Policy, c) {
			if !brokenAtFirst[f.RuleID] {
				t.Errorf("%s, %s %s breaks %s beside %s", when, f.Subject.Component, f.Subject.Version, f.RuleID, f.Reference.Version)
			}
		}
	}
	now := r.Cluster
	steps, rollouts := 0, 0
	for number, stage := range plan.Stages {
		next := skew.Cluster{LocalEndpoint: now.LocalEndpoint}
		for _, p := range now.Places {
			instances := slices.Clone(p.Instances)
			if slices.Contains(stage.Locations, p.Location) {
				for i := range instances {
					if slices.Contains(stage.Components, instances[i].Component) {
						instances[i].Version = stage.To
					}
				}
			}
			next.Places = append(next.Places, skew.Place{Location: p.Location, Instances: instances})
		}
		for i := range now.Places {
			half := skew.Cluster{LocalEndpoint: now.LocalEndpoint, Places: slices.Concat(next.Places[:i], now.Places[i:])}
			check(half, fmt.Sprintf("in the middle of stage %d", number+1))
		}
		check(next, fmt.Sprintf("after stage %d", number+1))
		checkStage(t, r.Policy, stage, now, next)
		if slices.Contains(stage.Components, "kube-apiserver") {
			steps++
		}
		for _, p := range now.Places {
			if stage.Kind == upgrade.KindNodePools && slices.Contains(stage.Locations, p.Location) && slices.Contains(stage.Components, p.Instances[0].Component) {
				rollouts++
			}
		}
		for _, f := range upgrade.Evaluate(r.Policy, now, next, upgrade.Any).Findings {
			t.Errorf("stage %d is refused by %s", number+1, f.RuleID)
		}
		if number == 0 && !slices.EqualFunc(plan.Next.Places, next.Places, func(a, b skew.Place) bool {
			return a.Location == b.Location && slices.EqualFunc(a.Instances, b.Instances, func(x, y skew.Instance) bool {
				return x.Component == y.Component && x.Version.String() == y.Version.String()
			})
		}) {
			t.Errorf("next is %v, after the first stage it is %v", plan.Next, next)
		}
		now = next
	}
	if steps != plan.ControlPlaneSteps || rollouts != plan.NodePoolRollouts {
		t.Errorf("%d steps and %d rollouts, counted %d and %d", plan.ControlPlaneSteps, plan.NodePoolRollouts, steps, rollouts)
	}
	if len(plan.Stages) == 0 && !slices.EqualFunc(plan.Next.Places, r.Cluster.Places, func(a, b skew.Place) bool { return a.Location == b.Location }) {
		t.Errorf("nothing moves, and next is %v", plan.Next)
	}
	if !plan.Feasible {
		return
	}
	if left := skew.Evaluate(r.Policy, now); len(left) > 0 {
		t.Errorf("in the end, %s is broken", left[0].RuleID)
	}
	for _, p := range now.Places {
		for _, i := range p.Instances {
			mustArrive := p.Location.InControlPlane() || p.Location.Attribute == finding.NodePools && i.Component == "kubelet"
			if mustArrive && i.Version.Minor() != r.Target.Minor() {
				t.Errorf("in the end, %s of %s is at %s", i.Component, p.Location, i.Version)
			}
		}
	}
}

// checkStage derives what a stage says of itself from the clusters before and
// after it.
func checkStage(t interface {
	Helper()
	Errorf(format string, args ...any)
}, p *policy.Policy, stage upgrade.Stage, before, after skew.Cluster) {
	t.Helper()
	from, notes := map[string]bool{}, map[*policy.Advisory]bool{}
	for i, place := range before.Places {
		kind := upgrade.KindNodePools
		switch {
		case place.Location.InControlPlane():
			kind = upgrade.KindControlPlane
		case place.Location.Attribute == finding.Kubectl:
			kind = upgrade.KindClients
		}
		moves := false
		for j, instance := range place.Instances {
			a, b := instance.Version, after.Places[i].Instances[j].Version
			if a.String() == b.String() {
				continue
			}
			moves = true
			from[a.String()] = true
			if a.Minor() != b.Minor() {
				for _, n := range p.NotesFor(instance.Component) {
					notes[n] = true
				}
			}
		}
		if moves && kind != stage.Kind {
			t.Errorf("a stage of %s moves %s", stage.Kind, place.Location)
		}
		if moves != slices.Contains(stage.Locations, place.Location) {
			t.Errorf("a stage names %v, and %s moves: %t", stage.Locations, place.Location, moves)
		}
	}
	for _, v := range stage.From {
		delete(from, v.String())
	}
	twice := len(stage.MoveNotes) > len(notes)
	for _, n := range stage.MoveNotes {
		delete(notes, n)
	}
	if len(from) > 0 || len(notes) > 0 || twice || !slices.IsSortedFunc(stage.From, version.Version.Compare) {
		t.Errorf("a stage comes from %v and minds %v; left out: %v and %v; some twice: %t", stage.From, stage.MoveNotes, from, notes, twice)
	}
	errors := func(c skew.Cluster) int {
		return len(slices.DeleteFunc(skew.Evaluate(p, c), func(f finding.Finding) bool { return f.Severity != policy.SeverityError }))
	}
	if stage.Repairs != (errors(after) < errors(before)) {
		t.Errorf("a stage says that it repairs: %t; %d errors before it, %d after it", stage.Repairs, errors(before), errors(after))
	}
}

// variants is the built-in policies and some made up: the planner has no number
// of its own.
func variants(t testing.TB) map[string]*policy.Policy {
	number := func(n int) *int { return &n }
	change := func(edit func(*policy.Policy)) *policy.Policy {
		p := *skewtest.Kubernetes(t)
		p.PairRules, p.StepRules = slices.Clone(p.PairRules), slices.Clone(p.StepRules)
		edit(&p)
		return &p
	}
	twoBehind := func(p *policy.Policy) {
		for i, r := range p.PairRules {
			if r.ID == "kubelet-apiserver" || r.ID == "kube-proxy-apiserver" {
				stricter := *r
				stricter.MaxOlder, stricter.Conditions = number(2), nil
				p.PairRules[i] = &stricter
			}
		}
	}
	workersByOne := func(p *policy.Policy) {
		p.StepRules = append(p.StepRules, &policy.StepRule{ID: "kubelet-step", Component: "kubelet", Notes: policy.Notes{Severity: policy.SeverityError}, MaxUpgrade: number(1), MaxDowngrade: number(1)})
	}
	apiMaySkip := func(p *policy.Policy) {
		rule := *p.StepRules[0]
		rule.MaxUpgrade = number(3)
		p.StepRules[0] = &rule
	}
	mayGoBack := func(p *policy.Policy) {
		rule := *p.StepRules[0]
		rule.MaxDowngrade = number(1)
		p.StepRules[0] = &rule
	}
	duringUpgrade := func(p *policy.Policy) {
		for i, r := range p.PairRules {
			if r.ID == "kubelet-apiserver" {
				stricter := *r
				stricter.MaxOlderDuringUpgrade = number(2)
				p.PairRules[i] = &stricter
			}
		}
	}
	all := map[string]*policy.Policy{
		"strict during an upgrade":    change(duringUpgrade),
		"kubelets two behind":         change(twoBehind),
		"workers one minor at a time": change(workersByOne),
		"API server may skip":         change(apiMaySkip),
		"may go back":                 change(mayGoBack),
		"all of it":                   change(func(p *policy.Policy) { twoBehind(p); workersByOne(p); apiMaySkip(p); mayGoBack(p) }),
	}
	for _, name := range policy.BuiltinNames() {
		p, err := policy.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = p
	}
	return all
}

// TestFewestRollouts: for every pool as few rollouts as a search over all legal
// walks finds, from sound starts over both sides of 1.25, by several policies.
func TestFewestRollouts(t *testing.T) {
	for name, p := range variants(t) {
		t.Run(name, func(t *testing.T) {
			planned, search := 0, newSearch(p)
			rapid.Check(t, func(t *rapid.T) {
				api := rapid.IntRange(22, 28).Draw(t, "api")
				target := rapid.IntRange(api-2, api+7).Draw(t, "target")
				cluster := skew.Cluster{LocalEndpoint: rapid.Bool().Draw(t, "local")}
				managed := rapid.Bool().Draw(t, "managed")
				at := func(n int) version.Version { return version.Minor{Major: 1, Minor: n}.Version() }
				place := func(l finding.Location, n int, components ...string) {
					place := skew.Place{Location: l}
					for _, component := range components {
						place.Instances = append(place.Instances, skew.Instance{Component: component, Version: at(n)})
					}
					cluster.Places = append(cluster.Places, place)
				}
				if managed {
					place(finding.AtAttribute(finding.ControlPlaneVersion), api, skew.ControlPlaneComponents...)
				} else {
					for i := range rapid.IntRange(1, 3).Draw(t, "instances") {
						place(finding.AtKey(finding.ControlPlane, fmt.Sprint(i)), api, skew.ControlPlaneComponents...)
					}
				}
				var pools []int
				for i := range rapid.IntRange(0, 4).Draw(t, "pools") {
					pools = append(pools, rapid.IntRange(api-3, api).Draw(t, "kubelet"))
					place(finding.AtKey(finding.NodePools, fmt.Sprint(i)), pools[i], "kubelet", "kube-proxy")
				}
				if len(skew.Evaluate(p, cluster)) > 0 {
					t.Skip("the start is not sound")
				}

				r := upgrade.Request{Policy: p, Cluster: cluster, Target: at(target)}
				plan := upgrade.Compute(r)
				want, possible := 0, true
				for _, pool := range pools {
					n, ok := search.fewest(api, pool, target)
					want, possible = want+n, possible && ok
				}
				if len(pools) == 0 {
					_, possible = search.fewest(api, api, target)
				}
				if plan.Feasible != possible {
					t.Fatalf("feasible %t, a search says %t: %v", plan.Feasible, possible, plan.Findings)
				}
				if !plan.Feasible && len(plan.Findings) == 0 {
					t.Fatal("not feasible, and no word why")
				}
				if plan.Feasible && plan.NodePoolRollouts != want {
					t.Fatalf("%d rollouts, a search needs %d:\n%s", plan.NodePoolRollouts, want, strings.Join(stages(plan), "\n"))
				}
				checkWalk(t, r, plan)
				if len(plan.Stages) > 0 {
					// Planning anew after a stage goes on in the same way, or
					// in a shorter one where the API server may skip.
					r.Cluster = plan.Next
					rest := upgrade.Compute(r)
					if len(rest.Stages) > len(plan.Stages)-1 || rest.NodePoolRollouts > plan.NodePoolRollouts {
						t.Fatalf("after the first stage, the plan is\n%s\nlonger than the rest of\n%s", strings.Join(stages(rest), "\n"), strings.Join(stages(plan), "\n"))
					}
				}
				planned++
			})
			t.Logf("%d plans", planned)
		})
	}
}

// TestAnyStartCanBeUpgraded: whatever runs now, sound or not, there is a way up,
// and on it nothing breaks that was not broken in the beginning.
func TestAnyStartCanBeUpgraded(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		api := rapid.IntRange(22, 30).Draw(t, "api")
		r := upgrade.Request{Policy: p, Target: version.Minor{Major: 1, Minor: api + rapid.IntRange(0, 5).Draw(t, "by")}.Version()}
		r.Cluster.LocalEndpoint = rapid.Bool().Draw(t, "local")
		r.Strategy = rapid.SampledFrom([]upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow}).Draw(t, "strategy")
		place := func(l finding.Location, lowest, highest int, components ...string) {
			place := skew.Place{Location: l}
			for _, component := range components {
				m := version.Minor{Major: 1, Minor: rapid.IntRange(lowest, highest).Draw(t, component)}
				place.Instances = append(place.Instances, skew.Instance{Component: component, Version: m.Version()})
			}
			r.Cluster.Places = append(r.Cluster.Places, place)
		}
		spread := rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "spread")
		for i := range rapid.IntRange(1, 3).Draw(t, "instances") {
			place(finding.AtKey(finding.ControlPlane, fmt.Sprint(i)), api-spread, api, append(slices.Clone(skew.ControlPlaneComponents), "kubelet")...)
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
			place(finding.AtKey(finding.NodePools, fmt.Sprint(i)), api-6, api+2, "kubelet", "kube-proxy")
		}
		place(finding.AtIndex(finding.Kubectl, "", 0), api-3, api+3, "kubectl")

		plan := upgrade.Compute(r)
		if !plan.Feasible {
			t.Fatalf("not feasible, from %v to %s", r.Cluster.Places, r.Target)
		}
		checkWalk(t, r, plan)
	})
}

// TestNoIdleStage: whatever patches run and can be had, every stage moves something
// wherever it goes, and only the target's minor is worth a move within a minor.
func TestNoIdleStage(t *testing.T) {
	p := skewtest.Kubernetes(t)
	rapid.Check(t, func(t *rapid.T) {
		api := rapid.IntRange(26, 30).Draw(t, "api")
		by := rapid.IntRange(0, 3).Draw(t, "by")
		patched := func(minor int) version.Version {
			v, err := version.Parse(fmt.Sprintf("1.%d.%d", minor, rapid.IntRange(0, 2).Draw(t, "patch")))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		r := upgrade.Request{Policy: p, Target: patched(api + by)}
		r.Strategy = rapid.SampledFrom([]upgrade.Strategy{upgrade.FewestRollouts, upgrade.Follow}).Draw(t, "strategy")
		if rapid.Bool().Draw(t, "any patch of the target") {
			r.Target = r.Target.Minor().Version()
		}
		if rapid.Bool().Draw(t, "available") {
			for minor := api - 4; minor <= api+by; minor++ {
				r.Available = append(r.Available, patched(minor))
			}
		}
		place := func(l finding.Location, lowest int, components ...string) {
			place := skew.Place{Location: l}
			for _, component := range components {
				place.Instances = append(place.Instances, skew.Instance{Component: component, Version: patched(rapid.IntRange(lowest, api).Draw(t, component))})
			}
			r.Cluster.Places = append(r.Cluster.Places, place)
		}
		for i := range rapid.IntRange(1, 2).Draw(t, "instances") {
			place(finding.AtKey(finding.ControlPlane, fmt.Sprint(i)), api-1, skew.ControlPlaneComponents...)
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
			place(finding.AtKey(finding.NodePools, fmt.Sprint(i)), api-4, "kubelet", "kube-proxy")
		}

		plan := upgrade.Compute(r)
		checkWalk(t, r, plan)
		now := map[finding.Location][]skew.Instance{}
		for _, place := range r.Cluster.Places {
			now[place.Location] = slices.Clone(place.Instances)
		}
		for i, stage := range plan.Stages {
			for _, l := range stage.Locations {
				moves := false
				for j, instance := range now[l] {
					if slices.Contains(stage.Components, instance.Component) {
						from := instance.Version
						moves = moves || from.Minor() != stage.To.Minor() || stage.To.Minor() == r.Target.Minor() && from.Normalized() != stage.To.Normalized()
						now[l][j].Version = stage.To
					}
				}
				if !moves {
					t.Fatalf("nothing at %s moves in stage %d:\n%s", l, i+1, strings.Join(stages(plan), "\n"))
				}
			}
		}
		if !plan.Feasible && len(plan.Findings) == 0 {
			t.Fatal("not feasible, and no word why")
		}
	})
}

// search looks through all legal walks of a control plane and one pool. It
// knows the policy by what it accepts only.
type search struct {
	policy *policy.Policy
	known  map[[2]walkState]bool
}

type walkState struct{ api, pool int }

func newSearch(p *policy.Policy) *search { return &search{p, map[[2]walkState]bool{}} }

func (s walkState) cluster() skew.Cluster {
	at := func(n int) version.Version { return version.Minor{Major: 1, Minor: n}.Version() }
	managed := skew.Place{Location: finding.AtAttribute(finding.ControlPlaneVersion)}
	for _, component := range skew.ControlPlaneComponents {
		managed.Instances = append(managed.Instances, skew.Instance{Component: component, Version: at(s.api)})
	}
	return skew.Cluster{Places: []skew.Place{managed, {
		Location:  finding.AtKey(finding.NodePools, "x"),
		Instances: []skew.Instance{{Component: "kubelet", Version: at(s.pool)}, {Component: "kube-proxy", Version: at(s.pool)}},
	}}}
}

func (s *search) legal(a, b walkState) bool {
	legal, seen := s.known[[2]walkState{a, b}]
	if !seen {
		legal = len(skew.Evaluate(s.policy, b.cluster())) == 0 && len(upgrade.Evaluate(s.policy, a.cluster(), b.cluster(), upgrade.Any).Findings) == 0
		s.known[[2]walkState{a, b}] = legal
	}
	return legal
}

// fewest returns the fewest rollouts of the pool on a walk to the target.
func (s *search) fewest(api, pool, target int) (rollouts int, ok bool) {
	best := map[walkState]int{{api, pool}: 0}
	for layer := []walkState{{api, pool}}; len(layer) > 0; {
		// All that the control plane can reach without another rollout.
		for i := 0; i < len(layer); i++ {
			for n := layer[i].api - 3; n <= layer[i].api+3; n++ {
				next := walkState{n, layer[i].pool}
				if _, seen := best[next]; !seen && n >= 15 && n <= 40 && s.legal(layer[i], next) {
					best[next] = best[layer[i]]
					layer = append(layer, next)
				}
			}
		}
		if n, ok := best[walkState{target, target}]; ok {
			return n, true
		}
		var next []walkState
		for _, from := range layer {
			for n := 15; n <= 40; n++ {
				moved := walkState{from.api, n}
				if _, seen := best[moved]; !seen && s.legal(from, moved) {
					best[moved] = best[from] + 1
					next = append(next, moved)
				}
			}
		}
		layer = next
	}
	return 0, false
}

// TestStrides: API servers take steps as large as the policy has them, unless that
// costs node pools a rollout.
func TestStrides(t *testing.T) {
	for _, tt := range []struct {
		max             int
		cluster, target string
		steps, rollouts int
	}{
		{1, "managed: 1.30; node_pools.x: kubelet=1.30", "1.32", 2, 1},
		{2, "managed: 1.30; node_pools.x: kubelet=1.30", "1.32", 1, 1},
		{3, "managed: 1.30; node_pools.x: kubelet=1.30", "1.33", 1, 1},
		{2, "managed: 1.30; node_pools.x: kubelet=1.30", "1.33", 2, 1},
		{3, "control_plane.a: kube-apiserver=1.30", "1.33", 1, 0},
		{3, "control_plane.a: kube-apiserver=1.33; control_plane.b: kube-apiserver=1.30", "1.33", 1, 0},
		{3, "control_plane.a: kube-apiserver=1.30; control_plane.b: kube-apiserver=1.30", "1.33", 3, 0}, // they would be too far apart on the way
		{3, "managed: 1.30; node_pools.x: kubelet=1.29", "1.35", 5, 2},                                  // 1.33 at once would cost a rollout to 1.30
	} {
		r := request(t, tt.cluster, tt.target)
		p := *r.Policy
		rule := *p.StepRules[0]
		rule.MaxUpgrade = &tt.max
		p.StepRules = []*policy.StepRule{&rule}
		r.Policy = &p
		plan := upgrade.Compute(r)
		if !plan.Feasible || plan.ControlPlaneSteps != tt.steps || plan.NodePoolRollouts != tt.rollouts {
			t.Errorf("by %d from %s to %s: %d steps, %d rollouts; want %d and %d:\n%s", tt.max, tt.cluster, tt.target, plan.ControlPlaneSteps, plan.NodePoolRollouts, tt.steps, tt.rollouts, strings.Join(stages(plan), "\n"))
		}
	}
}

// TestStridesOverWhatIsNotAvailable: what cannot be had is skipped if the policy
// lets it be.
func TestStridesOverWhatIsNotAvailable(t *testing.T) {
	r := request(t, "managed: 1.30; node_pools.x: kubelet=1.30", "1.32")
	r.Policy = variants(t)["API server may skip"]
	r.Available = []version.Version{skewtest.Version(t, "1.32.1")}
	if plan := upgrade.Compute(r); !plan.Feasible || plan.ControlPlaneSteps != 1 {
		t.Errorf("feasible %t in %d steps, want one: %v", plan.Feasible, plan.ControlPlaneSteps, plan.Findings)
	}
}

// TestStridesBack: on the way back the limit is that of going back.
func TestStridesBack(t *testing.T) {
	for back, want := range map[int]int{1: 2, 2: 1} {
		r := request(t, "managed: 1.32; node_pools.x: kubelet=1.30", "1.30")
		p := *r.Policy
		rule := *p.StepRules[0]
		rule.MaxDowngrade = &back
		p.StepRules = []*policy.StepRule{&rule}
		r.Policy = &p
		if plan := upgrade.Compute(r); !plan.Feasible || plan.ControlPlaneSteps != want {
			t.Errorf("by %d: feasible %t in %d steps, want %d", back, plan.Feasible, plan.ControlPlaneSteps, want)
		}
	}
}

// TestPlanLeavesAloneWhatIsAccepted: it need not be repaired.
func TestPlanLeavesAloneWhatIsAccepted(t *testing.T) {
	r := request(t, "managed: 1.30; kubectl.0: kubectl=1.33", "1.31")
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubectl-apiserver", Reason: "We know.", Expires: "2026-11-20"}}, "2026-11-20"
	if plan := upgrade.Compute(r); !plan.Feasible || len(plan.Stages) != 1 || plan.Stages[0].Kind != upgrade.KindControlPlane {
		t.Errorf("feasible %t, %q; want the control plane alone to move", plan.Feasible, stages(plan))
	}
	r.Day = "2026-11-21"
	if plan := upgrade.Compute(r); len(plan.Stages) != 2 {
		t.Errorf("the waiver has expired, and the plan is %q", stages(plan))
	}
}

// TestPlanPassesWhatIsAccepted: what cannot keep up is in nobody's way.
func TestPlanPassesWhatIsAccepted(t *testing.T) {
	r := request(t, "managed: 1.30; kubectl.0: kubectl=1.29", "1.31")
	p, none := *r.Policy, 0
	p.StepRules = append(slices.Clone(p.StepRules), &policy.StepRule{ID: "kubectl-step", Component: "kubectl", Notes: policy.Notes{Severity: policy.SeverityError}, MaxUpgrade: &none})
	r.Policy = &p
	if plan := upgrade.Compute(r); plan.Feasible || len(plan.Findings) != 1 || plan.Findings[0].RuleID != "kubectl-apiserver" {
		t.Errorf("feasible %t, %v; want kubectl in the way", plan.Feasible, plan.Findings)
	}
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubectl-apiserver", Reason: "We know."}}, "2026-11-20"
	if plan := upgrade.Compute(r); !plan.Feasible || len(plan.Stages) != 1 {
		t.Errorf("feasible %t, %q, %v; want the control plane alone to move", plan.Feasible, stages(plan), plan.Findings)
	}
}

// TestPlanTakesStepsThatAreAccepted: a node that is to stay by a rule that is
// waived gets to the target.
func TestPlanTakesStepsThatAreAccepted(t *testing.T) {
	r := request(t, "managed: 1.31; node_pools.a: kubelet=1.29; node_pools.b: kubelet=1.29; node_pools.c: kubelet=1.30", "1.31")
	p, none := *r.Policy, 0
	p.StepRules = append(slices.Clone(p.StepRules), &policy.StepRule{ID: "kubelet-step", Component: "kubelet", Notes: policy.Notes{Severity: policy.SeverityError}, MaxUpgrade: &none})
	r.Policy = &p
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubelet-step", Reason: "We know."}}, "2026-11-20"
	want := []string{`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.29 1.30] to 1.31, drain`}
	if plan := upgrade.Compute(r); !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t, %q, %v; want %q", plan.Feasible, stages(plan), plan.Findings, want)
	}
}

// TestPlanMovesWhatIsAcceptedOutOfTheWay: where one rule is waived, another one
// still counts.
func TestPlanMovesWhatIsAcceptedOutOfTheWay(t *testing.T) {
	r := request(t, "managed: 1.31; node_pools.a: kubelet=1.28 kube-proxy=1.28", "1.32")
	p, two := *r.Policy, 2
	p.PairRules = slices.Clone(p.PairRules)
	for i, rule := range p.PairRules {
		if rule.ID == "kubelet-apiserver" {
			stricter := *rule
			stricter.MaxOlder, stricter.Conditions = &two, nil
			p.PairRules[i] = &stricter
		}
	}
	r.Policy = &p
	r.Waivers, r.Day = []finding.Waiver{{Name: "w", RuleID: "kubelet-apiserver", Reason: "We know."}}, "2026-11-20"
	want := []string{
		`node_pools kubelet+kube-proxy [node_pools["a"]] [1.28] to 1.31, drain`,
		"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
		`node_pools kubelet+kube-proxy [node_pools["a"]] [1.31] to 1.32, drain`,
	}
	if plan := upgrade.Compute(r); !slices.Equal(stages(plan), want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
}

// TestPlanByAnotherPolicy: where the policy kubernetes would plan otherwise.
func TestPlanByAnotherPolicy(t *testing.T) {
	all, one := variants(t), 1
	near := *skewtest.Kubernetes(t)
	near.PairRules = slices.Clone(near.PairRules)
	for i, r := range near.PairRules {
		if r.ID == "kube-proxy-kubelet" {
			stricter := *r
			stricter.MaxOlder, stricter.Conditions = &one, nil
			near.PairRules[i] = &stricter
		}
	}
	all["kube-proxy near its kubelet"] = &near
	slow := *skewtest.Kubernetes(t)
	slow.StepRules = append(slices.Clone(slow.StepRules), &policy.StepRule{ID: "kube-proxy-step", Component: "kube-proxy", Notes: policy.Notes{Severity: policy.SeverityError}, MaxUpgrade: &one})
	all["kube-proxy one minor at a time"] = &slow
	for _, tt := range []struct {
		policy, cluster, target string
		strategy                upgrade.Strategy
		want                    []string
	}{
		// A patch is no upgrade.
		{"strict during an upgrade", "managed: 1.31.1; node_pools.a: kubelet=1.28", "1.31.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.1] to 1.31.2",
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.31.2, drain`,
		}},
		// Of nodes that move one minor at a time those with the furthest to go are
		// first.
		{"workers one minor at a time", "managed: 1.31; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.28; node_pools.c: kubelet=1.30", "1.31", "", []string{
			`node_pools kubelet [node_pools["b"]] [1.28] to 1.29, drain`,
			`node_pools kubelet [node_pools["b"]] [1.29] to 1.30, drain`,
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.30] to 1.31, drain`,
		}},
		// The way back may cure, too.
		{"may go back", "managed: 1.34; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.32", "1.32", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.34] to 1.33, repairs",
			"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.32",
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.32, drain`,
		}},
		// What lags waits for a node that can move.
		{"kube-proxy one minor at a time", "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.28", "1.31", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
		// What lags makes way for its node, but for no other.
		{"kube-proxy near its kubelet", "managed: 1.31; node_pools.a: kubelet=1.30 kube-proxy=1.29; node_pools.b: kubelet=1.31 kube-proxy=1.30", "1.31", "", []string{
			`node_pools kube-proxy [node_pools["a"]] [1.29] to 1.31`,
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
	} {
		r := request(t, tt.cluster, tt.target)
		r.Policy, r.Strategy = all[tt.policy], tt.strategy
		plan := upgrade.Compute(r)
		if !plan.Feasible || !slices.Equal(stages(plan), tt.want) {
			t.Errorf("%s, %s: feasible %t %v, got\n%s\nwant\n%s", tt.policy, tt.cluster, plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(tt.want, "\n"))
		}
		checkWalk(t, r, plan)
	}
}

// TestNewestBefore: API servers are on the newest patch of a minor before they
// leave it: one that is available or, without a list, known.
func TestNewestBefore(t *testing.T) {
	calendar := new(releases.Calendar).With(releases.Release{Minor: version.Minor{Major: 1, Minor: 30}, LatestPatch: skewtest.Version(t, "1.30.14")})
	for _, tt := range []struct {
		cluster, available string
		calendar           *releases.Calendar
		want               string
	}{
		{"managed: 1.30.1", "", calendar, "1.30.14"},
		{"managed: 1.30.1", "1.30.5", calendar, ""}, // and 1.31 is not available
		{"managed: 1.30.1", "1.30.5 1.31.0", calendar, "1.30.5"},
		{"managed: 1.30.5", "1.30.5 1.31.0", calendar, ""},
		{"managed: 1.30.1", "1.31.0", calendar, ""},
		{"managed: 1.30", "", calendar, ""},
		{"managed: 1.30.1", "", nil, ""},
	} {
		r := request(t, tt.cluster, "1.31")
		r.Calendar = tt.calendar
		for _, v := range strings.Fields(tt.available) {
			r.Available = append(r.Available, skewtest.Version(t, v))
		}
		got := ""
		if plan := upgrade.Compute(r); len(plan.Stages) > 0 {
			got = plan.Stages[0].NewestBefore.String()
		}
		if got != tt.want {
			t.Errorf("%s, available %q: be on %q first, want %q", tt.cluster, tt.available, got, tt.want)
		}
	}
	r := request(t, "managed: 1.30.1", "1.30.5")
	r.Calendar = calendar
	if before := upgrade.Compute(r).Stages[0].NewestBefore; !before.IsZero() {
		t.Errorf("be on %s before another patch of the minor", before)
	}
}

// TestMirroredPlan: where the policy allows going back, nodes go first.
func TestMirroredPlan(t *testing.T) {
	r := request(t, "managed: 1.33; node_pools.a: kubelet=1.33; node_pools.b: kubelet=1.31", "1.31")
	r.Policy = variants(t)["may go back"]
	plan := upgrade.Compute(r)
	want := []string{
		`node_pools kubelet [node_pools["a"]] [1.33] to 1.31, drain`,
		"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.32",
		"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.31",
	}
	if !plan.Feasible || !slices.Equal(stages(plan), want) {
		t.Errorf("feasible %t %v, got\n%s\nwant\n%s", plan.Feasible, plan.Findings, strings.Join(stages(plan), "\n"), strings.Join(want, "\n"))
	}
	checkWalk(t, r, plan)
}

// BenchmarkPlan plans 10,000 node pools over 20 minors. Compare the rows of one
// run: the work grows with the distinct versions.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("pools=%d", n), func(b *testing.B) {
			r := request(b, "control_plane.a: kube-apiserver=1.28 kube-scheduler=1.28; control_plane.b: kube-apiserver=1.28 kube-scheduler=1.28", "1.48")
			for i := range n {
				v := skewtest.Version(b, fmt.Sprintf("1.%d.%d", 25+i%4, i%5))
				r.Cluster.Places = append(r.Cluster.Places, skew.Place{
					Location:  finding.AtKey(finding.NodePools, fmt.Sprint(i)),
					Instances: []skew.Instance{{Component: "kubelet", Version: v}, {Component: "kube-proxy", Version: v}},
				})
			}
			for b.Loop() {
				if plan := upgrade.Compute(r); !plan.Feasible {
					b.Fatal("not feasible")
				}
			}
		})
	}
}
