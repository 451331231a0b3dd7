# An EKS cluster: control plane, managed node groups and the kube-proxy add-on, in
# the order in which most modules apply them.

resource "aws_eks_cluster" "this" {
  name     = var.name
  role_arn = var.cluster_role_arn
  version  = var.kubernetes_version

  vpc_config {
    subnet_ids = var.subnet_ids
  }
}

resource "aws_eks_node_group" "this" {
  for_each = var.eks_managed_node_groups

  # With a fixed name, a replacement would fail, because it is created before the old
  # node group is deleted.
  node_group_name_prefix = "${each.key}-"
  tags                   = { Name = each.key }

  cluster_name   = aws_eks_cluster.this.name
  node_role_arn  = var.node_role_arn
  subnet_ids     = var.subnet_ids
  instance_types = each.value.instance_types

  # A node group without a version follows the cluster.
  version = each.value.kubernetes_version == null ? aws_eks_cluster.this.version : each.value.kubernetes_version

  scaling_config {
    desired_size = each.value.desired_size
    max_size     = each.value.max_size
    min_size     = each.value.min_size
  }

  lifecycle {
    create_before_destroy = true
  }
}

# One kube-proxy version for all nodes.
resource "aws_eks_addon" "kube_proxy" {
  cluster_name  = aws_eks_cluster.this.name
  addon_name    = "kube-proxy"
  addon_version = var.kube_proxy_version

  depends_on = [aws_eks_node_group.this]
}
