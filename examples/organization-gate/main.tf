# A cluster that passes the gate of its organization: the Rego policies in gate/, which
# conftest evaluates on the plan.
#
#   terraform plan -out=plan.bin
#   terraform show -json plan.bin > plan.json
#   conftest test --policy gate --data organization.json plan.json

terraform {
  required_version = ">= 1.8"

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

variable "environment" {
  description = "Environment. The gate allows enforcement_level \"advisory\" only in \"development\", \"test\" and \"staging\"."
  type        = string
  default     = "production"
}

variable "enforcement_level" {
  type    = string
  default = "changes"
}

variable "waivers" {
  type = map(object({
    rule    = string
    reason  = string
    expires = optional(string)
  }))
  default = {}
}

locals {
  organization = jsondecode(file("${path.module}/organization.json")).organization
}

resource "aws_eks_cluster" "main" {
  name     = "shop"
  role_arn = "arn:aws:iam::123456789012:role/eks-cluster"
  version  = "1.36"

  vpc_config {
    subnet_ids = ["subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002"]
  }
}

resource "versionskew_validation" "main" {
  control_plane_version = aws_eks_cluster.main.version
  node_pools            = { general = { kubelet = "1.35" } }
  policy                = jsonencode(local.organization.policies.eks)
  enforcement_level     = var.enforcement_level
  waivers               = var.waivers

  depends_on = [aws_eks_cluster.main]
}
