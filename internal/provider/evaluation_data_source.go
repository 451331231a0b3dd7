package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

type evaluationDataSource struct {
	settings settings
}

var (
	_ datasource.DataSourceWithConfigure      = (*evaluationDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*evaluationDataSource)(nil)
)

func newEvaluationDataSource() datasource.DataSource { return &evaluationDataSource{defaultSettings} }

func (d *evaluationDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_evaluation"
}

func (d *evaluationDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *evaluationDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := inputAttributes(versionType{})
	for name, attribute := range evaluationOutputs() {
		attributes[name] = attribute
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Evaluates declared versions against a version skew policy: what breaks it, which versions would do, " +
			"and whether the control plane could move on. It never fails on a violation; `versionskew_validation` does.",
		Attributes: attributes,
	}
}

// evaluationOutputs is the shape of evaluationModel.
func evaluationOutputs() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	texts := func(description string) schema.ListAttribute {
		return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	}
	return map[string]schema.Attribute{
		"supported": schema.BoolAttribute{
			MarkdownDescription: "Whether no finding of severity `error` stands.",
			Computed:            true,
		},
		"findings": schema.ListNestedAttribute{
			MarkdownDescription: "What breaks the policy, worst first. Instances that share rule, version and reference version are one finding.",
			Computed:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"rule":              text("Id of the rule, such as `kubelet-apiserver`."),
				"severity":          text("`error`, `warning` or `info`."),
				"component":         text("Component that the rule limits."),
				"version":           text("Its version, as declared."),
				"locations":         texts("Where it runs, as in `node_pools[\"gpu\"]`."),
				"reference":         text("Component it was held against; for a step, the same component before it."),
				"reference_version": text("Version of that one."),
				"allowed":           text("Versions of the component that the rule allows here, as a constraint such as `>= 1.28, < 1.32`; `< 0` if none fits."),
				"message":           text("Where it is wrong, what is allowed, and why."),
				"remedy":            text("How to repair it."),
				"source":            text("Where the rule is written down."),
				"waived_by":         text("Name of the waiver that accepts the finding, or null."),
			}},
		},
		"allowed_versions": schema.MapNestedAttribute{
			MarkdownDescription: "Versions that each component may have, also those not declared, while every other one stays as it is. Only rules of severity `error` limit them.",
			Computed:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"minimum":    text("Oldest minor, or null if there is no such bound."),
				"maximum":    text("Newest minor, or null if there is no such bound."),
				"minors":     texts("All minors, oldest first; empty if one side has no bound, or none fits."),
				"constraint": text("The same as a constraint; `>= 0` if there is no bound, `< 0` if none fits."),
			}},
		},
		"next_control_plane_version": schema.SingleNestedAttribute{
			MarkdownDescription: "Outlook on the next control-plane minor; null if no kube-apiserver is declared.",
			Computed:            true,
			Attributes: map[string]schema.Attribute{
				"version":    text("The minor after that of the newest kube-apiserver."),
				"blocked_by": texts("Who is in the way of the control plane moving there alone, and what would clear it; empty if it may move."),
			},
		},
		"upgrade_order": schema.ListNestedAttribute{
			MarkdownDescription: "With `observed`: the moves of the step in an order that keeps every combination on the way sound; empty if there is none.",
			Computed:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"stage":     schema.Int64Attribute{MarkdownDescription: "Number of the stage, from 1. Moves of one stage need no order among themselves.", Computed: true},
				"component": text("Component that moves."),
				"locations": texts("Where it runs."),
				"from":      text("Version before, or null where it appears."),
				"to":        text("Version after, or null where it disappears."),
				"notes":     texts("What to mind."),
			}},
		},
		"markdown": text("The report as a page in Markdown, for a pull request or a module's documentation."),
	}
}

type evaluationModel struct {
	Supported       bool                    `tfsdk:"supported"`
	Findings        []findingModel          `tfsdk:"findings"`
	AllowedVersions map[string]allowedModel `tfsdk:"allowed_versions"`
	Next            *nextModel              `tfsdk:"next_control_plane_version"`
	UpgradeOrder    []moveModel             `tfsdk:"upgrade_order"`
	Markdown        string                  `tfsdk:"markdown"`
}

type findingModel struct {
	Rule             string   `tfsdk:"rule"`
	Severity         string   `tfsdk:"severity"`
	Component        string   `tfsdk:"component"`
	Version          string   `tfsdk:"version"`
	Locations        []string `tfsdk:"locations"`
	Reference        string   `tfsdk:"reference"`
	ReferenceVersion string   `tfsdk:"reference_version"`
	Allowed          string   `tfsdk:"allowed"`
	Message          string   `tfsdk:"message"`
	Remedy           string   `tfsdk:"remedy"`
	Source           string   `tfsdk:"source"`
	WaivedBy         *string  `tfsdk:"waived_by"`
}

type allowedModel struct {
	Minimum    *string  `tfsdk:"minimum"`
	Maximum    *string  `tfsdk:"maximum"`
	Minors     []string `tfsdk:"minors"`
	Constraint string   `tfsdk:"constraint"`
}

type nextModel struct {
	Version   string   `tfsdk:"version"`
	BlockedBy []string `tfsdk:"blocked_by"`
}

type moveModel struct {
	Stage     int64    `tfsdk:"stage"`
	Component string   `tfsdk:"component"`
	Locations []string `tfsdk:"locations"`
	From      *string  `tfsdk:"from"`
	To        *string  `tfsdk:"to"`
	Notes     []string `tfsdk:"notes"`
}

func (d *evaluationDataSource) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	resp.Diagnostics.Append(readInput(req.Config.Raw).diags...)
}

func (d *evaluationDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	in := readInput(req.Config.Raw)
	resp.Diagnostics.Append(in.diags...)
	p := in.policy(d.settings, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(unjudgedDiagnostics(p, in.cluster)...)
	result := evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: in.cluster, Observed: in.observed})

	raw, diags := withOutputs(ctx, req.Config.Raw, evaluationOutputs(), modelOf(result))
	resp.Diagnostics.Append(diags...)
	resp.State.Raw = raw
}

// withOutputs adds the computed attributes to what the configuration says.
func withOutputs(ctx context.Context, config tftypes.Value, outputs map[string]schema.Attribute, model any) (tftypes.Value, diag.Diagnostics) {
	outputTypes := make(map[string]attr.Type, len(outputs))
	for name, output := range outputs {
		outputTypes[name] = output.GetType()
	}
	object, diags := types.ObjectValueFrom(ctx, outputTypes, model)
	if diags.HasError() {
		return config, diags
	}
	computed, err := object.ToTerraformValue(ctx)
	must(err)
	all := fieldsOf(config.Copy())
	for name, value := range fieldsOf(computed) {
		all[name] = value
	}
	return tftypes.NewValue(config.Type(), all), diags
}

func modelOf(r evaluation.Result) evaluationModel {
	model := evaluationModel{
		Supported:       r.Supported(),
		Findings:        []findingModel{},
		AllowedVersions: map[string]allowedModel{},
		UpgradeOrder:    []moveModel{},
		Markdown:        report.Markdown(r),
	}
	for _, f := range r.Findings {
		model.Findings = append(model.Findings, findingModelOf(f))
	}
	for component, w := range r.Allowed {
		model.AllowedVersions[component] = allowedModel{
			Minimum:    minorOrNull(w.Minimum),
			Maximum:    minorOrNull(w.Maximum),
			Minors:     spelled(w.Minors),
			Constraint: w.Constraint(),
		}
	}
	if r.Next != nil {
		model.Next = &nextModel{Version: r.Next.Version.String(), BlockedBy: []string{}}
		for _, f := range r.Next.Blockers {
			model.Next.BlockedBy = append(model.Next.BlockedBy, report.Blocker(f))
		}
	}
	for _, m := range r.Order {
		model.UpgradeOrder = append(model.UpgradeOrder, moveModelOf(m))
	}
	return model
}

func findingModelOf(f skew.Finding) findingModel {
	return findingModel{
		Rule:             f.RuleID,
		Severity:         string(f.Severity),
		Component:        f.Subject.Component,
		Version:          f.Subject.Version.String(),
		Locations:        spelled(f.Subject.Locations),
		Reference:        f.Reference.Component,
		ReferenceVersion: f.Reference.Version.String(),
		Allowed:          f.Allowed.Constraint(),
		Message:          report.Message(f),
		Remedy:           report.Remedy(f),
		Source:           f.Source,
	}
}

func moveModelOf(m upgrade.Move) moveModel {
	return moveModel{
		Stage:     int64(m.Stage),
		Component: m.Component,
		Locations: spelled(m.Locations),
		From:      versionOrNull(m.From),
		To:        versionOrNull(m.To),
		Notes:     append([]string{}, m.Notes...),
	}
}

// spelled returns the words for some things; never nil, for an empty list is
// not null.
func spelled[T interface{ String() string }](items []T) []string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = item.String()
	}
	return words
}

func minorOrNull(m *version.Minor) *string {
	if m == nil {
		return nil
	}
	s := m.String()
	return &s
}

func versionOrNull(v version.Version) *string {
	if v.IsZero() {
		return nil
	}
	s := v.String()
	return &s
}
