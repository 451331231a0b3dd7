terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "node_version" {
  type    = string
  default = "1.36.6"
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.37.2"
  node_pools            = { gpu = { kubelet = var.node_version } }
}
