// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
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

func computedNumber(description string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

func computedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

func computedObject(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}

// computedList and computedMap return attributes with objects as elements.
func computedList(description string, attributes map[string]schema.Attribute) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}

func computedMap(description string, attributes map[string]schema.Attribute) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}

// findingsAttribute returns the attribute findings.
func findingsAttribute(description string) schema.Attribute {
	return computedList(description, map[string]schema.Attribute{
		"rule":              computedText("ID of the rule, such as `kubelet-apiserver`."),
		"severity":          computedText("`error`, `warning` or `info`."),
		"component":         computedText("Component that the finding is about."),
		"version":           computedText("Version of the component, as declared."),
		"locations":         computedTexts("Locations of the component, such as `node_pools[\"gpu\"]`."),
		"reference":         computedText("Component that it was compared with. For a step rule, the same component before the step. Null for an advisory about a single version."),
		"reference_version": computedText("Version of the reference, or null."),
		"allowed":           computedText("Versions of the component that the rule allows here, as a constraint such as `>= 1.28, < 1.32`. `< 0` if no version is allowed."),
		"message":           computedText("What is wrong and where, which versions are allowed, and why."),
		"remedy":            computedText("How to fix it."),
		"source":            computedText("URL of the document that states the rule."),
		"waived_by":         computedText("Name of the waiver that accepts the finding, or null."),
	})
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

func findingModels(findings []finding.Finding) []findingModel {
	models := make([]findingModel, len(findings))
	for i, f := range findings {
		models[i] = findingModelOf(f)
	}
	return models
}

func findingModelOf(f finding.Finding) findingModel {
	description := report.Describe(f)
	model := findingModel{
		Rule:             f.RuleID,
		Severity:         string(f.Severity),
		Component:        f.Subject.Component,
		Version:          f.Subject.Version.Binary().String(),
		Locations:        report.Strings(f.Subject.Locations),
		ReferenceVersion: orNull(f.Reference.Version.Binary()),
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

// orNull returns the text of a version or date, or nil if it is zero. Outputs have the
// versions of binaries, without those that they emulate, so that they can be passed to other
// modules.
func orNull[T interface {
	fmt.Stringer
	IsZero() bool
}](v T) *string {
	if v.IsZero() {
		return nil
	}
	s := v.String()
	return &s
}

// binaries returns the distinct binary versions.
func binaries(versions []version.Version) []string {
	words := make([]string, len(versions))
	for i, v := range versions {
		words[i] = v.Binary().String()
	}
	return slices.Compact(words)
}

// allowedModel describes a window of allowed versions.
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

// allowedModelOf converts a window. It uses the version scheme of the declared versions.
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
