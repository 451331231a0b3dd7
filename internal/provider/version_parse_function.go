// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

type parsedModel struct {
	Major        int    `tfsdk:"major"`
	Minor        int    `tfsdk:"minor"`
	Patch        *int   `tfsdk:"patch"`
	Prerelease   string `tfsdk:"prerelease"`
	Build        string `tfsdk:"build"`
	MinorVersion string `tfsdk:"minor_version"`
	Normalized   string `tfsdk:"normalized"`
}

func newVersionParseFunction() function.Function {
	return &providerFunction{
		name:       "version_parse",
		summary:    "Splits a version into its parts",
		parameters: []function.Parameter{versionParameter("version", "Version such as `1.31`, `v1.31.4` or `v1.31.2-eks-7f9249a`.")},
		returns: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"major": types.Int64Type, "minor": types.Int64Type, "patch": types.Int64Type,
			"prerelease": types.StringType, "build": types.StringType,
			"minor_version": types.StringType, "normalized": types.StringType,
		}},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var s string
			if err := arguments.Get(ctx, &s); err != nil {
				return nil, err
			}
			var r argumentReader
			v := r.version(s, 0, version.Parse)
			if err := r.err(); err != nil {
				return nil, err
			}
			model := parsedModel{
				Major: v.Minor().Major, Minor: v.Minor().Minor,
				Prerelease: v.Prerelease(), Build: v.Build(),
				MinorVersion: v.Minor().String(), Normalized: v.Normalized(),
			}
			if patch, ok := v.Patch(); ok {
				model.Patch = &patch
			}
			return model, nil
		},
	}
}
