output "cluster_name" {
  description = "Name of the cluster."
  value       = var.cluster_name
}

output "control_plane_versions" {
  description = "Version of every control-plane instance, once it is there."
  value       = { for name, machine in terraform_data.control_plane : name => machine.output.version }
}

output "node_pool_versions" {
  description = "Version of the kubelets of every worker pool."
  value       = { for name, pool in local.node_pools : name => pool.kubelet }
}

output "supported" {
  description = "Whether the versions go together, and the step to them if `running` is given."
  value       = data.versionskew_evaluation.this.supported
}

output "findings" {
  description = "What the policy says about the versions, worst first."
  value       = data.versionskew_evaluation.this.findings
}

output "allowed_versions" {
  description = "Minors that each component may have while the others stay as they are."
  value       = { for component, window in data.versionskew_evaluation.this.allowed_versions : component => window.minors }
}

output "next_control_plane_version" {
  description = "The next minor of the control plane, and who is in its way."
  value       = data.versionskew_evaluation.this.next_control_plane_version
}

output "upgrade_order" {
  description = "With `running`: the moves of the upgrade, in an order that is sound at every point."
  value       = data.versionskew_evaluation.this.upgrade_order
}

output "report" {
  description = "The evaluation as a page in Markdown, for a pull request."
  value       = data.versionskew_evaluation.this.markdown
}
