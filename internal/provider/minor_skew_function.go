// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

func newMinorSkewFunction() function.Function {
	return &providerFunction{
		name:    "minor_skew",
		summary: "Returns the number of minor versions between two versions",
		parameters: []function.Parameter{
			versionParameter("version", "Version to compare."),
			versionParameter("reference", "Version to compare it with."),
		},
		returns: function.Int64Return{},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var a, b string
			if err := arguments.Get(ctx, &a, &b); err != nil {
				return nil, err
			}
			var r argumentReader
			v, reference := r.version(a, 0, version.Parse), r.version(b, 1, version.Parse)
			if err := r.err(); err != nil {
				return nil, err
			}
			skew, ok := v.Minor().Skew(reference.Minor())
			if !ok {
				r.complain(1, fmt.Sprintf("%q and %q have different major versions, so the minors between them cannot be counted.", v, reference))
			}
			return int64(skew), r.err()
		},
	}
}
