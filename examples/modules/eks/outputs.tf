output "cluster_name" {
  description = "Name of the cluster, once it is there."
  value       = terraform_data.cluster.output.name
}

output "cluster_version" {
  description = "Minor of the control plane."
  value       = terraform_data.cluster.output.version
}

output "eks_managed_node_groups" {
  description = "Version of every node group."
  value       = { for name, pool in local.node_pools : name => pool.kubelet }
}

output "supported" {
  description = "Whether the versions go together."
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

output "report" {
  description = "The evaluation as a page in Markdown, for a pull request."
  value       = data.versionskew_evaluation.this.markdown
}

output "upgrade_plan" {
  description = "The way to `upgrade_target` as a page in Markdown; null without a target."
  value       = one(data.versionskew_upgrade_plan.this[*].markdown)
}
