package provider

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// functionPages holds what is to be said of each function, with its return
// value. The schema and the page in the registry are made from the same text.
//
//go:embed functions/*.md
var functionPages embed.FS

// providerFunction is a function of the provider: a definition and what it
// does.
type providerFunction struct {
	name       string
	summary    string
	parameters []function.Parameter
	returns    function.Return
	run        func(context.Context, function.ArgumentsData) (any, *function.FuncError)
}

var _ function.Function = (*providerFunction)(nil)

func (f *providerFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f *providerFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	page, err := functionPages.ReadFile("functions/" + f.name + ".md")
	if err != nil {
		resp.Diagnostics.AddError("No page", fmt.Sprintf("The function %s has no description. This is a defect of the provider; please report it.", f.name))
	}
	resp.Definition = function.Definition{
		Summary:             f.summary,
		MarkdownDescription: strings.TrimSpace(string(page)),
		Parameters:          f.parameters,
		Return:              f.returns,
	}
}

func (f *providerFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, err := f.run(ctx, req.Arguments)
	if err != nil {
		resp.Error = err
		return
	}
	resp.Error = resp.Result.Set(ctx, result)
}

// versionParameter is an argument that is the version of a Kubernetes component.
func versionParameter(name, description string) function.Parameter {
	return function.StringParameter{Name: name, MarkdownDescription: description, CustomType: versionType{}}
}

// anyVersionParameter is an argument that is a version of whatever component.
func anyVersionParameter(name, description string) function.Parameter {
	return function.StringParameter{Name: name, MarkdownDescription: description, CustomType: versionType{further: true}}
}

// componentParameter is an argument that names a component of the upstream
// policy.
func componentParameter() function.Parameter {
	return function.StringParameter{
		Name:                "component",
		MarkdownDescription: "Name of the component: " + quoted(upstream().Components()) + ".",
		Validators:          []function.StringParameterValidator{knownComponent{}},
	}
}

// apiserversParameter is an argument that lists the versions of all API servers.
func apiserversParameter() function.Parameter {
	return function.ListParameter{
		Name:                "apiserver_versions",
		MarkdownDescription: "Versions of all kube-apiserver instances; at least one.",
		ElementType:         types.StringType,
		Validators:          []function.ListParameterValidator{someVersions{}},
	}
}

// upstream is the policy that functions judge by. They have no access to what
// the provider block says.
func upstream() *policy.Policy {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		panic(err) // it is part of the program
	}
	return p
}

// knownComponent accepts the components that the upstream policy names.
type knownComponent struct{}

func (knownComponent) ValidateParameterString(_ context.Context, req function.StringParameterValidatorRequest, resp *function.StringParameterValidatorResponse) {
	if known := upstream().Components(); !slices.Contains(known, req.Value.ValueString()) {
		resp.Error = function.NewArgumentFuncError(req.ArgumentPosition,
			fmt.Sprintf("%q is no component of the Kubernetes version skew policy. Known: %s.", req.Value.ValueString(), strings.Join(known, ", ")))
	}
}

// someVersions accepts a list of versions, and reports all that are none.
type someVersions struct{}

func (someVersions) ValidateParameterList(_ context.Context, req function.ListParameterValidatorRequest, resp *function.ListParameterValidatorResponse) {
	if len(req.Value.Elements()) == 0 {
		resp.Error = function.NewArgumentFuncError(req.ArgumentPosition, "The list of kube-apiserver versions is empty, so there is nothing to judge against. Name at least one.")
		return
	}
	_, resp.Error = parseAll(req.Value.Elements(), req.ArgumentPosition)
}

// parseAll reads a list of strings. The error names every one that is no
// version: no CLI shows the position in a list.
func parseAll(elements []attr.Value, position int64) ([]version.Version, *function.FuncError) {
	var versions []version.Version
	var problems []string
	for i, element := range elements {
		s, ok := element.(types.String)
		if !ok || s.IsNull() {
			problems = append(problems, fmt.Sprintf("Element %d of the list is null.", i))
			continue
		}
		v, err := version.ParseDeclared(s.ValueString())
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		versions = append(versions, v)
	}
	if len(problems) > 0 {
		return nil, function.NewArgumentFuncError(position, strings.Join(problems, "\n"))
	}
	return versions, nil
}

// parseArgument reads an argument of versionType, which has been checked.
func parseArgument(v versionValue, position int64) (version.Version, *function.FuncError) {
	parsed, err := v.parse()
	if err != nil {
		return version.Version{}, function.NewArgumentFuncError(position, err.Error())
	}
	return parsed, nil
}
