package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// input is what a data source or a resource is asked about.
type input struct {
	cluster skew.Cluster
	// observed is nil unless it is declared.
	observed *skew.Cluster
	// observedUnknown says that it is declared, but nothing of it known yet.
	observedUnknown bool
	policyName      tftypes.Value
	asOf            tftypes.Value
	waivers         []finding.Waiver
	unknown         []string
	diags           diag.Diagnostics
}

// readInput reads inputAttributes.
func readInput(raw tftypes.Value) *input {
	attributes := fieldsOf(raw)
	declared := readCluster(attributes, "")
	in := &input{
		cluster:    declared.cluster,
		policyName: attributes["policy"],
		asOf:       attributes["as_of"],
		unknown:    declared.unknown,
		diags:      declared.diags,
	}
	switch observed := attributes["observed"]; {
	case !observed.IsKnown():
		in.observedUnknown = true
		in.unknown = append(in.unknown, "observed")
	case !observed.IsNull():
		before := readCluster(fieldsOf(observed), "observed")
		in.observed = &before.cluster
		in.unknown = append(in.unknown, before.unknown...)
		in.diags.Append(before.diags...)
	}
	in.readWaivers(attributes["waivers"])
	for _, name := range []string{"policy", "as_of"} {
		if !attributes[name].IsKnown() {
			in.unknown = append(in.unknown, name)
		}
	}
	in.diags = limited(in.diags)
	return in
}

// readWaivers reads the waivers. One of which something is not known yet waives
// nothing so far.
func (in *input) readWaivers(v tftypes.Value) {
	if !v.IsKnown() {
		in.unknown = append(in.unknown, "waivers")
	}
	waivers := fieldsOf(v)
	for _, name := range sortedKeys(waivers) {
		at := path.Root("waivers").AtMapKey(name)
		if !waivers[name].IsFullyKnown() {
			in.unknown = append(in.unknown, fmt.Sprintf("waivers[%q]", name))
			continue
		}
		fields := fieldsOf(waivers[name])
		w := finding.Waiver{Name: name, RuleID: stringOf(fields["rule"]), Reason: strings.TrimSpace(stringOf(fields["reason"]))}
		for _, l := range elementsOf(fields["locations"]) {
			w.Locations = append(w.Locations, stringOf(l))
		}
		if w.RuleID == "" {
			in.diags.AddAttributeError(at, "Incomplete waiver", fmt.Sprintf("The waiver %q names no rule. Set rule to the id that a finding shows, such as \"kubelet-apiserver\".", name))
		}
		if w.Reason == "" {
			in.diags.AddAttributeError(at, "Incomplete waiver", fmt.Sprintf("The waiver %q gives no reason. Set reason to why the finding is accepted: it is shown in every plan.", name))
		}
		if expires := stringOf(fields["expires"]); expires != "" {
			day, err := releases.ParseDate(expires)
			if err != nil {
				in.diags.Append(invalidDate(at, fmt.Sprintf("waivers[%q].expires", name), err.Error()))
			}
			w.Expires = day
		}
		in.waivers = append(in.waivers, w)
	}
}

// day is the day to judge for.
func (in *input) day(s settings) releases.Date { return dayOf(in.asOf, s) }

// dayOf reads a day that the schema has checked; today where it is not set.
func dayOf(v tftypes.Value, s settings) releases.Date {
	if day, err := releases.ParseDate(stringOf(v)); err == nil {
		return day
	}
	return s.today()
}

// policy finds the policy to judge by. It is nil while that is not known yet,
// and after an error.
func (in *input) policy(s settings, diags *diag.Diagnostics) *policy.Policy {
	p := s.policy
	switch {
	case !in.policyName.IsKnown():
		return nil
	case isSet(in.policyName):
		var problems diag.Diagnostics
		p, problems = resolvePolicy(stringOf(in.policyName), path.Root("policy"))
		diags.Append(problems...)
	}
	if p == nil {
		return nil
	}
	var d drawing
	ids := p.RuleIDs()
	for _, w := range in.waivers {
		if !slices.Contains(ids, w.RuleID) {
			d.add("Unknown rule", diag.SeverityError, func() diag.Diagnostic {
				return diag.NewAttributeErrorDiagnostic(path.Root("waivers").AtMapKey(w.Name), "Unknown rule",
					fmt.Sprintf("The waiver %q is for the rule %q, which the policy %s does not have. Its rules are %s.", w.Name, w.RuleID, p.Name, strings.Join(ids, ", ")))
			})
		}
	}
	diags.Append(d.finish("kinds", "", "")...)
	return p
}

// readVersions reads an attribute that lists versions. What is not known yet is
// the zero version.
func readVersions(v tftypes.Value, name string) ([]version.Version, diag.Diagnostics) {
	var diags diag.Diagnostics
	var versions []version.Version
	for i, element := range elementsOf(v) {
		parsed, err := version.Parse(stringOf(element))
		if element.IsKnown() && err != nil {
			diags.Append(invalidVersion(path.Root(name).AtListIndex(i), fmt.Sprintf("%s[%d]", name, i), err.Error()))
		}
		versions = append(versions, parsed)
	}
	return versions, limited(diags)
}

// resolvePolicy reads the value of a policy argument: the name of a built-in
// policy, or a policy as JSON. The policy is nil if there is an error.
func resolvePolicy(text string, at path.Path) (*policy.Policy, diag.Diagnostics) {
	var diags diag.Diagnostics
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		p, err := policy.Builtin(text)
		if err != nil {
			diags.AddAttributeError(at, "Unknown policy",
				fmt.Sprintf("%s.\n\nTo repair: name one of these, or pass the json of a versionskew_policy data source.", err))
		}
		return p, diags
	}
	p, err := policy.Parse(text)
	if err != nil {
		diags.AddAttributeError(at, "Invalid policy", fmt.Sprintf("The JSON of the policy can't be used:\n\n%s", err))
	}
	return p, diags
}
