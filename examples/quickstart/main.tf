# A minimal cluster module. Its versions are variables, and the plan fails if they
# violate the version skew policy.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "control_plane_version" {
  type    = string
  default = "1.37.2"
}

variable "node_pools" {
  type = map(string)
  default = {
    general = "1.37.2"
    gpu     = "1.36.6"
  }
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.control_plane_version
  node_pools            = { for name, version in var.node_pools : name => { kubelet = version } }
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = var.control_plane_version
  node_pools            = { for name, version in var.node_pools : name => { kubelet = version } }
}

output "allowed_node_pool_versions" {
  value = data.versionskew_evaluation.cluster.allowed_versions["kubelet"].minors
}

output "next_control_plane_version" {
  value = data.versionskew_evaluation.cluster.next_control_plane_version
}
