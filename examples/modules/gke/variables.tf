variable "project_id" {
  description = "Project that hosts the cluster."
  type        = string
}

variable "name" {
  description = "Name of the cluster."
  type        = string
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  default     = "europe-west1"
}

variable "kubernetes_version" {
  description = "Version of the control plane: a minor, a patch or a build, such as `1.36`, `1.36.2` or `1.36.2-gke.1350000`."
  type        = string

  validation {
    condition     = can(provider::versionskew::version_parse(var.kubernetes_version))
    error_message = "\"${var.kubernetes_version}\" is no version. Name one: what \"latest\" will be can't be judged, nor what a channel will choose."
  }

  validation {
    condition     = try(provider::versionskew::version_parse(var.kubernetes_version).minor >= 10, true)
    error_message = "Kubernetes ${var.kubernetes_version} is older than this platform. Put the version in quotes: the number 1.30 is 1.3."
  }
}

variable "release_channel" {
  description = "`UNSPECIFIED`, `RAPID`, `REGULAR` or `STABLE`."
  type        = string
  default     = "UNSPECIFIED"
}

variable "node_pools" {
  description = "Node pools. One without a version follows the control plane."
  type = list(object({
    name         = string
    version      = optional(string)
    auto_upgrade = optional(bool, false)
    machine_type = optional(string, "e2-standard-4")
    min_count    = optional(number, 1)
    max_count    = optional(number, 3)
  }))
  default = [{ name = "default-node-pool" }]

  validation {
    condition     = length(distinct(var.node_pools[*].name)) == length(var.node_pools)
    error_message = "Two node pools have the same name."
  }

  validation {
    condition     = alltrue([for pool in var.node_pools : can(provider::versionskew::version_parse(pool.version)) if pool.version != null])
    error_message = "The version of a node pool is a minor, a patch or a build, such as \"1.35.4-gke.1350000\"."
  }
}

variable "kubectl_versions" {
  description = "Versions of kubectl in use, such as those of administrators and pipelines."
  type        = list(string)
  default     = []
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
