package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func newUpgradePathFunction() function.Function {
	return &providerFunction{
		name:    "upgrade_path",
		summary: "Lists the control-plane minors of an upgrade",
		parameters: []function.Parameter{
			versionParameter("from", "Version of the control plane now."),
			versionParameter("to", "Version it is to have in the end."),
		},
		returns: function.ListReturn{ElementType: types.StringType},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			from, to, err := twoVersions(ctx, arguments)
			if err != nil {
				return nil, err
			}
			minors, ok := from.Minor().Skew(to.Minor())
			switch {
			case !ok:
				return nil, function.NewArgumentFuncError(1, fmt.Sprintf("%q and %q are of different major versions, between which there is no known path.", from, to))
			case minors > 0:
				return nil, function.NewArgumentFuncError(1, fmt.Sprintf("%q is older than %q. The Kubernetes version skew policy is silent on going back.", to, from))
			case -minors > upgrade.MaxPath:
				return nil, function.NewArgumentFuncError(1, fmt.Sprintf("%q is %d minors ahead of %q. That is hardly meant; at most %d are listed.", to, -minors, from, upgrade.MaxPath))
			}
			return spelled(evaluation.ControlPlanePath(upstream(), from.Minor(), to.Minor())), nil
		},
	}
}

// twoVersions reads the arguments of a function of two versions.
func twoVersions(ctx context.Context, arguments function.ArgumentsData) (first, second version.Version, err *function.FuncError) {
	var a, b versionValue
	if err = arguments.Get(ctx, &a, &b); err != nil {
		return first, second, err
	}
	if first, err = parseArgument(a, 0); err != nil {
		return first, second, err
	}
	second, err = parseArgument(b, 1)
	return first, second, err
}
