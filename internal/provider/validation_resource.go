// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
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
			MarkdownDescription: enforcementDescription + " Overrides `enforcement_level` of the provider.",
			Optional:            true,
			Validators:          []validator.String{oneOf(enforcementLevels)},
		},
		"id": schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("Always `%s`.", validationID),
			Computed:            true,
		},
	}
	for name, attribute := range inputAttributes() {
		attributes[name] = attribute
	}
	attributes["observed"] = writeOnly(observedAttribute("Write-only: it is never stored and may differ between plan and apply. Requires Terraform or OpenTofu 1.11 or later."))
	attributes["cluster_id"] = schema.StringAttribute{
		MarkdownDescription: "Unique identifier of the cluster, such as an ARN with the time of creation. If it changes, or is unknown because the cluster is being replaced, " +
			"the versions in state are those of another cluster, and no step is checked. Setting it for the first time is not a change.",
		Optional: true,
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Fails `terraform plan` if declared Kubernetes versions violate a version skew policy, or if the step to them does: " +
			"from `observed` if it is set, otherwise from the versions of the last successful apply. " +
			"It does not create anything. Wire it to the declared versions and add `depends_on` with the cluster and its node pools: " +
			"the plan is checked as a whole before anything is applied, and the new versions are recorded only after the upgrade has succeeded.\n\n" +
			"Destroying the resource never fails. But `terraform destroy` first makes an ordinary plan, which is checked like any other. " +
			"If the declared versions violate the policy, destroy with `-refresh=false`, which skips that plan. " +
			"If literal versions violate a policy that the resource itself sets, `terraform validate` and every command that validates first already fail. " +
			"Then remove the resource from the configuration before you destroy it, or set `enforcement_level = \"advisory\"`.",
		Version:    validationVersion,
		Attributes: attributes,
	}
}

func (r *validationResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	observed := tfvalue.Fields(req.Config.Raw)["observed"]
	if !observed.IsNull() && !req.ClientCapabilities.WriteOnlyAttributesAllowed {
		resp.Diagnostics.AddAttributeError(path.Root("observed"), "observed needs a newer CLI",
			"observed is write-only, which this version of the CLI does not support.\n\n"+
				"To repair: use Terraform or OpenTofu 1.11 or later, or remove observed: the step is then checked from the versions of the last successful apply.")
	}
	in := readInput(req.Config.Raw, observed, r.settings)
	resp.Diagnostics.Append(in.diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.literals(in, tfvalue.Fields(req.Config.Raw))...)
	}
}

// literalsHint is for what is refused before any plan, so also before one that
// destroys.
const literalsHint = "If this is a destroy: remove this resource from the configuration first, or set enforcement_level = \"advisory\"."

// literals judges the combination before there is a plan, as far as the configuration
// itself decides it: whatever is unknown, on which day it is planned, and from which
// versions. Everything else is for the plan, which judges all of it together; so the
// plan does not ask for this again.
//
// Only a policy that the resource names counts: in a module, the provider block that
// decides otherwise may be in another one.
func (r *validationResource) literals(in *input, attributes map[string]tftypes.Value) (diags diag.Diagnostics) {
	level := attributes["enforcement_level"]
	mayEnforce := level.IsNull() && slices.Contains([]string{"", mandatory}, r.settings.enforcementLevel) || level.IsKnown() && tfvalue.String(level) == mandatory
	if r.settings.policy != nil || !mayEnforce {
		return nil
	}
	p := in.policy(&diags) // nil unless the resource names it, and it is known
	if p == nil || diags.HasError() {
		return diags
	}
	// No waiver has expired on the zero day, and nothing has reached its end of life.
	asked := evaluation.Input{Policy: p, Cluster: in.cluster, ApplyOrder: in.applyOrder, Waivers: in.waivers}
	findings, _ := evaluation.Findings(asked)
	findings, _ = in.undecided(findings, releases.Date{})
	local := localNote(asked, findings)
	findings = slices.DeleteFunc(findings, func(f finding.Finding) bool {
		_, ofPair := f.Cause.(*finding.Mismatch)
		return !ofPair || !f.IsUnwaivedError()
	})
	return append(diags, findingDiagnostics(findings, mandatory, func(f finding.Finding) string { return orElse(local(f), schemeNote(p, f)) }, literalsHint)...)
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
	j := r.judge(resp.Plan.Raw, req.Config.Raw, req.State.Raw)
	resp.Diagnostics.Append(j.diags...)
	resp.Diagnostics.Append(j.pending()...)
}

// Create judges again, for now everything is known, and records the versions.
func (r *validationResource) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	j := r.judge(req.Plan.Raw, req.Config.Raw, tftypes.NewValue(req.Plan.Raw.Type(), nil))
	resp.Diagnostics.Append(j.diags...)
	if !j.diags.HasError() {
		resp.State.Raw = req.Plan.Raw
	}
}

// Update does what Create does, with the versions in state as the start of the
// step.
func (r *validationResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	j := r.judge(req.Plan.Raw, req.Config.Raw, req.State.Raw)
	resp.Diagnostics.Append(j.diags...)
	if !j.diags.HasError() {
		resp.State.Raw = req.Plan.Raw
	}
}

// Read has nothing to refresh: what is in state was declared.
func (r *validationResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Delete has nothing to delete; the framework removes the state.
func (r *validationResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// judgement is what a plan or an apply of a validation comes to.
type judgement struct {
	input *input
	diags diag.Diagnostics
	// policyKnown says that there was a policy to judge by, compared that it had
	// something to judge.
	policyKnown, compared bool
	plan, prior           tftypes.Value
	// undecided are the errors that a waiver may accept once it is known.
	undecided []finding.Finding
}

// unchanged reports whether the plan is the prior state, so that no apply follows.
// It compares every node pool, so it is only asked when it matters.
func (j *judgement) unchanged() bool { return j.plan.Equal(j.prior) }

// judge judges a plan, with what is write-only from the configuration, against the
// prior state, which is null on create.
func (r *validationResource) judge(plan, config, prior tftypes.Value) *judgement {
	in := readInput(plan, tfvalue.Fields(config)["observed"], r.settings)
	j := &judgement{input: in, diags: in.diags, plan: plan, prior: prior}
	p := in.policy(&j.diags)
	if j.diags.HasError() || p == nil {
		return j
	}
	j.policyKnown = true

	level := r.settings.enforcementLevel
	switch declared := tfvalue.Fields(plan)["enforcement_level"]; {
	case !declared.IsKnown():
		in.unknown = append(in.unknown, "enforcement_level")
		level = advisory
	case !declared.IsNull():
		level = tfvalue.String(declared)
	}

	from, recorded := r.start(j, plan, prior)
	day := in.day(r.settings)
	asked := evaluation.Input{Policy: p, Cluster: in.cluster, Observed: from, ApplyOrder: in.applyOrder, Waivers: in.waivers, Day: day}
	findings, unmatched := evaluation.Findings(asked)
	findings, j.undecided = in.undecided(findings, day)
	hint := ""
	if len(findings) > 0 && j.unchanged() {
		hint = destroyHint
	}
	local := localNote(asked, findings)
	note := func(f finding.Finding) string {
		if recorded && f.OfStep() {
			return recordedNote
		}
		return orElse(local(f), schemeNote(p, f))
	}
	if level == changes {
		var old []finding.Finding
		findings, old = evaluation.Changes(asked, findings)
		j.diags.Append(findingDiagnostics(findings, mandatory, note, hint)...)
		findings, level = old, advisory
		note = func(f finding.Finding) string {
			switch {
			case !f.IsUnwaivedError():
				return ""
			case from == nil || from.Partial || len(in.unknown) > 0:
				return noBeforeNote
			}
			return knownNote
		}
	}
	j.diags.Append(findingDiagnostics(findings, level, note, hint)...)
	j.diags.Append(waiverDiagnostics(in, unmatched, day)...)
	j.diags.Append(furtherDiagnostics(p, in.cluster)...)
	j.diags.Append(silentWarning(in.silent)...)
	j.compared = judges(p, in.cluster, from)
	if !j.compared && len(in.unknown) == 0 {
		j.diags.Append(unjudgedWarning(in.cluster)...)
	}
	return j
}

// localNote returns what to add to findings on control-plane components that are far
// from the API server of another instance only: kubeadm, for one, never lets them
// reach that.
func localNote(in evaluation.Input, findings []finding.Finding) func(finding.Finding) string {
	concerned := func(f finding.Finding) bool {
		m, ok := f.Cause.(*finding.Mismatch)
		return ok && m.Rule.Scope == policy.ScopeEndpoint && f.Subject.Locations[0].Attribute == finding.ControlPlane
	}
	if in.Cluster.LocalEndpoint || !slices.ContainsFunc(findings, concerned) {
		return func(finding.Finding) string { return "" }
	}
	in.Cluster.LocalEndpoint = true
	remaining := map[string]bool{}
	left, _ := evaluation.Findings(in)
	for _, f := range left {
		for _, l := range f.Subject.Locations {
			remaining[f.RuleID+" "+l.String()] = true
		}
	}
	return func(f finding.Finding) string {
		if !concerned(f) || slices.ContainsFunc(f.Subject.Locations, func(l finding.Location) bool { return remaining[f.RuleID+" "+l.String()] }) {
			return ""
		}
		return fmt.Sprintf("If the components of each instance reach only the kube-apiserver beside them, as kubeadm sets them up, set apiserver_endpoint = %q: this is allowed then.", localEndpoint)
	}
}

// schemeNote returns what to add to a finding on versions of different majors, where one
// of them is a release of a platform that counts in its own numbers: the policy is
// probably the wrong one.
func schemeNote(p *policy.Policy, f finding.Finding) string {
	m, ok := f.Cause.(*finding.Mismatch)
	if !ok || m.Relation != finding.Incomparable || p.Scheme != nil {
		return ""
	}
	for _, name := range version.SchemeNames() {
		scheme, _ := version.SchemeNamed(name)
		for _, v := range []version.Version{f.Subject.Version, f.Reference.Version} {
			if counted, err := scheme.Parse(v.Binary().String()); err == nil && counted.Minor() != v.Minor() {
				return fmt.Sprintf("If %s is a release of a platform with its own numbers, set policy = %q or another policy of that platform: %s would count as %s.", v, name, v, counted.Minor())
			}
		}
	}
	return ""
}

// orElse returns the first of two texts that is not empty.
func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// recordedNote is for a finding on a step from the recorded versions.
const recordedNote = "The step starts from the versions of the last successful apply. If something else runs by now " +
	"(after an upgrade in the console or by a release channel, or an apply that failed half-way), set observed to the versions that run. " +
	"Never roll anything back only to pass this check."

// What "changes" says of an error that it lets pass.
const (
	knownNote    = "This was wrong before the plan, which does not make it worse."
	noBeforeNote = "Whether this was wrong before is not known, so it is only a warning."
)

// start returns what ran before the step, nil if there is no step to judge, and
// whether it is the recorded versions.
func (r *validationResource) start(j *judgement, plan, prior tftypes.Value) (from *skew.Cluster, recorded bool) {
	in := j.input
	switch id, before := tfvalue.Fields(plan)["cluster_id"], tfvalue.Fields(prior)["cluster_id"]; {
	case id.IsNull() || before.IsNull():
	case !id.IsKnown():
		in.unknown = append(in.unknown, "cluster_id")
		return nil, false
	case !id.Equal(before):
		return nil, false // what ran before is another cluster
	}
	if in.observed != nil || in.observedUnknown || !tfvalue.IsSet(prior) {
		return in.observed, false
	}
	reader := readCluster(tfvalue.Fields(prior), "", in.scheme())
	if reader.diags.HasError() {
		j.diags.AddWarning("The step is not checked", "The state holds something that is not a version: "+details(reader.diags)+
			" The combination is still checked, and the next apply records it.")
		return nil, false
	}
	return &reader.cluster, true
}

// judges reports whether there is anything to judge: two versions that a rule
// relates, or an API server, which the next step is checked from.
func judges(p *policy.Policy, c skew.Cluster, from *skew.Cluster) bool {
	if skew.Compares(p, c) {
		return true
	}
	for _, component := range c.Components() {
		if component == skew.ControlPlaneComponents[0] {
			return !c.Newest(component).IsZero()
		}
		if from != nil && len(p.StepRulesFor(component)) > 0 && slices.Contains(from.Components(), component) {
			return true
		}
	}
	return false
}

// pending warns of what is not known yet, and of what no apply will judge.
func (j *judgement) pending() diag.Diagnostics {
	var diags diag.Diagnostics
	unknown := j.input.unknown
	if j.diags.HasError() && !j.policyKnown {
		return diags
	}
	if len(unknown) > 0 && j.unchanged() {
		// Only what is write-only can be unknown where nothing changes.
		diags.AddAttributeWarning(path.Root("observed"), "The step is not fully checked",
			fmt.Sprintf("Known only after apply: %s. Nothing else changes, so there is no apply in which to check the step from it. The combination has been checked.\n\n"+
				"To repair: take observed from a data source that is read at plan time.", named(unknown)))
		return diags
	}
	checked := restJudged
	switch {
	case !j.policyKnown || !j.compared:
		checked = nothingJudged
	case slices.Contains(unknown, "cluster_id"):
		checked = "The step is checked only if cluster_id is still the recorded one. Everything else has been checked."
	}
	diags.Append(unknownWarning(unknown, j.undecided, checked)...)
	return diags
}

func details(diags diag.Diagnostics) string {
	var all []string
	for _, d := range limited(diags) {
		all = append(all, d.Detail())
	}
	return strings.Join(all, " ")
}
