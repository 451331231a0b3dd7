// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// Request asks for an upgrade of what runs.
type Request struct {
	Target    string
	Strategy  string
	Available []string // any version if nil
	Held      []string
	// Whole plans for everything on a machine of the control plane, which moves as
	// one, and not for its API server alone.
	Whole bool
}

// Plan is what a versionskew_upgrade_plan says.
type Plan struct {
	Feasible bool
	Findings int
	Warnings []string
	Stages   []Stage
	Applies  int
	// Next is what to declare for the first stage; nil if it is null.
	Next *Declared
}

// Stage is a stage of a plan, as far as versions go.
type Stage struct {
	Kind, To  string
	Locations []string
	Apply     int
}

const planType = "versionskew_upgrade_plan"

// planner is a versionskew_upgrade_plan in a configuration, without a CLI.
type planner struct {
	server tfprotov6.ProviderServer
	schema *tfprotov6.Schema
}

func newPlanner() (*planner, error) {
	server, schemas, err := configured()
	if err != nil {
		return nil, err
	}
	return &planner{server, schemas.DataSourceSchemas[planType]}, nil
}

// read plans the way from what runs. It also returns the errors.
func (p *planner) read(g Graph, running platform.Cluster, r Request) (plan Plan, told string, err error) {
	config, err := dynamic(p.schema.ValueType(), g.planConfig(running, r))
	if err != nil {
		return plan, "", err
	}
	resp, err := p.server.ReadDataSource(context.Background(), &tfprotov6.ReadDataSourceRequest{TypeName: planType, Config: config})
	if err != nil {
		return plan, "", err
	}
	if told := toldErrors(resp.Diagnostics); told != "" {
		return plan, told, nil
	}
	for _, d := range resp.Diagnostics {
		plan.Warnings = append(plan.Warnings, d.Summary+"\n"+d.Detail)
	}
	state, err := resp.State.Unmarshal(p.schema.ValueType())
	if err != nil {
		return plan, "", err
	}
	fields := tfvalue.Fields(state)
	plan.Feasible = tfvalue.Bool(fields["feasible"])
	plan.Findings = len(tfvalue.Elements(fields["findings"]))
	plan.Applies = integer(fields["applies"])
	for _, s := range tfvalue.Elements(fields["stages"]) {
		f := tfvalue.Fields(s)
		stage := Stage{Kind: tfvalue.String(f["kind"]), To: tfvalue.String(f["to"]), Apply: integer(f["apply"])}
		for _, l := range tfvalue.Elements(f["locations"]) {
			stage.Locations = append(stage.Locations, tfvalue.String(l))
		}
		plan.Stages = append(plan.Stages, stage)
	}
	if tfvalue.IsSet(fields["next"]) {
		next := g.declaredBy(fields["next"])
		plan.Next = &next
	}
	return plan, "", nil
}

func integer(v tftypes.Value) int {
	n, _ := tfvalue.Number(v).Int64()
	return int(n)
}

// planConfig asks for a plan. A machine of the control plane takes everything on it
// along with its API server, so that a plan for the API servers is one for the
// machines.
func (g Graph) planConfig(running platform.Cluster, r Request) object {
	pools := object{}
	for name, version := range running.Pools {
		pools[name] = object{"kubelet": version}
	}
	config := object{
		"policy": string(g.Kind), "node_pools": pools, "kube_proxy": nothing(running.KubeProxy),
		"target_version": r.Target, "strategy": r.Strategy, "available_versions": r.Available, "held_node_pools": r.Held,
	}
	if g.managed() {
		config["control_plane_version"] = running.ControlPlane[platform.Managed]
		return config
	}
	instances := object{}
	for name, version := range running.ControlPlane {
		instances[name] = object{"kube_apiserver": version}
		if r.Whole {
			instances[name] = object{"version": version, "kubelet": version}
		}
	}
	config["control_plane"], config["apiserver_endpoint"] = instances, "local"
	return config
}

// declaredBy reads next, which is written in terms of planConfig.
func (g Graph) declaredBy(next tftypes.Value) Declared {
	fields := tfvalue.Fields(next)
	versions := func(attribute, component string) map[string]string {
		all := map[string]string{}
		for name, element := range tfvalue.Fields(fields[attribute]) {
			all[name] = tfvalue.String(tfvalue.Fields(element)[component])
		}
		return all
	}
	d := Declared{ControlPlane: versions("control_plane", "kube_apiserver"), Pools: versions("node_pools", "kubelet"), KubeProxy: tfvalue.String(fields["kube_proxy"]), Generation: 1}
	if g.managed() {
		d.ControlPlane[platform.Managed] = tfvalue.String(fields["control_plane_version"])
	}
	return d
}

// runs is the cluster that runs what is declared.
func (d Declared) runs(before platform.Cluster) platform.Cluster {
	before.ControlPlane, before.Pools, before.KubeProxy = maps.Clone(d.ControlPlane), maps.Clone(d.Pools), d.KubeProxy
	return before
}
