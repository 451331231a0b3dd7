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

const versionsDescription = "Versions are strings such as `1.31`, `v1.31.4` or `v1.31.2-eks-7f9249a`; quote them, for the number `1.30` is `1.3`."

var (
	policyDescription      = fmt.Sprintf("Policy to judge by: %s (default `%s`), or the `json` of a `versionskew_policy`.", quoted(policy.BuiltinNames()), policy.Default)
	enforcementDescription = fmt.Sprintf("Which findings of severity `error` fail the plan: all of them (`%s`, the default), those that the plan brings or makes worse (`%s`, for clusters that break the policy already; without versions to start from, none), or none (`%s`). The others are warnings.", mandatory, changes, advisory)
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
		MarkdownDescription: "Version of the control-plane components that are not set by themselves.",
		Optional:            true,
	}
	instance[emulatedVersion] = schema.StringAttribute{
		MarkdownDescription: "Version that the kube-apiserver of this instance emulates, if it is not the `emulated_version` of the cluster.",
		Optional:            true,
	}
	for _, component := range skew.ControlPlaneComponents {
		instance[attributeName(component)] = schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("Version of %s, if it is not `version`.", component),
			Optional:            true,
		}
	}

	return map[string]schema.Attribute{
		string(finding.ControlPlaneVersion): schema.StringAttribute{
			MarkdownDescription: "Version of a managed control plane: short for one instance each of kube-apiserver, kube-controller-manager, " +
				"kube-scheduler and cloud-controller-manager. Conflicts with `control_plane`. " + versionsDescription,
			Optional: true,
		},
		string(finding.ControlPlane): schema.MapNestedAttribute{
			MarkdownDescription: "Control-plane instances by name. One that sets no version is not judged.",
			Optional:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: instance},
		},
		emulatedVersion: schema.StringAttribute{
			MarkdownDescription: "Version that the kube-apiservers emulate (`--emulated-version`) while it is older than their own: at most 3 minors. " +
				"Every rule that compares with a kube-apiserver counts it. " +
				"Controllers emulate it too where `control_plane_version`, or `version` of an instance, stands for them.",
			Optional: true,
		},
		"apiserver_endpoint": schema.StringAttribute{
			MarkdownDescription: fmt.Sprintf("`%s` (default): every component may reach any kube-apiserver, as behind a load balancer. "+
				"`%s`: the components on a control-plane instance talk to the kube-apiserver of that instance only. Workers and kubectl always see all of them.", sharedEndpoint, localEndpoint),
			Optional: true,
		},
		string(finding.NodePools): schema.MapNestedAttribute{
			MarkdownDescription: "Node pools, or single nodes, by name. One that sets no version is not judged.",
			Optional:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: node},
		},
		string(finding.KubeProxy): schema.StringAttribute{
			MarkdownDescription: "Version of one kube-proxy for the whole cluster, such as an add-on or a DaemonSet. It runs on every node pool that sets no `kube_proxy` of its own, and moves as one.",
			Optional:            true,
		},
		string(finding.Kubectl): schema.ListAttribute{
			MarkdownDescription: "Versions of the clients in use.",
			ElementType:         types.StringType,
			Optional:            true,
		},
		string(finding.Components): schema.MapAttribute{
			MarkdownDescription: "Versions of the instances of any further component, by its name, for rules of your own.",
			ElementType:         types.ListType{ElemType: types.StringType},
			Optional:            true,
		},
		"admission_webhooks": schema.MapNestedAttribute{
			MarkdownDescription: "Registered admission webhooks by name.",
			Optional:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"match_policy": schema.StringAttribute{
					MarkdownDescription: "The `matchPolicy` of the webhook: " + quoted(matchPolicies) + ".",
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
		MarkdownDescription: fmt.Sprintf("Order in which this configuration applies its changes. `%s` (default): node pools, and `kube_proxy`, wait for the control plane, as in most modules. "+
			"`%s`: the control plane waits for them. `%s`: neither waits for the other, so that any mixture can occur. "+
			"`%s`: something else sees to a sound order; the step only needs to have one.", upgrade.ControlPlaneFirst, upgrade.NodePoolsFirst, upgrade.Unordered, upgrade.Any),
		Optional:   true,
		Validators: []validator.String{oneOf(applyOrders)},
	}
	attributes["policy"] = policyAttribute()
	attributes["waivers"] = waiversAttribute()
	attributes["as_of"] = schema.StringAttribute{
		MarkdownDescription: "Day to judge for, as `YYYY-MM-DD` (default: today, in UTC). No limit on versions depends on the day; ends of life and waivers do.",
		Optional:            true,
		Validators:          []validator.String{dateValidator{}},
	}
	return attributes
}

// observedAttribute is the shape of observed; more is added to its description.
func observedAttribute(more string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: strings.TrimSpace("Versions that run now, in the shape of the cluster attributes. The change from them to the declared versions is judged as an upgrade step. " + more),
		Optional:            true,
		Attributes:          clusterAttributes(),
	}
}

func policyAttribute() schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: policyDescription + " Overrides the provider's.",
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
		MarkdownDescription: "Findings that are accepted, by a name of yours. A waived error is a warning in every plan, which quotes the reason.",
		Optional:            true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"rule":      schema.StringAttribute{MarkdownDescription: "Id of the rule, such as `kubelet-apiserver`.", Required: true},
			"locations": schema.ListAttribute{MarkdownDescription: "Where it is accepted, as a finding spells it: `node_pools[\"gpu\"]`. Everywhere, if left out.", ElementType: types.StringType, Optional: true},
			"reason":    schema.StringAttribute{MarkdownDescription: "Why it is accepted.", Required: true},
			"expires":   schema.StringAttribute{MarkdownDescription: "Last day on which it is, as `YYYY-MM-DD`. An expired waiver waives nothing, and says so.", Optional: true},
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
