# In production, validations must not be advisory.
package main

import rego.v1

# Any environment that is not listed here is production.
production if not elsewhere

elsewhere if input.variables.environment.value in {"development", "test", "staging"}

deny contains message if {
	production
	some change in validations
	not stops(change)
	message := sprintf("%s: enforcement_level has to be \"mandatory\" or \"changes\" in production, and known in the plan", [change.address])
}

stops(change) if change.change.after.enforcement_level in {"mandatory", "changes"}

stops(change) if {
	object.get(change.change.after, "enforcement_level", null) == null
	not unknown(change, "enforcement_level")
	provider_argument("enforcement_level") in {"mandatory", "changes"}
}

stops(change) if {
	object.get(change.change.after, "enforcement_level", null) == null
	not unknown(change, "enforcement_level")
	not provider_sets("enforcement_level")
}
