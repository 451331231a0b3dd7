// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// guard is a versionskew_validation in a configuration, without a CLI.
type guard struct {
	server tfprotov6.ProviderServer
	schema *tfprotov6.Schema
	state  tftypes.Value

	config  object // of the last plan
	planned *tfprotov6.DynamicValue
}

const resourceType = "versionskew_validation"

type object = map[string]any

// unknown is a value that only the apply knows.
var unknown = any(tftypes.UnknownValue)

// configured returns a server of this provider that is ready to plan.
func configured() (tfprotov6.ProviderServer, *tfprotov6.GetProviderSchemaResponse, error) {
	ctx := context.Background()
	server := provider.NewServer("test")()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, nil, err
	}
	config, err := dynamic(schemas.Provider.ValueType(), object{})
	if err != nil {
		return nil, nil, err
	}
	_, err = server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: config})
	return server, schemas, err
}

func newGuard() (*guard, error) {
	server, schemas, err := configured()
	if err != nil {
		return nil, err
	}
	schema := schemas.ResourceSchemas[resourceType]
	return &guard{server: server, schema: schema, state: tftypes.NewValue(schema.ValueType(), nil)}, nil
}

func (g *guard) replaces(*Walk) bool { return true }

func (g *guard) refreshes(*Walk) bool { return true }

func (g *guard) plan(w *Walk) (refused string, err error) {
	g.config = w.config(nil)
	g.planned, refused, err = g.planConfig(g.config)
	return refused, err
}

// apply takes the operations in some order that the graph allows, and records
// what has been planned once all have succeeded.
func (g *guard) apply(w *Walk, operations []platform.Operation) (refused string, err error) {
	if w.running() != nil && w.replaced() {
		delete(w.world.Clusters, w.cluster(w.made))
	}
	w.made = w.declared.Generation
	if w.running() == nil {
		if err := w.world.Do(w.graph.Kind, w.cluster(w.made), platform.Operation{Action: platform.Create, Target: platform.ClusterTarget}); err != nil {
			return "", err
		}
	}
	todo, failed := slices.Clone(operations), []platform.Operation(nil)
	for len(todo) > 0 {
		var ready []int
		for i, o := range todo {
			blocked := func(first platform.Operation) bool { return first != o && w.graph.Waits(first, o) }
			if !slices.ContainsFunc(todo, blocked) && !slices.ContainsFunc(failed, blocked) {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			break
		}
		i := ready[w.random.IntN(len(ready))]
		if err := w.world.Do(w.graph.Kind, w.cluster(w.made), todo[i]); err != nil {
			failed = append(failed, todo[i])
		}
		todo = slices.Delete(todo, i, i+1)
	}
	if len(failed) > 0 {
		return "", nil
	}
	return g.record(w.config(g.config), g.planned)
}

// planConfig plans the guard and returns what has to be given to record.
func (g *guard) planConfig(config object) (planned *tfprotov6.DynamicValue, refused string, err error) {
	t := g.schema.ValueType()
	configured, err := dynamic(t, config)
	if err != nil {
		return nil, "", err
	}
	proposed := maps.Clone(config)
	proposed["id"] = unknown
	if !g.state.IsNull() {
		attributes := map[string]tftypes.Value{}
		if err := g.state.As(&attributes); err != nil {
			return nil, "", err
		}
		proposed["id"] = attributes["id"]
	}
	for _, a := range g.schema.Block.Attributes {
		if a.WriteOnly { // the CLI proposes null for it
			delete(proposed, a.Name)
		}
	}
	proposal, err := dynamic(t, proposed)
	if err != nil {
		return nil, "", err
	}
	prior, err := tfprotov6.NewDynamicValue(t, g.state)
	if err != nil {
		return nil, "", err
	}
	resp, err := g.server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: resourceType, Config: configured, ProposedNewState: proposal, PriorState: &prior,
	})
	if err != nil {
		return nil, "", err
	}
	return resp.PlannedState, toldErrors(resp.Diagnostics), nil
}

// record applies what has been planned.
func (g *guard) record(config object, planned *tfprotov6.DynamicValue) (refused string, err error) {
	t := g.schema.ValueType()
	configured, err := dynamic(t, config)
	if err != nil {
		return "", err
	}
	prior, err := tfprotov6.NewDynamicValue(t, g.state)
	if err != nil {
		return "", err
	}
	// What was unknown in the plan is known by now, and otherwise as planned.
	value, err := planned.Unmarshal(t)
	if err != nil {
		return "", err
	}
	attributes := map[string]tftypes.Value{}
	if err := value.As(&attributes); err != nil {
		return "", err
	}
	known := tfvalue.Fields(tfvalue.Of(t, config))
	for _, a := range g.schema.Block.Attributes {
		if !attributes[a.Name].IsFullyKnown() && !a.Computed {
			attributes[a.Name] = known[a.Name]
		}
	}
	final, err := tfprotov6.NewDynamicValue(t, tftypes.NewValue(t, attributes))
	if err != nil {
		return "", err
	}
	resp, err := g.server.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: resourceType, Config: configured, PlannedState: &final, PriorState: &prior,
	})
	if err != nil {
		return "", err
	}
	if refused := toldErrors(resp.Diagnostics); refused != "" {
		return refused, nil
	}
	g.state, err = resp.NewState.Unmarshal(t)
	return "", err
}

// toldErrors is what the errors say.
func toldErrors(diagnostics []*tfprotov6.Diagnostic) string {
	var errors []string
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errors = append(errors, d.Summary+"\n"+d.Detail)
		}
	}
	return strings.Join(errors, "\n")
}

// config is the guard file of a module, evaluated: what it says in the plan of
// what is declared, beside what runs. observe wires observed to what runs, as the
// data sources of the guides do. In the apply of a plan, everything is known, and
// data sources say what they said in the plan.
func (w *Walk) config(planned object) object {
	applied := planned != nil
	g, d := w.graph, w.graph.resolved(w.declared)
	running := w.running()
	if w.replaced() && !applied {
		running = nil
	}
	pools := object{}
	for name, version := range d.Pools {
		here, there := "", false
		if running != nil {
			here, there = running.Pools[name]
		}
		switch {
		case g.immutable && there && (w.observe || applied):
			pools[name] = object{"kubelet": here} // it stays as it was made
		case version != "":
			pools[name] = object{"kubelet": version}
		case there: // the platform decided when it was made
			pools[name] = object{"kubelet": here}
		default:
			pools[name] = object{"kubelet": unknown}
		}
	}
	config := object{"policy": string(g.Kind), "node_pools": pools, "enforcement_level": nothing(w.level)}
	if g.managed() {
		version := d.ControlPlane[platform.Managed]
		if g.Kind == platform.GKE && w.observe && running != nil && platform.Newer(running.ControlPlane[platform.Managed], version) {
			version = running.ControlPlane[platform.Managed] // the argument is a floor
		}
		config["control_plane_version"] = version
	} else {
		instances := object{}
		for name, version := range d.ControlPlane {
			if g.immutable && running != nil && w.observe {
				if here, there := running.ControlPlane[name]; there {
					version = here
				}
			}
			instances[name] = object{"version": version, "kubelet": version}
		}
		config["control_plane"], config["apiserver_endpoint"] = instances, "local"
	}
	if g.kubeProxy {
		config["kube_proxy"] = nothing(d.KubeProxy)
	}
	config["apply_order"] = g.Order
	if g.Says != "" {
		config["apply_order"] = g.Says
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

// observed is what data sources tell of a cluster.
func (w *Walk) observed(c platform.Cluster) object {
	pools := object{}
	for name, version := range c.Pools {
		pools[name] = object{"kubelet": version}
	}
	observed := object{"node_pools": pools}
	if w.graph.managed() {
		observed["control_plane_version"] = nothing(c.ControlPlane[platform.Managed])
	} else {
		instances := object{}
		for name, version := range c.ControlPlane {
			instances[name] = object{"version": version, "kubelet": version}
		}
		observed["control_plane"], observed["apiserver_endpoint"] = instances, "local"
	}
	if c.KubeProxy != "" {
		observed["kube_proxy"] = c.KubeProxy
	}
	return observed
}

// nothing is null for an empty version.
func nothing(version string) any {
	if version == "" {
		return nil
	}
	return version
}

func dynamic(t tftypes.Type, v any) (*tfprotov6.DynamicValue, error) {
	d, err := tfprotov6.NewDynamicValue(t, tfvalue.Of(t, v))
	return &d, err
}
