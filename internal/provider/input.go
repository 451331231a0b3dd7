// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// input holds the inputs of a data source or resource. The policy is nil while it is unknown,
// and after an error.
type input struct {
	evaluation.Input
	// observedUnknown is true if observed is declared but entirely unknown.
	observedUnknown bool
	// withoutStart is true if observed has no API server, but the cluster has one.
	withoutStart bool
	// empty names the lists of offered versions that are declared but have no element.
	empty   []string
	asOf    tftypes.Value
	unknown []string
	// unset lists the node pools and instances that do not set any version.
	unset []string
	diags diag.Diagnostics
}

// inputModel holds the inputs of everything that checks a cluster.
type inputModel struct {
	clusterModel
	AvailableVersions     tftypes.Value `tfsdk:"available_versions"`
	AvailableNodeVersions tftypes.Value `tfsdk:"available_node_versions"`
	Policy                tftypes.Value `tfsdk:"policy"`
	Waivers               tftypes.Value `tfsdk:"waivers"`
}

// stepModel holds the attributes of inputAttributes.
type stepModel struct {
	inputModel
	Observed   tftypes.Value `tfsdk:"observed"`
	ApplyOrder tftypes.Value `tfsdk:"apply_order"`
	AsOf       tftypes.Value `tfsdk:"as_of"`
}

// readInput reads inputs. Versions are read in the version scheme of the policy. While the
// policy is unknown, they are read without a scheme and not checked.
func readInput(m stepModel, s settings) *input {
	in := &input{asOf: m.AsOf, Input: evaluation.Input{ApplyOrder: step.ApplyOrder(tfvalue.String(m.ApplyOrder))}}
	in.Policy, in.diags = s.named(m.Policy)
	declared := readCluster(m.clusterModel, "", in.scheme())
	in.Cluster, in.unknown, in.unset = declared.cluster, declared.unknown, declared.unset
	in.diags.Append(declared.diags...)
	switch {
	case !m.Observed.IsKnown():
		in.observedUnknown = true
		in.unknown = append(in.unknown, "observed")
	case !m.Observed.IsNull():
		before := readClusterOf(m.Observed, "observed", in.scheme())
		in.Observed = &before.cluster
		in.unknown = append(in.unknown, before.unknown...)
		in.unset = append(in.unset, before.unset...)
		switch {
		case before.cluster.Partial || declaresAPIServer(before.cluster):
		case declaresAPIServer(in.Cluster):
			in.withoutStart = true
		case len(before.cluster.Places) == 0 && len(before.unknown) == 0 && len(before.unset) == 0:
			in.unset = append(in.unset, "observed")
		}
		in.diags.Append(before.diags...)
	}
	in.readOffered(m)
	in.readWaivers(m.Waivers)
	if !m.ApplyOrder.IsKnown() {
		in.ApplyOrder = step.Any // Only report what is wrong in every order.
	}
	in.ifUnknown(m.ApplyOrder, "apply_order")
	in.ifUnknown(m.Policy, "policy")
	in.ifUnknown(m.AsOf, "as_of")
	in.diags.Append(checkChoice(m.ApplyOrder, path.Root("apply_order"), "apply_order", step.ApplyOrders)...)
	day, problems := readDay(m.AsOf, s)
	in.Day = day
	in.diags.Append(problems...)
	in.diags = limited(in.diags)
	return in
}

// checkChoice reports a value that is not one of the allowed values. name is the attribute
// that holds it, including its place.
func checkChoice[S ~string](v tftypes.Value, at path.Path, name string, allowed []S) diag.Diagnostics {
	if value := tfvalue.String(v); tfvalue.IsSet(v) && !slices.Contains(allowed, S(value)) {
		return diag.Diagnostics{errorAt(at, report.InvalidChoice(name, value, allowed))}
	}
	return nil
}

// readDay reads the attribute as_of: today if it is not set or invalid.
func readDay(v tftypes.Value, s settings) (releases.Date, diag.Diagnostics) {
	if !tfvalue.IsSet(v) {
		return s.today(), nil
	}
	day, err := releases.ParseDate(tfvalue.String(v))
	if err != nil {
		return s.today(), diag.Diagnostics{errorAt(path.Root("as_of"), report.InvalidDate("as_of", tfvalue.String(v), err))}
	}
	return day, nil
}

// declaresAPIServer reports whether a cluster has an API server, possibly at a version that
// is not known yet.
func declaresAPIServer(c skew.Cluster) bool { return slices.Contains(c.Components(), skew.APIServer) }

// Attributes that list the versions that the platform offers.
const (
	availableVersions     = "available_versions"
	availableNodeVersions = "available_node_versions"
)

// readOffered reads the lists of offered versions. Node pools use the list of the control
// plane unless they have their own. A list with an unknown element is checked at apply,
// because that element could be any version.
func (in *input) readOffered(m stepModel) {
	read := func(v tftypes.Value, name string) (list evaluation.OfferedList, set bool) {
		switch {
		case v.IsNull():
			return list, false
		case !v.IsFullyKnown():
			in.unknown = append(in.unknown, name)
		default:
			versions, problems := readVersions(v, name, in.scheme().ParseDeclared)
			in.diags.Append(problems...)
			list = evaluation.OfferedList{Attribute: name, Versions: versions}
			if len(versions) == 0 {
				in.empty = append(in.empty, name)
			}
		}
		return list, true
	}
	in.Offered.ControlPlane, _ = read(m.AvailableVersions, availableVersions)
	own, set := read(m.AvailableNodeVersions, availableNodeVersions)
	if in.Offered.NodePools = in.Offered.ControlPlane; set {
		in.Offered.NodePools = own
	}
}

// knownAtApply is shown in place of the unknown reason of a waiver.
const knownAtApply = "(known after apply)"

// waiverModel holds the attributes of a waiver.
type waiverModel struct {
	Rule      tftypes.Value `tfsdk:"rule"`
	Locations tftypes.Value `tfsdk:"locations"`
	Reason    tftypes.Value `tfsdk:"reason"`
	Expires   tftypes.Value `tfsdk:"expires"`
}

// readWaivers reads the waivers. A waiver whose rule, locations or expiry is unknown is
// decided at apply.
func (in *input) readWaivers(v tftypes.Value) {
	if !v.IsKnown() {
		in.unknown = append(in.unknown, "waivers")
		in.Possible = append(in.Possible, finding.Waiver{})
	}
	waivers := tfvalue.Fields(v)
	for _, name := range slices.Sorted(maps.Keys(waivers)) {
		at := path.Root("waivers").AtMapKey(name)
		if !waivers[name].IsKnown() {
			in.unknown = append(in.unknown, at.String())
			in.Possible = append(in.Possible, finding.Waiver{Name: name})
			continue
		}
		var m waiverModel
		tfvalue.Read(waivers[name], &m)
		in.readWaiver(m, name, at)
	}
}

func (in *input) readWaiver(m waiverModel, name string, at path.Path) {
	w := finding.Waiver{Name: name, RuleID: tfvalue.String(m.Rule), Reason: strings.TrimSpace(tfvalue.String(m.Reason))}
	if !m.Reason.IsKnown() {
		w.Reason = knownAtApply
	}
	switch {
	case m.Rule.IsNull():
		in.diags.Append(errorAt(at, report.MissingAttribute(at.String(), "rule")))
	case w.RuleID == "" && m.Rule.IsKnown():
		in.diags.Append(errorAt(at, report.MissingRule(w)))
	case policy.IsTooLong(w.RuleID):
		in.diags.Append(errorAt(at, report.RuleIDTooLong(w)))
		return
	}
	switch {
	case m.Reason.IsNull():
		in.diags.Append(errorAt(at, report.MissingAttribute(at.String(), "reason")))
	case w.Reason == "":
		in.diags.Append(errorAt(at, report.MissingReason(w)))
	}
	if m.Rule.IsNull() || m.Reason.IsNull() {
		return
	}
	for _, l := range tfvalue.Elements(m.Locations) {
		if l.IsKnown() {
			w.Locations = append(w.Locations, tfvalue.String(l))
		}
	}
	if expires := tfvalue.String(m.Expires); expires != "" {
		day, err := releases.ParseDate(expires)
		if err != nil {
			in.diags.Append(errorAt(at, report.InvalidDate(at.String()+".expires", expires, err)))
		}
		w.Expires = day
	}
	unknown := len(in.unknown)
	in.ifUnknown(m.Rule, at.String()+".rule")
	in.ifUnknown(m.Locations, at.String()+".locations")
	in.ifUnknown(m.Expires, at.String()+".expires")
	decided := len(in.unknown) == unknown
	if decided || m.Rule.IsKnown() && m.Expires.IsKnown() && len(w.Locations) > 0 {
		in.Waivers = append(in.Waivers, w)
	}
	if !decided {
		if !m.Locations.IsFullyKnown() {
			w.Locations = nil
		}
		in.Possible = append(in.Possible, w)
	}
}

// ifUnknown records the name of a value that is not fully known.
func (in *input) ifUnknown(v tftypes.Value, name string) {
	if !v.IsFullyKnown() {
		in.unknown = append(in.unknown, name)
	}
}

// expired returns a waiver that accepted an error until it expired, or nil.
func (in *input) expired(f finding.Finding) *finding.Waiver {
	if !f.IsUnwaivedError() {
		return nil
	}
	for _, w := range in.Waivers {
		if w.RuleID != f.RuleID || !w.ExpiredOn(in.Day) {
			continue
		}
		if found, _ := finding.NewWaivers([]finding.Waiver{w}, w.Expires).Waive([]finding.Finding{f}); found[0].WaivedBy != nil {
			return &w
		}
	}
	return nil
}

// scheme returns the version scheme of the policy. It is nil for Kubernetes versions,
// and while the policy is unknown.
func (in *input) scheme() *version.Scheme {
	if in.Policy == nil {
		return nil
	}
	return in.Policy.Scheme
}

// named returns the policy that an argument names, or that of the provider if the
// argument is null. It returns nil while the argument is unknown, and after an error.
func (s settings) named(name tftypes.Value) (*policy.Policy, diag.Diagnostics) {
	switch {
	case !name.IsKnown():
		return nil, nil
	case tfvalue.IsSet(name):
		return resolvePolicy(tfvalue.String(name), path.Root("policy"))
	}
	return s.policy, nil
}

// checkPolicy reports waivers of rules that the policy does not have. ok is false while the
// policy is unknown, and after an error.
func (in *input) checkPolicy(diags *diag.Diagnostics) (ok bool) {
	if in.Policy == nil {
		if !diags.HasError() && !slices.Contains(in.unknown, "policy") {
			diags.Append(errorAt(path.Empty(), report.NotConfigured))
		}
		return false
	}
	var d limitedDiagnostics
	ids := in.Policy.RuleIDs()
	for _, w := range slices.Concat(in.Waivers, in.Possible) {
		if w.RuleID != "" && !slices.Contains(ids, w.RuleID) {
			d.add("Unknown rule", diag.SeverityError, func() diag.Diagnostic {
				return errorAt(path.Root("waivers").AtMapKey(w.Name), report.UnknownRule(w, in.Policy))
			})
		}
	}
	diags.Append(d.finish("kind", "", "")...)
	return !diags.HasError()
}

// readVersion reads a version that is named in diagnostics. A null, unknown or invalid one is
// the zero version.
func readVersion(v tftypes.Value, at path.Path, name string, parse func(string) (version.Version, error)) (version.Version, diag.Diagnostics) {
	if !tfvalue.IsSet(v) {
		return version.Version{}, nil
	}
	parsed, err := parse(tfvalue.String(v))
	if err != nil {
		return version.Version{}, diag.Diagnostics{errorAt(at, report.InvalidVersion([]string{name}, tfvalue.String(v), err))}
	}
	return parsed, nil
}

// readVersions reads an attribute that is a list of versions.
func readVersions(v tftypes.Value, name string, parse func(string) (version.Version, error)) ([]version.Version, diag.Diagnostics) {
	var diags diag.Diagnostics
	var versions []version.Version
	for i, element := range tfvalue.Elements(v) {
		at := path.Root(name).AtListIndex(i)
		if element.IsNull() {
			diags.Append(errorAt(at, report.MissingVersion(at.String())))
		}
		parsed, problems := readVersion(element, at, at.String(), parse)
		diags.Append(problems...)
		versions = append(versions, parsed)
	}
	return versions, diags
}

// resolvePolicy reads the value of a policy argument: the name of a built-in policy, or
// a policy as JSON. The policy is nil if there is an error.
func resolvePolicy(text string, at path.Path) (*policy.Policy, diag.Diagnostics) {
	find, trimmed, extension := policy.Builtin, strings.TrimSpace(text), strings.ToLower(pathpkg.Ext(text))
	isJSON, isYAML := strings.HasPrefix(trimmed, "{"), extension == ".yaml" || extension == ".yml"
	switch {
	case isJSON:
		find = policy.Parse
	case strings.Contains(trimmed, "\n"):
		return nil, diag.Diagnostics{errorAt(at, report.PolicyNotJSON)}
	case isYAML || extension == ".json":
		return nil, diag.Diagnostics{errorAt(at, report.PolicyFile(text, isYAML))}
	}
	p, err := find(text)
	if err != nil {
		return nil, diag.Diagnostics{errorAt(at, report.InvalidPolicy(at.String(), isJSON, err))}
	}
	return p, nil
}
