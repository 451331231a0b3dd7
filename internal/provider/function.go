// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
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
	// variadic is a last argument that may be left out; nil if there is none.
	variadic function.Parameter
	returns  function.Return
	run      func(context.Context, function.ArgumentsData) (any, *function.FuncError)
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
		VariadicParameter:   f.variadic,
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

// versionParameter is an argument that is a version.
func versionParameter(name, description string) function.Parameter {
	return function.StringParameter{Name: name, MarkdownDescription: description}
}

// componentParameter is an argument that names a component.
func componentParameter() function.Parameter {
	return function.StringParameter{
		Name:                "component",
		MarkdownDescription: "Name of a component of the policy, such as " + quoted(upstream().Components()) + ".",
	}
}

// apiserversParameter is an argument that lists the versions of all API servers.
func apiserversParameter() function.Parameter {
	return function.ListParameter{
		Name:                "apiserver_versions",
		MarkdownDescription: "Versions of all kube-apiserver instances. At least one is required.",
		ElementType:         types.StringType,
	}
}

// policyParameter is an optional last argument.
func policyParameter() function.Parameter {
	return function.StringParameter{
		Name:                "policy",
		MarkdownDescription: fmt.Sprintf("Policy to check against: the name of a built-in policy (default `%s`), or the `json` of a `versionskew_policy`. At most one.", policy.Default),
	}
}

// upstream is the policy that functions judge by if they are given none. They have
// no access to what the provider block says.
func upstream() *policy.Policy {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		panic(err) // it is part of the program
	}
	return p
}

// argumentReader reads the arguments of a call, and reports everything that is
// wrong with them together.
type argumentReader struct {
	first    int64 // the first bad argument
	problems []string
	scheme   *version.Scheme // of the policy
}

func (r *argumentReader) complain(position int64, problem string) {
	if len(r.problems) == 0 {
		r.first = position
	}
	r.problems = append(r.problems, problem)
}

// err is nil if nothing is wrong. The CLIs add a full stop to its text.
func (r *argumentReader) err() *function.FuncError {
	if len(r.problems) == 0 {
		return nil
	}
	return function.NewArgumentFuncError(r.first, strings.TrimSuffix(strings.Join(r.problems, "\n"), "."))
}

// version reads a version by one of the functions of package version.
func (r *argumentReader) version(s string, position int64, parse func(string) (version.Version, error)) version.Version {
	v, err := parse(s)
	if err != nil {
		r.complain(position, err.Error())
	}
	return v
}

// apiServers reads a list of strings. It names every one that is no version: no CLI
// shows the position in a list.
func (r *argumentReader) apiServers(list types.List, position int64) []version.Version {
	if len(list.Elements()) == 0 {
		r.complain(position, "The list of kube-apiserver versions is empty, so there is nothing to compare with. Name at least one.")
	}
	var versions []version.Version
	for i, element := range list.Elements() {
		s, ok := element.(types.String)
		if !ok || s.IsNull() {
			r.complain(position, fmt.Sprintf("Element %d of the list is null.", i))
			continue
		}
		versions = append(versions, r.version(s.ValueString(), position, r.scheme.ParseDeclared))
	}
	return versions
}

// policy reads the optional last argument, which stands at a position if it is
// there. It comes before the versions, which are written as the policy says.
func (r *argumentReader) policy(texts []string, position int64) *policy.Policy {
	switch len(texts) {
	case 0:
		return upstream()
	case 1:
	default:
		r.complain(position+1, fmt.Sprintf("There are %d policies, but a call takes at most one.", len(texts)))
	}
	p, diags := resolvePolicy(texts[0], path.Empty())
	for _, d := range diags {
		r.complain(position, d.Detail())
	}
	if p != nil {
		r.scheme = p.Scheme
	}
	return p
}

// component checks that a policy names a component, and returns how the versions of
// it are read. The policy may be nil.
func (r *argumentReader) component(name string, position int64, p *policy.Policy) func(string) (version.Version, error) {
	if p != nil && !slices.Contains(p.Components(), name) {
		r.complain(position, fmt.Sprintf("Unknown component %q.%s The policy %s knows %s.", name, suggest.Question(name, p.Components()), p.Name, strings.Join(p.Components(), ", ")))
	}
	if slices.Contains(upstream().Components(), name) {
		return r.scheme.ParseDeclared
	}
	return version.Parse
}
