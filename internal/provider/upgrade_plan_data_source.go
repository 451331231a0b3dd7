// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

var strategies = []upgrade.Strategy{upgrade.FewestRollouts, upgrade.RequiredOnly, upgrade.Follow}

type upgradePlanDataSource struct {
	settings settings
}

func (d *upgradePlanDataSource) name() string { return providerName + "_upgrade_plan" }

func (d *upgradePlanDataSource) schema() schema.Schema {
	attributes := clusterAttributes()
	attributes["target_version"] = schema.StringAttribute{
		MarkdownDescription: "Version to which the control plane and the node pools are upgraded, or downgraded if it is older. A minor version such as `1.34` is reached with any of its patches.",
		Required:            true,
	}
	attributes[availableVersions] = optionalTexts("Versions that the platform offers, such as those of `azurerm_kubernetes_service_versions`, `google_container_engine_versions` or `aws_eks_cluster_versions`. " +
		"Each stage uses the newest of these patches that the policy allows. Vendor builds of the same patch are compared by their numbers. Default: any version is available, and stages name minor versions, or the patch that a rule of the policy requires.")
	attributes[availableNodeVersions] = optionalTexts("Versions that the platform offers for node pools. Default: `available_versions`.")
	attributes["strategy"] = optionalText(fmt.Sprintf("When node pools are upgraded. `%s` (default): as rarely as the policy allows, each pool on its own, and to the target in the end. `%s`: only when the control-plane upgrade requires it. `%s`: after every control-plane step.",
		upgrade.FewestRollouts, upgrade.RequiredOnly, upgrade.Follow))
	attributes["held_node_pools"] = optionalTexts("Names of node pools that must not move. Each must be a key of `node_pools`. The plan goes as far as they allow. If they stop the control plane before the target, `feasible` is false and `findings` names them.")
	attributes["max_node_pool_versions"] = schema.MapAttribute{
		MarkdownDescription: "Newest version that a node pool may get, keyed by its name in `node_pools`, such as `{ gpu = \"1.34\" }` for a driver that does not support newer versions. A minor version includes all its patches. " +
			"The pool stops there, and a pool that runs a newer version does not move. If such a pool stops the control plane before the target, `feasible` is false and `findings` names it.",
		ElementType: types.StringType,
		Optional:    true,
	}
	attributes["policy"] = policyAttribute()
	attributes["waivers"] = waiversAttribute("The plan neither repairs nor avoids them.")
	maps.Copy(attributes, upgradePlanOutputs())
	return schema.Schema{
		MarkdownDescription: "Plans an upgrade from the versions that run now to a target, stage by stage, with as few node pool rollouts as the policy allows. " +
			"Every intermediate combination of versions satisfies the policy. `next` contains the versions to declare next, with the same attributes as the arguments, so that you can wire them into a module. " +
			"After a stage, planning again returns the rest of the same plan. A downgrade only lowers the versions that have to be lowered. The versions in `components` do not change.",
		Attributes: attributes,
	}
}

// upgradePlanOutputs returns the attributes of upgradePlanModel.
func upgradePlanOutputs() map[string]schema.Attribute {
	inputs := clusterAttributes()
	computed := func(attribute finding.Attribute) schema.MapNestedAttribute {
		fields := map[string]schema.Attribute{}
		if input, ok := inputs[string(attribute)].(schema.MapNestedAttribute); ok {
			for name := range input.NestedObject.Attributes {
				fields[name] = computedText(fmt.Sprintf("Same as in the input `%s`.", attribute))
			}
		}
		return computedMap(fmt.Sprintf("Same as the input `%s`, with every component set individually.", attribute), fields)
	}
	return map[string]schema.Attribute{
		"feasible": computedBool("Whether the target can be reached. If not, `findings` explains why."),
		"findings": findingsAttribute("Current violations of the policy and, if the target cannot be reached, the reasons."),
		"stages": computedList("Stages of the plan, to be completed one after another. If something that a plan does not move (`held_node_pools` or `components`) keeps it from reaching the target, the stages up to that point. If the target cannot be reached for another reason, empty.", map[string]schema.Attribute{
			"number":     computedNumber("Number of the stage, starting at 1."),
			"kind":       computedText("What moves: `control_plane`, `node_pools` or `clients`."),
			"components": computedTexts("Components that move."),
			"locations":  computedTexts("Locations of the components."),
			"from":       computedTexts("Versions before the stage, oldest first. If a version emulates another, `notes` says so."),
			"to":         computedText("Version after the stage. If it emulates another, `notes` says so."),
			"drain":      computedBool("Whether the nodes have to be drained first."),
			"notes":      computedTexts("Notes about the stage, such as what to check first."),
			"apply":      computedNumber("Number of the apply that can include the stage, starting at 1. See `applies`."),
		}),
		"next": computedObject("Versions after the first stage, with the same attributes as the inputs. The current versions if no stage is left. Null if the target cannot be reached for a reason other than `held_node_pools` or `components`, which a plan does not move.", map[string]schema.Attribute{
			string(finding.ControlPlaneVersion): computedText("Same as the input `control_plane_version`."),
			string(finding.ControlPlane):        computed(finding.ControlPlane),
			string(finding.NodePools):           computed(finding.NodePools),
			string(finding.KubeProxy):           computedText("Same as the input `kube_proxy`."),
			string(finding.Kubectl):             computedTexts("Same as the input `kubectl`."),
			emulatedVersion:                     computedText("Same as the input `emulated_version`. Set while a managed control plane emulates an older version."),
		}),
		"control_plane_steps": computedNumber("Number of stages that move API servers."),
		"node_pool_rollouts":  computedNumber("Total number of node pool rollouts."),
		"applies":             computedNumber("Number of applies that a module with `apply_order = \"control_plane_first\"` needs if each apply includes as many consecutive stages as possible."),
		"markdown":            computedText("Plan in Markdown, for a pull request."),
		"mermaid":             computedText("Stages as a [Mermaid](https://mermaid.js.org) flowchart, without the surrounding code fence."),
		"svg":                 computedText("Picture of the plan, with the versions after each stage, for a README or a report. Follows the light or dark theme of the reader."),
	}
}

type upgradePlanModel struct {
	Feasible          bool           `tfsdk:"feasible"`
	Findings          []findingModel `tfsdk:"findings"`
	Stages            []stageModel   `tfsdk:"stages"`
	Next              any            `tfsdk:"next"` // null without a plan
	ControlPlaneSteps int64          `tfsdk:"control_plane_steps"`
	NodePoolRollouts  int64          `tfsdk:"node_pool_rollouts"`
	Applies           int64          `tfsdk:"applies"`
	Markdown          string         `tfsdk:"markdown"`
	Mermaid           string         `tfsdk:"mermaid"`
	SVG               string         `tfsdk:"svg"`
}

type stageModel struct {
	Number     int64    `tfsdk:"number"`
	Kind       string   `tfsdk:"kind"`
	Components []string `tfsdk:"components"`
	Locations  []string `tfsdk:"locations"`
	From       []string `tfsdk:"from"`
	To         string   `tfsdk:"to"`
	Drain      bool     `tfsdk:"drain"`
	Notes      []string `tfsdk:"notes"`
	Apply      int64    `tfsdk:"apply"`
}

// planModel holds the inputs of a plan.
type planModel struct {
	inputModel
	TargetVersion       tftypes.Value `tfsdk:"target_version"`
	Strategy            tftypes.Value `tfsdk:"strategy"`
	HeldNodePools       tftypes.Value `tfsdk:"held_node_pools"`
	MaxNodePoolVersions tftypes.Value `tfsdk:"max_node_pool_versions"`
}

// readRequest reads the inputs of a plan and reports invalid and missing ones.
func (d *upgradePlanDataSource) readRequest(config tftypes.Value) (upgrade.Request, *input, diag.Diagnostics) {
	var m planModel
	tfvalue.Read(config, &m)
	in := readInput(stepModel{inputModel: m.inputModel}, d.settings)
	diags := in.diags
	diags.Append(checkChoice(m.Strategy, path.Root("strategy"), "strategy", strategies)...)
	r := upgrade.Request{Cluster: in.Cluster, Strategy: upgrade.FewestRollouts}
	if m.TargetVersion.IsNull() {
		diags.Append(errorAt(path.Root("target_version"), report.MissingAttribute("", "target_version")))
	}
	target, problems := readVersion(m.TargetVersion, path.Root("target_version"), "target_version", in.scheme().ParseDeclared)
	r.Target = target
	diags.Append(problems...)
	if strategy := tfvalue.String(m.Strategy); strategy != "" {
		r.Strategy = upgrade.Strategy(strategy)
	}
	r.Available = in.Offered.ControlPlane.Versions
	if in.Offered.NodePools.Attribute == availableNodeVersions {
		r.AvailableNodes = in.Offered.NodePools.Versions
	}
	r.Held, problems = readHeld(m.HeldNodePools, m.NodePools)
	diags.Append(problems...)
	r.Limits, problems = readLimits(m.MaxNodePoolVersions, m.NodePools, in.scheme())
	diags.Append(problems...)
	if running := in.Cluster.Newest(skew.APIServer); !running.IsZero() && !r.Target.IsZero() {
		if minors, ok := r.Target.Minor().Skew(running.Minor()); ok && (minors > step.MaxPath || -minors > step.MaxPath) {
			diags.Append(errorAt(path.Root("target_version"), report.TargetTooFar(r.Target, running, max(minors, -minors))))
		}
	}
	if !diags.HasError() && !declaresAPIServer(in.Cluster) && !in.Cluster.Partial {
		diags.Append(errorAt(path.Empty(), report.MissingControlPlane))
	}
	return r, in, diags
}

func (d *upgradePlanDataSource) check(config tftypes.Value) diag.Diagnostics {
	_, _, diags := d.readRequest(config)
	return diags
}

func (d *upgradePlanDataSource) outputs(config tftypes.Value) (any, diag.Diagnostics) {
	r, in, diags := d.readRequest(config)
	if !in.checkPolicy(&diags) {
		return nil, diags
	}
	diags.Append(uncheckedDiagnostics(in)...)

	r.Policy, r.Waivers, r.Day = in.Policy, in.Waivers, in.Day
	plan := evaluation.Plan(r)
	if !plan.Feasible {
		diags.Append(warningAt(path.Root("target_version"), report.NotReached(r, plan)))
	}
	model := planModelOf(r, plan)
	if len(plan.Next.Places) > 0 {
		model.Next = versionsOf(plan.Next)
	}
	return model, diags
}

// readHeld reads the names of the node pools that must not move. Each has to be declared.
func readHeld(names, pools tftypes.Value) (held []string, diags diag.Diagnostics) {
	declared := tfvalue.Fields(pools)
	for i, name := range tfvalue.Elements(names) {
		at := path.Root("held_node_pools").AtListIndex(i)
		s := tfvalue.String(name)
		_, ok := declared[s]
		switch {
		case name.IsNull():
			diags.Append(errorAt(at, report.MissingNodePoolName(at.String())))
		case !ok && name.IsKnown() && pools.IsKnown():
			diags.Append(errorAt(at, report.UnknownNodePool(at.String(), s, slices.Sorted(maps.Keys(declared)))))
		}
		held = append(held, s)
	}
	return held, diags
}

// readLimits reads the newest version that each node pool may get. A null element is no
// limit. Each pool has to be declared.
func readLimits(limits, pools tftypes.Value, scheme *version.Scheme) (newest map[string]version.Version, diags diag.Diagnostics) {
	declared, elements := tfvalue.Fields(pools), tfvalue.Fields(limits)
	newest = map[string]version.Version{}
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		at := path.Root("max_node_pool_versions").AtMapKey(name)
		if _, ok := declared[name]; !ok && pools.IsKnown() {
			diags.Append(errorAt(at, report.UnknownNodePool(at.String(), name, slices.Sorted(maps.Keys(declared)))))
		}
		limit, problems := readVersion(elements[name], at, at.String(), scheme.ParseDeclared)
		diags.Append(problems...)
		if !limit.IsZero() {
			newest[name] = limit
		}
	}
	return newest, diags
}

func planModelOf(r upgrade.Request, p evaluation.Planned) upgradePlanModel {
	model := upgradePlanModel{
		Feasible:          p.Feasible,
		Findings:          findingModels(p.Findings),
		Stages:            []stageModel{},
		ControlPlaneSteps: int64(p.ControlPlaneSteps),
		NodePoolRollouts:  int64(p.NodePoolRollouts),
		Applies:           int64(p.Applies),
		Markdown:          report.PlanMarkdown(r, p),
		Mermaid:           report.Mermaid(p.Plan),
		SVG:               report.PlanSVG(r, p.Plan),
	}
	for i, s := range p.Stages {
		model.Stages = append(model.Stages, stageModel{
			Number:     int64(i + 1),
			Kind:       string(s.Kind),
			Components: s.Components,
			Locations:  report.Strings(s.Locations),
			From:       binaries(s.From),
			To:         s.To.Binary().String(),
			Drain:      s.Drain(),
			Notes:      report.StageNotes(s),
			Apply:      int64(s.Apply),
		})
	}
	return model
}

// versionsOf returns the versions of a cluster in the shape of the cluster attributes,
// with every component set individually. Attributes that declare nothing are missing.
func versionsOf(c skew.Cluster) map[string]any {
	next := map[string]any{}
	var clients []string
	elements := map[finding.Attribute]map[string]map[string]string{finding.ControlPlane: {}, finding.NodePools: {}}
	for _, p := range c.Places {
		switch a := p.Location.Attribute; a {
		case finding.ControlPlaneVersion, finding.KubeProxy:
			next[string(a)] = p.Instances[0].Version.Binary().String()
			if emulated, ok := p.Instances[0].Version.Emulated(); ok {
				next[emulatedVersion] = emulated.String()
			}
		case finding.Kubectl:
			clients = append(clients, p.Instances[0].Version.Binary().String())
			next[string(a)] = clients
		case finding.ControlPlane, finding.NodePools:
			versions := map[string]string{}
			for _, i := range p.Instances {
				if i.ClusterWide {
					continue
				}
				versions[attributeName(i.Component)] = i.Version.Binary().String()
				if emulated, ok := i.Version.Emulated(); ok && i.Component == skew.APIServer {
					versions[emulatedVersion] = emulated.String()
				}
			}
			elements[a][p.Location.Key] = versions
			next[string(a)] = elements[a]
		}
	}
	return next
}
