// SPDX-License-Identifier: MPL-2.0

package standin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// dataSources look at what runs, and fail where their providers do.
var dataSources = map[string]func(*platform.World, values) error{
	"aws_eks_clusters": func(w *platform.World, v values) error {
		v.set("names", names(w, platform.EKS))
		return nil
	},
	"aws_eks_cluster": func(w *platform.World, v values) error {
		c, err := cluster(w, v.text("name"))
		if err != nil {
			return err
		}
		v.put("version", c.ControlPlane[platform.Managed])
		return nil
	},
	"aws_eks_node_groups": func(w *platform.World, v values) error {
		c, err := cluster(w, v.text("cluster_name"))
		if err != nil {
			return err
		}
		v.set("names", slices.Sorted(maps.Keys(c.Pools)))
		return nil
	},
	"aws_eks_node_group": func(w *platform.World, v values) error {
		c, err := cluster(w, v.text("cluster_name"))
		if err != nil {
			return err
		}
		if c.Pools[v.text("node_group_name")] == "" {
			return fmt.Errorf("reading EKS Node Group (%s): couldn't find resource", v.text("node_group_name"))
		}
		v.put("version", c.Pools[v.text("node_group_name")])
		return nil
	},
	"aws_eks_addon": func(w *platform.World, v values) error {
		c, err := cluster(w, v.text("cluster_name"))
		if err != nil {
			return err
		}
		if c.KubeProxy == "" {
			return fmt.Errorf("reading EKS Add-On (%s:%s): couldn't find resource", v.text("cluster_name"), v.text("addon_name"))
		}
		v.put("addon_version", c.KubeProxy)
		return nil
	},
	"aws_eks_addon_version": func(_ *platform.World, v values) error {
		v.put("version", "v"+v.text("kubernetes_version")+".4-eksbuild.2")
		return nil
	},
	"google_container_cluster": func(w *platform.World, v values) error {
		c, err := cluster(w, v.text("name"))
		if err != nil {
			return err
		}
		v.put("master_version", c.ControlPlane[platform.Managed])
		var pools []any
		for _, name := range slices.Sorted(maps.Keys(c.Pools)) {
			pools = append(pools, map[string]any{"name": name, "version": c.Pools[name]})
		}
		v["node_pool"] = shaped(v["node_pool"].Type(), pools)
		return nil
	},
	"azapi_resource_list": func(w *platform.World, v values) error {
		var all []any
		for _, name := range names(w, platform.AKS) {
			c := w.Clusters[name]
			var pools []any
			for _, pool := range slices.Sorted(maps.Keys(c.Pools)) {
				pools = append(pools, map[string]any{"name": pool, "currentOrchestratorVersion": c.Pools[pool]})
			}
			all = append(all, map[string]any{"name": name, "properties": map[string]any{
				"currentKubernetesVersion": c.ControlPlane[platform.Managed], "agentPoolProfiles": pools,
			}})
		}
		v["output"] = tree(map[string]any{"value": all})
		return nil
	},
	"kubernetes_nodes": func(w *platform.World, v values) error {
		var all []any
		for _, name := range names(w, platform.Talos, platform.Kubeadm) {
			c := w.Clusters[name]
			node := func(name, version string, labels map[string]any) {
				all = append(all, map[string]any{
					"metadata": []any{map[string]any{"name": name, "labels": labels}},
					"status":   []any{map[string]any{"node_info": []any{map[string]any{"kubelet_version": kubernetes(version), "kube_proxy_version": kubernetes(version)}}}},
				})
			}
			for _, machine := range slices.Sorted(maps.Keys(c.ControlPlane)) {
				node(machine, c.ControlPlane[machine], map[string]any{"node-role.kubernetes.io/control-plane": ""})
			}
			for _, machine := range slices.Sorted(maps.Keys(c.Pools)) {
				node(machine, c.Pools[machine], map[string]any{})
			}
		}
		v["nodes"] = shaped(v["nodes"].Type(), all)
		return nil
	},
	"kubernetes_resources": func(w *platform.World, v values) error {
		var all []any
		for _, name := range names(w, platform.Talos, platform.Kubeadm) {
			c := w.Clusters[name]
			for _, machine := range slices.Sorted(maps.Keys(c.ControlPlane)) {
				all = append(all, map[string]any{
					"metadata": map[string]any{"name": "kube-apiserver-" + machine},
					"spec": map[string]any{
						"nodeName":   machine,
						"containers": []any{map[string]any{"image": "registry.k8s.io/kube-apiserver:" + kubernetes(c.ControlPlane[machine])}},
					},
				})
			}
		}
		v["objects"] = tree(all)
		return nil
	},
	"talos_machine_configuration": func(_ *platform.World, v values) error {
		version := v.either("kubernetes_version", newest)
		v.put("machine_configuration", fmt.Sprintf("machine:\n  type: %s\n  kubelet:\n    image: ghcr.io/siderolabs/kubelet:%s\n", v.text("machine_type"), version))
		return nil
	},
}

// kubernetes is a version as Kubernetes itself tells it.
func kubernetes(version string) string { return "v" + strings.TrimPrefix(version, "v") }

// names lists the clusters of some platforms.
func names(w *platform.World, kinds ...platform.Kind) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(w.Clusters)) {
		if slices.Contains(kinds, w.Clusters[name].Kind) {
			all = append(all, name)
		}
	}
	return all
}

func cluster(w *platform.World, name string) (*platform.Cluster, error) {
	if c := w.Clusters[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("cluster %s was not found", name)
}

// values are the attributes of a resource or data source.
type values map[string]tftypes.Value

// text is an attribute that is a string; empty if it is null or unknown.
func (v values) text(name string) string {
	var s string
	if value := v[name]; value.IsKnown() && !value.IsNull() {
		_ = value.As(&s) // anything but a string has none
	}
	return s
}

func (v values) either(name, fallback string) string {
	if s := v.text(name); s != "" {
		return s
	}
	return fallback
}

func (v values) put(name, s string) { v[name] = tftypes.NewValue(tftypes.String, s) }

func (v values) set(name string, all []string) {
	elements := []tftypes.Value{}
	for _, s := range all {
		elements = append(elements, tftypes.NewValue(tftypes.String, s))
	}
	v[name] = tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, elements)
}

func (v values) list(name string) []string {
	all, _ := untree(v[name]).([]any)
	var out []string
	for _, element := range all {
		if s, ok := element.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// label is a label of a machine.
func (v values) label(key string) string {
	all, _ := untree(v["labels"]).(map[string]any)
	s, _ := all[key].(string)
	return s
}

// nested is a nested block, which goes back into its parent when it changes.
type nested struct {
	values
	parent values
	name   string
	index  int
}

func (v values) blocks(name string) []nested {
	var elements []tftypes.Value
	if err := v[name].As(&elements); err != nil {
		return nil
	}
	var all []nested
	for i, e := range elements {
		inner := map[string]tftypes.Value{}
		if err := e.As(&inner); err == nil {
			all = append(all, nested{inner, v, name, i})
		}
	}
	return all
}

func (b nested) put(name, s string) {
	b.values.put(name, s)
	var elements []tftypes.Value
	if err := b.parent[b.name].As(&elements); err != nil {
		return
	}
	elements[b.index] = tftypes.NewValue(elements[b.index].Type(), map[string]tftypes.Value(b.values))
	b.parent[b.name] = tftypes.NewValue(b.parent[b.name].Type(), elements)
}

// tree makes a value of any shape for a dynamic attribute.
func tree(v any) tftypes.Value {
	switch v := v.(type) {
	case map[string]any:
		types, fields := map[string]tftypes.Type{}, map[string]tftypes.Value{}
		for name, inner := range v {
			fields[name] = tree(inner)
			types[name] = fields[name].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, fields)
	case []any:
		types, elements := []tftypes.Type{}, []tftypes.Value{}
		for _, inner := range v {
			elements = append(elements, tree(inner))
			types = append(types, elements[len(elements)-1].Type())
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, elements)
	}
	return tftypes.NewValue(tftypes.String, v)
}

// shaped makes a value of a known type from plain maps, lists and strings.
func shaped(t tftypes.Type, v any) tftypes.Value {
	switch t := t.(type) {
	case tftypes.Object:
		fields := map[string]tftypes.Value{}
		for name, inner := range t.AttributeTypes {
			given, _ := v.(map[string]any)
			fields[name] = shaped(inner, given[name])
		}
		return tftypes.NewValue(t, fields)
	case tftypes.Map:
		fields := map[string]tftypes.Value{}
		given, _ := v.(map[string]any)
		for name, inner := range given {
			fields[name] = shaped(t.ElementType, inner)
		}
		return tftypes.NewValue(t, fields)
	case tftypes.List:
		elements := []tftypes.Value{}
		all, _ := v.([]any)
		for _, inner := range all {
			elements = append(elements, shaped(t.ElementType, inner))
		}
		return tftypes.NewValue(t, elements)
	}
	return tftypes.NewValue(t, v)
}

// untree is the other way round: strings, maps and lists of a value.
func untree(v tftypes.Value) any {
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	fields := map[string]tftypes.Value{}
	if err := v.As(&fields); err == nil {
		all := map[string]any{}
		for name, inner := range fields {
			all[name] = untree(inner)
		}
		return all
	}
	var elements []tftypes.Value
	if err := v.As(&elements); err == nil {
		var all []any
		for _, inner := range elements {
			all = append(all, untree(inner))
		}
		return all
	}
	var s string
	if err := v.As(&s); err == nil {
		return s
	}
	return nil
}
