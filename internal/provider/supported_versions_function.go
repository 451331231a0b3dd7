// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
)

func newSupportedVersionsFunction() function.Function {
	return &providerFunction{
		name:       "supported_versions",
		summary:    "Lists the supported minor versions of a component",
		parameters: []function.Parameter{componentParameter(), apiserversParameter()},
		variadic:   policyParameter(),
		returns:    function.ListReturn{ElementType: types.StringType},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var component string
			var list types.List
			var policies []string
			if err := arguments.Get(ctx, &component, &list, &policies); err != nil {
				return nil, err
			}
			var r argumentReader
			p := r.policy(policies, 2)
			r.component(component, 0, p)
			apiServers := r.apiServers(list, 1)
			if err := r.err(); err != nil {
				return nil, err
			}
			allowed := evaluation.AllowedWith(p, component, apiServers...)
			if len(allowed.Minors) == 0 && !allowed.Empty {
				r.complain(0, fmt.Sprintf("Policy %s does not limit %s to a range of versions that can be listed, because only rules with severity error count. To check a version, use is_supported.", p.Name, component))
			}
			return allowedModelOf(allowed).Minors, r.err()
		},
	}
}
