// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
)

const versionsDescription = "Versions are strings such as `1.31`, `v1.31.4` or `v1.31.2-eks-7f9249a`. Quote them: the number `1.30` is `1.3`."

var (
	policyDescription      = fmt.Sprintf("Policy to check against: the name of a built-in policy (%s; default `%s`), or the `json` of a `versionskew_policy`.", quoted(policy.BuiltinNames()), policy.Default)
	enforcementDescription = fmt.Sprintf("Findings of severity `error` that fail the plan: all (`%s`, default), only those that the plan adds or makes worse (`%s`, for clusters that violate the policy already; none if there are no versions to start from), or none (`%s`). The others are warnings.", mandatory, changes, advisory)
)

var applyOrders = spelledAs(upgrade.ApplyOrders)

func quoted(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// nodeComponents run on a node beside whatever else does.
var nodeComponents = []string{"kubelet", "kube-proxy"}

// attributeName is how the schema spells a component.
func attributeName(component string) string { return strings.ReplaceAll(component, "-", "_") }

// The values of apiserver_endpoint and of match_policy.
const (
	sharedEndpoint = "shared"
	localEndpoint  = "local"
)

var (
	endpoints     = []string{sharedEndpoint, localEndpoint}
	matchPolicies = []string{"Equivalent", "Exact"}
)

// clusterAttributes is the shape of a cluster, the same wherever one is taken:
// the attribute types of all the framework's schemas are alike.
//
// What they hold is checked in readCluster, not by validators on the leaves:
// neither CLI shows the source line of a diagnostic that is deeper than the
// element of a map.
func clusterAttributes() map[string]schema.Attribute {
	node := map[string]schema.Attribute{}
	for _, component := range nodeComponents {
		node[attributeName(component)] = schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("Version of %s.", component),
			Optional:            true,
		}
	}
	instance := maps.Clone(node)
	instance["version"] = schema.StringAttribute{
		MarkdownDescription: "Version of all control-plane components of the instance that are not set individually.",
		Optional:            true,
	}
	instance[emulatedVersion] = schema.StringAttribute{
		MarkdownDescription: "Version that the kube-apiserver of this instance emulates. Default: `emulated_version` of the cluster.",
		Optional:            true,
	}
	for _, component := range skew.ControlPlaneComponents {
		instance[attributeName(component)] = schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("Version of %s. Default: `version`.", component),
			Optional:            true,
		}
	}

	return map[string]schema.Attribute{
		string(finding.ControlPlaneVersion): schema.StringAttribute{
			MarkdownDescription: "Version of a managed control plane. Shorthand for one instance each of kube-apiserver, kube-controller-manager, " +
				"kube-scheduler and cloud-controller-manager. Conflicts with `control_plane`. " + versionsDescription,
			Optional: true,
		},
		string(finding.ControlPlane): schema.MapNestedAttribute{
			MarkdownDescription: "Control-plane instances, keyed by a name you choose. Instances without versions are not checked. Conflicts with `control_plane_version`.",
			Optional:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: instance},
		},
		emulatedVersion: schema.StringAttribute{
			MarkdownDescription: "Version that the kube-apiservers emulate (`--emulated-version`), up to 3 minors older than their own. " +
				"Rules that compare with a kube-apiserver use it. " +
				"It also applies to controllers whose version comes from `control_plane_version` or from `version` of an instance.",
			Optional: true,
		},
		"apiserver_endpoint": schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("`%s` (default): every component can reach any kube-apiserver, as with a load balancer. "+
				"`%s`: components on a control-plane instance only connect to the kube-apiserver of that instance. Workers and kubectl can always reach all of them.", sharedEndpoint, localEndpoint),
			Optional: true,
		},
		string(finding.NodePools): schema.MapNestedAttribute{
			MarkdownDescription: "Node pools or single nodes, keyed by name. Node pools without versions are not checked.",
			Optional:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: node},
		},
		string(finding.KubeProxy): schema.StringAttribute{
			MarkdownDescription: "Version of one kube-proxy for the whole cluster, such as an add-on or a DaemonSet. It runs on every node pool that does not set `kube_proxy`, and is upgraded as a whole.",
			Optional:            true,
		},
		string(finding.Kubectl): schema.ListAttribute{
			MarkdownDescription: "Versions of the kubectl clients in use.",
			ElementType:         types.StringType,
			Optional:            true,
		},
		string(finding.Components): schema.MapAttribute{
			MarkdownDescription: "Versions of the instances of other components, keyed by component name, such as `{ istiod = [\"1.28.0\"] }`. Used by custom rules and add-on packs.",
			ElementType:         types.ListType{ElemType: types.StringType},
			Optional:            true,
		},
		"admission_webhooks": schema.MapNestedAttribute{
			MarkdownDescription: "Registered admission webhooks, keyed by name.",
			Optional:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"match_policy": schema.StringAttribute{
					MarkdownDescription: "`matchPolicy` of the webhook: " + quoted(matchPolicies) + ".",
					Optional:            true,
				},
			}},
		},
	}
}

// inputAttributes is what an evaluation and a validation take.
func inputAttributes() map[string]schema.Attribute {
	attributes := clusterAttributes()
	attributes["observed"] = observedAttribute("")
	attributes["apply_order"] = schema.StringAttribute{
		MarkdownDescription: fmt.Sprintf("Order in which this configuration applies its changes. `%s` (default): the control plane before node pools and `kube_proxy`, as in most modules. "+
			"`%s`: node pools and `kube_proxy` before the control plane. `%s`: they do not depend on each other, so any intermediate combination can occur. "+
			"`%s`: something else ensures an allowed order; the check only requires that one exists.", upgrade.ControlPlaneFirst, upgrade.NodePoolsFirst, upgrade.Unordered, upgrade.Any),
		Optional:   true,
		Validators: []validator.String{oneOf(applyOrders)},
	}
	attributes["policy"] = policyAttribute()
	attributes["waivers"] = waiversAttribute()
	attributes["as_of"] = schema.StringAttribute{
		MarkdownDescription: "Date to check for, as `YYYY-MM-DD`. Default: today in UTC. Only end-of-life advice and the expiry of waivers depend on it.",
		Optional:            true,
		Validators:          []validator.String{dateValidator{}},
	}
	return attributes
}

// observedAttribute is the shape of observed; more is added to its description.
func observedAttribute(more string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: strings.TrimSpace("Versions that run now, with the same attributes as the cluster. The step from them to the declared versions is checked. " + more),
		Optional:            true,
		Attributes:          clusterAttributes(),
	}
}

func policyAttribute() schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: policyDescription + " Overrides `policy` of the provider.",
		Optional:            true,
		Validators:          []validator.String{policyValidator{}},
	}
}

// policyValidator accepts the name of a built-in policy, or a policy as JSON.
type policyValidator struct{}

func (policyValidator) Description(context.Context) string {
	return "a built-in policy, or one as JSON"
}

func (v policyValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (policyValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	_, diags := resolvePolicy(req.ConfigValue.ValueString(), req.Path)
	resp.Diagnostics.Append(diags...)
}

// waiversAttribute is the shape of waivers.
func waiversAttribute() schema.Attribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "Waivers for findings that you accept, keyed by a name you choose. A waived error is a warning that quotes the reason.",
		Optional:            true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"rule":      schema.StringAttribute{MarkdownDescription: "ID of the rule, such as `kubelet-apiserver`.", Required: true},
			"locations": schema.ListAttribute{MarkdownDescription: "Locations where findings are accepted, as spelled in a finding, such as `node_pools[\"gpu\"]`. Default: everywhere.", ElementType: types.StringType, Optional: true},
			"reason":    schema.StringAttribute{MarkdownDescription: "Reason for the waiver. Must not be empty.", Required: true},
			"expires":   schema.StringAttribute{MarkdownDescription: "Last day of the waiver, as `YYYY-MM-DD`. Default: never expires. An expired waiver has no effect and causes a warning.", Optional: true},
		}},
	}
}

// dateValidator accepts a day of the calendar.
type dateValidator struct{}

func (dateValidator) Description(context.Context) string         { return "a day as YYYY-MM-DD" }
func (dateValidator) MarkdownDescription(context.Context) string { return "a day as `YYYY-MM-DD`" }

func (dateValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := releases.ParseDate(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.Append(invalidDate(req.Path, req.Path.String(), req.ConfigValue.ValueString(), err))
	}
}

// invalidDate is the one way to say that something is not a date.
func invalidDate(at path.Path, name, text string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, headline(fmt.Sprintf("Invalid date %q", text), name, ""), fmt.Sprintf("%s: %s", name, err))
}
