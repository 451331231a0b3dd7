// SPDX-License-Identifier: MPL-2.0

// Package engines holds the rules on kubelet and kube-proxy for general policy
// engines, to be measured against this project's own on the same clusters.
package engines

import (
	"context"
	"fmt"
	"regexp"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Node is a node with the versions of what runs on it, as they are declared.
type Node struct {
	Name, Kubelet, KubeProxy string
}

// Cluster is what all engines judge: from strings on, as they are declared.
type Cluster struct {
	APIServer string
	Nodes     []Node
}

// An Engine tells at how many nodes each rule is broken, by the id of the rule.
type Engine func(Cluster) (map[string]int, error)

// Skew is the engine of this project.
func Skew() (Engine, error) {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		return nil, err
	}
	return func(c Cluster) (map[string]int, error) {
		cluster, err := clusterOf(c)
		if err != nil {
			return nil, err
		}
		counts := map[string]int{}
		for _, f := range skew.Evaluate(p, cluster) {
			counts[f.RuleID] += len(f.Subject.Locations)
		}
		return counts, nil
	}, nil
}

// clusterOf reads what runs on nodes once for all that run the same.
func clusterOf(c Cluster) (skew.Cluster, error) {
	apiServer, err := version.Parse(c.APIServer)
	if err != nil {
		return skew.Cluster{}, err
	}
	cluster := skew.Cluster{Places: make([]skew.Place, 0, 1+len(c.Nodes))}
	cluster.Places = append(cluster.Places, skew.Place{
		Location:  finding.AtKey(finding.ControlPlane, "cp"),
		Instances: []skew.Instance{{Component: "kube-apiserver", Version: apiServer}},
	})
	type versions struct{ kubelet, kubeProxy string }
	read := map[versions][]skew.Instance{}
	for _, n := range c.Nodes {
		declared := versions{n.Kubelet, n.KubeProxy}
		instances, known := read[declared]
		if !known {
			kubelet, err := version.Parse(n.Kubelet)
			if err != nil {
				return skew.Cluster{}, err
			}
			kubeProxy, err := version.Parse(n.KubeProxy)
			if err != nil {
				return skew.Cluster{}, err
			}
			instances = []skew.Instance{{Component: "kubelet", Version: kubelet}, {Component: "kube-proxy", Version: kubeProxy}}
			read[declared] = instances
		}
		cluster.Places = append(cluster.Places, skew.Place{Location: finding.AtKey(finding.NodePools, n.Name), Instances: instances})
	}
	return cluster, nil
}

// module states the three rules on what runs on a node. Its first part is
// written the plain way, over the nodes; the second over distinct versions,
// which an author does who knows what the first one costs.
const module = `package skew

import rego.v1

minor(v) := to_number(split(trim_prefix(v, "v"), ".")[1])

older(v) := 3 if minor(v) >= 25

older(v) := 2 if minor(v) < 25

beside_server(v) if minor(v) > minor(input.api_server)

beside_server(v) if minor(input.api_server) - minor(v) > older(v)

plain["kubelet-apiserver"] contains n.name if {
	some n in input.nodes
	beside_server(n.kubelet)
}

plain["kube-proxy-apiserver"] contains n.name if {
	some n in input.nodes
	beside_server(n.kube_proxy)
}

plain["kube-proxy-kubelet"] contains n.name if {
	some n in input.nodes
	abs(minor(n.kube_proxy) - minor(n.kubelet)) > older(n.kube_proxy)
}

versions := {n.kubelet | some n in input.nodes} | {n.kube_proxy | some n in input.nodes}

broken := {v | some v in versions; beside_server(v)}

pairs := {[n.kube_proxy, n.kubelet] | some n in input.nodes}

apart := {p | some p in pairs; abs(minor(p[0]) - minor(p[1])) > older(p[0])}

distinct["kubelet-apiserver"] contains n.name if {
	some n in input.nodes
	n.kubelet in broken
}

distinct["kube-proxy-apiserver"] contains n.name if {
	some n in input.nodes
	n.kube_proxy in broken
}

distinct["kube-proxy-kubelet"] contains n.name if {
	some n in input.nodes
	[n.kube_proxy, n.kubelet] in apart
}
`

// OPA is Open Policy Agent with a prepared query; variant is "plain" or
// "distinct".
func OPA(ctx context.Context, variant string) (Engine, error) {
	query, err := rego.New(rego.Query("data.skew."+variant), rego.Module("skew.rego", module)).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	return func(c Cluster) (map[string]int, error) {
		nodes := make([]any, len(c.Nodes))
		for i, n := range c.Nodes {
			nodes[i] = map[string]any{"name": n.Name, "kubelet": n.Kubelet, "kube_proxy": n.KubeProxy}
		}
		results, err := query.Eval(ctx, rego.EvalInput(map[string]any{"api_server": c.APIServer, "nodes": nodes}))
		if err != nil {
			return nil, err
		}
		counts := map[string]int{}
		rules, ok := results[0].Expressions[0].Value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the policy returned %T", results[0].Expressions[0].Value)
		}
		for id, names := range rules {
			if list, ok := names.([]any); ok && len(list) > 0 {
				counts[id] = len(list)
			}
		}
		return counts, nil
	}, nil
}

// expressions are the three rules in the Common Expression Language, to be asked
// of each node.
var expressions = map[string]string{
	"kubelet-apiserver":    `minor(kubelet) > minor(server) || minor(server) - minor(kubelet) > (minor(kubelet) < 25 ? 2 : 3)`,
	"kube-proxy-apiserver": `minor(proxy) > minor(server) || minor(server) - minor(proxy) > (minor(proxy) < 25 ? 2 : 3)`,
	"kube-proxy-kubelet":   `math.abs(minor(proxy) - minor(kubelet)) > (minor(proxy) < 25 ? 2 : 3)`,
}

// minorOf writes out what expressions abbreviate.
var minorOf = regexp.MustCompile(`minor\((\w+)\)`)

// CEL is the Common Expression Language, an expression a rule and node.
func CEL() (Engine, error) {
	env, err := cel.NewEnv(ext.Strings(), ext.Math(),
		cel.Variable("server", cel.StringType), cel.Variable("kubelet", cel.StringType), cel.Variable("proxy", cel.StringType))
	if err != nil {
		return nil, err
	}
	programs := map[string]cel.Program{}
	for id, expression := range expressions {
		ast, issues := env.Compile(minorOf.ReplaceAllString(expression, `int($1.split(".")[1])`))
		if issues.Err() != nil {
			return nil, issues.Err()
		}
		if programs[id], err = env.Program(ast, cel.EvalOptions(cel.OptOptimize)); err != nil {
			return nil, err
		}
	}
	return func(c Cluster) (map[string]int, error) {
		counts := map[string]int{}
		for _, n := range c.Nodes {
			node := map[string]any{"server": c.APIServer, "kubelet": n.Kubelet, "proxy": n.KubeProxy}
			for id, program := range programs {
				broken, _, err := program.Eval(node)
				if err != nil {
					return nil, err
				}
				if broken.Value() == true {
					counts[id]++
				}
			}
		}
		return counts, nil
	}, nil
}
