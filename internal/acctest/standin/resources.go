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
	"aws_eks_cluster": managedCluster{
		kind: platform.EKS, version: "version",
		refresh: func(c *platform.Cluster, v values) {
			v.set("created_at", c.ID)
			v.set("version", c.ControlPlane[platform.Managed])
		},
	}.resource(),
	"aws_eks_node_group": eksNodeGroup(),
	"aws_eks_addon": {
		replaces: []string{"cluster_name", "addon_name"},
		read: func(w *platform.World, v values) bool {
			c, target := w.Clusters[v.text("cluster_name")], v.addOn()
			if c == nil || target == "" {
				return c != nil
			}
			v.set("addon_version", c.Version(target))
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
	"google_container_cluster": managedCluster{
		kind: platform.GKE, version: "min_master_version", replaces: []string{"location"},
		configure: func(w *platform.World, v values) error {
			w.Clusters[v.text("name")].Emulated = v.text("desired_emulated_version")
			return nil
		},
		refresh: func(c *platform.Cluster, v values) {
			v.set("id", "projects/example/locations/europe-west1/clusters/"+v.text("name"))
			v.setMasterVersion(c)
		},
	}.resource(),
	"google_container_node_pool": nodePool("cluster", "name", "version"),
	"digitalocean_kubernetes_cluster": managedCluster{
		kind: platform.DOKS, version: "version", replaces: []string{"region"}, replacesLower: "version",
		refresh: func(c *platform.Cluster, v values) {
			v.set("id", c.ID)
			v.set("version", c.ControlPlane[platform.Managed])
		},
	}.resource(),
	"azurerm_kubernetes_cluster": managedCluster{
		kind: platform.AKS, version: "kubernetes_version", replaces: []string{"location", "resource_group_name"},
		configure: func(w *platform.World, v values) error {
			for _, p := range v.blocks("default_node_pool") {
				if err := move(w, v.text("name"), platform.PoolTarget(p.text("name")), p.text("orchestrator_version")); err != nil {
					return err
				}
			}
			return nil
		},
		refresh: func(c *platform.Cluster, v values) {
			v.set("id", "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/"+v.text("resource_group_name")+"/providers/Microsoft.ContainerService/managedClusters/"+v.text("name"))
			v.set("kubernetes_version", c.ControlPlane[platform.Managed])
			v.set("current_kubernetes_version", c.ControlPlane[platform.Managed])
			for _, p := range v.blocks("default_node_pool") {
				p.set("orchestrator_version", c.Pools[p.text("name")])
			}
		},
	}.resource(),
	"azurerm_kubernetes_cluster_node_pool": aksNodePool(),
	"azapi_update_resource": {
		replaces: []string{"type", "resource_id"},
		read: func(w *platform.World, v values) bool {
			name, target, property := v.azureTarget()
			c := w.Clusters[name]
			if c == nil {
				return false
			}
			v["body"] = dynamicValue(map[string]any{"properties": map[string]any{property: c.Version(target)}})
			return c.Version(target) != ""
		},
		create: updateAzureResource, update: updateAzureResource,
		remove: func(*platform.World, values) error { return nil }, // like the real resource, it does not revert its changes
	},
	"hcloud_server": {
		replaces: []string{"name", "user_data", "image", "location"},
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.textMap("labels")["cluster"]]
			return c != nil && c.Version(v.machine()) != ""
		},
		create: func(w *platform.World, v values) error {
			m := kubeletImage.FindStringSubmatch(v.text("user_data"))
			if m == nil {
				return fmt.Errorf("server %s has no Talos machine configuration in user_data", v.text("name"))
			}
			return install(w, platform.Talos, v.textMap("labels")["cluster"], v.machine(), m[1])
		},
		update: func(*platform.World, values) error { return nil },
		remove: func(w *platform.World, v values) error {
			return remove(w, v.textMap("labels")["cluster"], v.machine())
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
	v.set("master_version", version)
	v.set("emulated_version", cmp.Or(c.Emulated, fmt.Sprintf("1.%d", platform.Minor(version))))
}

// kubeletImage finds the version in a Talos machine configuration.
var kubeletImage = regexp.MustCompile(`ghcr\.io/siderolabs/kubelet:(\S+)`)

// machine returns the platform target of a server.
func (v values) machine() string {
	if v.textMap("labels")["role"] == "control-plane" {
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

// install creates or moves a machine. The first machine creates its cluster.
func install(w *platform.World, kind platform.Kind, cluster, target, version string) error {
	if w.Clusters[cluster] == nil {
		if err := w.Do(kind, cluster, platform.Operation{Action: platform.Create, Target: platform.ClusterTarget}); err != nil {
			return err
		}
	}
	return move(w, cluster, target, version)
}

// move creates a target, or changes its version unless it already runs that version.
func move(w *platform.World, cluster, target, version string) error {
	c, err := findCluster(w, cluster)
	if err != nil {
		return err
	}
	o := platform.Operation{Action: platform.Move, Target: target, Version: version}
	switch now := c.Version(target); {
	case now == "":
		o.Action = platform.Create
	case version == "" || version == now:
		return nil
	}
	return w.Do(c.Kind, cluster, o)
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

// managedCluster describes a resource type for clusters with a managed control plane, whose
// name is the argument name.
type managedCluster struct {
	kind platform.Kind
	// version is the argument with the version.
	version string
	// replaces and replacesLower are as in resource.
	replaces      []string
	replacesLower string
	// configure applies all arguments but the version. It can be nil.
	configure func(*platform.World, values) error
	// refresh sets the attributes that the platform knows.
	refresh func(*platform.Cluster, values)
}

func (m managedCluster) resource() resource {
	return resource{
		replaces:      append(m.replaces, "name"),
		replacesLower: m.replacesLower,
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.text("name")]
			if c != nil {
				m.refresh(c, v)
			}
			return c != nil
		},
		create: func(w *platform.World, v values) error {
			name := v.text("name")
			if err := w.Do(m.kind, name, platform.Operation{Action: platform.Create, Target: platform.ClusterTarget}); err != nil {
				return err
			}
			err := m.change(w, v, v.textOr(m.version, defaultVersion))
			if err != nil { // a cluster is created with its control plane and its default pool
				delete(w.Clusters, name)
			}
			return err
		},
		update: func(w *platform.World, v values) error {
			c, err := findCluster(w, v.text("name"))
			if err != nil {
				return err
			}
			version := v.text(m.version)
			if m.kind == platform.GKE && !platform.Newer(version, c.ControlPlane[platform.Managed]) {
				version = "" // min_master_version never downgrades
			}
			return m.change(w, v, version)
		},
		remove: func(w *platform.World, v values) error { return remove(w, v.text("name"), platform.ClusterTarget) },
	}
}

// change moves the control plane to a version, which is "" if it stays, and applies the other
// arguments.
func (m managedCluster) change(w *platform.World, v values, version string) error {
	name := v.text("name")
	if err := move(w, name, platform.ControlPlaneTarget(platform.Managed), version); err != nil {
		return err
	}
	if m.configure != nil {
		if err := m.configure(w, v); err != nil {
			return err
		}
	}
	m.refresh(w.Clusters[name], v)
	return nil
}

// nodePool returns a resource type for node pools. It takes the names of the arguments with
// the cluster, which is a name or an ID that ends with the name, the name of the pool, and
// its version. Changing one of the first two or of those in replaces forces a replacement.
func nodePool(cluster, name, version string, replaces ...string) resource {
	target := func(w *platform.World, v values) (at, target string) {
		return path.Base(v.text(cluster)), platform.PoolTarget(poolOf(w, v.text(name)))
	}
	return resource{
		replaces: append(replaces, cluster, name),
		read: func(w *platform.World, v values) bool {
			at, pool := target(w, v)
			c := w.Clusters[at]
			if c == nil || c.Version(pool) == "" {
				return false
			}
			v.set(version, c.Version(pool))
			return true
		},
		create: func(w *platform.World, v values) error {
			at, pool := target(w, v)
			c, err := findCluster(w, at)
			if err != nil {
				return err
			}
			if err := w.Do(c.Kind, at, platform.Operation{Action: platform.Create, Target: pool, Version: v.text(version)}); err != nil {
				return err
			}
			v.set(version, c.Version(pool))
			return nil
		},
		update: func(w *platform.World, v values) error {
			at, pool := target(w, v)
			return move(w, at, pool, v.text(version))
		},
		remove: func(w *platform.World, v values) error {
			at, pool := target(w, v)
			return remove(w, at, pool)
		},
	}
}

// aksNodePool returns a resource type for AKS node pools, which have an ID in Azure.
func aksNodePool() resource {
	r := nodePool("kubernetes_cluster_id", "name", "orchestrator_version")
	create := r.create
	r.create = func(w *platform.World, v values) error {
		v.set("id", v.text("kubernetes_cluster_id")+"/agentPools/"+v.text("name"))
		return create(w, v)
	}
	return r
}

// eksNodeGroup returns a resource type for EKS node groups. If one only has a prefix for
// its name, the name gets a unique suffix of 26 digits.
func eksNodeGroup() resource {
	r := nodePool("cluster_name", "node_group_name", "version",
		"ami_type", "capacity_type", "disk_size", "instance_types", "node_group_name_prefix", "node_role_arn", "subnet_ids")
	create, remove := r.create, r.remove
	r.create = func(w *platform.World, v values) error {
		if v.text("node_group_name") == "" {
			nameNodeGroup(w, v)
		}
		err := create(w, v)
		if err != nil {
			delete(w.NodeGroups, v.text("node_group_name"))
		}
		return err
	}
	r.remove = func(w *platform.World, v values) error {
		err := remove(w, v)
		if err == nil {
			delete(w.NodeGroups, v.text("node_group_name"))
		}
		return err
	}
	return r
}

// nameNodeGroup generates the name of an EKS node group.
func nameNodeGroup(w *platform.World, v values) {
	w.Created++
	prefix := v.text("node_group_name_prefix")
	name, pool := fmt.Sprintf("%s%026d", prefix, w.Created), strings.TrimSuffix(prefix, "-")
	if c := w.Clusters[v.text("cluster_name")]; c != nil && c.Pools[pool] != "" {
		pool = name
	}
	if w.NodeGroups == nil {
		w.NodeGroups = map[string]platform.NodeGroup{}
	}
	w.NodeGroups[name] = platform.NodeGroup{Cluster: v.text("cluster_name"), Pool: pool, Tags: v.textMap("tags")}
	v.set("node_group_name", name)
}

// poolOf returns the pool of an EKS node group.
func poolOf(w *platform.World, nodeGroup string) string {
	if group, ok := w.NodeGroups[nodeGroup]; ok {
		return group.Pool
	}
	return nodeGroup
}

var installAddOn = ofCluster("cluster_name", func(w *platform.World, c *platform.Cluster, v values) error {
	target := v.addOn()
	if target == "" {
		return nil
	}
	v.set("addon_version", v.textOr("addon_version", "v"+c.ControlPlane[platform.Managed]+".0-eksbuild.1"))
	return move(w, v.text("cluster_name"), target, v.text("addon_version"))
})

// azureTarget returns what an azapi_update_resource changes: the cluster, the platform
// target, and the property that contains the version.
func (v values) azureTarget() (cluster, target, property string) {
	if id, pool, ok := strings.Cut(v.text("resource_id"), "/agentPools/"); ok {
		return path.Base(id), platform.PoolTarget(pool), "orchestratorVersion"
	}
	return path.Base(v.text("resource_id")), platform.ControlPlaneTarget(platform.Managed), "kubernetesVersion"
}

func updateAzureResource(w *platform.World, v values) error {
	cluster, target, property := v.azureTarget()
	version := tfvalue.Fields(tfvalue.Fields(v["body"])["properties"])[property]
	return move(w, cluster, target, tfvalue.String(version))
}

// Commands of kubeadm and kubectl that change a node. The name of a machine is its host
// name without the domain.
var (
	kubeadmCommand    = regexp.MustCompile(`kubeadm (init|join|upgrade).* --kubernetes-version v?(\S+)`)
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
		machine, _, _ := strings.Cut(v.text("host"), ".")
		target := platform.PoolTarget(machine)
		if strings.Contains(line, "--control-plane") {
			target = platform.ControlPlaneTarget(machine)
		}
		if err := install(w, platform.Kubeadm, name, target, m[2]); err != nil {
			return err
		}
	}
	return nil
}
