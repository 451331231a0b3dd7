package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
)

// input is what an evaluation and a validation are asked about.
type input struct {
	cluster skew.Cluster
	// observed is nil unless it is declared.
	observed *skew.Cluster
	// observedUnknown says that it is declared, but nothing of it known yet.
	observedUnknown bool
	policyName      tftypes.Value
	unknown         []string
	diags           diag.Diagnostics
}

// readInput reads inputAttributes.
func readInput(raw tftypes.Value) input {
	attributes := fieldsOf(raw)
	declared := readCluster(attributes, "")
	in := input{
		cluster:    declared.cluster,
		policyName: attributes["policy"],
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
	if !in.policyName.IsKnown() {
		in.unknown = append(in.unknown, "policy")
	}
	return in
}

// policy finds the policy to judge by. It is nil while that is not known yet,
// and after an error.
func (in input) policy(s settings, diags *diag.Diagnostics) *policy.Policy {
	name := s.policy
	switch {
	case !in.policyName.IsKnown():
		return nil
	case isSet(in.policyName):
		name = stringOf(in.policyName)
	}
	p, err := policy.Builtin(name)
	if err != nil {
		diags.AddAttributeError(path.Root("policy"), "Unknown policy",
			fmt.Sprintf("%q is no policy of this provider.\n\nTo repair: name one of %v.", name, policy.BuiltinNames()))
		return nil
	}
	return p
}
