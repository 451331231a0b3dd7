output "name" {
  description = "Name of the cluster, once it is there."
  value       = terraform_data.cluster.output.name
}

output "master_version" {
  description = "Version of the control plane."
  value       = terraform_data.cluster.output.min_master_version
}

output "node_pools_versions" {
  description = "Version of every node pool."
  value       = { for name, pool in local.node_pools : name => pool.kubelet }
}

output "supported" {
  description = "Whether the versions go together."
  value       = data.versionskew_evaluation.this.supported
}

output "allowed_node_pool_versions" {
  description = "Minors that node pools may have beside this control plane."
  value       = data.versionskew_evaluation.this.allowed_versions["kubelet"].minors
}

output "next_control_plane_version" {
  description = "The next minor of the control plane, and who is in its way."
  value       = data.versionskew_evaluation.this.next_control_plane_version
}

output "report" {
  description = "The evaluation as a page in Markdown, for a pull request."
  value       = data.versionskew_evaluation.this.markdown
}
