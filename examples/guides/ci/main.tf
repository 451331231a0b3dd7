terraform {
  required_version = ">= 1.8"

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
  type    = map(string)
  default = { general = "1.35", gpu = "1.34" }
}

variable "enforcement_level" {
  type    = string
  default = "mandatory"
}

locals {
  node_pools = { for name, version in var.node_group_versions : name => { kubelet = version } }
}

resource "aws_eks_cluster" "main" {
  name     = "production"
  role_arn = "arn:aws:iam::123456789012:role/eks-cluster"
  version  = var.cluster_version

  vpc_config {
    subnet_ids = ["subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002"]
  }
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = local.node_pools
  policy                = "eks"
  enforcement_level     = var.enforcement_level

  depends_on = [aws_eks_cluster.main]
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = local.node_pools
  policy                = "eks"
}

output "version_skew" {
  description = "The report as a page in Markdown"
  value       = data.versionskew_evaluation.cluster.markdown
}
