// SPDX-License-Identifier: MPL-2.0

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
		summary:    "Checks whether a component version is supported",
		parameters: []function.Parameter{componentParameter(), versionParameter("version", "Version of the component."), apiserversParameter()},
		variadic:   policyParameter(),
		returns:    function.BoolReturn{},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var component, declared string
			var list types.List
			var policies []string
			if err := arguments.Get(ctx, &component, &declared, &list, &policies); err != nil {
				return nil, err
			}
			var r argumentReader
			p := r.policy(policies, 3)
			parse := r.component(component, 0, p)
			v := r.version(declared, 1, parse)
			apiServers := r.apiServers(list, 2)
			if err := r.err(); err != nil {
				return nil, err
			}
			return evaluation.IsAllowedWith(p, component, v, apiServers...), nil
		},
	}
}
