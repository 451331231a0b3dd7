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
  description = "Accepted findings, keyed by a name you choose."
  type = map(object({
    rule      = string
    locations = optional(list(string))
    reason    = string
    expires   = optional(string)
  }))
  default = {}
}

variable "enforcement_level" {
  description = "Set it to \"advisory\" to turn errors into warnings."
  type        = string
  default     = "mandatory"
}

variable "as_of" {
  description = "Date to check for. Defaults to the date of the plan."
  type        = string
  default     = null
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.36.4"
  node_pools            = { for name, version in var.node_pool_versions : name => { kubelet = version } }

  waivers           = var.waivers
  enforcement_level = var.enforcement_level
  # The date of the plan, also in an apply that runs later.
  as_of = var.as_of != null ? var.as_of : formatdate("YYYY-MM-DD", plantimestamp())
}
