// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

const validationName = providerName + "_validation"

// validationID is the id of every validation. It is constant, because there is no
// remote object and the state must not change unless the configuration does.
const validationID = "validation"

type validationResource struct {
	settings settings
}

var (
	_ resource.ResourceWithValidateConfig = (*validationResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*validationResource)(nil)
	_ resource.ResourceWithImportState    = (*validationResource)(nil)
)

func (r *validationResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = validationName
}

func (r *validationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = validationSchema()
}

func validationSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"enforcement_level": schema.StringAttribute{
			MarkdownDescription: enforcementDescription + fmt.Sprintf(" Default: `enforcement_level` of the provider, or `%s`.", mandatory),
			Optional:            true,
		},
		"id": schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("Always `%s`.", validationID),
			Computed:            true,
		},
	}
	for name, attribute := range inputAttributes() {
		attributes[name] = attribute
	}
	const writeOnlyDescription = " Requires Terraform or OpenTofu 1.11 or later."
	attributes["as_of"] = writeOnly(asOfAttribute("To check an apply by the date of its plan, set it to `formatdate(\"YYYY-MM-DD\", plantimestamp())`. Write-only: never stored, so that another date is no change." + writeOnlyDescription))
	attributes["observed"] = writeOnly(observedAttribute("Replaces the versions of the last successful apply entirely: the step of a version that it leaves out is not checked. Write-only: never stored, and may differ between plan and apply." + writeOnlyDescription))
	for _, name := range []string{availableVersions, availableNodeVersions} {
		list, _ := attributes[name].(datasource.ListAttribute)
		list.MarkdownDescription += " Write-only: never stored, so that a new patch of the platform is no change." + writeOnlyDescription
		attributes[name] = writeOnly(list)
	}
	attributes["cluster_id"] = schema.StringAttribute{
		MarkdownDescription: "Value that changes if the cluster is replaced, such as its creation time. An ARN, or an ID that consists of names, does not. If it changes, or is unknown because the cluster is being replaced, " +
			"the versions in state belong to another cluster and no step is checked. Setting it for the first time does not count as a change.",
		Optional: true,
	}
	attributes["waivers"] = waiversAttribute("A waived error becomes a warning that quotes the reason. A waiver that has expired or does not match any finding causes a warning.")
	return schema.Schema{
		MarkdownDescription: "Fails `terraform plan` if declared Kubernetes versions violate a version skew policy, or if the step to them from the previous versions does. " +
			"The step starts from `observed` if it is set, otherwise from the versions of the last successful apply. " +
			"The resource does not create anything. Wire it to the arguments that set the versions, and add `depends_on` with the cluster and its node pools. " +
			"The whole plan is then checked before anything is applied, and the new versions are recorded only after the upgrade has succeeded.",
		Version:    validationVersion,
		Attributes: attributes,
	}
}

// validationInputs holds the inputs of a validation.
type validationInputs struct {
	stepModel
	EnforcementLevel tftypes.Value `tfsdk:"enforcement_level"`
	ClusterID        tftypes.Value `tfsdk:"cluster_id"`
}

func (r *validationResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if tfvalue.IsSet(req.Config.Raw) {
		resp.Diagnostics.Append(r.checkConfig(req.Config.Raw, req.ClientCapabilities.WriteOnlyAttributesAllowed)...)
	}
}

// checkConfig validates a configuration.
func (r *validationResource) checkConfig(config tftypes.Value, writeOnlyAllowed bool) (diags diag.Diagnostics) {
	var m validationInputs
	tfvalue.Read(config, &m)
	if !writeOnlyAllowed {
		diags.Append(writeOnlyUnsupported(tfvalue.Fields(config))...)
	}
	diags.Append(checkChoice(m.EnforcementLevel, path.Root("enforcement_level"), "enforcement_level", enforcementLevels)...)
	in := readInput(m.stepModel, r.settings)
	diags.Append(in.diags...)
	if !diags.HasError() {
		diags.Append(r.literals(in, m.EnforcementLevel)...)
	}
	return diags
}

// writeOnlyInputs are the attributes whose values change without a change of the cluster.
var writeOnlyInputs = []string{"as_of", "observed", availableVersions, availableNodeVersions}

// writeOnlyUnsupported reports write-only attributes, for a CLI that does not support them.
func writeOnlyUnsupported(attributes map[string]tftypes.Value) (diags diag.Diagnostics) {
	for _, name := range writeOnlyInputs {
		if attributes[name].IsNull() {
			continue
		}
		diags.Append(errorAt(path.Root(name), report.WriteOnlyUnsupported(name)))
	}
	return diags
}

// literals checks the combination during validation. It only reports errors that no
// unknown value, date or earlier version can change. A plan checks everything together,
// so literals does nothing once the provider is configured. There is no hint about
// destroying, because every plan validates first, too.
//
// It requires that the resource itself sets the policy: a module may get another
// default from a provider block of its caller.
func (r *validationResource) literals(in *input, level tftypes.Value) (diags diag.Diagnostics) {
	if in.Policy == nil || r.settings.policy != nil || cmp.Or(r.settings.level(level), mandatory) != mandatory {
		return nil
	}
	if !in.checkPolicy(&diags) {
		return diags
	}
	request := in.Input
	// On the zero date, no waiver has expired and no version has reached its end of life.
	request.Observed, request.Offered, request.Day = nil, evaluation.Offered{}, releases.Date{}
	problems := slices.DeleteFunc(evaluation.Check(request).Problems, func(p finding.Problem) bool {
		f := p.Findings[0]
		_, isMismatch := f.Cause.(*finding.Mismatch)
		return !isMismatch || !f.IsUnwaivedError()
	})
	return append(diags, problemDiagnostics(problems, mandatory, localNote(request, problems), "")...)
}

// plannedValues are those of the attributes that do not come from the configuration: the
// computed ones, and the write-only ones, which are always null.
var plannedValues = func() map[string]any {
	values := map[string]any{"id": validationID}
	for _, name := range writeOnlyInputs {
		values[name] = nil
	}
	return values
}()

// ModifyPlan checks every plan, including one without changes. It sets all computed
// attributes.
func (r *validationResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if tfvalue.IsSet(req.Plan.Raw) { // Destroying never fails.
		plan, diags := r.plan(req.Plan.Raw, req.Config.Raw, req.State.Raw)
		resp.Plan.Raw = plan
		resp.Diagnostics.Append(diags...)
	}
}

// plan returns the planned state. prior is null on create.
func (r *validationResource) plan(proposed, config, prior tftypes.Value) (plan tftypes.Value, diags diag.Diagnostics) {
	plan = tfvalue.With(proposed, plannedValues)
	c := r.check(plan, config, prior)
	return plan, append(c.diags, c.pending()...)
}

// apply returns the state after an apply. It checks again, because every value is known
// now. After an error, the state stays as it was.
func (r *validationResource) apply(plan, config, prior tftypes.Value) (state tftypes.Value, diags diag.Diagnostics) {
	c := r.check(plan, config, prior)
	if c.diags.HasError() {
		return prior, c.diags
	}
	return plan, c.diags
}

// Create records the versions.
func (r *validationResource) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw, resp.Diagnostics = r.apply(req.Plan.Raw, req.Config.Raw, tftypes.NewValue(req.Plan.Raw.Type(), nil))
}

// Update does the same as Create, with a step that may start from the versions in state.
func (r *validationResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw, resp.Diagnostics = r.apply(req.Plan.Raw, req.Config.Raw, req.State.Raw)
}

// Read does nothing: the state only holds declared values, which need no refresh.
func (r *validationResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Delete does nothing: the framework removes the state.
func (r *validationResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// checkResult is the result of checking a plan or an apply.
type checkResult struct {
	input *input
	diags diag.Diagnostics
	// policyKnown is true if the policy was known, and compared if it had anything to
	// check.
	policyKnown, compared bool
	plan, prior           tftypes.Value
	// undecided holds the errors that a partly unknown waiver might accept.
	undecided []finding.Finding
	// ifKept describes the errors of the step that is only checked if an unknown cluster_id
	// turns out to be unchanged, in paragraphs.
	ifKept []string
}

// unchanged reports whether the plan equals the prior state, so that no apply follows.
// It is expensive, because it compares every node pool.
func (c *checkResult) unchanged() bool { return c.plan.Equal(c.prior) }

// check checks a plan against the prior state, which is null on create. The
// configuration provides the write-only attributes.
func (r *validationResource) check(plan, config, prior tftypes.Value) *checkResult {
	var m, declared validationInputs
	tfvalue.Read(plan, &m)
	tfvalue.Read(config, &declared)
	// These are null in the plan.
	m.Observed, m.AsOf, m.AvailableVersions, m.AvailableNodeVersions = declared.Observed, declared.AsOf, declared.AvailableVersions, declared.AvailableNodeVersions
	in := readInput(m.stepModel, r.settings)
	c := &checkResult{input: in, diags: in.diags, plan: plan, prior: prior}
	c.diags.Append(checkChoice(m.EnforcementLevel, path.Root("enforcement_level"), "enforcement_level", enforcementLevels)...)
	if !in.checkPolicy(&c.diags) {
		return c
	}
	c.policyKnown = true
	in.ifUnknown(m.EnforcementLevel, "enforcement_level")
	level := r.settings.level(m.EnforcementLevel)
	from, recorded := c.start(m.ClusterID)
	request := in.Input
	request.Observed = from
	if in.observedUnknown || slices.Contains(in.unknown, unknownCluster) {
		request.Offered = evaluation.Offered{} // It is not known what the step moves.
	}
	verdict := evaluation.Check(request)
	problems := verdict.Problems
	c.undecided = verdict.Undecided
	hint := ""
	if len(problems) > 0 && c.unchanged() {
		hint = report.NoteDestroyPlan
	}
	local := localNote(request, problems)
	note := func(f finding.Finding) string {
		if w := in.expired(f); w != nil && in.asOf.IsNull() {
			return report.Expired(*w)
		}
		if recorded && f.Cause.OfStep() {
			recorded = false // once is enough
			return report.NoteRecorded
		}
		return local(f)
	}
	if slices.Contains(in.unknown, unknownCluster) && level != advisory {
		kept := request
		kept.Observed, recorded = c.previous() // the notes mention where the step starts
		kept.Offered = in.Offered
		for _, d := range problemDiagnostics(stepErrors(kept), mandatory, note, "") {
			c.ifKept = append(c.ifKept, d.Summary(), d.Detail())
		}
	}
	if level == changes {
		added, existing := evaluation.Changes(request, problems)
		c.diags.Append(problemDiagnostics(added, mandatory, note, hint)...)
		problems, level = existing, advisory
		note = func(f finding.Finding) string {
			switch {
			case !f.IsUnwaivedError():
				return ""
			case from == nil || from.Partial || len(in.unknown) > 0:
				return report.NoteUnknownAge
			}
			return report.NoteOld
		}
	}
	c.diags.Append(problemDiagnostics(problems, level, note, hint)...)
	c.diags.Append(waiverDiagnostics(in, verdict.Unmatched)...)
	c.diags.Append(uncheckedDiagnostics(in)...)
	c.compared = canCheck(request)
	c.diags.Append(c.nothing()...)
	return c
}

// nothing warns of places without any version, and if no two versions can be compared.
func (c *checkResult) nothing() (diags diag.Diagnostics) {
	in := c.input
	if len(in.unset) > 0 {
		diags.Append(warningAt(path.Empty(), report.Unset(in.unset)))
	}
	if !c.compared && len(in.unknown) == 0 {
		anySet := slices.ContainsFunc(in.Cluster.Places, func(p skew.Place) bool { return len(p.Instances) > 0 })
		diags.Append(warningAt(path.Empty(), report.NoComparison(anySet)))
	}
	return diags
}

// stepErrors returns the errors of a step.
func stepErrors(in evaluation.Input) []finding.Problem {
	return slices.DeleteFunc(evaluation.Check(in).Problems, func(p finding.Problem) bool {
		f := p.Findings[0]
		return !f.Cause.OfStep() || !f.IsUnwaivedError()
	})
}

// localNote returns the note for a finding that disappears with a local endpoint: one
// about a control-plane component and the API server of another instance.
func localNote(in evaluation.Input, problems []finding.Problem) func(finding.Finding) string {
	mayBeLocal := func(f finding.Finding) bool {
		m, ok := f.Cause.(*finding.Mismatch)
		return ok && m.Rule.Scope == policy.ScopeEndpoint && f.Subject.Locations[0].Attribute == finding.ControlPlane
	}
	if in.Cluster.LocalEndpoint || !slices.ContainsFunc(finding.Findings(problems), mayBeLocal) {
		return func(finding.Finding) string { return "" }
	}
	in.Cluster.LocalEndpoint, in.Possible = true, nil
	remaining := map[finding.Occurrence]bool{}
	for _, f := range evaluation.Check(in).Findings() {
		for o := range f.Occurrences() {
			remaining[o] = true
		}
	}
	return func(f finding.Finding) string {
		if !mayBeLocal(f) || slices.ContainsFunc(slices.Collect(f.Occurrences()), func(o finding.Occurrence) bool { return remaining[o] }) {
			return ""
		}
		return report.NoteLocal
	}
}

// start returns the cluster that the step starts from, or nil if no step is checked.
// recorded is true if its versions are those in state.
func (c *checkResult) start(id tftypes.Value) (from *skew.Cluster, recorded bool) {
	in := c.input
	switch before := tfvalue.Fields(c.prior)["cluster_id"]; {
	case id.IsNull() || before.IsNull():
	case !id.IsKnown():
		in.unknown = append(in.unknown, unknownCluster)
		return nil, false
	case !id.Equal(before):
		in.AnotherCluster = true
		return nil, false // The versions in state belong to another cluster.
	}
	return c.previous()
}

// unknownCluster is in the list of unknown values if nothing tells whether the cluster
// is the one in state.
const unknownCluster = "cluster_id"

// previous returns the versions that the cluster runs before the plan, or nil if they are
// not known. recorded is true if they are those in state.
func (c *checkResult) previous() (from *skew.Cluster, recorded bool) {
	in := c.input
	if in.Observed != nil || in.observedUnknown || !tfvalue.IsSet(c.prior) {
		return in.Observed, false
	}
	reader := readClusterOf(c.prior, "", in.scheme())
	if reader.diags.HasError() {
		c.diags.Append(warningAt(path.Empty(), report.InvalidStart(details(reader.diags))))
		return nil, false
	}
	return &reader.cluster, true
}

// canCheck reports whether there is anything to check: two versions that a rule
// compares, or an API server, whose next step is checked.
func canCheck(in evaluation.Input) bool {
	if skew.Compares(in.Policy, in.Cluster) {
		return true
	}
	for _, component := range in.Cluster.Components() {
		if component == skew.APIServer {
			return !in.Cluster.Newest(component).IsZero()
		}
		if in.Observed != nil && len(in.Policy.StepRulesFor(component)) > 0 && slices.Contains(in.Observed.Components(), component) {
			return true
		}
	}
	return false
}

// pending warns of unknown values, which are checked at apply if there is one.
func (c *checkResult) pending() (diags diag.Diagnostics) {
	unknown := c.input.unknown
	if len(unknown) == 0 || c.diags.HasError() && !c.policyKnown {
		return nil
	}
	if c.unchanged() {
		// Without a change, only write-only attributes can be unknown.
		if dated := slices.Index(unknown, "as_of"); dated >= 0 {
			diags.Append(warningAt(path.Root("as_of"), report.UnknownDate))
			unknown = slices.Delete(slices.Clone(unknown), dated, dated+1)
		}
		if len(unknown) > 0 {
			attribute := unknown[0][:strings.IndexAny(unknown[0]+".", ".[")]
			diags.Append(warningAt(path.Root(attribute), report.UnknownStart(unknown, attribute)))
		}
		return diags
	}
	checked := report.RestChecked
	switch {
	case !c.compared:
		checked = report.NothingChecked
	case slices.Contains(unknown, unknownCluster):
		checked = report.StepUndecided
	}
	if len(c.ifKept) > 0 {
		checked += report.IfKept(c.ifKept)
	}
	diags.Append(warningAt(path.Empty(), report.KnownAtApply(unknown, c.undecided, checked)))
	return diags
}

// details joins the details of diagnostics.
func details(diags diag.Diagnostics) string {
	var all []string
	for _, d := range limited(diags) {
		all = append(all, d.Detail())
	}
	return strings.Join(all, " ")
}
