// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
)

const versionsDescription = "Versions are strings such as `1.31`, `v1.31.4` or `v1.31.2-eks-7f9249a`. Quote them, because the number `1.30` becomes `1.3`."

var (
	policyDescription      = fmt.Sprintf("Policy to check against: the name of a built-in policy (%s), or the `json` of a `versionskew_policy` data source.", quoted(policy.BuiltinNames()))
	enforcementDescription = fmt.Sprintf("Which findings of severity `error` fail the plan. `%s`: all of them. "+
		"`%s`: those that the plan adds or makes worse, for clusters that already violate the policy. Without earlier versions to compare with, no finding fails the plan. "+
		"`%s`: none. Findings that do not fail the plan are warnings.", mandatory, changes, advisory)
)

func quoted(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// nodeComponents are the components that every node runs.
var nodeComponents = []string{"kubelet", "kube-proxy"}

// attributeName returns the attribute name of a component: kube_proxy for kube-proxy.
func attributeName(component string) string { return strings.ReplaceAll(component, "-", "_") }

// Values of apiserver_endpoint.
const (
	sharedEndpoint = "shared"
	localEndpoint  = "local"
)

var (
	endpoints     = []string{sharedEndpoint, localEndpoint}
	matchPolicies = []string{"Equivalent", "Exact"}
)

// clusterAttributes returns the attributes that describe a cluster. All data sources
// and resources that take a cluster share them: a data source attribute also
// satisfies the interface for attributes of a resource.
//
// readCluster checks their values. Validators on nested attributes would report
// deeper paths than a map key, for which neither CLI shows the source line.
func clusterAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		string(finding.ControlPlaneVersion): optionalText("Version of a managed control plane. Shorthand for one instance each of kube-apiserver, kube-controller-manager, " +
			"kube-scheduler and cloud-controller-manager. Conflicts with `control_plane`. " + versionsDescription),
		string(finding.ControlPlane): schema.MapNestedAttribute{
			MarkdownDescription: "Control-plane instances, keyed by a name you choose. Instances without any version are not checked. Conflicts with `control_plane_version`.",
			Optional:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: instanceAttributes()},
		},
		emulatedVersion: optionalText("Version that the kube-apiservers emulate (`--emulated-version`), at most 3 minor versions older than their own. " +
			"Rules that compare a component with a kube-apiserver use this version. " +
			"It also applies to controllers whose version comes from `control_plane_version` or from `version` of an instance."),
		"apiserver_endpoint": optionalText(fmt.Sprintf("Which kube-apiservers the components on a control-plane instance connect to. `%s` (default): any of them, as through a load balancer. "+
			"`%s`: only the one on the same instance. Node pools and kubectl can reach all of them in either case.", sharedEndpoint, localEndpoint)),
		string(finding.NodePools): schema.MapNestedAttribute{
			MarkdownDescription: "Node pools or single nodes, keyed by a name you choose. Node pools without any version are not checked.",
			Optional:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: nodeAttributes()},
		},
		string(finding.KubeProxy): optionalText("Version of a cluster-wide kube-proxy, such as an add-on or a DaemonSet. It applies to every node pool that does not set its own `kube_proxy`, and is upgraded on all of them together."),
		string(finding.Kubectl):   optionalTexts("Versions of the kubectl clients in use."),
		string(finding.Components): schema.MapAttribute{
			MarkdownDescription: "Versions of other components, keyed by component name, with one element for each instance, such as `{ istiod = [\"1.28.0\"] }`. A component is only checked if the policy has a rule for it.",
			ElementType:         types.ListType{ElemType: types.StringType},
			Optional:            true,
		},
		"admission_webhooks": schema.MapNestedAttribute{
			MarkdownDescription: "Registered admission webhooks, keyed by a name you choose. Only the advisory `admission-webhook-match-policy` uses them.",
			Optional:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"match_policy": optionalText(fmt.Sprintf("`matchPolicy` of the webhook: `%s` or `%s`.", matchPolicies[0], matchPolicies[1])),
			}},
		},
	}
}

// nodeAttributes returns the attributes of a node pool.
func nodeAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, component := range nodeComponents {
		attributes[attributeName(component)] = optionalText(fmt.Sprintf("Version of %s.", component))
	}
	return attributes
}

// instanceAttributes returns the attributes of a control-plane instance.
func instanceAttributes() map[string]schema.Attribute {
	attributes := nodeAttributes()
	attributes["version"] = optionalText("Version of every control-plane component of the instance that is not set individually.")
	attributes[emulatedVersion] = optionalText("Version that the kube-apiserver of this instance emulates, at most 3 minor versions older than its own. Default: `emulated_version` of the cluster.")
	for _, component := range skew.ControlPlaneComponents {
		attributes[attributeName(component)] = optionalText(fmt.Sprintf("Version of %s. Default: `version`.", component))
	}
	return attributes
}

func optionalText(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true}
}

func optionalTexts(description string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: description, Optional: true, ElementType: types.StringType}
}

// inputAttributes returns the inputs that versionskew_evaluation and
// versionskew_validation share.
func inputAttributes() map[string]schema.Attribute {
	attributes := clusterAttributes()
	attributes["observed"] = observedAttribute("")
	attributes["apply_order"] = optionalText(fmt.Sprintf("Order in which this configuration applies the changes of a step. `%s` (default): the control plane before node pools, `kube_proxy` and `components`, as in most modules. "+
		"`%s`: node pools, `kube_proxy` and `components` before the control plane. `%s`: neither depends on the other, so every possible intermediate combination has to satisfy the policy. "+
		"`%s`: something outside this configuration ensures a valid order, and the check only requires that one exists.", step.ControlPlaneFirst, step.NodePoolsFirst, step.Unordered, step.Any))
	attributes[availableVersions] = optionalTexts("Versions that the platform offers, such as those of `azurerm_kubernetes_service_versions`, `google_container_engine_versions`, `aws_eks_cluster_versions` or `digitalocean_kubernetes_versions`. " +
		"An API server or a node pool's kubelet that the step changes or adds must be one of them, or there is an error with the rule `not-offered`. " +
		"A listed minor version stands for all its patches, a listed patch for all its builds, and a listed build, such as `1.34.1-do.0`, only for itself. Likewise, a declared `1.31` is in the list if any of its patches is, although not every platform accepts such a version. Default: not checked. An empty list is not checked either, and causes a warning.")
	attributes[availableNodeVersions] = optionalTexts("Versions that the platform offers for node pools. Default: `available_versions`. If the list is empty, node pools are not checked, and there is a warning.")
	attributes["policy"] = policyAttribute()
	attributes["waivers"] = waiversAttribute("They stay in `findings`, with the name of the waiver in `waived_by`. A waiver that has expired or does not match any finding causes a warning.")
	attributes["as_of"] = asOfAttribute("")
	return attributes
}

// asOfAttribute returns the attribute as_of. more is appended to its description.
func asOfAttribute(more string) schema.StringAttribute {
	return optionalText(strings.TrimSpace("Date on which the versions are checked, as `YYYY-MM-DD`. Default: today in UTC. Only end-of-life advice and the expiry of waivers depend on it. " + more))
}

// observedAttribute returns the attribute observed. more is appended to its description.
func observedAttribute(more string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: strings.TrimSpace("Versions that run now, with the same attributes as the cluster. The step from these versions to the declared ones is checked. " + more),
		Optional:            true,
		Attributes:          clusterAttributes(),
	}
}

func policyAttribute() schema.Attribute {
	return optionalText(policyDescription + fmt.Sprintf(" Default: `policy` of the provider, or `%s`.", policy.Default))
}

// waiversAttribute returns the attribute waivers. effect describes what a waiver does.
func waiversAttribute(effect string) schema.Attribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "Findings that you accept, keyed by a name you choose. " + effect,
		Optional:            true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"rule":      schema.StringAttribute{MarkdownDescription: "ID of the rule whose findings are accepted, such as `kubelet-apiserver`.", Required: true},
			"locations": optionalTexts("Locations where findings are accepted, written as in a finding, such as `node_pools[\"gpu\"]`. Default, also if the list is empty: all locations."),
			"reason":    schema.StringAttribute{MarkdownDescription: "Reason for accepting the findings. Must not be empty.", Required: true},
			"expires":   optionalText("Last day on which the waiver applies, as `YYYY-MM-DD`. Default: no expiry. An expired waiver has no effect."),
		}},
	}
}
