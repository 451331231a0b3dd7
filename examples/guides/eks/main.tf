# The module as it is: the versions are variables, and every resource takes its
# version from one of them.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "cluster_version" {
  type    = string
  default = "1.35"
}

variable "node_group_versions" {
  type = map(string)
  default = {
    general = "1.35"
    gpu     = "1.32"
  }
}

variable "kube_proxy_version" {
  type    = string
  default = "v1.35.0-eksbuild.2"
}

locals {
  subnet_ids = ["subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002"]
}

resource "aws_eks_cluster" "main" {
  name     = "production"
  role_arn = "arn:aws:iam::123456789012:role/eks-cluster"
  version  = var.cluster_version

  vpc_config {
    subnet_ids = local.subnet_ids
  }
}

resource "aws_eks_node_group" "main" {
  for_each = var.node_group_versions

  cluster_name    = aws_eks_cluster.main.name
  node_group_name = each.key
  node_role_arn   = "arn:aws:iam::123456789012:role/eks-nodes"
  subnet_ids      = local.subnet_ids
  version         = each.value

  scaling_config {
    desired_size = 3
    max_size     = 5
    min_size     = 1
  }
}

resource "aws_eks_addon" "kube_proxy" {
  cluster_name  = aws_eks_cluster.main.name
  addon_name    = "kube-proxy"
  addon_version = var.kube_proxy_version

  depends_on = [aws_eks_node_group.main]
}
