variable "name" {
  description = "Name of the cluster."
  type        = string
}

variable "kubernetes_version" {
  description = "Minor version of the control plane, such as `1.36`. If null, EKS chooses it."
  type        = string
  default     = null

  validation {
    condition     = var.kubernetes_version == null || can(regex("^1\\.[0-9]{2}$", var.kubernetes_version))
    error_message = "EKS expects a minor version in quotes, such as \"1.36\". The number 1.30 would become 1.3."
  }
}

variable "eks_managed_node_groups" {
  description = "Managed node groups, keyed by name. A group without `kubernetes_version` follows the control plane."
  type = map(object({
    kubernetes_version = optional(string)
    instance_types     = optional(list(string), ["m7i.large"])
    min_size           = optional(number, 1)
    max_size           = optional(number, 3)
    desired_size       = optional(number, 1)
  }))
  default = {}
}

variable "kube_proxy_version" {
  description = "Version of the kube-proxy add-on, such as `v1.36.0-eksbuild.2`. If null, EKS chooses it."
  type        = string
  default     = null
}

variable "cluster_role_arn" {
  description = "ARN of the IAM role of the control plane."
  type        = string
  default     = "arn:aws:iam::123456789012:role/eks-cluster"
}

variable "node_role_arn" {
  description = "ARN of the IAM role of the nodes."
  type        = string
  default     = "arn:aws:iam::123456789012:role/eks-nodes"
}

variable "subnet_ids" {
  description = "IDs of the subnets of the control plane and the nodes."
  type        = list(string)
  default     = ["subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002"]
}
