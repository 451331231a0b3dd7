// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"github.com/zclconf/go-cty/cty"
)

// readPlan reads the upgrade plan in a configuration. It only supports the arguments that
// the example of the upgrade guide uses: a managed control plane, the kubelets of node
// pools, a cluster-wide kube-proxy and kubectl, all of them literals.
func readPlan(file string) (upgrade.Request, error) {
	parsed, diagnostics := hclparse.NewParser().ParseHCLFile(file)
	if diagnostics.HasErrors() {
		return upgrade.Request{}, diagnostics
	}
	var block *hclsyntax.Block
	if body, ok := parsed.Body.(*hclsyntax.Body); ok {
		for _, b := range body.Blocks {
			if b.Type == "data" && b.Labels[0] == "versionskew_upgrade_plan" {
				block = b
			}
		}
	}
	if block == nil {
		return upgrade.Request{}, fmt.Errorf("%s has no versionskew_upgrade_plan", file)
	}
	var problems error
	value := func(name string) cty.Value {
		attribute := block.Body.Attributes[name]
		if attribute == nil {
			problems = errors.Join(problems, fmt.Errorf("%s: %s is not set", file, name))
			return cty.NilVal
		}
		v, diagnostics := attribute.Expr.Value(&hcl.EvalContext{})
		if diagnostics.HasErrors() {
			problems = errors.Join(problems, diagnostics)
			return cty.NilVal
		}
		return v
	}
	parse := func(v cty.Value) version.Version {
		parsed, err := version.Parse(v.AsString())
		problems = errors.Join(problems, err)
		return parsed
	}
	controlPlane, pools, proxy, clients := value("control_plane_version"), value("node_pools"), value("kube_proxy"), value("kubectl")
	target, name := value("target_version"), value("policy")
	if problems != nil {
		return upgrade.Request{}, problems
	}
	p, err := policy.Builtin(name.AsString())
	if err != nil {
		return upgrade.Request{}, err
	}
	place := func(at finding.Location, components []string, v version.Version) skew.Place {
		out := skew.Place{Location: at}
		for _, c := range components {
			out.Instances = append(out.Instances, skew.Instance{Component: c, Version: v})
		}
		return out
	}
	cluster := skew.Cluster{Places: []skew.Place{place(finding.AtAttribute(finding.ControlPlaneVersion), skew.ControlPlaneComponents, parse(controlPlane))}}
	for pool, declared := range pools.AsValueMap() {
		cluster.Places = append(cluster.Places, place(finding.AtKey(finding.NodePools, pool), []string{"kubelet"}, parse(declared.GetAttr("kubelet"))))
	}
	slices.SortFunc(cluster.Places, func(a, b skew.Place) int { return a.Location.Compare(b.Location) })
	cluster = cluster.WithKubeProxy(parse(proxy))
	for i, client := range clients.AsValueSlice() {
		cluster.Places = append(cluster.Places, place(finding.AtIndex(finding.Kubectl, "", i), []string{"kubectl"}, parse(client)))
	}
	return upgrade.Request{Policy: p, Cluster: cluster, Target: parse(target), Strategy: upgrade.FewestRollouts}, problems
}

// stagesSVG draws an upgrade plan, with a row for each location and a column for each
// stage. A cell shows the minor that runs after the stage, and is filled if it moves.
func stagesSVG(r upgrade.Request) string {
	plan := evaluation.Plan(r)
	const labels, cell = 110, 44
	out := &picture{
		width:  2*margin + labels + (len(plan.Stages)+1)*(cell+cellGap) - cellGap,
		height: margin + headingHeight + (len(r.Cluster.Places)+1)*(cellHeight+cellGap) - cellGap + margin,
	}
	x := func(column int) int { return margin + labels + column*(cell+cellGap) }
	heading := func(column int, content string) {
		out.text(text{kind: "stage", x: x(column) + cell/2, y: margin + headingHeight - 16, content: content, fill: faint, middle: true})
	}
	heading(0, "now")
	for i := range plan.Stages {
		heading(i+1, strconv.Itoa(i+1))
	}
	out.text(text{kind: "axis", x: margin, y: margin + headingHeight - 16, content: "Stage", fill: faint})
	row := func(i int) int { return margin + headingHeight + i*(cellHeight+cellGap) }
	for i, place := range r.Cluster.Places {
		out.text(text{kind: "label", x: margin, y: row(i) + cellHeight/2, content: labelOf(place.Location), fill: ink})
		minor := place.Instances[0].Version.Minor()
		for column := range len(plan.Stages) + 1 {
			cellBox := box{x: x(column), y: row(i), width: cell, height: cellHeight, fill: none, stroke: border}
			shown := text{kind: "runs", x: x(column) + cell/2, y: row(i) + cellHeight/2, fill: faint, middle: true}
			if column > 0 && slices.Contains(plan.Stages[column-1].Locations, place.Location) {
				minor = plan.Stages[column-1].To.Minor()
				cellBox.fill, cellBox.stroke = strong, strong
				shown.kind, shown.fill, shown.bold = "moves", onFill, true
			}
			shown.content = minor.String()
			out.box(cellBox)
			out.text(shown)
		}
	}
	// Each apply spans its stages.
	y := row(len(r.Cluster.Places))
	out.text(text{kind: "axis", x: margin, y: y + cellHeight/2, content: "Apply", fill: faint})
	for first := 0; first < len(plan.Stages); {
		last := first
		for last+1 < len(plan.Stages) && plan.Stages[last+1].Apply == plan.Stages[first].Apply {
			last++
		}
		left, right := x(first+1), x(last+1)+cell
		out.box(box{x: left, y: y, width: right - left, height: cellHeight, fill: none, stroke: border, dashed: true})
		out.text(text{kind: "apply", x: (left + right) / 2, y: y + cellHeight/2, content: strconv.Itoa(plan.Stages[first].Apply), fill: ink, middle: true})
		first = last + 1
	}
	from := r.Cluster.Newest(skew.APIServer).Minor()
	return out.svg(fmt.Sprintf("Upgrade from %s to %s in %d stages and %d applies", from, r.Target.Minor(), len(plan.Stages), plan.Applies),
		fmt.Sprintf("Planned with the policy %s. Each column shows the minor versions that run after a stage. Filled cells are the moves of the stage.", r.Policy.Name))
}

// labelOf returns the label of a location for readers who do not see the configuration.
func labelOf(l finding.Location) string {
	switch l.Attribute {
	case finding.ControlPlaneVersion:
		return "control plane"
	case finding.NodePools:
		return "nodes: " + l.Key
	case finding.KubeProxy:
		return "kube-proxy"
	default:
		return string(l.Attribute)
	}
}
