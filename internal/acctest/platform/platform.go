// SPDX-License-Identifier: MPL-2.0

// Package platform simulates the platforms that run Kubernetes clusters. It keeps
// what runs, outside of any Terraform state, and refuses what the platforms
// refuse, in their words. The rules are written down from the documentation of
// the platforms, apart from the policies of the provider, so that one can be
// tested against the other.
package platform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kind is a platform.
type Kind string

// The platforms.
const (
	EKS     Kind = "eks"
	AKS     Kind = "aks"
	GKE     Kind = "gke"
	Talos   Kind = "talos"
	Kubeadm Kind = "kubeadm"
)

// Managed is the name of the only instance of a managed control plane.
const Managed = ""

// Cluster is what runs.
type Cluster struct {
	Kind Kind `json:"kind"`
	// ID tells this cluster from any other, also from a later one of its name.
	ID string `json:"id"`
	// ControlPlane has the version of every control-plane instance, its kubelet
	// included. A managed control plane has the single instance Managed.
	ControlPlane map[string]string `json:"control_plane"`
	// Pools has the version of the kubelets of every node pool or worker.
	Pools map[string]string `json:"pools"`
	// KubeProxy is the version of the kube-proxy add-on on every node. Empty
	// where kube-proxy comes with the node, at the version of its kubelet.
	KubeProxy string `json:"kube_proxy,omitempty"`
}

func (c Cluster) clone() Cluster {
	c.ControlPlane, c.Pools = maps.Clone(c.ControlPlane), maps.Clone(c.Pools)
	return c
}

// Fault makes one operation fail after it has been accepted.
type Fault struct {
	// Action and Target are those of the operation.
	Action Action `json:"action"`
	Target string `json:"target"`
	// Moved says that the version had arrived when the operation failed.
	Moved bool `json:"moved"`
}

// World is everything that runs, everywhere.
type World struct {
	Clusters map[string]*Cluster `json:"clusters"`
	// Faults are still to come. Each happens once.
	Faults []Fault `json:"faults,omitempty"`
	// History has every combination that has run, oldest first.
	History []Moment `json:"history,omitempty"`
	// Made counts the clusters that were ever made.
	Made int `json:"made"`
}

// Moment is what ran after an operation, or what the platform said to it.
type Moment struct {
	Operation Operation `json:"operation"`
	Cluster   Cluster   `json:"cluster"`
	Refused   string    `json:"refused,omitempty"`
	Failed    bool      `json:"failed,omitempty"`
}

// Action is what an operation does.
type Action string

// The actions.
const (
	Create Action = "create"
	Move   Action = "move"
	Delete Action = "delete"
)

// Operation changes one thing that has a version.
type Operation struct {
	Action Action `json:"action"`
	// Target is cluster, control_plane/NAME, pool/NAME or kube_proxy.
	Target  string `json:"target"`
	Version string `json:"version,omitempty"`
}

func (o Operation) String() string {
	return fmt.Sprintf("%s %s %s", o.Action, o.Target, o.Version)
}

// ControlPlaneTarget is the target of a control-plane instance.
func ControlPlaneTarget(name string) string { return "control_plane/" + name }

// PoolTarget is the target of a node pool.
func PoolTarget(name string) string { return "pool/" + name }

// The targets that a cluster has once.
const (
	ClusterTarget   = "cluster"
	KubeProxyTarget = "kube_proxy"
)

// ErrFault is what a fault says.
var ErrFault = errors.New("the operation timed out: nodes failed to become ready")

// Do takes an operation on a cluster, and refuses it in the words of the
// platform.
func (w *World) Do(kind Kind, name string, o Operation) error {
	if w.Clusters == nil {
		w.Clusters = map[string]*Cluster{}
	}
	fault := w.fault(o)
	if fault != nil && !fault.Moved {
		w.note(name, Moment{Operation: o, Failed: true})
		return ErrFault
	}
	if o.Target == ClusterTarget {
		if err := w.cluster(kind, name, o); err != nil {
			w.note(name, Moment{Operation: o, Refused: err.Error()})
			return err
		}
	} else {
		c := w.Clusters[name]
		if c == nil {
			return fmt.Errorf("cluster %q was not found", name)
		}
		next, err := c.Try(o)
		if err != nil {
			w.note(name, Moment{Operation: o, Refused: err.Error()})
			return err
		}
		*c = next
	}
	w.note(name, Moment{Operation: o, Failed: fault != nil})
	if fault != nil {
		return ErrFault
	}
	return nil
}

func (w *World) cluster(kind Kind, name string, o Operation) error {
	switch o.Action {
	case Create:
		if w.Clusters[name] != nil {
			return fmt.Errorf("cluster %q already exists", name)
		}
		w.Made++
		c := &Cluster{Kind: kind, ID: fmt.Sprintf("%s-%d", name, w.Made), ControlPlane: map[string]string{}, Pools: map[string]string{}}
		if o.Version != "" {
			if _, err := parse(o.Version); err != nil {
				return err
			}
			c.ControlPlane[Managed] = o.Version
		}
		w.Clusters[name] = c
	case Delete:
		if c := w.Clusters[name]; c != nil && len(c.Pools) > 0 && c.Kind == EKS {
			return errors.New("ResourceInUseException: Cluster has nodegroups attached")
		}
		delete(w.Clusters, name)
	case Move:
		return errors.New("a cluster has no version of its own")
	}
	return nil
}

// fault takes the next fault of an operation from the list.
func (w *World) fault(o Operation) *Fault {
	for i, f := range w.Faults {
		if f.Action == o.Action && f.Target == o.Target {
			w.Faults = slices.Delete(w.Faults, i, i+1)
			return &f
		}
	}
	return nil
}

func (w *World) note(name string, m Moment) {
	if c := w.Clusters[name]; c != nil {
		m.Cluster = c.clone()
	}
	w.History = append(w.History, m)
}

// Try returns the cluster as it is after an operation, or what the platform says
// against it. Nothing changes.
func (c Cluster) Try(o Operation) (Cluster, error) {
	next := c.clone()
	if o.Target == KubeProxyTarget {
		return next, next.moveKubeProxy(o)
	}
	versions, allowed := next.Pools, rules[c.Kind].pool
	key, isPool := strings.CutPrefix(o.Target, PoolTarget(""))
	if !isPool {
		versions, allowed = next.ControlPlane, rules[c.Kind].controlPlane
		key = strings.TrimPrefix(o.Target, ControlPlaneTarget(""))
	}
	before, there := versions[key]
	switch o.Action {
	case Delete:
		delete(versions, key)
		return next, nil
	case Create:
		if there {
			return c, fmt.Errorf("%s already exists", o.Target)
		}
	case Move:
		if !there {
			return c, fmt.Errorf("%s was not found", o.Target)
		}
	}
	if o.Action == Create && o.Version == "" { // the platform decides: as the control plane
		o.Version = c.ControlPlane[Managed]
	}
	to, err := parse(o.Version)
	if err != nil {
		return c, err
	}
	change := change{target: o.Target, name: key, to: to, version: o.Version, old: c}
	if there {
		from, err := parse(before)
		if err != nil {
			return c, err
		}
		change.from = &from
		change.before = before
	}
	if err := allowed(change); err != nil {
		return c, err
	}
	versions[key] = o.Version
	return next, nil
}

func (c *Cluster) moveKubeProxy(o Operation) error {
	if o.Action == Delete {
		c.KubeProxy = ""
		return nil
	}
	to, err := parse(o.Version)
	if err != nil {
		return err
	}
	if err := rules[c.Kind].kubeProxy(change{target: o.Target, to: to, version: o.Version, old: *c}); err != nil {
		return err
	}
	c.KubeProxy = o.Version
	return nil
}

// Version is what a target runs; empty if it does not.
func (c Cluster) Version(target string) string {
	if name, ok := strings.CutPrefix(target, PoolTarget("")); ok {
		return c.Pools[name]
	}
	if name, ok := strings.CutPrefix(target, ControlPlaneTarget("")); ok {
		return c.ControlPlane[name]
	}
	return c.KubeProxy
}
