// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

type policyDataSource struct {
	settings settings
}

func (d *policyDataSource) name() string { return providerName + "_policy" }

// overlays are the attributes that form a policy document, which extends the base policy.
var overlays = []string{"include", "name", "title", "skew_rules", "step_rules", "requirement_rules", "advisories", "disabled_rules", "releases"}

func (d *policyDataSource) schema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"extends":    optionalText(fmt.Sprintf("Policy to extend: the name of a built-in policy (%s), or the `json` of another `versionskew_policy` data source. Default: `%s`.", quoted(policy.BuiltinNames()), policy.Default)),
		"include":    optionalTexts(fmt.Sprintf("Add-on packs whose rules are added: names of built-in packs (%s), or the `json` of other `versionskew_policy` data sources.", quoted(policy.AddonNames()))),
		"minors":     optionalTexts("Minor versions of the control plane for which `allowed_versions`, `table` and `markdown` list versions. Default: those that are supported today, by the dates in the policy or, if it has none, by those of Kubernetes."),
		"components": optionalTexts("Components that `allowed_versions`, `table` and `markdown` list, in this order. The policy must have rules for them. Default: those that users of the platform upgrade themselves."),
	}
	for _, name := range overlays {
		if attributes[name] == nil {
			attributes[name] = attributeOf(policy.Fields()[name])
		}
	}
	maps.Copy(attributes, policyOutputs())
	return schema.Schema{
		MarkdownDescription: "Provides a version skew policy as data: a built-in policy, or one that extends it with your own rules. Use its `json` in any `policy` argument, including that of the provider.",
		Attributes:          attributes,
	}
}

// inFilesOnly lists the fields of rules and releases that the data source does not have.
var inFilesOnly = []string{"moved_from", "read_on", "read_from", "other_reading", "downgrade_reason", "check", "components", "note", "drain"}

// attributeOf returns the attribute for a field of a policy.
func attributeOf(f *policy.Field) schema.Attribute {
	switch f.Kind {
	case "boolean":
		return schema.BoolAttribute{MarkdownDescription: f.Description, Optional: true}
	case "integer":
		return schema.Int64Attribute{MarkdownDescription: f.Description, Optional: true}
	case "string":
		return schema.StringAttribute{MarkdownDescription: f.Description, Optional: true}
	}
	if f.Fields != nil {
		return schema.SingleNestedAttribute{MarkdownDescription: f.Description, Optional: true, Attributes: attributesOf(f.Fields)}
	}
	object := schema.NestedAttributeObject{Attributes: attributesOf(f.Elements.Fields)}
	switch {
	case f.Elements.Fields == nil:
		return schema.ListAttribute{MarkdownDescription: f.Description, Optional: true, ElementType: types.StringType}
	case f.Kind == "array":
		return schema.ListNestedAttribute{MarkdownDescription: f.Description, Optional: true, NestedObject: object}
	}
	return schema.MapNestedAttribute{MarkdownDescription: f.Description, Optional: true, NestedObject: object}
}

func attributesOf(fields map[string]*policy.Field) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for name, f := range fields {
		if !slices.Contains(inFilesOnly, name) {
			attributes[name] = attributeOf(f)
		}
	}
	return attributes
}

// policyOutputs returns the attributes of policyModel.
func policyOutputs() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"json":          computedText("Policy as JSON, for any `policy` argument: the names of the built-in policy that it extends and of built-in packs, and what differs from them. It does not change if a release of the provider rewords an inherited rule."),
		"resolved_json": computedText("Policy as JSON, including everything that it inherits, for programs and for pinning. It can be used in any `policy` argument too."),
		"rules": computedList("All rules, sorted by ID.", map[string]schema.Attribute{
			"id":        computedText("ID of the rule."),
			"kind":      computedText("Kind of the rule: `skew`, `requirement` or `step`, or `advice` for an advisory."),
			"component": computedText("Component that the rule limits, or null for an advisory."),
			"reference": computedText("Component that it is compared with, or null for a step rule, a requirement without `when` or an advisory."),
			"text":      computedText("Rule as a sentence."),
			"severity":  computedText("Severity of findings."),
			"source":    computedText("URL of the document that states the rule."),
			"read_on":   computedText("Date on which the document was read, as `YYYY-MM-DD`, or empty if unknown."),
			"read_from": computedText("Third party that quotes the document, or empty if the document itself was read."),
			"reason":    computedText("Reason for the rule."),
		}),
		"allowed_versions": schema.MapAttribute{
			MarkdownDescription: "Allowed versions, keyed by minor version of the control plane and then by component: `minimum` and `maximum` (minor versions, or null if there is no limit), `minors` (all allowed minor versions, or empty if there is no lower or upper limit) and `constraint`.",
			ElementType:         types.MapType{ElemType: allowedType},
			Computed:            true,
		},
		"table":    computedText("`allowed_versions` as a Markdown table with a row for each minor version of the control plane and a column for each component."),
		"sources":  computedTexts("URLs of the documents that state the rules, without duplicates."),
		"markdown": computedText("Policy in Markdown: its rules, what it does not cover, and a table of allowed versions."),
	}
}

type policyModel struct {
	JSON            string                             `tfsdk:"json"`
	ResolvedJSON    string                             `tfsdk:"resolved_json"`
	Rules           []ruleModel                        `tfsdk:"rules"`
	Sources         []string                           `tfsdk:"sources"`
	AllowedVersions map[string]map[string]allowedModel `tfsdk:"allowed_versions"`
	Table           string                             `tfsdk:"table"`
	Markdown        string                             `tfsdk:"markdown"`
}

type ruleModel struct {
	ID        string  `tfsdk:"id"`
	Kind      string  `tfsdk:"kind"`
	Component *string `tfsdk:"component"`
	Reference *string `tfsdk:"reference"`
	Text      string  `tfsdk:"text"`
	Severity  string  `tfsdk:"severity"`
	Source    string  `tfsdk:"source"`
	ReadOn    string  `tfsdk:"read_on"`
	ReadFrom  string  `tfsdk:"read_from"`
	Reason    string  `tfsdk:"reason"`
}

func (d *policyDataSource) check(config tftypes.Value) diag.Diagnostics {
	p, diags := readPolicy(config)
	if p == nil {
		_, problems := readVersions(tfvalue.Fields(config)["minors"], "minors", version.Parse)
		return append(diags, problems...)
	}
	_, diags = d.readTable(config, p)
	return diags
}

func (d *policyDataSource) outputs(config tftypes.Value) (any, diag.Diagnostics) {
	p, diags := readPolicy(config)
	if p == nil {
		return nil, diags
	}
	table, diags := d.readTable(config, p)
	if diags.HasError() {
		return nil, diags
	}
	return policyModelOf(p, table), diags
}

// readTable computes the table of allowed versions for minors and components.
func (d *policyDataSource) readTable(raw tftypes.Value, p *policy.Policy) (evaluation.AllowedTable, diag.Diagnostics) {
	attributes := tfvalue.Fields(raw)
	controlPlanes, diags := readVersions(attributes["minors"], "minors", p.Scheme.Parse)
	if attributes["minors"].IsNull() {
		controlPlanes = evaluation.ControlPlanes(p, evaluation.SupportedMinors(p, d.settings.today()))
	}
	components := p.MovedComponents()
	if listed := attributes["components"]; listed.IsFullyKnown() && !listed.IsNull() {
		components = nil
		for i, element := range tfvalue.Elements(listed) {
			component := tfvalue.String(element)
			if !slices.Contains(p.Components(), component) {
				at := path.Root("components").AtListIndex(i)
				diags.Append(errorAt(at, report.UnknownComponent(at.String(), component, p)))
			}
			components = append(components, component)
		}
	}
	for i, v := range controlPlanes {
		controlPlanes[i] = v.Numbering().Version(v.Minor())
	}
	return evaluation.Allowed(p, controlPlanes, components), diags
}

// readPolicy returns the policy that a configuration describes, or nil and diagnostics. It
// is also nil while any part of the policy is unknown.
func readPolicy(raw tftypes.Value) (*policy.Policy, diag.Diagnostics) {
	attributes := tfvalue.Fields(raw)
	name := policy.Default
	if extends := attributes["extends"]; tfvalue.IsSet(extends) {
		name = tfvalue.String(extends)
	} else if !extends.IsKnown() {
		return nil, nil
	}
	base, diags := resolvePolicy(name, path.Root("extends"))
	document := map[string]any{}
	for _, name := range overlays {
		if !attributes[name].IsFullyKnown() {
			return nil, diags
		}
		if v := tfvalue.Plain(attributes[name]); v != nil {
			document[name] = v
		}
	}
	if diags.HasError() || len(document) == 0 {
		return base, diags
	}
	text, err := json.Marshal(document)
	if err == nil {
		base, err = policy.Extend(base, string(text))
	}
	if err != nil {
		return nil, append(diags, policyDiagnostics(err)...)
	}
	return base, diags
}

// policyDiagnostics reports each mistake in a policy at the rule that has it.
func policyDiagnostics(err error) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, mistake := range policy.Mistakes(err) {
		at := path.Empty()
		if len(mistake.At) > 0 {
			at = path.Root(mistake.At[0])
		}
		if len(mistake.At) > 1 {
			if i, err := strconv.Atoi(mistake.At[1]); err == nil {
				at = at.AtListIndex(i)
			} else {
				at = at.AtMapKey(mistake.At[1])
			}
		}
		diags.Append(errorAt(at, report.PolicyMistake(mistake)))
	}
	return limited(diags)
}

func policyModelOf(p *policy.Policy, table evaluation.AllowedTable) policyModel {
	model := policyModel{
		JSON: p.JSON(), ResolvedJSON: p.ResolvedJSON(), Rules: []ruleModel{}, Sources: []string{}, AllowedVersions: map[string]map[string]allowedModel{},
		Table: report.AllowedMarkdown(table), Markdown: report.PolicyMarkdown(p, table),
	}
	for _, row := range table.Rows {
		allowed := map[string]allowedModel{}
		for i, component := range table.Components {
			allowed[component] = allowedModelOf(row.Windows[i])
		}
		model.AllowedVersions[row.ControlPlane.String()] = allowed
	}
	add := func(id, kind string, component, reference *string, text string, n policy.Notes) {
		model.Rules = append(model.Rules, ruleModel{id, kind, component, reference, text, string(n.Severity), n.Source, n.ReadOn, n.ReadFrom, n.Reason})
		if n.Source != "" {
			model.Sources = append(model.Sources, n.Source)
		}
	}
	for _, r := range p.PairRules {
		kind, reference := "skew", &r.Reference
		if r.Requirement != nil {
			kind = "requirement"
		}
		if r.Scope == policy.ScopeSelf {
			reference = nil
		}
		add(r.ID, kind, &r.Subject, reference, report.PairSentence(r), r.Notes)
	}
	for _, r := range p.StepRules {
		add(r.ID, "step", &r.Component, nil, report.StepSentence(r), r.Notes)
	}
	for _, a := range p.Advisories {
		add(a.ID, "advice", nil, nil, report.AdvisorySentence(a), a.Notes)
	}
	slices.SortStableFunc(model.Rules, func(a, b ruleModel) int { return strings.Compare(a.ID, b.ID) })
	slices.Sort(model.Sources)
	model.Sources = slices.Compact(model.Sources)
	return model
}
