# For a precondition on the cluster, which is also checked with -target. Only depends on
# variables and on what runs.
data "aws_eks_clusters" "running" {}

data "aws_eks_cluster" "running" {
  for_each = toset([for name in data.aws_eks_clusters.running.names : name if name == "production"])

  name = each.key
}

data "versionskew_evaluation" "declared" {
  policy                = "eks"
  control_plane_version = var.kubernetes_version
  node_pools            = { for name, version in var.node_group_versions : name => { kubelet = version } }
  observed              = one([for cluster in data.aws_eks_cluster.running : { control_plane_version = cluster.version }])
}
