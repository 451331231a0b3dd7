terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "node_pool_versions" {
  type = map(string)
  default = {
    general = "1.36.4"
    gpu     = "1.36.4"
  }
}

variable "waivers" {
  description = "Findings that are accepted, by a name of yours"
  type = map(object({
    rule      = string
    locations = optional(list(string))
    reason    = string
    expires   = optional(string)
  }))
  default = {}
}

variable "enforcement_level" {
  description = "advisory lets every plan pass, with warnings"
  type        = string
  default     = "mandatory"
}

variable "as_of" {
  description = "The day to judge for; today, if it is not set"
  type        = string
  default     = null
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.36.4"
  node_pools            = { for name, version in var.node_pool_versions : name => { kubelet = version } }

  waivers           = var.waivers
  enforcement_level = var.enforcement_level
  as_of             = var.as_of
}
