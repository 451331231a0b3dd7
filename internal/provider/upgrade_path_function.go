// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

func newUpgradePathFunction() function.Function {
	return &providerFunction{
		name:    "upgrade_path",
		summary: "Lists the control-plane versions of an upgrade",
		parameters: []function.Parameter{
			versionParameter("from", "Current version of the control plane."),
			versionParameter("to", "Version to upgrade the control plane to."),
		},
		variadic: policyParameter(),
		returns:  function.ListReturn{ElementType: types.StringType},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var a, b string
			var policies []string
			if err := arguments.Get(ctx, &a, &b, &policies); err != nil {
				return nil, err
			}
			var r argumentReader
			p := r.policy(policies, 2)
			from, to := r.version(a, 0, r.scheme.ParseDeclared), r.version(b, 1, r.scheme.ParseDeclared)
			if err := r.err(); err != nil {
				return nil, err
			}
			minors, ok := from.Minor().Skew(to.Minor())
			switch {
			case !ok:
				r.complain(1, fmt.Sprintf("%q and %q have different major versions, so there is no upgrade path between them.", from, to))
			case minors > 0:
				r.complain(1, fmt.Sprintf("%q is older than %q. upgrade_path only lists upgrades. To plan a downgrade, use the data source versionskew_upgrade_plan.", to, from))
			case -minors > step.MaxPath:
				r.complain(1, fmt.Sprintf("%q is %d minors ahead of %q. upgrade_path lists at most %d.", to, -minors, from, step.MaxPath))
			}
			if err := r.err(); err != nil {
				return nil, err
			}
			path := []string{}
			through := evaluation.ControlPlanePath(p, from.Minor(), to.Minor())
			if minors < 0 && len(through) == 0 {
				r.complain(1, fmt.Sprintf("Policy %s allows no upgrade path from %q to %q.", p.Name, from, to))
			}
			for _, m := range through {
				path = append(path, to.Numbering().Number(m).String())
			}
			return path, r.err()
		},
	}
}
