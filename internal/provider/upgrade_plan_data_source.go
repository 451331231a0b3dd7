package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

var strategies = []string{string(upgrade.FewestRollouts), string(upgrade.Follow)}

type upgradePlanDataSource struct {
	settings settings
}

var (
	_ datasource.DataSourceWithConfigure      = (*upgradePlanDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*upgradePlanDataSource)(nil)
)

func newUpgradePlanDataSource() datasource.DataSource { return &upgradePlanDataSource{} }

func (d *upgradePlanDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_upgrade_plan"
}

func (d *upgradePlanDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *upgradePlanDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := clusterAttributes()
	attributes["target_version"] = schema.StringAttribute{
		MarkdownDescription: "Version that the control plane and the nodes are to have in the end. A minor such as `1.34` is reached by any of its patches.",
		Required:            true,
	}
	attributes["available_versions"] = schema.ListAttribute{
		MarkdownDescription: "Versions that can be had, as `azurerm_kubernetes_service_versions`, `google_container_engine_versions` or `aws_eks_cluster_versions` list them. " +
			"Each stage then uses the newest one of its minor; of builds without an order, the last. Without it, stages name minors.",
		ElementType: types.StringType,
		Optional:    true,
	}
	attributes["strategy"] = schema.StringAttribute{
		MarkdownDescription: fmt.Sprintf("When node pools move: as rarely as the policy allows, each by itself (`%s`, the default), or after every step of the control plane (`%s`).", upgrade.FewestRollouts, upgrade.Follow),
		Optional:            true,
		Validators:          []validator.String{stringvalidator.OneOf(strategies...)},
	}
	attributes["policy"] = policyAttribute()
	attributes["waivers"] = waiversAttribute()
	for name, attribute := range upgradePlanOutputs() {
		attributes[name] = attribute
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Plans the way from the versions that run now to a target, stage by stage, with as few node rollouts as the policy allows. " +
			"Every combination on the way keeps to the policy. `next` holds the versions after the first stage, ready to be wired into a module.",
		Attributes: attributes,
	}
}

// upgradePlanOutputs is the shape of upgradePlanModel.
func upgradePlanOutputs() map[string]schema.Attribute {
	inputs := clusterAttributes()
	computed := func(attribute finding.Attribute) schema.MapNestedAttribute {
		fields := map[string]schema.Attribute{}
		if input, ok := inputs[string(attribute)].(schema.MapNestedAttribute); ok {
			for name := range input.NestedObject.Attributes {
				fields[name] = computedText(fmt.Sprintf("As in `%s`.", attribute))
			}
		}
		return schema.MapNestedAttribute{
			MarkdownDescription: fmt.Sprintf("As `%s`; every component is set by itself.", attribute),
			Computed:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: fields},
		}
	}
	return map[string]schema.Attribute{
		"feasible": schema.BoolAttribute{
			MarkdownDescription: "Whether there is a way. If not, `findings` says what is in it, and there are no stages.",
			Computed:            true,
		},
		"findings": findingsAttribute("What breaks the policy now, and is repaired first, or what is in the way."),
		"stages": schema.ListNestedAttribute{
			MarkdownDescription: "Stages, to be done one after another.",
			Computed:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"number":     schema.Int64Attribute{MarkdownDescription: "Number of the stage, from 1.", Computed: true},
				"kind":       computedText("`control_plane`, `node_pools` or `clients`."),
				"components": computedTexts("Components that move."),
				"locations":  computedTexts("Where they run."),
				"from":       computedTexts("Versions before, oldest first."),
				"to":         computedText("Version after."),
				"drain":      schema.BoolAttribute{MarkdownDescription: "Whether nodes are to be drained before.", Computed: true},
				"notes":      computedTexts("What to mind."),
			}},
		},
		"next": schema.SingleNestedAttribute{
			MarkdownDescription: "The versions after the first stage, in the shape of the inputs; as they are if there is no stage.",
			Computed:            true,
			Attributes: map[string]schema.Attribute{
				string(finding.ControlPlaneVersion): computedText("As `control_plane_version`."),
				string(finding.ControlPlane):        computed(finding.ControlPlane),
				string(finding.NodePools):           computed(finding.NodePools),
				string(finding.Kubectl):             computedTexts("As `kubectl`."),
				emulatedVersion:                     computedText("As `emulated_version`: set while a managed control plane emulates an older version."),
			},
		},
		"control_plane_steps": schema.Int64Attribute{MarkdownDescription: "Number of stages that move API servers.", Computed: true},
		"node_pool_rollouts":  schema.Int64Attribute{MarkdownDescription: "How often node pools move, over all of them.", Computed: true},
		"markdown":            computedText("The plan as a page in Markdown."),
		"mermaid":             computedText("The stages as a [Mermaid](https://mermaid.js.org) flowchart, which Git hosts draw; without the fence around it."),
	}
}

type upgradePlanModel struct {
	Feasible          bool           `tfsdk:"feasible"`
	Findings          []findingModel `tfsdk:"findings"`
	Stages            []stageModel   `tfsdk:"stages"`
	Next              tftypes.Value  `tfsdk:"next"`
	ControlPlaneSteps int64          `tfsdk:"control_plane_steps"`
	NodePoolRollouts  int64          `tfsdk:"node_pool_rollouts"`
	Markdown          string         `tfsdk:"markdown"`
	Mermaid           string         `tfsdk:"mermaid"`
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
}

// readRequest reads what a plan is asked for. It also reports what is missing.
func (d *upgradePlanDataSource) readRequest(raw tftypes.Value) (upgrade.Request, *input, diag.Diagnostics) {
	attributes := tfvalue.Fields(raw)
	in := readInput(raw, attributes["observed"], d.settings)
	diags := in.diags
	r := upgrade.Request{Cluster: in.cluster, Strategy: upgrade.FewestRollouts}
	if target, err := in.scheme().ParseDeclared(tfvalue.String(attributes["target_version"])); err == nil {
		r.Target = target
	} else if tfvalue.IsSet(attributes["target_version"]) {
		diags.Append(invalidVersion(path.Root("target_version"), "target_version", err.Error()))
	}
	if strategy := tfvalue.String(attributes["strategy"]); strategy != "" {
		r.Strategy = upgrade.Strategy(strategy)
	}
	available, problems := readVersions(attributes["available_versions"], "available_versions", in.scheme().ParseDeclared)
	diags.Append(problems...)
	r.Available = available
	if running := in.cluster.Newest(skew.APIServer); !running.IsZero() && !r.Target.IsZero() {
		if minors, ok := r.Target.Minor().Skew(running.Minor()); ok && (minors > upgrade.MaxPath || -minors > upgrade.MaxPath) {
			diags.AddAttributeError(path.Root("target_version"), "Target too far",
				fmt.Sprintf("The target %q is %d minor versions away from kube-apiserver %s. That is hardly meant; at most %d are planned.", r.Target, max(minors, -minors), running, upgrade.MaxPath))
		}
	}
	hasAPIServer := slices.Contains(in.cluster.Components(), skew.APIServer)
	if !diags.HasError() && !hasAPIServer && !in.cluster.Partial {
		diags.AddError("No control plane", "Neither control_plane_version nor an instance in control_plane declares a kube-apiserver, so there is nothing to plan from.\n\n"+
			"To repair: set control_plane_version to the version that runs now.")
	}
	return r, in, diags
}

func (d *upgradePlanDataSource) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	_, _, diags := d.readRequest(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
}

func (d *upgradePlanDataSource) Read(_ context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	r, in, diags := d.readRequest(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	r.Policy = in.policy(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(furtherDiagnostics(r.Policy, r.Cluster)...)

	r.Waivers, r.Day = in.waivers, in.day(d.settings)
	plan := evaluation.Plan(r)
	model := planModelOf(r, plan)
	model.Next = versionsOf(tfvalue.ObjectType(req.Config.Raw.Type()).AttributeTypes["next"], plan.Next)
	resp.State.Raw = tfvalue.With(req.Config.Raw, model)
}

func planModelOf(r upgrade.Request, p upgrade.Plan) upgradePlanModel {
	model := upgradePlanModel{
		Feasible:          p.Feasible,
		Findings:          []findingModel{},
		Stages:            []stageModel{},
		ControlPlaneSteps: int64(p.ControlPlaneSteps),
		NodePoolRollouts:  int64(p.NodePoolRollouts),
		Markdown:          report.PlanMarkdown(r, p),
		Mermaid:           report.Mermaid(p),
	}
	for _, f := range p.Findings {
		model.Findings = append(model.Findings, findingModelOf(f))
	}
	for i, s := range p.Stages {
		model.Stages = append(model.Stages, stageModel{
			Number:     int64(i + 1),
			Kind:       string(s.Kind),
			Components: s.Components,
			Locations:  spelled(s.Locations),
			From:       spelled(s.From),
			To:         s.To.String(),
			Drain:      s.Drain(),
			Notes:      report.StageNotes(s),
		})
	}
	return model
}

// versionsOf writes the versions of a cluster in the shape of the cluster
// attributes, each component by itself. Attributes that nothing declares are
// null.
func versionsOf(t tftypes.Type, c skew.Cluster) tftypes.Value {
	object := tfvalue.ObjectType(t)
	text := func(v version.Version) tftypes.Value { return tftypes.NewValue(tftypes.String, v.Binary().String()) }
	elements := map[finding.Attribute]map[string]tftypes.Value{}
	fields := map[string]tftypes.Value{}
	var clients []tftypes.Value
	for _, p := range c.Places {
		switch a := p.Location.Attribute; a {
		case finding.ControlPlaneVersion:
			fields[string(a)] = text(p.Instances[0].Version)
			if emulated, ok := p.Instances[0].Version.Emulated(); ok {
				fields[emulatedVersion] = text(emulated)
			}
		case finding.Kubectl:
			clients = append(clients, text(p.Instances[0].Version))
		case finding.ControlPlane, finding.NodePools:
			element := tfvalue.ObjectType(object.AttributeTypes[string(a)])
			values := map[string]tftypes.Value{}
			for name, fieldType := range element.AttributeTypes {
				values[name] = tftypes.NewValue(fieldType, nil)
			}
			for _, i := range p.Instances {
				values[attributeName(i.Component)] = text(i.Version)
				if emulated, ok := i.Version.Emulated(); ok && i.Component == skew.APIServer {
					values[emulatedVersion] = text(emulated)
				}
			}
			if elements[a] == nil {
				elements[a] = map[string]tftypes.Value{}
			}
			elements[a][p.Location.Key] = tftypes.NewValue(element, values)
		}
	}
	for name, fieldType := range object.AttributeTypes {
		switch all := elements[finding.Attribute(name)]; {
		case all != nil:
			fields[name] = tftypes.NewValue(fieldType, all)
		case name == string(finding.Kubectl) && clients != nil:
			fields[name] = tftypes.NewValue(fieldType, clients)
		case fields[name].Type() == nil:
			fields[name] = tftypes.NewValue(fieldType, nil)
		}
	}
	return tftypes.NewValue(object, fields)
}
