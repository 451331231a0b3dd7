// SPDX-License-Identifier: MPL-2.0

package finding

import (
	"cmp"
	"slices"
	"strconv"
)

// Location is where an instance is declared in the configuration.
type Location struct {
	Attribute Attribute
	Key       string // key of a map element, "" if the attribute is not a map
	Index     int    // index of a list element, -1 if there is no list
}

// Attribute is the part of a declaration that a location belongs to.
type Attribute string

// The attributes that hold versions, in the order in which they are reported.
const (
	// ControlPlaneVersion is a managed control plane, which is a single place.
	ControlPlaneVersion Attribute = "control_plane_version"
	ControlPlane        Attribute = "control_plane"
	NodePools           Attribute = "node_pools"
	// KubeProxy is a kube-proxy for the whole cluster: see Instance.ClusterWide.
	KubeProxy  Attribute = "kube_proxy"
	Kubectl    Attribute = "kubectl"
	Components Attribute = "components"
	// AdmissionWebhooks does not contain versions, but findings can be about a
	// webhook.
	AdmissionWebhooks Attribute = "admission_webhooks"
)

var attributeOrder = []Attribute{ControlPlaneVersion, ControlPlane, NodePools, KubeProxy, Kubectl, Components, AdmissionWebhooks}

// noIndex is the index of a location that is not a list element.
const noIndex = -1

// AtAttribute returns the location of an attribute with a single value.
func AtAttribute(a Attribute) Location { return Location{a, "", noIndex} }

// AtKey returns the location of a map element.
func AtKey(a Attribute, key string) Location { return Location{a, key, noIndex} }

// AtIndex returns the location of a list element. key is "" unless the list is a
// map element itself.
func AtIndex(a Attribute, key string, index int) Location { return Location{a, key, index} }

// String returns the location in the form node_pools["gpu"] or kubectl[0].
func (l Location) String() string {
	s := string(l.Attribute)
	if l.Key != "" {
		s += "[" + strconv.Quote(l.Key) + "]"
	}
	if l.Index >= 0 {
		s += "[" + strconv.Itoa(l.Index) + "]"
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

// Distinct sorts locations and removes duplicates, in place.
func Distinct(locations []Location) []Location {
	slices.SortFunc(locations, Location.Compare)
	return slices.Compact(locations)
}

// InControlPlane reports whether the location is a control-plane instance or the
// managed control plane.
func (l Location) InControlPlane() bool {
	return l.Attribute == ControlPlaneVersion || l.Attribute == ControlPlane
}
