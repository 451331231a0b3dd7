// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"pgregory.net/rapid"
)

// words lists possible strings by attribute. All other attributes are versions. Some
// random strings come from junk instead.
var (
	words = map[string][]string{
		"apiserver_endpoint": {"shared", "local"}, "apply_order": {"control_plane_first", "node_pools_first", "unordered", "any"}, "cluster_id": {"a", "b"}, "match_policy": {"Equivalent", "Exact"}, "policy": {"kubernetes", "eks", "openshift", `{"extends":"aks"}`},
		"extends": {"kubernetes", "gke"}, "enforcement_level": {"mandatory", "advisory"}, "strategy": {"fewest_rollouts", "follow"},
		"as_of": {"2024-09-15", "2026-11-20", "0001-01-01"}, "expires": {"2024-09-14", "2028-02-29", "1800-01-01"}, "rule": {"kubelet-apiserver", "kube-apiserver-step"},
		"reason": {"because"}, "locations": {`node_pools["a"]`}, "scope": {"cluster", "endpoint", "node"}, "severity": {"error", "warning", "info"},
		"subject": {"kubelet"}, "reference": {"kube-apiserver"}, "component": {"kubelet", "istiod"}, "disabled_rules": {"kubectl-apiserver"},
		"release_date": {"2026-12-16"}, "maintenance_start": {"2027-12-28"}, "end_of_life": {"2028-02-28"},
	}
	versions = []string{"1.31", "1.30", "1.29.3", "v1.31.2-eks-7f9249a", "1.32.0-rc.1", "1.28", "1.25", "1.24.17"}
	junk     = []string{"", "latest", "1.x", "2.0", "1.999999999", "{", "{}", "2026-02-30", ">= 1.30", "< banana"}
)

// draw returns a random value for an attribute, with null and unknown values at any
// depth.
func draw(t *rapid.T, name string, typ tftypes.Type, unknowns bool) tftypes.Value {
	switch {
	case rapid.Bool().Draw(t, "null"):
		return tftypes.NewValue(typ, nil)
	case unknowns && rarely(t, "unknown"):
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	return drawSome(t, name, typ, unknowns)
}

// rarely is true once in sixteen times. It draws bools, because rapid prefers the ends of
// a range of numbers.
func rarely(t *rapid.T, what string) bool {
	for range 4 {
		if !rapid.Bool().Draw(t, what) {
			return false
		}
	}
	return true
}

// drawSome returns a random value that is neither null nor unknown at the top.
func drawSome(t *rapid.T, name string, typ tftypes.Type, unknowns bool) tftypes.Value {
	element := func(of tftypes.Type) tftypes.Value {
		if rarely(t, "no element") {
			return draw(t, name, of, unknowns)
		}
		return drawSome(t, name, of, unknowns)
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		fields := map[string]tftypes.Value{}
		for _, field := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
			if field == "control_plane_version" || field == "target_version" {
				// Without these, there is little to check.
				fields[field] = drawSome(t, field, typ.AttributeTypes[field], unknowns)
				continue
			}
			fields[field] = draw(t, field, typ.AttributeTypes[field], unknowns)
		}
		if controlPlane, ok := fields["control_plane"]; ok && !rarely(t, "both") {
			fields["control_plane"] = tftypes.NewValue(controlPlane.Type(), nil)
		}
		return tftypes.NewValue(typ, fields)
	case tftypes.Map:
		elements := map[string]tftypes.Value{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			key := rapid.SampledFrom([]string{"a", "b", "kubelet", "kubelet-apiserver", "1.38"}).Draw(t, "key")
			elements[key] = element(typ.ElementType)
		}
		return tftypes.NewValue(typ, elements)
	case tftypes.List:
		elements := []tftypes.Value{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			elements = append(elements, element(typ.ElementType))
		}
		return tftypes.NewValue(typ, elements)
	}
	switch {
	case typ.Is(tftypes.Bool):
		return tftypes.NewValue(typ, rapid.Bool().Draw(t, "bool"))
	case typ.Is(tftypes.Number):
		return tftypes.NewValue(typ, rapid.IntRange(-1, 5).Draw(t, "number"))
	}
	from := words[name]
	if from == nil {
		from = versions
	}
	if rarely(t, "junk") {
		from = junk
	}
	return tftypes.NewValue(typ, rapid.SampledFrom(from).Draw(t, name))
}

// resolve replaces unknown values by known ones, as an apply does. It may modify v.
func resolve(t *rapid.T, name string, v tftypes.Value) tftypes.Value {
	switch typ := v.Type().(type) {
	case tftypes.Object:
		if tfvalue.IsSet(v) {
			fields := tfvalue.Fields(v)
			for _, field := range slices.Sorted(maps.Keys(fields)) {
				fields[field] = resolve(t, field, fields[field])
			}
			return tftypes.NewValue(typ, fields)
		}
	case tftypes.Map:
		if tfvalue.IsSet(v) {
			elements := tfvalue.Fields(v)
			for _, key := range slices.Sorted(maps.Keys(elements)) {
				elements[key] = resolve(t, name, elements[key])
			}
			return tftypes.NewValue(typ, elements)
		}
	case tftypes.List:
		if tfvalue.IsSet(v) {
			elements := tfvalue.Elements(v)
			for i := range elements {
				elements[i] = resolve(t, name, elements[i])
			}
			return tftypes.NewValue(typ, elements)
		}
	}
	if v.IsKnown() {
		return v
	}
	return draw(t, name, v.Type(), false)
}
