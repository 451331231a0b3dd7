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

// functionPages holds the description of each function and its return value. The schema
// and the registry page use the same text.
//
//go:embed functions/*.md
var functionPages embed.FS

// providerFunction is a function of the provider.
type providerFunction struct {
	name       string
	summary    string
	parameters []function.Parameter
	// variadic is the optional last parameter, nil for functions without one.
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
		resp.Diagnostics.AddError("Missing function description", fmt.Sprintf("The function %s has no description. This is a bug in the provider. Please report it.", f.name))
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

// versionParameter returns a parameter for a version.
func versionParameter(name, description string) function.Parameter {
	return function.StringParameter{Name: name, MarkdownDescription: description}
}

// componentParameter returns the parameter for the name of a component.
func componentParameter() function.Parameter {
	return function.StringParameter{
		Name:                "component",
		MarkdownDescription: "Name of a component of the policy, such as " + quoted(upstream().Components()) + ".",
	}
}

// apiserversParameter returns the parameter for the versions of all API servers.
func apiserversParameter() function.Parameter {
	return function.ListParameter{
		Name:                "apiserver_versions",
		MarkdownDescription: "List of the versions of all kube-apiserver instances. At least one is required.",
		ElementType:         types.StringType,
	}
}

// policyParameter returns the optional last parameter for a policy.
func policyParameter() function.Parameter {
	return function.StringParameter{
		Name:                "policy",
		MarkdownDescription: fmt.Sprintf("Policy to check against: the name of a built-in policy, or the `json` of a `versionskew_policy` data source. At most one. Default: `%s`, even if the provider block sets another policy.", policy.Default),
	}
}

// upstream returns the policy that functions use by default. Functions have no access to
// the policy of the provider block.
func upstream() *policy.Policy {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		panic(err) // The policy is embedded.
	}
	return p
}

// argumentReader reads the arguments of a call and reports all problems together.
type argumentReader struct {
	first    int64 // the index of the first invalid argument
	problems []string
	scheme   *version.Scheme // of the policy
}

func (r *argumentReader) complain(position int64, problem string) {
	if len(r.problems) == 0 {
		r.first = position
	}
	r.problems = append(r.problems, problem)
}

// err returns an error with all problems, or nil without problems. Its text has no
// trailing period, because the CLIs add one.
func (r *argumentReader) err() *function.FuncError {
	if len(r.problems) == 0 {
		return nil
	}
	return function.NewArgumentFuncError(r.first, strings.TrimSuffix(strings.Join(r.problems, "\n"), "."))
}

// version reads a version with a parse function of package version.
func (r *argumentReader) version(s string, position int64, parse func(string) (version.Version, error)) version.Version {
	v, err := parse(s)
	if err != nil {
		r.complain(position, err.Error())
	}
	return v
}

// apiServers reads a list of versions. Its errors name the element, because the CLIs only
// show the argument.
func (r *argumentReader) apiServers(list types.List, position int64) []version.Version {
	if len(list.Elements()) == 0 {
		r.complain(position, "The list of kube-apiserver versions is empty. At least one version is required.")
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

// policy reads the optional last argument, whose index is position. It must be read
// before the versions, because it determines their version scheme.
func (r *argumentReader) policy(texts []string, position int64) *policy.Policy {
	switch len(texts) {
	case 0:
		return upstream()
	case 1:
	default:
		r.complain(position+1, fmt.Sprintf("The call has %d policies. It takes at most one.", len(texts)))
	}
	p, diags := resolvePolicy(texts[0], path.Empty())
	for _, d := range diags {
		summary := d.Summary()
		if !strings.HasSuffix(summary, "?") {
			summary += "."
		}
		r.complain(position, summary+"\n\n"+d.Detail())
	}
	if p != nil {
		r.scheme = p.Scheme
	}
	return p
}

// component checks that a policy has rules for a component, and returns the function
// that parses versions of the component. The policy may be nil.
func (r *argumentReader) component(name string, position int64, p *policy.Policy) func(string) (version.Version, error) {
	if p != nil && !slices.Contains(p.Components(), name) {
		r.complain(position, fmt.Sprintf("Unknown component %q.%s Components of policy %s: %s.", name, suggest.Question(name, p.Components()), p.Name, strings.Join(p.Components(), ", ")))
	}
	if slices.Contains(upstream().Components(), name) {
		return r.scheme.ParseDeclared
	}
	return version.Parse
}
