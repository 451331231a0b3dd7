// SPDX-License-Identifier: MPL-2.0

package standin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// dataSources contains the data sources that return versions. Each reads the versions that
// run or that the platform offers, and fails if the real one would.
var dataSources = map[string]func(*platform.World, values) error{
	"aws_eks_clusters": func(w *platform.World, v values) error {
		v.set("names", names(w, platform.EKS))
		return nil
	},
	"aws_eks_cluster": ofCluster("name", func(_ *platform.World, c *platform.Cluster, v values) error {
		v.set("version", c.ControlPlane[platform.Managed])
		return nil
	}),
	"aws_eks_node_groups": ofCluster("cluster_name", func(w *platform.World, c *platform.Cluster, v values) error {
		pools := maps.Clone(c.Pools)
		all := []string{}
		for name, group := range w.NodeGroups {
			if group.Cluster == v.text("cluster_name") {
				delete(pools, group.Pool)
				all = append(all, name)
			}
		}
		all = slices.AppendSeq(all, maps.Keys(pools))
		slices.Sort(all)
		v.set("names", all)
		return nil
	}),
	"aws_eks_node_group": ofCluster("cluster_name", func(w *platform.World, c *platform.Cluster, v values) error {
		name := v.text("node_group_name")
		version := c.Pools[poolOf(w, name)]
		if version == "" {
			return fmt.Errorf("reading EKS Node Group (%s): couldn't find resource", name)
		}
		v.set("version", version)
		tags := map[string]string{}
		maps.Copy(tags, w.NodeGroups[name].Tags)
		v.set("tags", tags)
		return nil
	}),
	"aws_eks_addon": ofCluster("cluster_name", func(_ *platform.World, c *platform.Cluster, v values) error {
		version := c.Version(v.addOn())
		if version == "" {
			return fmt.Errorf("reading EKS Add-On (%s:%s): couldn't find resource", v.text("cluster_name"), v.text("addon_name"))
		}
		v.set("addon_version", version)
		return nil
	}),
	"aws_eks_addon_version": func(_ *platform.World, v values) error {
		var major, minor int
		if _, err := fmt.Sscanf(v.text("kubernetes_version"), "%d.%d", &major, &minor); err != nil {
			return err
		}
		v.set("version", fmt.Sprintf("v%d.%d.0-eksbuild.2", major, minor-minorsBehind[v.text("addon_name")]))
		return nil
	},
	"aws_eks_cluster_versions": func(w *platform.World, v values) error {
		all := []any{}
		for _, version := range w.Offered {
			all = append(all, map[string]any{"cluster_version": version})
		}
		v.set("cluster_versions", all)
		return nil
	},
	"azurerm_kubernetes_service_versions": offered("versions"),
	"digitalocean_kubernetes_versions":    offered("valid_versions"),
	"google_container_engine_versions":    offered("valid_master_versions", "valid_node_versions"),
	"google_container_cluster": ofCluster("name", func(_ *platform.World, c *platform.Cluster, v values) error {
		v.set("desired_emulated_version", c.Emulated)
		v.setMasterVersion(c)
		pools := []any{}
		for _, name := range slices.Sorted(maps.Keys(c.Pools)) {
			pools = append(pools, map[string]any{"name": name, "version": c.Pools[name]})
		}
		v.set("node_pool", pools)
		return nil
	}),
	"azapi_resource_list": func(w *platform.World, v values) error {
		all := []any{}
		for _, name := range names(w, platform.AKS) {
			c := w.Clusters[name]
			pools := []any{}
			for _, pool := range slices.Sorted(maps.Keys(c.Pools)) {
				pools = append(pools, map[string]any{"name": pool, "currentOrchestratorVersion": c.Pools[pool]})
			}
			all = append(all, map[string]any{"name": name, "properties": map[string]any{
				"currentKubernetesVersion": c.ControlPlane[platform.Managed], "agentPoolProfiles": pools,
			}})
		}
		v["output"] = dynamicValue(map[string]any{"value": all})
		return nil
	},
	"kubernetes_nodes": func(w *platform.World, v values) error {
		all := []any{}
		for _, name := range names(w, platform.Talos, platform.Kubeadm) {
			c := w.Clusters[name]
			node := func(name, version string, labels map[string]any) {
				all = append(all, map[string]any{
					"metadata": []any{map[string]any{"name": name, "labels": labels}},
					"status":   []any{map[string]any{"node_info": []any{map[string]any{"kubelet_version": withV(version), "kube_proxy_version": withV(version)}}}},
				})
			}
			for _, machine := range slices.Sorted(maps.Keys(c.ControlPlane)) {
				node(machine, c.ControlPlane[machine], map[string]any{"node-role.kubernetes.io/control-plane": ""})
			}
			for _, machine := range slices.Sorted(maps.Keys(c.Pools)) {
				node(machine, c.Pools[machine], map[string]any{})
			}
		}
		v.set("nodes", all)
		return nil
	},
	"kubernetes_resources": func(w *platform.World, v values) error {
		all := []any{}
		for _, name := range names(w, platform.Talos, platform.Kubeadm) {
			c := w.Clusters[name]
			for _, machine := range slices.Sorted(maps.Keys(c.ControlPlane)) {
				all = append(all, map[string]any{
					"metadata": map[string]any{"name": "kube-apiserver-" + machine},
					"spec": map[string]any{
						"nodeName":   machine,
						"containers": []any{map[string]any{"image": "registry.k8s.io/kube-apiserver:" + withV(c.ControlPlane[machine])}},
					},
				})
			}
		}
		v["objects"] = dynamicValue(all)
		return nil
	},
	"talos_machine_configuration": func(_ *platform.World, v values) error {
		version := v.textOr("kubernetes_version", defaultVersion)
		v.set("machine_configuration", fmt.Sprintf("machine:\n  type: %s\n  kubelet:\n    image: ghcr.io/siderolabs/kubelet:%s\n", v.text("machine_type"), version))
		return nil
	},
}

// minorsBehind tells how far the numbers of an add-on are behind those of Kubernetes.
// kube-proxy has the same numbers.
var minorsBehind = map[string]int{"aws-ebs-csi-driver": -20, "coredns": 22, "vpc-cni": 13}

// ofCluster returns the function of a data source about the cluster that an argument names.
func ofCluster(argument string, read func(*platform.World, *platform.Cluster, values) error) func(*platform.World, values) error {
	return func(w *platform.World, v values) error {
		c, err := findCluster(w, v.text(argument))
		if err != nil {
			return err
		}
		return read(w, c, v)
	}
}

// offered returns the function of a data source that lists the offered versions in the
// given attributes.
func offered(attributes ...string) func(*platform.World, values) error {
	return func(w *platform.World, v values) error {
		for _, name := range attributes {
			v.set(name, append([]string{}, w.Offered...))
		}
		return nil
	}
}

// withV returns a version in the format of the Kubernetes API, such as v1.31.4.
func withV(version string) string { return "v" + strings.TrimPrefix(version, "v") }

// names returns the names of all clusters of the given platforms.
func names(w *platform.World, kinds ...platform.Kind) []string {
	all := []string{}
	for _, name := range slices.Sorted(maps.Keys(w.Clusters)) {
		if slices.Contains(kinds, w.Clusters[name].Kind) {
			all = append(all, name)
		}
	}
	return all
}

func findCluster(w *platform.World, name string) (*platform.Cluster, error) {
	if c := w.Clusters[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("cluster %s was not found", name)
}

// values are the attributes of a resource or data source.
type values map[string]tftypes.Value

// text returns a string attribute, or "" if it is null or unknown.
func (v values) text(name string) string { return tfvalue.String(v[name]) }

// textOr returns a string attribute, or fallback if it is null, unknown or empty.
func (v values) textOr(name, fallback string) string { return cmp.Or(v.text(name), fallback) }

// set sets an attribute to a value that tfvalue.Of converts.
func (v values) set(name string, value any) { v[name] = tfvalue.Of(v[name].Type(), value) }

// textMap returns an attribute that is a map of strings.
func (v values) textMap(name string) map[string]string {
	out := map[string]string{}
	for key, element := range tfvalue.Fields(v[name]) {
		out[key] = tfvalue.String(element)
	}
	return out
}

// nested is a nested block. Setting an attribute also updates the block in its parent.
type nested struct {
	values
	parent values
	name   string
	index  int
}

func (v values) blocks(name string) []nested {
	var all []nested
	for i, e := range tfvalue.Elements(v[name]) {
		all = append(all, nested{tfvalue.Fields(e), v, name, i})
	}
	return all
}

func (b nested) set(name string, value any) {
	b.values.set(name, value)
	elements := tfvalue.Elements(b.parent[b.name])
	elements[b.index] = tftypes.NewValue(elements[b.index].Type(), map[string]tftypes.Value(b.values))
	b.parent[b.name] = tftypes.NewValue(b.parent[b.name].Type(), elements)
}

// dynamicValue converts strings, []any and map[string]any to a value for a dynamic
// attribute.
func dynamicValue(v any) tftypes.Value {
	switch v := v.(type) {
	case map[string]any:
		types, fields := map[string]tftypes.Type{}, map[string]tftypes.Value{}
		for name, inner := range v {
			fields[name] = dynamicValue(inner)
			types[name] = fields[name].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, fields)
	case []any:
		types, elements := []tftypes.Type{}, []tftypes.Value{}
		for _, inner := range v {
			elements = append(elements, dynamicValue(inner))
			types = append(types, elements[len(elements)-1].Type())
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, elements)
	}
	return tftypes.NewValue(tftypes.String, v)
}
