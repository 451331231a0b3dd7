variable "project_id" {
  description = "ID of the Google Cloud project."
  type        = string
}

variable "name" {
  description = "Name of the cluster."
  type        = string
}

variable "region" {
  description = "Region of the cluster."
  type        = string
}

variable "kubernetes_version" {
  description = "Minimum version of the control plane, such as `1.36.1-gke.1350000`."
  type        = string

  validation {
    condition     = can(regex("^1\\.[0-9]{2}", var.kubernetes_version))
    error_message = "Write the version in quotes, such as \"1.36.1-gke.1350000\". The number 1.30 would become 1.3."
  }
}

variable "emulated_version" {
  description = "Minor version that the API servers emulate during a two-step upgrade, such as `1.35`. If null, they emulate no other version."
  type        = string
  default     = null
}

variable "node_pools" {
  description = "Node pools, keyed by name. If `version` is null, GKE chooses it."
  type = map(object({
    version      = optional(string)
    machine_type = optional(string, "e2-standard-4")
    node_count   = optional(number, 1)
  }))
  default = {}
}
