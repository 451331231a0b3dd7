# The versions that a cluster declares and publishes. In your fleet, this is the module
# of your platform, such as those in ../../../modules.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "policy" {
  description = "Policy of the platform: a built-in name or policy JSON."
  type        = string
}

variable "control_plane_version" {
  type = string
}

variable "node_pool_versions" {
  description = "Kubelet versions, keyed by node pool."
  type        = map(string)
}

variable "enforcement_level" {
  type    = string
  default = "changes"
}

variable "as_of" {
  description = "Date to check for. Defaults to the current date."
  type        = string
  default     = null
}

locals {
  node_pools = { for name, version in var.node_pool_versions : name => { kubelet = version } }
}

resource "versionskew_validation" "this" {
  policy                = var.policy
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
  enforcement_level     = var.enforcement_level
  as_of                 = var.as_of
}

data "versionskew_evaluation" "this" {
  policy                = var.policy
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
  as_of                 = var.as_of
}

output "published" {
  description = "Versions and the summary of their evaluation, for other states to read."
  value = {
    policy                = var.policy
    control_plane_version = var.control_plane_version
    node_pool_versions    = var.node_pool_versions
    summary               = data.versionskew_evaluation.this.summary
  }
}
