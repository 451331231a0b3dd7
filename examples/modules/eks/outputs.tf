output "cluster_name" {
  description = "Name of the cluster."
  value       = aws_eks_cluster.this.name
}

output "cluster_version" {
  description = "Minor version of the control plane."
  value       = aws_eks_cluster.this.version
}

output "node_group_versions" {
  description = "Versions of the node groups, keyed by name."
  value       = { for name, group in aws_eks_node_group.this : name => group.version }
}
