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

# What runs now. These data sources do not depend on a managed resource, so they are
# read during the plan. They read nothing until the cluster exists.
data "aws_eks_clusters" "all" {}

data "aws_eks_cluster" "running" {
  for_each = toset([for name in data.aws_eks_clusters.all.names : name if name == "production"])

  name = each.key
}

locals {
  # Node groups are assumed to run the declared versions. Read them in the same way.
  observed = one([
    for name, cluster in data.aws_eks_cluster.running : {
      control_plane_version = cluster.version
      node_pools            = local.node_pools
    }
  ])
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = local.node_pools
  observed              = local.observed
  policy                = "eks"
  enforcement_level     = var.enforcement_level

  depends_on = [aws_eks_cluster.main]
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = local.node_pools
  observed              = local.observed
  policy                = "eks"
}

output "version_skew" {
  description = "Version skew report in Markdown"
  value       = data.versionskew_evaluation.cluster.markdown
}
