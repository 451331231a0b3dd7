// SPDX-License-Identifier: MPL-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// stages formats a plan, one line for each stage.
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
		{"three minors with one rollout, because kubelets can be three behind", "managed: 1.28; node_pools.a: kubelet=1.28", "1.31", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.28] to 1.29",
			"control_plane " + fourComponents + " [control_plane_version] [1.29] to 1.30",
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			`node_pools kubelet [node_pools["a"]] [1.28] to 1.31, drain`,
		}},
		{"each pool moves as rarely as possible", "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30", "1.34", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet [node_pools["b"]] [1.30] to 1.33, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.34",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.31 1.33] to 1.34, drain`,
		}},
		{"pools that follow catch up first", "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.30", "1.33", "", upgrade.Follow, []string{
			`node_pools kubelet [node_pools["b"]] [1.30] to 1.31, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.31] to 1.32, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.32] to 1.33, drain`,
		}},
		{"pools that follow wait until all API servers are at one minor", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.30; node_pools.a: kubelet=1.29", "1.31", "", upgrade.Follow, []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.30] to 1.31`,
			`node_pools kubelet [node_pools["a"]] [1.29] to 1.31, drain`,
		}},
		{"kubelets before 1.25 can be two behind", "managed: 1.24; node_pools.a: kubelet=1.24", "1.27", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.24] to 1.25",
			"control_plane " + fourComponents + " [control_plane_version] [1.25] to 1.26",
			`node_pools kubelet [node_pools["a"]] [1.24] to 1.26, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.26] to 1.27",
			`node_pools kubelet [node_pools["a"]] [1.26] to 1.27, drain`,
		}},
		{"API servers, then controllers, then their nodes", "control_plane.a: kube-apiserver=1.30 kube-controller-manager=1.30 kube-scheduler=1.30 kubelet=1.30; control_plane.b: kube-apiserver=1.30 kube-scheduler=1.30", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"] control_plane["b"]] [1.30] to 1.31`,
			`control_plane kube-controller-manager+kube-scheduler [control_plane["a"] control_plane["b"]] [1.30] to 1.31`,
			`control_plane kubelet [control_plane["a"]] [1.30] to 1.31, drain`,
		}},
		{"an interrupted upgrade is completed first", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30; control_plane.b: kube-apiserver=1.30 kube-scheduler=1.30", "1.32", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.30] to 1.31`,
			`control_plane kube-scheduler [control_plane["a"] control_plane["b"]] [1.30] to 1.31`,
			`control_plane kube-apiserver [control_plane["a"] control_plane["b"]] [1.31] to 1.32`,
			`control_plane kube-scheduler [control_plane["a"] control_plane["b"]] [1.31] to 1.32`,
		}},
		{"older controllers catch up first", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.30", "1.32", "", "", []string{
			`control_plane kube-scheduler [control_plane["a"]] [1.30] to 1.31`,
			`control_plane kube-apiserver [control_plane["a"]] [1.31] to 1.32`,
			`control_plane kube-scheduler [control_plane["a"]] [1.31] to 1.32`,
		}},
		{"kubectl moves only when it has to", "managed: 1.30; kubectl.0: kubectl=1.31; kubectl.1: kubectl=1.32", "1.33", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31, repairs",
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`clients kubectl [kubectl[0]] [1.31] to 1.33`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
		}},
		{"kube-proxy moves together with its kubelet", "managed: 1.31; node_pools.a: kubelet=1.31 kube-proxy=1.29", "1.33", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.29 1.31] to 1.32, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.32] to 1.33, drain`,
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
		{"the newest patch does not depend on the order of the list", "managed: 1.31.0", "1.33", "1.33.1 1.32.2 1.32.0 1.33.0", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0] to 1.32.2",
			"control_plane " + fourComponents + " [control_plane_version] [1.32.2] to 1.33.1",
		}},
		{"the last one of builds without an order", "managed: 1.31.0", "1.32", "1.32.1+b.1 1.32.1+b.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0] to 1.32.1+b.2",
		}},
		{"a target with a patch does not have to be available", "managed: 1.30.1", "1.31.2", "1.31.4", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30.1] to 1.31.2",
		}},
		{"a newer patch is good enough", "managed: 1.31.5", "1.31.2", "", "", nil},
		{"any build of a patch is good enough", "managed: 1.31.2+a", "1.31.2", "", "", nil},
		{"a target with a build requires it", "managed: 1.31.2+a", "1.31.2+b", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.2+a] to 1.31.2+b",
		}},
		{"nodes move to a version that the API servers run", "control_plane.a: kube-apiserver=1.31.2; node_pools.a: kubelet=1.26", "1.32", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.26] to 1.31.2, drain, repairs`,
			`control_plane kube-apiserver [control_plane["a"]] [1.31.2] to 1.32`,
			`node_pools kubelet [node_pools["a"]] [1.31.2] to 1.32, drain`,
		}},
		{"a target with a build is used instead of the last one", "managed: 1.31.0", "1.32.1+b.2", "1.32.1+b.1 1.32.1+b.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0] to 1.32.1+b.2",
		}},

		{"nodes that are too old are repaired first", "managed: 1.31.2; node_pools.a: kubelet=1.26; node_pools.b: kubelet=1.31", "1.32", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.26] to 1.31.2, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31.2] to 1.32",
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.31 1.31.2] to 1.32, drain`,
		}},
		{"nodes that are too new wait for the control plane", "managed: 1.31; node_pools.a: kubelet=1.32", "1.33", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32, repairs",
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet [node_pools["a"]] [1.32] to 1.33, drain`,
		}},
		{"a client that is too new rolls back first", "managed: 1.30; kubectl.0: kubectl=1.33", "1.31", "", "", []string{
			`clients kubectl [kubectl[0]] [1.33] to 1.31, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
		}},
		{"nodes that are newer than the target roll back at the end", "managed: 1.31; node_pools.a: kubelet=1.33", "1.32", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kubelet [node_pools["a"]] [1.33] to 1.32, drain, repairs`,
		}},
		{"API servers too far apart", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.29", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.29] to 1.30, repairs`,
			`control_plane kube-apiserver [control_plane["b"]] [1.30] to 1.31`,
		}},

		{"control-plane nodes and node pools move in separate stages", "control_plane.a: kube-apiserver=1.30; control_plane.m: kubelet=1.30; control_plane.n: kubelet=1.30; node_pools.a: kubelet=1.30", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.30] to 1.31`,
			`control_plane kubelet [control_plane["m"] control_plane["n"]] [1.30] to 1.31, drain`,
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
		{"all pools with the same versions are listed", "node_pools.d: kubelet=1.30; node_pools.a: kubelet=1.30; node_pools.c: kubelet=1.30; node_pools.b: kubelet=1.30", "1.33", "", "", []string{
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"] node_pools["d"]] [1.30] to 1.33, drain`,
		}},
		{"a target without a patch does not depend on running patches", "control_plane.a: kube-apiserver=1.31.2; control_plane.b: kube-apiserver=1.30.4", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.30.4] to 1.31`,
		}},
		{"nodes move to the build of the target", "managed: 1.31.2+b; node_pools.a: kubelet=1.31.2+a", "1.31.2+b", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.31.2+a] to 1.31.2+b`,
		}},
		{"nodes stay if no newer patch is available", "managed: 1.31.2; node_pools.a: kubelet=1.31.1", "1.31", "1.31.1", "", nil},
		{"nodes furthest from the target move first", "managed: 1.31; node_pools.a: kubelet=1.31; node_pools.b: kubelet=1.26; node_pools.c: kubelet=1.27", "1.35", "", "", []string{
			`node_pools kubelet [node_pools["b"] node_pools["c"]] [1.26 1.27] to 1.31, drain, repairs`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			"control_plane " + fourComponents + " [control_plane_version] [1.33] to 1.34",
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.31] to 1.34, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.34] to 1.35",
			`node_pools kubelet [node_pools["a"] node_pools["b"] node_pools["c"]] [1.34] to 1.35, drain`,
		}},
		{"controllers are repaired before control-plane nodes", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29 kubelet=1.26; control_plane.b: kube-apiserver=1.31 kube-controller-manager=1.29", "1.31", "", "", []string{
			`control_plane kube-scheduler+kube-controller-manager [control_plane["a"] control_plane["b"]] [1.29] to 1.31, repairs`,
			`control_plane kubelet [control_plane["a"]] [1.26] to 1.31, drain, repairs`,
		}},
		{"a stage drains if any node moves a minor", "managed: 1.31.2; node_pools.a: kubelet=1.31.1; node_pools.b: kubelet=1.30.1", "1.31.2", "", "", []string{
			`node_pools kubelet [node_pools["a"] node_pools["b"]] [1.30.1 1.31.1] to 1.31.2, drain`,
		}},
		{"an API server catches up with nodes in two steps", "control_plane.a: kube-apiserver=1.31; node_pools.a: kubelet=1.33", "1.34", "", "", []string{
			`control_plane kube-apiserver [control_plane["a"]] [1.31] to 1.32`,
			`control_plane kube-apiserver [control_plane["a"]] [1.32] to 1.33, repairs`,
			`control_plane kube-apiserver [control_plane["a"]] [1.33] to 1.34`,
			`node_pools kubelet [node_pools["a"]] [1.33] to 1.34, drain`,
		}},
		{"an API server with a newer patch stays", "control_plane.a: kube-apiserver=1.31.5; control_plane.b: kube-apiserver=1.31.1", "1.31.2", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.31.1] to 1.31.2`,
		}},
		{"controllers are repaired together", "control_plane.a: kube-apiserver=1.31 kube-scheduler=1.29 kube-controller-manager=1.31; control_plane.b: kube-apiserver=1.31 kube-controller-manager=1.29; control_plane.c: kube-apiserver=1.31 kube-controller-manager=1.30", "1.31", "", "", []string{
			`control_plane kube-scheduler+kube-controller-manager [control_plane["a"] control_plane["b"] control_plane["c"]] [1.29 1.30] to 1.31, repairs`,
		}},
		{"a kubelet that is too old and a kube-proxy that is too new", "managed: 1.31; node_pools.a: kubelet=1.24 kube-proxy=1.34", "1.31", "", "", []string{
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.24 1.34] to 1.31, drain, repairs`,
		}},
		{"a kube-proxy that is too new waits for the API server", "managed: 1.30; node_pools.a: kubelet=1.30 kube-proxy=1.31", "1.31", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31, repairs",
			`node_pools kubelet [node_pools["a"]] [1.30] to 1.31, drain`,
		}},
		{"a pre-release is enough if no release is available", "managed: 1.31.0-rc.1; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.30.2 1.31.0-rc.1", "", nil},
		{"a pre-release is enough if its minor is not available", "managed: 1.31.0-rc.1; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.30.2", "", nil},
		{"a node on a pre-release stays if no release is available", "managed: 1.31.2; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.31.0-rc.1", "", nil},
		{"a pre-release moves to an available release", "managed: 1.31.0-rc.1; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "1.31.0-rc.1 1.31.0", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.0-rc.1] to 1.31.0",
			`node_pools kubelet [node_pools["a"]] [1.31.0-rc.1] to 1.31.0`,
		}},
		{"a patch that is not available", "managed: 1.31.2", "1.31.5", "1.31.2", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.31.2] to 1.31.5",
		}},
		{"a pre-release moves to the target without a list of versions", "managed: 1.31.2; node_pools.a: kubelet=1.31.0-rc.1", "1.31", "", "", []string{
			`node_pools kubelet [node_pools["a"]] [1.31.0-rc.1] to 1.31`,
		}},
		{"a kube-proxy a patch behind its kubelet moves alone", "managed: 1.31.2; node_pools.a: kubelet=1.31.2 kube-proxy=1.31.1", "1.31.2", "", "", []string{
			`node_pools kube-proxy [node_pools["a"]] [1.31.1] to 1.31.2`,
		}},
		{"an older kube-proxy moves to the version of its kubelet", "managed: 1.30; node_pools.a: kubelet=1.30 kube-proxy=1.29", "1.33", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.29 1.30] to 1.32, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.32] to 1.33",
			`node_pools kubelet+kube-proxy [node_pools["a"]] [1.32] to 1.33, drain`,
		}},
		{"a kube-proxy a minor behind its kubelet moves alone", "managed: 1.33; node_pools.a: kubelet=1.33 kube-proxy=1.32", "1.33", "", "", []string{
			`node_pools kube-proxy [node_pools["a"]] [1.32] to 1.33`,
		}},
		{"a cluster-wide kube-proxy is one move", "managed: 1.30; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.30 kube-proxy=1.30; kube_proxy: 1.28", "1.32", "", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			`node_pools kube-proxy [kube_proxy] [1.28] to 1.31`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
			`node_pools kubelet+kube-proxy [node_pools["a"] node_pools["b"]] [1.30] to 1.32, drain`,
			`node_pools kube-proxy [kube_proxy] [1.31] to 1.32`,
		}},
		{"with required_only, pools stay unless they block", "managed: 1.30; node_pools.a: kubelet=1.30; node_pools.b: kubelet=1.28", "1.32", "", upgrade.RequiredOnly, []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.30] to 1.31",
			`node_pools kubelet [node_pools["b"]] [1.28] to 1.31, drain`,
			"control_plane " + fourComponents + " [control_plane_version] [1.31] to 1.32",
		}},
		{"an interrupted upgrade is completed, not rolled back", "control_plane.a: kube-apiserver=1.31; control_plane.b: kube-apiserver=1.30; node_pools.a: kubelet=1.31", "1.31", "", "", []string{
			`control_plane kube-apiserver [control_plane["b"]] [1.30] to 1.31, repairs`,
		}},
		{"the build with the larger number, in any order of the list", "managed: 1.35.3", "1.36", "1.36.4-gke.1000000 1.36.4-gke.900000", "", []string{
			"control_plane " + fourComponents + " [control_plane_version] [1.35.3] to 1.36.4-gke.1000000",
		}},
		{"a kubelet and its kube-proxy can only be repaired together", "managed: 1.31; node_pools.a: kubelet=1.24 kube-proxy=1.35", "1.31", "", "", []string{
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
