package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

const validationName = providerName + "_validation"

// validationID is the id of every validation: it has no remote object, and
// nothing in state may change unless the declaration does.
const validationID = "validation"

type validationResource struct {
	settings settings
}

var (
	_ resource.ResourceWithConfigure      = (*validationResource)(nil)
	_ resource.ResourceWithValidateConfig = (*validationResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*validationResource)(nil)
	_ resource.ResourceWithImportState    = (*validationResource)(nil)
)

func newValidationResource() resource.Resource { return &validationResource{} }

func (r *validationResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = validationName
}

func (r *validationResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.settings = configured(req.ProviderData, &resp.Diagnostics)
}

func (r *validationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"enforcement_level": schema.StringAttribute{
			MarkdownDescription: enforcementDescription + " Overrides the provider's.",
			Optional:            true,
			Validators:          []validator.String{stringvalidator.OneOf(enforcementLevels...)},
		},
		"id": schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("Always `%s`.", validationID),
			Computed:            true,
		},
	}
	for name, attribute := range inputAttributes(nil) {
		attributes[name] = attribute
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Fails `terraform plan` when declared versions break a version skew policy, or when the step to them does: " +
			"from `observed` if it is set, otherwise from the versions of the last successful apply. " +
			"It creates nothing. Wire it to the desired versions and let it depend on the cluster and its node pools: " +
			"the plan is judged as a whole before anything runs, and the new versions are recorded only after the upgrade succeeded.\n\n" +
			"Destroying it is never refused by the resource. But `terraform destroy` makes an ordinary plan first, which is judged like any other: " +
			"where versions are declared that break the policy, destroy with `-refresh=false`, which leaves that plan out.",
		Attributes: attributes,
	}
}

func (r *validationResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	resp.Diagnostics.Append(readInput(req.Config.Raw).diags...)
}

// validationModel is what is computed.
type validationModel struct {
	ID string `tfsdk:"id"`
}

// ModifyPlan judges every plan, also one without a change. All that is computed
// is known then.
func (r *validationResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // destroying never fails
	}
	resp.Plan.Raw = tfvalue.With(req.Plan.Raw, validationModel{validationID})
	in, diags := r.judge(resp.Plan.Raw, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(unknownDiagnostics(in.unknown)...)
}

// Create judges again, for now everything is known, and records the versions.
func (r *validationResource) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	_, diags := r.judge(req.Plan.Raw, tftypes.NewValue(req.Plan.Raw.Type(), nil))
	resp.Diagnostics.Append(diags...)
	if !diags.HasError() {
		resp.State.Raw = req.Plan.Raw
	}
}

// Update does what Create does, with the versions in state as the start of the
// step.
func (r *validationResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	_, diags := r.judge(req.Plan.Raw, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if !diags.HasError() {
		resp.State.Raw = req.Plan.Raw
	}
}

// Read has nothing to refresh: what is in state was declared.
func (r *validationResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Delete has nothing to delete; the framework removes the state.
func (r *validationResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// judge judges a plan against the prior state, which is null on create.
func (r *validationResource) judge(plan, prior tftypes.Value) (*input, diag.Diagnostics) {
	in := readInput(plan)
	diags := in.diags
	p := in.policy(r.settings, &diags)
	if diags.HasError() || p == nil {
		return in, diags
	}

	level := r.settings.enforcementLevel
	switch declared := tfvalue.Fields(plan)["enforcement_level"]; {
	case !declared.IsKnown():
		in.unknown = append(in.unknown, "enforcement_level")
		level = advisory
	case !declared.IsNull():
		level = tfvalue.String(declared)
	}

	from := in.observed
	if from == nil && !in.observedUnknown && tfvalue.IsSet(prior) {
		recorded := readCluster(tfvalue.Fields(prior), "")
		if recorded.diags.HasError() {
			diags.AddWarning("The step is not judged", "The state holds something that is no version: "+details(recorded.diags)+
				" The combination is judged all the same, and the next apply records it.")
		} else {
			from = &recorded.cluster
		}
	}
	day := in.day(r.settings)
	findings, unmatched := evaluation.Findings(evaluation.Input{Policy: p, Cluster: in.cluster, Observed: from, Waivers: in.waivers, Day: day})
	hint := ""
	if len(findings) > 0 && plan.Equal(prior) {
		hint = destroyHint
	}
	diags.Append(findingDiagnostics(findings, level, hint)...)
	diags.Append(waiverDiagnostics(in, unmatched, day)...)
	diags.Append(unjudgedDiagnostics(p, in.cluster)...)
	return in, diags
}

func details(diags diag.Diagnostics) string {
	var all []string
	for _, d := range limited(diags) {
		all = append(all, d.Detail())
	}
	return strings.Join(all, " ")
}
