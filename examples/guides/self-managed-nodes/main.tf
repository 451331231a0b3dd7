terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0, < 7.0"
    }
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 3.2, < 4.0"
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

variable "node_version" {
  description = "Kubernetes version of the self-managed nodes."
  type        = string
  default     = "1.34"
}

variable "gpu_ami" {
  description = "AMI of the GPU nodes, and the version of its kubelet."
  type        = object({ id = string, kubelet = string })
  default     = { id = "ami-0123456789abcdef0", kubelet = "1.32" }
}

variable "karpenter_version" {
  description = "Version of the Karpenter chart."
  type        = string
  default     = "1.13.0"
}

resource "aws_eks_cluster" "this" {
  name     = "shop"
  role_arn = "arn:aws:iam::123456789012:role/eks-cluster"
  version  = var.kubernetes_version

  vpc_config {
    subnet_ids = ["subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002"]
  }
}
