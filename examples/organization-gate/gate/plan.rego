# Helpers for the other policies, on the output of "terraform show -json".
package main

import rego.v1

# A plan that has failed does not contain all changes.
deny contains "the plan has failed" if input.errored

# Validations that exist after the plan has been applied, with their planned values.
validations contains change if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type == "versionskew_validation"
	change.change.after != null
}

# Whether an argument is unknown in the plan.
unknown(change, argument) if object.get(change.change, "after_unknown", {})[argument] == true

# Modules of the configuration, with the path of module calls to them.
modules contains {"path": [], "module": input.configuration.root_module}

modules contains {"path": calls, "module": module} if {
	some path
	walk(input.configuration.root_module, [path, module])
	n := count(path)
	n > 0
	n % 3 == 0
	path[n - 1] == "module"
	every i in numbers.range(0, (n / 3) - 1) {
		path[3 * i] == "module_calls"
	}
	calls := [path[(3 * i) + 1] | some i in numbers.range(0, (n / 3) - 1)]
}

# The value of an argument of the provider block in the root module. A plan contains it
# only if it is a constant or a variable.
provider_argument(name) := value if {
	value := input.configuration.provider_config.versionskew.expressions[name].constant_value
} else := value if {
	[reference] := input.configuration.provider_config.versionskew.expressions[name].references
	value := input.variables[trim_prefix(reference, "var.")].value
}

provider_sets(name) if input.configuration.provider_config.versionskew.expressions[name]
