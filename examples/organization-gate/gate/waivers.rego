# A waiver expires within 90 days of the plan.
package main

import rego.v1

longest_waiver_days := 90

deny contains message if {
	some change in validations
	some name, waiver in change.change.after.waivers
	not ends_soon(waiver)
	message := sprintf("%s: waiver %q has to expire within %d days", [change.address, name, longest_waiver_days])
}

deny contains message if {
	some change in validations
	walk(object.get(change.change.after_unknown, "waivers", false), [_, true])
	message := sprintf("%s: waivers have to be known in the plan", [change.address])
}

ends_soon(waiver) if {
	expires := time.parse_ns("2006-01-02", waiver.expires)
	planned := time.parse_rfc3339_ns(input.timestamp)
	expires - planned <= ((longest_waiver_days * 24) * 3600) * 1000000000
}
