// SPDX-License-Identifier: MPL-2.0

package growth

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

type object = map[string]any

// inputs are inputs that users, or those who send them a policy or a list of versions, can
// let grow without limit. SECURITY.md promises that time and memory grow about linearly
// with each.
var inputs = []struct {
	name string
	// n is the size of the smaller of the two inputs that are compared.
	n int
	// read is the data source to read. If it is empty, a versionskew_validation is planned.
	read   string
	config func(n int) object
}{
	{"control-plane-minors", 30, "", func(n int) object { return controlPlaneMinors(n, 0) }},
	{"control-plane-minors-step", 30, "", func(n int) object { return with(controlPlaneMinors(n, 1), "observed", controlPlaneMinors(n, 0)) }},
	{"control-plane-minors-evaluated", 30, readEvaluation, func(n int) object { return controlPlaneMinors(n, 0) }},
	{"control-plane-minors-planned", 30, readPlan, func(n int) object { return with(controlPlaneMinors(n, 0), "target_version", fmt.Sprintf("1.%d", 10+n)) }},
	{"control-plane-patches", 250, "", controlPlanePatches},
	{"control-plane-patches-step", 250, "", func(n int) object {
		before := keyed(n, func(i int) any { return object{"version": fmt.Sprintf("1.30.%d", i)} })
		return with(controlPlanePatches(n), "observed", object{"control_plane": before})
	}},
	{"control-plane-patches-evaluated", 250, readEvaluation, controlPlanePatches},
	{"control-plane-patches-planned", 250, readPlan, func(n int) object { return with(controlPlanePatches(n), "target_version", "1.32") }},
	{"too-new-pools", 2_500, "", tooNew},
	{"too-new-pools-evaluated", 1_000, readEvaluation, tooNew},
	{"conditions", 30, "", func(n int) object {
		conditions := listed(n, func(i int) any { return object{"subject": fmt.Sprintf("= 1.%d.7", i), "max_older": 2} })
		return object{
			"control_plane_version": "1.31.2",
			"node_pools":            keyed(50, func(i int) any { return object{"kubelet": fmt.Sprintf("1.%d.%d", 20+i%15, i)} }),
			"policy":                policyOf(object{"skew_rules": object{"kubelet-apiserver": object{"conditions": conditions}}}),
		}
	}},
	{"components", 250, "", components},
	{"components-evaluated", 250, readEvaluation, components},
	{"waivers", 1_000, "", func(n int) object {
		c := pools(n, func(int) string { return "1.27.3" })
		c["waivers"] = keyed(n, func(i int) any {
			return object{"rule": "kubelet-apiserver", "reason": "known", "locations": []any{fmt.Sprintf(`node_pools["%s"]`, key(i))}}
		})
		return c
	}},
	{"waivers-everywhere", 1_000, "", func(n int) object {
		c := pools(n, func(i int) string { return fmt.Sprintf("1.27.%d", i) })
		c["waivers"] = keyed(n, func(int) any { return object{"rule": "kubelet-apiserver", "reason": "known"} })
		return c
	}},
	{"unmatched-waivers", 1_000, "", func(n int) object {
		c := pools(n, func(int) string { return "1.31.2" })
		c["waivers"] = keyed(n, func(i int) any {
			return object{"rule": "kubelet-apiserver", "reason": "known", "locations": []any{fmt.Sprintf(`node_pools["other-%s"]`, key(i))}}
		})
		return c
	}},
	{"rules", 250, "", func(n int) object {
		rules := object{}
		for i := range n {
			rules[key(i)] = object{"subject": "kubelet", "reference": "kube-apiserver", "scope": "endpoint", "max_newer": 0, "max_older": 1}
		}
		c := pools(50, func(i int) string { return fmt.Sprintf("1.%d.%d", 20+i%15, i) })
		c["policy"] = policyOf(object{"skew_rules": rules})
		return c
	}},
	{"constraint-terms", 100, "", func(n int) object {
		terms := make([]string, n)
		for i := range terms {
			terms[i] = fmt.Sprintf("!= 1.%d.7", i)
		}
		c := pools(50, func(i int) string { return fmt.Sprintf("1.%d.%d", 20+i%15, i) })
		c["policy"] = policyOf(object{"requirement_rules": object{"r": object{
			"when": object{"component": "kubelet", "version": ">= 1.20"}, "require": object{"component": "kube-apiserver", "version": strings.Join(terms, ", ")},
		}}})
		return c
	}},
	{"clients", 1_000, "", func(n int) object {
		return object{"control_plane_version": "1.31.2", "kubectl": listed(n, func(i int) any { return fmt.Sprintf("1.%d", 40+i) })}
	}},
	{"webhooks", 1_000, "", func(n int) object {
		return object{
			"control_plane_version": "1.31.2", "observed": object{"control_plane_version": "1.30.2"},
			"admission_webhooks": keyed(n, func(int) any { return object{"match_policy": "Exact"} }),
		}
	}},
	{"moving-pools", 1_000, "", func(n int) object {
		c := pools(n, func(i int) string { return fmt.Sprintf("1.%d.1", 40+i) })
		c["observed"] = pools(n, func(i int) string { return fmt.Sprintf("1.%d.1", 38+i) })
		return c
	}},
	{"components-of-many-minors", 200, "", func(n int) object { return related(n, "d") }},
	{"components-of-many-minors-evaluated", 200, readEvaluation, func(n int) object { return related(n, "d") }},
	{"component-of-many-minors", 200, "", func(n int) object { return related(n, "c") }},
	{"related-pools", 200, "", func(n int) object {
		c := pools(n, func(i int) string { return fmt.Sprintf("1.%d.1", 10+i) })
		c["policy"] = policyOf(object{"skew_rules": object{"related": rule("kubelet", "kubelet")}})
		return c
	}},
	{"cluster-wide-kube-proxy", 1_000, "", func(n int) object {
		c := pools(n, func(i int) string { return fmt.Sprintf("1.%d.%d", 24+i%9, i) })
		c["kube_proxy"] = "1.28.1"
		return c
	}},
	{"requirements", 250, readEvaluation, func(n int) object {
		rules := object{}
		for i := range n {
			rules[key(i)] = object{
				"when": object{"component": "kube-apiserver", "version": ">= 1.20"}, "require": object{"component": "c", "version": fmt.Sprintf(">= 1.%d", 21+i)},
			}
		}
		return object{"control_plane_version": "1.31.2", "components": object{"c": []any{"1.20.3"}}, "policy": policyOf(object{"requirement_rules": rules})}
	}},
	{"offered-versions", 5_000, "", func(n int) object {
		c := pools(n/5, func(i int) string { return fmt.Sprintf("1.%d.%d", 29+i%3, i) })
		c["observed"] = pools(n/5, func(i int) string { return fmt.Sprintf("1.%d.%d", 28+i%3, i) })
		c["available_node_versions"] = listed(n, func(i int) any { return fmt.Sprintf("1.%d.%d", 20+i%15, n+i) })
		return c
	}},
	{"unknown-waivers", 250, "", func(n int) object {
		c := components(n)
		c["waivers"] = keyed(n, func(i int) any {
			return object{"rule": tftypes.UnknownValue, "reason": "known", "locations": []any{fmt.Sprintf(`components["c-%s"]`, key(i))}}
		})
		return c
	}},
	{"step-of-pools-evaluated", 1_000, readEvaluation, func(n int) object {
		c := pools(n, func(i int) string { return fmt.Sprintf("1.%d.%d", 28+i%4, i) })
		c["observed"] = pools(n, func(i int) string { return fmt.Sprintf("1.%d.%d", 27+i%4, i) })
		return c
	}},
	{"limits-planned", 1_000, readPlan, func(n int) object {
		c := pools(n, func(i int) string { return fmt.Sprintf("1.%d.%d", 28+i%4, i) })
		c["target_version"] = "1.34"
		c["max_node_pool_versions"] = keyed(n, func(i int) any { return fmt.Sprintf("1.%d", 32+i%3) })
		return c
	}},
	{"offered-versions-planned", 1_000, readPlan, func(n int) object {
		c := pools(n, func(i int) string { return fmt.Sprintf("1.%d.%d", 28+i%4, i) })
		c["target_version"] = "1.34"
		offered := listed(n, func(i int) any { return fmt.Sprintf("1.%d.%d", 28+i%8, i) })
		c["available_versions"], c["available_node_versions"] = offered, offered
		return c
	}},
	{"long-version", 50_000, "", func(n int) object {
		return object{"control_plane_version": "1.31.2", "node_pools": object{"a": object{"kubelet": "1.31.2-" + strings.Repeat("x", n)}}}
	}},
	{"long-location", 50_000, "", func(n int) object {
		c := pools(50, func(int) string { return "1.31.2" })
		c["waivers"] = object{"w": object{"rule": "kubelet-apiserver", "reason": "known", "locations": []any{strings.Repeat("x", n)}}}
		return c
	}},
	{"long-rule", 5_000, "", func(n int) object {
		return object{
			"control_plane_version": "1.31.2",
			"policy":                policyOf(object{"skew_rules": object{strings.Repeat("x", n): object{"max_older": 1}}}),
		}
	}},
	{"long-waiver-rule", 5_000, "", func(n int) object {
		return object{"control_plane_version": "1.31.2", "waivers": object{"w": object{"rule": strings.Repeat("x", n), "reason": "known"}}}
	}},
}

const (
	readEvaluation = "versionskew_evaluation"
	readPlan       = "versionskew_upgrade_plan"
)

// controlPlaneMinors returns n control-plane instances, each with another minor.
func controlPlaneMinors(n, newer int) object {
	return object{"control_plane": keyed(n, func(i int) any { return object{"version": fmt.Sprintf("1.%d", 10+i+newer)} })}
}

// controlPlanePatches returns n control-plane instances of two minors, each with another patch.
func controlPlanePatches(n int) object {
	return object{"control_plane": keyed(n, func(i int) any { return object{"version": fmt.Sprintf("1.%d.%d", 30+i%2, i)} })}
}

func with(o object, name string, value any) object {
	o[name] = value
	return o
}

func tooNew(n int) object {
	return pools(n, func(i int) string { return fmt.Sprintf("1.%d", 32+i) })
}

// components returns n components, each of which violates a rule of its own.
func components(n int) object {
	rules, versions := object{}, object{}
	for i := range n {
		rules[key(i)] = object{"subject": "c-" + key(i), "reference": "kube-apiserver", "scope": "cluster", "max_newer": 0, "max_older": 1}
		versions["c-"+key(i)] = []any{"1.20.3"}
	}
	return object{"control_plane_version": "1.31.2", "components": versions, "policy": policyOf(object{"skew_rules": rules})}
}

// related returns n versions of the component "c", and as many of another one, each of another
// minor, with a rule between the two.
func related(n int, reference string) object {
	versions := listed(n, func(i int) any { return fmt.Sprintf("1.%d.3", i) })
	return object{
		"control_plane_version": "1.31.2", "components": object{"c": versions, reference: versions},
		"policy": policyOf(object{"skew_rules": object{"related": rule("c", reference)}}),
	}
}

// rule returns a rule over all instances of two components, which may be one minor apart.
func rule(subject, reference string) object {
	return object{"subject": subject, "reference": reference, "scope": "cluster", "max_newer": 1, "max_older": 1}
}

func pools(n int, kubelet func(i int) string) object {
	return object{"control_plane_version": "1.31.2", "node_pools": keyed(n, func(i int) any { return object{"kubelet": kubelet(i)} })}
}

func policyOf(changes object) string {
	changes["extends"] = "kubernetes"
	text, err := json.Marshal(changes)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func key(i int) string { return fmt.Sprintf("k%06d", i) }

func keyed(n int, element func(i int) any) object {
	all := object{}
	for i := range n {
		all[key(i)] = element(i)
	}
	return all
}

func listed(n int, element func(i int) any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = element(i)
	}
	return all
}

// BenchmarkInputs calls the provider through the plugin protocol, as a CLI does. Its metric
// "growth" is how much longer the larger input takes than one of half its size.
func BenchmarkInputs(b *testing.B) {
	ctx := context.Background()
	server := provider.NewServer("benchmark")()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		b.Fatal(err)
	}
	dynamic := func(schema *tfprotov6.Schema, o object) *tfprotov6.DynamicValue {
		v := tfvalue.Of(schema.ValueType(), o)
		if o == nil {
			v = tftypes.NewValue(schema.ValueType(), nil)
		}
		d, err := tfprotov6.NewDynamicValue(v.Type(), v)
		if err != nil {
			b.Fatal(err)
		}
		return &d
	}
	if _, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: dynamic(schemas.Provider, object{})}); err != nil {
		b.Fatal(err)
	}
	for _, input := range inputs {
		var smaller float64
		for _, n := range []int{input.n, 2 * input.n} {
			b.Run(fmt.Sprintf("%s=%d", input.name, n), func(b *testing.B) {
				config := input.config(n)
				b.ReportAllocs()
				if input.read != "" {
					schema := schemas.DataSourceSchemas[input.read]
					req := &tfprotov6.ReadDataSourceRequest{TypeName: input.read, Config: dynamic(schema, config)}
					for b.Loop() {
						if _, err := server.ReadDataSource(ctx, req); err != nil {
							b.Fatal(err)
						}
					}
				} else {
					schema := schemas.ResourceSchemas["versionskew_validation"]
					proposed := maps.Clone(config)
					proposed["id"] = tftypes.UnknownValue
					delete(proposed, "observed") // write-only
					req := &tfprotov6.PlanResourceChangeRequest{
						TypeName: "versionskew_validation", Config: dynamic(schema, config), ProposedNewState: dynamic(schema, proposed), PriorState: dynamic(schema, nil),
					}
					for b.Loop() {
						if _, err := server.PlanResourceChange(ctx, req); err != nil {
							b.Fatal(err)
						}
					}
				}
				each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				if smaller > 0 {
					b.ReportMetric(each/smaller, "growth")
				}
				smaller = each
			})
		}
	}
}
