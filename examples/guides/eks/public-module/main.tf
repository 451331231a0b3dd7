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

# The module has no output for the versions of its node groups.
variable "node_groups" {
  type = map(object({
    kubernetes_version = optional(string)
    instance_types     = optional(list(string), ["m7i.xlarge"])
  }))
  default = {
    general = {}
    gpu     = { kubernetes_version = "1.34", instance_types = ["g6.xlarge"] }
  }
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name                    = "production"
  kubernetes_version      = var.kubernetes_version
  vpc_id                  = "vpc-0a1b2c3d4e5f60001"
  subnet_ids              = ["subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002"]
  eks_managed_node_groups = var.node_groups

  addons = {
    kube-proxy = { addon_version = "v1.35.0-eksbuild.2" }
  }
}

# What EKS offers, also in extended support.
data "aws_eks_cluster_versions" "offered" {}

resource "versionskew_validation" "eks" {
  policy                = "eks"
  control_plane_version = module.eks.cluster_version

  # A node group without a version follows the cluster.
  node_pools = {
    for name, group in var.node_groups : name => {
      kubelet = coalesce(group.kubernetes_version, module.eks.cluster_version)
    }
  }
  kube_proxy = module.eks.cluster_addons["kube-proxy"].addon_version

  available_versions = data.aws_eks_cluster_versions.offered.cluster_versions[*].cluster_version

  depends_on = [module.eks]
}
