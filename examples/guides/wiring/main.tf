terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0, < 7.0"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "kubernetes_version" {
  type    = string
  default = "1.35"
}

variable "node_group_versions" {
  type    = map(string)
  default = { general = "1.35" }
}

resource "aws_eks_cluster" "this" {
  name     = "production"
  role_arn = "arn:aws:iam::123456789012:role/eks-cluster"
  version  = var.kubernetes_version

  vpc_config {
    subnet_ids = ["subnet-0a1b2c3d4e5f60001"]
  }

  lifecycle {
    precondition {
      condition     = data.versionskew_evaluation.declared.supported
      error_message = join(" ", data.versionskew_evaluation.declared.findings[*].message)
    }
  }
}

# Read after the cluster has been upgraded, so unknown in the plan of an upgrade.
data "aws_eks_addon_version" "kube_proxy" {
  addon_name         = "kube-proxy"
  kubernetes_version = aws_eks_cluster.this.version
  most_recent        = true

  depends_on = [aws_eks_cluster.this]
}

resource "aws_eks_node_group" "this" {
  for_each = var.node_group_versions

  cluster_name    = aws_eks_cluster.this.name
  node_group_name = each.key
  node_role_arn   = "arn:aws:iam::123456789012:role/eks-nodes"
  subnet_ids      = ["subnet-0a1b2c3d4e5f60001"]
  version         = each.value

  scaling_config {
    desired_size = 1
    max_size     = 3
    min_size     = 1
  }

  # Waits for the evaluation in gate.tf.
  depends_on = [data.versionskew_evaluation.gate]
}

resource "aws_eks_addon" "kube_proxy" {
  cluster_name  = aws_eks_cluster.this.name
  addon_name    = "kube-proxy"
  addon_version = data.aws_eks_addon_version.kube_proxy.version

  depends_on = [aws_eks_node_group.this]
}
