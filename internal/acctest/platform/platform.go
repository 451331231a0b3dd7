// SPDX-License-Identifier: MPL-2.0

// Package platform simulates the platforms that run Kubernetes clusters: EKS, AKS, GKE,
// DigitalOcean, Talos and kubeadm. Tests use it in place of a cloud, to find out what an apply would do
// to real clusters.
//
// A World records which versions run in each cluster, independently of any Terraform
// state. World.Do performs an operation, such as an upgrade of a node pool, or rejects it
// with the error message of the real platform. Tests can add faults, which make an
// operation fail after the platform has accepted it, and can read the history of all
// versions that ran.
//
// The rules come from the documentation of the platforms and share no code with the
// policies of the provider, so that tests can compare the two.
package platform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kind names a platform.
type Kind string

// The simulated platforms.
const (
	EKS     Kind = "eks"
	AKS     Kind = "aks"
	GKE     Kind = "gke"
	DOKS    Kind = "doks"
	Talos   Kind = "talos"
	Kubeadm Kind = "kubeadm"
)

// Managed is the instance name of a managed control plane, which has only one.
const Managed = ""

// Cluster contains the versions that run in a cluster.
type Cluster struct {
	Kind Kind
	// ID is unique, even among clusters that had the same name at different times.
	ID string
	// ControlPlane contains the version of each control-plane instance, including its
	// kubelet. A managed control plane has the single instance Managed.
	ControlPlane map[string]string
	// Pools contains the kubelet version of each node pool or worker.
	Pools map[string]string
	// KubeProxy is the version of the kube-proxy add-on on all nodes. It is empty if
	// kube-proxy is part of each node and has the version of its kubelet.
	KubeProxy string
	// AddOn is the version of the add-on AddOnName, or "" if it is not installed. The
	// platform accepts any version.
	AddOn string
	// Emulated is the minor that the API servers emulate, or "" if it is their own.
	Emulated string
}

func (c Cluster) clone() Cluster {
	c.ControlPlane, c.Pools = maps.Clone(c.ControlPlane), maps.Clone(c.Pools)
	return c
}

// Fault makes an operation fail after the platform has accepted it.
type Fault struct {
	// Action and Target select the operation.
	Action Action
	Target string
	// Moved makes the operation fail after the version has changed, not before.
	Moved bool
}

// World contains all clusters and their history.
type World struct {
	Clusters map[string]*Cluster
	// Offered lists the versions that the platform offers for control planes and node
	// pools. If it is empty, the platform offers every version. Some platforms also
	// accept the version of the control plane for a node pool: see rule.poolsFollow.
	Offered []string
	// Faults are the faults that have not occurred yet. Each occurs once.
	Faults []Fault
	// History contains the result of every operation, oldest first.
	History []Event
	// Created counts the generated IDs and names so far, to make them unique.
	Created int
	// NodeGroups contains the EKS node groups with a generated name, by name.
	NodeGroups map[string]NodeGroup
}

// NodeGroup is an EKS node group with a generated name. Its pool has the name without the
// generated suffix, as long as no other group of the cluster has that name.
type NodeGroup struct {
	Cluster string
	Pool    string
	Tags    map[string]string
}

// Event is the result of an operation: the versions that run after it, or the error of
// the platform.
type Event struct {
	Operation Operation
	Cluster   Cluster
	Refused   string
	Failed    bool
}

// Action is the type of an operation.
type Action string

// The actions.
const (
	Create Action = "create"
	Move   Action = "move"
	Delete Action = "delete"
)

// Operation creates, moves or deletes something that has a version.
type Operation struct {
	Action Action
	// Target is cluster, control_plane/NAME, pool/NAME, kube_proxy or add_on.
	Target  string
	Version string
}

func (o Operation) String() string {
	return fmt.Sprintf("%s %s %s", o.Action, o.Target, o.Version)
}

// ControlPlaneTarget returns the target for a control-plane instance.
func ControlPlaneTarget(name string) string { return "control_plane/" + name }

// PoolTarget returns the target for a node pool or worker.
func PoolTarget(name string) string { return "pool/" + name }

// The targets that exist once per cluster.
const (
	ClusterTarget   = "cluster"
	KubeProxyTarget = "kube_proxy"
	AddOnTarget     = "add_on"
)

// AddOnName is the name of the add-on that clusters can run: see Violations for what it
// requires.
const AddOnName = "agent"

// ErrFault is the error of an operation that a fault has stopped.
var ErrFault = errors.New("the operation timed out: nodes failed to become ready")

// Do performs an operation on the named cluster and records the result. If the platform
// rejects the operation, Do returns its error.
func (w *World) Do(kind Kind, name string, o Operation) error {
	fault := w.fault(o)
	if fault != nil && !fault.Moved {
		w.record(name, Event{Operation: o, Failed: true})
		return ErrFault
	}
	if err := w.perform(kind, name, o); err != nil {
		w.record(name, Event{Operation: o, Refused: err.Error()})
		return err
	}
	w.record(name, Event{Operation: o, Failed: fault != nil})
	if fault != nil {
		return ErrFault
	}
	return nil
}

func (w *World) perform(kind Kind, name string, o Operation) error {
	c := w.Clusters[name]
	switch {
	case o.Target == ClusterTarget && o.Action == Delete:
		if c != nil && len(c.Pools) > 0 && c.Kind == EKS {
			return errors.New("ResourceInUseException: Cluster has nodegroups attached")
		}
		delete(w.Clusters, name)
	case o.Target == ClusterTarget:
		if c != nil {
			return fmt.Errorf("cluster %q already exists", name)
		}
		if w.Clusters == nil {
			w.Clusters = map[string]*Cluster{}
		}
		w.Created++
		w.Clusters[name] = &Cluster{Kind: kind, ID: fmt.Sprintf("%s-%d", name, w.Created), ControlPlane: map[string]string{}, Pools: map[string]string{}}
	case c == nil:
		return fmt.Errorf("cluster %q was not found", name)
	default:
		next, err := w.Try(*c, o)
		if err != nil {
			return err
		}
		*c = next
	}
	return nil
}

// Try returns the cluster after an operation, or the error of the platform. It does not
// change c.
func (w *World) Try(c Cluster, o Operation) (Cluster, error) {
	before := c.Version(o.Target)
	switch {
	case o.Action == Delete:
		return c.with(o.Target, ""), nil
	case o.Target == AddOnTarget:
		return c.with(o.Target, o.Version), nil
	case o.Action == Create && before != "":
		return c, fmt.Errorf("%s already exists", o.Target)
	case o.Action == Move && before == "":
		return c, fmt.Errorf("%s was not found", o.Target)
	case o.Version == "": // by default, a pool gets the version of the control plane
		o.Version = c.ControlPlane[Managed]
	}
	to, err := parse(o.Version)
	if err != nil {
		return c, err
	}
	change := change{to: to, old: c}
	if before != "" {
		from, err := parse(before)
		if err != nil {
			return c, err
		}
		change.from = &from
	}
	r := rules[c.Kind]
	check, isOffered := r.controlPlane, w.offers(o.Version)
	switch {
	case o.Target == KubeProxyTarget:
		check, isOffered = eksAddOn, true
	case strings.HasPrefix(o.Target, PoolTarget("")):
		check, isOffered = r.pool, isOffered || r.poolsFollow && o.Version == c.ControlPlane[Managed]
	}
	if err := check(change); err != nil {
		return c, err
	}
	if !isOffered {
		return c, fmt.Errorf(r.notOffered, o.Version)
	}
	return c.with(o.Target, o.Version), nil
}

// offers reports whether the platform offers a version. A minor stands for all its
// patches.
func (w *World) offers(version string) bool {
	return len(w.Offered) == 0 || slices.ContainsFunc(w.Offered, func(offered string) bool {
		return offered == version || strings.HasPrefix(offered, version+".")
	})
}

// fault removes and returns the next fault that matches an operation.
func (w *World) fault(o Operation) *Fault {
	for i, f := range w.Faults {
		if f.Action == o.Action && f.Target == o.Target {
			w.Faults = slices.Delete(w.Faults, i, i+1)
			return &f
		}
	}
	return nil
}

func (w *World) record(name string, m Event) {
	if c := w.Clusters[name]; c != nil {
		m.Cluster = c.clone()
	}
	w.History = append(w.History, m)
}

// Version returns the version of a target, or "" if the target does not exist.
func (c Cluster) Version(target string) string {
	switch target {
	case KubeProxyTarget:
		return c.KubeProxy
	case AddOnTarget:
		return c.AddOn
	}
	versions, name := c.versionsWith(target)
	return versions[name]
}

// with returns the cluster with another version of a target, or without the target if the
// version is "".
func (c Cluster) with(target, version string) Cluster {
	c = c.clone()
	switch target {
	case KubeProxyTarget:
		c.KubeProxy = version
	case AddOnTarget:
		c.AddOn = version
	default:
		versions, name := c.versionsWith(target)
		versions[name] = version
		if version == "" {
			delete(versions, name)
		}
	}
	return c
}

// versionsWith returns the versions that contain that of a control-plane instance or node
// pool, and its name.
func (c Cluster) versionsWith(target string) (versions map[string]string, name string) {
	if name, ok := strings.CutPrefix(target, PoolTarget("")); ok {
		return c.Pools, name
	}
	return c.ControlPlane, strings.TrimPrefix(target, ControlPlaneTarget(""))
}
