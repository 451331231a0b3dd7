// SPDX-License-Identifier: MPL-2.0

// Package engines implements the rules for kubelet and kube-proxy on general-purpose policy
// engines, to compare their speed with this project on the same clusters.
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

// Node is a node with its declared versions.
type Node struct {
	Name, Kubelet, KubeProxy string
}

// Cluster is the input of all engines. Versions are strings, so that the measurements
// include parsing.
type Cluster struct {
	APIServer string
	Nodes     []Node
}

// An Engine returns the number of nodes that violate each rule, by rule ID.
type Engine func(Cluster) (map[string]int, error)

// Skew returns the engine of this project.
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
		for _, f := range skew.Findings(p, cluster) {
			counts[f.RuleID] += len(f.Subject.Locations)
		}
		return counts, nil
	}, nil
}

// clusterOf converts a cluster. Like the provider, it parses the versions of nodes that run
// the same versions only once.
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
	parsed := map[versions][]skew.Instance{}
	for _, n := range c.Nodes {
		declared := versions{n.Kubelet, n.KubeProxy}
		instances, known := parsed[declared]
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
			parsed[declared] = instances
		}
		cluster.Places = append(cluster.Places, skew.Place{Location: finding.AtKey(finding.NodePools, n.Name), Instances: instances})
	}
	return cluster, nil
}

// module contains the three rules for nodes in Rego, twice: "plain" is the obvious version,
// which checks each node. "distinct" checks each distinct version only once, like an author
// who optimizes the policy would.
const module = `package skew

import rego.v1

minor(v) := to_number(split(trim_prefix(v, "v"), ".")[1])

max_older(v) := 3 if minor(v) >= 25

max_older(v) := 2 if minor(v) < 25

outside_server_limits(v) if minor(v) > minor(input.api_server)

outside_server_limits(v) if minor(input.api_server) - minor(v) > max_older(v)

plain["kubelet-apiserver"] contains n.name if {
	some n in input.nodes
	outside_server_limits(n.kubelet)
}

plain["kube-proxy-apiserver"] contains n.name if {
	some n in input.nodes
	outside_server_limits(n.kube_proxy)
}

plain["kube-proxy-kubelet"] contains n.name if {
	some n in input.nodes
	abs(minor(n.kube_proxy) - minor(n.kubelet)) > max_older(n.kube_proxy)
}

versions := {n.kubelet | some n in input.nodes} | {n.kube_proxy | some n in input.nodes}

broken := {v | some v in versions; outside_server_limits(v)}

pairs := {[n.kube_proxy, n.kubelet] | some n in input.nodes}

apart := {p | some p in pairs; abs(minor(p[0]) - minor(p[1])) > max_older(p[0])}

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

// OPA returns Open Policy Agent with a prepared query. variant is "plain" or "distinct".
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

// expressions contains the three rules for a node in the Common Expression Language. They
// are true if the node violates the rule.
var expressions = map[string]string{
	"kubelet-apiserver":    `minor(kubelet) > minor(server) || minor(server) - minor(kubelet) > (minor(kubelet) < 25 ? 2 : 3)`,
	"kube-proxy-apiserver": `minor(proxy) > minor(server) || minor(server) - minor(proxy) > (minor(proxy) < 25 ? 2 : 3)`,
	"kube-proxy-kubelet":   `math.abs(minor(proxy) - minor(kubelet)) > (minor(proxy) < 25 ? 2 : 3)`,
}

// minorOf matches the shorthand minor(x) in expressions.
var minorOf = regexp.MustCompile(`minor\((\w+)\)`)

// CEL returns the Common Expression Language, which evaluates one expression for each rule
// and node.
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
