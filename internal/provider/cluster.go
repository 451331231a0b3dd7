// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// clusterReader turns the cluster attributes into a cluster, and reports all
// that is wrong with them.
type clusterReader struct {
	// under is the attribute that holds the cluster attributes, "" at the top.
	under   string
	cluster skew.Cluster
	// scheme is what the policy says of how versions are written, nil while there is
	// no policy.
	scheme *version.Scheme
	// emulated is what the API servers of the cluster emulate.
	emulated emulation
	// unknown names what is not known yet, as it is spelled.
	unknown []string
	// silent are the elements that set no version, as they are spelled.
	silent   []string
	diags    diag.Diagnostics
	versions map[written]parsed
	// invalid is what is not a version, by how it is written.
	invalid map[written]*invalid
}

// invalid is where something is written that is not a version.
type invalid struct {
	index int // of its diagnostic
	at    path.Path
	names []string
}

// written is a version as it is written. Further components count in numbers of
// their own.
type written struct {
	text    string
	further bool
}

func (w written) parse(scheme *version.Scheme) (version.Version, error) {
	if w.further {
		return version.Parse(w.text)
	}
	return scheme.ParseDeclared(w.text)
}

type parsed struct {
	version version.Version
	err     error
}

// readCluster reads the attributes of an object, in the numbers of a scheme. Whatever
// is null or missing is not declared. The cluster holds what is known, even if there
// are errors.
func readCluster(attributes map[string]tftypes.Value, under string, scheme *version.Scheme) *clusterReader {
	r := &clusterReader{under: under, scheme: scheme, versions: map[written]parsed{}}
	r.emulated = r.emulation(attributes[emulatedVersion], finding.AtAttribute(emulatedVersion), emulatedVersion)
	r.controlPlaneVersion(attributes)
	r.places(attributes, finding.ControlPlane, r.controlPlaneInstance)
	r.places(attributes, finding.NodePools, r.node)
	r.kubeProxy(attributes[string(finding.KubeProxy)])
	r.list(attributes[string(finding.Kubectl)], finding.AtAttribute(finding.Kubectl), "kubectl")
	r.components(attributes[string(finding.Components)])

	endpoint := attributes["apiserver_endpoint"]
	r.oneOf(endpoint, finding.AtAttribute("apiserver_endpoint"), "apiserver_endpoint", endpoints)
	if !endpoint.IsKnown() {
		r.unknown = append(r.unknown, r.spell("apiserver_endpoint"))
	}
	// An endpoint that is not known yet is taken for a local one: that judges
	// only pairs which count either way.
	r.cluster.LocalEndpoint = tfvalue.String(endpoint) == localEndpoint || !endpoint.IsKnown()
	r.webhooks(attributes["admission_webhooks"])
	return r
}

func (r *clusterReader) controlPlaneVersion(attributes map[string]tftypes.Value) {
	v := attributes[string(finding.ControlPlaneVersion)]
	at := finding.AtAttribute(finding.ControlPlaneVersion)
	if tfvalue.IsSet(v) && tfvalue.IsSet(attributes[string(finding.ControlPlane)]) {
		r.complain(at, "Conflicting attributes: control_plane_version and control_plane",
			"Both control_plane_version and control_plane are set. The first stands for a managed control plane, the second spells its instances out.\n\nTo repair: remove one of them.")
	}
	if v.IsNull() {
		return
	}
	place := skew.Place{Location: at}
	declared, ok := r.version(v, at, at.String())
	if !ok {
		return
	}
	for _, component := range skew.ControlPlaneComponents {
		place.Instances = append(place.Instances, r.emulating(skew.Instance{Component: component, Version: declared}, r.emulated))
	}
	r.cluster.Places = append(r.cluster.Places, place)
}

// places reads a map of objects that hold versions.
func (r *clusterReader) places(attributes map[string]tftypes.Value, attribute finding.Attribute, read func(*skew.Place, map[string]tftypes.Value)) {
	elements := attributes[string(attribute)]
	if r.open(elements, finding.AtAttribute(attribute)) {
		return
	}
	objects := tfvalue.Fields(elements)
	for _, name := range sortedKeys(objects) {
		at := finding.AtKey(attribute, name)
		if !r.named(name, finding.AtAttribute(attribute)) || r.open(objects[name], at) {
			continue
		}
		place := skew.Place{Location: at}
		fields := tfvalue.Fields(objects[name])
		// In many modules a version that is null means that the platform decides.
		if !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(field string) bool { return field != emulatedVersion && !fields[field].IsNull() }) {
			r.silent = append(r.silent, r.spell(at.String()))
			continue
		}
		read(&place, fields)
		r.cluster.Places = append(r.cluster.Places, place)
	}
}

// kubeProxy reads the kube-proxy of the whole cluster, after the node pools.
func (r *clusterReader) kubeProxy(v tftypes.Value) {
	at := finding.AtAttribute(finding.KubeProxy)
	if declared, ok := r.version(v, at, at.String()); ok && !v.IsNull() {
		r.cluster = r.cluster.WithKubeProxy(declared)
	}
}

func (r *clusterReader) controlPlaneInstance(place *skew.Place, fields map[string]tftypes.Value) {
	rest := fields["version"]
	declared, ok := r.version(rest, place.Location, place.Location.String()+".version")
	emulated := r.emulated
	if own := fields[emulatedVersion]; !own.IsNull() {
		emulated = r.emulation(own, place.Location, place.Location.String()+"."+emulatedVersion)
	}
	for _, component := range skew.ControlPlaneComponents {
		shared := fields[attributeName(component)].IsNull() && ok && !rest.IsNull()
		if shared {
			place.Instances = append(place.Instances, skew.Instance{Component: component, Version: declared})
		} else {
			r.component(place, fields, component)
		}
		if n := len(place.Instances); n > 0 && (shared || place.Instances[n-1].Component == skew.APIServer) {
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

// component reads the version of a component from the attribute of its name.
func (r *clusterReader) component(place *skew.Place, fields map[string]tftypes.Value, component string) {
	name := attributeName(component)
	v := fields[name]
	if declared, ok := r.version(v, place.Location, place.Location.String()+"."+name); ok && !v.IsNull() {
		place.Instances = append(place.Instances, skew.Instance{Component: component, Version: declared})
	}
}

// list reads a list of the versions of one component.
func (r *clusterReader) list(v tftypes.Value, at finding.Location, component string) {
	if r.open(v, at) {
		return
	}
	for i, element := range tfvalue.Elements(v) {
		place := skew.Place{Location: finding.AtIndex(at.Attribute, at.Key, i)}
		if element.IsNull() {
			r.complain(place.Location, fmt.Sprintf("Missing version (%s)", r.spell(place.Location.String())), fmt.Sprintf("%s is null, and every element of a list has to be a version.\n\nTo repair: remove it, or write a version such as %s.", r.spell(place.Location.String()), version.Examples))
			continue
		}
		if declared, ok := r.version(element, place.Location, place.Location.String()); ok {
			place.Instances = []skew.Instance{{Component: component, Version: declared}}
			r.cluster.Places = append(r.cluster.Places, place)
		}
	}
}

func (r *clusterReader) components(v tftypes.Value) {
	if r.open(v, finding.AtAttribute(finding.Components)) {
		return
	}
	lists := tfvalue.Fields(v)
	for _, component := range sortedKeys(lists) {
		if r.named(component, finding.AtAttribute(finding.Components)) {
			r.list(lists[component], finding.AtKey(finding.Components, component), component)
		}
	}
}

func (r *clusterReader) webhooks(v tftypes.Value) {
	if !v.IsKnown() {
		r.unknown = append(r.unknown, r.spell(string(finding.AdmissionWebhooks)))
	}
	webhooks := tfvalue.Fields(v)
	for _, name := range sortedKeys(webhooks) {
		at := finding.AtKey(finding.AdmissionWebhooks, name)
		matchPolicy := tfvalue.Fields(webhooks[name])["match_policy"]
		r.oneOf(matchPolicy, at, at.String()+".match_policy", matchPolicies)
		if r.cluster.Webhooks == nil {
			r.cluster.Webhooks = map[string]string{}
		}
		if webhooks[name].IsFullyKnown() {
			r.cluster.Webhooks[name] = tfvalue.String(matchPolicy)
		} else {
			r.unknown = append(r.unknown, r.spell(at.String()))
		}
	}
}

// version reads one version. ok is false if it is none; then the problem has
// been reported. What is null, or not known yet, is the zero version.
func (r *clusterReader) version(v tftypes.Value, at finding.Location, name string) (_ version.Version, ok bool) {
	if !v.IsKnown() {
		r.unknown = append(r.unknown, r.spell(name))
		return version.Version{}, true
	}
	if v.IsNull() {
		return version.Version{}, true
	}
	s := tfvalue.String(v)
	key := written{s, at.Attribute == finding.Components}
	p, known := r.versions[key]
	if !known {
		p.version, p.err = key.parse(r.scheme)
		r.versions[key] = p
	}
	if p.err != nil {
		r.invalidVersion(key, r.path(at), r.spell(name), p.err)
	}
	return p.version, p.err == nil
}

// invalidVersion reports what is not a version: where the same is written in many
// places, once.
func (r *clusterReader) invalidVersion(w written, at path.Path, name string, err error) {
	if r.invalid == nil {
		r.invalid = map[written]*invalid{}
	}
	first, known := r.invalid[w]
	if !known {
		first = &invalid{index: len(r.diags), at: at}
		r.invalid[w] = first
		r.diags = append(r.diags, nil)
	}
	first.names = append(first.names, name)
	r.diags[first.index] = invalidVersion(first.at, first.names, w.text, err)
}

// open notes a location of which nothing is known yet.
func (r *clusterReader) open(v tftypes.Value, at finding.Location) bool {
	if v.IsKnown() {
		return false
	}
	r.unknown = append(r.unknown, r.spell(at.String()))
	r.cluster.Partial = true
	return true
}

// named reports an element without a name.
func (r *clusterReader) named(name string, in finding.Location) bool {
	if name == "" {
		r.complain(in, fmt.Sprintf("Empty name (%s)", r.spell(in.String())), fmt.Sprintf("%s has an element whose name is empty, so no message can say where it is.\n\nTo repair: give it a name.", r.spell(in.String())))
	}
	return name != ""
}

func (r *clusterReader) oneOf(v tftypes.Value, at finding.Location, name string, allowed []string) {
	if tfvalue.IsSet(v) && !slices.Contains(allowed, tfvalue.String(v)) {
		r.diags.Append(invalidChoice(r.path(at), r.spell(name), tfvalue.String(v), allowed))
	}
}

// invalidVersion is the one way to say that something is not a version. The names say
// where it is written.
func invalidVersion(at path.Path, names []string, text string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, headline(fmt.Sprintf("Invalid version %q", text), first(names), didYouMean(version.Meant(err))), fmt.Sprintf("%s: %s", few(names), err))
}

func (r *clusterReader) complain(at finding.Location, summary, detail string) {
	r.diags.AddAttributeError(r.path(at), summary, detail)
}

// spell names something in the words of the configuration.
func (r *clusterReader) spell(name string) string {
	if r.under == "" {
		return name
	}
	return r.under + "." + name
}

// path is where a diagnostic on a location belongs: never deeper than the
// element of a top-level attribute, where both CLIs still find the line.
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
