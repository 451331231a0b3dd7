// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// guard is a versionskew_validation that is planned and applied over the protocol, without
// a CLI.
type guard struct {
	server tfprotov6.ProviderServer
	schema *tfprotov6.Schema
	state  tftypes.Value

	config  object // in the last plan
	planned *tfprotov6.DynamicValue
}

const resourceType = "versionskew_validation"

type object = map[string]any

// unknown is a value that is unknown in the plan.
var unknown = any(tftypes.UnknownValue)

// newServer returns a configured server of this provider, and its schemas.
func newServer() (tfprotov6.ProviderServer, *tfprotov6.GetProviderSchemaResponse, error) {
	ctx := context.Background()
	server := provider.NewServer("test")()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, nil, err
	}
	_, err = server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: dynamic(schemas.Provider.ValueType(), object{})})
	return server, schemas, err
}

func newGuard() (*guard, error) {
	server, schemas, err := newServer()
	if err != nil {
		return nil, err
	}
	schema := schemas.ResourceSchemas[resourceType]
	return &guard{server: server, schema: schema, state: tftypes.NewValue(schema.ValueType(), nil)}, nil
}

func (g *guard) plan(w *Walk) (refused string, err error) {
	t := g.schema.ValueType()
	g.config = w.guardConfig(nil)
	proposed := maps.Clone(g.config)
	proposed["id"] = unknown
	if !g.state.IsNull() {
		proposed["id"] = tfvalue.Fields(g.state)["id"]
	}
	for _, a := range g.schema.Block.Attributes {
		if a.WriteOnly { // the CLI proposes null for write-only attributes
			delete(proposed, a.Name)
		}
	}
	resp, err := g.server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: resourceType, Config: dynamic(t, g.config), ProposedNewState: dynamic(t, proposed), PriorState: dynamic(t, g.state),
	})
	if err != nil {
		return "", err
	}
	g.planned = resp.PlannedState
	return errorText(resp.Diagnostics), nil
}

// apply performs the operations in a random order that the graph allows. If all succeed,
// it applies the planned validation.
func (g *guard) apply(w *Walk, operations []platform.Operation) (refused string, err error) {
	if w.running() != nil && w.replacing() {
		delete(w.world.Clusters, w.clusterName(w.runningGeneration))
	}
	w.runningGeneration = w.declared.Generation
	if w.running() == nil {
		if err := w.do(platform.Operation{Action: platform.Create, Target: platform.ClusterTarget}); err != nil {
			return "", err
		}
	}
	todo, failed := slices.Clone(operations), []platform.Operation(nil)
	for len(todo) > 0 {
		var ready []int
		for i, o := range todo {
			blocked := func(first platform.Operation) bool { return first != o && w.graph.Precedes(first, o) }
			if !slices.ContainsFunc(todo, blocked) && !slices.ContainsFunc(failed, blocked) {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			break
		}
		i := ready[w.random.IntN(len(ready))]
		if err := w.do(todo[i]); err != nil {
			failed = append(failed, todo[i])
		}
		todo = slices.Delete(todo, i, i+1)
	}
	if len(failed) > 0 {
		return "", nil
	}
	return g.applyConfig(w.guardConfig(g.config))
}

// applyConfig applies the last plan. In config, everything is known.
func (g *guard) applyConfig(config object) (refused string, err error) {
	t := g.schema.ValueType()
	// Replace values that were unknown in the plan. All others are as planned.
	value, err := g.planned.Unmarshal(t)
	if err != nil {
		return "", err
	}
	attributes, known := tfvalue.Fields(value), tfvalue.Fields(tfvalue.Of(t, config))
	for _, a := range g.schema.Block.Attributes {
		if !attributes[a.Name].IsFullyKnown() && !a.Computed {
			attributes[a.Name] = known[a.Name]
		}
	}
	resp, err := g.server.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: resourceType, Config: dynamic(t, config), PlannedState: dynamic(t, attributes), PriorState: dynamic(t, g.state),
	})
	if err != nil {
		return "", err
	}
	if refused := errorText(resp.Diagnostics); refused != "" {
		return refused, nil
	}
	g.state, err = resp.NewState.Unmarshal(t)
	return "", err
}

// errorText returns the summaries and details of all errors, or "".
func errorText(diagnostics []*tfprotov6.Diagnostic) string {
	var errors []string
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errors = append(errors, d.Summary+"\n"+d.Detail)
		}
	}
	return strings.Join(errors, "\n")
}

// guardConfig returns the arguments of the validation in a module's guard file. In a plan,
// planned is nil. In an apply, it is the configuration from the plan: all other values are
// known by then, but observed still comes from the plan, because data sources are not read
// again.
func (w *Walk) guardConfig(planned object) object {
	applied := planned != nil
	g, d := w.graph, w.graph.resolved(w.declared)
	running := w.running()
	if w.replacing() && !applied {
		running = nil
	}
	pools, controlPlane := object{}, object{}
	for name, version := range d.Pools {
		current, exists := "", false
		if running != nil {
			current, exists = running.Pools[name]
		}
		switch {
		case g.immutable && exists && (w.observe || applied):
			pools[name] = current // Terraform does not change it
		case version != "":
			pools[name] = version
		case exists: // the platform chose the version when it created the pool
			pools[name] = current
		default:
			pools[name] = unknown
		}
	}
	for name, version := range d.ControlPlane {
		if running != nil && w.observe {
			current, exists := running.ControlPlane[name]
			if g.immutable && exists || g.Kind == platform.GKE && platform.Newer(current, version) { // min_master_version never downgrades
				version = current
			}
		}
		controlPlane[name] = version
	}
	config := clusterConfig(g, controlPlane, pools)
	config["policy"], config["enforcement_level"] = string(g.Kind), nullIfEmpty(w.enforcementLevel)
	if g.Kind == platform.EKS {
		config["kube_proxy"] = nullIfEmpty(d.KubeProxy)
	}
	if g.AddOn {
		config["policy"] = addOnPolicy(g.Kind)
		config["components"] = components(d.AddOn)
	}
	if len(w.world.Offered) > 0 {
		config["available_versions"] = w.world.Offered
		if g.Managed() && g.Kind != platform.EKS { // EKS offers no retired version to node groups
			config["available_node_versions"] = append(slices.Clone(w.world.Offered), fmt.Sprint(config["control_plane_version"]))
		}
	}
	config["apply_order"] = g.Order
	if g.DeclaredOrder != "" {
		config["apply_order"] = g.DeclaredOrder
	}
	config["cluster_id"] = unknown
	if running != nil {
		config["cluster_id"] = running.ID
	}
	if applied {
		config["observed"] = planned["observed"]
	} else if now := w.running(); w.observe && now != nil {
		config["observed"] = w.observed(*now)
	}
	return config
}

// observed returns the value of observed that data sources provide for a cluster.
func (w *Walk) observed(c platform.Cluster) object {
	observed := clusterConfig(w.graph, c.ControlPlane, c.Pools)
	if c.KubeProxy != "" {
		observed["kube_proxy"] = c.KubeProxy
	}
	if w.graph.AddOn {
		observed["components"] = components(c.AddOn)
	}
	return observed
}

// clusterConfig returns the attributes of a cluster with the versions of its control-plane
// instances, including their kubelets, and of its node pools.
func clusterConfig[V any](g Graph, controlPlane, pools map[string]V) object {
	config := object{"node_pools": nested(pools, "kubelet")}
	if g.Managed() {
		config["control_plane_version"] = nullIfEmpty(controlPlane[platform.Managed])
	} else {
		config["control_plane"], config["apiserver_endpoint"] = nested(controlPlane, "version", "kubelet"), "local"
	}
	return config
}

// nested returns objects with versions as the values of the given attributes.
func nested[V any](versions map[string]V, attributes ...string) object {
	all := object{}
	for name, version := range versions {
		element := object{}
		for _, a := range attributes {
			element[a] = version
		}
		all[name] = element
	}
	return all
}

// components returns the value of components for a version of the add-on.
func components(addOn string) object {
	if addOn == "" {
		return object{}
	}
	return object{platform.AddOnName: []string{addOn}}
}

// addOnPolicy returns the policy of a platform with the rules of the add-on.
func addOnPolicy(kind platform.Kind) string {
	rules := object{}
	for minor := 20; minor < 80; minor++ {
		rules[fmt.Sprintf("%s-1-%d", platform.AddOnName, minor)] = object{
			"when":    object{"component": platform.AddOnName, "version": fmt.Sprintf(">= 1.%d, < 1.%d", minor, minor+1)},
			"require": object{"component": "kube-apiserver", "version": fmt.Sprintf(">= 1.%d, < 1.%d", minor-1, minor+2)},
		}
	}
	text, err := json.Marshal(object{"extends": string(kind), "requirement_rules": rules})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// nullIfEmpty converts an empty version to null.
func nullIfEmpty(version any) any {
	if version == "" {
		return nil
	}
	return version
}

// dynamic encodes a value for the protocol. It panics if the value does not have the type.
func dynamic(t tftypes.Type, v any) *tfprotov6.DynamicValue {
	d, err := tfprotov6.NewDynamicValue(t, tfvalue.Of(t, v))
	if err != nil {
		panic(err)
	}
	return &d
}
