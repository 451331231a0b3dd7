// SPDX-License-Identifier: MPL-2.0

package standin

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
)

// resource is how a resource of a cloud moves what runs. One without is only
// what it says.
type resource struct {
	// replaces lists the arguments that make it anew.
	replaces []string
	// read looks at what runs. It reports false for what is gone.
	read func(*platform.World, values) bool
	// create and update get what is planned, remove what there was.
	create, update, remove func(*platform.World, values) error
}

// resources are those that have a version, as their providers treat it.
var resources = map[string]resource{
	"aws_eks_cluster": {
		replaces: []string{"name"},
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.text("name")]
			if c == nil {
				return false
			}
			v.put("version", c.ControlPlane[platform.Managed])
			return true
		},
		create: func(w *platform.World, v values) error {
			if err := create(w, platform.EKS, v.text("name"), v.either("version", newest)); err != nil {
				return err
			}
			v.put("created_at", w.Clusters[v.text("name")].ID)
			v.put("version", v.either("version", newest))
			return nil
		},
		update: func(w *platform.World, v values) error {
			return move(w, v.text("name"), platform.ControlPlaneTarget(platform.Managed), v.text("version"))
		},
		remove: func(w *platform.World, v values) error { return remove(w, v.text("name"), platform.ClusterTarget) },
	},
	"aws_eks_node_group": {
		replaces: []string{"cluster_name", "node_group_name"},
		read:     readPool("cluster_name", "node_group_name", "version"),
		create:   createPool("cluster_name", "node_group_name", "version"),
		update:   movePool("cluster_name", "node_group_name", "version"),
		remove:   removePool("cluster_name", "node_group_name"),
	},
	"aws_eks_addon": {
		replaces: []string{"cluster_name", "addon_name"},
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.text("cluster_name")]
			if c == nil || !v.kubeProxy() {
				return c != nil
			}
			v.put("addon_version", c.KubeProxy)
			return c.KubeProxy != ""
		},
		create: installAddOn, update: installAddOn,
		remove: func(w *platform.World, v values) error {
			if !v.kubeProxy() {
				return nil
			}
			return remove(w, v.text("cluster_name"), platform.KubeProxyTarget)
		},
	},
	"google_container_cluster": {
		replaces: []string{"name", "location"},
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.text("name")]
			if c == nil {
				return false
			}
			v.put("master_version", c.ControlPlane[platform.Managed])
			return true
		},
		create: func(w *platform.World, v values) error {
			v.put("id", "projects/example/locations/europe-west1/clusters/"+v.text("name"))
			if err := create(w, platform.GKE, v.text("name"), v.either("min_master_version", newest)); err != nil {
				return err
			}
			v.put("master_version", w.Clusters[v.text("name")].ControlPlane[platform.Managed])
			return nil
		},
		update: func(w *platform.World, v values) error {
			c := w.Clusters[v.text("name")]
			if c == nil {
				return fmt.Errorf("cluster %s was not found", v.text("name"))
			}
			if floor := v.text("min_master_version"); floor != "" && platform.Newer(floor, c.ControlPlane[platform.Managed]) {
				if err := move(w, v.text("name"), platform.ControlPlaneTarget(platform.Managed), floor); err != nil {
					return err
				}
			}
			v.put("master_version", c.ControlPlane[platform.Managed])
			return nil
		},
		remove: func(w *platform.World, v values) error { return remove(w, v.text("name"), platform.ClusterTarget) },
	},
	"google_container_node_pool": {
		replaces: []string{"cluster", "name"},
		read:     readPool("cluster", "name", "version"),
		create:   createPool("cluster", "name", "version"),
		update:   movePool("cluster", "name", "version"),
		remove:   removePool("cluster", "name"),
	},
	"azurerm_kubernetes_cluster": {
		replaces: []string{"name", "location", "resource_group_name"},
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.text("name")]
			if c == nil {
				return false
			}
			v.put("kubernetes_version", c.ControlPlane[platform.Managed])
			v.put("current_kubernetes_version", c.ControlPlane[platform.Managed])
			for _, p := range v.blocks("default_node_pool") {
				p.put("orchestrator_version", c.Pools[p.text("name")])
			}
			return true
		},
		create: func(w *platform.World, v values) error {
			name := v.text("name")
			v.put("id", "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/"+v.text("resource_group_name")+"/providers/Microsoft.ContainerService/managedClusters/"+name)
			if err := create(w, platform.AKS, name, v.either("kubernetes_version", newest)); err != nil {
				return err
			}
			for _, p := range v.blocks("default_node_pool") {
				if err := w.Do(platform.AKS, name, platform.Operation{Action: platform.Create, Target: platform.PoolTarget(p.text("name")), Version: p.text("orchestrator_version")}); err != nil {
					delete(w.Clusters, name) // there is none without its default pool
					return err
				}
				p.put("orchestrator_version", w.Clusters[name].Pools[p.text("name")])
			}
			v.put("kubernetes_version", w.Clusters[name].ControlPlane[platform.Managed])
			v.put("current_kubernetes_version", w.Clusters[name].ControlPlane[platform.Managed])
			return nil
		},
		update: func(w *platform.World, v values) error {
			name := v.text("name")
			if err := move(w, name, platform.ControlPlaneTarget(platform.Managed), v.text("kubernetes_version")); err != nil {
				return err
			}
			v.put("current_kubernetes_version", w.Clusters[name].ControlPlane[platform.Managed])
			for _, p := range v.blocks("default_node_pool") {
				if err := move(w, name, platform.PoolTarget(p.text("name")), p.text("orchestrator_version")); err != nil {
					return err
				}
			}
			return nil
		},
		remove: func(w *platform.World, v values) error { return remove(w, v.text("name"), platform.ClusterTarget) },
	},
	"azurerm_kubernetes_cluster_node_pool": {
		replaces: []string{"kubernetes_cluster_id", "name"},
		read:     readPool("kubernetes_cluster_id", "name", "orchestrator_version"),
		create: func(w *platform.World, v values) error {
			v.put("id", v.text("kubernetes_cluster_id")+"/agentPools/"+v.text("name"))
			return createPool("kubernetes_cluster_id", "name", "orchestrator_version")(w, v)
		},
		update: movePool("kubernetes_cluster_id", "name", "orchestrator_version"),
		remove: removePool("kubernetes_cluster_id", "name"),
	},
	"azapi_update_resource": {
		replaces: []string{"type", "resource_id"},
		read: func(w *platform.World, v values) bool {
			c, target, property := azure(w, v)
			if c == nil {
				return false
			}
			version := c.ControlPlane[platform.Managed]
			if target != platform.ControlPlaneTarget(platform.Managed) {
				version = c.Pools[path.Base(v.text("resource_id"))]
			}
			v["body"] = tree(map[string]any{"properties": map[string]any{property: version}})
			return version != ""
		},
		create: updateAzure, update: updateAzure,
		remove: func(*platform.World, values) error { return nil }, // what it has set stays
	},
	"hcloud_server": {
		replaces: []string{"name", "user_data", "image", "location"},
		read: func(w *platform.World, v values) bool {
			c := w.Clusters[v.label("cluster")]
			if c == nil {
				return false
			}
			_, one := c.ControlPlane[v.text("name")]
			_, other := c.Pools[v.text("name")]
			return one || other
		},
		create: func(w *platform.World, v values) error {
			m := kubelet.FindStringSubmatch(v.text("user_data"))
			if m == nil {
				return fmt.Errorf("server %s boots without a machine configuration", v.text("name"))
			}
			name := v.label("cluster")
			if err := found(w, platform.Talos, name); err != nil {
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
		create:   func(w *platform.World, v values) error { return run(w, v, "create") },
		update:   func(*platform.World, values) error { return nil },
		remove:   func(w *platform.World, v values) error { return run(w, v, "destroy") },
	},
}

// newest is what the platforms run where nobody says anything.
const newest = "1.36"

// kubelet finds the version in a machine configuration.
var kubelet = regexp.MustCompile(`ghcr\.io/siderolabs/kubelet:(\S+)`)

// machine is the target that a server is.
func (v values) machine() string {
	if v.label("role") == "control-plane" {
		return platform.ControlPlaneTarget(v.text("name"))
	}
	return platform.PoolTarget(v.text("name"))
}

func (v values) kubeProxy() bool { return v.text("addon_name") == "kube-proxy" }

// found makes a cluster whose machines come one by one.
func found(w *platform.World, kind platform.Kind, name string) error {
	if w.Clusters[name] != nil {
		return nil
	}
	return w.Do(kind, name, platform.Operation{Action: platform.Create, Target: platform.ClusterTarget})
}

func create(w *platform.World, kind platform.Kind, name, version string) error {
	if err := w.Do(kind, name, platform.Operation{Action: platform.Create, Target: platform.ClusterTarget}); err != nil {
		return err
	}
	err := w.Do(kind, name, platform.Operation{Action: platform.Create, Target: platform.ControlPlaneTarget(platform.Managed), Version: version})
	if err != nil { // the platform makes it with a control plane, or not at all
		delete(w.Clusters, name)
	}
	return err
}

// move takes something to a version, unless it is there.
func move(w *platform.World, name, target, version string) error {
	c := w.Clusters[name]
	if c == nil {
		return fmt.Errorf("cluster %s was not found", name)
	}
	if version == "" || version == c.Version(target) {
		return nil
	}
	return w.Do(c.Kind, name, platform.Operation{Action: platform.Move, Target: target, Version: version})
}

func remove(w *platform.World, name, target string) error {
	c := w.Clusters[name]
	if c == nil || target != platform.ClusterTarget && c.Version(target) == "" {
		return nil
	}
	if err := w.Do(c.Kind, name, platform.Operation{Action: platform.Delete, Target: target}); err != nil {
		return err
	}
	if len(c.ControlPlane) == 0 && len(c.Pools) == 0 { // its last machine
		delete(w.Clusters, name)
	}
	return nil
}

// Pools name their cluster by its name or by an id that ends with it.

func readPool(cluster, name, version string) func(*platform.World, values) bool {
	return func(w *platform.World, v values) bool {
		c := w.Clusters[path.Base(v.text(cluster))]
		if c == nil || c.Pools[v.text(name)] == "" {
			return false
		}
		v.put(version, c.Pools[v.text(name)])
		return true
	}
}

func createPool(cluster, name, version string) func(*platform.World, values) error {
	return func(w *platform.World, v values) error {
		at := path.Base(v.text(cluster))
		c := w.Clusters[at]
		if c == nil {
			return fmt.Errorf("cluster %s was not found", at)
		}
		err := w.Do(c.Kind, at, platform.Operation{Action: platform.Create, Target: platform.PoolTarget(v.text(name)), Version: v.text(version)})
		if err != nil {
			return err
		}
		v.put(version, c.Pools[v.text(name)])
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

func installAddOn(w *platform.World, v values) error {
	c := w.Clusters[v.text("cluster_name")]
	if c == nil {
		return fmt.Errorf("cluster %s was not found", v.text("cluster_name"))
	}
	if !v.kubeProxy() {
		return nil
	}
	v.put("addon_version", v.either("addon_version", "v"+c.ControlPlane[platform.Managed]+".0-eksbuild.1"))
	if v.text("addon_version") == c.KubeProxy {
		return nil
	}
	return w.Do(c.Kind, v.text("cluster_name"), platform.Operation{Action: platform.Move, Target: platform.KubeProxyTarget, Version: v.text("addon_version")})
}

// azure finds what an azapi_update_resource sets: a cluster, what of it moves,
// and the property that names its version.
func azure(w *platform.World, v values) (c *platform.Cluster, target, property string) {
	id := v.text("resource_id")
	if cluster, pool, ok := strings.Cut(id, "/agentPools/"); ok {
		return w.Clusters[path.Base(cluster)], platform.PoolTarget(pool), "orchestratorVersion"
	}
	return w.Clusters[path.Base(id)], platform.ControlPlaneTarget(platform.Managed), "kubernetesVersion"
}

func updateAzure(w *platform.World, v values) error {
	c, target, property := azure(w, v)
	if c == nil {
		return fmt.Errorf("%s was not found", v.text("resource_id"))
	}
	cluster, _, _ := strings.Cut(v.text("resource_id"), "/agentPools/")
	body, _ := untree(v["body"]).(map[string]any)
	properties, _ := body["properties"].(map[string]any)
	version, _ := properties[property].(string)
	return move(w, path.Base(cluster), target, version)
}

// Commands of kubeadm and kubectl that change a node. A machine has the name of
// its host, without the domain.
var (
	upgrade = regexp.MustCompile(`kubeadm (init|join|upgrade).* --kubernetes-version v?(\S+)`)
	join    = regexp.MustCompile(`--control-plane`)
	leave   = regexp.MustCompile(`kubectl delete node (\S+)`)
)

// run does what the commands of an ssh_resource do.
func run(w *platform.World, v values, when string) error {
	if v.either("when", "create") != when {
		return nil
	}
	const name = "main"
	for _, line := range v.list("commands") {
		if m := leave.FindStringSubmatch(line); m != nil {
			if err := remove(w, name, platform.PoolTarget(m[1])); err != nil {
				return err
			}
			continue
		}
		m := upgrade.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if err := found(w, platform.Kubeadm, name); err != nil {
			return err
		}
		machine, _, _ := strings.Cut(v.text("host"), ".")
		target := platform.PoolTarget(machine)
		if join.MatchString(line) {
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
