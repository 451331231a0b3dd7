# Every cluster needs a validation that refers to it in an argument or in depends_on. The
# validation is in the module of the cluster, or in a calling module and refers to the
# module call.
package main

import rego.v1

cluster_types := {
	"aws_eks_cluster",
	"azurerm_kubernetes_cluster",
	"digitalocean_kubernetes_cluster",
	"google_container_cluster",
	"oci_containerengine_cluster",
}

deny contains message if {
	some declared in modules
	some cluster in object.get(declared.module, "resources", [])
	cluster.mode == "managed"
	cluster.type in cluster_types
	not validated(declared.path, cluster.address)
	calls := [concat(".", ["module", call]) | some call in declared.path]
	message := sprintf("%s: no versionskew_validation refers to this cluster", [concat(".", array.concat(calls, [cluster.address]))])
}

validated(path, address) if {
	some reference in references(path)
	within(reference, address)
}

validated(path, _) if {
	some i, call in path
	some reference in references(array.slice(path, 0, i))
	within(reference, concat(".", ["module", call]))
}

# References of the validations in a module.
references(path) := {reference |
	some declared in modules
	declared.path == path
	some resource in object.get(declared.module, "resources", [])
	resource.mode == "managed"
	resource.type == "versionskew_validation"
	some reference in array.concat(
		object.get(resource, "depends_on", []),
		[r | some part in ["expressions", "for_each_expression"]; walk(resource[part], [_, value]); some r in value.references],
	)
}

# Whether a reference is to an address or to an attribute or instance of it.
within(reference, address) if reference == address

within(reference, address) if startswith(reference, concat("", [address, "."]))

within(reference, address) if startswith(reference, concat("", [address, "["]))
