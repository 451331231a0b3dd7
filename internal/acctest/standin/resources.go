// SPDX-License-Identifier: MPL-2.0

package standin

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// resource implements a resource type whose instances change the versions that run.
type resource struct {
	// replaces lists the arguments that force a replacement.
	replaces []string
	// replacesLower is an argument with a version that forces a replacement if it goes
	// down, or "".
	replacesLower string
	// read updates the attributes from the platform. It returns false if the object no
	// longer exists.
	read func(*platform.World, values) bool
	// create and update receive the planned attributes, remove those in state.
	create, update, remove func(*platform.World, values) error
}

// resources contains the resource types with a version. They treat it like the real
// providers do. All other types only store their arguments.
var resources = map[string]resource{
	"aws_eks_cluster": {
		replaces: []string{"name"},
		read:     readCluster(func(c *platform.Cluster, v values) { v.setText("version", c.ControlPlane[platform.Managed]) }),
		create: func(w *platform.World, v values) error {
			if err := create(w, platform.EKS, v.text("name"), v.textOr("version", defaultVersion)); err != nil {
				return err
			}
			v.setText("created_at", w.Clusters[v.text("name")].ID)
			v.setText("version", v.textOr("version", defaultVersion))
			return nil
		},
		update: moveControlPlane("version"),
		remove: removeCluster,
	},
	"aws_eks_node_group": {
		replaces: []string{
			"ami_type", "capacity_type", "cluster_name", "disk_size", "instance_types", "node_group_name", "node_group_name_prefix", "node_role_arn", "subnet_ids",
		},
		read:   withNodeGroup(readPool("cluster_name", nodeGroupPool, "version")),
		create: createNodeGroup,
		update: withNodeGroup(movePool("cluster_name", nodeGroupPool, "version")),
		remove: func(w *platform.World, v values) error {
			if err := withNodeGroup(removePool("cluster_name", nodeGroupPool))(w, v); err != nil {
				return err
			}
			delete(w.NodeGroups, v.text("node_group_name"))
			return nil
		},
	},
	"aws_eks_addon": {
		replaces: []string{"cluster_name", "addon_name"},
		read: func(w *platform.World, v values) bool {
			c, target := w.Clusters[v.text("cluster_name")], v.addOn()
			if c == nil || target == "" {
				return c != nil
			}
			v.setText("addon_version", c.Version(target))
			return c.Version(target) != ""
		},
		create: installAddOn, update: installAddOn,
		remove: func(w *platform.World, v values) error {
			if target := v.addOn(); target != "" {
				return remove(w, v.text("cluster_name"), target)
			}
			return nil
		},
	},
	"google_container_cluster": {
		replaces: []string{"name", "location"},
		read:     readCluster(func(c *platform.Cluster, v values) { v.setMasterVersion(c) }),
		create: func(w *platform.World, v values) error {
			v.setText("id", "projects/example/locations/europe-west1/clusters/"+v.text("name"))
			if err := create(w, platform.GKE, v.text("name"), v.textOr("min_master_version", defaultVersion)); err != nil {
				return err
			}
			c := w.Clusters[v.text("name")]
			c.Emulated = v.text("desired_emulated_version")
			v.setMasterVersion(c)
			return nil
		},
		update: func(w *platform.World, v values) error {
			c, err := findCluster(w, v.text("name"))
			if err != nil {
				return err
			}
			if floor := v.text("min_master_version"); floor != "" && platform.Newer(floor, c.ControlPlane[platform.Managed]) {
				if err := moveControlPlane("min_master_version")(w, v); err != nil {
					return err
				}
			}
			c.Emulated = v.text("desired_emulated_version")
			v.setMasterVersion(c)
			return nil
		},
		remove: removeCluster,
	},
	"google_container_node_pool": {
		replaces: []string{"cluster", "name"},
		read:     readPool("cluster", "name", "version"),
		create:   createPool("cluster", "name", "version"),
		update:   movePool("cluster", "name", "version"),
		remove:   removePool("cluster", "name"),
	},
	"digitalocean_kubernetes_cluster": {
		replaces:      []string{"name", "region"},
		replacesLower: "version",
		read:          readCluster(func(c *platform.Cluster, v values) { v.setText("version", c.ControlPlane[platform.Managed]) }),
		create: func(w *platform.World, v values) error {
			if err := create(w, platform.DOKS, v.text("name"), v.text("version")); err != nil {
				return err
			}
			v.setText("id", w.Clusters[v.text("name")].ID)
			return nil
		},
		update: moveControlPlane("version"),
		remove: removeCluster,
	},
	"azurerm_kubernetes_cluster": {
		replaces: []string{"name", "location", "resource_group_name"},
		read: readCluster(func(c *platform.Cluster, v values) {
			v.setText("kubernetes_version", c.ControlPlane[platform.Managed])
			v.setText("current_kubernetes_version", c.ControlPlane[platform.Managed])
			for _, p := range v.blocks("default_node_pool") {
				p.setText("orchestrator_version", c.Pools[p.text("name")])
			}
		}),
		create: func(w *platform.World, v values) error {
			name := v.text("name")
			v.setText("id", "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/"+v.text("resource_group_name")+"/providers/Microsoft.ContainerService/managedClusters/"+name)
			if err := create(w, platform.AKS, name, v.textOr("kubernetes_version", defaultVersion)); err != nil {
				return err
			}
			for _, p := range v.blocks("default_node_pool") {
				if err := w.Do(platform.AKS, name, platform.Operation{Action: platform.Create, Target: platform.PoolTarget(p.text("name")), Version: p.text("orchestrator_version")}); err != nil {
					delete(w.Clusters, name) // AKS does not create a cluster without its default pool
					return err
				}
				p.setText("orchestrator_version", w.Clusters[name].Pools[p.text("name")])
			}
			v.setText("kubernetes_version", w.Clusters[name].ControlPlane[platform.Managed])
			v.setText("current_kubernetes_version", w.Clusters[name].ControlPlane[platform.Managed])
			return nil
		},
		update: func(w *platform.World, v values) error {
			name := v.text("name")
			if err := moveControlPlane("kubernetes_version")(w, v); err != nil {
				return err
			}
			v.setText("current_kubernetes_version", w.Clusters[name].ControlPlane[platform.Managed])
			for _, p := range v.blocks("default_node_pool") {
				if err := move(w, name, platform.PoolTarget(p.text("name")), p.text("orchestrator_version")); err != nil {
					return err
				}
			}
			return nil
		},
		remove: removeCluster,
	},
	"azurerm_kubernetes_cluster_node_pool": {
		replaces: []string{"kubernetes_cluster_id", "name"},
		read:     readPool("kubernetes_cluster_id", "name", "orchestrator_version"),
		create: func(w *platform.World, v values) error {
			v.setText("id", v.text("kubernetes_cluster_id")+"/agentPools/"+v.text("name"))
			return createPool("kubernetes_cluster_id", "name", "orchestrator_version")(w, v)
		},
		update: movePool("kubernetes_cluster_id", "name", "orchestrator_version"),
		remove: removePool("kubernetes_cluster_id", "name"),
	},
	"azapi_update_resource": {
		replaces: []string{"type", "resource_id"},
		read: func(w *platform.World, v values) bool {
			c, target, property := azureTarget(w, v)
			if c == nil {
				return false
			}
			version := c.ControlPlane[platform.Managed]
			if target != platform.ControlPlaneTarget(platform.Managed) {
				version = c.Pools[path.Base(v.text("resource_id"))]
			}
			v["body"] = dynamicValue(map[string]any{"properties": map[string]any{property: version}})
			return version != ""
		},
		create: updateAzureResource, update: updateAzureResource,
		remove: func(*platform.World, values) error { return nil }, // like the real resource, it does not revert its changes
	},
	"hcloud_server": {
		replaces: []string{"name", "user_data", "image", "location"},
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.label("cluster")]
			if c == nil {
				return false
			}
			_, controlPlane := c.ControlPlane[v.text("name")]
			_, worker := c.Pools[v.text("name")]
			return controlPlane || worker
		},
		create: func(w *platform.World, v values) error {
			m := kubeletImage.FindStringSubmatch(v.text("user_data"))
			if m == nil {
				return fmt.Errorf("server %s has no Talos machine configuration in user_data", v.text("name"))
			}
			name := v.label("cluster")
			if err := ensureCluster(w, platform.Talos, name); err != nil {
				return err
			}
			return w.Do(platform.Talos, name, platform.Operation{Action: platform.Create, Target: v.machine(), Version: m[1]})
		},
		update: func(*platform.World, values) error { return nil },
		remove: func(w *platform.World, v values) error {
			return remove(w, v.label("cluster"), v.machine())
		},
	},
	"ssh_resource": {
		replaces: []string{"host", "user", "commands", "triggers"},
		read:     func(*platform.World, values) bool { return true },
		create:   func(w *platform.World, v values) error { return runCommands(w, v, "create") },
		update:   func(*platform.World, values) error { return nil },
		remove:   func(w *platform.World, v values) error { return runCommands(w, v, "destroy") },
	},
}

// defaultVersion is the version of new clusters that do not set one.
const defaultVersion = "1.36"

// setMasterVersion sets the attributes of a GKE cluster with the version that runs, and
// with the minor that it emulates, by default its own.
func (v values) setMasterVersion(c *platform.Cluster) {
	version := c.ControlPlane[platform.Managed]
	v.setText("master_version", version)
	v.setText("emulated_version", cmp.Or(c.Emulated, fmt.Sprintf("1.%d", platform.Minor(version))))
}

// kubeletImage finds the version in a Talos machine configuration.
var kubeletImage = regexp.MustCompile(`ghcr\.io/siderolabs/kubelet:(\S+)`)

// machine returns the platform target of a server.
func (v values) machine() string {
	if v.label("role") == "control-plane" {
		return platform.ControlPlaneTarget(v.text("name"))
	}
	return platform.PoolTarget(v.text("name"))
}

// addOn returns the platform target of an EKS add-on, or "" if the platform does not know
// it.
func (v values) addOn() string {
	switch v.text("addon_name") {
	case "kube-proxy":
		return platform.KubeProxyTarget
	case platform.AddOnName:
		return platform.AddOnTarget
	}
	return ""
}

// ensureCluster creates an empty cluster, to which machines are added one by one, unless
// the cluster exists.
func ensureCluster(w *platform.World, kind platform.Kind, name string) error {
	if w.Clusters[name] != nil {
		return nil
	}
	return w.Do(kind, name, platform.Operation{Action: platform.Create, Target: platform.ClusterTarget})
}

// create creates a cluster with a managed control plane.
func create(w *platform.World, kind platform.Kind, name, version string) error {
	if err := w.Do(kind, name, platform.Operation{Action: platform.Create, Target: platform.ClusterTarget}); err != nil {
		return err
	}
	err := w.Do(kind, name, platform.Operation{Action: platform.Create, Target: platform.ControlPlaneTarget(platform.Managed), Version: version})
	if err != nil { // a cluster and its control plane are created together
		delete(w.Clusters, name)
	}
	return err
}

// move changes the version of a target, unless it already runs that version.
func move(w *platform.World, name, target, version string) error {
	c, err := findCluster(w, name)
	if err != nil {
		return err
	}
	if version == "" || version == c.Version(target) {
		return nil
	}
	return w.Do(c.Kind, name, platform.Operation{Action: platform.Move, Target: target, Version: version})
}

// remove deletes a target, if it exists. A cluster whose last machine is deleted is
// deleted as well.
func remove(w *platform.World, name, target string) error {
	c := w.Clusters[name]
	if c == nil || target != platform.ClusterTarget && c.Version(target) == "" {
		return nil
	}
	if err := w.Do(c.Kind, name, platform.Operation{Action: platform.Delete, Target: target}); err != nil {
		return err
	}
	if len(c.ControlPlane) == 0 && len(c.Pools) == 0 {
		delete(w.Clusters, name)
	}
	return nil
}

// The functions for clusters with a managed control plane take their name from the argument
// name.

func readCluster(read func(*platform.Cluster, values)) func(*platform.World, values) bool {
	return func(w *platform.World, v values) bool {
		c := w.Clusters[v.text("name")]
		if c != nil {
			read(c, v)
		}
		return c != nil
	}
}

func moveControlPlane(version string) func(*platform.World, values) error {
	return func(w *platform.World, v values) error {
		return move(w, v.text("name"), platform.ControlPlaneTarget(platform.Managed), v.text(version))
	}
}

func removeCluster(w *platform.World, v values) error {
	return remove(w, v.text("name"), platform.ClusterTarget)
}

// The functions for node pools take the names of the arguments with the cluster, the name
// of the pool and its version. The cluster is a name or an ID that ends with the name.

func readPool(cluster, name, version string) func(*platform.World, values) bool {
	return func(w *platform.World, v values) bool {
		c := w.Clusters[path.Base(v.text(cluster))]
		if c == nil || c.Pools[v.text(name)] == "" {
			return false
		}
		v.setText(version, c.Pools[v.text(name)])
		return true
	}
}

func createPool(cluster, name, version string) func(*platform.World, values) error {
	return func(w *platform.World, v values) error {
		at := path.Base(v.text(cluster))
		c, err := findCluster(w, at)
		if err != nil {
			return err
		}
		err = w.Do(c.Kind, at, platform.Operation{Action: platform.Create, Target: platform.PoolTarget(v.text(name)), Version: v.text(version)})
		if err != nil {
			return err
		}
		v.setText(version, c.Pools[v.text(name)])
		return nil
	}
}

func movePool(cluster, name, version string) func(*platform.World, values) error {
	return func(w *platform.World, v values) error {
		return move(w, path.Base(v.text(cluster)), platform.PoolTarget(v.text(name)), v.text(version))
	}
}

func removePool(cluster, name string) func(*platform.World, values) error {
	return func(w *platform.World, v values) error {
		return remove(w, path.Base(v.text(cluster)), platform.PoolTarget(v.text(name)))
	}
}

// nodeGroupPool is the key under which withNodeGroup passes the pool of a node group.
const nodeGroupPool = "pool"

// withNodeGroup calls a function for node pools with the pool of an EKS node group.
func withNodeGroup[T any](call func(*platform.World, values) T) func(*platform.World, values) T {
	return func(w *platform.World, v values) T {
		v.setText(nodeGroupPool, poolOf(w, v.text("node_group_name")))
		defer delete(v, nodeGroupPool)
		return call(w, v)
	}
}

// poolOf returns the pool of an EKS node group.
func poolOf(w *platform.World, nodeGroup string) string {
	if group, ok := w.NodeGroups[nodeGroup]; ok {
		return group.Pool
	}
	return nodeGroup
}

// createNodeGroup creates an EKS node group. If it only has a prefix for its name, the
// name gets a unique suffix of 26 digits.
func createNodeGroup(w *platform.World, v values) error {
	name, prefix := v.text("node_group_name"), v.text("node_group_name_prefix")
	if name == "" {
		w.Created++
		name = fmt.Sprintf("%s%026d", prefix, w.Created)
		pool := strings.TrimSuffix(prefix, "-")
		if c := w.Clusters[v.text("cluster_name")]; c != nil && c.Pools[pool] != "" {
			pool = name
		}
		if w.NodeGroups == nil {
			w.NodeGroups = map[string]platform.NodeGroup{}
		}
		w.NodeGroups[name] = platform.NodeGroup{Cluster: v.text("cluster_name"), Pool: pool, Tags: v.textMap("tags")}
		v.setText("node_group_name", name)
	}
	if err := withNodeGroup(createPool("cluster_name", nodeGroupPool, "version"))(w, v); err != nil {
		delete(w.NodeGroups, name)
		return err
	}
	return nil
}

func installAddOn(w *platform.World, v values) error {
	c, err := findCluster(w, v.text("cluster_name"))
	if err != nil {
		return err
	}
	target := v.addOn()
	if target == "" {
		return nil
	}
	v.setText("addon_version", v.textOr("addon_version", "v"+c.ControlPlane[platform.Managed]+".0-eksbuild.1"))
	if v.text("addon_version") == c.Version(target) {
		return nil
	}
	return w.Do(c.Kind, v.text("cluster_name"), platform.Operation{Action: platform.Move, Target: target, Version: v.text("addon_version")})
}

// azureTarget returns what an azapi_update_resource changes: the cluster, the platform
// target, and the property that contains the version.
func azureTarget(w *platform.World, v values) (c *platform.Cluster, target, property string) {
	id := v.text("resource_id")
	if cluster, pool, ok := strings.Cut(id, "/agentPools/"); ok {
		return w.Clusters[path.Base(cluster)], platform.PoolTarget(pool), "orchestratorVersion"
	}
	return w.Clusters[path.Base(id)], platform.ControlPlaneTarget(platform.Managed), "kubernetesVersion"
}

func updateAzureResource(w *platform.World, v values) error {
	c, target, property := azureTarget(w, v)
	if c == nil {
		return fmt.Errorf("%s was not found", v.text("resource_id"))
	}
	cluster, _, _ := strings.Cut(v.text("resource_id"), "/agentPools/")
	body, _ := tfvalue.Plain(v["body"]).(map[string]any)
	properties, _ := body["properties"].(map[string]any)
	version, _ := properties[property].(string)
	return move(w, path.Base(cluster), target, version)
}

// Commands of kubeadm and kubectl that change a node. The name of a machine is its host
// name without the domain.
var (
	kubeadmCommand    = regexp.MustCompile(`kubeadm (init|join|upgrade).* --kubernetes-version v?(\S+)`)
	controlPlaneFlag  = regexp.MustCompile(`--control-plane`)
	deleteNodeCommand = regexp.MustCompile(`kubectl delete node (\S+)`)
)

// runCommands simulates the commands of an ssh_resource.
func runCommands(w *platform.World, v values, when string) error {
	if v.textOr("when", "create") != when {
		return nil
	}
	const name = "main"
	for _, command := range tfvalue.Elements(v["commands"]) {
		line := tfvalue.String(command)
		if m := deleteNodeCommand.FindStringSubmatch(line); m != nil {
			if err := remove(w, name, platform.PoolTarget(m[1])); err != nil {
				return err
			}
			continue
		}
		m := kubeadmCommand.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if err := ensureCluster(w, platform.Kubeadm, name); err != nil {
			return err
		}
		machine, _, _ := strings.Cut(v.text("host"), ".")
		target := platform.PoolTarget(machine)
		if controlPlaneFlag.MatchString(line) {
			target = platform.ControlPlaneTarget(machine)
		}
		switch now := w.Clusters[name].Version(target); now {
		case m[2]:
		case "":
			if err := w.Do(platform.Kubeadm, name, platform.Operation{Action: platform.Create, Target: target, Version: m[2]}); err != nil {
				return err
			}
		default:
			if err := move(w, name, target, m[2]); err != nil {
				return err
			}
		}
	}
	return nil
}
