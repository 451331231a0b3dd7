variable "subscription_id" {
  description = "ID of the Azure subscription."
  type        = string
  default     = "00000000-0000-0000-0000-000000000000"
}

variable "resource_group_name" {
  description = "Name of the resource group, which has to exist."
  type        = string
}

variable "location" {
  description = "Azure region of the cluster."
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
  description = "Version of the default node pool. If null, the pool keeps the version it was created with."
  type        = string
  default     = null
}

variable "agents_pool_name" {
  description = "Name of the default node pool."
  type        = string
  default     = "nodepool"
}

variable "agents_size" {
  description = "VM size of the default node pool."
  type        = string
  default     = "Standard_D2s_v5"
}

variable "node_pools" {
  description = "Additional node pools, keyed by name. A pool without `orchestrator_version` keeps the version it was created with."
  type = map(object({
    orchestrator_version = optional(string)
    vm_size              = optional(string, "Standard_D2s_v5")
    node_count           = optional(number, 1)
  }))
  default = {}
}
