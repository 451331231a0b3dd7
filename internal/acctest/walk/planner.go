// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// Request contains the arguments of a versionskew_upgrade_plan, except for the cluster.
type Request struct {
	Target    string
	Strategy  string
	Available []string // any version if nil
	Held      []string
	// Limits contains the newest minors that node pools may get, by pool.
	Limits map[string]string
	// WholeMachines declares all components on each control-plane machine, which move
	// together, and not only its API server.
	WholeMachines bool
}

// Plan contains the outputs of a versionskew_upgrade_plan.
type Plan struct {
	Feasible bool
	Findings []any
	Warnings []string
	Stages   []Stage
	Applies  int
	// Next contains the versions to declare for the first stage, or nil if next is null.
	Next *Declared
}

// Stage is a stage of an upgrade plan.
type Stage struct {
	Kind, To  string
	Locations []string
	Apply     int
}

const planType = "versionskew_upgrade_plan"

// planner reads versionskew_upgrade_plan over the protocol, without a CLI.
type planner struct {
	server tfprotov6.ProviderServer
	schema *tfprotov6.Schema
}

func newPlanner() (*planner, error) {
	server, schemas, err := newServer()
	if err != nil {
		return nil, err
	}
	return &planner{server, schemas.DataSourceSchemas[planType]}, nil
}

// read plans an upgrade of the running cluster. errors is the text of the error
// diagnostics, or "".
func (p *planner) read(g Graph, running platform.Cluster, r Request) (plan Plan, errors string, err error) {
	config := dynamic(p.schema.ValueType(), g.planConfig(running, r))
	resp, err := p.server.ReadDataSource(context.Background(), &tfprotov6.ReadDataSourceRequest{TypeName: planType, Config: config})
	if err != nil {
		return plan, "", err
	}
	if errors := errorText(resp.Diagnostics); errors != "" {
		return plan, errors, nil
	}
	for _, d := range resp.Diagnostics {
		plan.Warnings = append(plan.Warnings, d.Summary+"\n"+d.Detail)
	}
	state, err := resp.State.Unmarshal(p.schema.ValueType())
	if err != nil {
		return plan, "", err
	}
	text, err := json.Marshal(tfvalue.Plain(state))
	if err != nil {
		return plan, "", err
	}
	return plan, "", json.Unmarshal(text, &plan)
}

// planConfig returns the arguments of the upgrade plan. For control-plane machines, it
// declares only the API servers by default: everything else on a machine moves together
// with its API server, so a plan for the API servers is also one for the machines.
func (g Graph) planConfig(running platform.Cluster, r Request) object {
	config := clusterConfig(g, running.ControlPlane, running.Pools)
	maps.Copy(config, object{
		"policy": string(g.Kind), "kube_proxy": nullIfEmpty(running.KubeProxy),
		"target_version": r.Target, "strategy": r.Strategy, "available_versions": r.Available, "held_node_pools": r.Held,
		"max_node_pool_versions": r.Limits,
	})
	if !g.Managed() && !r.WholeMachines {
		config["control_plane"] = nested(running.ControlPlane, "kube_apiserver")
	}
	return config
}

// UnmarshalJSON reads the output next.
func (d *Declared) UnmarshalJSON(text []byte) error {
	var next struct {
		ControlPlaneVersion string                       `json:"control_plane_version"`
		ControlPlane        map[string]map[string]string `json:"control_plane"`
		NodePools           map[string]map[string]string `json:"node_pools"`
		KubeProxy           string                       `json:"kube_proxy"`
	}
	if err := json.Unmarshal(text, &next); err != nil {
		return err
	}
	*d = Declared{ControlPlane: map[string]string{}, Pools: map[string]string{}, KubeProxy: next.KubeProxy, Generation: 1}
	for name, components := range next.ControlPlane {
		d.ControlPlane[name] = components["kube_apiserver"]
	}
	if next.ControlPlaneVersion != "" {
		d.ControlPlane[platform.Managed] = next.ControlPlaneVersion
	}
	for name, components := range next.NodePools {
		d.Pools[name] = components["kubelet"]
	}
	return nil
}

// running returns the cluster after all declared versions have been applied.
func (d Declared) running(before platform.Cluster) platform.Cluster {
	before.ControlPlane, before.Pools, before.KubeProxy = maps.Clone(d.ControlPlane), maps.Clone(d.Pools), d.KubeProxy
	return before
}
