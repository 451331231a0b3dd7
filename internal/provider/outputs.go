// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func computedText(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

func computedTexts(description string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
}

// findingsAttribute is the shape of findings, the same wherever they are given.
func findingsAttribute(description string) schema.Attribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: description,
		Computed:            true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"rule":              computedText("ID of the rule, such as `kubelet-apiserver`."),
			"severity":          computedText("`error`, `warning` or `info`."),
			"component":         computedText("Component that the rule limits."),
			"version":           computedText("Version of the component, as declared."),
			"locations":         computedTexts("Locations of the component, such as `node_pools[\"gpu\"]`."),
			"reference":         computedText("Component that it was compared with. For a step rule, the same component before the step. Null for advisories about a single version."),
			"reference_version": computedText("Version of the reference, or null."),
			"allowed":           computedText("Versions of the component that the rule allows here, as a constraint such as `>= 1.28, < 1.32`. `< 0` if no version is allowed."),
			"message":           computedText("Location of the problem, allowed versions, and the reason."),
			"remedy":            computedText("How to repair it."),
			"source":            computedText("URL of the document that states the rule."),
			"waived_by":         computedText("Name of the waiver that accepts the finding, or null."),
		}},
	}
}

type findingModel struct {
	Rule             string   `tfsdk:"rule"`
	Severity         string   `tfsdk:"severity"`
	Component        string   `tfsdk:"component"`
	Version          string   `tfsdk:"version"`
	Locations        []string `tfsdk:"locations"`
	Reference        *string  `tfsdk:"reference"`
	ReferenceVersion *string  `tfsdk:"reference_version"`
	Allowed          string   `tfsdk:"allowed"`
	Message          string   `tfsdk:"message"`
	Remedy           string   `tfsdk:"remedy"`
	Source           string   `tfsdk:"source"`
	WaivedBy         *string  `tfsdk:"waived_by"`
}

func findingModelOf(f finding.Finding) findingModel {
	description := report.Describe(f)
	model := findingModel{
		Rule:             f.RuleID,
		Severity:         string(f.Severity),
		Component:        f.Subject.Component,
		Version:          f.Subject.Version.Binary().String(),
		Locations:        spelled(f.Subject.Locations),
		ReferenceVersion: versionOrNull(f.Reference.Version),
		Allowed:          f.Allowed.Constraint(),
		Message:          description.Message,
		Remedy:           description.Remedy,
		Source:           f.Source,
	}
	if f.Reference.Component != "" {
		model.Reference = &f.Reference.Component
	}
	if f.WaivedBy != nil {
		model.WaivedBy = &f.WaivedBy.Name
	}
	return model
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

// spelledAs returns the words that some constants are.
func spelledAs[T ~string](words []T) []string {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return all
}

func minorOrNull(m *version.Minor) *string {
	if m == nil {
		return nil
	}
	s := m.String()
	return &s
}

// versionOrNull returns a version that can be passed on to modules: that of the
// binary, whatever it emulates.
func versionOrNull(v version.Version) *string {
	if v.IsZero() {
		return nil
	}
	s := v.Binary().String()
	return &s
}

// binaries does the same for several versions, each once.
func binaries(versions []version.Version) []string {
	words := make([]string, len(versions))
	for i, v := range versions {
		words[i] = v.Binary().String()
	}
	return slices.Compact(words)
}

// allowedModel is a window, wherever one is given.
type allowedModel struct {
	Minimum    *string  `tfsdk:"minimum"`
	Maximum    *string  `tfsdk:"maximum"`
	Minors     []string `tfsdk:"minors"`
	Constraint string   `tfsdk:"constraint"`
}

// allowedType is the type of an allowedModel.
var allowedType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"minimum": types.StringType, "maximum": types.StringType, "minors": types.ListType{ElemType: types.StringType}, "constraint": types.StringType,
}}

// allowedModelOf writes a window in the numbers of what was declared.
func allowedModelOf(w finding.Window) allowedModel {
	number := func(m *version.Minor) *string {
		if m == nil {
			return nil
		}
		s := w.Numbers.Number(*m).String()
		return &s
	}
	model := allowedModel{Minimum: number(w.Minimum), Maximum: number(w.Maximum), Minors: []string{}, Constraint: w.Constraint()}
	for _, m := range w.Minors {
		model.Minors = append(model.Minors, *number(&m))
	}
	return model
}
