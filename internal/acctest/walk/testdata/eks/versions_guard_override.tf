resource "versionskew_validation" "this" {
  policy     = var.policy
  components = { for name, add_on in aws_eks_addon.agent : name => [add_on.addon_version] }

  observed = one([
    for name, cluster in data.aws_eks_cluster.running : {
      control_plane_version = cluster.version
      node_pools            = local.running_node_groups
      kube_proxy            = one([for add_on in data.aws_eks_addon.running : add_on.addon_version])
      components            = { for add_on in data.aws_eks_addon.agent : add_on.addon_name => [add_on.addon_version] }
    }
  ])
}
