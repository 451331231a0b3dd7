// SPDX-License-Identifier: MPL-2.0

// Package provider connects Terraform with the domain packages. It holds the
// schemas and speaks the plugin protocol. cluster.go turns HCL into a cluster, and
// diagnostics.go turns findings into diagnostics. The domain packages in between do
// not import Terraform.
package provider

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

type versionskewProvider struct {
	version string
	today   func() releases.Date
	// validated and configured hold what ValidateConfig and Configure have read. A CLI
	// sends requests in parallel, and may validate a provider that is configured.
	validated, configured atomic.Pointer[settings]
}

var (
	_ provider.ProviderWithFunctions      = (*versionskewProvider)(nil)
	_ provider.ProviderWithValidateConfig = (*versionskewProvider)(nil)
)

// providerName is the prefix of the names of all data sources and resources.
const providerName = "versionskew"

// New returns the provider as terraform-plugin-framework alone would serve it.
func New(version string) provider.Provider { return newProvider(version) }

func newProvider(version string) *versionskewProvider {
	return &versionskewProvider{version: version, today: func() releases.Date { return releases.DateOf(time.Now()) }}
}

// settings are the defaults from the provider block. Data sources and resources
// can override them.
type settings struct {
	// policy is nil until the provider is configured.
	policy *policy.Policy
	// enforcementLevel is "" until the provider block is read.
	enforcementLevel string
	// today returns the current date in UTC.
	today func() releases.Date
}

// Enforcement levels.
const (
	mandatory = "mandatory"
	changes   = "changes"
	advisory  = "advisory"
)

var enforcementLevels = []string{mandatory, changes, advisory}

// level returns an enforcement level, or that of the provider if it is null. An unknown one
// counts as advisory, because it may turn out to be.
func (s settings) level(v tftypes.Value) string {
	switch {
	case !v.IsKnown():
		return advisory
	case v.IsNull():
		return s.enforcementLevel
	}
	return tfvalue.String(v)
}

type providerModel struct {
	Policy           tftypes.Value `tfsdk:"policy"`
	EnforcementLevel tftypes.Value `tfsdk:"enforcement_level"`
}

func (p *versionskewProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerName
	resp.Version = p.version
}

func (p *versionskewProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Checks declared Kubernetes versions against the " +
			"[version skew policy](https://kubernetes.io/releases/version-skew-policy/) at plan time. " +
			"It works offline, without access to a cluster and without credentials.",
		Attributes: map[string]schema.Attribute{
			"policy": schema.StringAttribute{
				MarkdownDescription: policyDescription + fmt.Sprintf(" Default: `%s`. Data sources and resources can override it.", policy.Default),
				Optional:            true,
			},
			"enforcement_level": schema.StringAttribute{
				MarkdownDescription: enforcementDescription + fmt.Sprintf(" Default: `%s`. Resources can override it.", mandatory),
				Optional:            true,
			},
		},
	}
}

// readProvider reads the provider block. A request without one sets nothing.
func readProvider(config tfsdk.Config) (model providerModel, diags diag.Diagnostics) {
	tfvalue.Read(config.Raw, &model)
	return model, checkChoice(model.EnforcementLevel, path.Root("enforcement_level"), "enforcement_level", enforcementLevels)
}

// ValidateConfig keeps the enforcement level for resources that are validated before
// the provider is configured.
func (p *versionskewProvider) ValidateConfig(_ context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	model, diags := readProvider(req.Config)
	var unset settings
	_, problems := unset.named(model.Policy)
	resp.Diagnostics.Append(append(diags, problems...)...)
	p.validated.Store(&settings{enforcementLevel: unset.level(model.EnforcementLevel), today: p.today})
}

func (p *versionskewProvider) Configure(_ context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	model, diags := readProvider(req.Config)
	resp.Diagnostics.Append(diags...)
	valueOr := func(name string, value tftypes.Value, fallback string) string {
		if !value.IsKnown() {
			resp.Diagnostics.Append(errorAt(path.Root(name), report.UnknownSetting(name, fallback)))
		}
		if !tfvalue.IsSet(value) {
			return fallback
		}
		return tfvalue.String(value)
	}
	resolved := settings{today: p.today, enforcementLevel: valueOr("enforcement_level", model.EnforcementLevel, mandatory)}
	resolved.policy, diags = resolvePolicy(valueOr("policy", model.Policy, policy.Default), path.Root("policy"))
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		p.configured.Store(&resolved)
	}
}

// settings returns what the provider block sets, as far as it has been read.
func (p *versionskewProvider) settings() settings {
	for _, read := range []*settings{p.configured.Load(), p.validated.Load()} {
		if read != nil {
			return *read
		}
	}
	return settings{today: p.today}
}

// dataSources returns constructors of the data sources.
func (p *versionskewProvider) dataSources() []func() dataSource {
	return []func() dataSource{
		func() dataSource { return &evaluationDataSource{p.settings()} },
		func() dataSource { return &policyDataSource{p.settings()} },
		func() dataSource { return &releasesDataSource{p.settings()} },
		func() dataSource { return &upgradePlanDataSource{p.settings()} },
	}
}

func (p *versionskewProvider) DataSources(context.Context) (all []func() datasource.DataSource) {
	for _, construct := range p.dataSources() {
		all = append(all, func() datasource.DataSource { return adapter{construct()} })
	}
	return all
}

func (p *versionskewProvider) validation() *validationResource {
	return &validationResource{p.settings()}
}

func (p *versionskewProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return p.validation() }}
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
