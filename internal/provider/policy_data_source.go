// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"math"
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
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Optional: true}
	}
	number := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Optional: true}
	}
	planned := func(date string) schema.BoolAttribute {
		return schema.BoolAttribute{MarkdownDescription: fmt.Sprintf("Whether `%s` is planned or an estimate, which findings then say. Default: false.", date), Optional: true}
	}
	rules := func(description string, fields map[string]schema.Attribute) schema.Attribute {
		fields["severity"] = text("Severity of findings: `error`, `warning` or `info`. Default: the inherited severity, or `error`.")
		fields["source"] = text("URL of the document that states the rule. Default: the inherited URL, unless a limit of the rule changes.")
		fields["reason"] = text("Reason for the rule, as a sentence that findings quote. Default: the inherited reason, unless a limit of the rule changes and `source` is not set.")
		return schema.MapNestedAttribute{MarkdownDescription: description, Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: fields}}
	}
	componentVersions := func(description, ifUnset string) schema.Attribute {
		return schema.SingleNestedAttribute{MarkdownDescription: description, Optional: true, Attributes: map[string]schema.Attribute{
			"component": text("Name of the component. Required for a new rule."),
			"version":   text("Version constraint such as `>= 1.16, < 1.18`, in the [syntax](https://pkg.go.dev/github.com/hashicorp/go-version) of Terraform version constraints. " + ifUnset),
		}}
	}
	attributes := map[string]schema.Attribute{
		"extends": schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("Policy to extend: the name of a built-in policy (%s), or the `json` of another `versionskew_policy` data source. Default: `%s`.", quoted(policy.BuiltinNames()), policy.Default),
			Optional:            true,
		},
		"include": schema.ListAttribute{
			MarkdownDescription: fmt.Sprintf("Add-on packs whose rules are added: names of built-in packs (%s), or the `json` of other `versionskew_policy` data sources.", quoted(policy.AddonNames())),
			ElementType:         types.StringType,
			Optional:            true,
		},
		"name":  text("Name of the policy, shown in messages and reports. Default: `custom`, or the name of the extended policy if nothing changes it."),
		"title": text("Title of the policy, shown in reports. Default: the title of the extended policy."),
		"skew_rules": rules("Rules that limit how many minor versions one component may be newer or older than another, keyed by rule ID. With the ID of an inherited rule, the attributes that are set replace the inherited ones. A new rule requires `subject`, `reference` and `scope`.", map[string]schema.Attribute{
			"subject":                  text("Component that the rule limits. Required for a new rule."),
			"reference":                text("Component that the subject is compared with. Required for a new rule."),
			"scope":                    text("Instances of the reference that the subject is compared with. `cluster`: all of them. `endpoint`: those that the subject can connect to. `node`: those on the same node. Required for a new rule."),
			"max_newer":                number("Number of minor versions by which the subject may be newer, from 0 to 100. Default: the inherited limit, or no limit."),
			"max_older":                number("Number of minor versions by which the subject may be older, from 0 to 100. Default: the inherited limit, or no limit."),
			"compare_patch":            schema.BoolAttribute{MarkdownDescription: "Whether to also reject a newer patch of the newest allowed minor version. Default: the inherited value, or false.", Optional: true},
			"max_older_during_upgrade": number("Stricter `max_older` while the reference is upgraded to a newer minor version, from 0 to 100. Default: the inherited limit, or `max_older`."),
			"conditions": schema.ListNestedAttribute{
				MarkdownDescription: "Other limits for some versions. The first condition that matches both versions applies. Replaces inherited conditions. If it is not set, inherited conditions never loosen a limit that is set here.",
				Optional:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"subject":   text("Version constraint that the subject has to match. Default: all versions."),
					"reference": text("Version constraint that the reference has to match. Default: all versions."),
					"max_newer": number("Number of minor versions by which the subject may be newer, from 0 to 100. Default: `max_newer` of the rule."),
					"max_older": number("Number of minor versions by which the subject may be older, from 0 to 100. Default: `max_older` of the rule."),
				}},
			},
		}),
		"step_rules": rules("Rules that limit how many minor versions a component may move in one step, keyed by rule ID. With the ID of an inherited rule, the attributes that are set replace the inherited ones. A new rule requires `component`.", map[string]schema.Attribute{
			"component":           text("Component that the rule limits. Required for a new rule."),
			"max_upgrade":         number("Number of minor versions by which the component may be upgraded in one step, from 0 to 100. Default: the inherited limit, or no limit."),
			"max_downgrade":       number("Number of minor versions by which the component may go back in one step, from 0 to 100. Default: the inherited limit, or no limit."),
			"max_downgrade_total": number("Number of minor versions by which the component may go back in total, from the newest version that has run, from 0 to 100. Default: the inherited limit, or no limit."),
			"compare_patch":       schema.BoolAttribute{MarkdownDescription: "Whether to also reject an older patch of the same minor version if `max_downgrade` is 0. Default: the inherited value, or false.", Optional: true},
			"conditions": schema.ListNestedAttribute{
				MarkdownDescription: "Other limits for some moves. The first condition that matches both versions applies. Replaces inherited conditions. If it is not set, inherited conditions never loosen a limit that is set here.",
				Optional:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"from":          text("Constraint on the version before the move. Default: all versions."),
					"to":            text("Constraint on the version after the move. Default: all versions."),
					"max_upgrade":   number("Number of minor versions by which the component may be upgraded, from 0 to 100. Default: `max_upgrade` of the rule."),
					"max_downgrade": number("Number of minor versions by which the component may go back, from 0 to 100. Default: `max_downgrade` of the rule."),
				}},
			},
		}),
		"requirement_rules": rules("Rules by which one component requires certain versions of another, keyed by rule ID. With the ID of an inherited rule, the attributes that are set replace the inherited ones. A new rule requires `require`.", map[string]schema.Attribute{
			"when":    componentVersions("Component and versions that the rule applies to. If neither set nor inherited, the rule always holds.", "Default: the inherited constraint, or all versions."),
			"require": componentVersions("Component and versions that are required. Required for a new rule.", "Required for a new rule."),
		}),
		"advisories": schema.MapNestedAttribute{
			MarkdownDescription: "Changes to inherited advisories, keyed by advisory ID: `end-of-life`, `latest-patch`, `pre-release`, `admission-webhook-match-policy`, `node-blocks-next-minor`, `kubelet-drain`, `admission-webhook-resources`.",
			Optional:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"severity": text("Severity of findings: `error`, `warning` or `info`. Default: the inherited severity."),
				"days":     number("Number of days before the end of life at which `end-of-life` starts to warn, from 0 to 3650. Other advisories ignore it. Default: the inherited number."),
			}},
		},
		"releases": schema.MapNestedAttribute{
			MarkdownDescription: "Support dates of the platform, keyed by minor version. If set or inherited, even as an empty map, `end-of-life` uses only these dates and not the upstream ones. " +
				"Dates are `YYYY-MM-DD` or timestamps such as those of `aws_eks_cluster_versions`.",
			Optional: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"release_date":                    text("First day on which the platform offers the minor version."),
				"release_date_planned":            planned("release_date"),
				"end_of_life":                     text("Last day of standard support."),
				"end_of_life_planned":             planned("end_of_life"),
				"end_of_extended_support":         text("Last day of extended support, which costs extra or has to be enabled."),
				"end_of_extended_support_planned": planned("end_of_extended_support"),
				"source":                          text("URL of the document that states the dates."),
			}},
		},
		"disabled_rules": schema.ListAttribute{MarkdownDescription: "IDs of inherited rules and advisories to disable.", ElementType: types.StringType, Optional: true},
		"minors":         schema.ListAttribute{MarkdownDescription: "Minor versions of the control plane for which `allowed_versions`, `table` and `markdown` list versions. Default: those that are supported today, by the dates in the policy or, if it has none, by those of Kubernetes.", ElementType: types.StringType, Optional: true},
		"components":     schema.ListAttribute{MarkdownDescription: "Components that `allowed_versions`, `table` and `markdown` list, in this order. The policy must have rules for them. Default: those that users of the platform upgrade themselves.", ElementType: types.StringType, Optional: true},
	}
	for name, output := range policyOutputs() {
		attributes[name] = output
	}
	return schema.Schema{
		MarkdownDescription: "Provides a version skew policy as data: a built-in policy, or one that extends it with your own rules. Use its `json` in any `policy` argument, including that of the provider.",
		Attributes:          attributes,
	}
}

// policyOutputs returns the attributes of policyModel.
func policyOutputs() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"json":          computedText("Policy as JSON, for any `policy` argument: the names of the built-in policy that it extends and of built-in packs, and what differs from them. It does not change if a release of the provider rewords an inherited rule."),
		"resolved_json": computedText("Policy as JSON, including everything that it inherits, for programs and for pinning. It can be used in any `policy` argument too."),
		"rules": schema.ListNestedAttribute{
			MarkdownDescription: "All rules, sorted by ID.",
			Computed:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
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
			}},
		},
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
	var more diag.Diagnostics
	if p != nil {
		_, more = d.readTable(config, p)
	} else {
		_, more = readVersions(tfvalue.Fields(config)["minors"], "minors", version.Parse)
	}
	return append(diags, more...)
}

func (d *policyDataSource) outputs(config tftypes.Value) (any, diag.Diagnostics) {
	p, diags := readPolicy(config)
	if p == nil || diags.HasError() {
		return nil, diags
	}
	table, tableDiags := d.readTable(config, p)
	diags.Append(tableDiags...)
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
	if attributes["components"].IsFullyKnown() && !attributes["components"].IsNull() {
		components = nil
		for i, element := range tfvalue.Elements(attributes["components"]) {
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

// readPolicy returns the policy that a configuration describes. It is nil while any part
// of it is unknown, and after an error.
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
		if v := plainOf(attributes[name]); v != nil {
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

// plainOf converts a known value to what encoding/json takes. It leaves out nulls.
func plainOf(v tftypes.Value) any {
	if v.IsNull() {
		return nil
	}
	switch v.Type().(type) {
	case tftypes.Object, tftypes.Map:
		fields := map[string]any{}
		for name, field := range tfvalue.Fields(v) {
			if plain := plainOf(field); plain != nil {
				fields[name] = plain
			}
		}
		return fields
	case tftypes.List:
		elements := []any{}
		for _, element := range tfvalue.Elements(v) {
			elements = append(elements, plainOf(element))
		}
		return elements
	}
	switch {
	case v.Type().Is(tftypes.Bool):
		return tfvalue.Bool(v)
	case v.Type().Is(tftypes.Number):
		n, _ := tfvalue.Number(v).Float64() // exact for every number that is in range
		return max(-math.MaxFloat64, min(n, math.MaxFloat64))
	}
	return tfvalue.String(v)
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
