provider "versionskew" {
  policy = "eks"
}

locals {
  # What is declared, in one place: kubelets as the node groups want them, and
  # the kube-proxy that the add-on puts on every node.
  node_pools = {
    for name, version in var.node_group_versions : name => {
      kubelet    = version
      kube_proxy = var.kube_proxy_version
    }
  }
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = local.node_pools

  depends_on = [aws_eks_cluster.main, aws_eks_node_group.main, aws_eks_addon.kube_proxy]
}
