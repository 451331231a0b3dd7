// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

type evaluationDataSource struct {
	settings settings
}

func (d *evaluationDataSource) name() string { return providerName + "_evaluation" }

func (d *evaluationDataSource) schema() schema.Schema {
	attributes := inputAttributes()
	maps.Copy(attributes, evaluationOutputs())
	return schema.Schema{
		MarkdownDescription: "Checks declared Kubernetes versions against a version skew policy. Reports violations, allowed versions, " +
			"and what blocks the next control-plane upgrade. It does not fail on a violation. To fail the plan, use the resource `versionskew_validation`.",
		Attributes: attributes,
	}
}

// evaluationOutputs returns the attributes of evaluationModel.
func evaluationOutputs() map[string]schema.Attribute {
	adjacent := func(description, version, blockedBy string) schema.Attribute {
		return computedObject(description, map[string]schema.Attribute{"version": computedText(version), "blocked_by": computedTexts(blockedBy)})
	}
	return map[string]schema.Attribute{
		"supported": computedBool("Whether the versions are supported: true if there are no unwaived errors."),
		"summary": computedObject("Number of problems by severity, and a summary in one line. Findings with the same cause are one problem, as in `markdown` and in the diagnostics of a `versionskew_validation`.", map[string]schema.Attribute{
			"errors":   computedNumber("Number of unwaived errors."),
			"warnings": computedNumber("Number of unwaived warnings."),
			"infos":    computedNumber("Number of unwaived infos."),
			"waived":   computedNumber("Number of waived problems of any severity."),
			"text":     computedText("Summary in one line, such as `not supported, 2 errors and 1 warning`."),
		}),
		"findings": findingsAttribute("Violations and advice, most severe first. Instances with the same rule, version and reference version share a finding."),
		"allowed_versions": computedMap("Versions that each component of the policy may have while all other declared components stay as they are, keyed by component. Only rules of severity `error` limit them.", map[string]schema.Attribute{
			"minimum":    computedText("Oldest allowed minor version, such as `1.28`, or null if there is no lower limit."),
			"maximum":    computedText("Newest allowed minor version, or null if there is no upper limit."),
			"minors":     computedTexts("All allowed minor versions, oldest first. Empty if there is no lower or upper limit, or if no version is allowed."),
			"constraint": computedText("Allowed versions as a constraint. `>= 0` if there are no limits, `< 0` if no version is allowed."),
		}),
		"next_control_plane_version": adjacent("Next minor version of the control plane and what blocks upgrading to it. Null if no kube-apiserver is declared.",
			"Minor version after that of the newest kube-apiserver.",
			"What blocks upgrading only the control plane to this version, and how to resolve it. Empty if nothing blocks it."),
		"previous_control_plane_version": adjacent("Previous minor version of the control plane and what blocks going back to it. Null if no kube-apiserver is declared or the policy does not allow downgrades.",
			"Minor version before that of the newest kube-apiserver.",
			"What blocks moving only the control plane back to this version, and how to resolve it. Empty if nothing blocks it."),
		"upgrade_order": computedList("Moves of the step from `observed`, in an order in which every intermediate combination satisfies the policy. Empty if `observed` is not set or if there is no such order.", map[string]schema.Attribute{
			"stage":     computedNumber("Number of the stage, starting at 1. Moves within a stage can run in any order."),
			"component": computedText("Component that moves."),
			"locations": computedTexts("Locations of the component."),
			"from":      computedText("Version before the move, or null if the component is added."),
			"to":        computedText("Version after the move, or null if the component is removed."),
			"notes":     computedTexts("Notes about the move, such as the need to drain nodes."),
		}),
		"markdown": computedText("Report in Markdown, for a pull request or the documentation of a module."),
		"svg":      computedText("Picture of the allowed versions beside the declared ones, for a README or a report. Follows the light or dark theme of the reader."),
	}
}

type evaluationModel struct {
	Supported       bool                    `tfsdk:"supported"`
	Findings        []findingModel          `tfsdk:"findings"`
	AllowedVersions map[string]allowedModel `tfsdk:"allowed_versions"`
	Next            *nextModel              `tfsdk:"next_control_plane_version"`
	Previous        *nextModel              `tfsdk:"previous_control_plane_version"`
	Summary         summaryModel            `tfsdk:"summary"`
	UpgradeOrder    []moveModel             `tfsdk:"upgrade_order"`
	Markdown        string                  `tfsdk:"markdown"`
	SVG             string                  `tfsdk:"svg"`
}

type summaryModel struct {
	Errors   int64  `tfsdk:"errors"`
	Warnings int64  `tfsdk:"warnings"`
	Infos    int64  `tfsdk:"infos"`
	Waived   int64  `tfsdk:"waived"`
	Text     string `tfsdk:"text"`
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

func (d *evaluationDataSource) read(config tftypes.Value) *input {
	var m stepModel
	tfvalue.Read(config, &m)
	return readInput(m, d.settings)
}

func (d *evaluationDataSource) check(config tftypes.Value) diag.Diagnostics {
	return d.read(config).diags
}

func (d *evaluationDataSource) outputs(config tftypes.Value) (any, diag.Diagnostics) {
	in := d.read(config)
	diags := in.diags
	if !in.checkPolicy(&diags) {
		return nil, diags
	}
	diags.Append(uncheckedDiagnostics(in)...)
	result := evaluation.Evaluate(in.Input)
	diags.Append(waiverDiagnostics(in, result.Unmatched)...)
	return modelOf(result), diags
}

func modelOf(r evaluation.Result) evaluationModel {
	model := evaluationModel{
		Supported:       r.Supported(),
		Findings:        findingModels(r.Findings()),
		AllowedVersions: map[string]allowedModel{},
		UpgradeOrder:    []moveModel{},
		Markdown:        report.Markdown(r),
		SVG:             report.EvaluationSVG(r),
	}
	for component, w := range r.Allowed {
		model.AllowedVersions[component] = allowedModelOf(w)
	}
	model.Next, model.Previous = nextModelOf(r.Next), nextModelOf(r.Previous)
	unwaived, waived := r.Count()
	model.Summary = summaryModel{
		Errors:   int64(unwaived[policy.SeverityError]),
		Warnings: int64(unwaived[policy.SeverityWarning]),
		Infos:    int64(unwaived[policy.SeverityInfo]),
		Waived:   int64(waived),
		Text:     report.Verdict(r),
	}
	for _, m := range r.Order {
		model.UpgradeOrder = append(model.UpgradeOrder, moveModelOf(m))
	}
	return model
}

func nextModelOf(next *evaluation.AdjacentMinor) *nextModel {
	if next == nil {
		return nil
	}
	return &nextModel{Version: next.Version.String(), BlockedBy: report.Blockers(next.Blockers)}
}

func moveModelOf(m step.Ordered) moveModel {
	return moveModel{
		Stage:     int64(m.Stage),
		Component: m.Component,
		Locations: report.Strings(m.Locations),
		From:      orNull(m.From.Binary()),
		To:        orNull(m.To.Binary()),
		Notes:     report.MoveNotes(m),
	}
}
