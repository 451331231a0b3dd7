# What a call of terraform-aws-modules/eks/aws depends on: the arguments of the example,
# and the versions that the module sets.

variable "name" {
  type = string
}

variable "kubernetes_version" {
  type = string
}

variable "vpc_id" {
  type = string
}

variable "subnet_ids" {
  type = list(string)
}

variable "eks_managed_node_groups" {
  type = map(object({
    kubernetes_version = optional(string)
    instance_types     = optional(list(string))
  }))
}

variable "addons" {
  type = map(object({
    addon_version = optional(string)
  }))
}

resource "aws_eks_cluster" "this" {
  name     = var.name
  role_arn = "arn:aws:iam::123456789012:role/eks-cluster"
  version  = var.kubernetes_version

  vpc_config {
    subnet_ids = var.subnet_ids
  }
}

resource "aws_eks_node_group" "this" {
  for_each = var.eks_managed_node_groups

  cluster_name           = aws_eks_cluster.this.name
  node_group_name_prefix = "${each.key}-"
  node_role_arn          = "arn:aws:iam::123456789012:role/eks-nodes"
  subnet_ids             = var.subnet_ids
  instance_types         = each.value.instance_types
  version                = each.value.kubernetes_version != null ? each.value.kubernetes_version : aws_eks_cluster.this.version

  scaling_config {
    desired_size = 1
    max_size     = 3
    min_size     = 1
  }
}

resource "aws_eks_addon" "this" {
  for_each = var.addons

  cluster_name  = aws_eks_cluster.this.name
  addon_name    = each.key
  addon_version = each.value.addon_version

  depends_on = [aws_eks_node_group.this]
}

output "cluster_version" {
  value = aws_eks_cluster.this.version
}

output "cluster_addons" {
  value = aws_eks_addon.this
}
