// SPDX-License-Identifier: MPL-2.0

// Package provider is the glue between Terraform and the domain: schemas, and
// the two ways a value takes. One place turns HCL into a cluster (cluster.go),
// one turns findings into diagnostics (diagnostics.go); what lies between them
// knows nothing of Terraform.
package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

type versionskewProvider struct {
	version string
	today   func() releases.Date
	// settings is what Configure decided. Before, it is what ValidateConfig found,
	// without a policy, or nil where there is no provider block.
	settings any
}

var (
	_ provider.ProviderWithFunctions      = (*versionskewProvider)(nil)
	_ provider.ProviderWithValidateConfig = (*versionskewProvider)(nil)
)

// providerName begins the names of all that the provider has.
const providerName = "versionskew"

// New returns a constructor of the provider; version is that of the release.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return newProvider(version) }
}

func newProvider(version string) *versionskewProvider {
	return &versionskewProvider{version: version, today: func() releases.Date { return releases.DateOf(time.Now()) }}
}

// settings is what the provider block decides for all data sources and
// resources that do not decide it themselves.
type settings struct {
	policy           *policy.Policy
	enforcementLevel string
	// today is the day in UTC.
	today func() releases.Date
}

// The enforcement levels.
const (
	mandatory = "mandatory"
	changes   = "changes"
	advisory  = "advisory"
)

var enforcementLevels = []string{mandatory, changes, advisory}

type providerModel struct {
	Policy           types.String `tfsdk:"policy"`
	EnforcementLevel types.String `tfsdk:"enforcement_level"`
}

func (p *versionskewProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerName
	resp.Version = p.version
}

func (p *versionskewProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Checks declared Kubernetes versions against the " +
			"[version skew policy](https://kubernetes.io/releases/version-skew-policy/) at plan time. " +
			"It works offline and needs no access to a cluster and no credentials.",
		Attributes: map[string]schema.Attribute{
			"policy": schema.StringAttribute{
				MarkdownDescription: policyDescription + " Data sources and resources can override it.",
				Optional:            true,
				Validators:          []validator.String{policyValidator{}},
			},
			"enforcement_level": schema.StringAttribute{
				MarkdownDescription: enforcementDescription + " Resources can override it.",
				Optional:            true,
				Validators:          []validator.String{oneOf(enforcementLevels)},
			},
		},
	}
}

// ValidateConfig keeps the enforcement level for resources that are checked before
// the provider is configured. One that is not known yet may be advisory.
func (p *versionskewProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	level := model.EnforcementLevel.ValueString()
	if model.EnforcementLevel.IsUnknown() {
		level = advisory
	}
	p.settings = settings{enforcementLevel: level}
}

func (p *versionskewProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	decide := func(name string, value types.String, fallback string) string {
		if value.IsUnknown() {
			resp.Diagnostics.AddAttributeError(path.Root(name), fmt.Sprintf("The provider's %s is not known at plan time", name),
				fmt.Sprintf("The provider's %s comes from something that is known only after apply, so nothing could be checked in this plan.\n\n"+
					"To repair: set it to a value that is known at plan time, such as %q.", name, fallback))
		}
		if value.IsNull() || value.IsUnknown() {
			return fallback
		}
		return value.ValueString()
	}
	decided := settings{today: p.today, enforcementLevel: decide("enforcement_level", model.EnforcementLevel, mandatory)}
	var diags diag.Diagnostics
	decided.policy, diags = resolvePolicy(decide("policy", model.Policy, policy.Default), path.Root("policy"))
	resp.Diagnostics.Append(diags...)
	p.settings = decided
	resp.DataSourceData = decided
	resp.ResourceData = decided
}

func (p *versionskewProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newEvaluationDataSource, newPolicyDataSource, newReleasesDataSource, newUpgradePlanDataSource}
}

func (p *versionskewProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newValidationResource}
}

func (p *versionskewProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		newIsSupportedFunction,
		newMinorSkewFunction,
		newSupportedVersionsFunction,
		newUpgradePathFunction,
		newVersionParseFunction,
	}
}

// configured takes what Configure passed on. It is absent while a configuration
// is only validated; then nothing asks for it.
func configured(data any, diags *diag.Diagnostics) settings {
	s, ok := data.(settings)
	if !ok && data != nil {
		diags.AddError("Unexpected provider data", fmt.Sprintf("The provider passed on a %T. This is a defect of the provider; please report it.", data))
	}
	return s
}
