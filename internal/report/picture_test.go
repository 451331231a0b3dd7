// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/report/svg/svgtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

// planPicture returns the lines of the picture of a plan. Versions that move are marked.
func planPicture(t *testing.T, p *policy.Policy, cluster, target string, held ...string) []string {
	t.Helper()
	r := upgrade.Request{Policy: p, Cluster: skewtest.ClusterOf(t, p.Scheme, cluster), Target: skewtest.Version(t, target), Strategy: upgrade.FewestRollouts, Held: held}
	if p.Scheme != nil {
		target, err := p.Scheme.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		r.Target = target
	}
	return lines(t, report.PlanSVG(r, evaluation.Plan(r).Plan))
}

// lines returns the rows of a picture as text, with * behind each marked cell.
func lines(t *testing.T, picture string) []string {
	t.Helper()
	var lines []string
	for _, row := range svgtest.Rows(t, picture) {
		line, marked := row.Label, slices.Clone(row.Marked)
		for _, c := range row.Cells {
			if len(marked) > 0 && c == marked[0] {
				c, marked = c+"*", marked[1:]
			}
			line += " | " + c
		}
		lines = append(lines, line)
	}
	return lines
}

func TestPlanSVG(t *testing.T) {
	kubernetes, eks, openshift := skewtest.Kubernetes(t), skewtest.Extended(t, "eks", "{}"), skewtest.Extended(t, "openshift", "{}")
	const legend = "moves in this stage | stays"
	for name, test := range map[string]struct {
		policy          *policy.Policy
		cluster, target string
		held            []string
		want            []string
	}{
		"a managed control plane": {eks, "managed: 1.33.11; node_pools.general: kubelet=1.33.11; node_pools.gpu: kubelet=1.31.14; kube_proxy: 1.32.6", "1.35", nil, []string{
			"Upgrade from 1.33 to 1.35 in 5 stages and 2 applies",
			"Stage | now | 1 | 2 | 3 | 4 | 5",
			"control plane | 1.33 | 1.34* | 1.34 | 1.35* | 1.35 | 1.35",
			"nodes: general | 1.33 | 1.33 | 1.33 | 1.33 | 1.35* | 1.35",
			"nodes: gpu | 1.31 | 1.31 | 1.34* | 1.34 | 1.35* | 1.35",
			"kube-proxy | 1.32 | 1.32 | 1.32 | 1.32 | 1.32 | 1.35*",
			"Apply | 1 | 2",
			legend,
		}},
		// Places that always have the same versions share a row.
		"several instances": {kubernetes, "control_plane.a: 1.31; control_plane.b: 1.31 kubelet=1.31; node_pools.x: kubelet=1.31 kube-proxy=1.31; node_pools.y: kubelet=1.31; node_pools.z: kubelet=1.30 kube-proxy=1.31", "1.32", nil, []string{
			"Upgrade from 1.31 to 1.32 in 4 stages and 1 apply",
			"Stage | now | 1 | 2 | 3 | 4",
			"kube-apiserver: a and b | 1.31 | 1.32* | 1.32 | 1.32 | 1.32",
			"controllers: a and b | 1.31 | 1.31 | 1.32* | 1.32 | 1.32",
			"kubelet: b | 1.31 | 1.31 | 1.31 | 1.32* | 1.32",
			"nodes: x and y | 1.31 | 1.31 | 1.31 | 1.31 | 1.32*",
			"kubelet: z | 1.30 | 1.30 | 1.30 | 1.30 | 1.32*",
			"kube-proxy: z | 1.31 | 1.31 | 1.31 | 1.31 | 1.32*",
			"Apply | 1",
			legend,
		}},
		"more names than fit": {kubernetes, "managed: 1.31; node_pools.general: kubelet=1.31; node_pools.batch: kubelet=1.31; node_pools.gpu: kubelet=1.31; node_pools.spot-instances: kubelet=1.31", "1.31", nil, []string{
			"Upgrade to 1.31: nothing to do",
			"Stage | now",
			"control plane | 1.31",
			"nodes: general, batch and 2 more | 1.31",
		}},
		"patches": {kubernetes, "managed: 1.31.2; node_pools.x: kubelet=1.31.4", "1.31.4", nil, []string{
			"Upgrade from 1.31 to 1.31 in 1 stage",
			"Stage | now | 1",
			"control plane | 1.31 | 1.31.4*",
			"nodes: x | 1.31 | 1.31",
			legend,
		}},
		"releases of a scheme": {openshift, "managed: 4.18; node_pools.x: kubelet=4.18", "4.19", nil, []string{
			"Upgrade from 4.18 to 4.19 in 2 stages and 1 apply",
			"Stage | now | 1 | 2",
			"control plane | 4.18 | 4.19* | 4.19",
			"nodes: x | 4.18 | 4.18 | 4.19*",
			"Apply | 1",
			legend,
		}},
		"no path": {kubernetes, "managed: 1.33; node_pools.x: kubelet=1.33", "1.31", nil, []string{
			"Roll back to 1.31: not possible",
			"Stage | now",
			"control plane | 1.33",
			"nodes: x | 1.33",
		}},
		"a held pool": {kubernetes, "managed: 1.31; node_pools.x: kubelet=1.29; components.istiod.0: istiod=1.24", "1.34", []string{"x"}, []string{
			"Upgrade to 1.34: stopped by held node pools after 1 stage",
			"Stage | now | 1",
			"control plane | 1.31 | 1.32*",
			"nodes: x | 1.29 | 1.29",
			legend,
		}},
		"names that look like markup": {kubernetes, "managed: 1.31; node_pools.<b>&\"odd\"\x01: kubelet=1.31", "1.31", nil, []string{
			"Upgrade to 1.31: nothing to do",
			"Stage | now",
			"control plane | 1.31",
			`nodes: <b>&"odd" | 1.31`,
		}},
	} {
		if diff := cmp.Diff(test.want, planPicture(t, test.policy, test.cluster, test.target, test.held...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPlanSVGOfLongPlan checks that a plan of many stages is drawn in several bands, each of
// which starts where the last one ends.
func TestPlanSVGOfLongPlan(t *testing.T) {
	got := planPicture(t, skewtest.Kubernetes(t), "managed: 1.20; node_pools.x: kubelet=1.20", "1.40")
	want := []string{
		"Upgrade from 1.20 to 1.40 in 28 stages and 20 applies",
		"Stage | now | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12",
		"control plane | 1.20 | 1.21* | 1.22* | 1.22 | 1.23* | 1.24* | 1.24 | 1.25* | 1.26* | 1.26 | 1.27* | 1.28* | 1.29*",
	}
	if diff := cmp.Diff(want, got[:min(len(got), 3)]); diff != "" {
		t.Errorf("first band (-want +got):\n%s", diff)
	}
	var bands []string
	for _, line := range got {
		if strings.HasPrefix(line, "Stage | ") {
			first, _, _ := strings.Cut(strings.TrimPrefix(line, "Stage | "), " |")
			bands = append(bands, first)
		}
	}
	if diff := cmp.Diff([]string{"now", "12", "24"}, bands); diff != "" {
		t.Errorf("bands (-want +got):\n%s", diff)
	}
}

// TestPicturesOfLargeFleet checks that pictures have a limited size, and count what they
// leave out.
func TestPicturesOfLargeFleet(t *testing.T) {
	c := fleetOf(t, 10_000)
	for i := range 30 { // pools that have nothing in common
		c.Places = append(c.Places, skew.Place{Location: finding.AtKey(finding.NodePools, strings.Repeat("long-name-", 20)+fmt.Sprint(i)),
			Instances: []skew.Instance{{Component: "kubelet", Version: skewtest.Version(t, fmt.Sprintf("1.%d", 20+i))}}})
	}
	r := upgrade.Request{Policy: skewtest.Kubernetes(t), Cluster: c, Target: skewtest.Version(t, "1.99"), Strategy: upgrade.Follow}
	plan := evaluation.Plan(r)
	for name, picture := range map[string]string{
		"plan":       report.PlanSVG(r, plan.Plan),
		"evaluation": report.EvaluationSVG(evaluation.Evaluate(evaluation.Input{Policy: r.Policy, Cluster: c})),
	} {
		text := strings.Join(lines(t, picture), "\n")
		if len(picture) > 70_000 {
			t.Errorf("the picture of the %s has %d bytes", name, len(picture))
		}
		for _, want := range map[string][]string{"plan": {"nodes: pool-00000 and 2500 more", "more stages"}, "evaluation": {"kubelet"}}[name] {
			if !strings.Contains(text, want) {
				t.Errorf("the picture of the %s does not contain %q:\n%s", name, want, text)
			}
		}
	}
}

func TestEvaluationSVG(t *testing.T) {
	for name, test := range map[string]struct {
		policy, cluster string
		want            []string
	}{
		"too old": {"kubernetes", "managed: 1.36; node_pools.x: kubelet=1.32; node_pools.y: kubelet=1.35.1; node_pools.z: kubelet=1.35.2; components.istiod.0: istiod=1.24", []string{
			"Versions allowed next to kube-apiserver 1.36",
			"Policy kubernetes: not supported, 1 error",
			"1.31 | 1.32 | 1.33 | 1.34 | 1.35 | 1.36",
			"kubelet | × 1.32* | 1.33 | 1.34 | 1.35* | 1.36",
			"cloud-controller-manager | 1.35 | 1.36*",
			"kube-controller-manager | 1.35 | 1.36*",
			"kube-scheduler | 1.35 | 1.36*",
			"declared, allowed | allowed | ×* | declared, not allowed",
		}},
		// The platform upgrades the other components of the control plane.
		"a managed platform": {"eks", "managed: 1.36; node_pools.x: kubelet=1.36", []string{
			"Versions allowed next to kube-apiserver 1.36",
			"Policy eks: supported",
			"1.32 | 1.33 | 1.34 | 1.35 | 1.36",
			"kubelet | 1.33 | 1.34 | 1.35 | 1.36*",
			"declared, allowed | allowed",
		}},
		"releases of a scheme": {"openshift", "managed: 4.19; node_pools.x: kubelet=4.18", []string{
			"Versions allowed next to kube-apiserver 4.19 (1.32)",
			"Policy openshift: supported",
			"4.17 | 4.18 | 4.19",
			"cloud-controller-manager | 4.18 | 4.19*",
			"kube-controller-manager | 4.18 | 4.19*",
			"kube-scheduler | 4.18 | 4.19*",
			"kubelet | 4.18* | 4.19",
			"declared, allowed | allowed",
		}},
		"no control plane": {"kubernetes", "node_pools.x: kubelet=1.36", []string{
			"Allowed versions",
			"Policy kubernetes: supported",
			"1.35 | 1.36",
			"kubelet | 1.35 | 1.36*",
			"declared, allowed | allowed",
		}},
		"versions far apart": {"kubernetes", "managed: 1.36; node_pools.x: kubelet=1.8", []string{
			"Versions allowed next to kube-apiserver 1.36",
			"Policy kubernetes: not supported, 1 error",
			"1.8 | 1.26 | 1.27 | 1.28 | 1.29 | 1.30 | 1.31 | 1.32 | 1.33 | 1.34 | 1.35 | 1.36",
			"kubelet | × 1.8* | 1.33 | 1.34 | 1.35 | 1.36",
			"cloud-controller-manager | 1.35 | 1.36*",
			"kube-controller-manager | 1.35 | 1.36*",
			"kube-scheduler | 1.35 | 1.36*",
			"declared, allowed | allowed | ×* | declared, not allowed",
		}},
		"nothing to compare": {"kubernetes", "components.istiod.0: istiod=1.24", []string{
			"Allowed versions",
			"Policy kubernetes: supported",
		}},
	} {
		p, err := policy.Builtin(test.policy)
		if err != nil {
			t.Fatal(err)
		}
		got := lines(t, report.EvaluationSVG(evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: skewtest.ClusterOf(t, p.Scheme, test.cluster)})))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAllowedPictureOfAnyPolicy checks that the picture is valid for unusual components,
// limits and minors, and has every minor only once.
func TestAllowedPictureOfAnyPolicy(t *testing.T) {
	p := skewtest.Extended(t, "kubernetes", `{"skew_rules": {"odd": {"subject": "<b>&\"odd\"", "reference": "kube-apiserver", "scope": "cluster", "max_older": 1}, "only-newer": {"subject": "only-newer", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 2}}}`)
	for _, minor := range []string{"1.0", "1.1", "1.37"} {
		v := skewtest.Version(t, minor)
		picture := report.AllowedPicture{Title: "Allowed"}
		for _, component := range p.Components() {
			picture.Rows = append(picture.Rows, report.AllowedPictureRow{Component: component, Allowed: evaluation.AllowedWith(p, component, v)})
		}
		rows := svgtest.Rows(t, picture.SVG())
		columns := append([]string{rows[1].Label}, rows[1].Cells...)
		if len(slices.Compact(slices.Sorted(slices.Values(columns)))) != len(columns) {
			t.Errorf("%s: a column appears twice: %v", minor, columns)
		}
		if !slices.ContainsFunc(rows, func(r svgtest.Row) bool { return r.Label == `<b>&"odd"` }) {
			t.Errorf("%s: no row of the odd component in %v", minor, rows)
		}
	}
}
