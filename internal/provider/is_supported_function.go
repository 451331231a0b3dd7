package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
)

func newIsSupportedFunction() function.Function {
	return &providerFunction{
		name:       "is_supported",
		summary:    "Tells whether a component may have a version",
		parameters: []function.Parameter{componentParameter(), versionParameter("version", "Version of the component."), apiserversParameter()},
		returns:    function.BoolReturn{},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var component string
			var argument versionValue
			var list types.List
			if err := arguments.Get(ctx, &component, &argument, &list); err != nil {
				return nil, err
			}
			v, err := parseArgument(argument, 1)
			if err != nil {
				return nil, err
			}
			apiservers, err := parseAll(list.Elements(), 2)
			if err != nil {
				return nil, err
			}
			return evaluation.AllowedBeside(upstream(), component, apiservers...).Contains(v.Minor()), nil
		},
	}
}
