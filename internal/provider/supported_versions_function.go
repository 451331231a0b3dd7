package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
)

func newSupportedVersionsFunction() function.Function {
	return &providerFunction{
		name:       "supported_versions",
		summary:    "Lists the minors that a component may have",
		parameters: []function.Parameter{componentParameter(), apiserversParameter()},
		returns:    function.ListReturn{ElementType: types.StringType},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var component string
			var list types.List
			if err := arguments.Get(ctx, &component, &list); err != nil {
				return nil, err
			}
			apiservers, err := parseAll(list.Elements(), 1)
			if err != nil {
				return nil, err
			}
			return allowedModelOf(evaluation.AllowedBeside(upstream(), component, apiservers...)).Minors, nil
		},
	}
}
