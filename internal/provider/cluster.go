// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// clusterReader turns the cluster attributes into a cluster and reports everything
// that is wrong with them.
type clusterReader struct {
	// under is the attribute that holds the cluster attributes, or "" if they are at
	// the top level.
	under   string
	cluster skew.Cluster
	// scheme is the version scheme of the policy. It is nil for Kubernetes versions,
	// and while the policy is not known.
	scheme *version.Scheme
	// emulated is the cluster-wide emulated version.
	emulated emulation
	// unknown lists the attributes that are not known yet.
	unknown []string
	// unset lists the node pools and instances that do not set any version.
	unset    []string
	diags    diag.Diagnostics
	versions map[written]*parsed
}

// written is a version as the user wrote it. The version scheme of the policy does not
// apply to the attribute components.
type written struct {
	text           string
	otherComponent bool
}

func (w written) parse(scheme *version.Scheme) (version.Version, error) {
	if w.otherComponent {
		return version.Parse(w.text)
	}
	return scheme.ParseDeclared(w.text)
}

type parsed struct {
	version version.Version
	err     error
	// An invalid version is reported once, at the first of its places.
	places []string
	at     path.Path
	index  int // of its diagnostic in clusterReader.diags
}

// clusterModel holds the attributes of clusterAttributes.
type clusterModel struct {
	ControlPlaneVersion tftypes.Value `tfsdk:"control_plane_version"`
	ControlPlane        tftypes.Value `tfsdk:"control_plane"`
	EmulatedVersion     tftypes.Value `tfsdk:"emulated_version"`
	APIServerEndpoint   tftypes.Value `tfsdk:"apiserver_endpoint"`
	NodePools           tftypes.Value `tfsdk:"node_pools"`
	KubeProxy           tftypes.Value `tfsdk:"kube_proxy"`
	Kubectl             tftypes.Value `tfsdk:"kubectl"`
	Components          tftypes.Value `tfsdk:"components"`
	AdmissionWebhooks   tftypes.Value `tfsdk:"admission_webhooks"`
}

// readClusterOf reads a cluster from the cluster attributes of an object.
func readClusterOf(object tftypes.Value, under string, scheme *version.Scheme) *clusterReader {
	var m clusterModel
	tfvalue.Read(object, &m)
	return readCluster(m, under, scheme)
}

// readCluster reads cluster attributes. Versions are read in a version scheme, which may be
// nil. Attributes that are null are not declared. The cluster holds the known values even if
// there are errors.
func readCluster(m clusterModel, under string, scheme *version.Scheme) *clusterReader {
	r := &clusterReader{under: under, scheme: scheme, versions: map[written]*parsed{}}
	r.emulated = r.emulation(m.EmulatedVersion, finding.AtAttribute(emulatedVersion), "")
	r.controlPlaneVersion(m)
	r.places(m.ControlPlane, finding.ControlPlane, r.controlPlaneInstance)
	r.places(m.NodePools, finding.NodePools, r.node)
	r.kubeProxy(m.KubeProxy)
	r.list(m.Kubectl, finding.AtAttribute(finding.Kubectl), "kubectl")
	r.components(m.Components)

	endpoint := m.APIServerEndpoint
	r.oneOf(endpoint, finding.AtAttribute("apiserver_endpoint"), "apiserver_endpoint", endpoints)
	if !endpoint.IsKnown() {
		r.unknown = append(r.unknown, r.qualify("apiserver_endpoint"))
	}
	// An unknown endpoint counts as local, which only checks pairs that are checked
	// in either case.
	r.cluster.LocalEndpoint = tfvalue.String(endpoint) == localEndpoint || !endpoint.IsKnown()
	r.webhooks(m.AdmissionWebhooks)
	return r
}

func (r *clusterReader) controlPlaneVersion(m clusterModel) {
	v, at := m.ControlPlaneVersion, finding.AtAttribute(finding.ControlPlaneVersion)
	if tfvalue.IsSet(v) && tfvalue.IsSet(m.ControlPlane) {
		r.complain(at, report.ConflictingControlPlanes)
	}
	if v.IsNull() {
		return
	}
	place := skew.Place{Location: at}
	declared, ok := r.version(v, at, "")
	if !ok {
		return
	}
	for _, component := range skew.ControlPlaneComponents {
		place.Instances = append(place.Instances, r.emulating(skew.Instance{Component: component, Version: declared}, r.emulated))
	}
	r.cluster.Places = append(r.cluster.Places, place)
}

// places reads control_plane or node_pools.
func (r *clusterReader) places(elements tftypes.Value, attribute finding.Attribute, read func(*skew.Place, map[string]tftypes.Value)) {
	if r.isUnknown(elements, finding.AtAttribute(attribute)) {
		return
	}
	objects := tfvalue.Fields(elements)
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		at := finding.AtKey(attribute, name)
		if !r.hasName(name, finding.AtAttribute(attribute)) || r.isUnknown(objects[name], at) {
			continue
		}
		place := skew.Place{Location: at}
		fields := tfvalue.Fields(objects[name])
		declares := false
		for field, v := range fields {
			declares = declares || field != emulatedVersion && !v.IsNull()
		}
		if !declares { // in many modules, the platform then chooses the version
			r.unset = append(r.unset, r.qualify(at.String()))
			continue
		}
		read(&place, fields)
		r.cluster.Places = append(r.cluster.Places, place)
	}
}

// kubeProxy reads the cluster-wide kube-proxy. The node pools must have been read.
func (r *clusterReader) kubeProxy(v tftypes.Value) {
	at := finding.AtAttribute(finding.KubeProxy)
	if declared, ok := r.version(v, at, ""); ok && !v.IsNull() {
		r.cluster = r.cluster.WithKubeProxy(declared)
	}
}

func (r *clusterReader) controlPlaneInstance(place *skew.Place, fields map[string]tftypes.Value) {
	shared := fields["version"]
	declared, ok := r.version(shared, place.Location, ".version")
	emulated := r.emulated
	if own := fields[emulatedVersion]; !own.IsNull() {
		emulated = r.emulation(own, place.Location, "."+emulatedVersion)
	}
	for _, component := range skew.ControlPlaneComponents {
		usesShared := fields[attributeName(component)].IsNull() && ok && !shared.IsNull()
		if usesShared {
			place.Instances = append(place.Instances, skew.Instance{Component: component, Version: declared})
		} else {
			r.component(place, fields, component)
		}
		if n := len(place.Instances); n > 0 && (usesShared || place.Instances[n-1].Component == skew.APIServer) {
			place.Instances[n-1] = r.emulating(place.Instances[n-1], emulated)
		}
	}
	r.node(place, fields)
}

func (r *clusterReader) node(place *skew.Place, fields map[string]tftypes.Value) {
	for _, component := range nodeComponents {
		r.component(place, fields, component)
	}
}

// component reads the attribute that holds the version of a component.
func (r *clusterReader) component(place *skew.Place, fields map[string]tftypes.Value, component string) {
	name := attributeName(component)
	v := fields[name]
	if declared, ok := r.version(v, place.Location, "."+name); ok && !v.IsNull() {
		place.Instances = append(place.Instances, skew.Instance{Component: component, Version: declared})
	}
}

// list reads a list of versions of one component.
func (r *clusterReader) list(v tftypes.Value, at finding.Location, component string) {
	if r.isUnknown(v, at) {
		return
	}
	for i, element := range tfvalue.Elements(v) {
		place := skew.Place{Location: finding.AtIndex(at.Attribute, at.Key, i)}
		if element.IsNull() {
			r.complain(place.Location, report.MissingVersion(r.qualify(place.Location.String())))
			continue
		}
		if declared, ok := r.version(element, place.Location, ""); ok {
			place.Instances = []skew.Instance{{Component: component, Version: declared}}
			r.cluster.Places = append(r.cluster.Places, place)
		}
	}
}

func (r *clusterReader) components(v tftypes.Value) {
	if r.isUnknown(v, finding.AtAttribute(finding.Components)) {
		return
	}
	lists := tfvalue.Fields(v)
	for _, component := range slices.Sorted(maps.Keys(lists)) {
		if r.hasName(component, finding.AtAttribute(finding.Components)) {
			r.list(lists[component], finding.AtKey(finding.Components, component), component)
		}
	}
}

func (r *clusterReader) webhooks(v tftypes.Value) {
	if !v.IsKnown() {
		r.unknown = append(r.unknown, r.qualify(string(finding.AdmissionWebhooks)))
	}
	webhooks := tfvalue.Fields(v)
	for _, name := range slices.Sorted(maps.Keys(webhooks)) {
		at := finding.AtKey(finding.AdmissionWebhooks, name)
		matchPolicy := tfvalue.Fields(webhooks[name])["match_policy"]
		r.oneOf(matchPolicy, at, at.String()+".match_policy", matchPolicies)
		if r.cluster.Webhooks == nil {
			r.cluster.Webhooks = map[string]string{}
		}
		if webhooks[name].IsFullyKnown() {
			r.cluster.Webhooks[name] = tfvalue.String(matchPolicy)
		} else {
			r.unknown = append(r.unknown, r.qualify(at.String()))
		}
	}
}

// version reads one version: that of an attribute such as ".kubelet" at a location, or that
// of the location itself. ok is false if it is invalid, which has then been reported. A null
// or unknown version is the zero version.
func (r *clusterReader) version(v tftypes.Value, at finding.Location, attribute string) (_ version.Version, ok bool) {
	if !v.IsKnown() {
		r.unknown = append(r.unknown, r.qualify(at.String()+attribute))
		return version.Version{}, true
	}
	if v.IsNull() {
		return version.Version{}, true
	}
	s := tfvalue.String(v)
	key := written{s, at.Attribute == finding.Components}
	p := r.versions[key]
	if p == nil {
		p = &parsed{}
		p.version, p.err = key.parse(r.scheme)
		r.versions[key] = p
	}
	if p.err != nil {
		r.invalidVersion(s, p, r.path(at), r.qualify(at.String()+attribute))
	}
	return p.version, p.err == nil
}

// invalidVersion reports an invalid version at one more place.
func (r *clusterReader) invalidVersion(text string, p *parsed, at path.Path, place string) {
	if len(p.places) == 0 {
		p.at, p.index = at, len(r.diags)
		r.diags = append(r.diags, nil)
	}
	p.places = append(p.places, place)
	describe := report.InvalidVersion
	if text == "" {
		describe = report.EmptyVersion
	}
	r.diags[p.index] = errorAt(p.at, describe(p.places, text, p.err))
}

// isUnknown reports whether a value is unknown, and records its location if it is.
func (r *clusterReader) isUnknown(v tftypes.Value, at finding.Location) bool {
	if v.IsKnown() {
		return false
	}
	r.unknown = append(r.unknown, r.qualify(at.String()))
	r.cluster.Partial = true
	return true
}

// hasName reports whether an element has a name, and complains if it has none.
func (r *clusterReader) hasName(name string, in finding.Location) bool {
	if name == "" {
		r.complain(in, report.EmptyName(r.qualify(in.String())))
	}
	return name != ""
}

func (r *clusterReader) oneOf(v tftypes.Value, at finding.Location, name string, allowed []string) {
	r.diags.Append(checkChoice(v, r.path(at), r.qualify(name), allowed)...)
}

func (r *clusterReader) complain(at finding.Location, d report.Description) {
	r.diags.Append(errorAt(r.path(at), d))
}

// qualify returns an attribute as the user writes it, including the attribute that it is
// under.
func (r *clusterReader) qualify(name string) string {
	if r.under == "" {
		return name
	}
	return r.under + "." + name
}

// path returns the path for diagnostics about a location. It is never deeper than an
// element of a top-level attribute, because the CLIs do not find the source line of
// deeper paths.
func (r *clusterReader) path(at finding.Location) path.Path {
	if r.under != "" {
		return path.Root(r.under)
	}
	return pathOf(at)
}

func pathOf(at finding.Location) path.Path {
	p := path.Root(string(at.Attribute))
	switch {
	case at.Key != "":
		return p.AtMapKey(at.Key)
	case at.Index >= 0:
		return p.AtListIndex(at.Index)
	}
	return p
}
