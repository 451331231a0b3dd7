package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

func newMinorSkewFunction() function.Function {
	return &providerFunction{
		name:    "minor_skew",
		summary: "Counts the minors between two versions",
		parameters: []function.Parameter{
			anyVersionParameter("version", "Version to count for."),
			anyVersionParameter("reference", "Version to count from."),
		},
		returns: function.Int64Return{},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			v, reference, err := twoVersions(ctx, arguments)
			if err != nil {
				return nil, err
			}
			skew, ok := v.Minor().Skew(reference.Minor())
			if !ok {
				return nil, function.NewArgumentFuncError(1, fmt.Sprintf("%q and %q are of different major versions, between which minors cannot be counted.", v, reference))
			}
			return int64(skew), nil
		},
	}
}
