variable "subscription_id" {
  description = "Subscription of the cluster."
  type        = string
  default     = "00000000-0000-0000-0000-000000000000"
}

variable "resource_group_name" {
  description = "Resource group of the cluster. It has to exist."
  type        = string
}

variable "location" {
  description = "Region of the cluster."
  type        = string
  default     = "westeurope"
}

variable "cluster_name" {
  description = "Name of the cluster."
  type        = string
}

variable "kubernetes_version" {
  description = "Version of the control plane, such as `1.36.2`."
  type        = string

  validation {
    condition     = can(regex("^1\\.[0-9]{2}(\\.[0-9]+)?$", var.kubernetes_version))
    error_message = "Write the version in quotes, such as \"1.36.2\". The number 1.30 would become 1.3."
  }
}

variable "orchestrator_version" {
  description = "Version of the default node pool. Null leaves it as it was created."
  type        = string
  default     = null
}

variable "agents_pool_name" {
  description = "Name of the default node pool."
  type        = string
  default     = "nodepool"
}

variable "agents_size" {
  description = "Size of the machines of the default node pool."
  type        = string
  default     = "Standard_D2s_v5"
}

variable "node_pools" {
  description = "Further node pools by name. A pool without `orchestrator_version` stays as it was created."
  type = map(object({
    orchestrator_version = optional(string)
    vm_size              = optional(string, "Standard_D2s_v5")
    node_count           = optional(number, 1)
  }))
  default = {}
}
