# Evaluates the same versions, but never fails the plan.
data "versionskew_evaluation" "cluster" {
  control_plane_version = var.control_plane_version
  node_pools            = { for name, version in var.node_pool_versions : name => { kubelet = version } }
}

output "allowed_node_pool_versions" {
  value = data.versionskew_evaluation.cluster.allowed_versions["kubelet"].minors
}

output "next_control_plane_version" {
  value = data.versionskew_evaluation.cluster.next_control_plane_version.version
}
