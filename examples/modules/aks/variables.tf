variable "resource_group_name" {
  description = "Resource group of the cluster."
  type        = string
}

variable "cluster_name" {
  description = "Name of the cluster."
  type        = string
}

variable "kubernetes_version" {
  description = "Version of the control plane, such as `1.36` or `1.36.2`."
  type        = string

  validation {
    condition     = can(provider::versionskew::version_parse(var.kubernetes_version))
    error_message = "\"${var.kubernetes_version}\" is no version such as \"1.36\" or \"1.36.2\"."
  }

  validation {
    condition     = try(provider::versionskew::version_parse(var.kubernetes_version).minor >= 10, true)
    error_message = "Kubernetes ${var.kubernetes_version} is older than this platform. Put the version in quotes: the number 1.30 is 1.3."
  }
}

variable "orchestrator_version" {
  description = "Version of the default node pool; that of the control plane if it is left out."
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
  description = "Further node pools by name. One without an `orchestrator_version` follows the control plane."
  type = map(object({
    orchestrator_version = optional(string)
    vm_size              = optional(string, "Standard_D2s_v5")
    node_count           = optional(number, 1)
  }))
  default = {}

  validation {
    condition = alltrue([
      for pool in values(var.node_pools) : can(provider::versionskew::version_parse(pool.orchestrator_version))
      if pool.orchestrator_version != null
    ])
    error_message = "The version of a node pool is one such as \"1.36\" or \"1.36.2\"."
  }
}

variable "kubectl_versions" {
  description = "Versions of kubectl in use, such as those of administrators and pipelines."
  type        = list(string)
  default     = []
}

variable "upgrade_target" {
  description = "Version that an upgrade is to be planned to. Nothing moves: it fills the outputs `upgrade_plan` and `next_versions`."
  type        = string
  default     = null
}

variable "available_versions" {
  description = "Versions that the region offers, as `azurerm_kubernetes_service_versions` lists them."
  type        = list(string)
  default     = null
}

variable "waivers" {
  description = "Findings that are accepted: where, why and until when."
  type = map(object({
    rule      = string
    reason    = string
    locations = optional(list(string))
    expires   = optional(string)
  }))
  default = {}
}
