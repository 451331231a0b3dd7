# Every validation uses a policy of the organization. conftest gets these policies with
# --data.
package main

import rego.v1

deny contains message if {
	some change in validations
	not by_the_organization(change)
	message := sprintf("%s: policy has to be one of the organization's: %s", [change.address, concat(", ", object.keys(data.organization.policies))])
}

by_the_organization(change) if {
	policy := json.unmarshal(change.change.after.policy)
	policy in {p | some p in data.organization.policies}
}

by_the_organization(change) if {
	object.get(change.change.after, "policy", null) == null
	not unknown(change, "policy")
	policy := json.unmarshal(provider_argument("policy"))
	policy in {p | some p in data.organization.policies}
}
