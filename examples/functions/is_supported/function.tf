# A variable that refuses node pools which the control plane does not support.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "cluster" {
  type = object({
    control_plane_version = string
    node_pool_versions    = map(string)
  })
  default = {
    control_plane_version = "1.31.2"
    node_pool_versions = {
      general = "1.31.2"
      gpu     = "1.29.10"
    }
  }

  validation {
    condition = alltrue([
      for version in values(var.cluster.node_pool_versions) :
      provider::versionskew::is_supported("kubelet", version, [var.cluster.control_plane_version])
    ])
    error_message = "A node pool is too old for the control plane, or newer than it."
  }
}

output "control_plane_version" {
  value = var.cluster.control_plane_version
}
