package finding

import (
	"cmp"
	"fmt"
	"slices"
)

// Location is where an instance runs, in the words of the declaration.
type Location struct {
	Attribute Attribute
	Key       string // of a map element; "" where the attribute is no map
	Index     int    // of a list element; -1 where there is no list
}

// Attribute is the part of a declaration that a location belongs to.
type Attribute string

// The attributes that hold versions, in the order in which they are reported.
const (
	// ControlPlaneVersion is a managed control plane: one place that nobody
	// but its platform looks into.
	ControlPlaneVersion Attribute = "control_plane_version"
	ControlPlane        Attribute = "control_plane"
	NodePools           Attribute = "node_pools"
	// KubeProxy is a kube-proxy for the whole cluster: see Instance.ClusterWide.
	KubeProxy  Attribute = "kube_proxy"
	Kubectl    Attribute = "kubectl"
	Components Attribute = "components"
	// AdmissionWebhooks holds no versions, but findings may be about one.
	AdmissionWebhooks Attribute = "admission_webhooks"
)

var attributeOrder = []Attribute{ControlPlaneVersion, ControlPlane, NodePools, KubeProxy, Kubectl, Components, AdmissionWebhooks}

// noIndex is the index of a location that is no element of a list.
const noIndex = -1

// AtAttribute is the location of an attribute that holds a single value.
func AtAttribute(a Attribute) Location { return Location{a, "", noIndex} }

// AtKey is the location of an element of a map.
func AtKey(a Attribute, key string) Location { return Location{a, key, noIndex} }

// AtIndex is the location of an element of a list; key is "" unless the list is
// an element of a map itself.
func AtIndex(a Attribute, key string, index int) Location { return Location{a, key, index} }

// String spells the location as in node_pools["gpu"] or kubectl[0].
func (l Location) String() string {
	s := string(l.Attribute)
	if l.Key != "" {
		s += fmt.Sprintf("[%q]", l.Key)
	}
	if l.Index >= 0 {
		s += fmt.Sprintf("[%d]", l.Index)
	}
	return s
}

// Compare orders locations by attribute, key and index.
func (l Location) Compare(m Location) int {
	if l.Attribute != m.Attribute {
		return cmp.Compare(slices.Index(attributeOrder, l.Attribute), slices.Index(attributeOrder, m.Attribute))
	}
	return cmp.Or(cmp.Compare(l.Key, m.Key), cmp.Compare(l.Index, m.Index))
}

// InControlPlane reports whether the location is a control-plane instance, or
// stands for all of them.
func (l Location) InControlPlane() bool {
	return l.Attribute == ControlPlaneVersion || l.Attribute == ControlPlane
}
